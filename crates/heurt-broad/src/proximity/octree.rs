//! Octree: cubes halved along all axes at once.
//!
//! Method: S4 §2.2.1. A cube around all points is cut into eight until a cell has few points or has the maximum depth;
//! empty cells are not kept. Difference from the source: each cell stores the box of its points, and a query is
//! compared with that box, so half-empty cells are dismissed earlier.
//! [`PointIndex`](super::PointIndex) does not choose it: `docs/alternatives.md` compares it with the k-d tree.
//! Guarantees: see the [module above](super). Depth is at most 40, and coincident points are never cut: their leaf
//! holds them all.
//! Cost: O(n · depth) to build; O(log n + found) a query for points spread evenly.

use super::ball::{self, BallSearch, Searchable};
use super::{Neighbour, PointProximity, ProximityEntry, ProximityError};
use heurt_geometry::{Aabb, Draw, DrawSink, Meaning, Vec3};
use smallvec::SmallVec;

/// Maximum number of points in a leaf above the maximum depth.
const LEAF: usize = 12;
/// 40 levels, 2⁻⁴⁰ of the whole: points nearer to each other than that share a leaf.
const MAX_DEPTH: u32 = 40;

/// A cell: a leaf when it has no children.
#[derive(Debug, Clone, Copy)]
struct OctreeCell {
    /// The box of its points.
    bounds: Aabb,
    begin: u32,
    end: u32,
    first_child: u32,
    children: u32,
}

/// The tree.
#[derive(Debug, Clone, Default)]
pub struct Octree {
    entries: Vec<ProximityEntry>,
    cells: Vec<OctreeCell>,
}

/// A cube still to be cut.
#[derive(Clone, Copy)]
struct Cube {
    low: Vec3,
    high: Vec3,
    cell: u32,
    depth: u32,
}

impl Draw for Octree {
    /// Draws the box of the points of each cell, parents before their children.
    fn draw(&self, sink: &mut dyn DrawSink) {
        self.cells.iter().for_each(|cell| sink.draw_box(&cell.bounds, Meaning::BroadPhase));
    }
}

impl Octree {
    /// Builds a tree over points, in metres.
    ///
    /// # Errors
    /// [`ProximityError`] names the first offending point.
    pub fn new(points: &[Vec3]) -> Result<Self, ProximityError> {
        let mut tree = Self::default();
        tree.rebuild(points)?;
        Ok(tree)
    }

    fn build(&mut self) {
        self.cells.clear();
        let Some(root) = self.push(0, self.entries.len()) else { return };
        let bounds = self.cells[root as usize].bounds;
        let (centre, half) = (bounds.centre(), bounds.half_extents().max_element());
        let mut sorted = self.entries.clone();
        let mut open = vec![Cube { low: centre - half, high: centre + half, cell: root, depth: 0 }];
        while let Some(cube) = open.pop() {
            let OctreeCell { bounds, begin, end, .. } = self.cells[cube.cell as usize];
            let is_one_place = bounds.min == bounds.max;
            if (end - begin) as usize <= LEAF || cube.depth == MAX_DEPTH || is_one_place {
                continue;
            }
            let middle = cube.low * 0.5 + cube.high * 0.5;
            let ends = self.cut(begin as usize, end as usize, middle, &mut sorted);
            let first_child = self.cells.len() as u32;
            let mut first = begin as usize;
            for (octant, &end) in ends.iter().enumerate() {
                if let Some(cell) = self.push(first, end) {
                    let (mut low, mut high) = (cube.low, cube.high);
                    for axis in 0..3 {
                        if octant >> axis & 1 == 1 { low[axis] = middle[axis] } else { high[axis] = middle[axis] }
                    }
                    open.push(Cube { low, high, cell, depth: cube.depth + 1 });
                }
                first = end;
            }
            let children = self.cells.len() as u32 - first_child;
            let cell = &mut self.cells[cube.cell as usize];
            (cell.first_child, cell.children) = (first_child, children);
        }
    }

    /// Adds a leaf over a run of entries; returns `None` for an empty run.
    fn push(&mut self, begin: usize, end: usize) -> Option<u32> {
        let bounds = Aabb::from_points(self.entries[begin..end].iter().map(|entry| entry.at));
        (begin < end).then(|| {
            self.cells.push(OctreeCell { bounds, begin: begin as u32, end: end as u32, first_child: 0, children: 0 });
            self.cells.len() as u32 - 1
        })
    }

    /// Sorts a run by octants around `middle`; returns the end of each octant.
    fn cut(&mut self, begin: usize, end: usize, middle: Vec3, sorted: &mut [ProximityEntry]) -> [usize; 8] {
        let octant = |at: Vec3| at.cmpge(middle).bitmask() as usize;
        let run = &mut self.entries[begin..end];
        let mut counts = [0; 8];
        run.iter().for_each(|entry| counts[octant(entry.at)] += 1);
        let mut ends = [begin; 8];
        for i in 1..8 {
            ends[i] = ends[i - 1] + counts[i - 1];
        }
        for entry in run.iter() {
            let place = &mut ends[octant(entry.at)];
            sorted[*place] = *entry;
            *place += 1;
        }
        run.copy_from_slice(&sorted[begin..end]);
        ends
    }
}

/// Returns the distance of a box along each axis.
#[inline(always)]
fn offset(bounds: &Aabb, centre: Vec3) -> Vec3 {
    (bounds.min - centre).max(centre - bounds.max).max(Vec3::ZERO)
}

impl Searchable for Octree {
    fn search<S: BallSearch>(&self, search: &mut S) {
        let centre = search.centre();
        let mut open = SmallVec::<[(u32, Vec3); 64]>::new();
        if let Some(root) = self.cells.first() {
            open.push((0u32, offset(&root.bounds, centre)));
        }
        while let Some((index, at)) = open.pop() {
            if !search.admits(at) {
                continue;
            }
            let cell = &self.cells[index as usize];
            if cell.children == 0 {
                search.take(&self.entries[cell.begin as usize..cell.end as usize]);
                continue;
            }
            let waiting = open.len();
            for child in cell.first_child..cell.first_child + cell.children {
                let at = offset(&self.cells[child as usize].bounds, centre);
                if search.admits(at) {
                    open.push((child, at));
                }
            }
            if S::NEAR_FIRST {
                open[waiting..].sort_by(|x, y| y.1.length_squared().total_cmp(&x.1.length_squared()));
            }
        }
    }

    fn count(&self) -> usize {
        self.entries.len()
    }
}

impl PointProximity for Octree {
    fn rebuild(&mut self, points: &[Vec3]) -> Result<(), ProximityError> {
        super::take(points, &mut self.entries)?;
        self.build();
        Ok(())
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn within(&self, point: Vec3, radius: f64, found: &mut Vec<u32>) {
        ball::within(self, point, radius, found);
    }

    fn nearest(&self, point: Vec3, k: usize) -> Vec<Neighbour> {
        ball::nearest(self, point, k)
    }
}
