//! Triangle mesh, validated at construction.
//!
//! In: vertices in metres, triangles as triples of vertex indices. Out: a mesh whose numbers are finite and whose
//! indices are in range, and that has a triangle. Degenerate triangles are legal; `check` reports them.
//! Method: one pass over each array. Vertices that lie at the same place stay distinct here; the topology merges them.
//! Guarantees: no vertex or triangle is dropped, added or reordered. Cost: O(vertices + triangles).

use heurt_geometry::{Aabb, Pose, Triangle, Vec3};
use thiserror::Error;

/// Triangles over shared vertices, in file order.
#[derive(Debug, Clone, PartialEq)]
pub struct TriMesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

/// Errors of construction and change of a mesh.
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
        /// Its coordinates.
        position: Vec3,
    },
    /// A triangle names a vertex that is not there.
    #[error("triangle {triangle} names vertex {index}, but the number of vertices is {count}: {}", index_remedy(*count))]
    IndexOutOfRange {
        /// The triangle.
        triangle: usize,
        /// The index it names.
        index: u64,
        /// The number of vertices.
        count: usize,
    },
    /// More vertices or triangles than a `u32` counts.
    #[error("the mesh has {count} {what}, more than {max}: split it")]
    TooLarge {
        /// `"vertices"` or `"triangles"`.
        what: &'static str,
        /// The number of them.
        count: usize,
        /// The allowed number.
        max: usize,
    },
    /// A number of positions that differs from the number of vertices to move.
    #[error("{given} places are given for {count} vertices: give one for each, in the same order")]
    VertexCountChanged {
        /// The number of vertices to move.
        count: usize,
        /// The number of given positions.
        given: usize,
    },
    /// A vertex that is not there was to move.
    #[error("there is no vertex {vertex} to move: {}", index_remedy(*count))]
    NoVertex {
        /// The vertex.
        vertex: u32,
        /// The number of vertices of the mesh.
        count: usize,
    },
    /// A scale that is zero, NaN or infinite.
    #[error("the scale is {factor}: give a finite number other than zero")]
    BadScale {
        /// The scale as given.
        factor: f64,
    },
}

/// States which indices are legal among `count` vertices.
pub(crate) fn index_remedy(count: usize) -> String {
    match count.checked_sub(1) {
        None => "give the vertices".to_owned(),
        Some(0) => "the only index is 0".to_owned(),
        Some(last) => format!("indices run from 0 to {last}"),
    }
}

/// Limit of indices; larger numbers are reserved for the leaf and lane codes of trees.
pub(crate) const MAX_COUNT: usize = 1 << INDEX_BITS;

/// Bits that hold any vertex or triangle index.
pub(crate) const INDEX_BITS: u32 = 28;

impl TriMesh {
    /// Checks vertices and triangles and creates a mesh.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_mesh::TriMesh;
    /// let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let tetrahedron = TriMesh::new(corners.clone(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// assert_eq!(tetrahedron.triangles().len(), 4);
    /// let error = TriMesh::new(corners, vec![[0, 1, 9]]).unwrap_err();
    /// assert!(error.to_string().contains("vertex 9"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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

    /// Moves all vertices to `vertices`, in metres; the triangles stay.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_mesh::generate;
    /// let mut sheet = generate::icosphere(1.0, 2)?;
    /// let squashed: Vec<Vec3> = sheet.vertices().iter().map(|v| *v * Vec3::new(1.0, 1.0, 0.5)).collect();
    /// sheet.move_vertices(&squashed)?;
    /// assert_eq!(sheet.bounds().max.z, 0.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`MeshError`] on another number of vertices and on one that is not finite; the mesh is then unchanged.
    pub fn move_vertices(&mut self, vertices: &[Vec3]) -> Result<(), MeshError> {
        if vertices.len() != self.vertices.len() {
            return Err(MeshError::VertexCountChanged { count: self.vertices.len(), given: vertices.len() });
        }
        if !are_finite(vertices)
            && let Some(vertex) = vertices.iter().position(|v| !v.is_finite())
        {
            return Err(MeshError::NotFinite { vertex, position: vertices[vertex] });
        }
        self.vertices.copy_from_slice(vertices);
        Ok(())
    }

    /// Moves vertex `moved[k]` to `places[k]`, in metres.
    ///
    /// # Errors
    /// [`MeshError`] on another number of places, on a vertex that does not exist and on a place that is not finite;
    /// the mesh is then unchanged.
    pub fn move_some_vertices(&mut self, moved: &[u32], places: &[Vec3]) -> Result<(), MeshError> {
        let count = self.vertices.len();
        if places.len() != moved.len() {
            return Err(MeshError::VertexCountChanged { count: moved.len(), given: places.len() });
        }
        for (&vertex, &position) in moved.iter().zip(places) {
            if vertex as usize >= count {
                return Err(MeshError::NoVertex { vertex, count });
            }
            if !position.is_finite() {
                return Err(MeshError::NotFinite { vertex: vertex as usize, position });
            }
        }
        for (&vertex, &place) in moved.iter().zip(places) {
            self.vertices[vertex as usize] = place;
        }
        Ok(())
    }

