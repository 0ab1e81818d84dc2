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
    let mut limit = max;
    let placed = PlacedCompound { compound: a, pose: pose_a };
    // Of all parts as near as told: a larger one may be nearer by what it is known less well.
    let mut least = f64::INFINITY;
    let walked = placed.near_box(&b.bounds(), pose_b, limit, |number, pose| {
        let part = &a.parts()[number as usize];
        let of_part = ShapeRef::from(&part.shape).reach() + pose.span();
        let room = 64.0 * f64::EPSILON * (of_part + b.reach() + pose_b.span());
        let (found, done) = distance_within_counted(&part.shape, pose, b, pose_b, limit + room);
        work += done;
        if let Some(found) = found {
            least = least.min(found.distance - found.error);
            if found.distance <= limit && nearest.as_ref().is_none_or(|nearest| found.distance < nearest.distance) {
                limit = found.distance;
                nearest = Some(Distance { primitives: found.primitives.map(|[i, j]| [part.first + i, j]), ..found });
            }
        }
        let is_enough = nearest.as_ref().is_some_and(|nearest| nearest.distance == 0.0);
        if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(limit) }
    });
    work += walked;
    let told = |found: Distance| match found.distance {
        0.0 => found,
        distance => Distance { error: found.error.max(distance - least), ..found },
    };
    (nearest.map(told), work)
}
