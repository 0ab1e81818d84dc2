//! Linear octree (Gargantini 1982): the sorted codes of the full cells, and their text.
//!
//! In: an octree without mixed leaves, or a text. Out: the codes, the text, or the octree.
//! Method: one octal digit bx + 2·by + 4·bz per level from the top, as on slide 48 of S3 (`subdivision/linear.rs`).
//! Guarantees: codes ascend and do not overlap. A written list reads back as the same list.
//! Cost: 16 bytes per full cell; O(log n) for a cell, O(n · depth) to an octree.

use super::{CodeError, Octree, OctreeCell, OctreeRoot};
use crate::subdivision::linear::{self, LinearCode};
use std::fmt::{self, Display, Formatter};

/// A solid as the sorted list of its full cells.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearOctree {
    root: OctreeRoot,
    codes: Vec<LinearCode>,
}

impl LinearOctree {
    /// Lists the full cells of an octree.
    ///
    /// ```
    /// use heurt_solid::{LinearOctree, Octree, OctreeRoot};
    /// let root = OctreeRoot::new([0.0; 3].into(), 4.0, 2)?;
    /// let octree = Octree::from_depth_first_code(root, "(RVVV(RVVVVVVRVVV")?;
    /// let linear = LinearOctree::from_octree(&octree)?;
    /// assert_eq!(linear.to_string(), "{0X, 40, 47}");
    /// assert_eq!(LinearOctree::parse(root, "{0X, 40, 47}")?.to_octree()?, octree);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The octree has mixed leaves.
    pub fn from_octree(octree: &Octree) -> Result<Self, CodeError> {
        let codes = linear::of_nodes::<3>(octree.nodes(), octree.root().depth())?;
        Ok(Self { root: octree.root(), codes })
    }

    /// Builds the octree.
    ///
    /// # Errors
    /// Too many nodes.
    pub fn to_octree(&self) -> Result<Octree, CodeError> {
        Ok(Octree { root: self.root, nodes: linear::to_nodes::<3>(&self.codes, self.root.depth())? })
    }

    /// Returns the root cell.
    pub fn root(&self) -> OctreeRoot {
        self.root
    }

    /// Returns the codes in ascending order.
    pub fn codes(&self) -> &[LinearCode] {
        &self.codes
    }

    /// Reports whether the solid contains a cell of the root, by binary search.
    pub fn contains(&self, cell: &OctreeCell) -> bool {
        let depth = self.root.depth();
        if cell.level > depth || cell.min.iter().any(|&at| at >> depth != 0) {
            return false;
        }
        linear::contains::<3>(&self.codes, LinearCode { position: cell.position(), level: cell.level }, depth)
    }

    /// Reads a list of codes over a root: codes in braces, ascending, with commas between them.
    ///
    /// # Errors
    /// A text that is no such list, with the byte at which it goes wrong.
    pub fn parse(root: OctreeRoot, text: &str) -> Result<Self, CodeError> {
        Ok(Self { root, codes: linear::parse::<3>(text, root.depth())? })
    }
}

impl Display for LinearOctree {
    /// Writes the list as on slide 48 of S3.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        linear::write::<3>(&self.codes, self.root.depth(), f)
    }
}
