//! Errors of the evaluation of trees to meshes.

use crate::boolean::{SetOperationError, SolidMeshError};
use heurt_geometry::DisplayNumber;
use heurt_mesh::MeshError;
use thiserror::Error;

/// Errors of [`Csg::to_mesh`](super::super::Csg::to_mesh). Leaves are counted from 1, in the order of the text.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CsgMeshError {
    /// The tolerance is no length.
    #[error("the tolerance is {}: give a length above 0", DisplayNumber(*tolerance))]
    Tolerance {
        /// The tolerance, in metres.
        tolerance: f64,
    },
    /// A leaf that bounds no solid, or that has no mesh.
    #[error("leaf {leaf} is {kind}: {remedy}")]
    Refused {
        /// The number of the leaf.
        leaf: usize,
        /// The kind of the leaf.
        kind: &'static str,
        /// The remedy.
        remedy: &'static str,
    },
    /// A leaf that the tree does not bound.
    #[error("leaf {leaf} is {kind}, which the tree does not bound: intersect it with a bounded shape")]
    UnboundedLeaf {
        /// The number of the leaf.
        leaf: usize,
        /// The kind of the leaf.
        kind: &'static str,
    },
    /// A complement or the whole space that the tree does not bound.
    #[error("the tree bounds neither its complements nor the whole space: intersect them with a bounded shape")]
    UnboundedTree,
    /// A curved leaf that needs too many vertices.
    #[error(
        "leaf {leaf} is {kind}, and a tolerance of {} needs too many vertices: give a larger tolerance",
        DisplayNumber(*tolerance)
    )]
    TooFine {
        /// The number of the leaf.
        leaf: usize,
        /// The kind of the leaf.
        kind: &'static str,
        /// The tolerance, in metres.
        tolerance: f64,
    },
    /// A leaf whose mesh is no operand.
    #[error("leaf {leaf} is {kind}, and no operand: {source}")]
    Operand {
        /// The number of the leaf.
        leaf: usize,
        /// The kind of the leaf.
        kind: &'static str,
        /// The reason.
        source: SolidMeshError,
    },
    /// A leaf that leaves the range of numbers.
    #[error("leaf {leaf} is {kind}, and its placed vertices have no mesh: {source}")]
    Placement {
        /// The number of the leaf.
        leaf: usize,
        /// The kind of the leaf.
        kind: &'static str,
        /// The reason.
        source: MeshError,
    },
    /// An operation of two meshes.
    #[error("the {operation} of nodes has no mesh: {source}")]
    Operation {
        /// The operation.
        operation: &'static str,
        /// The reason.
        source: SetOperationError,
    },
}
