//! Which pairs of parts may meet: sweep and prune along one axis.
//!
//! In: boxes in the world. Out: pairs of indices, `a` before `b`, sorted: every pair of boxes that share a point, and
//! no other. Method: sort by lower end on the axis along which the boxes spread most, then look ahead from each box as
//! far as its upper end. Guarantees: comparisons of given numbers only, so nothing is lost to rounding; the same pairs
//! for any number of threads. Cost: O(n log n) and the pairs that overlap on that axis.

use heurt_geometry::{Aabb, Vec3};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most pairs that are returned: 256 MB. More come of parts placed on each other by mistake.
pub const MAX_PAIRS: usize = 1 << 24;

/// Returns the pairs of boxes that share a point; `None` if there are more than [`MAX_PAIRS`].
pub fn meeting_pairs(boxes: &[Aabb]) -> Option<Vec<[usize; 2]>> {
    let count = AtomicUsize::new(0);
    let axis = widest_spread(boxes);
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|&i, &j| boxes[i].min[axis].total_cmp(&boxes[j].min[axis]).then(i.cmp(&j)));
    let mut pairs: Vec<[usize; 2]> = (0..order.len())
        .into_par_iter()
        .flat_map_iter(|at| {
            let first = order[at];
            let end = boxes[first].max[axis];
            let ahead = order[at + 1..].iter().copied().take_while(move |&other| boxes[other].min[axis] <= end);
            // Beyond the limit nothing more is collected; whether it is reached does not depend on the order.
            let count = &count;
            ahead
                .filter(move |&other| boxes[first].overlaps(&boxes[other]))
                .take_while(move |_| count.fetch_add(1, Ordering::Relaxed) < MAX_PAIRS)
                .map(move |other| [first.min(other), first.max(other)])
        })
        .collect();
    if count.into_inner() > MAX_PAIRS {
        return None;
    }
    pairs.sort_unstable();
    Some(pairs)
}

/// The axis on which the middles of the boxes vary most for the length of the boxes.
fn widest_spread(boxes: &[Aabb]) -> usize {
    let all = boxes.iter().fold(Aabb::EMPTY, |all, one| all.union(*one));
    // Halved before they are summed: nothing overflows.
    let lengths = boxes.iter().fold(Vec3::ZERO, |sum, one| sum + one.half_extents() / boxes.len().max(1) as f64);
    let spread = all.half_extents() / lengths.max(Vec3::splat(f64::MIN_POSITIVE));
    (0..3).max_by(|&i, &j| spread[i].total_cmp(&spread[j])).unwrap_or(0)
}
