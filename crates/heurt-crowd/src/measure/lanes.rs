//! Lanes in counter-flow: an order parameter.
//!
//! In: a frame, which persons walk forward, the direction of the flow, the width of stripes. Out: a number from 0 to 1.
//! Method: Rex and Löwen, "Lane formation in oppositely charged colloids driven by an electric field", Physical Review
//! E 75, 051402 (2007). φ is the mean over persons of ((n_same − n_opposite) / (n_same + n_opposite))². The two numbers
//! count persons of both kinds in the stripe along the flow with the person on its middle line.
//! The person itself counts as one of its kind, so that a lonely person has order 1. For people, take the width of a
//! lane: 0.6 to 1 m.
//! Guarantees: 1 if each stripe has one kind, 0 if each has both in equal numbers. Persons at random places have a mean
//! near 1 / n for n persons a stripe, not 0.
//! Cost: O(n log n).

use super::trajectory::TrajectoryFrame;
use heurt_geometry::Vec2;

/// Computes the order of lanes in a frame; `None` without persons, or if `direction` has no length. Persons are of one
/// kind if `is_forward` is the same for them. Stripes are `width` metres wide, borders included.
///
/// ```
/// use heurt_crowd::measure::{Trajectories, lane_order};
/// use heurt_geometry::Vec2;
/// // Two lanes at a distance of 1 m: even persons walk forward.
/// let rows = (0..20).map(|id| (id, 0.0, Vec2::new(f64::from(id), f64::from(id % 2))));
/// let people = Trajectories::from_rows(rows)?;
/// let frame = &people.frames()[0];
/// assert_eq!(lane_order(frame, |id| id % 2 == 0, Vec2::X, 0.8), Some(1.0));
/// assert_eq!(lane_order(frame, |id| id % 2 == 0, Vec2::X, 2.2), Some(0.0));
/// # Ok::<(), heurt_crowd::measure::TrajectoryError>(())
/// ```
pub fn lane_order(
    frame: &TrajectoryFrame,
    is_forward: impl Fn(u32) -> bool,
    direction: Vec2,
    width: f64,
) -> Option<f64> {
    let lateral = direction.try_normalize()?.perp();
    let mut persons: Vec<(f64, bool)> =
        frame.agents.iter().map(|&(id, position)| (position.dot(lateral), is_forward(id))).collect();
    persons.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    // Forward persons before each place.
    let mut forward = vec![0_i64];
    forward.extend(persons.iter().scan(0, |sum, person| {
        *sum += i64::from(person.1);
        Some(*sum)
    }));
    let square = |&(offset, _): &(f64, bool)| {
        let from = persons.partition_point(|person| offset - person.0 > 0.5 * width);
        let to = persons.partition_point(|person| person.0 - offset <= 0.5 * width);
        let (all, forward) = ((to - from) as i64, forward[to] - forward[from]);
        // The difference of both kinds; its square is the same for both.
        let share = (2 * forward - all) as f64 / all.max(1) as f64;
        share * share
    };
    (!persons.is_empty()).then(|| persons.iter().map(square).sum::<f64>() / persons.len() as f64)
}
