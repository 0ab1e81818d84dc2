//! From the whole step to the first contact: planes, then the cubic, then pieces of time.
//!
//! Guarantees: what is left out is proved free; parts of the step are looked at in order, [`MAX_PARTS`] at most.

use super::cubic::{Height, Signs, is_surely_inside};
use super::inclusion::{advance, within};
use super::motion::Motion;
use super::nearest::nearest;
use super::{CcdOptions, Impact};
use smallvec::{SmallVec, smallvec};

/// The parts of the step for which the cubic is asked; what is left after them is looked at in one.
const MAX_PARTS: u32 = 64;
/// A part as short as this is not split for the sake of the cubic.
const SHORT: f64 = 1.0 / 4096.0;
/// How closely roots are enclosed: far below what motions move, far above what roundings spoil.
const ROOT_WIDTH: f64 = 1.0 / (1u64 << 33) as f64;

pub(super) fn first_contact<const EDGES: bool>(motion: &Motion<EDGES>, options: &CcdOptions) -> Option<Impact> {
    let last = if options.max_time == 1.0 { motion.end } else { motion.at(options.max_time) };
    if motion.clear_along_axes(&motion.start, &last) {
        return None;
    }
    let near = nearest::<EDGES>(&motion.start);
    if near.distance <= motion.touching {
        return Some(within(0.0, options.tolerance, options));
    }
    let axis = near.axis;
    if motion.clear(&motion.start.along(axis), &last.along(axis)) {
        return None;
    }
    let height = Height::new(motion);
    if motion.reach == 0.0 {
        return search(motion, &height, options);
    }
    let margin = height.error + motion.reach * height.longest_normal * (1.0 + 8.0 * f64::EPSILON);
    match Height::signs(&height.between(0.0, options.max_time), margin) {
        Signs::Never => None,
        _ => advance(motion, 0.0, options.max_time, options),
    }
}

/// Looks for contact at distance 0 where the height may be zero.
fn search<const EDGES: bool>(motion: &Motion<EDGES>, height: &Height, options: &CcdOptions) -> Option<Impact> {
    let mut parts: SmallVec<[(f64, f64); 16]> = smallvec![(0.0, options.max_time)];
    let mut count = 0;
    while let Some((from, to)) = parts.pop() {
        count += 1;
        if count > MAX_PARTS {
            return advance(motion, from, options.max_time, options);
        }
        let coefficients = height.between(from, to);
        let (from, to) = match Height::signs(&coefficients, height.error) {
            Signs::Never => continue,
            Signs::Once => {
                let [low, high] = height.enclose(&coefficients, from, to, ROOT_WIDTH.min(0.5 * options.tolerance));
                if high - low <= options.tolerance && is_surely_inside(motion, low, high) {
                    return Some(within(low, high, options));
                }
                (low, high)
            }
            Signs::Mixed if to - from > SHORT => {
                let middle = 0.5 * (from + to);
                parts.push((middle, to));
                parts.push((from, middle));
                continue;
            }
            Signs::Mixed | Signs::Unknown => (from, to),
        };
        let found = advance(motion, from, to, options);
        if found.is_some() {
            return found;
        }
    }
    None
}
