//! Nearest point of the boundary of a placed convex shape.
//!
//! Method: hulls without a margin are queried as meshes; other shapes as `convex/boundary` states.
//! Guarantees: `error` bounds the error of the distance. Shapes without an inside (points, segments, polygons, discs)
//! are only boundary.

use crate::answer::closest::Closest;
use crate::convex::boundary::{boundary, has_inside};
use crate::convex::contains::convex_contains;
use crate::mesh::closest::mesh_closest;
use heurt_bvh::Work;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, Core};

/// Finds the point of the boundary nearest to `point`, with the work done.
pub(crate) fn convex_closest(shape: &Convex, pose: &Pose, point: Vec3) -> (Closest, Work) {
    if let Core::Hull(hull) = shape.core()
        && shape.margin() == 0.0
    {
        let (found, work) = mesh_closest(hull.surface(), pose, point);
        let found = Closest { primitive: 0, ..found };
        // Placed points on the surface that are no corners count, too.
        let is_missed = found.inside == Some(false) && !hull.loose().is_empty() && convex_contains(shape, pose, point);
        let result = if is_missed {
            Closest { inside: Some(true), signed_distance: Some(-found.distance), ..found }
        } else {
            found
        };
        return (result, work);
    }
    let mut work = Work { primitives: 1, ..Work::default() };
    let found = boundary(shape, pose, point, &mut work);
    let is_solid = has_inside(shape);
    let closest = Closest {
        point: found.point,
        distance: found.signed.abs(),
        signed_distance: is_solid.then_some(found.signed),
        inside: is_solid.then_some(found.signed <= 0.0),
        primitive: 0,
        error: found.error,
    };
    (closest, work)
}
