//! A placed compound and any shape: the part that is nearest, of two compounds the pair.

use super::distance_metered;
use crate::answer::budget::{Budgeted, DistanceBounds, WorkMeter};
use crate::answer::distance::{BudgetedDistance, Distance};
use crate::answer::placed::PlacedShape;
use crate::compound::nearby_parts::{PlacedCompound, PlacedPart, VisitResult, visit_pairs};
use heurt_shape::ShapeRef;
use std::ops::ControlFlow;

/// Finds how far they are disjoint if that is at most `max` metres: parts whose boxes are farther than the best found
/// far are never measured.
pub(crate) fn compound_distance(
    a: PlacedCompound<'_>,
    b: PlacedShape<'_>,
    max: f64,
    meter: &WorkMeter<'_>,
) -> BudgetedDistance {
    let mut best = Best { nearest: None, limit: max, least: f64::INFINITY, at_most: f64::INFINITY, meter };
    let left = visit_pairs(a, b, max, meter, |parts, at_least| best.visit(parts, at_least));
    if meter.was_interrupted() {
        // Parts that were begun, and the rest.
        let at_least = best.least.min(left.unwrap_or(f64::INFINITY)).max(0.0);
        return Budgeted::Partial(DistanceBounds { at_least: at_least.min(best.at_most), at_most: best.at_most });
    }
    let result = |found: Distance| match found.distance {
        0.0 => found,
        distance => Distance { error: found.error.max(distance - best.least), ..found },
    };
    Budgeted::Complete(best.nearest.map(result))
}

/// The nearest pair of parts found yet.
struct Best<'a> {
    nearest: Option<Distance>,
    limit: f64,
    /// The least lower bound of all parts at the reported distance: a larger part has a larger error.
    least: f64,
    /// Two parts are as near, for all that they were cut short.
    at_most: f64,
    meter: &'a WorkMeter<'a>,
}

impl Best<'_> {
    /// Measures two parts that are provably at least at this distance.
    fn visit(&mut self, parts: [PlacedPart<'_>; 2], at_least: f64) -> VisitResult {
        let [a, b] = parts.map(|part| part.placed);
        let largest =
            a.shape.max_coordinate() + a.pose.max_translation() + b.shape.max_coordinate() + b.pose.max_translation();
        let room = 64.0 * f64::EPSILON * largest;
        // Superquadrics are known less closely than they are distinguished by a limit.
        let is_vague = [a, b].iter().any(|placed| matches!(placed.shape, ShapeRef::Superquadric(_)));
        let limit = if is_vague { f64::INFINITY } else { self.limit + room };
        match distance_metered(a, b, limit, self.meter) {
            Budgeted::Complete(Some(found)) => {
                self.least = self.least.min(found.distance - found.error);
                // The error of superquadrics reaches down only.
                self.at_most = self.at_most.min(found.distance + if is_vague { room } else { found.error });
                if found.distance <= self.limit && self.nearest.is_none_or(|nearest| found.distance < nearest.distance)
                {
                    self.limit = found.distance;
                    let primitives =
                        found.primitives.map(|[i, j]| [parts[0].first_primitive + i, parts[1].first_primitive + j]);
                    self.nearest = Some(Distance { primitives, ..found });
                }
            }
            Budgeted::Complete(None) => {}
            // The boxes may know more than a search that was cut short.
            Budgeted::Partial(bounds) => {
                self.least = self.least.min(bounds.at_least.max(at_least));
                self.at_most = self.at_most.min(bounds.at_most);
            }
        }
        let is_enough = self.nearest.is_some_and(|nearest| nearest.distance == 0.0);
        if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(self.limit) }
    }
}
