//! A body of tetrahedra as it is at one step: borrowed, and valid.

use super::TetHashError;
use heurt_geometry::Vec3;
use heurt_mesh::TetMesh;

/// As many as a [`TetMesh`] may have.
const MAX_COUNT: usize = 1 << 28;

/// Vertices in world coordinates, in metres, and tetrahedra over them.
#[derive(Debug, Clone, Copy)]
pub struct TetBody<'a> {
    vertices: &'a [Vec3],
    tets: &'a [[u32; 4]],
}

impl<'a> TetBody<'a> {
    /// Checks slices and borrows them. A [`TetMesh`] has been checked already: use `TetBody::from(&mesh)`.
    ///
    /// # Errors
    /// [`TetHashError`] names the first offending vertex or tetrahedron.
    pub fn new(vertices: &'a [Vec3], tets: &'a [[u32; 4]]) -> Result<Self, TetHashError> {
        for (what, count) in [("vertices", vertices.len()), ("tetrahedra", tets.len())] {
            if count > MAX_COUNT {
                return Err(TetHashError::TooLarge { what, count, max: MAX_COUNT });
            }
        }
        if let Some(vertex) = vertices.iter().position(|v| !v.is_finite()) {
            return Err(TetHashError::NotFinite { vertex, position: vertices[vertex] });
        }
        let count = vertices.len();
        for (tet, corners) in tets.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&index| index as usize >= count) {
                return Err(TetHashError::IndexOutOfRange { tet, index, count });
            }
        }
        Ok(Self { vertices, tets })
    }

    /// The vertices.
    pub fn vertices(&self) -> &'a [Vec3] {
        self.vertices
    }

    /// The tetrahedra, as quadruples of vertex indices.
    pub fn tets(&self) -> &'a [[u32; 4]] {
        self.tets
    }
}

impl<'a> From<&'a TetMesh> for TetBody<'a> {
    fn from(mesh: &'a TetMesh) -> Self {
        Self { vertices: mesh.vertices(), tets: mesh.tets() }
    }
}
