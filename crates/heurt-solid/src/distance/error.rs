//! Errors of the construction of signed distance fields.

use crate::octree::OctreeError;
use heurt_shape::ShapeError;
use thiserror::Error;

/// Why a mesh has no signed distance field.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DistanceError {
    /// The mesh is open, so that no point is inside.
    #[error("the mesh of {triangles} triangles is not closed, so distances have no sign: close it with `heurt repair`")]
    OpenMesh {
        /// The number of its triangles.
        triangles: usize,
    },
    /// The tolerance is no positive number.
    #[error("the tolerance is {tolerance} m: give a finite number above 0")]
    Tolerance {
        /// The tolerance in metres.
        tolerance: f64,
    },
    /// The width of the band is no number from 0.
    #[error("the band around the surface is {band} m wide: give a finite number, 0 or more")]
    Band {
        /// The width in metres.
        band: f64,
    },
    /// The tolerance needs cells below the deepest level.
    #[error(
        "a tolerance of {tolerance} m in a cube of {edge} m needs cells of level {depth}, and {max} is the deepest: \
         choose a tolerance of {least} m or more"
    )]
    TooFine {
        /// The tolerance in metres.
        tolerance: f64,
        /// The edge of the root in metres.
        edge: f64,
        /// The level of the cells.
        depth: u32,
        /// The deepest level.
        max: u8,
        /// The least tolerance for this root, in metres.
        least: f64,
    },
    /// The octree would need more memory than allowed.
    #[error(
        "a tolerance of {tolerance} m needs more than {limit} cells: choose a greater tolerance or a narrower band"
    )]
    TooManyCells {
        /// The tolerance in metres.
        tolerance: f64,
        /// The limit.
        limit: usize,
    },
    /// The mesh has no root cell.
    #[error(transparent)]
    Root(#[from] OctreeError),
    /// The mesh cannot be queried.
    #[error("the mesh cannot be queried: {0}")]
    Shape(#[from] ShapeError),
}
