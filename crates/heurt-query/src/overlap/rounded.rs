//! Shapes of which one at least is a mesh with a margin: they overlap where their cores are not farther from each other
//! than the margins.

use super::overlap_metered;
use crate::answer::budget::{Budgeted, DistanceBounds, WorkMeter};
use crate::answer::distance::{Distance, without_margin};
use crate::answer::overlap::{Side, Witness};
use crate::distance::distance_metered;
use heurt_geometry::Pose;
use heurt_shape::ShapeRef;

/// Reports whether they share a point: right except within the error of the distance.
pub(crate) fn rounded_overlap(
    (a, pose_a): (ShapeRef<'_>, &Pose),
    (b, pose_b): (ShapeRef<'_>, &Pose),
    meter: &WorkMeter<'_>,
) -> Option<Witness> {
    let ((a, margin_a), (b, margin_b)) = (without_margin(a), without_margin(b));
    let near = distance_metered((a, pose_a), (b, pose_b), margin_a + margin_b, meter);
    within(near, meter, || overlap_metered((a, pose_a), (b, pose_b), meter))
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
