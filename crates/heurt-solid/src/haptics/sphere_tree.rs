//! Tree of spheres over points, in pre-order with skips.
//!
//! In: points. Out: an order of the points, and nodes with spheres that contain them; the node after a subtree is its
//! `skip`, so that a traversal needs no stack.
//! Method: top down. The points of a node are divided at the median along the longest axis of their box.
//! It is no `PointIndex` of heurt-broad: its spheres meet a distance field in one traversal, not a ball each.
//! Guarantees: each sphere contains the points of its node, with slack for rounding.

use heurt_geometry::{Aabb, Vec3};

/// The most points of a leaf: one sample of the field for its sphere saves at most this number.
const LEAF_POINTS: usize = 8;

/// A node of the tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SphereNode {
    pub centre: Vec3,
    pub radius: f64,
    /// The node after the subtree.
    pub skip: u32,
    /// The points of the subtree.
    pub first: u32,
    pub end: u32,
}

impl SphereNode {
    /// Reports whether the node at an index is a leaf.
    pub fn is_leaf_at(&self, index: usize) -> bool {
        self.skip as usize == index + 1
    }
}

/// Builds the tree; `order` gets the order of the points.
pub(super) fn build_sphere_tree(points: &[Vec3], order: &mut [u32]) -> Vec<SphereNode> {
    enum Task {
        Build(usize, usize),
        Close(usize),
    }
    let mut nodes: Vec<SphereNode> = Vec::with_capacity(points.len() / 2 + 1);
    let mut open = vec![Task::Build(0, order.len())];
    while let Some(task) = open.pop() {
        let (start, end) = match task {
            Task::Build(start, end) => (start, end),
            Task::Close(node) => {
                nodes[node].skip = nodes.len() as u32;
                continue;
            }
        };
        let number = nodes.len();
        let bounds = Aabb::from_points(order[start..end].iter().map(|&point| points[point as usize]));
        let centre = bounds.centre();
        let distance = |&point: &u32| (points[point as usize] - centre).length();
        let radius = order[start..end].iter().map(distance).fold(0.0, f64::max);
        let radius = radius * (1.0 + 4.0 * f64::EPSILON) + 8.0 * f64::EPSILON * centre.abs().max_element();
        let is_leaf = end - start <= LEAF_POINTS;
        nodes.push(SphereNode { centre, radius, skip: 0, first: start as u32, end: end as u32 });
        open.push(Task::Close(number));
        if is_leaf {
            continue;
        }
        let extent = bounds.max - bounds.min;
        let axis = if extent.x >= extent.y && extent.x >= extent.z { 0 } else { 1 + usize::from(extent.z > extent.y) };
        let middle = start + (end - start) / 2;
        let key = |point: u32| points[point as usize][axis];
        order[start..end].select_nth_unstable_by(middle - start, |&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
        open.push(Task::Build(middle, end));
        open.push(Task::Build(start, middle));
    }
    nodes
}
