//! K-d tree: planes across one axis at a time.
//!
//! Method: S4 §2.2.2 after Bentley 1975. Differences from the source: the axis is the axis of the largest extent of the
//! points rather than each in turn. Points are in the leaves only, a few each. The bound of a cell grows with every
//! plane on the path (Arya and Mount 1993). The split is by count at the median, so depth is log₂ n for any points;
//! coincident points lie on both sides of a plane, and both sides are visited.
//! Guarantees: see the [module above](super). Cost: O(n log n) to build, O(log n + found) a query for points spread
//! evenly.

use super::ball::{self, BallSearch, Searchable};
use super::{Neighbour, PointProximity, ProximityEntry, ProximityError};
use heurt_geometry::{Aabb, Draw, DrawSink, Meaning, Vec3};
use smallvec::SmallVec;

/// Maximum number of points in a leaf.
const LEAF: usize = 12;
/// Approximate number of levels of the largest tree.
const LEVELS: usize = 28;

/// A node of a tree in preorder: the lesser side follows its parent.
#[derive(Debug, Clone, Copy)]
enum KdNode {
    /// Points on either side of a plane.
    Inner { axis: u8, split: f64, greater: u32 },
    /// A run of entries.
    Leaf { begin: u32, end: u32 },
}

/// The tree.
#[derive(Debug, Clone, Default)]
pub struct KdTree {
    entries: Vec<ProximityEntry>,
    nodes: Vec<KdNode>,
}

impl Draw for KdTree {
    /// Draws the box of all points, then each plane as a rectangle in its cell, parents before their children.
    fn draw(&self, sink: &mut dyn DrawSink) {
        let all = Aabb::from_points(self.entries.iter().map(|entry| entry.at));
        sink.draw_box(&all, Meaning::BroadPhase);
        let mut open = vec![(0, all)];
        while let Some((index, cell)) = open.pop() {
            let Some(&KdNode::Inner { axis, split, greater }) = self.nodes.get(index as usize) else { continue };
            let axis = usize::from(axis);
            let (mut below, mut above, mut plane) = (cell, cell, cell);
            (below.max[axis], above.min[axis]) = (split, split);
            (plane.min[axis], plane.max[axis]) = (split, split);
            let corners = plane.corners();
            let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
            for [a, b] in [[0, u], [u, u | v], [u | v, v], [v, 0]] {
                sink.draw_line([corners[a], corners[b]], Meaning::BroadPhase);
            }
            open.extend([(greater, above), (index + 1, below)]);
        }
    }
}

impl KdTree {
    /// Builds a tree over points, in metres.
    ///
    /// ```
    /// use heurt_broad::{KdTree, PointProximity};
    /// use heurt_geometry::Vec3;
    /// let points: Vec<Vec3> = (0..100).map(|k| Vec3::X * f64::from(k)).collect();
    /// let tree = KdTree::new(&points)?;
    /// let mut near = Vec::new();
    /// tree.within(Vec3::X * 50.2, 1.0, &mut near);
    /// near.sort_unstable();
    /// assert_eq!(near, [50, 51]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ProximityError`] names the first offending point.
    pub fn new(points: &[Vec3]) -> Result<Self, ProximityError> {
        let mut tree = Self::default();
        tree.rebuild(points)?;
        Ok(tree)
    }

    fn build(&mut self) {
        self.nodes.clear();
        // Runs of entries still to be made into nodes, and the parent of which they are the greater side.
        let mut open = vec![(0, self.entries.len(), None)];
        while let Some((begin, end, parent)) = open.pop() {
            let index = self.nodes.len() as u32;
            if let Some(parent) = parent
                && let KdNode::Inner { greater, .. } = &mut self.nodes[parent as usize]
            {
                *greater = index;
            }
            let run = &mut self.entries[begin..end];
            if run.len() <= LEAF {
                self.nodes.push(KdNode::Leaf { begin: begin as u32, end: end as u32 });
                continue;
            }
            let extent = Aabb::from_points(run.iter().map(|entry| entry.at)).half_extents();
            let axis = extent.max_position();
            let middle = run.len() / 2;
            run.select_nth_unstable_by(middle, |x, y| x.at[axis].total_cmp(&y.at[axis]));
            self.nodes.push(KdNode::Inner { axis: axis as u8, split: run[middle].at[axis], greater: 0 });
            open.push((begin + middle, end, Some(index)));
            open.push((begin, begin + middle, None));
        }
    }
}

impl Searchable for KdTree {
    fn search<S: BallSearch>(&self, search: &mut S) {
        let centre = search.centre();
        // The stack holds at most one node a level.
        let mut open = SmallVec::<[(u32, Vec3); LEVELS]>::new();
        open.push((0, Vec3::ZERO));
        while let Some((mut index, mut offset)) = open.pop() {
            if !search.admits(offset) {
                continue;
            }
            loop {
                match self.nodes[index as usize] {
                    KdNode::Leaf { begin, end } => {
                        search.take(&self.entries[begin as usize..end as usize]);
                        break;
                    }
                    KdNode::Inner { axis, split, greater } => {
                        let axis = axis as usize;
                        let beyond = split - centre[axis];
                        let (near, far) = if beyond > 0.0 { (index + 1, greater) } else { (greater, index + 1) };
                        let before = std::mem::replace(&mut offset[axis], beyond);
                        if search.admits(offset) {
                            open.push((far, offset));
                        }
                        offset[axis] = before;
                        index = near;
                    }
                }
            }
        }
    }

    fn count(&self) -> usize {
        self.entries.len()
    }
}

impl PointProximity for KdTree {
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
