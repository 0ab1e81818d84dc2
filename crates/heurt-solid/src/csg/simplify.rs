//! Simplification of trees without change of the regularised set.
//!
//! In: a tree. Out: a tree with at most as many nodes.
//! Method: one pass in post-order. Rules: A ∪ A = A ∩ A = A and A − A = ∅; the laws of the empty set and of everything;
//! operands with disjoint boxes; ¬¬A = A; the complement of one half-space is a half-space; the identity map; maps of
//! the empty set and of everything. Intersected half-spaces of one frame become one leaf, and a half-space that is
//! subtracted joins as its complement.
//! Guarantees: the result differs at most in points without volume: boundaries of sets that vanish.

use super::bounds::{are_disjoint, box_of};
use super::{Csg, CsgLeaf, CsgNode};
use crate::half_space::QuadricIntersection;
use heurt_geometry::Aabb;

type Bounded = (Csg, Aabb);

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
        self.simplified_with_bounds().0
    }

    /// Returns the simplified tree and a box that contains it.
    pub(super) fn simplified_with_bounds(&self) -> Bounded {
        let mut stack: Vec<Bounded> = Vec::new();
        for sized in &self.nodes {
            let node = &sized.node;
            let second = if node.operands() > 0 { stack.pop() } else { None };
            let first = if node.operands() > 1 { stack.pop() } else { None };
            stack.push(match (node, first, second) {
                (CsgNode::Union, Some(a), Some(b)) => union(a, b),
                (CsgNode::Intersection, Some(a), Some(b)) => intersection(a, b),
                (CsgNode::Difference, Some(a), Some(b)) => difference(a, b),
                (CsgNode::Complement, _, Some(a)) => complement(a),
                (CsgNode::Transform(map), _, Some(a)) => match a.0.root() {
                    CsgNode::Empty | CsgNode::Everything => a,
                    _ if map.is_identity() => a,
                    _ => (a.0.unary(node.clone()), map.image_of_box(&a.1)),
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

fn leaf(node: CsgNode) -> Bounded {
    let bounds = box_of(&node, &[]);
    if bounds.is_empty() { (Csg::empty(), Aabb::EMPTY) } else { (Csg::single(node), bounds) }
}

fn union(a: Bounded, b: Bounded) -> Bounded {
    match (a.0.root(), b.0.root()) {
        (CsgNode::Empty, _) | (_, CsgNode::Everything) => b,
        (_, CsgNode::Empty) | (CsgNode::Everything, _) => a,
        _ if a.0.is_same(&b.0) => a,
        _ => (a.0.union(b.0), a.1.union(b.1)),
    }
}

fn intersection(a: Bounded, b: Bounded) -> Bounded {
    match (a.0.root(), b.0.root()) {
        (CsgNode::Empty, _) | (_, CsgNode::Everything) => return a,
        (_, CsgNode::Empty) | (CsgNode::Everything, _) => return b,
        _ if a.0.is_same(&b.0) => return a,
        _ if are_disjoint(&a.1, &b.1) => return leaf(CsgNode::Empty),
        _ => {}
    }
    if let (Some(x), Some(y)) = (a.0.as_region(), b.0.as_region()) {
        return leaf(CsgNode::Leaf(CsgLeaf::Region(x.merged(y))));
    }
    let bounds = box_of(&CsgNode::Intersection, &[a.1, b.1]);
    (a.0.intersection(b.0), bounds)
}

fn difference(a: Bounded, b: Bounded) -> Bounded {
    match (a.0.root(), b.0.root()) {
        (CsgNode::Empty, _) | (_, CsgNode::Empty) => return a,
        (_, CsgNode::Everything) => return leaf(CsgNode::Empty),
        (CsgNode::Everything, _) => return complement(b),
        _ if a.0.is_same(&b.0) => return leaf(CsgNode::Empty),
        _ if are_disjoint(&a.1, &b.1) => return a,
        _ => {}
    }
    match b.0.as_region().and_then(QuadricIntersection::single_complement) {
        Some(region) if a.0.as_region().is_some() => intersection(a, leaf(CsgNode::Leaf(CsgLeaf::Region(region)))),
        _ => (a.0.difference(b.0), a.1),
    }
}

fn complement(a: Bounded) -> Bounded {
    match a.0.root() {
        CsgNode::Empty => return leaf(CsgNode::Everything),
        CsgNode::Everything => return leaf(CsgNode::Empty),
        CsgNode::Complement => {
            let mut nodes = a.0.nodes;
            nodes.pop();
            let inner = Csg { nodes };
            let bounds = inner.bounds_of_root();
            return (inner, bounds);
        }
        _ => {}
    }
    if let Some(region) = a.0.as_region().and_then(QuadricIntersection::single_complement) {
        return leaf(CsgNode::Leaf(CsgLeaf::Region(region)));
    }
    (a.0.complement(), super::leaf::EVERYWHERE)
}
