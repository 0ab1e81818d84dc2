//! Polygons that the triangles of a mesh were cut from, as compressed rows of corners.
//!
//! In: corners of polygons over the vertices of a mesh, and for each triangle its polygon. Out: polygon by number, its
//! triangles, the polygon of a triangle. Guarantees: triangles of a polygon are consecutive, polygons are in file
//! order.

use std::ops::Range;

/// The polygons of a mesh.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Polygons {
    /// The corners of all polygons, in order.
    corners: Vec<u32>,
    /// The end of each polygon in `corners`.
    ends: Vec<usize>,
    /// The polygon of each triangle, ascending.
    polygon_of: Vec<u32>,
}

impl Polygons {
    /// Joins corners, ends of polygons in `corners`, and the polygon of each triangle as
    /// [`TriMesh::from_polygons`](crate::TriMesh::from_polygons) returns it.
    ///
    /// Returns `None` if the ends do not ascend to the number of corners, or a triangle names a polygon that is not
    /// there.
    pub fn new(corners: Vec<u32>, ends: Vec<usize>, polygon_of: Vec<u32>) -> Option<Self> {
        let ascends = ends.is_sorted() && ends.last().copied().unwrap_or(0) == corners.len();
        let is_known = |&polygon: &u32| (polygon as usize) < ends.len();
        (ascends && polygon_of.is_sorted() && polygon_of.iter().all(is_known)).then_some(Self {
            corners,
            ends,
            polygon_of,
        })
    }

    /// Returns the number of polygons.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Reports whether there is no polygon.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the corners of a polygon, in order.
    ///
    /// # Panics
    /// When there is no such polygon.
    pub fn corners(&self, polygon: usize) -> &[u32] {
        let start = polygon.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.corners[start..self.ends[polygon]]
    }

    /// Returns the triangles of a polygon.
    pub fn triangles(&self, polygon: usize) -> Range<usize> {
        let start = self.polygon_of.partition_point(|&of| (of as usize) < polygon);
        start..self.polygon_of.partition_point(|&of| of as usize <= polygon)
    }

    /// Returns the polygon of a triangle.
    ///
    /// # Panics
    /// When there is no such triangle.
    pub fn polygon_of(&self, triangle: u32) -> u32 {
        self.polygon_of[triangle as usize]
    }
}
