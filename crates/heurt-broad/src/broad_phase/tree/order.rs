//! The order in which objects are packed into a tree: by size class, then along a Morton curve.
//!
//! In: fat boxes. Out: ids. Method: sizes in classes a factor 8 apart, so that a large box does not blow up the node of
//! small ones; within a class 16 bits an axis, interleaved; a radix sort, 11 bits a pass. Cost: O(n).

use super::super::ProxyId;
use super::Entry;
use heurt_bvh::Aabb32;

/// Bits an axis.
const BITS: u32 = 16;
/// Bits of a digit.
const DIGIT: u32 = 11;
/// Bits of a key: three axes and four of the class.
const KEY: u32 = 3 * BITS + 4;

/// A key and whose it is.
pub(super) type Keyed = (u64, ProxyId);

/// Puts two zeros between the bits of a 16-bit number.
fn spread(x: u32) -> u64 {
    let mut x = u64::from(x);
    x = (x | x << 16) & 0x0000_ff00_00ff;
    x = (x | x << 8) & 0x00f0_0f00_f00f;
    x = (x | x << 4) & 0x0c30_c30c_30c3;
    (x | x << 2) & 0x2492_4924_9249
}

fn extent(fat: &Aabb32) -> f32 {
    (0..3).map(|k| fat.max[k] - fat.min[k]).fold(0.0, f32::max)
}

/// How many classes of a factor 8 `size` is above 4 times the mean: 0 for the bulk of the boxes, 15 at most.
fn class(size: f32, mean: f32) -> u64 {
    let mut bound = mean * 4.0;
    let mut class = 0;
    while size > bound && class < 15 {
        bound *= 8.0;
        class += 1;
    }
    class
}

/// Sorts `keyed`, whose keys are yet to be computed.
pub(super) fn order(keyed: &mut Vec<Keyed>, spare: &mut Vec<Keyed>, entries: &[Entry]) {
    if keyed.is_empty() {
        return;
    }
    let middle = |fat: &Aabb32| [0, 1, 2].map(|k| fat.min[k] * 0.5 + fat.max[k] * 0.5);
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    // The mean of logarithms, so that a few vast boxes do not lift it.
    let mut logs = 0.0f64;
    for (_, id) in keyed.iter() {
        let fat = &entries[*id as usize].fat;
        let centre = middle(fat);
        for k in 0..3 {
            low[k] = low[k].min(centre[k]);
            high[k] = high[k].max(centre[k]);
        }
        // The exponent of two is logarithm enough.
        logs += f64::from(extent(fat).to_bits() >> 23);
    }
    let mean = f32::from_bits(((logs / keyed.len() as f64) as u32) << 23);
    let span = (0..3).map(|k| high[k] - low[k]).fold(f32::MIN_POSITIVE, f32::max);
    let scale = ((1u32 << BITS) - 1) as f32 / span;
    for (key, id) in keyed.iter_mut() {
        let fat = &entries[*id as usize].fat;
        let centre = middle(fat);
        let cell = [0, 1, 2].map(|k| spread((((centre[k] - low[k]) * scale) as u32).min((1 << BITS) - 1)));
        *key = class(extent(fat), mean) << (3 * BITS) | cell[0] << 2 | cell[1] << 1 | cell[2];
    }
    radix_sort(keyed, spare);
}

fn radix_sort(keyed: &mut Vec<Keyed>, spare: &mut Vec<Keyed>) {
    spare.clear();
    spare.resize(keyed.len(), (0, 0));
    for shift in (0..KEY).step_by(DIGIT as usize) {
        let digit = |key: u64| (key >> shift) as usize & ((1 << DIGIT) - 1);
        let mut starts = [0u32; 1 << DIGIT];
        keyed.iter().for_each(|one| starts[digit(one.0)] += 1);
        if starts[digit(keyed[0].0)] as usize == keyed.len() {
            continue;
        }
        let mut sum = 0;
        for start in &mut starts {
            (*start, sum) = (sum, sum + *start);
        }
        for one in keyed.iter() {
            let place = &mut starts[digit(one.0)];
            spare[*place as usize] = *one;
            *place += 1;
        }
        std::mem::swap(keyed, spare);
    }
}
