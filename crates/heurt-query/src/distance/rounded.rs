//! Shapes of which one at least is a mesh with a margin: the distance of their cores less the margins.

use super::distance_metered;
use crate::answer::budget::WorkMeter;
use crate::answer::distance::BudgetedDistance;
use crate::answer::distance::without_margin;
use heurt_geometry::Pose;
use heurt_shape::ShapeRef;

/// Finds how far they are disjoint if that is not above `max` metres.
pub(crate) fn rounded_distance(
    (a, pose_a): (ShapeRef<'_>, &Pose),
    (b, pose_b): (ShapeRef<'_>, &Pose),
    max: f64,
    meter: &WorkMeter<'_>,
) -> BudgetedDistance {
    let ((a, margin_a), (b, margin_b)) = (without_margin(a), without_margin(b));
    let found = distance_metered((a, pose_a), (b, pose_b), max + margin_a + margin_b, meter);
    found.less_margins([margin_a, margin_b], max)
}
