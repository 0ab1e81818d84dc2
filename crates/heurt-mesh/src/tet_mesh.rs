//! Tetrahedral mesh, validated at construction.
//!
//! In: vertices in metres, tetrahedra as quadruples of vertex indices. Out: a mesh whose numbers are finite and whose
//! indices are in range, and that has a tetrahedron. Flat and inverted tetrahedra are legal: deforming bodies have
//! them.
//! Method: one pass over each array; the boundary by sorting the faces by their vertices.
//! Guarantees: no vertex or tetrahedron is dropped, added or reordered; moving the vertices succeeds whole or changes
//! nothing. Cost: O(vertices + tetrahedra), the boundary O(n log n).

use crate::measure::LocalFrame;
use crate::tri_mesh::{MAX_COUNT, index_remedy};
use crate::{MeshError, TriMesh};
use heurt_geometry::{Aabb, Sign, Vec3, orient3d};
use thiserror::Error;

/// Tetrahedra over shared vertices. One of positive volume has its fourth vertex on the side that the counter-clockwise
/// normal of its first three points to.
#[derive(Debug, Clone, PartialEq)]
pub struct TetMesh {
    vertices: Vec<Vec3>,
    tets: Vec<[u32; 4]>,
}

/// Errors of construction and deformation of a mesh.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum TetMeshError {
    /// There is no tetrahedron.
    #[error("the mesh has no tetrahedron: give at least one")]
    NoTets,
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has coordinates [{}, {}, {}]: give finite numbers", position.x, position.y, position.z)]
    NotFinite {
        /// The vertex.
        vertex: usize,
        /// Its coordinates.
        position: Vec3,
    },
    /// A tetrahedron names a vertex that is not there.
    #[error("tetrahedron {tet} names vertex {index}, but the number of vertices is {count}: {}", index_remedy(*count))]
    IndexOutOfRange {
        /// The tetrahedron.
        tet: usize,
        /// The index it names.
        index: u32,
        /// The number of vertices.
        count: usize,
    },
    /// More vertices or tetrahedra than the index range allows.
    #[error("the mesh has {count} {what}, more than {max}: split it")]
    TooLarge {
        /// `"vertices"` or `"tetrahedra"`.
        what: &'static str,
        /// The number of them.
        count: usize,
        /// The allowed number.
        max: usize,
    },
    /// A number of positions that differs from the number of vertices.
    #[error("{given} positions for {count} vertices: give one for each")]
    WrongCount {
        /// The number of given positions.
        given: usize,
        /// The number of vertices.
        count: usize,
    },
}

/// Limit of tetrahedra: four faces for each, so that the boundary of any mesh is a [`TriMesh`].
pub(crate) const MAX_TETS: usize = MAX_COUNT / 4;

/// The faces of a tetrahedron of positive volume, each opposite to the vertex of its number, counter-clockwise from
/// outside.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

