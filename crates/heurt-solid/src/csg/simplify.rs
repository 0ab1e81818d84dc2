//! Simplification of trees without change of the regularised set.
//!
//! In: a tree. Out: a tree with at most as many nodes.
//! Method: one pass in post-order. Rules: A ∪ A = A ∩ A = A and A − A = ∅; the laws of the empty set and of everything;
//! operands with disjoint boxes; ¬¬A = A; the complement of one half-space is a half-space; the identity map; maps of
//! the empty set and of everything. Intersected half-spaces of one frame become one leaf, and a half-space that is
//! subtracted joins as its complement.
//! Guarantees: the result differs at most in points without volume: boundaries of sets that vanish.

use super::bounds::{are_disjoint, box_of};
use super::leaf::EVERYWHERE;
use super::{Csg, CsgLeaf, CsgNode};
use crate::half_space::QuadricIntersection;
use heurt_geometry::Aabb;

/// A simplified tree and its box.
pub(super) struct SimplifiedTree {
    pub(super) tree: Csg,
    pub(super) bounds: Aabb,
    /// The box of the operand if the root is a complement, so that a second complement restores it.
    operand_bounds: Aabb,
}

impl Csg {
    /// Returns a simpler tree of the same regularised set.
    ///
    /// ```
    /// use heurt_shape::Convex;
    /// use heurt_solid::Csg;
    /// let ball = Csg::shape(Convex::sphere(1.0)?);
    /// let tree = ball.clone().union(ball.clone()).complement().complement().difference(Csg::empty());
    /// assert_eq!((tree.node_count(), tree.simplified().node_count()), (7, 1));
    /// # Ok::<(), heurt_shape::ConvexError>(())
    /// ```
    #[must_use]
    pub fn simplified(&self) -> Self {
        self.simplified_with_bounds().tree
    }

    /// Returns the simplified tree and a box that contains it.
    pub(super) fn simplified_with_bounds(&self) -> SimplifiedTree {
        let mut stack: Vec<SimplifiedTree> = Vec::new();
        for sized in &self.nodes {
            let node = &sized.node;
            let second = if node.operands() > 0 { stack.pop() } else { None };
            let first = if node.operands() > 1 { stack.pop() } else { None };
            stack.push(match (node, first, second) {
                (CsgNode::Union, Some(a), Some(b)) => union(a, b),
                (CsgNode::Intersection, Some(a), Some(b)) => intersection(a, b),
                (CsgNode::Difference, Some(a), Some(b)) => difference(a, b),
                (CsgNode::Complement, _, Some(a)) => complement(a),
                (CsgNode::Transform(map), _, Some(a)) => match a.tree.root() {
                    CsgNode::Empty | CsgNode::Everything => a,
                    _ if map.is_identity() => a,
                    _ => bounded(a.tree.unary(node.clone()), map.image_of_box(&a.bounds)),
                },
                _ => leaf(node.clone()),
            });
        }
        stack.pop().unwrap_or_else(|| leaf(CsgNode::Empty))
    }

    pub(super) fn root(&self) -> &CsgNode {
        self.nodes.last().map_or(&CsgNode::Empty, |sized| &sized.node)
    }

    /// Returns the region of a tree that is one leaf of half-spaces.
    fn as_region(&self) -> Option<&QuadricIntersection> {
        match self.root() {
            CsgNode::Leaf(CsgLeaf::Region(region)) => Some(region),
            _ => None,
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.nodes.len() == other.nodes.len()
            && self.nodes.iter().zip(&other.nodes).all(|(a, b)| a.size == b.size && a.node.is_same(&b.node))
    }
}

fn bounded(tree: Csg, bounds: Aabb) -> SimplifiedTree {
    SimplifiedTree { tree, bounds, operand_bounds: EVERYWHERE }
}

fn leaf(node: CsgNode) -> SimplifiedTree {
    let bounds = box_of(&node, &[]);
    if bounds.is_empty() { bounded(Csg::empty(), Aabb::EMPTY) } else { bounded(Csg::single(node), bounds) }
}

fn region(region: QuadricIntersection) -> SimplifiedTree {
    leaf(CsgNode::Leaf(CsgLeaf::Region(region)))
}

fn union(a: SimplifiedTree, b: SimplifiedTree) -> SimplifiedTree {
    match (a.tree.root(), b.tree.root()) {
        (CsgNode::Empty, _) | (_, CsgNode::Everything) => b,
        (_, CsgNode::Empty) | (CsgNode::Everything, _) => a,
        _ if a.tree.is_same(&b.tree) => a,
        _ => bounded(a.tree.union(b.tree), a.bounds.union(b.bounds)),
    }
}

fn intersection(a: SimplifiedTree, b: SimplifiedTree) -> SimplifiedTree {
    match (a.tree.root(), b.tree.root()) {
        (CsgNode::Empty, _) | (_, CsgNode::Everything) => return a,
        (_, CsgNode::Empty) | (CsgNode::Everything, _) => return b,
        _ if a.tree.is_same(&b.tree) => return a,
        _ if are_disjoint(&a.bounds, &b.bounds) => return leaf(CsgNode::Empty),
        _ => {}
    }
    if let (Some(x), Some(y)) = (a.tree.as_region(), b.tree.as_region()) {
        return region(x.merged(y));
    }
    let bounds = box_of(&CsgNode::Intersection, &[a.bounds, b.bounds]);
    bounded(a.tree.intersection(b.tree), bounds)
}

fn difference(a: SimplifiedTree, b: SimplifiedTree) -> SimplifiedTree {
    match (a.tree.root(), b.tree.root()) {
        (CsgNode::Empty, _) | (_, CsgNode::Empty) => return a,
        (_, CsgNode::Everything) => return leaf(CsgNode::Empty),
        (CsgNode::Everything, _) => return complement(b),
        _ if a.tree.is_same(&b.tree) => return leaf(CsgNode::Empty),
        _ if are_disjoint(&a.bounds, &b.bounds) => return a,
        _ => {}
    }
    match b.tree.as_region().and_then(QuadricIntersection::single_complement) {
        Some(outside) if a.tree.as_region().is_some() => intersection(a, region(outside)),
        _ => bounded(a.tree.difference(b.tree), a.bounds),
    }
}

fn complement(a: SimplifiedTree) -> SimplifiedTree {
    match a.tree.root() {
        CsgNode::Empty => return leaf(CsgNode::Everything),
        CsgNode::Everything => return leaf(CsgNode::Empty),
        CsgNode::Complement => {
            let mut nodes = a.tree.nodes;
            nodes.pop();
            return bounded(Csg { nodes }, a.operand_bounds);
        }
        _ => {}
    }
    if let Some(outside) = a.tree.as_region().and_then(QuadricIntersection::single_complement) {
        return region(outside);
    }
    SimplifiedTree { tree: a.tree.complement(), bounds: EVERYWHERE, operand_bounds: a.bounds }
}