    /// Creates a mesh from valid arrays: a rearrangement of a checked mesh.
    pub(crate) fn from_valid(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Self {
        debug_assert!(!triangles.is_empty());
        debug_assert!(triangles.iter().flatten().all(|&index| (index as usize) < vertices.len()));
        Self { vertices, triangles }
    }

    /// Returns the vertices, in metres.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Returns the triangles, as triples of vertex indices.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns the corners of triangle `index`.
    ///
    /// ```
    /// use heurt_mesh::generate;
    /// let cube = generate::cuboid([1.0, 1.0, 1.0])?;
    /// let [a, b, c] = cube.corners(0);
    /// assert_eq!((b - a).cross(c - a).length() * 0.5, 2.0, "half of a side");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// When there is no such triangle.
    #[inline(always)]
    pub fn corners(&self, index: u32) -> Triangle {
        self.triangles[index as usize].map(|vertex| self.vertices[vertex as usize])
    }

    /// Computes the box of all vertices that a triangle uses.
    pub fn bounds(&self) -> Aabb {
        Aabb::from_points(self.triangles.iter().flatten().map(|&vertex| self.vertices[vertex as usize]))
    }

    /// Returns the same triangles on vertices placed by `pose`, each rounded as [`Pose::place`] states.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_mesh::generate;
    /// let post = generate::cuboid([0.1, 0.1, 1.0])?.transformed(&Pose::from_translation(Vec3::Z)?)?;
    /// assert_eq!((post.bounds().min.z, post.bounds().max.z), (0.0, 2.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`MeshError::NotFinite`] when a placed coordinate overflows.
    pub fn transformed(&self, pose: &Pose) -> Result<Self, MeshError> {
        if pose.is_identity() {
            return Ok(self.clone());
        }
        let vertices = self.vertices.iter().map(|&vertex| pose.place(vertex)).collect();
        Self::new(vertices, self.triangles.clone())
    }

    /// Returns the mesh as files of 32-bit coordinates have it.
    ///
    /// ```
    /// use heurt_mesh::generate;
    /// let rounded = generate::cuboid([0.1; 3])?.rounded_to_f32()?;
    /// assert_eq!(rounded.bounds().max.x, f64::from(0.1_f32));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`MeshError::NotFinite`] on a coordinate beyond the range of `f32`.
    pub fn rounded_to_f32(&self) -> Result<Self, MeshError> {
        let vertices = self.vertices.iter().map(|vertex| vertex.as_vec3().as_dvec3()).collect();
        Self::new(vertices, self.triangles.clone())
    }

    /// Returns the mesh scaled by `factor` with respect to the origin; a negative factor mirrors it, and its faces are
    /// reversed so that they point outward again.
    ///
    /// ```
    /// use heurt_mesh::generate;
    /// // A file in millimetres, in metres.
    /// let part = generate::cuboid([50.0, 20.0, 10.0])?.scaled(0.001)?;
    /// assert_eq!(part.bounds().max.x, 0.05);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`MeshError::BadScale`] on a factor that is zero or not finite, [`MeshError::NotFinite`] on overflow.
    pub fn scaled(&self, factor: f64) -> Result<Self, MeshError> {
        if factor == 0.0 || !factor.is_finite() {
            return Err(MeshError::BadScale { factor });
        }
        let vertices = self.vertices.iter().map(|&vertex| vertex * factor).collect();
        let scaled = Self::new(vertices, self.triangles.clone())?;
        Ok(if factor < 0.0 { scaled.reversed() } else { scaled })
    }

    /// Returns the same surface with every face reversed.
    ///
    /// ```
    /// use heurt_mesh::{generate, measures};
    /// let inside_out = generate::cuboid([1.0, 1.0, 1.0])?.reversed();
    /// assert_eq!(measures(&inside_out).volume, Some(-8.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn reversed(mut self) -> Self {
        for corners in &mut self.triangles {
            corners.swap(1, 2);
        }
        self
    }

    /// Joins meshes to one: vertices and triangles of the first, then of the second, and so on.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_mesh::{TriMesh, components, generate};
    /// let foot = generate::cuboid([0.1, 0.1, 0.1])?;
    /// let other = foot.transformed(&Pose::from_translation(Vec3::X)?)?;
    /// let both = TriMesh::merged([&foot, &other])?;
    /// assert_eq!((both.triangles().len(), components(&both).len()), (24, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`MeshError::NoTriangles`] for no mesh, [`MeshError::TooLarge`] when the indices run out.
    pub fn merged<'a>(meshes: impl IntoIterator<Item = &'a Self>) -> Result<Self, MeshError> {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for mesh in meshes {
            let count = vertices.len() + mesh.vertices.len();
            if count > MAX_COUNT {
                return Err(MeshError::TooLarge { what: "vertices", count, max: MAX_COUNT });
            }
            let first = vertices.len() as u32;
            vertices.extend_from_slice(&mesh.vertices);
            triangles.extend(mesh.triangles.iter().map(|corners| corners.map(|vertex| vertex + first)));
        }
        Self::new(vertices, triangles)
    }

    /// Moves a vertex to `position`, which is finite.
    pub(crate) fn set_vertex(&mut self, vertex: u32, position: Vec3) {
        self.vertices[vertex as usize] = position;
    }

    /// Reverses a triangle, as [`TriMesh::reversed`] does.
    pub(crate) fn reverse_triangle(&mut self, triangle: u32) {
        self.triangles[triangle as usize].swap(1, 2);
    }

    /// Returns vertices and triangles by value.
    pub fn into_parts(self) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        (self.vertices, self.triangles)
    }
}

/// Tests whether all coordinates are finite, four at a time: a number that is not finite makes the sum of zeros NaN.
fn are_finite(points: &[Vec3]) -> bool {
    let mut sums = [0.0; 12];
    let (fours, rest) = points.as_chunks::<4>();
    for four in fours {
        let flat: [[f64; 3]; 4] = four.map(|point| point.to_array());
        for (sum, x) in sums.iter_mut().zip(flat.as_flattened()) {
            *sum += x * 0.0;
        }
    }
    sums.iter().all(|sum| sum.is_finite()) && rest.iter().all(|point| point.is_finite())
}
