//! Faces of a reader as compressed rows of corners, and their conversion to a model.
//!
//! In: vertices, faces in file order, names where objects or groups begin. Out: a [`Model`] of one part, or of one part
//! an object; polygons of more than three corners are triangulated in place and kept as [`Polygons`].
//! Guarantees: a face of fewer than three corners is ignored with a warning, or an error if the reader is strict. Files
//! of triangles have no polygons. Cost: O(corners), twelve bytes per triangle and eight per face on top of the mesh.

use super::warnings::{SMALL_FACES, Warnings};
use crate::{Format, Model, Part, Place, ReadError};
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::{MeshError, PolygonError, Polygons, TriMesh, Triangulated};
use std::collections::BTreeMap;
use std::ops::Range;

/// The vertices and faces read.
#[derive(Default)]
pub(crate) struct Faces {
    pub(crate) vertices: Vec<Vec3>,
    pub(crate) warnings: Warnings,
    corners: Vec<u32>,
    /// The end of each face in `corners`.
    ends: Vec<usize>,
    /// Names of objects and the face each begins with.
    objects: Vec<(String, usize)>,
    /// Names of groups and the face each begins with.
    groups: Vec<(String, usize)>,
}

impl Faces {
    /// Creates an empty list of faces.
    pub(crate) fn new(warnings: Warnings) -> Self {
        Self { warnings, ..Self::default() }
    }

    /// Adds one corner to the face that is being read.
    #[inline]
    pub(crate) fn push_corner(&mut self, vertex: u32) {
        self.corners.push(vertex);
    }

    /// Reports whether there is a face.
    pub(crate) fn has_faces(&self) -> bool {
        !self.ends.is_empty()
    }

    /// Returns the number of corners of the face that is being read.
    fn open_corners(&self) -> usize {
        self.corners.len() - self.ends.last().copied().unwrap_or(0)
    }

    /// Ends the face that is being read, at `place`; `found` is its text.
    ///
    /// # Errors
    /// [`ReadError::TooFewCorners`] if the reader is strict and the face has fewer than three corners.
    #[inline]
    pub(crate) fn end_face(&mut self, place: impl FnOnce() -> Place, found: &[u8]) -> Result<(), ReadError> {
        let corners = self.open_corners();
        if corners < 3 {
            return self.ignore_face(corners, place(), found);
        }
        self.ends.push(self.corners.len());
        Ok(())
    }

    /// Drops the corners of the face that is being read and counts it as ignored.
    #[cold]
    fn ignore_face(&mut self, corners: usize, place: Place, found: &[u8]) -> Result<(), ReadError> {
        self.corners.truncate(self.corners.len() - corners);
        let error = |place| ReadError::TooFewCorners { place, corners };
        self.warnings.ignore(SMALL_FACES, || place, found, error)
    }

    /// Begins an object: the faces that follow belong to it.
    pub(crate) fn begin_object(&mut self, name: &[u8]) {
        self.objects.push((String::from_utf8_lossy(name.trim_ascii()).into_owned(), self.ends.len()));
    }

    /// Begins a group or resumes it: the faces that follow belong to it. Objects take precedence over groups.
    pub(crate) fn begin_group(&mut self, name: &[u8]) {
        if self.objects.is_empty() {
            self.groups.push((String::from_utf8_lossy(name.trim_ascii()).into_owned(), self.ends.len()));
        }
    }

    /// Makes the model; `end` is the place where the file ends.
    pub(crate) fn into_model(mut self, format: Format, end: Place, split: bool) -> Result<Model, ReadError> {
        if self.ends.is_empty() {
            return Err(ReadError::NoFaces { place: end, format });
        }
        let warnings = std::mem::take(&mut self.warnings).into_list();
        let model = if split && !(self.objects.is_empty() && self.groups.is_empty()) {
            self.into_parts(&end)?
        } else {
            let (mesh, polygons) = mesh(self.vertices, self.corners, self.ends, &end)?;
            let polygons = polygons.map(|polygons| vec![Some(polygons)]).unwrap_or_default();
            Model { polygons, ..Model::from_mesh("", mesh) }
        };
        Ok(Model { warnings, ..model })
    }

