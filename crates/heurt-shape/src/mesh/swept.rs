//! Swept triangles: primitives of a tree that holds moving triangles between two times (S2 §7).

use crate::ShapeError;
use heurt_bvh::{BvhError, PrimitiveSource};
use heurt_geometry::Vec3;
use std::borrow::Cow;

/// Triangles whose vertices move in straight lines between two positions. A volume around both ends of all three
/// corners is convex and holds the triangle at every time between. Build a tree over it, or refit one: its primitives
/// are the triangles of the mesh.
///
/// If only a bound of the speed is known, use S2's margin Δl = V_max·Δt: `heurt_query::candidates`.
#[derive(Debug, Clone)]
pub struct SweptTriangles<'a> {
    /// First positions of all vertices, then last positions of all vertices.
    points: Cow<'a, [Vec3]>,
    triangles: &'a [[u32; 3]],
}

impl<'a> SweptTriangles<'a> {
    /// Creates them from the first and last positions of the vertices of a mesh, in its order, and its triangles.
    ///
    /// # Errors
    /// [`ShapeError::VertexCount`] when there are not as many last as first positions, [`ShapeError::NoVertex`] for a
    /// triangle with a vertex out of range, [`ShapeError::Tree`] for more vertices than numbers for both ends.
    pub fn new(first: &[Vec3], last: &[Vec3], triangles: &'a [[u32; 3]]) -> Result<Self, ShapeError> {
        if last.len() != first.len() {
            return Err(ShapeError::VertexCount { count: first.len(), given: last.len() });
        }
        Self::over([first, last].concat().into(), triangles)
    }

    /// Creates them from one list of positions: all first positions, then all last positions.
    ///
    /// # Errors
    /// As [`SweptTriangles::new`]; an odd number of points counts as a missing last position.
    pub fn of_both_ends(points: &'a [Vec3], triangles: &'a [[u32; 3]]) -> Result<Self, ShapeError> {
        let count = points.len().div_ceil(2);
        if !points.len().is_multiple_of(2) {
            return Err(ShapeError::VertexCount { count, given: count - 1 });
        }
        Self::over(points.into(), triangles)
    }

    fn over(points: Cow<'a, [Vec3]>, triangles: &'a [[u32; 3]]) -> Result<Self, ShapeError> {
        let count = points.len() / 2;
        if let Some(&vertex) = triangles.iter().flatten().find(|&&vertex| vertex as usize >= count) {
            return Err(ShapeError::NoVertex { vertex, count });
        }
        if count > u32::MAX as usize / 2 {
            return Err(ShapeError::Tree(BvhError::TooMany { count, max: u32::MAX as usize / 2 }));
        }
        Ok(Self { points, triangles })
    }
}

impl PrimitiveSource for SweptTriangles<'_> {
    fn len(&self) -> usize {
        self.triangles.len()
    }

    fn points(&self) -> &[Vec3] {
        &self.points
    }

    #[inline(always)]
    fn corners(&self, primitive: u32) -> impl IntoIterator<Item = u32> {
        let [a, b, c] = self.triangles[primitive as usize];
        let last = (self.points.len() / 2) as u32;
        [a, b, c, a + last, b + last, c + last]
    }
}
