//! The order in which points are inserted.
//!
//! In: points. Out: their numbers. Method: rounds of doubling size at random, so that no input is a bad one, and within
//! a round along a Morton curve, so that the next point is near the last (Amenta, Choi and Rote 2003).
//! Guarantees: the same points, the same order. Cost: O(n log n).

use heurt_geometry::{Aabb, SplitMix64, Vec3};

/// Sorts the numbers of points for insertion.
pub(super) fn insertion_order(points: &[Vec3], numbers: &mut [u32]) {
    let bounds = Aabb::from_points(numbers.iter().map(|&number| points[number as usize]));
    let mut random = SplitMix64::new(0x9e37_79b9_7f4a_7c15);
    for last in (1..numbers.len()).rev() {
        numbers.swap(last, (random.bits() % (last as u64 + 1)) as usize);
    }
    let mut end = numbers.len();
    while end > 0 {
        let begin = if end > 64 { end / 2 } else { 0 };
        numbers[begin..end].sort_by_cached_key(|&number| (morton(&bounds, points[number as usize]), number));
        end = begin;
    }
}

/// The place along the curve, 21 bits an axis.
fn morton(bounds: &Aabb, point: Vec3) -> u64 {
    // Halves, so that no box is too large.
    let part =
        (point * 0.5 - bounds.min * 0.5) / (bounds.max * 0.5 - bounds.min * 0.5).max(Vec3::splat(f64::MIN_POSITIVE));
    part.to_array().into_iter().enumerate().map(|(axis, part)| spread((part * 2_097_151.0) as u64) << axis).sum()
}

/// Puts two zeros between each of 21 bits.
fn spread(bits: u64) -> u64 {
    let mut bits = bits & 0x1f_ffff;
    bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
    bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
    bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
    bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
    (bits | bits << 2) & 0x1249_2492_4924_9249
}
