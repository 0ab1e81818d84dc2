//! Queue of pairs of triangles whose boxes meet, classified in batches.
//!
//! In: two blocks, and the pairs of their triangles near each other. Out: classifications of up to 32 pairs, and the
//! origin of each pair.
//! Method: two leaves have approximately five pairs of triangles whose boxes meet; pairs that do not fill the lanes
//! stay queued for the next leaves. Every pair has the frame and the δ of its own leaves
//! ([`pair_filter`](crate::triangle::pair_filter)). A whole batch is classified before any branch on the results, which
//! the processor cannot predict.

use crate::triangle::pair_filter::{CornerLanes, PairMasks, classify};
use heurt_bvh::simd::{Halves, Lanes, WideIsa, WidestKernel};
use heurt_shape::TriBlock;
use std::ops::ControlFlow;

/// Limit of pairs added at once: the lanes of a block.
pub(crate) const LANES: usize = TriBlock::LANES;
/// Pairs in a batch: one bit of a mask each.
const BATCH: usize = 4 * LANES;
/// Fewer than `BATCH` pairs are queued when up to eight are added.
const CAPACITY: usize = BATCH + LANES;

/// One value for each queued pair.
type Row<T> = [T; CAPACITY];

/// The queue of pairs. It is in one page: a write across a page boundary takes twenty times as long.
#[repr(align(4096))]
pub(crate) struct PairQueue {
    /// Corners of the triangles of the first block, then of the second; by corner and axis.
    corners: [[[Row<f32>; 3]; 3]; 2],
    error: Row<f32>,
    origins: Origins,
    count: usize,
}

/// The origins of the queued pairs.
struct Origins {
    leaves: [Row<u32>; 2],
    lanes: Row<u8>,
}

/// The origin of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PairId {
    /// The names of the leaves of the first and of the second block.
    pub leaves: [u32; 2],
    /// The lanes of the triangles in their blocks.
    pub lanes: [u8; 2],
}

/// A list of pairs of triangles of two blocks near each other: 8·j + i for triangle i of the first and j of the second.
/// The capacity is N − 7 pairs.
pub(crate) struct NearPairs<const N: usize>([u8; N]);

/// Byte k of entry `mask` is the index of the k-th set lane of `mask`.
const LANES_OF: [u64; 256] = {
    let mut all = [0; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut taken) = (0, 0);
        while lane < LANES {
            if mask >> lane & 1 != 0 {
                all[mask] |= (lane as u64) << (8 * taken);
                taken += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    all
};

/// Returns the indices of the set lanes of `mask`: byte k is the k-th.
#[inline(always)]
pub(crate) fn lanes_of(mask: u32) -> u64 {
    LANES_OF[mask as usize % LANES_OF.len()]
}

/// Returns `W` entries from `at` on, for `at` below `BATCH`.
#[inline(always)]
fn some<T, const W: usize>(row: &Row<T>, at: usize) -> &[T; W] {
    row[at % BATCH..].first_chunk().expect("room for so many")
}

/// Returns eight entries from `at` on, to be written.
#[inline(always)]
fn eight_mut<T>(row: &mut Row<T>, at: usize) -> &mut [T; LANES] {
    row[at % BATCH..].first_chunk_mut().expect("room for eight")
}

impl<const N: usize> NearPairs<N> {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self([0; N])
    }

    /// Writes at `place` the pairs of triangle `row` of the second block with the triangles of the first in the mask
    /// `near`, and returns their number.
    #[inline(always)]
    pub fn add(&mut self, place: usize, row: usize, near: u32) -> usize {
        const EACH: u64 = 0x0101_0101_0101_0101;
        let lanes = lanes_of(near) | (8 * row as u64 * EACH);
        if let Some(room) = self.0[place..].first_chunk_mut() {
            *room = lanes.to_le_bytes();
        }
        near.count_ones() as usize
    }

    /// Returns eight entries from `place` on.
    #[inline(always)]
    fn eight(&self, place: usize) -> u64 {
        u64::from_le_bytes(*self.0[place..].first_chunk().expect("room for eight"))
    }
}

const _: () = assert!(size_of::<PairQueue>() == align_of::<PairQueue>(), "all in one page");

impl PairQueue {
    /// Creates an empty queue.
    #[inline(always)]
    pub fn new() -> Self {
        let origins = Origins { leaves: [[0; CAPACITY]; 2], lanes: [0; CAPACITY] };
        Self { corners: [[[[0.0; CAPACITY]; 3]; 3]; 2], error: [0.0; CAPACITY], origins, count: 0 }
    }

    /// Adds up to eight of `pairs`, from the `first` on, of triangles of two blocks; fewer than `BATCH` pairs must be
    /// queued.
    #[inline(always)]
    pub fn add<F: Halves, const N: usize>(
        &mut self,
        (pairs, first, count): (&NearPairs<N>, usize, usize),
        blocks: &[CornerLanes<F>; 2],
        error: f32,
        leaves: [u32; 2],
    ) {
        let (at, lanes) = (self.count, pairs.eight(first));
        let picked = [blocks[0].picked(lanes), blocks[1].picked(lanes >> 3)];
        let mut side = 0;
        while side < 2 {
            let mut corner = 0;
            while corner < 3 {
                let mut axis = 0;
                while axis < 3 {
                    *eight_mut(&mut self.corners[side][corner][axis], at) = picked[side].0[corner][axis].to_array();
                    axis += 1;
                }
                corner += 1;
            }
            *eight_mut(&mut self.origins.leaves[side], at) = [leaves[side]; LANES];
            side += 1;
        }
        *eight_mut(&mut self.error, at) = [error; LANES];
        *eight_mut(&mut self.origins.lanes, at) = lanes.to_le_bytes();
        self.count += count;
    }

    /// Reports whether a batch is full.
    #[inline(always)]
    pub fn is_ready(&self) -> bool {
        self.count >= BATCH
    }

    /// Removes all pairs.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Reports whether the queue is empty.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Classifies the oldest batch of pairs and removes it. `meet` receives the pairs that meet or are undecided, and
    /// whether the intersection is certain. If `meet` breaks, the queue is not changed.
    #[inline(never)]
    pub fn classify_batch<I: WideIsa>(
        &mut self,
        isa: I,
        meet: &mut impl FnMut(PairId, bool) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let PairMasks { meeting, open } = isa.on_widest(ClassifyKernel(self));
        let mut candidates = meeting | open;
        while candidates != 0 {
            let k = candidates.trailing_zeros();
            candidates &= candidates - 1;
            meet(self.origin(k), meeting >> k & 1 != 0)?;
        }
        self.pop_batch();
        ControlFlow::Continue(())
    }

    /// Returns the origin of the k-th pair.
    #[inline(always)]
    fn origin(&self, k: u32) -> PairId {
        let k = k as usize % BATCH;
        let (leaves, lanes) = (&self.origins.leaves, self.origins.lanes[k]);
        PairId { leaves: [leaves[0][k], leaves[1][k]], lanes: [lanes & 7, lanes >> 3 & 7] }
    }

    /// Removes the oldest batch.
    #[inline(always)]
    fn pop_batch(&mut self) {
        self.count = self.count.saturating_sub(BATCH);
        if self.count == 0 {
            return;
        }
        let rows = self.corners.as_flattened_mut().as_flattened_mut();
        rows.iter_mut().for_each(|row| row.copy_within(BATCH.., 0));
        self.error.copy_within(BATCH.., 0);
        self.origins.leaves.iter_mut().for_each(|row| row.copy_within(BATCH.., 0));
        self.origins.lanes.copy_within(BATCH.., 0);
    }

    /// Loads `W` triangles of a side.
    #[inline(always)]
    fn corners<F: Lanes<W>, const W: usize>(&self, side: usize, at: usize) -> CornerLanes<F> {
        let mut out = [[F::splat(0.0); 3]; 3];
        let mut corner = 0;
        while corner < 3 {
            let mut axis = 0;
            while axis < 3 {
                out[corner][axis] = F::load(some(&self.corners[side][corner][axis], at));
                axis += 1;
            }
            corner += 1;
        }
        CornerLanes(out)
    }
}

/// Classifies the oldest batch: bit k of a mask is pair k.
struct ClassifyKernel<'w>(&'w PairQueue);

