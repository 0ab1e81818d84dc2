//! Nearest point of the boundary of a mesh with a margin: of the balls around the points of the mesh.

use super::escape::within;
use crate::answer::closest::Closest;
use crate::mesh::closest::mesh_closest;
use heurt_bvh::Work;
use heurt_geometry::{Pose, Vec3, robust_normalize, scaled_to_unit_range};
use heurt_shape::RoundedMesh;

/// The boundary of all points within the margin of a mesh.
pub(crate) fn rounded_closest(a: &RoundedMesh, pose: &Pose, point: Vec3) -> (Closest, Work) {
    let normal = |core: &Closest| normal_of(a, pose, core.primitive);
    grown_closest(a.margin(), pose, point, |at| mesh_closest(a.mesh(), pose, at), normal)
}

/// The boundary of all points within a margin of the core; `normal` leads out if a point lies on the core.
pub(super) fn grown_closest(
    margin: f64,
    pose: &Pose,
    point: Vec3,
    of_core: impl Fn(Vec3) -> (Closest, Work),
    normal: impl FnOnce(&Closest) -> Vec3,
) -> (Closest, Work) {
    let (core, mut work) = of_core(point);
    if margin == 0.0 {
        return (core, work);
    }
    let signed = core.signed_distance.unwrap_or(core.distance);
    let offset = if signed < 0.0 { core.point - point } else { point - core.point };
    let normal = robust_normalize(offset).unwrap_or_else(|| normal(&core));
    let error = core.error + 4.0 * f64::EPSILON * margin;
    let distance = (signed - margin).abs();
    let found = Closest { point: core.point + normal * margin, distance, error, ..core };
    if signed > margin {
        return (Closest { signed_distance: Some(distance), inside: Some(false), ..found }, work);
    }
    let depth_at = |at: Vec3| {
        let (core, done) = of_core(at);
        work += done;
        (margin - core.signed_distance.unwrap_or(core.distance)).max(0.0)
    };
    (within(point, found, &[found], pose, depth_at), work)
}

/// Out of the triangle, for a point on it.
fn normal_of(a: &RoundedMesh, pose: &Pose, triangle: u32) -> Vec3 {
    let [p, q, r] = crate::mesh::walk::pair_walk::place(a.mesh(), pose, triangle);
    let normal = scaled_to_unit_range(q - p).cross(scaled_to_unit_range(r - p));
    robust_normalize(normal).or_else(|| robust_normalize((q - p).any_orthogonal_vector())).unwrap_or(Vec3::Z)
}
