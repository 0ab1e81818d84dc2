//! Winding number by solid angles: the sum over all triangles, divided by 4π (S0 §4.3, first method).
//!
//! Method: Van Oosterom and Strackee's formula for the solid angle of a triangle, without trigonometry of its sides.
//! Guarantees: none near the surface, where rounding dominates. It is also meaningful for open meshes, where it is not
//! an integer.
//! Cost: every triangle, once.

use crate::mesh::walk::pair_walk::place;
use heurt_geometry::{Pose, Triangle, Vec3};
use heurt_shape::MeshShape;

/// Computes the generalised winding number of the placed mesh around `point` (world frame): approximately 1 inside a
/// closed mesh, 0 outside.
pub fn solid_angle_winding(a: &MeshShape, pose: &Pose, point: Vec3) -> f64 {
    let angle = |triangle| solid_angle(place(a, pose, triangle).map(|corner| corner - point));
    (0..a.mesh().triangles().len() as u32).map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

/// Computes the solid angle of a triangle seen from the origin.
#[inline(always)]
pub(crate) fn solid_angle([a, b, c]: Triangle) -> f64 {
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let volume = a.dot(b.cross(c));
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * libm::atan2(volume, denominator)
}
