//! Vertices and faces as a reader meets them, and the way from there to a model.
//!
//! In: vertices, faces of three or more corners in file order, names where objects begin. Out: a [`Model`] of one part,
//! or of one part per object. Cost: O(corners), twelve bytes per triangle and eight per face on top of the mesh.

use crate::{Format, Model, Part, Place, ReadError};
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::{MeshError, PolygonError, TriMesh};

/// What a reader has met so far.
#[derive(Default)]
pub(crate) struct Faces {
    pub(crate) vertices: Vec<Vec3>,
    corners: Vec<u32>,
    /// Where each face ends in `corners`.
    ends: Vec<usize>,
    /// Names of objects and the face each begins with.
    objects: Vec<(String, usize)>,
}

impl Faces {
    /// Adds one corner to the face that is being read.
    #[inline]
    pub(crate) fn push_corner(&mut self, vertex: u32) {
        self.corners.push(vertex);
    }

    /// Ends the face that is being read, at `place`.
    #[inline]
    pub(crate) fn end_face(&mut self, place: impl FnOnce() -> Place) -> Result<(), ReadError> {
        let corners = self.corners.len() - self.ends.last().copied().unwrap_or(0);
        if corners < 3 {
            return Err(ReadError::TooFewCorners { place: place(), corners });
        }
        self.ends.push(self.corners.len());
        Ok(())
    }

    /// Begins an object: the faces that follow belong to it.
    pub(crate) fn begin_object(&mut self, name: &[u8]) {
        self.objects.push((String::from_utf8_lossy(name.trim_ascii()).into_owned(), self.ends.len()));
    }

    /// Makes the model; `end` is the place where the file ends.
    pub(crate) fn into_model(self, format: Format, end: Place, split: bool) -> Result<Model, ReadError> {
        if self.ends.is_empty() {
            return Err(ReadError::NoFaces { place: end, format });
        }
        if split && !self.objects.is_empty() {
            return self.into_parts(&end);
        }
        let mesh = mesh(self.vertices, &self.corners, &self.ends, &end)?;
        Ok(Model::from_mesh("", mesh))
    }

    /// Makes one part per object that has faces, each with the vertices that it uses, in order of first use.
    fn into_parts(self, end: &Place) -> Result<Model, ReadError> {
        const UNUSED: u32 = u32::MAX;
        let mut model = Model::default();
        let mut numbers = vec![UNUSED; self.vertices.len()];
        let unnamed = self.objects.first().filter(|(_, face)| *face > 0).map(|_| (String::new(), 0));
        let objects: Vec<_> = unnamed.into_iter().chain(self.objects).collect();
        for (at, (name, first)) in objects.iter().enumerate() {
            let last = objects.get(at + 1).map_or(self.ends.len(), |(_, face)| *face);
            if *first == last {
                continue;
            }
            let start = first.checked_sub(1).map_or(0, |face| self.ends[face]);
            let global = &self.corners[start..self.ends[last - 1]];
            let mut vertices = Vec::new();
            let mut local = Vec::with_capacity(global.len());
            for &corner in global {
                let number = &mut numbers[corner as usize];
                if *number == UNUSED {
                    *number = vertices.len() as u32;
                    vertices.push(self.vertices[corner as usize]);
                }
                local.push(*number);
            }
            for &corner in global {
                numbers[corner as usize] = UNUSED;
            }
            let ends: Vec<usize> = self.ends[*first..last].iter().map(|end| end - start).collect();
            model.parts.push(Part::new(name.clone(), model.meshes.len(), Pose::IDENTITY));
            model.meshes.push(mesh(vertices, &local, &ends, end)?);
        }
        crate::model::make_names_unique(&mut model.parts);
        Ok(model)
    }
}

/// Triangulates what is not triangular, in place.
fn mesh(vertices: Vec<Vec3>, corners: &[u32], ends: &[usize], end: &Place) -> Result<TriMesh, ReadError> {
    let refused = |cause: MeshError| ReadError::Mesh { place: end.clone(), cause };
    if corners.len() == 3 * ends.len() {
        let triangles = corners.as_chunks::<3>().0.to_vec();
        return TriMesh::new(vertices, triangles).map_err(refused);
    }
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let polygons = starts.zip(ends).map(|(start, &stop)| &corners[start..stop]);
    match TriMesh::from_polygons(vertices, polygons) {
        Ok(triangulated) => Ok(triangulated.mesh),
        Err(PolygonError::Mesh(source)) => Err(refused(source)),
        // Corners were counted and checked when they were read.
        Err(error) => Err(ReadError::syntax(end.clone(), error.to_string().as_bytes(), "polygons over the vertices")),
    }
}
