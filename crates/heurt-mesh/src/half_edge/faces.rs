//! Face loops: the grouping of consecutive half-edges into faces, for triangles and for polygons of any degree.
//!
//! Triangles need no table: half-edge h lies in triangle h / 3. Polygons are compressed rows: the half-edges of a face
//! are consecutive, and a table has the face of each half-edge. Both are implementations of [`FaceLoops`], so that
//! [`HalfEdgeMesh`](super::HalfEdgeMesh) exists once. Cost: O(1) a step; 0 bytes a half-edge for triangles, 4 for
//! polygons.

use std::fmt::Debug;
use std::ops::Range;

use crate::topology::{next_in_triangle, previous_in_triangle};

/// Grouping of half-edges into faces. This trait is sealed: triangles and polygons implement it.
pub trait FaceLoops: Clone + Debug + PartialEq + sealed::Sealed {
    /// One item for each half-edge of a face: an array for triangles.
    type List<T: Copy>: AsRef<[T]> + IntoIterator<Item = T> + Clone;

    /// Returns the number of faces.
    fn len(&self) -> usize;
    /// Reports whether there is no face.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the number of half-edges in faces.
    fn half_edge_count(&self) -> u32;
    /// Returns the face of a half-edge.
    fn face(&self, half_edge: u32) -> u32;
    /// Returns the half-edges of a face: they are consecutive.
    fn half_edges(&self, face: u32) -> Range<u32>;
    /// Returns the next half-edge of the same face.
    fn next(&self, half_edge: u32) -> u32;
    /// Returns the previous half-edge of the same face.
    fn previous(&self, half_edge: u32) -> u32;
    /// Calls `item` for each half-edge of a face, in order.
    fn list<T: Copy>(&self, face: u32, item: impl FnMut(u32) -> T) -> Self::List<T>;
}

mod sealed {
    /// Prevents implementations of the trait elsewhere.
    pub trait Sealed {}
    impl Sealed for super::TriangleFaces {}
    impl Sealed for super::PolygonFaces {}
}

/// Faces of three half-edges each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TriangleFaces {
    pub(super) count: u32,
}

impl FaceLoops for TriangleFaces {
    type List<T: Copy> = [T; 3];

    fn len(&self) -> usize {
        self.count as usize
    }

    #[inline]
    fn half_edge_count(&self) -> u32 {
        3 * self.count
    }

    #[inline]
    fn face(&self, half_edge: u32) -> u32 {
        half_edge / 3
    }

    #[inline]
    fn half_edges(&self, face: u32) -> Range<u32> {
        3 * face..3 * face + 3
    }

    #[inline]
    fn next(&self, half_edge: u32) -> u32 {
        next_in_triangle(half_edge)
    }

    #[inline]
    fn previous(&self, half_edge: u32) -> u32 {
        previous_in_triangle(half_edge)
    }

    #[inline]
    fn list<T: Copy>(&self, face: u32, item: impl FnMut(u32) -> T) -> [T; 3] {
        [3 * face, 3 * face + 1, 3 * face + 2].map(item)
    }
}

/// Faces of any number of half-edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolygonFaces {
    /// The first half-edge of each face; one more at the end.
    starts: Vec<u32>,
    /// The face of each half-edge.
    face_of: Vec<u32>,
}

impl PolygonFaces {
    /// Builds the table from the numbers of half-edges of the faces.
    pub(super) fn new(degrees: impl Iterator<Item = usize>) -> Self {
        let (mut starts, mut face_of) = (vec![0], Vec::new());
        for (face, degree) in (0..).zip(degrees) {
            face_of.resize(face_of.len() + degree, face);
            starts.push(face_of.len() as u32);
        }
        Self { starts, face_of }
    }
}

impl FaceLoops for PolygonFaces {
    type List<T: Copy> = Vec<T>;

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    #[inline]
    fn half_edge_count(&self) -> u32 {
        self.face_of.len() as u32
    }

    #[inline]
    fn face(&self, half_edge: u32) -> u32 {
        self.face_of[half_edge as usize]
    }

    #[inline]
    fn half_edges(&self, face: u32) -> Range<u32> {
        self.starts[face as usize]..self.starts[face as usize + 1]
    }

    #[inline]
    fn next(&self, half_edge: u32) -> u32 {
        let Range { start, end } = self.half_edges(self.face(half_edge));
        if half_edge + 1 == end { start } else { half_edge + 1 }
    }

    #[inline]
    fn previous(&self, half_edge: u32) -> u32 {
        let Range { start, end } = self.half_edges(self.face(half_edge));
        if half_edge == start { end - 1 } else { half_edge - 1 }
    }

    fn list<T: Copy>(&self, face: u32, item: impl FnMut(u32) -> T) -> Vec<T> {
        self.half_edges(face).map(item).collect()
    }
}
