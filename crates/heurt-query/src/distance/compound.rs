//! A placed compound and any shape: the part that is nearest, of two compounds the pair.

use super::{Distance, distance_within_counted};
use crate::algo::near_parts::{PlacedCompound, Reach};
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
    let mut best = Best { nearest: None, limit: max, least: f64::INFINITY, work: Work::default() };
    let placed = PlacedCompound { compound: a, pose: pose_a };
    let walked = match b {
        ShapeRef::Compound(b) => {
            let other = PlacedCompound { compound: b, pose: pose_b };
            placed.near_pairs(&other, max, |[i, j], [at_a, at_b]| {
                let (of_a, of_b) = (&a.parts()[i as usize], &b.parts()[j as usize]);
                best.ask(((&of_a.shape).into(), at_a, of_a.first), ((&of_b.shape).into(), at_b, of_b.first))
            })
        }
        b => placed.near((b, pose_b), max, |number, pose| {
            let part = &a.parts()[number as usize];
            best.ask(((&part.shape).into(), pose, part.first), (b, pose_b, 0))
        }),
    };
    best.work += walked;
    let told = |found: Distance| match found.distance {
        0.0 => found,
        distance => Distance { error: found.error.max(distance - best.least), ..found },
    };
    (best.nearest.map(told), best.work)
}

/// The nearest pair of parts so far.
struct Best {
    nearest: Option<Distance>,
    limit: f64,
    /// Of all parts as near as told: a larger one may be nearer by what it is known less well.
    least: f64,
    work: Work,
}

impl Best {
    /// Asks two parts, each with its first primitive.
    fn ask(&mut self, a: (ShapeRef<'_>, &Pose, u32), b: (ShapeRef<'_>, &Pose, u32)) -> Reach {
        let largest = a.0.reach() + a.1.span() + b.0.reach() + b.1.span();
        let room = 64.0 * f64::EPSILON * largest;
        // Superquadrics are known less closely than they are told apart by a limit.
        let is_vague = [a.0, b.0].iter().any(|shape| matches!(shape, ShapeRef::Superquadric(_)));
        let limit = if is_vague { f64::INFINITY } else { self.limit + room };
        let (found, done) = distance_within_counted(a.0, a.1, b.0, b.1, limit);
        self.work += done;
        if let Some(found) = found {
            self.least = self.least.min(found.distance - found.error);
            if found.distance <= self.limit && self.nearest.is_none_or(|nearest| found.distance < nearest.distance) {
                self.limit = found.distance;
                let primitives = found.primitives.map(|[i, j]| [a.2 + i, b.2 + j]);
                self.nearest = Some(Distance { primitives, ..found });
            }
        }
        let is_enough = self.nearest.is_some_and(|nearest| nearest.distance == 0.0);
        if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(self.limit) }
    }
}
