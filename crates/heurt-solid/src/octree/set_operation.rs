//! Set operations of octrees: complement, union, intersection, difference, symmetric difference.
//!
//! In: octrees over one root. Out: the octree of the result, in canonical form.
//! Method: both arrays are read in step (S3 slides 37 to 39, without the stack of pointers). Two branches give a
//! branch. A full or empty leaf makes the result of a branch constant, or the branch itself, or its complement. Mixed
//! leaves follow Kleene's logic of three values.
//! Guarantees: exact on full and empty cells. The bounds of the result hold if the bounds of the operands do; they are
//! the tightest for union and intersection of unrelated operands, not for an octree and itself.
//! Cost: O(n + m) for n and m nodes.

use super::{Node, NodeLimit, Octree, PreOrderBuilder, SetError};
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
fn unite(a: Node, b: Node) -> Node {
    match (a, b) {
        (Node::Full, _) | (_, Node::Full) => Node::Full,
        (Node::Empty, Node::Empty) => Node::Empty,
        _ => Node::MixedLeaf,
    }
}

/// Computes the symmetric difference of leaves.
fn exclude(a: Node, b: Node) -> Node {
    match (a, b) {
        (Node::Empty, leaf) | (leaf, Node::Empty) => leaf,
        (Node::Full, leaf) | (leaf, Node::Full) => !leaf,
        _ => Node::MixedLeaf,
    }
}

impl Octree {
    /// Returns the complement within the root.
    ///
    /// ```
    /// use heurt_solid::{Octree, OctreeRoot};
    /// let root = OctreeRoot::new([0.0; 3].into(), 1.0, 4)?;
    /// assert_eq!(Octree::empty(root).complement(), Octree::full(root));
    /// # Ok::<(), heurt_solid::OctreeError>(())
    /// ```
    #[must_use]
    pub fn complement(&self) -> Self {
        Self { root: self.root, nodes: self.nodes.iter().map(|&node| !node).collect() }
    }

    /// Computes the union.
    ///
    /// ```
    /// use heurt_solid::{Octree, OctreeRoot};
    /// let root = OctreeRoot::new([0.0; 3].into(), 1.0, 2)?;
    /// let a = Octree::from_depth_first_code(root, "(RVVVVVVV")?;
    /// let b = Octree::from_depth_first_code(root, "(VRVVVVVV")?;
    /// assert_eq!(a.union(&b)?.to_depth_first_code(), "(RRVVVVVV");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The roots differ, or the result has too many nodes.
    pub fn union(&self, b: &Self) -> Result<Self, SetError> {
        self.combine(b, unite)
    }

    /// Computes the intersection.
    ///
    /// # Errors
    /// As [`Octree::union`].
    pub fn intersection(&self, b: &Self) -> Result<Self, SetError> {
        self.combine(b, |a, b| !unite(!a, !b))
    }

    /// Computes the difference: what belongs to this octree and not to `b`.
    ///
    /// # Errors
    /// As [`Octree::union`].
    pub fn difference(&self, b: &Self) -> Result<Self, SetError> {
        self.combine(b, |a, b| !unite(!a, b))
    }

    /// Computes the symmetric difference: what belongs to exactly one octree.
    ///
    /// # Errors
    /// As [`Octree::union`].
    pub fn xor(&self, b: &Self) -> Result<Self, SetError> {
        self.combine(b, exclude)
    }

    #[inline(always)]
    fn combine(&self, other: &Self, operation: impl Fn(Node, Node) -> Node) -> Result<Self, SetError> {
        if self.root != other.root {
            return Err(SetError::RootsDiffer { a: self.root, b: other.root });
        }
        let mut builder = PreOrderBuilder::new(self.root.depth());
        let (mut a, mut b) = (self.nodes.as_slice(), other.nodes.as_slice());
        while let ([first_a, rest_a @ ..], [first_b, rest_b @ ..]) = (a, b) {
            match (first_a, first_b) {
                (Node::Branch, Node::Branch) => {
                    builder.open_branch()?;
                    (a, b) = (rest_a, rest_b);
                }
                (Node::Branch, &leaf) => {
                    let (subtree, rest) = a.split_at(count_subtree(a));
                    push_mapped(&mut builder, subtree, |node| operation(node, leaf))?;
                    (a, b) = (rest, rest_b);
                }
                (&leaf, Node::Branch) => {
                    let (subtree, rest) = b.split_at(count_subtree(b));
                    push_mapped(&mut builder, subtree, |node| operation(leaf, node))?;
                    (a, b) = (rest_a, rest);
                }
                (&leaf_a, &leaf_b) => {
                    builder.push_leaf(operation(leaf_a, leaf_b));
                    (a, b) = (rest_a, rest_b);
                }
            }
        }
        Ok(Self::from_builder(self.root, builder))
    }
}

/// Returns the number of nodes of the subtree at the beginning of a pre-order array.
fn count_subtree(nodes: &[Node]) -> usize {
    let mut to_come = 1usize;
    for (number, node) in nodes.iter().enumerate() {
        to_come = if *node == Node::Branch { to_come + 7 } else { to_come - 1 };
        if to_come == 0 {
            return number + 1;
        }
    }
    nodes.len()
}

/// Appends the image of a subtree under a map of leaves that is constant, the identity or the complement.
#[inline(always)]
fn push_mapped(builder: &mut PreOrderBuilder, subtree: &[Node], map: impl Fn(Node) -> Node) -> Result<(), NodeLimit> {
    let images = [Node::Empty, Node::Full, Node::MixedLeaf].map(map);
    if images[0] == images[1] {
        builder.push_leaf(images[0]);
        return Ok(());
    }
    builder.push_subtree(subtree.iter().map(|&node| images.get(node as usize).copied().unwrap_or(Node::Branch)))
}
