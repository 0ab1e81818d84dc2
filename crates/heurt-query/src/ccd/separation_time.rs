//! Lower bound of the contact time of points on straight lines, by the boxes around them.
//!
//! In: the boxes at the start and at the end of a step. Out: a share of the step.
//! Method: along an axis, the box around points on straight lines is never larger than the linear interpolation of the
//! boxes at both ends. Gaps therefore close no earlier than the gaps of interpolated boxes.
//! Guarantees: never late. Cost: some nanoseconds.

use super::MovingPrimitives;
use heurt_geometry::Aabb;

/// Computes the time before which two groups of points are provably more than `separation` from each other; infinite if
/// they are for the whole step.
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

/// Computes [`clear_until`] of two primitives; the first has `of_first` of the points.
pub(super) fn primitives_clear_until(pair: &MovingPrimitives, of_first: usize, separation: f64) -> f64 {
    let about = |from: usize, to: usize| {
        [&pair.start, &pair.end].map(|points| Aabb::from_points(points[from..to].iter().copied()))
    };
    clear_until(&about(0, of_first), &about(of_first, 4), separation)
}
