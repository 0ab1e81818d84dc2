//! Exact signed distance of a closed mesh, up to a stated rounding error: the source of all samples.
//!
//! In: a mesh and a point in its frame. Out: the distance to the boundary of the solid, negative inside, with a bound
//! of its error and the nearest point. Method: `heurt_query::closest`.

use heurt_geometry::{Pose, Vec3};
use heurt_query::closest;
use heurt_shape::MeshShape;

/// The signed distance at a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExactDistance {
    /// In metres, negative inside.
    pub value: f64,
    /// Bounds the error of the value, in metres.
    pub error: f64,
    /// The nearest point of the boundary.
    pub foot: Vec3,
    /// The triangle that contains it.
    pub triangle: u32,
}

impl ExactDistance {
    /// Computes the signed distance of a closed mesh at a point.
    pub fn at(shape: &MeshShape, point: Vec3) -> Self {
        let found = closest(shape, &Pose::IDENTITY, point);
        // A closed mesh is solid, so that the distance has a sign.
        let value = found.signed_distance.unwrap_or(found.distance);
        Self { value, error: found.error, foot: found.point, triangle: found.primitive }
    }

    /// Returns the unit direction in which the distance grows fastest; zero if neither the distance nor the triangle
    /// has one.
    pub fn direction_out(&self, shape: &MeshShape, point: Vec3) -> Vec3 {
        let offset = point - self.foot;
        if self.value.abs() > 16.0 * self.error {
            return (offset * self.value.signum()).normalize_or_zero();
        }
        let [a, b, c] = shape.mesh().corners(self.triangle);
        heurt_geometry::robust_normalize((b - a).cross(c - a)).unwrap_or(Vec3::ZERO)
    }
}
