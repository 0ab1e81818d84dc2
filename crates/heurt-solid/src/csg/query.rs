//! Prepared tree for queries of points and boxes: maps composed to the leaves, boxes of all nodes in the world.
//!
//! In: a tree. Out: [`CsgQuery`]: membership, counts of evaluated nodes.
//! Method: one pass down composes the maps, and one pass up computes the boxes. A leaf under an odd number of
//! complements and second operands of differences is queried for its interior, so that boundaries of the result are
//! inside. A node whose box does not contain the point is outside, and its operands are not visited.
//! Guarantees: membership is a Boolean function of the memberships of the leaves, which `leaf` describes. A point is
//! pulled back by the rounded inverse of the composed map, and by nothing if there is none.
//! Cost: O(n) per point at most; O(log n) for a balanced union of n sets that are spread in space.

use super::bounds::box_of;
use super::leaf::EVERYWHERE;
use super::traversal::{TreeRules, evaluate};
use super::{Affine, Csg, CsgLeaf, CsgNode};
use heurt_geometry::{Aabb, Vec3};

/// Data of a node in the world frame.
#[derive(Debug, Clone)]
pub(super) struct PreparedNode {
    pub(super) bounds: Aabb,
    /// The composed map of a leaf.
    pub(super) map: Affine,
    /// Whether the node is complemented an odd number of times.
    is_negative: bool,
}

/// A tree prepared for queries.
#[derive(Debug, Clone)]
pub struct CsgQuery {
    pub(super) tree: Csg,
    pub(super) prepared: Vec<PreparedNode>,
}

impl CsgQuery {
    /// Prepares a tree. A composed map without an inverse in `f64` makes its leaf empty.
    pub fn new(tree: &Csg) -> Self {
        let nodes = &tree.nodes;
        let blank = PreparedNode { bounds: EVERYWHERE, map: Affine::IDENTITY, is_negative: false };
        let mut prepared = vec![blank; nodes.len()];
        // Parents follow their operands: a pass from the root downward.
        for index in (0..nodes.len()).rev() {
            let (map, is_negative) = (prepared[index].map, prepared[index].is_negative);
            match &nodes[index].node {
                CsgNode::Transform(own) => {
                    let inner = &mut prepared[index - 1];
                    inner.is_negative = is_negative;
                    match map.compose(own) {
                        Ok(map) => inner.map = map,
                        Err(_) => inner.bounds = Aabb::EMPTY,
                    }
                }
                CsgNode::Complement => {
                    (prepared[index - 1].map, prepared[index - 1].is_negative) = (map, !is_negative);
                }
                CsgNode::Union | CsgNode::Intersection | CsgNode::Difference => {
                    let is_difference = matches!(nodes[index].node, CsgNode::Difference);
                    let first = index - 1 - nodes[index - 1].size as usize;
                    (prepared[index - 1].map, prepared[index - 1].is_negative) = (map, is_negative != is_difference);
                    (prepared[first].map, prepared[first].is_negative) = (map, is_negative);
                }
                CsgNode::Empty | CsgNode::Everything | CsgNode::Leaf(_) => {}
            }
        }
        let mut boxes: Vec<Aabb> = Vec::new();
        for (sized, node) in nodes.iter().zip(&mut prepared) {
            let first = boxes.len() - sized.node.operands();
            let bounds = match &sized.node {
                CsgNode::Leaf(leaf) => node.map.image_of_box(&leaf.bounds()),
                CsgNode::Transform(_) => boxes[first],
                other => box_of(other, &boxes[first..]),
            };
            node.bounds = if node.bounds.is_empty() { Aabb::EMPTY } else { bounds };
            boxes.truncate(first);
            boxes.push(node.bounds);
        }
        Self { tree: tree.clone(), prepared }
    }

    /// Returns the tree.
    pub fn tree(&self) -> &Csg {
        &self.tree
    }

    /// Reports whether the set contains `point`; boundaries are inside.
    pub fn contains(&self, point: Vec3) -> bool {
        self.contains_counted(point).0
    }

    /// Computes [`CsgQuery::contains`], with the number of nodes that were visited.
    pub fn contains_counted(&self, point: Vec3) -> (bool, usize) {
        let mut rules = PointRules { query: self, point, visited: 0 };
        let inside = point.is_finite() && evaluate(&self.tree.nodes, &mut rules).unwrap_or(false);
        (inside, rules.visited)
    }

    fn leaf_contains(&self, index: usize, leaf: &CsgLeaf, point: Vec3) -> bool {
        let PreparedNode { map, is_negative, .. } = &self.prepared[index];
        let local = map.pulled_back(point);
        if *is_negative { leaf.contains_in_interior(local) } else { leaf.contains(local) }
    }
}

struct PointRules<'a> {
    query: &'a CsgQuery,
    point: Vec3,
    visited: usize,
}

impl TreeRules for PointRules<'_> {
    type Value = bool;

    fn decide(&mut self, index: usize) -> Option<bool> {
        self.visited += 1;
        if !self.query.prepared[index].bounds.contains(self.point) {
            return Some(false);
        }
        match &self.query.tree.nodes[index].node {
            CsgNode::Empty => Some(false),
            CsgNode::Everything => Some(true),
            CsgNode::Leaf(leaf) => Some(self.query.leaf_contains(index, leaf, self.point)),
            _ => None,
        }
    }

    fn ends(&self, node: &CsgNode, &first: &bool) -> bool {
        // True decides a union, and false decides an intersection or a difference.
        first == matches!(node, CsgNode::Union)
    }

    fn combine(&self, node: &CsgNode, first: bool, second: bool) -> bool {
        match node {
            CsgNode::Union => first || second,
            CsgNode::Difference => first && !second,
            _ => first && second,
        }
    }

    fn complement(&self, value: bool) -> bool {
        !value
    }
}
