//! Set operations of trees in pre-order: union and symmetric difference of leaves, and the traversal of two arrays.
//!
//! In: two arrays over one root. Out: the array of the result, in canonical form.
//! Method: both arrays are read in step (S3 slides 37 to 39, without the stack of pointers). Two branches give a
//! branch. A full or empty leaf makes the result of a branch constant, or the branch itself, or its complement. Mixed
//! leaves follow Kleene's logic of three values.
//! Guarantees: exact on full and empty cells. The bounds of the result hold if the bounds of the operands do.
//! Cost: O(n + m) for n and m nodes.

use super::builder::PreOrderBuilder;
use super::{Node, NodeLimit};
use crate::SetOperation;
use std::ops::Not;

impl Not for Node {
    type Output = Self;

    /// Exchanges full and empty.
    #[inline(always)]
    fn not(self) -> Self {
        match self {
            Self::Empty => Self::Full,
            Self::Full => Self::Empty,
            other => other,
        }
    }
}

/// Computes the union of leaves.
pub(crate) fn unite(a: Node, b: Node) -> Node {
    match (a, b) {
        (Node::Full, _) | (_, Node::Full) => Node::Full,
        (Node::Empty, Node::Empty) => Node::Empty,
        _ => Node::MixedLeaf,
    }
}

/// Computes the symmetric difference of leaves.
pub(crate) fn exclude(a: Node, b: Node) -> Node {
    match (a, b) {
        (Node::Empty, leaf) | (leaf, Node::Empty) => leaf,
        (Node::Full, leaf) | (leaf, Node::Full) => !leaf,
        _ => Node::MixedLeaf,
    }
}

/// Computes a set operation of two canonical arrays over one root.
///
/// # Errors
/// There are too many nodes.
pub(crate) fn combine<const D: usize>(
    a: &[Node],
    b: &[Node],
    depth: u8,
    operation: SetOperation,
) -> Result<Vec<Node>, NodeLimit> {
    // One traversal per operation, so that the operation of leaves is inlined.
    match operation {
        SetOperation::Union => combine_by::<D>(a, b, depth, unite),
        SetOperation::Intersection => combine_by::<D>(a, b, depth, |a, b| !unite(!a, !b)),
        SetOperation::Difference => combine_by::<D>(a, b, depth, |a, b| !unite(!a, b)),
        SetOperation::SymmetricDifference => combine_by::<D>(a, b, depth, exclude),
    }
}

/// Returns the complement of an array, which is canonical if the array is.
pub(crate) fn complement(nodes: &[Node]) -> Vec<Node> {
    nodes.iter().map(|&node| !node).collect()
}

#[inline(always)]
fn combine_by<const D: usize>(
    mut a: &[Node],
    mut b: &[Node],
    depth: u8,
    operation: impl Fn(Node, Node) -> Node,
) -> Result<Vec<Node>, NodeLimit> {
    let mut builder = PreOrderBuilder::<D>::new(depth);
    while let ([first_a, rest_a @ ..], [first_b, rest_b @ ..]) = (a, b) {
        match (first_a, first_b) {
            (Node::Branch, Node::Branch) => {
                builder.open_branch()?;
                (a, b) = (rest_a, rest_b);
            }
            (Node::Branch, &leaf) => {
                let (subtree, rest) = a.split_at(count_subtree::<D>(a));
                push_mapped(&mut builder, subtree, |node| operation(node, leaf))?;
                (a, b) = (rest, rest_b);
            }
            (&leaf, Node::Branch) => {
                let (subtree, rest) = b.split_at(count_subtree::<D>(b));
                push_mapped(&mut builder, subtree, |node| operation(leaf, node))?;
                (a, b) = (rest_a, rest);
            }
            (&leaf_a, &leaf_b) => {
                builder.push_leaf(operation(leaf_a, leaf_b));
                (a, b) = (rest_a, rest_b);
            }
        }
    }
    Ok(builder.finish())
}

/// Returns the number of nodes of the subtree at the beginning of a pre-order array.
pub(crate) fn count_subtree<const D: usize>(nodes: &[Node]) -> usize {
    let mut to_come = 1usize;
    for (number, node) in nodes.iter().enumerate() {
        to_come = if *node == Node::Branch { to_come + (1 << D) - 1 } else { to_come - 1 };
        if to_come == 0 {
            return number + 1;
        }
    }
    nodes.len()
}

/// Appends the image of a subtree under a map of leaves that is constant, the identity or the complement.
#[inline(always)]
fn push_mapped<const D: usize>(
    builder: &mut PreOrderBuilder<D>,
    subtree: &[Node],
    map: impl Fn(Node) -> Node,
) -> Result<(), NodeLimit> {
    let images = [Node::Empty, Node::Full, Node::MixedLeaf].map(map);
    if images[0] == images[1] {
        builder.push_leaf(images[0]);
        return Ok(());
    }
    builder.push_subtree(subtree.iter().map(|&node| images.get(node as usize).copied().unwrap_or(Node::Branch)))
}
