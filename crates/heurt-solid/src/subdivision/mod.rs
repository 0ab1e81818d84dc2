//! Arrays of nodes in pre-order, for any number of halvings per level: the common core of octrees, quadtrees and
//! bintrees.
//!
//! In: nodes, two arrays, or a text. Out: canonical arrays, codes, leaves with their positions.
//! Method: a branch of a tree with `D` halvings per level has 2^D children: 8 in an octree, 4 in a quadtree, 2 in a
//! bintree. A cell is the number of its first deepest cell in the order of the tree, and its level.
//! Guarantees: arrays are canonical. No function recurses.

pub(crate) mod builder;
pub(crate) mod child_table;
pub(crate) mod depth_first;
pub(crate) mod leaves;
pub(crate) mod level_count;
pub(crate) mod linear;
pub(crate) mod set_operation;

use thiserror::Error;

/// The greatest number of nodes of a tree that is built: 2²⁷ bytes.
pub const MAX_NODES: usize = 1 << 27;

/// A node of an octree, a quadtree or a bintree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Node {
    /// A cell without a point of the solid in its interior.
    Empty = 0,
    /// A cell that belongs to the solid.
    Full = 1,
    /// A cell of the deepest level that the boundary meets.
    MixedLeaf = 2,
    /// A cell that is divided; its children follow.
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

/// The tree would have more nodes than memory allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the tree needs more than {MAX_NODES} nodes: choose a smaller depth")]
pub struct NodeLimit;

/// Returns the array with its mixed leaves replaced, in canonical form.
pub(crate) fn with_mixed_as<const D: usize>(nodes: &[Node], depth: u8, leaf: Node) -> Vec<Node> {
    let mut builder = builder::PreOrderBuilder::<D>::new(depth);
    for &node in nodes {
        match node {
            Node::Branch => builder.open(),
            Node::MixedLeaf => builder.push_leaf(leaf),
            Node::Empty | Node::Full => builder.push_leaf(node),
        }
    }
    builder.finish()
}

/// Builds the array of the cells that `classify` describes, called in pre-order with position and level.
///
/// # Errors
/// There are too many nodes.
pub(crate) fn from_cells<const D: usize>(
    depth: u8,
    mut classify: impl FnMut(u64, u8) -> CellClass,
) -> Result<Vec<Node>, NodeLimit> {
    let mut builder = builder::PreOrderBuilder::<D>::new(depth);
    while let Some((position, level)) = builder.next_cell() {
        match classify(position, level) {
            CellClass::Empty => builder.push_leaf(Node::Empty),
            CellClass::Full => builder.push_leaf(Node::Full),
            CellClass::Mixed if level == depth => builder.push_leaf(Node::MixedLeaf),
            CellClass::Mixed => builder.open_branch()?,
        }
    }
    Ok(builder.finish())
}

/// Returns the array whose children come from the digits that `source` has for them, in all branches alike.
pub(crate) fn permuted<const D: usize>(nodes: &[Node], depth: u8, source: impl Fn(usize) -> usize) -> Vec<Node> {
    let table = child_table::ChildTable::<D>::new(nodes);
    let mut builder = builder::PreOrderBuilder::<D>::new(depth);
    let mut open = vec![0];
    while let Some(number) = open.pop() {
        match table.node(number) {
            Node::Branch => {
                builder.open();
                open.extend((0..1 << D).rev().map(|digit| table.child(number, source(digit))));
            }
            leaf => builder.push_leaf(leaf),
        }
    }
    builder.finish()
}

/// Reports whether `f64` separates the lines or planes between cells of an edge, in metres, up to a coordinate.
pub(crate) fn are_lines_separate(cell_edge: f64, max_coordinate: f64) -> bool {
    // A line is rounded twice, at most an ulp of the coordinate in all; 8 ulps separate neighbours. 2⁻¹⁰⁰⁰ is far from
    // denormals, so that lines are rounded relative to their coordinates.
    cell_edge > (max_coordinate * 8.0 * f64::EPSILON).max(f64::MIN_POSITIVE * (1u64 << 22) as f64)
}
