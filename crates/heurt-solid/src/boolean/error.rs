//! Errors of solids bounded by meshes and of their set operations.

use heurt_mesh::MeshError;
use heurt_shape::ShapeError;
use thiserror::Error;

/// The largest coordinate of a solid in metres: extents stay finite, also where two solids meet.
pub const MAX_SOLID_COORDINATE: f64 = 1e300;

/// Why a mesh bounds no solid that set operations take.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SolidMeshError {
    /// Some edges lack a triangle on one side.
    #[error("the mesh is open (holes: {holes}), so it bounds no solid: close it with `heurt repair`")]
    Open {
        /// The number of holes.
        holes: usize,
    },
    /// Triangles disagree on which side is out.
    #[error("neighbouring triangles disagree at {edges} edges on which side is out: orient them with `heurt repair`")]
    Inconsistent {
        /// The number of edges.
        edges: usize,
    },
    /// Triangles intersect.
    #[error("triangles of the mesh intersect ({pairs} pairs or more): `heurt repair` makes the outer hull of it")]
    SelfIntersecting {
        /// The number of pairs, counted up to 1,000.
        pairs: usize,
    },
    /// Triangles lack area, or lie on each other.
    #[error("the mesh has faults of the kind {kind} ({count}): remove them with `heurt repair`")]
    Degenerate {
        /// The kind, as `heurt inspect` reports it.
        kind: &'static str,
        /// The number of faults.
        count: usize,
    },
    /// No shell separates inside from outside.
    #[error("the mesh bounds no volume: its shells cancel each other; remove doubled shells")]
    NoVolume,
    /// A shell lies on a second one with all its vertices.
    #[error(
        "a shell of the mesh touches a second one with all its vertices, so that its side is not decided: remove one of \
         them, or move it"
    )]
    Touching,
    /// The search for self-intersections was too large.
    #[error("the mesh cannot be searched for self-intersections: simplify it with `heurt simplify`")]
    Unsearched,
    /// Coordinates are so large that extents may overflow.
    #[error(
        "coordinates of the mesh reach {largest:e} m: choose a unit in which they stay below {MAX_SOLID_COORDINATE:e}"
    )]
    TooLarge {
        /// The largest coordinate in metres.
        largest: f64,
    },
    /// The mesh is empty or too large.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The mesh cannot be a shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// Why a set operation has no result.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SetOperationError {
    /// An operand bounds no solid.
    #[error(transparent)]
    Operand(#[from] SolidMeshError),
    /// The rounding of new vertices made surfaces intersect.
    #[error(
        "new vertices, rounded to 64 bits, make {pairs} pairs of triangles intersect: surfaces are nearer to each other \
         than that; move one operand by 1e-11 of the largest coordinate, or both to the origin"
    )]
    Rounded {
        /// The number of pairs.
        pairs: usize,
    },
    /// The faces that the surfaces cut each other into do not fit: an error of this library.
    #[error("the surfaces of the operands could not be cut consistently: please report it with both files")]
    Inconsistent,
}