    /// Makes one part per object that has faces, each with the vertices that it uses, in order of first use.
    fn into_parts(mut self, end: &Place) -> Result<Model, ReadError> {
        const UNUSED: u32 = u32::MAX;
        let parts = self.take_parts();
        let mut model = Model::default();
        let mut numbers = vec![UNUSED; self.vertices.len()];
        for (name, ranges) in parts {
            let faces = || ranges.iter().cloned().flatten();
            let (mut vertices, mut local, mut ends) = (Vec::new(), Vec::new(), Vec::new());
            for face in faces() {
                for &corner in &self.corners[corners_of(&self.ends, face)] {
                    let number = &mut numbers[corner as usize];
                    if *number == UNUSED {
                        *number = vertices.len() as u32;
                        vertices.push(self.vertices[corner as usize]);
                    }
                    local.push(*number);
                }
                ends.push(local.len());
            }
            for face in faces() {
                for &corner in &self.corners[corners_of(&self.ends, face)] {
                    numbers[corner as usize] = UNUSED;
                }
            }
            let (mesh, polygons) = mesh(vertices, local, ends, end)?;
            model.parts.push(Part::new(name, model.meshes.len(), Pose::IDENTITY));
            model.meshes.push(mesh);
            model.polygons.push(polygons);
        }
        if model.polygons.iter().all(Option::is_none) {
            model.polygons.clear();
        }
        crate::model::make_names_unique(&mut model.parts);
        Ok(model)
    }

    /// Returns names and ranges of faces: one entry per object, or per name of a group if there is no object.
    fn take_parts(&mut self) -> Vec<(String, Vec<Range<usize>>)> {
        let is_by_group = self.objects.is_empty();
        let starts = std::mem::take(if is_by_group { &mut self.groups } else { &mut self.objects });
        let first = starts.first().map_or(self.ends.len(), |(_, face)| *face);
        let stops: Vec<usize> = starts.iter().skip(1).map(|(_, face)| *face).chain([self.ends.len()]).collect();
        let unnamed = (String::new(), 0..first);
        let named = starts.into_iter().zip(stops).map(|((name, start), stop)| (name, start..stop));
        let mut parts: Vec<(String, Vec<Range<usize>>)> = Vec::new();
        // Objects of equal name are different objects; a group may be left and resumed.
        let mut part_of: BTreeMap<String, usize> = BTreeMap::new();
        for (name, range) in std::iter::once(unnamed).chain(named).filter(|(_, range)| !range.is_empty()) {
            match part_of.get(&name) {
                Some(&part) if is_by_group => parts[part].1.push(range),
                _ => {
                    if is_by_group {
                        part_of.insert(name.clone(), parts.len());
                    }
                    parts.push((name, vec![range]));
                }
            }
        }
        parts
    }
}

/// Returns the range of the corners of a face.
fn corners_of(ends: &[usize], face: usize) -> Range<usize> {
    face.checked_sub(1).map_or(0, |before| ends[before])..ends[face]
}

/// Makes a mesh; polygons of more than three corners are triangulated in place and returned.
pub(super) fn mesh(
    vertices: Vec<Vec3>,
    corners: Vec<u32>,
    ends: Vec<usize>,
    end: &Place,
) -> Result<(TriMesh, Option<Polygons>), ReadError> {
    let refused = |cause: MeshError| ReadError::Mesh { place: end.clone(), cause };
    if corners.len() == 3 * ends.len() {
        let triangles = corners.as_chunks::<3>().0.to_vec();
        return Ok((TriMesh::new(vertices, triangles).map_err(refused)?, None));
    }
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let polygons = starts.zip(&ends).map(|(start, &stop)| &corners[start..stop]);
    match TriMesh::from_polygons(vertices, polygons) {
        Ok(Triangulated { mesh, polygon_of }) => Ok((mesh, Polygons::new(corners, ends, polygon_of))),
        Err(PolygonError::Mesh(source)) => Err(refused(source)),
        // Corners were counted and checked when they were read.
        Err(error) => Err(ReadError::syntax(end.clone(), error.to_string().as_bytes(), "polygons over the vertices")),
    }
}
