//! Boundary surface of a volume mesh: the faces that belong to one cell only.
//!
//! In: a [`VolumeMesh`], whose cells may differ in orientation. Out: polygons over its vertices, counter-clockwise seen
//! from outside, in the order of the cells and of the faces of each cell.
//! Method: faces are sorted by their corners. A cell of negative volume is reversed. The sign comes from the exact
//! `orient3d` for tetrahedra, and from the sum of signed volumes of the tetrahedra over its faces for other cells.
//! Guarantees: a face is matched by its vertices alone, in any order; repeated corners of a collapsed face count once.
//! A conforming mesh of solid cells gives a closed, consistently oriented surface.
//! Not guaranteed: faces of cells whose volume is 0 within rounding may point in either direction. If cells do not
//! conform (two triangles against one quadrilateral), both sides remain. Cost: O(n log n) for n faces.

use crate::tri_mesh::index_remedy;
use crate::{Cell, FaceTable, VolumeMesh};
use heurt_geometry::{Sign, Vec3, orient3d};
use thiserror::Error;

/// Polygons over the vertices of a volume mesh, as compressed rows of corners.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoundaryFaces {
    /// The corners of all faces, in order.
    pub corners: Vec<u32>,
    /// The end of each face in `corners`.
    pub ends: Vec<usize>,
}

/// Errors of the boundary of a volume mesh.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum BoundaryError {
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has coordinates [{}, {}, {}]: give finite numbers", position.x, position.y, position.z)]
    NotFinite {
        /// The vertex.
        vertex: usize,
        /// Its coordinates.
        position: Vec3,
    },
    /// A cell names a vertex that is not there.
    #[error("cell {cell} names vertex {index}, but the number of vertices is {count}: {}", index_remedy(*count))]
    IndexOutOfRange {
        /// The cell.
        cell: usize,
        /// The index it names.
        index: u32,
        /// The number of vertices.
        count: usize,
    },
}

/// Corners of a small face in ascending order, without repetition, filled up with [`NONE`].
type Key = [u32; 4];

/// No corner.
const NONE: u32 = u32::MAX;

/// A face by its cell and its index in it.
type FaceId = (usize, u32);

impl VolumeMesh {
    /// Finds the faces that belong to one cell only; no faces if there are no cells.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_mesh::{Cell, VolumeMesh};
    /// let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE];
    /// let cells = vec![Cell::Tetrahedron([0, 1, 2, 3]), Cell::Tetrahedron([1, 2, 3, 4])];
    /// assert_eq!(VolumeMesh { vertices, cells }.boundary()?.ends.len(), 6);
    /// # Ok::<(), heurt_mesh::BoundaryError>(())
    /// ```
    ///
    /// # Errors
    /// [`BoundaryError`] names the first offending vertex or cell.
    pub fn boundary(&self) -> Result<BoundaryFaces, BoundaryError> {
        self.check_for_boundary()?;
        let mut small: Vec<(Key, FaceId)> = Vec::new();
        let mut large: Vec<(Vec<u32>, FaceId)> = Vec::new();
        for (cell, shape) in self.cells.iter().enumerate() {
            let mut number = 0;
            for_each_face(shape, |face| {
                let id = (cell, number);
                number += 1;
                if face.len() <= 4 {
                    small.extend(small_key(face).map(|key| (key, id)));
                    return;
                }
                let mut key = face.to_vec();
                key.sort_unstable();
                key.dedup();
                // A face with repeated corners may have as few as a small one.
                match key.len() {
                    0..=4 => small.extend(small_key(&key).map(|key| (key, id))),
                    _ => large.push((key, id)),
                }
            });
        }
        let mut lone = lone_faces(&mut small);
        lone.extend(lone_faces(&mut large));
        lone.sort_unstable();
        Ok(self.oriented(&lone))
    }

    /// Checks coordinates and indices.
    fn check_for_boundary(&self) -> Result<(), BoundaryError> {
        if let Some(vertex) = self.vertices.iter().position(|vertex| !vertex.is_finite()) {
            return Err(BoundaryError::NotFinite { vertex, position: self.vertices[vertex] });
        }
        let count = self.vertices.len();
        for (cell, shape) in self.cells.iter().enumerate() {
            let mut wrong = None;
            for_each_face(shape, |face| {
                wrong = wrong.or(face.iter().copied().find(|&corner| corner as usize >= count));
            });
            if let Some(index) = wrong {
                return Err(BoundaryError::IndexOutOfRange { cell, index, count });
            }
        }
        Ok(())
    }