impl WidestKernel for ClassifyKernel<'_> {
    type Output = PairMasks;

    #[inline(always)]
    fn run<const W: usize, F: Lanes<W>>(self) -> PairMasks {
        const { assert!(BATCH.is_multiple_of(W), "whole registers") };
        let Self(waiting) = self;
        let (mut meeting, mut open) = (0, 0);
        let mut at = 0;
        while at < waiting.count.min(BATCH) {
            let valid = if waiting.count - at >= W { (1 << W) - 1 } else { (1u32 << (waiting.count - at)) - 1 };
            let error = F::load(some(&waiting.error, at));
            let verdict = classify::<F, W>(&waiting.corners(0, at), &waiting.corners(1, at), error, valid);
            meeting |= verdict.meeting << at;
            open |= verdict.open << at;
            at += W;
        }
        PairMasks { meeting, open }
    }
}

#[cfg(test)]
mod tests {
    use super::{CAPACITY, ClassifyKernel, PairQueue};
    use heurt_bvh::simd::{Array, Avx2, Baseline, Isa, WidestKernel};
    use heurt_testkit::number::random::Random;

    #[test]
    fn pairs_are_judged_alike_however_many_at_once() {
        let mut random = Random::new(17);
        let (mut meet, mut open, mut disjoint) = (0, 0, 0);
        for round in 0..40 {
            for count in 1..CAPACITY {
                let mut waiting = PairQueue::new();
                let flat = if round % 3 == 0 { 0.0 } else { 1.0 };
                let mut number = |axis: usize| (random.between(-1.0, 1.0) * if axis == 2 { flat } else { 1.0 }) as f32;
                for side in 0..2 {
                    for corner in 0..3 {
                        for axis in 0..3 {
                            waiting.corners[side][corner][axis] = std::array::from_fn(|_| number(axis));
                        }
                    }
                }
                waiting.error = std::array::from_fn(|k| if k % 11 == 3 { f32::INFINITY } else { 1e-6 });
                waiting.count = count;
                let verdict = |verdict: super::PairMasks| (verdict.meeting, verdict.open);
                let of_eight = verdict(ClassifyKernel(&waiting).run::<8, Array<8>>());
                assert_eq!(verdict(ClassifyKernel(&waiting).run::<16, Array<16>>()), of_eight);
                assert_eq!(verdict(Baseline.on_widest(ClassifyKernel(&waiting))), of_eight);
                if let Some(isa) = Avx2::detect() {
                    assert_eq!(verdict(isa.on_widest(ClassifyKernel(&waiting))), of_eight);
                }
                let (meeting, undecided) = of_eight;
                let judged = count.min(super::BATCH) as u32;
                assert_eq!((meeting & undecided, u64::from(meeting | undecided) >> judged), (0, 0));
                (meet, open) = (meet + meeting.count_ones(), open + undecided.count_ones());
                disjoint += judged - (meeting | undecided).count_ones();
            }
        }
        assert!(meet.min(open).min(disjoint) > 1000, "{meet} meet, {open} are open, {disjoint} are disjoint");
    }
}
