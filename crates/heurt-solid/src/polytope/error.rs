//! Errors of polytopes: of half-spaces without a bounded solid intersection, and of meshes.

use heurt_mesh::MeshError;
use thiserror::Error;

/// Errors of the construction and the output of polytopes.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PolytopeError {
    /// No point satisfies all half-spaces.
    #[error("the intersection of the {half_spaces} half-spaces is empty: remove or move one")]
    Empty {
        /// The number of half-spaces.
        half_spaces: usize,
    },
    /// The intersection has no interior.
    #[error("the intersection of the {half_spaces} half-spaces is flat and has no volume: move one outward")]
    Flat {
        /// The number of half-spaces.
        half_spaces: usize,
    },
    /// The intersection is unbounded.
    #[error("the intersection of the {half_spaces} half-spaces is unbounded: add half-spaces that close it")]
    Unbounded {
        /// The number of half-spaces.
        half_spaces: usize,
    },
    /// There are more planes than the limit.
    #[error("{count} planes are more than {max}: simplify the solid")]
    TooManyPlanes {
        /// The number of planes.
        count: usize,
        /// The limit.
        max: usize,
    },
    /// The mesh is open, or its triangles are not oriented alike.
    #[error("the mesh of {triangles} triangles is not closed and oriented: close it with `heurt repair`")]
    OpenMesh {
        /// The number of its triangles.
        triangles: usize,
    },
    /// The mesh is not the boundary of a convex polyhedron with its normals outward.
    #[error("vertex {vertex} lies outside the plane of triangle {triangle}: give a convex mesh with normals outward")]
    NotConvex {
        /// The triangle.
        triangle: usize,
        /// The vertex.
        vertex: usize,
    },
    /// The rounded vertices do not make a mesh.
    #[error("the polytope has no mesh: {0}")]
    Mesh(#[from] MeshError),
}
