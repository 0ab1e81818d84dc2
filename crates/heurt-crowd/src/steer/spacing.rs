//! Free spacing: the gap to the nearest agent ahead, and the speed that a time gap allows there.
//!
//! In: an agent, a direction. Out: metres, m/s.
//! Method: the swath of two discs is the strip of the sum l of the radii to each side of the line ahead
//! (Tordeux, Chraibi, Seyfried 2016). The spacing s is the distance of the centres; the gap is s − l.
//! Agents behind a wall do not count. A speed of at most gap/T leaves a time gap of T seconds.
//! Guarantees: no result is NaN; an agent in overlap has the gap 0. Cost: O(agents near · walls near).

use super::{AgentView, NearAgent};
use heurt_geometry::Vec2;

/// The largest distance to the agent ahead that counts, in metres.
pub(crate) const LONGEST_GAP: f64 = 20.0;

/// Computes the gap to the nearest agent ahead, in metres; infinite if none is there. `direction` is a unit vector.
///
/// ```
/// use heurt_crowd::steer::{AgentView, NearAgent, gap_ahead};
/// use heurt_geometry::Vec2;
/// let agents = [NearAgent::new(Vec2::new(1.0, 0.1), Vec2::ZERO, 0.2, 0)];
/// let view = AgentView {
///     position: Vec2::new(0.0, 0.1),
///     velocity: Vec2::ZERO,
///     radius: 0.2,
///     group: 0,
///     preferred: Vec2::X,
///     limit: 1.3,
///     step: 0.05,
///     agents: &agents,
///     walls: &[],
///     edges: &[],
/// };
/// assert!((gap_ahead(&view, Vec2::X) - 0.6).abs() < 1e-12);
/// assert_eq!(gap_ahead(&view, Vec2::Y), f64::INFINITY);
/// ```
pub fn gap_ahead(view: &AgentView<'_>, direction: Vec2) -> f64 {
    let gap = |other: &NearAgent| {
        let (offset, sum) = (other.position - view.position, view.radius + other.radius);
        let is_ahead = offset.dot(direction) > 0.0 && offset.dot(direction.perp()).abs() <= sum;
        (is_ahead && is_seen(view, other)).then(|| (offset.length() - sum).max(0.0))
    };
    view.agents.iter().filter_map(gap).fold(f64::INFINITY, f64::min)
}

/// Limits a velocity to the speed that a time gap in seconds allows ahead.
pub fn keep_time_gap(view: &AgentView<'_>, velocity: Vec2, time_gap: f64) -> Vec2 {
    let speed = velocity.length();
    if speed <= 0.0 {
        return velocity;
    }
    let allowed = gap_ahead(view, velocity / speed) / time_gap;
    if allowed < speed { velocity * (allowed / speed) } else { velocity }
}

/// Reports whether no wall lies between the centres.
pub(super) fn is_seen(view: &AgentView<'_>, other: &NearAgent) -> bool {
    let sight = other.position - view.position;
    let is_between = |[a, b]: [Vec2; 2]| {
        let along = b - a;
        along.perp_dot(view.position - a) * along.perp_dot(other.position - a) < 0.0
            && sight.perp_dot(a - view.position) * sight.perp_dot(b - view.position) < 0.0
    };
    !view.walls.iter().any(|wall| is_between(wall.segment))
}
