//! Proves pieces of time free of contact, one after the other, until there is contact or no time is left.
//!
//! In: a motion and a part of the step. Out: the first contact in it, or none.
//! Method: at a time the nearest points give an axis along which the gap is the distance. Held still, it proves the step free as long as
//! the gap, which bends downwards in time, lasts. Turned evenly from the axis at one time to that at a later one, it sees each corner
//! at a height of degree two, whose three Bernstein coefficients prove the piece between free. Pieces shorten
//! towards a contact by Newton's estimate.
//! Guarantees: contact is never passed over: only proofs move time on. Ends after [`MAX_STEPS`] pieces, with contact at the
//! time that was reached.

use super::motion::{Motion, Shadow};
use super::nearest::{nearest, nearest_seen};
use super::{CcdOptions, Impact};

/// The pieces of time looked at in one part of the step: only slides a hair's breadth apart need as many.
const MAX_STEPS: u32 = 1024;
/// How much of the estimated way to contact is tried at once.
const BOLD: f64 = 31.0 / 32.0;

/// Finds the first contact between two times, when there is none before `from`.
pub(super) fn advance<const EDGES: bool>(
    motion: &Motion<EDGES>,
    from: f64,
    to: f64,
    options: &CcdOptions,
) -> Option<Impact> {
    let (tolerance, last, change) = (options.tolerance, motion.at(to), motion.change());
    let mut now = from;
    let mut place = motion.at(now);
    let (mut near, mut seen) = nearest_seen::<EDGES>(&place);
    let mut stride = to - now;
    for _ in 0..MAX_STEPS {
        if near.distance <= motion.touching {
            return Some(within(now, now + tolerance, options));
        }
        let at_last = last.along(near.axis);
        if motion.clear(&seen, &at_last) {
            return None;
        }
        let speed = -near.axis.dot(change.w - change.u * near.lambda - change.v * near.mu);
        let rest = (near.distance - motion.reach) / speed;
        let is_closing = speed > 0.0;
        if is_closing && rest < 0.5 * tolerance {
            let probe = (now + 0.75 * tolerance).min(to);
            if nearest::<EDGES>(&motion.at(probe)).distance <= motion.touching {
                return Some(within(now, now + tolerance, options));
            }
        }
        let mut step = stride.min(to - now);
        if is_closing && BOLD * rest < step {
            step = BOLD * rest;
        }
        let mut then = if step < to - now { now + step } else { to };
        if then <= now {
            return Some(within(now, now + tolerance, options));
        }
        let mut place_then = motion.at(then);
        let (mut near_then, mut later) = nearest_seen::<EDGES>(&place_then);
        let between = place_then.along(near.axis).halfway(&place.along(near_then.axis));
        stride = 4.0 * step;
        if !clear_turning(motion, &[seen, between, later]) {
            // Held still, the axis lasts for a while.
            stride = 0.25 * step;
            then = now + BOLD * seen.share_above::<EDGES>(&at_last, motion.apart) * (to - now);
            place_then = motion.at(then);
            if then <= now || !motion.clear(&seen, &place_then.along(near.axis)) {
                continue;
            }
            (near_then, later) = nearest_seen::<EDGES>(&place_then);
        }
        if then >= to {
            return None;
        }
        (now, place, near, seen) = (then, place_then, near_then, later);
    }
    Some(Impact { time: now, time_upper: options.max_time })
}

/// Tells whether coefficients along an axis that turns prove a piece free: nowhere between is it longer than at the ends.
#[inline(always)]
fn clear_turning<const EDGES: bool>(motion: &Motion<EDGES>, seen: &[Shadow; 3]) -> bool {
    seen.iter().all(|shadow| shadow.gap::<EDGES>() > motion.apart)
}

/// The impact between two times, at most the tolerance apart, as subtraction rounds.
pub(super) fn within(time: f64, upper: f64, options: &CcdOptions) -> Impact {
    let mut time_upper = upper.min(options.max_time).max(time);
    if time_upper - time > options.tolerance {
        time_upper = time_upper.next_down().max(time);
    }
    Impact { time, time_upper }
}
