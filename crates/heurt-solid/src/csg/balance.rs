//! Balanced trees from chains of unions, intersections and differences.
//!
//! In: a tree. Out: a tree of the same set in which n operands of a chain have a depth of ⌈log₂ n⌉.
//! Method: one pass in post-order collects the operands of neighbouring nodes of one operation. ((A − B) − C) − D
//! becomes A − (B ∪ C ∪ D). Operands are divided at the median of the centres of their boxes along the longest axis, as
//! in a bounding volume hierarchy, so that near operands share a box.
//! Guarantees: the same set, by the associative and commutative laws and by De Morgan.
//! Cost: O(n log² n) for chains of n operands.

use super::bounds::box_of;
use super::{Csg, CsgNode};
use heurt_geometry::{Aabb, Vec3};

struct BalancedOperand {
    tree: Csg,
    bounds: Aabb,
}

/// The operands of neighbouring nodes of one operation.
enum Group {
    Single(BalancedOperand),
    Chain(CsgNode, Vec<BalancedOperand>),
    /// A first operand without the interiors of all further ones.
    Difference(BalancedOperand, Vec<BalancedOperand>),
}

impl Csg {
    /// Returns a tree of the same set whose chains are balanced.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_solid::{Affine, Csg};
    /// let ball = Csg::shape(Convex::sphere(0.4)?);
    /// let shift = |k: u32| Affine::from(Pose::from_translation(Vec3::X * f64::from(k)).unwrap());
    /// let chain = Csg::union_of((0..1000).map(|k| ball.clone().transformed(shift(k))));
    /// assert_eq!((chain.depth(), chain.balanced().depth()), (1001, 12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn balanced(&self) -> Self {
        let mut stack: Vec<Group> = Vec::new();
        for sized in &self.nodes {
            let node = &sized.node;
            let second = if node.operands() > 0 { stack.pop() } else { None };
            let first = if node.operands() > 1 { stack.pop() } else { None };
            stack.push(match (node, first, second) {
                (CsgNode::Union | CsgNode::Intersection, Some(a), Some(b)) => {
                    let mut operands = a.operands_of(node);
                    operands.extend(b.operands_of(node));
                    Group::Chain(node.clone(), operands)
                }
                (CsgNode::Difference, Some(a), Some(b)) => {
                    let (first, mut others) = match a {
                        Group::Difference(first, others) => (first, others),
                        other => (other.finished(), Vec::new()),
                    };
                    others.extend(b.operands_of(&CsgNode::Union));
                    Group::Difference(first, others)
                }
                (_, _, Some(a)) => {
                    let BalancedOperand { tree, bounds } = a.finished();
                    Group::Single(BalancedOperand { bounds: box_of(node, &[bounds]), tree: tree.unary(node.clone()) })
                }
                _ => Group::Single(BalancedOperand { tree: Self::single(node.clone()), bounds: box_of(node, &[]) }),
            });
        }
        stack.pop().map_or_else(Self::empty, |group| group.finished().tree)
    }
}

impl Group {
    /// Returns the operands for a chain of `node`.
    fn operands_of(self, node: &CsgNode) -> Vec<BalancedOperand> {
        match self {
            Self::Chain(own, operands) if own.is_same(node) => operands,
            other => vec![other.finished()],
        }
    }

    fn finished(self) -> BalancedOperand {
        match self {
            Self::Single(operand) => operand,
            Self::Chain(node, operands) => combined(&node, operands),
            Self::Difference(first, others) => {
                let others = combined(&CsgNode::Union, others);
                BalancedOperand { bounds: first.bounds, tree: first.tree.difference(others.tree) }
            }
        }
    }
}

/// Combines operands as a balanced tree; the depth of the recursion is the depth of that tree.
fn combined(node: &CsgNode, mut operands: Vec<BalancedOperand>) -> BalancedOperand {
    if operands.len() < 2 {
        return operands.pop().unwrap_or_else(|| BalancedOperand { tree: Csg::empty(), bounds: Aabb::EMPTY });
    }
    let centre = |operand: &BalancedOperand| {
        let centre = operand.bounds.centre();
        if centre.is_finite() { centre } else { Vec3::ZERO }
    };
    let spread = Aabb::from_points(operands.iter().map(centre)).half_extents();
    let axis = (0..3).max_by(|&a, &b| spread[a].total_cmp(&spread[b])).unwrap_or(0);
    operands.sort_by(|a, b| centre(a)[axis].total_cmp(&centre(b)[axis]));
    let upper = operands.split_off(operands.len() / 2);
    let (a, b) = (combined(node, operands), combined(node, upper));
    BalancedOperand { bounds: box_of(node, &[a.bounds, b.bounds]), tree: a.tree.binary(node.clone(), b.tree) }
}