    /// Copies the given faces, in ascending order, outward.
    fn oriented(&self, faces: &[FaceId]) -> BoundaryFaces {
        let mut boundary = BoundaryFaces::default();
        for of_cell in faces.chunk_by(|a, b| a.0 == b.0) {
            let cell = &self.cells[of_cell[0].0];
            let is_turned = self.is_inverted(cell);
            let (mut number, mut wanted) = (0, of_cell.iter().map(|face| face.1).peekable());
            for_each_face(cell, |face| {
                if wanted.next_if_eq(&number).is_some() {
                    let begin = boundary.corners.len();
                    boundary.corners.extend(without_repeats(face));
                    if is_turned {
                        boundary.corners[begin..].reverse();
                    }
                    boundary.ends.push(boundary.corners.len());
                }
                number += 1;
            });
        }
        boundary
    }

    /// Reports whether the volume of a cell is negative.
    fn is_inverted(&self, cell: &Cell) -> bool {
        if let Cell::Tetrahedron(corners) = cell {
            let [a, b, c, d] = corners.map(|corner| self.vertices[corner as usize]);
            return orient3d(a, b, c, d) == Sign::Negative;
        }
        let (mut origin, mut extent) = (None, 0.0_f64);
        let mut visit = |corner: u32| {
            let point = self.vertices[corner as usize] * 0.5;
            let origin = *origin.get_or_insert(point);
            extent = extent.max((point - origin).abs().max_element());
        };
        for_each_face(cell, |face| face.iter().for_each(|&corner| visit(corner)));
        let Some(origin) = origin.filter(|_| extent > 0.0) else { return false };
        // Halves and the division keep products in range for any finite coordinates.
        let local = |corner: u32| (self.vertices[corner as usize] * 0.5 - origin) / extent;
        let mut volume = 0.0;
        for_each_face(cell, |face| {
            if let [first, rest @ ..] = face {
                let apex = local(*first);
                volume += rest.windows(2).map(|edge| apex.dot(local(edge[0]).cross(local(edge[1])))).sum::<f64>();
            }
        });
        volume < 0.0
    }
}

/// Calls `visit` for each face of a cell.
fn for_each_face(cell: &Cell, mut visit: impl FnMut(&[u32])) {
    let Some(table) = cell.table() else {
        if let Cell::Polyhedron(faces) = cell {
            faces.iter().for_each(|face| visit(face));
        }
        return;
    };
    let (table, corners) = (FaceTable::ALL[table], cell.corners());
    for range in table.begin.windows(2) {
        let places = &table.corners[usize::from(range[0])..usize::from(range[1])];
        let mut face = [0; 4];
        for (corner, &place) in face.iter_mut().zip(places) {
            *corner = corners[usize::from(place)];
        }
        visit(&face[..places.len()]);
    }
}

/// Sorts the corners of a face of at most four; `None` if fewer than three are distinct.
fn small_key(face: &[u32]) -> Option<Key> {
    let mut key = [NONE; 4];
    key[..face.len()].copy_from_slice(face);
    key.sort_unstable();
    let mut distinct = [NONE; 4];
    let mut count = 0;
    for corner in key {
        if corner != NONE && (count == 0 || distinct[count - 1] != corner) {
            distinct[count] = corner;
            count += 1;
        }
    }
    (count >= 3).then_some(distinct)
}

/// Returns the faces with a unique key.
fn lone_faces<K: Ord>(faces: &mut [(K, FaceId)]) -> Vec<FaceId> {
    faces.sort_unstable();
    faces.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1).map(|same| same[0].1).collect()
}

/// Removes corners that equal their predecessor, around the face.
fn without_repeats(face: &[u32]) -> impl Iterator<Item = u32> + '_ {
    let before = face.iter().cycle().skip(face.len().saturating_sub(1));
    face.iter().zip(before).filter(|(corner, before)| corner != before || face.len() == 1).map(|(&corner, _)| corner)
}
