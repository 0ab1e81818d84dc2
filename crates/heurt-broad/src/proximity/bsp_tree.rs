//! BSP tree: planes in any direction.
//!
//! Method: S4 §2.2.2. Each plane is across the direction in which the points of its cell spread most (the largest
//! eigenvector of their covariance, by a few steps of power iteration), through their median along it: on curves,
//! sheets and trees that do not follow the axes cells are rounder than those of a k-d tree. Points are in the leaves, a
//! few in each. The split is by count, so depth is log₂ n for any points.
//! [`PointIndex`](super::PointIndex) does not choose it: `docs/alternatives.md` compares it with the k-d tree.
//! Guarantees: see the [module above](super). A plane's distance is rounded, and is taken shorter by more than that.
//! Distant queries are moved to the border of a box around all points, which brings them nearer to each.
//! Cost: O(n log n) to build, with a larger constant than the k-d tree; O(log n + found) a query for points spread
//! evenly.

use super::ball::{self, BallSearch, Searchable};
use super::{Neighbour, PointProximity, ProximityEntry, ProximityError};
use heurt_geometry::{Aabb, Vec3};
use smallvec::SmallVec;

/// Maximum number of points in a leaf.
const LEAF: usize = 12;
/// Approximate number of levels of the largest tree.
const LEVELS: usize = 28;
/// Number of steps of power iteration: any direction is correct, a better one is faster.
const ITERATIONS: usize = 8;
/// Maximum number of points from which the spread of a cell is estimated.
const SAMPLE: usize = 256;
/// Exceeds the sum of the roundings of local coordinates (at most 4), of their products with a unit vector, and of
/// distances.
const SLACK: f64 = 4e-14;

/// A node of a tree in preorder: the lesser side follows its parent.
#[derive(Debug, Clone, Copy)]
pub(super) enum BspNode {
    /// Points with `normal`·p ≤ `split` and points with ≥.
    Inner { normal: Vec3, split: f64, greater: u32 },
    /// A run of entries.
    Leaf { begin: u32, end: u32 },
}

/// The tree.
#[derive(Debug, Clone)]
pub struct BspTree {
    entries: Vec<ProximityEntry>,
    nodes: Vec<BspNode>,
    centre: Vec3,
    /// Factor from metres to local coordinates, in which points are in [−1, 1]³: a power of two.
    scale: f64,
}

impl BspTree {
    /// Builds a tree over points, in metres.
    ///
    /// # Errors
    /// [`ProximityError`] names the first offending point.
    pub fn new(points: &[Vec3]) -> Result<Self, ProximityError> {
        let mut tree = Self { entries: Vec::new(), nodes: Vec::new(), centre: Vec3::ZERO, scale: 1.0 };
        tree.rebuild(points)?;
        Ok(tree)
    }

    /// Lists the points.
    pub(super) fn points(&self) -> impl Iterator<Item = Vec3> {
        self.entries.iter().map(|entry| entry.at)
    }

    /// Returns the nodes in preorder, planes in local coordinates.
    pub(super) fn nodes(&self) -> &[BspNode] {
        &self.nodes
    }

    /// Returns the point of local coordinates, in metres.
    pub(super) fn global(&self, local: Vec3) -> Vec3 {
        // Halves cannot overflow.
        (local / self.scale * 0.5 + self.centre * 0.5) * 2.0
    }

    /// Returns local coordinates, clamped for distant points.
    #[inline(always)]
    pub(super) fn local(&self, point: Vec3) -> Vec3 {
        // Halves cannot overflow.
        ((point * 0.5 - self.centre * 0.5) * self.scale * 2.0).clamp(Vec3::splat(-4.0), Vec3::splat(4.0))
    }

    fn build(&mut self) {
        let bounds = Aabb::from_points(self.entries.iter().map(|entry| entry.at));
        self.centre = if bounds.is_empty() { Vec3::ZERO } else { bounds.centre() };
        let extent = if bounds.is_empty() { 0.0 } else { bounds.half_extents().max_element() };
        self.scale = libm::ldexp(1.0, (-libm::frexp(extent).1).clamp(-1000, 1000));
        let mut keyed: Vec<(f64, Vec3, ProximityEntry)> =
            self.entries.iter().map(|entry| (0.0, self.local(entry.at), *entry)).collect();
        self.nodes.clear();
        let mut open = vec![(0, keyed.len(), None)];
        while let Some((begin, end, parent)) = open.pop() {
            let index = self.nodes.len() as u32;
            if let Some(parent) = parent
                && let BspNode::Inner { greater, .. } = &mut self.nodes[parent as usize]
            {
                *greater = index;
            }
            let run = &mut keyed[begin..end];
            if run.len() <= LEAF {
                self.nodes.push(BspNode::Leaf { begin: begin as u32, end: end as u32 });
                continue;
            }
            let normal = widest(run);
            run.iter_mut().for_each(|(key, at, _)| *key = normal.dot(*at));
            let middle = run.len() / 2;
            run.select_nth_unstable_by(middle, |x, y| x.0.total_cmp(&y.0));
            self.nodes.push(BspNode::Inner { normal, split: run[middle].0, greater: 0 });
            open.push((begin + middle, end, Some(index)));
            open.push((begin, begin + middle, None));
        }
        self.entries.iter_mut().zip(keyed).for_each(|(entry, (_, _, sorted))| *entry = sorted);
    }
}

/// Returns approximately the unit vector along which points spread most.
fn widest(run: &[(f64, Vec3, ProximityEntry)]) -> Vec3 {
    let step = run.len().div_ceil(SAMPLE);
    let sample = || run.iter().step_by(step).map(|&(_, at, _)| at);
    let mean = sample().sum::<Vec3>() / sample().count() as f64;
    let (mut squares, mut products) = (Vec3::ZERO, Vec3::ZERO);
    for at in sample() {
        let from = at - mean;
        squares += from * from;
        products += Vec3::new(from.y * from.z, from.z * from.x, from.x * from.y);
    }
    let times = |v: Vec3| {
        Vec3::new(
            squares.x * v.x + products.z * v.y + products.y * v.z,
            products.z * v.x + squares.y * v.y + products.x * v.z,
            products.y * v.x + products.x * v.y + squares.z * v.z,
        )
    };
    // Starts from the axis of the largest variance.
    let mut direction = Vec3::AXES[squares.max_position()];
    for _ in 0..ITERATIONS {
        match times(direction).try_normalize() {
            Some(next) => direction = next,
            None => break,
        }
    }
    direction
}

impl Searchable for BspTree {
    fn search<S: BallSearch>(&self, search: &mut S) {
        let centre = self.local(search.centre());
        // The stack holds at most one node a level.
        let mut open = SmallVec::<[(u32, f64); LEVELS]>::new();
        open.push((0, 0.0));
        while let Some((mut index, bound)) = open.pop() {
            if !search.admits(Vec3::X * bound) {
                continue;
            }
            loop {
                match self.nodes[index as usize] {
                    BspNode::Leaf { begin, end } => {
                        search.take(&self.entries[begin as usize..end as usize]);
                        break;
                    }
                    BspNode::Inner { normal, split, greater } => {
                        let beyond = split - normal.dot(centre);
                        let (near, far) = if beyond > 0.0 { (index + 1, greater) } else { (greater, index + 1) };
                        let distance = (beyond.abs() - SLACK) / self.scale;
                        let far_bound = f64::max(bound, distance);
                        if search.admits(Vec3::X * far_bound) {
                            open.push((far, far_bound));
                        }
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

impl PointProximity for BspTree {
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