impl TetMesh {
    /// Checks vertices and tetrahedra and creates a mesh.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_mesh::TetMesh;
    /// let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let tet = TetMesh::new(corners, vec![[0, 1, 2, 3]])?;
    /// assert!((tet.volume() - 1.0 / 6.0).abs() < 1e-16);
    /// assert_eq!(tet.boundary().map(|faces| faces.triangles().len()), Some(4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`TetMeshError`] names the first offending vertex or tetrahedron.
    pub fn new(vertices: Vec<Vec3>, tets: Vec<[u32; 4]>) -> Result<Self, TetMeshError> {
        if tets.is_empty() {
            return Err(TetMeshError::NoTets);
        }
        for (what, count, max) in [("vertices", vertices.len(), MAX_COUNT), ("tetrahedra", tets.len(), MAX_TETS)] {
            if count > max {
                return Err(TetMeshError::TooLarge { what, count, max });
            }
        }
        check_finite(&vertices)?;
        let count = vertices.len();
        for (tet, corners) in tets.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&index| index as usize >= count) {
                return Err(TetMeshError::IndexOutOfRange { tet, index, count });
            }
        }
        Ok(Self { vertices, tets })
    }

    /// Creates a mesh from valid arrays of a generator.
    pub(crate) fn from_valid(vertices: Vec<Vec3>, tets: Vec<[u32; 4]>) -> Self {
        debug_assert!(Self::new(vertices.clone(), tets.clone()).is_ok());
        Self { vertices, tets }
    }

    /// Returns the vertices, in metres.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Returns the tetrahedra, as quadruples of vertex indices.
    pub fn tets(&self) -> &[[u32; 4]] {
        &self.tets
    }

    /// Returns the corners of tetrahedron `index`.
    ///
    /// # Panics
    /// When there is no such tetrahedron.
    #[inline(always)]
    pub fn corners(&self, index: u32) -> [Vec3; 4] {
        self.tets[index as usize].map(|vertex| self.vertices[vertex as usize])
    }

    /// Computes the box of all vertices that a tetrahedron uses.
    pub fn bounds(&self) -> Aabb {
        Aabb::from_points(self.tets.iter().flatten().map(|&vertex| self.vertices[vertex as usize]))
    }

    /// Moves every vertex: a deformation.
    ///
    /// # Errors
    /// [`TetMeshError::WrongCount`] or [`TetMeshError::NotFinite`]; the mesh is then unchanged.
    pub fn set_vertices(&mut self, positions: &[Vec3]) -> Result<(), TetMeshError> {
        if positions.len() != self.vertices.len() {
            return Err(TetMeshError::WrongCount { given: positions.len(), count: self.vertices.len() });
        }
        check_finite(positions)?;
        self.vertices.copy_from_slice(positions);
        Ok(())
    }

    /// Computes the volume of all tetrahedra in m³, inverted ones counted as positive; infinite beyond the range of
    /// `f64`.
    pub fn volume(&self) -> f64 {
        let frame = LocalFrame::of_bounds(&self.bounds());
        let sextuple: f64 = self.tets.iter().map(|tet| self.sextuple(&frame, tet).abs()).sum();
        frame.volume_in_metres(sextuple / 6.0)
    }

    /// Computes the volume of tetrahedron `index` in m³, negative if it is inverted. The volume is rounded;
    /// [`orient3d`] of its corners gives its exact sign.
    ///
    /// # Panics
    /// When there is no such tetrahedron.
    pub fn signed_volume(&self, index: u32) -> f64 {
        let frame = LocalFrame::of_bounds(&Aabb::from_points(self.corners(index)));
        frame.volume_in_metres(self.sextuple(&frame, &self.tets[index as usize]) / 6.0)
    }

    /// Computes six times the signed volume, in local coordinates.
    fn sextuple(&self, frame: &LocalFrame, tet: &[u32; 4]) -> f64 {
        let [a, b, c, d] = tet.map(|vertex| frame.local(self.vertices[vertex as usize]));
        (b - a).cross(c - a).dot(d - a)
    }

    /// Returns the faces that belong to one tetrahedron only, counter-clockwise seen from outside that tetrahedron;
    /// `None` if there are none. Vertices keep their numbers, so vertices inside the body are included but unused. A
    /// face of a flat tetrahedron is oriented as if its volume were positive.
    pub fn boundary(&self) -> Option<TriMesh> {
        let mut faces: Vec<([u32; 3], u32)> = Vec::with_capacity(4 * self.tets.len());
        for (tet, corners) in self.tets.iter().enumerate() {
            for (face, places) in FACES.iter().enumerate() {
                let mut key = places.map(|place| corners[place]);
                key.sort_unstable();
                faces.push((key, (4 * tet + face) as u32));
            }
        }
        faces.sort_unstable();
        let mut lone: Vec<u32> =
            faces.chunk_by(|x, y| x.0 == y.0).filter(|same| same.len() == 1).map(|same| same[0].1).collect();
        lone.sort_unstable();
        let triangles = lone.iter().map(|&code| self.face(code / 4, code % 4)).collect();
        match TriMesh::new(self.vertices.clone(), triangles) {
            Ok(mesh) => Some(mesh),
            // Vertices are finite, indices in range and counts small: only a mesh without triangles is rejected.
            Err(MeshError::NoTriangles) => None,
            Err(error) => unreachable!("the boundary of a valid mesh: {error}"),
        }
    }

    /// Returns face `face` of tetrahedron `tet`, seen from outside.
    fn face(&self, tet: u32, face: u32) -> [u32; 3] {
        let corners = self.tets[tet as usize];
        let [x, y, z] = FACES[face as usize].map(|place| corners[place]);
        let [a, b, c, d] = self.corners(tet);
        if orient3d(a, b, c, d) == Sign::Negative { [x, z, y] } else { [x, y, z] }
    }

    /// Returns vertices and tetrahedra by value.
    pub fn into_parts(self) -> (Vec<Vec3>, Vec<[u32; 4]>) {
        (self.vertices, self.tets)
    }
}

fn check_finite(vertices: &[Vec3]) -> Result<(), TetMeshError> {
    match vertices.iter().position(|v| !v.is_finite()) {
        Some(vertex) => Err(TetMeshError::NotFinite { vertex, position: vertices[vertex] }),
        None => Ok(()),
    }
}
