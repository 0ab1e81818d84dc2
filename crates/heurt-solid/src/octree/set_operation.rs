//! Set operations of octrees: complement, union, intersection, difference, symmetric difference.
//!
//! In: octrees over one root. Out: the octree of the result, in canonical form.
//! Method: the common traversal of trees (`subdivision/set_operation.rs`).
//! Guarantees: exact on full and empty cells. The bounds of the result hold if the bounds of the operands do; they are
//! the tightest for union and intersection of unrelated operands, not for an octree and itself.
//! Cost: O(n + m) for n and m nodes.

use super::{Octree, SetError};
use crate::SetOperation;
use crate::subdivision::set_operation::{combine, complement};

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
        Self { root: self.root, nodes: complement(&self.nodes) }
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
        self.combine(b, SetOperation::Union)
    }

    /// Computes the intersection.
    ///
    /// # Errors
    /// As [`Octree::union`].
    pub fn intersection(&self, b: &Self) -> Result<Self, SetError> {
        self.combine(b, SetOperation::Intersection)
    }

    /// Computes the difference: what belongs to this octree and not to `b`.
    ///
    /// # Errors
    /// As [`Octree::union`].
    pub fn difference(&self, b: &Self) -> Result<Self, SetError> {
        self.combine(b, SetOperation::Difference)
    }

    /// Computes the symmetric difference: what belongs to exactly one octree.
    ///
    /// # Errors
    /// As [`Octree::union`].
    pub fn xor(&self, b: &Self) -> Result<Self, SetError> {
        self.combine(b, SetOperation::SymmetricDifference)
    }

    fn combine(&self, other: &Self, operation: SetOperation) -> Result<Self, SetError> {
        if self.root != other.root {
            return Err(SetError::RootsDiffer { a: self.root, b: other.root });
        }
        let nodes = combine::<3>(&self.nodes, &other.nodes, self.root.depth(), operation)?;
        Ok(Self { root: self.root, nodes })
    }
}
