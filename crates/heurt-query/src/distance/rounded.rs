//! Shapes of which one at least is a mesh with a margin: the distance of their cores less the margins.

use super::distance_metered;
use crate::answer::budget::WorkMeter;
use crate::answer::distance::BudgetedDistance;
use crate::answer::distance::without_margin;
use crate::answer::placed::PlacedShape;

/// Finds how far they are disjoint if that is not above `max` metres.
pub(crate) fn rounded_distance(
    a: PlacedShape<'_>,
    b: PlacedShape<'_>,
    max: f64,
    meter: &WorkMeter<'_>,
) -> BudgetedDistance {
    let ((core_a, margin_a), (core_b, margin_b)) = (without_margin(a.shape), without_margin(b.shape));
    let found = distance_metered(a.with(core_a), b.with(core_b), max + margin_a + margin_b, meter);
    found.less_margins([margin_a, margin_b], max)
}
