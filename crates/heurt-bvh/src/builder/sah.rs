//! Binned surface-area heuristic: chooses, among the cuts between eight bins on each axis, the cut with the least
//! area(left)·count(left) + area(right)·count(right).
//!
//! Method: the usual binning by centres, with references whose boxes merge by one eight-lane `max`.

use super::binary::{BinaryNode, Reference};
use super::grid::split_top;
use super::top_down::{Split, SplitRule, partition};
use crate::simd::{Lanes, LanesFor, WideIsa};
use crate::volume::Aabb32;

const BINS: usize = 8;

/// The rule.
pub(crate) struct BinnedSah;

/// The map from centres to bins.
struct BinGrid {
    low: [f32; 3],
    scale: [f32; 3],
}

impl BinGrid {
    #[inline(always)]
    fn bin(&self, reference: &Reference, axis: usize) -> usize {
        ((reference.centre2(axis) - self.low[axis]) * self.scale[axis]) as i32 as usize & (BINS - 1)
    }

    /// Covers the centres; returns `None` if all of them coincide.
    #[inline(always)]
    fn over<I>(refs: &[Reference]) -> Option<Self>
    where
        I: LanesFor<8>,
    {
        let mut extremes = I::F::splat(f32::NEG_INFINITY);
        for reference in refs {
            extremes = I::F::load(&reference.centre_as_box().0).max(extremes);
        }
        let ends = extremes.to_array();
        let low = [-ends[0], -ends[1], -ends[2]];
        let mut scale = [0.0; 3];
        let widths = [0, 1, 2].map(|k| ends[4 + k] - low[k]);
        for k in 0..3 {
            if widths[k] > MIN_WIDTH {
                scale[k] = BINS as f32 * (1.0 - 1.0 / 65_536.0) / widths[k];
            }
        }
        scale.iter().any(|scale| *scale > 0.0).then_some(Self { low, scale })
    }
}

/// Centres closer than this in local units cannot be distinguished.
const MIN_WIDTH: f32 = 1e-30;

impl SplitRule for BinnedSah {
    fn split_top(&self, refs: &mut Vec<Reference>, root: BinaryNode) -> Option<Vec<BinaryNode>> {
        Some(split_top(refs, root))
    }

    #[inline(always)]
    fn split<I: WideIsa>(&self, _isa: I, refs: &mut [Reference], _bounds: &Aabb32) -> Option<Split> {
        type F<I> = <I as LanesFor<8>>::F;
        let grid = BinGrid::over::<I>(refs)?;
        let SahCut { axis, last, left, right } = cheapest_cut::<F<I>>(refs, &grid)?;
        let left_count = partition(
            refs,
            #[inline(always)]
            |reference| grid.bin(reference, axis) <= last,
        );
        Some(Split { left_count, left, right })
    }
}

/// A cut between two bins of an axis.
struct SahCut {
    axis: usize,
    /// The last bin on the left.
    last: usize,
    left: Reference,
    right: Reference,
}

/// Returns the cut with the least cost; `None` if all centres fall into one bin.
#[inline(always)]
fn cheapest_cut<F: Lanes<8>>(refs: &[Reference], grid: &BinGrid) -> Option<SahCut> {
    let nothing = F::splat(f32::NEG_INFINITY);
    let (mut boxes, mut counts) = ([[nothing; BINS]; 3], [[0u32; BINS]; 3]);
    for reference in refs {
        let box_ = F::load(&reference.0);
        let mut axis = 0;
        while axis < 3 {
            let bin = grid.bin(reference, axis);
            boxes[axis][bin] = box_.max(boxes[axis][bin]);
            counts[axis][bin] += 1;
            axis += 1;
        }
    }
    let (mut least, mut best) = (f32::INFINITY, None);
    for (axis, (boxes, counts)) in boxes.iter().zip(&counts).enumerate() {
        let mut right_costs = [f32::INFINITY; BINS];
        let mut right_boxes = [nothing; BINS];
        let (mut merged, mut count) = (nothing, 0);
        for bin in (1..BINS).rev() {
            merged = boxes[bin].max(merged);
            count += counts[bin];
            right_boxes[bin] = merged;
            if count > 0 {
                right_costs[bin] = half_area(merged) * count as f32;
            }
        }
        let (mut merged, mut count) = (nothing, 0);
        for bin in 0..BINS - 1 {
            merged = boxes[bin].max(merged);
            count += counts[bin];
            if count == 0 {
                continue;
            }
            let cost = half_area(merged) * count as f32 + right_costs[bin + 1];
            if cost < least {
                least = cost;
                best = Some((axis, bin, merged, right_boxes[bin + 1]));
            }
        }
    }
    let (axis, last, left, right) = best?;
    Some(SahCut { axis, last, left: Reference(left.to_array()), right: Reference(right.to_array()) })
}

#[inline(always)]
fn half_area<F: Lanes<8>>(box_: F) -> f32 {
    Reference(box_.to_array()).half_area()
}
