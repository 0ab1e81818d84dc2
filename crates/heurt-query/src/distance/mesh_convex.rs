//! A placed mesh and a placed convex shape: the distance of their cores less the margin.

use crate::answer::budget::{Budgeted, DistanceBounds, WorkMeter};
use crate::answer::distance::{BudgetedDistance, Distance};
use crate::answer::placed::{Placed, PlacedMeshShape};
use crate::convex::half_space::below;
use crate::convex::nearest_triangle;
use crate::mesh::distance::metered::mesh_distance_metered;
use crate::mesh::overlap::holds;
use heurt_bvh::Work;
use heurt_shape::{Convex, Core};

/// Finds how far a mesh and a convex shape are disjoint if that is not above `max` metres.
pub(crate) fn mesh_convex_distance(
    a: PlacedMeshShape<'_>,
    b: Placed<'_, &Convex>,
    max: f64,
    meter: &WorkMeter<'_>,
) -> BudgetedDistance {
    let margin = b.shape.margin();
    match b.shape.core() {
        Core::Hull(hull) => {
            let found = mesh_distance_metered(a, b.with(hull.surface()), max + margin, meter);
            let of_hull = |found: Distance| Distance { primitives: found.primitives.map(|[i, _]| [i, 0]), ..found };
            found.map_found(of_hull).less_margins([0.0, margin], max)
        }
        Core::HalfSpace { .. } => {
            let lowest = match below(b.shape, b.pose, a.shape, a.pose, meter) {
                Budgeted::Complete(lowest) => lowest,
                Budgeted::Partial(bounds) => return Budgeted::Partial(bounds),
            };
            let found = Distance::over_half_space(&lowest.gap, Some([lowest.triangle, 0]));
            Budgeted::Complete(Some(found).filter(|found| found.distance <= max))
        }
        Core::Round(_) => of_round(a, b, max, meter),
    }
}

/// A shape with curved faces: the nearest triangle, and whether its middle is in the solid.
fn of_round(a: PlacedMeshShape<'_>, b: Placed<'_, &Convex>, max: f64, meter: &WorkMeter<'_>) -> BudgetedDistance {
    let middle = b.pose.translation();
    let is_inside = || {
        let mut work = Work::default();
        let is_inside = a.shape.is_solid() && holds(a.shape, a.pose, middle, &mut work);
        meter.add(work);
        is_inside
    };
    match nearest_triangle::nearest(a.shape, a.pose, b.shape, b.pose, max, meter) {
        Budgeted::Complete(found) => {
            let found = found.map(|found| found.distance);
            let may_be_inside = found.is_none_or(|found| found.distance > 0.0);
            let common = || Distance::common(middle, None);
            Budgeted::Complete(if may_be_inside && is_inside() { Some(common()) } else { found })
        }
        // Disjoint surfaces do not decide containment.
        Budgeted::Partial(bounds) if bounds.at_least > 0.0 && is_inside() => {
            Budgeted::Partial(DistanceBounds { at_least: 0.0, ..bounds })
        }
        Budgeted::Partial(bounds) => Budgeted::Partial(bounds),
    }
}
