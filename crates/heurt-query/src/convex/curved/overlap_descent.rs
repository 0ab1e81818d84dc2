//! Descent to the direction of least overlap around a given one, for two sets with curved faces.
//!
//! In: two sets given by their support points, a direction from A to B. Out: [`Depth`] along a direction in which they
//! overlap no more; no lower bound.
//! Method: the support height of A − B along a direction changes, as the direction turns, by the offset of the support
//! point across it. A quasi-Newton descent (BFGS; Nocedal and Wright, Numerical Optimization, 2006, §6.1) follows that
//! gradient on the sphere. If surfaces have edges, the descent ends early.
//! Guarantees: never more overlap than along the given direction. Cost: two support points for each step and each
//! halving of a step, some ten steps, at most [`MAX_STEPS`].

use crate::convex::curved::axis_overlap::along;
use crate::convex::epa::Depth;
use crate::convex::support::Support;
use crate::numeric::iteration_limits::{LimitedSearch, bounded};
use heurt_geometry::{Mat3, Vec3};

/// Maximum number of steps, and of halvings of a step that leads to more overlap.
const MAX_STEPS: u32 = 48;
const MAX_HALVINGS: u32 = 12;
/// Minimum gain of a step, as a share of the gain that its slope promises.
const PROMISED: f64 = 1e-4;

/// Descends from `start` until a step promises no more than `least`.
pub(crate) fn least_overlap_about(a: &impl Support, b: &impl Support, start: Vec3, least: f64) -> Depth {
    let mut best = along(a, b, start);
    // Turns are ratios of lengths, and slopes are lengths.
    let mut inverse = Mat3::from_diagonal(Vec3::splat(1.0 / (best.on_a - best.on_b).length()));
    let mut slope = beside(&best);
    for _ in bounded(LimitedSearch::OverlapDescent, MAX_STEPS) {
        let turn = across(-(inverse * slope), best.normal);
        let promised = -slope.dot(turn);
        if !promised.is_finite() || promised <= least {
            break;
        }
        let step = |halvings: u32| {
            let share = 0.5f64.powi(halvings as i32);
            let next = along(a, b, best.normal + turn * share);
            (next.at_most <= best.at_most - PROMISED * share * promised).then_some(next)
        };
        let Some(next) = (0..MAX_HALVINGS).find_map(step) else { break };
        let slope_there = beside(&next);
        inverse = learned(inverse, next.normal - best.normal, slope_there - slope);
        (best, slope) = (next, slope_there);
    }
    best
}

/// Returns the offset of the support point across the direction: the gradient of the overlap on the sphere.
fn beside(found: &Depth) -> Vec3 {
    across(found.on_a - found.on_b, found.normal)
}

/// Returns the part of a vector across a unit vector.
fn across(vector: Vec3, unit: Vec3) -> Vec3 {
    vector - unit * unit.dot(vector)
}

/// Updates the inverse of the second derivatives after a step along which the slope changed by `change`; unchanged if
/// that is no valley.
fn learned(inverse: Mat3, step: Vec3, change: Vec3) -> Mat3 {
    let curved = step.dot(change);
    if curved <= 1e-12 * step.length() * change.length() {
        return inverse;
    }
    let outer = |u: Vec3, v: Vec3| Mat3::from_cols(u * v.x, u * v.y, u * v.z);
    let off = Mat3::IDENTITY - outer(step, change) * (1.0 / curved);
    off * inverse * off.transpose() + outer(step, step) * (1.0 / curved)
}
