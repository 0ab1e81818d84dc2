//! Order along a Morton curve, and the split where the codes of a sorted range first differ (linear BVH).

use super::binary::Reference;
use super::top_down::{Split, SplitRule, split_at};
use crate::simd::WideIsa;
use crate::volume::Aabb32;

/// The rule: part a sorted range at its highest differing bit.
pub(crate) struct HighestBit;

/// Local coordinates lie in [−1, 1], doubled centres in [−2, 2]: ten bits an axis.
fn code(reference: &Reference) -> u32 {
    let cell = |k: usize| ((reference.centre2(k) + 2.0) * 255.99) as u32;
    spread(cell(0)) << 2 | spread(cell(1)) << 1 | spread(cell(2))
}

/// Puts two zeros between the ten low bits of `x`.
fn spread(x: u32) -> u32 {
    let x = x.min(1023);
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}

/// Sorts by code, then by primitive.
pub(crate) fn sort(refs: &mut [Reference]) {
    refs.sort_by_cached_key(|r| (code(r), r.primitive()));
}

impl SplitRule for HighestBit {
    #[inline(always)]
    fn split<I: WideIsa>(&self, _isa: I, refs: &mut [Reference], _bounds: &Aabb32) -> Option<Split> {
        let (first, last) = (code(refs.first()?), code(refs.last()?));
        if first == last {
            return None;
        }
        let bit = 31 - (first ^ last).leading_zeros();
        let threshold = (last >> bit) << bit;
        let left_count = refs.partition_point(|r| code(r) < threshold);
        Some(split_at(refs, left_count))
    }
}
