//! Search for the first contact in a step: planes, then the cubic, then pieces of time; doubtful pieces are repeated
//! with doubled precision.
//!
//! Guarantees: excluded times are proved free; parts of the step are processed in order, [`MAX_PARTS`] at most.

use super::cubic::{Height, Signs, is_surely_inside};
use super::{CcdOptions, FirstContact};
use crate::ccd::closest_point::nearest;
use crate::ccd::interval_proof::{Reached, advance};
use crate::ccd::relative_motion::RelativeMotion;
use smallvec::{SmallVec, smallvec};

/// Limit of parts of the step tested by the cubic; the rest is processed as one part.
const MAX_PARTS: u32 = 64;
/// A part as short as this is not split for the cubic.
const SHORT: f64 = 1.0 / 4096.0;
/// Width of the enclosure of roots, in shares of the step: far below typical motions, far above rounding errors.
const ROOT_WIDTH: f64 = 1.0 / (1u64 << 33) as f64;

/// Limit of retries of a part of the step after a doubt.
const MAX_DOUBTS: u32 = 16;
/// Shortest piece of time that is split, in steps between neighbouring doubles: contact may be at its end.
const FINEST: f64 = 4.0;
/// Factor of the contact distance above which the search returns from doubled precision to `f64`.
const CLEARING: f64 = 8.0;

pub(super) fn first_contact<const EDGES: bool>(
    motion: &RelativeMotion<f64, EDGES>,
    options: &CcdOptions,
) -> Option<FirstContact> {
    let last = if options.max_time == 1.0 { motion.end } else { motion.at(options.max_time) };
    if motion.clear_along_axes(&motion.start, &last) {
        return None;
    }
    let near = nearest::<f64, EDGES>(&motion.start);
    if motion.clear(&motion.start.along(near.axis), &last.along(near.axis)) {
        return None;
    }
    if near.distance <= motion.touching && motion.touches_at_start() {
        return Some(FirstContact { time: 0.0, time_upper: 0.0 });
    }
    let height = Height::new(motion);
    if motion.reach == 0.0 {
        return search(motion, &height, options);
    }
    let margin = height.error + motion.reach * height.longest_normal * (1.0 + 8.0 * f64::EPSILON);
    match Height::signs(&height.between(0.0, options.max_time), margin) {
        Signs::Never => None,
        _ => classify_batch(motion, [0.0, options.max_time], options),
    }
}

/// Searches for contact at distance 0 where the height may be zero.
fn search<const EDGES: bool>(
    motion: &RelativeMotion<f64, EDGES>,
    height: &Height,
    options: &CcdOptions,
) -> Option<FirstContact> {
    let mut parts: SmallVec<[[f64; 2]; 16]> = smallvec![[0.0, options.max_time]];
    for _ in 0..MAX_PARTS {
        let [from, to] = parts.pop()?;
        let coefficients = height.between(from, to);
        let part = match Height::signs(&coefficients, height.error) {
            Signs::Never => continue,
            Signs::Once => {
                let [low, high] = height.enclose(&coefficients, from, to, ROOT_WIDTH.min(0.5 * options.tolerance));
                if high - low <= options.tolerance && is_surely_inside(motion, low, high) {
                    return Some(FirstContact { time: low, time_upper: high });
                }
                [low, high]
            }
            Signs::Mixed if to - from > SHORT => {
                let middle = 0.5 * (from + to);
                parts.push([middle, to]);
                parts.push([from, middle]);
                continue;
            }
            Signs::Mixed | Signs::Unknown => [from, to],
        };
        let found = classify_batch(motion, part, options);
        if found.is_some() {
            return found;
        }
    }
    let [from, _] = parts.pop()?;
    classify_batch(motion, [from, options.max_time], options)
}

/// Finds the first contact in a part of the step, with doubled precision after a doubt.
fn classify_batch<const EDGES: bool>(
    motion: &RelativeMotion<f64, EDGES>,
    [from, to]: [f64; 2],
    options: &CcdOptions,
) -> Option<FirstContact> {
    let mut now = from;
    for _ in 0..MAX_DOUBTS {
        now = match advance(motion, [now, to], options.tolerance, f64::INFINITY) {
            Reached::End => return None,
            Reached::Contact(time) => return Some(soon_after(time, options)),
            Reached::Clearing(time) | Reached::Doubt(time) | Reached::Exhausted(time) => time,
        };
        if to == 1.0 && to - now <= options.tolerance && motion.touches_at_end() {
            return Some(soon_after(now, options));
        }
        now = match advance(&motion.sharp(), [now, to], options.tolerance, CLEARING * motion.touching) {
            Reached::End => return None,
            Reached::Clearing(time) => time,
            Reached::Contact(time) | Reached::Doubt(time) => return Some(soon_after(time, options)),
            Reached::Exhausted(time) => return Some(FirstContact { time, time_upper: options.max_time }),
        };
    }
    Some(FirstContact { time: now, time_upper: options.max_time })
}

/// Returns a contact within the tolerance, rounded as the subtraction is, or within the resolution of times in `f64`.
fn soon_after(time: f64, options: &CcdOptions) -> FirstContact {
    let tolerance = options.tolerance.max(FINEST * (time.next_up() - time));
    let mut time_upper = (time + tolerance).min(options.max_time);
    if time_upper - time > tolerance {
        time_upper = time_upper.next_down();
    }
    FirstContact { time, time_upper: time_upper.max(time) }
}
