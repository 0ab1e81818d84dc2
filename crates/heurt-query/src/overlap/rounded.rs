//! Shapes of which one at least is a mesh with a margin: they overlap where their cores are not farther apart than the margins.

use super::{Side, Witness, overlap_counted};
use crate::distance::{Distance, distance_within_counted, without_margin};
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::ShapeRef;

/// Tells whether they share a point: right but for the error of the distance.
pub(crate) fn rounded_overlap(
    a: ShapeRef<'_>,
    pose_a: &Pose,
    b: ShapeRef<'_>,
    pose_b: &Pose,
) -> (Option<Witness>, Work) {
    let ((a, margin_a), (b, margin_b)) = (without_margin(a), without_margin(b));
    let near = distance_within_counted(a, pose_a, b, pose_b, margin_a + margin_b);
    within(near, || overlap_counted(a, pose_a, b, pose_b))
}

/// What proves that shapes overlap whose cores are so near; `overlap` is asked where the cores lie in each other.
pub(super) fn within(
    (found, mut work): (Option<Distance>, Work),
    overlap: impl FnOnce() -> (Option<Witness>, Work),
) -> (Option<Witness>, Work) {
    let witness = found.map(|found| match found.primitives {
        Some([a, b]) => Witness::Primitives { a, b },
        None => {
            let (witness, done) = overlap();
            work += done;
            witness.unwrap_or(Witness::Contained(Side::B))
        }
    });
    (witness, work)
}
