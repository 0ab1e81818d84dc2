//! Depth-first code of an octree (DF expression of Kawaguchi and Endo 1980) as text.
//!
//! In: an octree, or a text. Out: the text, or the octree or where the text is wrong.
//! Method: one letter per node, as on slide 48 of S3 (`subdivision/depth_first.rs`).
//! Guarantees: a written code reads back as the same octree.
//! Cost: O(n).

use super::{CodeError, Octree, OctreeRoot};
use crate::subdivision::depth_first;

impl Octree {
    /// Writes the depth-first code.
    pub fn to_depth_first_code(&self) -> String {
        depth_first::write(&self.nodes)
    }

    /// Reads a depth-first code over a root.
    ///
    /// ```
    /// use heurt_solid::{Octree, OctreeRoot};
    /// let root = OctreeRoot::new([0.0; 3].into(), 4.0, 2)?;
    /// let solid = Octree::from_depth_first_code(root, "(R(RRRRRRVVV(RRVRRRRRRRRR")?;
    /// assert_eq!(solid.measures().full_cells, 53, "of 64");
    /// assert!(Octree::from_depth_first_code(root, "(R").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A text that is no code, with the byte at which it goes wrong; too many nodes.
    pub fn from_depth_first_code(root: OctreeRoot, text: &str) -> Result<Self, CodeError> {
        Ok(Self { root, nodes: depth_first::read::<3>(text, root.depth())? })
    }
}
