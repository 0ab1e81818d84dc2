//! A placed mesh and a placed convex shape: the distance of their cores less the margin.

use crate::answer::budget::{Budgeted, DistanceBounds, WorkMeter};
use crate::answer::distance::{BudgetedDistance, Distance};
use crate::convex::half_space::below;
use crate::convex::nearest_triangle;
use crate::mesh::distance::metered::mesh_distance_metered;
use crate::mesh::overlap::holds;
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::{Convex, Core, MeshShape};

/// Finds how far a mesh and a convex shape are disjoint if that is not above `max` metres.
pub(crate) fn mesh_convex_distance(
    (mesh, pose): (&MeshShape, &Pose),
    (convex, pose_convex): (&Convex, &Pose),
    max: f64,
    meter: &WorkMeter<'_>,
) -> BudgetedDistance {
    let margin = convex.margin();
    match convex.core() {
        Core::Hull(hull) => {
            let found = mesh_distance_metered((mesh, pose), (hull.surface(), pose_convex), max + margin, meter);
            let of_hull = |found: Distance| Distance { primitives: found.primitives.map(|[i, _]| [i, 0]), ..found };
            found.map_found(of_hull).less_margins([0.0, margin], max)
        }
        Core::HalfSpace { .. } => {
            let lowest = match below(convex, pose_convex, mesh, pose, meter) {
                Budgeted::Complete(lowest) => lowest,
                Budgeted::Cut(bounds) => return Budgeted::Cut(bounds),
            };
            let found = Distance::over_half_space(&lowest.gap, Some([lowest.triangle, 0]));
            Budgeted::Complete(Some(found).filter(|found| found.distance <= max))
        }
        Core::Round(_) => of_round((mesh, pose), (convex, pose_convex), max, meter),
    }
}

/// A shape with curved faces: the nearest triangle, and whether its middle is in the solid.
fn of_round(
    (mesh, pose): (&MeshShape, &Pose),
    (convex, pose_convex): (&Convex, &Pose),
    max: f64,
    meter: &WorkMeter<'_>,
) -> BudgetedDistance {
    let middle = pose_convex.translation();
    let is_inside = || {
        let mut work = Work::default();
        let is_inside = mesh.is_solid() && holds(mesh, pose, middle, &mut work);
        meter.add(work);
        is_inside
    };
    match nearest_triangle::nearest(mesh, pose, convex, pose_convex, max, meter) {
        Budgeted::Complete(found) => {
            let found = found.map(|found| found.distance);
            let may_be_inside = found.is_none_or(|found| found.distance > 0.0);
            let common = || Distance::common(middle, None);
            Budgeted::Complete(if may_be_inside && is_inside() { Some(common()) } else { found })
        }
        // Disjoint surfaces do not decide containment.
        Budgeted::Cut(bounds) if bounds.at_least > 0.0 && is_inside() => {
            Budgeted::Cut(DistanceBounds { at_least: 0.0, ..bounds })
        }
        Budgeted::Cut(bounds) => Budgeted::Cut(bounds),
    }
}
