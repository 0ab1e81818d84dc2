//! Linear quadtree (Gargantini 1982): the sorted codes of the full cells, and their text.
//!
//! In: a quadtree without mixed leaves, or a text. Out: the codes, the text, or the quadtree.
//! Method: one digit bx + 2·by to base 4 per level from the top (`subdivision/linear.rs`).
//! Guarantees: codes ascend and do not overlap. A written list reads back as the same list.
//! Cost: 16 bytes per full cell; O(log n) for a cell, O(n · depth) to a quadtree.

use super::{Quadtree, QuadtreeCell, QuadtreeRoot};
use crate::octree::CodeError;
use crate::subdivision::linear::{self, LinearCode};
use std::fmt::{self, Display, Formatter};

/// A plane figure as the sorted list of its full cells.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearQuadtree {
    root: QuadtreeRoot,
    codes: Vec<LinearCode>,
}

impl LinearQuadtree {
    /// Lists the full cells of a quadtree.
    ///
    /// ```
    /// use heurt_solid::{LinearQuadtree, Quadtree, QuadtreeRoot};
    /// let root = QuadtreeRoot::new([0.0; 2].into(), 4.0, 2)?;
    /// let quadtree = Quadtree::from_depth_first_code(root, "(RVV(RVVR")?;
    /// let linear = LinearQuadtree::from_quadtree(&quadtree)?;
    /// assert_eq!(linear.to_string(), "{0X, 30, 33}");
    /// assert_eq!(LinearQuadtree::parse(root, "{0X, 30, 33}")?.to_quadtree()?, quadtree);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The quadtree has mixed leaves.
    pub fn from_quadtree(quadtree: &Quadtree) -> Result<Self, CodeError> {
        let codes = linear::of_nodes::<2>(quadtree.nodes(), quadtree.root().depth())?;
        Ok(Self { root: quadtree.root(), codes })
    }

    /// Builds the quadtree.
    ///
    /// # Errors
    /// Too many nodes.
    pub fn to_quadtree(&self) -> Result<Quadtree, CodeError> {
        Ok(Quadtree { root: self.root, nodes: linear::to_nodes::<2>(&self.codes, self.root.depth())? })
    }

    /// Returns the root cell.
    pub fn root(&self) -> QuadtreeRoot {
        self.root
    }

    /// Returns the codes in ascending order.
    pub fn codes(&self) -> &[LinearCode] {
        &self.codes
    }

    /// Reports whether the figure contains a cell of the root, by binary search.
    pub fn contains(&self, cell: &QuadtreeCell) -> bool {
        let depth = self.root.depth();
        if cell.level > depth || cell.min.iter().any(|&at| at >> depth != 0) {
            return false;
        }
        linear::contains::<2>(&self.codes, LinearCode { position: cell.position(), level: cell.level }, depth)
    }

    /// Reads a list of codes over a root: codes in braces, ascending, with commas between them.
    ///
    /// # Errors
    /// A text that is no such list, with the byte at which it goes wrong.
    pub fn parse(root: QuadtreeRoot, text: &str) -> Result<Self, CodeError> {
        Ok(Self { root, codes: linear::parse::<2>(text, root.depth())? })
    }
}

impl Display for LinearQuadtree {
    /// Writes the list of codes in braces.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        linear::write::<2>(&self.codes, self.root.depth(), f)
    }
}
