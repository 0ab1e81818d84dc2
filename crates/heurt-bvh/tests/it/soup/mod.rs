//! Primitives over shared points, for trees that follow them.

use heurt_bvh::PrimitiveSource;
use heurt_geometry::Vec3;

/// Triangles; segments and points where corners come twice.
#[derive(Clone)]
pub struct Soup {
    pub points: Vec<Vec3>,
    pub primitives: Vec<[u32; 3]>,
}

impl PrimitiveSource for Soup {
    fn len(&self) -> usize {
        self.primitives.len()
    }
    fn points(&self) -> &[Vec3] {
        &self.points
    }
    fn corners(&self, primitive: u32) -> impl IntoIterator<Item = u32> {
        self.primitives[primitive as usize]
    }
}
