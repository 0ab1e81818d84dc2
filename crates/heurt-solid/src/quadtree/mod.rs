//! Quadtree of a plane figure: a square root cell, divided into four until each cell is full, empty or as small as
//! allowed.
//!
//! In: cells and their classes, a polygon, a code, or quadtrees. Out: a quadtree in canonical form.
//! Method: S3 slides 28 to 39; the array of nodes has the form of the octree (`subdivision`), children in the order of
//! their digit bx + 2·by.
//! Guarantees: one array per figure, root and depth; equality is equality of bytes. No function recurses.
//! Cost: one byte per node; a figure of perimeter L has O(L / h) nodes for cells of edge h.

mod boundary;
mod draw;
mod error;
mod linear;
mod measures;
mod polygon;
mod root;
mod segment_box;

pub use draw::QuadtreeLevel;
pub use error::QuadtreeError;
pub use linear::LinearQuadtree;
pub use measures::QuadtreeMeasures;
pub use polygon::FillRule;
pub use root::{MAX_QUADTREE_DEPTH, QuadtreeCell, QuadtreeRoot};
pub use segment_box::segment_meets_box;

use crate::SetOperation;
use crate::octree::{Axis, CodeError};
use crate::subdivision::leaves::PreOrderLeaves;
use crate::subdivision::set_operation::{combine, complement};
use crate::subdivision::{CellClass, Node, depth_first, from_cells, permuted, with_mixed_as};

/// A plane figure as a quadtree in canonical form.
#[derive(Debug, Clone, PartialEq)]
pub struct Quadtree {
    root: QuadtreeRoot,
    nodes: Vec<Node>,
}

impl Quadtree {
    /// Builds the quadtree of the figure that `classify` describes, which is called for each cell that is visited, in
    /// pre-order. A cell that is mixed at the deepest level becomes a mixed leaf.
    ///
    /// # Errors
    /// The quadtree has too many nodes.
    pub fn from_cells(
        root: QuadtreeRoot,
        mut classify: impl FnMut(&QuadtreeCell) -> CellClass,
    ) -> Result<Self, QuadtreeError> {
        let nodes = from_cells::<2>(root.depth(), |position, level| classify(&QuadtreeCell::at(position, level)))?;
        Ok(Self { root, nodes })
    }

    /// Returns the quadtree without a point.
    pub fn empty(root: QuadtreeRoot) -> Self {
        Self { root, nodes: vec![Node::Empty] }
    }

    /// Returns the quadtree that fills its root.
    pub fn full(root: QuadtreeRoot) -> Self {
        Self { root, nodes: vec![Node::Full] }
    }

    /// Returns the root cell.
    pub fn root(&self) -> QuadtreeRoot {
        self.root
    }

    /// Returns the nodes in pre-order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the leaves with their cells, in the order of the tree.
    pub fn leaves(&self) -> impl Iterator<Item = (QuadtreeCell, Node)> + '_ {
        let leaves = PreOrderLeaves::<2>::new(&self.nodes, self.root.depth());
        leaves.map(|(position, level, node)| (QuadtreeCell::at(position, level), node))
    }

    /// Returns the figure of the full cells: the mixed leaves become empty.
    #[must_use]
    pub fn lower(&self) -> Self {
        Self { root: self.root, nodes: with_mixed_as::<2>(&self.nodes, self.root.depth(), Node::Empty) }
    }

    /// Returns the figure of the full and the mixed cells: the mixed leaves become full.
    #[must_use]
    pub fn upper(&self) -> Self {
        Self { root: self.root, nodes: with_mixed_as::<2>(&self.nodes, self.root.depth(), Node::Full) }
    }

    /// Returns the complement within the root.
    #[must_use]
    pub fn complement(&self) -> Self {
        Self { root: self.root, nodes: complement(&self.nodes) }
    }

    /// Computes the union.
    ///
    /// ```
    /// use heurt_solid::{Quadtree, QuadtreeRoot};
    /// let root = QuadtreeRoot::new([0.0; 2].into(), 1.0, 2)?;
    /// let a = Quadtree::from_depth_first_code(root, "(RVV(VVVR")?;
    /// let b = Quadtree::from_depth_first_code(root, "(VVR(RVRV")?;
    /// assert_eq!(a.union(&b)?.to_depth_first_code(), "(RVR(RVRR");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The roots differ, or the result has too many nodes.
    pub fn union(&self, b: &Self) -> Result<Self, QuadtreeError> {
        self.combine(b, SetOperation::Union)
    }

    /// Computes the intersection.
    ///
    /// # Errors
    /// As [`Quadtree::union`].
    pub fn intersection(&self, b: &Self) -> Result<Self, QuadtreeError> {
        self.combine(b, SetOperation::Intersection)
    }

    /// Computes the difference: what belongs to this quadtree and not to `b`.
    ///
    /// # Errors
    /// As [`Quadtree::union`].
    pub fn difference(&self, b: &Self) -> Result<Self, QuadtreeError> {
        self.combine(b, SetOperation::Difference)
    }

    /// Computes the symmetric difference: what belongs to exactly one quadtree.
    ///
    /// # Errors
    /// As [`Quadtree::union`].
    pub fn xor(&self, b: &Self) -> Result<Self, QuadtreeError> {
        self.combine(b, SetOperation::SymmetricDifference)
    }

    fn combine(&self, other: &Self, operation: SetOperation) -> Result<Self, QuadtreeError> {
        if self.root != other.root {
            return Err(QuadtreeError::RootsDiffer { a: self.root, b: other.root });
        }
        let nodes = combine::<2>(&self.nodes, &other.nodes, self.root.depth(), operation)?;
        Ok(Self { root: self.root, nodes })
    }

    /// Turns the figure by quarter turns around the centre of the root, counter-clockwise.
    #[must_use]
    pub fn turned(&self, quarter_turns: i32) -> Self {
        // A quarter turn takes x to y and y to −x: a moved child (x, y) was the child (y, 1 − x).
        let source = |digit: usize| digit >> 1 | (1 - (digit & 1)) << 1;
        let turns = quarter_turns.rem_euclid(4);
        self.permuted(|digit| (0..turns).fold(digit, |digit, _| source(digit)))
    }

    /// Mirrors the figure in the line across an axis through the centre of the root; the third axis leaves it.
    #[must_use]
    pub fn mirrored(&self, axis: Axis) -> Self {
        self.permuted(|digit| (digit ^ 1 << axis as usize) & 3)
    }

    fn permuted(&self, source: impl Fn(usize) -> usize) -> Self {
        Self { root: self.root, nodes: permuted::<2>(&self.nodes, self.root.depth(), source) }
    }

    /// Writes the depth-first code: a letter per node, as for octrees.
    pub fn to_depth_first_code(&self) -> String {
        depth_first::write(&self.nodes)
    }

    /// Reads a depth-first code over a root.
    ///
    /// # Errors
    /// A text that is no code, with the byte at which it goes wrong; too many nodes.
    pub fn from_depth_first_code(root: QuadtreeRoot, text: &str) -> Result<Self, CodeError> {
        Ok(Self { root, nodes: depth_first::read::<2>(text, root.depth())? })
    }
}
