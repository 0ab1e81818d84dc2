//! Until when points that go straight provably stay disjoint, by the boxes around them.
//!
//! In: the boxes at the start and at the end of a step. Out: a share of the step.
//! Method: along an axis the box about points that go straight is never larger than what lies in a straight line
//! between both boxes, so that gaps close no earlier than those of boxes that do.
//! Guarantees: never late. Cost: some nanoseconds.

use super::MovingPrimitives;
use heurt_geometry::Aabb;

/// The time before which two such groups of points provably are more than `separation` apart; infinite where they are
/// all the time.
pub(super) fn clear_until(a: &[Aabb; 2], b: &[Aabb; 2], separation: f64) -> f64 {
    let mut clear = 0.0;
    let largest = [a, b]
        .iter()
        .flat_map(|ends| ends.iter())
        .fold(separation, |most, bounds| f64::max(most, bounds.min.abs().max(bounds.max.abs()).max_element()));
    let room = 16.0 * f64::EPSILON * largest;
    for (below, above) in [(a, b), (b, a)] {
        for axis in 0..3 {
            let [begins, ends] = [0, 1].map(|end| above[end].min[axis] - below[end].max[axis] - separation - room);
            if begins > 0.0 {
                let until = if ends > 0.0 { f64::INFINITY } else { begins / (begins - ends) * (1.0 - 1e-14) };
                clear = f64::max(clear, until);
            }
        }
    }
    clear
}

/// The same of two primitives, of which the first has so many of the points.
pub(super) fn primitives_clear_until(pair: &MovingPrimitives, of_first: usize, separation: f64) -> f64 {
    let about = |from: usize, to: usize| {
        [&pair.start, &pair.end].map(|points| Aabb::from_points(points[from..to].iter().copied()))
    };
    clear_until(&about(0, of_first), &about(of_first, 4), separation)
}
