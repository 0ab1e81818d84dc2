//! Octree of a solid: a cubic root cell, divided into eight until each cell is full, empty or as small as allowed.
//!
//! In: cells and their classes, a mesh, a code, or octrees. Out: an octree in canonical form.
//! Method: S3 slides 40 to 46. The slides keep nodes with pointers to eight children; here the nodes are bytes in
//! pre-order, children in the order of their digit bx + 2·by + 4·bz, which is the order of the depth-first code. A
//! branch with eight full children is full, and a branch with eight empty children is empty. A cell of the deepest
//! level that is neither full nor empty stays a mixed leaf, so that volumes have bounds.
//! Guarantees: one array per solid, root and depth; equality is equality of bytes. No function recurses.
//! Cost: one byte per node; a solid of surface area A has O(A / h²) nodes for cells of edge h.

mod boundary;
mod depth_first_code;
mod draw;
mod error;
mod leaves;
mod linear;
mod measures;
mod mesh;
mod moves;
mod root;
mod set_operation;
mod translation;
mod triangle_box;

pub use crate::subdivision::level_count::LevelCount;
pub use crate::subdivision::linear::LinearCode;
pub use crate::subdivision::{CellClass, MAX_NODES, Node, NodeLimit};
pub use draw::OctreeLevel;
pub use error::{CodeError, MoveError, OctreeError, SetError};
pub use leaves::OctreeLeaves;
pub use linear::LinearOctree;
pub use measures::OctreeMeasures;
pub use moves::Axis;
pub use root::{MAX_DEPTH, OctreeCell, OctreeRoot};
pub use triangle_box::triangle_meets_box;

use crate::subdivision::{from_cells, with_mixed_as};

/// A solid as an octree in canonical form.
#[derive(Debug, Clone, PartialEq)]
pub struct Octree {
    root: OctreeRoot,
    nodes: Vec<Node>,
}

impl Octree {
    /// Builds the octree of the solid that `classify` describes, which is called for each cell that is visited, in
    /// pre-order. A cell that is mixed at the deepest level becomes a mixed leaf; [`OctreeCell::level`] shows that
    /// level, at which `classify` can decide for full or empty instead.
    ///
    /// ```
    /// use heurt_solid::{CellClass, Octree, OctreeRoot};
    /// let root = OctreeRoot::new([0.0; 3].into(), 8.0, 3)?;
    /// // The half below x = 3.
    /// let slab = Octree::from_cells(root, |cell| match (cell.min[0], cell.min[0] + cell.size(3)) {
    ///     (_, max) if max <= 3 => CellClass::Full,
    ///     (min, _) if min >= 3 => CellClass::Empty,
    ///     _ => CellClass::Mixed,
    /// })?;
    /// assert_eq!(slab.measures().volume, [3.0 * 64.0; 2]);
    /// # Ok::<(), heurt_solid::OctreeError>(())
    /// ```
    ///
    /// # Errors
    /// The octree has more than [`MAX_NODES`] nodes.
    pub fn from_cells(
        root: OctreeRoot,
        mut classify: impl FnMut(&OctreeCell) -> CellClass,
    ) -> Result<Self, OctreeError> {
        let nodes = from_cells::<3>(root.depth(), |position, level| classify(&OctreeCell::at(position, level)))?;
        Ok(Self { root, nodes })
    }

    /// Returns the octree without a point.
    pub fn empty(root: OctreeRoot) -> Self {
        Self { root, nodes: vec![Node::Empty] }
    }

    /// Returns the octree that fills its root.
    pub fn full(root: OctreeRoot) -> Self {
        Self { root, nodes: vec![Node::Full] }
    }

    /// Creates an octree from nodes in canonical form.
    pub(crate) fn from_canonical(root: OctreeRoot, nodes: Vec<Node>) -> Self {
        Self { root, nodes }
    }

    /// Returns the root cell.
    pub fn root(&self) -> OctreeRoot {
        self.root
    }

    /// Returns the nodes in pre-order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Reports whether a leaf is mixed, so that the octree is known between bounds only.
    pub fn has_mixed_leaves(&self) -> bool {
        self.nodes.contains(&Node::MixedLeaf)
    }

    /// Returns the solid of the full cells: the mixed leaves become empty.
    #[must_use]
    pub fn lower(&self) -> Self {
        Self { root: self.root, nodes: with_mixed_as::<3>(&self.nodes, self.root.depth(), Node::Empty) }
    }

    /// Returns the solid of the full and the mixed cells: the mixed leaves become full.
    #[must_use]
    pub fn upper(&self) -> Self {
        Self { root: self.root, nodes: with_mixed_as::<3>(&self.nodes, self.root.depth(), Node::Full) }
    }
}
