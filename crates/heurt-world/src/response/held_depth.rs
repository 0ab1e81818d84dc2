//! The end of a piece of a step before features that did not touch as it began overlap by much.
//!
//! In: bodies that touch and whose forces keep the gaps at these points open, with the motions of the piece. Out: a
//! time of the piece up to which they overlap little more than at its start.
//! Method: a body that tips over touches with other corners, edges or faces than before. Overlaps are measured as the
//! piece ends; if one is too deep, at half of the time and so on, then once more between the last two.
//! Not guaranteed: overlaps that come and go between these times. Pieces are short where bodies turn fast
//! (`piece_length`).
//! Cost: a search for contacts for each pair whose rotation may change its overlap.

use crate::body::Body;
use crate::response::assignment::Assignment;
use crate::response::candidates::{local_overlap, radius_of, touching_gap};
use crate::response::exact::{TouchState, TouchStates, pair_of};
use crate::response::parts::ResponseParts;
use crate::response::piece_length::thickness_of;
use heurt_broad::Pair;
use heurt_query::contact_manifold;
use rayon::prelude::*;

/// The overlap that a piece may add, as a share of the smallest half extent of both bodies: 0.5 mm for a plate of 2 cm.
const MOST_ADDED: f64 = 0.05;

/// Halvings of a piece.
const HALVINGS: i32 = 7;

/// A pair that touches, with the overlap that it may have.
struct HeldPair<'a> {
    pair: Pair,
    bodies: [&'a Body; 2],
    /// The gap up to which they touch, in metres.
    gap: f64,
    most: f64,
}

/// Returns the time up to which bodies that touch may go on, at most `until`.
pub(crate) fn end_before_overlap(
    parts: &ResponseParts<'_>,
    assignment: &Assignment,
    held: &TouchStates<'_>,
    until: f64,
) -> f64 {
    let touches = held.touches.iter().zip(held.states).filter(|(_, state)| **state == TouchState::Held);
    let pairs = touches.filter_map(|(touch, _)| {
        let pair = pair_of(touch);
        let bodies = [parts.view.bodies.get(touch.a)?, parts.view.bodies.get(touch.b)?];
        let contact = touch.contact.as_ref().filter(|_| assignment.is_exact_pair(pair.a, pair.b))?;
        let thickness = bodies.iter().filter_map(|body| thickness_of(body)).fold(f64::INFINITY, f64::min);
        let added = MOST_ADDED * thickness;
        let shift = |at: u32, body: &Body| {
            let rate = parts.plan.motions.of(at).angular_velocity.length().max(body.angular_velocity.length());
            if rate > 0.0 { rate * radius_of(body) * until } else { 0.0 }
        };
        // A half-space has no radius: nothing but its plane turns.
        let shifted = shift(pair.a, bodies[0]) + shift(pair.b, bodies[1]);
        let gap = touching_gap(bodies[0], bodies[1]);
        let most = added + local_overlap(contact) + gap;
        (shifted > added && added.is_finite()).then_some(HeldPair { pair, bodies, gap, most })
    });
    let pairs: Vec<HeldPair<'_>> = pairs.collect();
    let is_too_deep = |time: f64| {
        pairs.par_iter().any(|held| {
            let poses = [held.pair.a, held.pair.b].map(|at| parts.plan.motions.of(at).at(time).0);
            let [a, b] = held.bodies;
            // Within a gap, as for the solver.
            let found = contact_manifold(&a.shape, &poses[0], &b.shape, &poses[1], held.gap);
            found.is_some_and(|contact| local_overlap(&contact) > held.most)
        })
    };
    if pairs.is_empty() || !is_too_deep(until) {
        return until;
    }
    let halves = (1..=HALVINGS).map(|number| until * 0.5f64.powi(number));
    let Some(calm) = halves.into_iter().find(|time| !is_too_deep(*time)) else {
        return until * 0.5f64.powi(HALVINGS);
    };
    if is_too_deep(1.5 * calm) { calm } else { 1.5 * calm }
}
