//! Triangles on their way: what a tree must hold so that nothing is missed between two moments (S2 §7).

use crate::ShapeError;
use heurt_bvh::{BvhError, PrimitiveSource};
use heurt_geometry::Vec3;

/// Triangles whose vertices go straight from one place to another. A volume about both ends of all three corners is convex and
/// holds the triangle at every moment between. Build a tree over it, or refit one: its primitives are the triangles of the mesh.
///
/// Where only a bound of the speed is known, S2's margin Δl = V_max·Δt serves instead: `heurt_query::candidates`.
#[derive(Debug, Clone)]
pub struct SweptTriangles<'a> {
    /// Where the vertices are at first, then where they are at last.
    points: Vec<Vec3>,
    triangles: &'a [[u32; 3]],
}

impl<'a> SweptTriangles<'a> {
    /// From the vertices of a mesh at both ends, in its order, and its triangles.
    ///
    /// # Errors
    /// [`ShapeError::VertexCount`] when there are not as many vertices at last as at first, [`ShapeError::NoVertex`] for a
    /// triangle with a vertex beyond, [`ShapeError::Tree`] for more vertices than numbers for both ends.
    pub fn new(first: &[Vec3], last: &[Vec3], triangles: &'a [[u32; 3]]) -> Result<Self, ShapeError> {
        let count = first.len();
        if last.len() != count {
            return Err(ShapeError::VertexCount { count, given: last.len() });
        }
        if let Some(&vertex) = triangles.iter().flatten().find(|&&vertex| vertex as usize >= count) {
            return Err(ShapeError::NoVertex { vertex, count });
        }
        if count > u32::MAX as usize / 2 {
            return Err(ShapeError::Tree(BvhError::TooMany { count, max: u32::MAX as usize / 2 }));
        }
        Ok(Self { points: [first, last].concat(), triangles })
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
