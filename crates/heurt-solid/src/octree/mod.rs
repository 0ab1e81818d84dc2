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
mod builder;
mod child_table;
mod depth_first_code;
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

pub use error::{CodeError, MoveError, NodeLimit, OctreeError, SetError};
pub use leaves::OctreeLeaves;
pub use linear::{LinearCode, LinearOctree};
pub use measures::{LevelCount, OctreeMeasures};
pub use moves::Axis;
pub use root::{MAX_DEPTH, OctreeCell, OctreeRoot};
pub use triangle_box::triangle_meets_box;

use builder::PreOrderBuilder;

/// The greatest number of nodes of an octree that is built: 2²⁷ bytes.
pub const MAX_NODES: usize = 1 << 27;

/// A node of an octree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Node {
    /// A cell without a point of the solid in its interior.
    Empty = 0,
    /// A cell that belongs to the solid.
    Full = 1,
    /// A cell of the deepest level that the boundary meets.
    MixedLeaf = 2,
    /// A cell with eight children, which follow.
    Branch = 3,
}

/// The class of a closed cell relative to a solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CellClass {
    /// The cell lies outside the solid.
    Empty,
    /// The cell lies within the solid.
    Full,
    /// The cell is divided, or stays mixed at the deepest level.
    Mixed,
}

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
        let mut builder = PreOrderBuilder::new(root.depth());
        while let Some(cell) = builder.next_cell() {
            match classify(&cell) {
                CellClass::Empty => builder.push_leaf(Node::Empty),
                CellClass::Full => builder.push_leaf(Node::Full),
                CellClass::Mixed if cell.level == root.depth() => builder.push_leaf(Node::MixedLeaf),
                CellClass::Mixed => builder.open_branch()?,
            }
        }
        Ok(Self::from_builder(root, builder))
    }

    /// Returns the octree without a point.
    pub fn empty(root: OctreeRoot) -> Self {
        Self { root, nodes: vec![Node::Empty] }
    }

    /// Returns the octree that fills its root.
    pub fn full(root: OctreeRoot) -> Self {
        Self { root, nodes: vec![Node::Full] }
    }

    fn from_builder(root: OctreeRoot, builder: PreOrderBuilder) -> Self {
        Self { root, nodes: builder.finish() }
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
        self.with_mixed_as(Node::Empty)
    }

    /// Returns the solid of the full and the mixed cells: the mixed leaves become full.
    #[must_use]
    pub fn upper(&self) -> Self {
        self.with_mixed_as(Node::Full)
    }

    fn with_mixed_as(&self, leaf: Node) -> Self {
        let mut builder = PreOrderBuilder::new(self.root.depth());
        for &node in &self.nodes {
            match node {
                Node::Branch => builder.open(),
                Node::MixedLeaf => builder.push_leaf(leaf),
                Node::Empty | Node::Full => builder.push_leaf(node),
            }
        }
        Self::from_builder(self.root, builder)
    }
}
