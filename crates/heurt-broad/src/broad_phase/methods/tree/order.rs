//! Packing order of objects in a tree: by size class, then by halving space.
//!
//! In: fat boxes. Out: slots. Method: sizes in classes a factor of 8 wide, so that a large box does not enlarge a node
//! of small boxes. Within a class, objects are split at multiples of a subtree's capacity, across the axis along which
//! their middles spread most, until eight are left: a k-d tree whose leaves fill the nodes. (Packing along a Morton
//! curve is faster to do and visits 2.5 times as many nodes.) Cost: O(n log n).

use super::slots::SlotEntry;
use crate::broad_phase::common::fattening::middle;
use heurt_bvh::Aabb32;

/// An object and the middle of its box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keyed {
    pub middle: [f32; 3],
    pub slot: u32,
}

/// Number of objects of the largest subtree.
const LARGEST: usize = 1 << 27;
/// Number of size classes.
const CLASSES: u32 = 16;

fn extent(fat: &Aabb32) -> f32 {
    (0..3).map(|k| fat.max[k] - fat.min[k]).fold(0.0, f32::max)
}

/// Returns the number of factors of 8 by which `size` exceeds 4 times the common size: 0 for most boxes.
fn class(size: f32, common: f32) -> u32 {
    let mut bound = common * 4.0;
    let mut class = 0;
    while size > bound && class < CLASSES - 1 {
        bound *= 8.0;
        class += 1;
    }
    class
}

/// Sorts all objects whose slots are in `keyed`.
pub(crate) fn order(keyed: &mut [Keyed], entries: &[SlotEntry]) {
    if keyed.is_empty() {
        return;
    }
    // The mean of logarithms, so that a few vast boxes do not raise it; the exponent of two is a sufficient logarithm.
    let mut logs = 0u64;
    let mut largest = 0.0f32;
    for one in keyed.iter_mut() {
        let fat = &entries[one.slot as usize].fat;
        one.middle = middle(fat);
        let size = extent(fat);
        largest = largest.max(size);
        logs += u64::from(size.to_bits() >> 23);
    }
    let common = f32::from_bits(((logs / keyed.len() as u64) as u32) << 23);
    let mut from = 0;
    if class(largest, common) > 0 {
        keyed.sort_by_key(|one| class(extent(&entries[one.slot as usize].fat), common));
        for number in 0..class(largest, common) {
            let to = keyed.partition_point(|one| class(extent(&entries[one.slot as usize].fat), common) <= number);
            part(keyed, from, to);
            from = to;
        }
    }
    part(keyed, from, keyed.len());
}

/// Splits the range `from..to` at multiples of powers of eight, the largest first, so that packing by eights follows
/// the cuts.
fn part(keyed: &mut [Keyed], from: usize, to: usize) {
    let mut stack = vec![(from, to, LARGEST)];
    while let Some((from, to, mut whole)) = stack.pop() {
        // The largest subtree with a border inside.
        while whole >= 8 && (from / whole + 1) * whole >= to {
            whole /= 8;
        }
        if whole < 8 {
            continue;
        }
        let (first, last) = ((from / whole + 1) * whole, (to - 1) / whole * whole);
        let cut = first + (last - first) / whole / 2 * whole;
        let range = &mut keyed[from..to];
        let axis = longest(range);
        range.select_nth_unstable_by(cut - from, |x, y| {
            x.middle[axis].total_cmp(&y.middle[axis]).then(x.slot.cmp(&y.slot))
        });
        stack.push((from, cut, whole));
        stack.push((cut, to, whole));
    }
}

/// Returns the axis along which middles spread most.
fn longest(keyed: &[Keyed]) -> usize {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for one in keyed {
        for k in 0..3 {
            let x = one.middle[k];
            low[k] = if x < low[k] { x } else { low[k] };
            high[k] = if x > high[k] { x } else { high[k] };
        }
    }
    let spread = |k: usize| high[k] - low[k];
    let xy = if spread(0) >= spread(1) { 0 } else { 1 };
    if spread(xy) >= spread(2) { xy } else { 2 }
}
