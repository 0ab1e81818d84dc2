//! The nearest point of the surface of a superquadric, by branch and bound over its patches (`superquadric`).

use crate::answer::budget::{Budgeted, WorkMeter};
use crate::answer::closest::Closest;
use crate::closest::rounded::grown_closest;
use crate::convex::boundary::ORIGIN;
use crate::superquadric::{PatchQuery, holds, search, seen_from};
use heurt_bvh::Work;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{ShapeRef, Superquadric, SuperquadricShape};

/// Finds the nearest point of the boundary, with the work done.
pub(crate) fn superquadric_closest(a: &SuperquadricShape, pose: &Pose, point: Vec3) -> (Closest, Work) {
    let normal = |core: &Closest| {
        let normal = a.surface().normal(seen_from(pose, core.point));
        normal.map_or(Vec3::Z, |normal| *pose.rotation() * normal)
    };
    grown_closest(a.margin(), pose, point, |at| of_surface(a.surface(), pose, at), normal)
}

fn of_surface(a: &Superquadric, pose: &Pose, point: Vec3) -> (Closest, Work) {
    let at = Pose::from_translation(point).unwrap_or_default();
    let b = ShapeRef::Convex(&ORIGIN);
    let meter = WorkMeter::default();
    let question = PatchQuery { a, pose_a: pose, b, pose_b: &at, is_solid: false, near: 0.0, max: f64::INFINITY };
    let inside = holds(a, pose, point);
    let (place, distance, error) = match search(question, &meter) {
        Budgeted::Complete(Some(found)) => (found.point_a, found.distance, found.error),
        _ => (point, f64::INFINITY, f64::INFINITY),
    };
    let closest = Closest {
        point: place,
        distance,
        signed_distance: Some(if inside { -distance } else { distance }),
        inside: Some(inside || distance == 0.0),
        primitive: 0,
        error,
    };
    (closest, meter.done())
}
