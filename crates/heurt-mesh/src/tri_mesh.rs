//! The triangle mesh, validated once at the door.
//!
//! In: vertices in metres, triangles as triples of vertex indices. Out: a mesh whose numbers are finite and whose
//! indices are in range, and that has a triangle. Degenerate triangles are legal; `check` reports them.

use heurt_geometry::{Aabb, Triangle, Vec3};
use thiserror::Error;

/// Triangles over shared vertices, in file order.
#[derive(Debug, Clone, PartialEq)]
pub struct TriMesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

/// Why vertices and triangles do not make a mesh.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MeshError {
    /// There is no triangle.
    #[error("the mesh has no triangle: give at least one face")]
    NoTriangles,
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has coordinates [{}, {}, {}]: give finite numbers", position.x, position.y, position.z)]
    NotFinite {
        /// The vertex.
        vertex: usize,
        /// What it holds.
        position: Vec3,
    },
    /// A triangle names a vertex that is not there.
    #[error(
        "triangle {triangle} names vertex {index}, but there are {count} vertices: indices run from 0 to {count} - 1"
    )]
    IndexOutOfRange {
        /// The triangle.
        triangle: usize,
        /// The index it names.
        index: u64,
        /// How many vertices there are.
        count: usize,
    },
    /// More vertices or triangles than a `u32` counts.
    #[error("the mesh has {count} {what}, more than {max}: split it")]
    TooLarge {
        /// `"vertices"` or `"triangles"`.
        what: &'static str,
        /// How many.
        count: usize,
        /// How many are allowed.
        max: usize,
    },
}

/// Room is kept above the largest index for the leaf and lane codes of trees.
const MAX_COUNT: usize = 1 << 28;

impl TriMesh {
    /// Checks vertices and triangles and takes them.
    ///
    /// # Errors
    /// [`MeshError`] names the first offending vertex or triangle.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        if triangles.is_empty() {
            return Err(MeshError::NoTriangles);
        }
        for (what, count) in [("vertices", vertices.len()), ("triangles", triangles.len())] {
            if count > MAX_COUNT {
                return Err(MeshError::TooLarge { what, count, max: MAX_COUNT });
            }
        }
        if let Some(vertex) = vertices.iter().position(|v| !v.is_finite()) {
            return Err(MeshError::NotFinite { vertex, position: vertices[vertex] });
        }
        let count = vertices.len();
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&index| index as usize >= count) {
                return Err(MeshError::IndexOutOfRange { triangle, index: index.into(), count });
            }
        }
        Ok(Self { vertices, triangles })
    }

    /// The vertices, in metres.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The triangles, as triples of vertex indices.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of triangle `index`.
    ///
    /// # Panics
    /// When there is no such triangle.
    #[inline(always)]
    pub fn corners(&self, index: u32) -> Triangle {
        self.triangles[index as usize].map(|vertex| self.vertices[vertex as usize])
    }

    /// The box of all vertices that a triangle uses.
    pub fn bounds(&self) -> Aabb {
        Aabb::from_points(self.triangles.iter().flatten().map(|&vertex| self.vertices[vertex as usize]))
    }

    /// Gives vertices and triangles back.
    pub fn into_parts(self) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        (self.vertices, self.triangles)
    }
}
