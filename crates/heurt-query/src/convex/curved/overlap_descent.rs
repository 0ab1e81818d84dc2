//! The direction of least overlap about a given one, of two sets with curved faces.
//!
//! In: two sets by their support points, a direction from A to B. Out: [`Depth`] along one in which they overlap no
//! more; no lower bound.
//! Method: how far A − B reaches along a direction changes, as that turns, by what its support point lies next to the
//! direction. That gradient on the sphere is followed by a quasi-Newton descent (BFGS; Nocedal and Wright, Numerical
//! Optimization, 2006, §6.1). Where surfaces have edges it ends early.
//! Guarantees: never more overlap than along the given direction. Cost: two support points a step and each halving of
//! one, some ten steps, [`MAX_STEPS`] at most.

use crate::convex::curved::axis_overlap::along;
use crate::convex::epa::Depth;
use crate::convex::support::Support;
use crate::numeric::iteration_limits::{LimitedSearch, bounded};
use heurt_geometry::{Mat3, Vec3};

/// Steps at most, and how often one is halved that leads to more overlap.
const MAX_STEPS: u32 = 48;
const MAX_HALVINGS: u32 = 12;
/// A step is this much of what its slope promises at least.
const PROMISED: f64 = 1e-4;

/// Goes down from `start` until a step promises no more than `least`.
pub(crate) fn least_overlap_about(a: &impl Support, b: &impl Support, start: Vec3, least: f64) -> Depth {
    let mut best = along(a, b, start);
    // Directions turn by lengths per lengths.
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

/// What of the support point lies next to the direction: the gradient of the overlap on the sphere.
fn beside(found: &Depth) -> Vec3 {
    across(found.on_a - found.on_b, found.normal)
}

/// The part of a vector across a unit vector.
fn across(vector: Vec3, unit: Vec3) -> Vec3 {
    vector - unit * unit.dot(vector)
}

/// The inverse of the second derivatives after a step along which the slope changed by `change`; as it was where that
/// is no valley.
fn learned(inverse: Mat3, step: Vec3, change: Vec3) -> Mat3 {
    let curved = step.dot(change);
    if curved <= 1e-12 * step.length() * change.length() {
        return inverse;
    }
    let outer = |u: Vec3, v: Vec3| Mat3::from_cols(u * v.x, u * v.y, u * v.z);
    let off = Mat3::IDENTITY - outer(step, change) * (1.0 / curved);
    off * inverse * off.transpose() + outer(step, step) * (1.0 / curved)
}
