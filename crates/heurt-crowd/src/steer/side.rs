//! Side: agents step aside for those who come towards them, all to the same side, and followers do so, too.
//!
//! In: an agent, its preferred velocity, a side. Out: the velocity, turned to that side, and the share of the turn.
//! Method: an agent ahead with an opposite heading counts by 1 − gap/[`SIGHT`], unless it passes on the opposite
//! side already. The share of the turn is the sum of these, at most 1, or [`FOLLOWED`] times the largest share of the
//! agents ahead with the same heading. So a column makes room before its front meets another one, and lanes form.
//! Guarantees: an agent without any other one ahead keeps its velocity; a mirrored view has the mirrored result for the
//! opposite side. Cost: O(agents near).

use super::{AgentView, PassingSide};
use heurt_geometry::Vec2;

/// The largest turn, in radians: 75°. With 45° two crowds of a hundred do not pass a corridor of 2 m.
const LARGEST_TURN: f64 = 75.0 * std::f64::consts::PI / 180.0;

/// The largest gap to an agent that is made room for, in metres.
const SIGHT: f64 = 3.0;

/// An agent that passes with a lateral gap of this, in metres, is made no room for.
const ROOM: f64 = 0.3;

/// The share of the turn of an agent ahead that a follower takes over.
const FOLLOWED: f64 = 0.9;

/// Headings are opposite, or the same, from this cosine on: 60°.
const OPPOSITE: f64 = 0.5;

/// Turns the preferred velocity to a side; returns it with the share of the largest turn, from 0 to 1.
///
/// ```
/// use heurt_crowd::steer::{AgentView, NearAgent, PassingSide, step_aside};
/// use heurt_geometry::Vec2;
/// let other = NearAgent::new(Vec2::new(1.9, 0.0), Vec2::NEG_X, 0.2, 1);
/// let view = AgentView {
///     position: Vec2::ZERO,
///     velocity: Vec2::X,
///     radius: 0.2,
///     group: 0,
///     preferred: Vec2::X,
///     limit: 1.3,
///     step: 0.05,
///     agents: &[other],
///     walls: &[],
///     edges: &[],
/// };
/// let (turned, share) = step_aside(&view, PassingSide::Right);
/// assert!((share - 0.5).abs() < 1e-12 && turned.y < -0.6 && (turned.length() - 1.0).abs() < 1e-12);
/// ```
pub fn step_aside(view: &AgentView<'_>, side: PassingSide) -> (Vec2, f64) {
    let goal = view.preferred.normalize_or_zero();
    // Unit vector to the side that agents pass on.
    let free_side = match side {
        PassingSide::Right => goal.perp(),
        PassingSide::Left => -goal.perp(),
    };
    let (mut share, mut followed) = (0.0, 0.0_f64);
    for other in view.agents {
        let (offset, radii) = (other.position - view.position, view.radius + other.radius);
        if offset.dot(goal) <= 0.0 {
            continue;
        }
        let cosine = other.heading.dot(goal);
        if cosine < -OPPOSITE && offset.dot(free_side) <= radii + ROOM {
            share += (1.0 - (offset.length() - radii).max(0.0) / SIGHT).max(0.0);
        } else if cosine > OPPOSITE {
            followed = followed.max(FOLLOWED * other.yielding);
        }
    }
    let share = f64::max(share, followed).min(1.0);
    let turn = match side {
        PassingSide::Right => -LARGEST_TURN * share,
        PassingSide::Left => LARGEST_TURN * share,
    };
    (Vec2::new(libm::cos(turn), libm::sin(turn)).rotate(view.preferred), share)
}
