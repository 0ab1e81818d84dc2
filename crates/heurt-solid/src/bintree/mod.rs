//! Binary subdivision of a solid (bintree): each node halves its cell along one axis, in turn x, y and z.
//!
//! In: an octree, or bintrees. Out: a bintree in canonical form, or the octree.
//! Method: S3 slide 48. The array of nodes has the form of the octree (`subdivision`), with two children per branch;
//! three levels make a level of the octree. The octree of depth 21 has a bintree of depth 63. Equal halves merge at
//! each of the three levels, so a bintree has leaves that are halves and quarters of cells.
//! Guarantees: both conversions are exact and inverse. A bintree has at most as many leaves as the octree. The slide
//! promises a slight saving; that holds for leaves, not for all nodes: a branch of the octree with eight children that
//! do not merge has 9 nodes, and 15 in a bintree.
//! Cost: O(n); one byte per node.

use crate::SetOperation;
use crate::octree::{CodeError, NodeLimit, Octree, OctreeRoot, SetError};
use crate::subdivision::builder::PreOrderBuilder;
use crate::subdivision::child_table::ChildTable;
use crate::subdivision::level_count::{LevelCount, count_nodes};
use crate::subdivision::set_operation::{combine, complement};
use crate::subdivision::{Node, depth_first};

/// A solid as a bintree in canonical form, over the root of an octree.
#[derive(Debug, Clone, PartialEq)]
pub struct Bintree {
    root: OctreeRoot,
    nodes: Vec<Node>,
}

impl Bintree {
    /// Converts an octree.
    ///
    /// ```
    /// use heurt_solid::{Bintree, Octree, OctreeRoot};
    /// let root = OctreeRoot::new([0.0; 3].into(), 1.0, 1)?;
    /// let half = Octree::from_depth_first_code(root, "(RVRVRVRV")?;
    /// let bintree = Bintree::from_octree(&half)?;
    /// assert_eq!(bintree.to_depth_first_code(), "(RV", "3 nodes in place of 9");
    /// assert_eq!(bintree.to_octree()?, half);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Too many nodes.
    pub fn from_octree(octree: &Octree) -> Result<Self, NodeLimit> {
        let table = ChildTable::<3>::new(octree.nodes());
        let mut builder = PreOrderBuilder::<1>::new(3 * octree.root().depth());
        // A branch of the octree and the digits of its children that the cell covers: bits that are fixed, and their
        // number.
        let mut open = vec![(0, 0, 0)];
        while let Some((branch, digit, fixed)) = open.pop() {
            let (branch, digit, fixed) =
                if fixed < 3 { (branch, digit, fixed) } else { (table.child(branch, digit), 0, 0) };
            match table.node(branch) {
                Node::Branch => {
                    builder.open_branch()?;
                    open.extend([1, 0].map(|half| (branch, digit | half << fixed, fixed + 1)));
                }
                leaf => builder.push_leaf(leaf),
            }
        }
        Ok(Self { root: octree.root(), nodes: builder.finish() })
    }

    /// Converts the bintree to the octree over the same root.
    ///
    /// # Errors
    /// Too many nodes.
    pub fn to_octree(&self) -> Result<Octree, NodeLimit> {
        let table = ChildTable::<1>::new(&self.nodes);
        let mut builder = PreOrderBuilder::<3>::new(self.root.depth());
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            match table.node(node) {
                Node::Branch => {
                    builder.open_branch()?;
                    let child = |digit: usize| (0..3).fold(node, |node, axis| table.child(node, digit >> axis & 1));
                    open.extend((0..8).rev().map(child));
                }
                leaf => builder.push_leaf(leaf),
            }
        }
        Ok(Octree::from_canonical(self.root, builder.finish()))
    }

    /// Returns the root cell.
    pub fn root(&self) -> OctreeRoot {
        self.root
    }

    /// Returns the nodes in pre-order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Counts the nodes by level; level 3k has cells of level k of the octree.
    pub fn levels(&self) -> Vec<LevelCount> {
        count_nodes::<1>(&self.nodes, 3 * self.root.depth()).levels
    }

    /// Returns the complement within the root.
    #[must_use]
    pub fn complement(&self) -> Self {
        Self { root: self.root, nodes: complement(&self.nodes) }
    }

    /// Computes the union.
    ///
    /// # Errors
    /// The roots differ, or the result has too many nodes.
    pub fn union(&self, b: &Self) -> Result<Self, SetError> {
        self.combine(b, SetOperation::Union)
    }

    /// Computes the intersection.
    ///
    /// # Errors
    /// As [`Bintree::union`].
    pub fn intersection(&self, b: &Self) -> Result<Self, SetError> {
        self.combine(b, SetOperation::Intersection)
    }

    /// Computes the difference: what belongs to this bintree and not to `b`.
    ///
    /// # Errors
    /// As [`Bintree::union`].
    pub fn difference(&self, b: &Self) -> Result<Self, SetError> {
        self.combine(b, SetOperation::Difference)
    }

    /// Computes the symmetric difference: what belongs to exactly one bintree.
    ///
    /// # Errors
    /// As [`Bintree::union`].
    pub fn xor(&self, b: &Self) -> Result<Self, SetError> {
        self.combine(b, SetOperation::SymmetricDifference)
    }

    fn combine(&self, b: &Self, operation: SetOperation) -> Result<Self, SetError> {
        if self.root != b.root {
            return Err(SetError::RootsDiffer { a: self.root, b: b.root });
        }
        let nodes = combine::<1>(&self.nodes, &b.nodes, 3 * self.root.depth(), operation)?;
        Ok(Self { root: self.root, nodes })
    }

    /// Writes the depth-first code: a letter per node, as for octrees.
    pub fn to_depth_first_code(&self) -> String {
        depth_first::write(&self.nodes)
    }

    /// Reads a depth-first code over a root.
    ///
    /// # Errors
    /// A text that is no code, with the byte at which it goes wrong; too many nodes.
    pub fn from_depth_first_code(root: OctreeRoot, text: &str) -> Result<Self, CodeError> {
        Ok(Self { root, nodes: depth_first::read::<1>(text, 3 * root.depth())? })
    }
}
