//! Triangles on their way: what a tree must hold so that nothing is missed between two moments (S2 §7).

use crate::ShapeError;
use heurt_bvh::{BvhError, PrimitiveSource};
use heurt_geometry::Vec3;
use std::borrow::Cow;

/// Triangles whose vertices go straight from one place to another. A volume about both ends of all three corners is
/// convex and holds the triangle at every moment between. Build a tree over it, or refit one: its primitives are the
/// triangles of the mesh.
///
/// Where only a bound of the speed is known, S2's margin Δl = V_max·Δt serves instead: `heurt_query::candidates`.
#[derive(Debug, Clone)]
pub struct SweptTriangles<'a> {
    /// Where the vertices are at first, then where they are at last.
    points: Cow<'a, [Vec3]>,
    triangles: &'a [[u32; 3]],
}

impl<'a> SweptTriangles<'a> {
    /// From the vertices of a mesh at both ends, in its order, and its triangles.
    ///
    /// # Errors
    /// [`ShapeError::VertexCount`] when there are not as many vertices at last as at first, [`ShapeError::NoVertex`]
    /// for a triangle with a vertex beyond, [`ShapeError::Tree`] for more vertices than numbers for both ends.
    pub fn new(first: &[Vec3], last: &[Vec3], triangles: &'a [[u32; 3]]) -> Result<Self, ShapeError> {
        if last.len() != first.len() {
            return Err(ShapeError::VertexCount { count: first.len(), given: last.len() });
        }
        Self::over([first, last].concat().into(), triangles)
    }

    /// The same from vertices that already stand one after the other: all at first, then all at last.
    ///
    /// # Errors
    /// As [`SweptTriangles::new`]; an odd number of points counts as one vertex too few at last.
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
