//! Shapes of which one at least is a mesh with a margin: they overlap where their cores are not farther from each other
//! than the margins.

use super::overlap_metered;
use crate::answer::budget::{Budgeted, DistanceBounds, WorkMeter};
use crate::answer::distance::{Distance, without_margin};
use crate::answer::overlap::{Side, Witness};
use crate::answer::placed::PlacedShape;
use crate::distance::distance_metered;

/// Reports whether they share a point: right except within the error of the distance.
pub(crate) fn rounded_overlap(a: PlacedShape<'_>, b: PlacedShape<'_>, meter: &WorkMeter<'_>) -> Option<Witness> {
    let ((core_a, margin_a), (core_b, margin_b)) = (without_margin(a.shape), without_margin(b.shape));
    let (a, b) = (a.with(core_a), b.with(core_b));
    let near = distance_metered(a, b, margin_a + margin_b, meter);
    within(near, meter, || overlap_metered(a, b, meter))
}

/// The witness of shapes whose cores are within the margins; `overlap` decides if the cores lie in each other.
pub(super) fn within(
    near: Budgeted<Option<Distance>, DistanceBounds>,
    meter: &WorkMeter<'_>,
    overlap: impl FnOnce() -> Option<Witness>,
) -> Option<Witness> {
    let Budgeted::Complete(found) = near else { return None };
    match found?.primitives {
        Some([a, b]) => Some(Witness::Primitives { a, b }),
        None => overlap().or_else(|| (!meter.was_interrupted()).then_some(Witness::Contained(Side::B))),
    }
}
