//! A placed mesh and a placed convex shape.
//!
//! Method: a hull is queried as the mesh that it is; with a margin it is the distance of its core that counts; a
//! half-space needs the most distant vertex, and a curved shape goes triangle by triangle
//! (`convex/nearest_triangle`).
//! Guarantees: exact for hulls without a margin, on the hull of their placed points; else right beyond 16 ulp of the
//! largest coordinate.

use super::rounded::within;
use crate::answer::budget::{Budgeted, WorkMeter};
use crate::answer::overlap::{Side, Witness};
use crate::answer::placed::{Placed, PlacedMeshShape};
use crate::convex::half_space::below;
use crate::convex::nearest_triangle;
use crate::convex::separation::{Points, rehulled};
use crate::mesh::distance::metered::mesh_distance_metered;
use crate::mesh::distance::surfaces_within;
use crate::mesh::overlap::holds;
use crate::mesh::overlap::mesh_overlap_metered;
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::{Convex, Core, Hull};

/// Reports whether they share a point, as long as there is something to spend.
pub(crate) fn mesh_convex_overlap(
    a: PlacedMeshShape<'_>,
    b: Placed<'_, &Convex>,
    meter: &WorkMeter<'_>,
) -> Option<Witness> {
    let of_primitive = |primitive: u32| Witness::Primitives { a: primitive, b: 0 };
    match b.shape.core() {
        Core::Hull(hull) if b.shape.margin() == 0.0 => of_hull(a, b.with(&**hull), meter),
        Core::Hull(hull) => {
            let on_hull = b.with(hull.surface());
            let near = mesh_distance_metered(a, on_hull, b.shape.margin(), meter);
            within(near, meter, || mesh_overlap_metered(a, on_hull, meter)).map(as_one_primitive)
        }
        Core::HalfSpace { .. } => match below(b.shape, b.pose, a.shape, a.pose, meter) {
            Budgeted::Complete(lowest) => (lowest.gap.length <= 0.0).then(|| of_primitive(lowest.triangle)),
            Budgeted::Partial(_) => None,
        },
        Core::Round(_) => {
            let Budgeted::Complete(found) = nearest_triangle::nearest(a.shape, a.pose, b.shape, b.pose, 0.0, meter)
            else {
                return None;
            };
            found.map(|found| of_primitive(found.triangle)).or_else(|| {
                let mut work = Work::default();
                let is_inside = a.shape.is_solid() && holds(a.shape, a.pose, b.pose.translation(), &mut work);
                meter.add(work);
                is_inside.then_some(Witness::Contained(Side::B))
            })
        }
    }
}

/// A hull without a margin: its placed surface, then the hull of its placed points.
fn of_hull(a: PlacedMeshShape<'_>, b: Placed<'_, &Hull>, meter: &WorkMeter<'_>) -> Option<Witness> {
    let witness = mesh_overlap_metered(a, b.with(b.shape.surface()), meter);
    if witness.is_some() || meter.was_interrupted() {
        return witness.map(as_one_primitive);
    }
    hull_of_placed_points(a, b, meter)
}

/// Reports whether the hull of the placed points meets a mesh that its placed surface does not: placing rounds corners,
/// so that the surface may lie a few ulp beneath. If that can matter, the hull is made again.
pub(crate) fn hull_of_placed_points(
    a: PlacedMeshShape<'_>,
    b: Placed<'_, &Hull>,
    meter: &WorkMeter<'_>,
) -> Option<Witness> {
    let (hull, pose_hull) = (b.shape, b.pose);
    let is_as_given = pose_hull.is_identity() || hull.corners().len() <= 3 && hull.loose().is_empty();
    if is_as_given || meter.is_exhausted() {
        return None;
    }
    let largest = a.shape.tree().frame().max_coordinate()
        + a.pose.max_translation()
        + hull.max_coordinate()
        + pose_hull.max_translation();
    let (is_near, done) = surfaces_within(a, b.with(hull.surface()), 16.0 * f64::EPSILON * largest);
    meter.add(done);
    if !is_near {
        return None;
    }
    let exactly = |of: Points| {
        let exact = rehulled(hull, pose_hull, of)?;
        mesh_overlap_metered(a, Placed::new(exact.surface(), &Pose::IDENTITY), meter).map(as_one_primitive)
    };
    let of_loose = || if hull.loose().is_empty() { None } else { exactly(Points::All) };
    exactly(Points::Corners).or_else(of_loose)
}

/// A hull is one primitive, however many triangles it has.
fn as_one_primitive(witness: Witness) -> Witness {
    match witness {
        Witness::Primitives { a, .. } => Witness::Primitives { a, b: 0 },
        contained => contained,
    }
}
