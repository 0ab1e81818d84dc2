//! A placed compound and any shape: the part that is nearest.

use super::{Distance, distance_within_counted};
use crate::algo::near_parts::PlacedCompound;
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::{Compound, ShapeRef};
use std::ops::ControlFlow;

/// Finds how far they are apart if that is not above `max` metres: parts whose boxes are farther than the best so far are never
/// asked.
pub(crate) fn compound_distance_within(
    a: &Compound,
    pose_a: &Pose,
    b: ShapeRef<'_>,
    pose_b: &Pose,
    max: f64,
) -> (Option<Distance>, Work) {
    let (mut nearest, mut work): (Option<Distance>, _) = (None, Work::default());
    let mut limit = if max.is_nan() { f64::INFINITY } else { max };
    let placed = PlacedCompound { compound: a, pose: pose_a };
    let walked = placed.near_box(&b.bounds(), pose_b, limit, |number, pose| {
        let part = &a.parts()[number as usize];
        let (found, done) = distance_within_counted(&part.shape, pose, b, pose_b, limit);
        work += done;
        if let Some(found) = found
            && nearest.as_ref().is_none_or(|nearest| found.distance < nearest.distance)
        {
            limit = found.distance;
            nearest = Some(Distance { primitives: found.primitives.map(|[i, j]| [part.first + i, j]), ..found });
        }
        if limit == 0.0 && nearest.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(limit) }
    });
    work += walked;
    (nearest, work)
}
