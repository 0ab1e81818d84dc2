//! Interval proofs of separation: pieces of time proved free of contact in sequence, until contact or the end of the
//! part.
//!
//! In: a motion in either precision and a part of the step. Out: how far it is free, and why no further.
//! Method: at a time the nearest points give an axis along which the gap is the distance. A fixed axis proves the step
//! free as long as the gap, which is concave in time, lasts. An axis that turns evenly from the axis at one time to the
//! axis at a later time sees each corner at a height of degree two; its three Bernstein coefficients prove the piece
//! between free. Pieces shorten towards a contact by Newton's estimate.
//! Guarantees: no contact is skipped: only proofs advance the time. Ends after [`MAX_STEPS`] pieces.

use crate::ccd::closest_point::{nearest, nearest_seen, sideways};
use crate::ccd::precision::Number;
use crate::ccd::relative_motion::{MotionPlace, RelativeMotion, Shadow};

/// Limit of pieces of time in one part of the step: only sliding contacts at tiny distances need as many.
const MAX_STEPS: u32 = 512;
/// Share of the estimated time to contact that is tried at once.
const BOLD: f64 = 31.0 / 32.0;
/// Length of a piece, in shares of the step, below which the position where w passes the plane decides.
const INSTANT: f64 = 1e-9;

/// The time up to which a part of the step was proved free, and why the proof ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Reached {
    /// The end of the part.
    End,
    /// A time at which the distance is above the given clearing.
    Clearing(f64),
    /// A time shortly before a certain contact.
    Contact(f64),
    /// A time after which rounding prevents a decision.
    Doubt(f64),
    /// A time at which the bound of work was exhausted.
    Exhausted(f64),
}

/// Proves a part of the step free as far as possible, or until the distance is above `clearing`. The search for contact
/// is limited to `tolerance` ahead.
pub(super) fn advance<N: Number, const EDGES: bool>(
    motion: &RelativeMotion<N, EDGES>,
    [from, to]: [f64; 2],
    tolerance: f64,
    clearing: f64,
) -> Reached {
    let (last, change) = (motion.at(to), motion.change());
    let (mut now, mut stride) = (from, to - from);
    let mut place = motion.at(now);
    let (mut near, mut seen) = nearest_seen::<N, EDGES>(&place);
    for _ in 0..MAX_STEPS {
        // If the axis has no gap, rounding has turned it.
        if (near.distance <= motion.touching) | (seen.gap::<EDGES>() <= motion.separated_above) {
            return Reached::Doubt(now);
        }
        let at_last = last.along(near.axis);
        if motion.clear(&seen, &at_last) {
            return Reached::End;
        }
        if near.distance.rounded() > clearing {
            return Reached::Clearing(now);
        }
        let speed = -near.axis.dot(change.w - change.u.times(near.lambda) - change.v.times(near.mu)).rounded();
        let (rest, is_closing) = ((near.distance - N::new(motion.reach)).rounded() / speed, speed > 0.0);
        if is_closing && rest < 0.5 * tolerance && touches_soon(motion, [now, to], tolerance) {
            return Reached::Contact(now);
        }
        let most = stride.min(to - now);
        let step = if is_closing && BOLD * rest < most { BOLD * rest } else { most };
        let mut then = if step < to - now { now + step } else { to };
        if then <= now {
            // The next representable time.
            then = now.next_up();
            if then > to || !passes(motion, &place, &motion.at(then)) {
                return Reached::Doubt(now);
            }
        }
        let mut place_then = motion.at(then);
        let (mut near_then, mut later) = nearest_seen::<N, EDGES>(&place_then);
        let between = place_then.along(near.axis).halfway(&place.along(near_then.axis));
        let is_separated = clear_turning(motion, &[seen, between, later])
            || (then - now < INSTANT && passes(motion, &place, &place_then));
        stride = if is_separated { 4.0 * step } else { 0.25 * step };
        if !is_separated {
            // A fixed axis proves a while of separation.
            then = now + BOLD * seen.share_above::<EDGES>(&at_last, motion.separated_above) * (to - now);
            place_then = motion.at(then);
            if then <= now || !motion.clear(&seen, &place_then.along(near.axis)) {
                continue;
            }
            (near_then, later) = nearest_seen::<N, EDGES>(&place_then);
        }
        if then >= to {
            return Reached::End;
        }
        (now, place, near, seen) = (then, place_then, near_then, later);
    }
    Reached::Exhausted(now)
}

/// Reports whether there is provably contact within the tolerance, for a positive contact distance.
#[inline(always)]
fn touches_soon<N: Number, const EDGES: bool>(
    motion: &RelativeMotion<N, EDGES>,
    [now, to]: [f64; 2],
    tolerance: f64,
) -> bool {
    let probe = (now + 0.75 * tolerance).min(to);
    motion.reach > 0.0
        && probe - now <= tolerance
        && nearest::<N, EDGES>(&motion.at(probe)).distance < motion.surely_touching()
}

/// Reports whether coefficients along a turning axis prove a piece free: between the ends the axis is never longer than
/// at the ends.
#[inline(always)]
fn clear_turning<N: Number, const EDGES: bool>(motion: &RelativeMotion<N, EDGES>, seen: &[Shadow<N>; 3]) -> bool {
    seen.iter().all(|shadow| shadow.gap::<EDGES>() > motion.separated_above)
}

/// Reports whether w provably stays beyond an edge, at any height over the plane.
#[cold]
#[inline(never)]
fn passes<N: Number, const EDGES: bool>(
    motion: &RelativeMotion<N, EDGES>,
    from: &MotionPlace<N>,
    to: &MotionPlace<N>,
) -> bool {
    sideways::<N, EDGES>(from).any(|axis| motion.clear(&from.along(axis), &to.along(axis)))
}
