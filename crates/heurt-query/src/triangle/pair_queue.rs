//! Pairs of triangles whose boxes meet, until there are enough of them to be judged side by side.
//!
//! In: two blocks, and which triangles of the first come near which of the second. Out: verdicts on up to 32 pairs, and
//! where each came from.
//! Method: of two leaves about five pairs of triangles have boxes that meet: what is left of full lanes waits for those
//! of the next leaves. Every pair has the frame and the δ of its own leaves
//! ([`pair_filter`](crate::triangle::pair_filter)). Verdicts are found all at once before anyone branches on them,
//! which the processor cannot foresee.

use crate::triangle::pair_filter::{CornerLanes, PairMasks, judge};
use heurt_bvh::simd::{Halves, Lanes, WideIsa, WidestKernel};
use heurt_shape::TriBlock;
use std::ops::ControlFlow;

/// Pairs that come at once: of triangles of two blocks.
pub(crate) const LANES: usize = TriBlock::LANES;
/// So many are judged at once, a bit of a verdict for each.
const BATCH: usize = 4 * LANES;
/// Less than enough wait when up to eight come.
const CAPACITY: usize = BATCH + LANES;

/// A number of each pair that waits.
type Row<T> = [T; CAPACITY];

/// Pairs that wait. All in one page: to write over the edge of one takes twenty times as long.
#[repr(align(4096))]
pub(crate) struct PairQueue {
    /// Of the triangles of the first block, then of the second; by corner and axis.
    corners: [[[Row<f32>; 3]; 3]; 2],
    error: Row<f32>,
    origins: Origins,
    count: usize,
}

/// Where pairs come from.
struct Origins {
    leaves: [Row<u32>; 2],
    lanes: Row<u8>,
}

/// Where a pair comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PairId {
    /// What the leaves of the first and of the second block were called.
    pub leaves: [u32; 2],
    /// In which lanes of their blocks they are.
    pub lanes: [u8; 2],
}

/// Which triangles of two blocks come near each other, one pair after the other: 8·j + i for triangle i of the first
/// and j of the second. Room for so many but seven.
pub(crate) struct NearPairs<const N: usize>([u8; N]);

/// Byte k of entry `mask`: the k-th lane of those in `mask`.
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

/// Byte k: the k-th lane of those in `mask`.
#[inline(always)]
pub(crate) fn lanes_of(mask: u32) -> u64 {
    LANES_OF[mask as usize % LANES_OF.len()]
}

/// `W` entries from `at` on, where less than enough are.
#[inline(always)]
fn some<T, const W: usize>(row: &Row<T>, at: usize) -> &[T; W] {
    row[at % BATCH..].first_chunk().expect("room for so many")
}

/// Eight entries from `at` on, to be written.
#[inline(always)]
fn eight_mut<T>(row: &mut Row<T>, at: usize) -> &mut [T; LANES] {
    row[at % BATCH..].first_chunk_mut().expect("room for eight")
}

impl<const N: usize> NearPairs<N> {
    /// None.
    pub fn new() -> Self {
        Self([0; N])
    }

    /// Writes triangle `row` of the second block with those of the first that are named in `near` at `place`, and
    /// reports how many these are.
    #[inline(always)]
    pub fn add(&mut self, place: usize, row: usize, near: u32) -> usize {
        const EACH: u64 = 0x0101_0101_0101_0101;
        let lanes = lanes_of(near) | (8 * row as u64 * EACH);
        if let Some(room) = self.0[place..].first_chunk_mut() {
            *room = lanes.to_le_bytes();
        }
        near.count_ones() as usize
    }

    /// Eight from `place` on.
    #[inline(always)]
    fn eight(&self, place: usize) -> u64 {
        u64::from_le_bytes(*self.0[place..].first_chunk().expect("room for eight"))
    }
}

const _: () = assert!(size_of::<PairQueue>() == align_of::<PairQueue>(), "all in one page");

impl PairQueue {
    /// Nobody waits.
    #[inline(always)]
    pub fn new() -> Self {
        let origins = Origins { leaves: [[0; CAPACITY]; 2], lanes: [0; CAPACITY] };
        Self { corners: [[[[0.0; CAPACITY]; 3]; 3]; 2], error: [0.0; CAPACITY], origins, count: 0 }
    }

    /// Adds up to eight of `pairs`, from the `first` on, of triangles of two blocks, where less than enough wait.
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

    /// Whether there are enough.
    #[inline(always)]
    pub fn is_ready(&self) -> bool {
        self.count >= BATCH
    }

    /// Sends all away.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Whether nobody waits.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Judges those that wait longest, as many as are enough, and sends them away. `meet` gets those that meet, and
    /// whether that is sure; where it breaks off, the others stay.
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

    /// Where the k-th comes from.
    #[inline(always)]
    fn origin(&self, k: u32) -> PairId {
        let k = k as usize % BATCH;
        let (leaves, lanes) = (&self.origins.leaves, self.origins.lanes[k]);
        PairId { leaves: [leaves[0][k], leaves[1][k]], lanes: [lanes & 7, lanes >> 3 & 7] }
    }

    /// Sends away those that were judged.
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

    /// `W` of a side.
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

/// What becomes of those that wait longest: bit k is the k-th.
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
            let asked = if waiting.count - at >= W { (1 << W) - 1 } else { (1u32 << (waiting.count - at)) - 1 };
            let error = F::load(some(&waiting.error, at));
            let verdict = judge::<F, W>(&waiting.corners(0, at), &waiting.corners(1, at), error, asked);
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
    use heurt_bvh::simd::{Array, Avx2, Isa, Portable, WidestKernel};
    use heurt_testkit::number::random::Random;

    #[test]
    fn pairs_are_judged_alike_however_many_at_once() {
        let mut random = Random::new(17);
        let (mut meet, mut open, mut apart) = (0, 0, 0);
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
                assert_eq!(verdict(Portable.on_widest(ClassifyKernel(&waiting))), of_eight);
                if let Some(isa) = Avx2::detect() {
                    assert_eq!(verdict(isa.on_widest(ClassifyKernel(&waiting))), of_eight);
                }
                let (meeting, undecided) = of_eight;
                let judged = count.min(super::BATCH) as u32;
                assert_eq!((meeting & undecided, u64::from(meeting | undecided) >> judged), (0, 0));
                (meet, open) = (meet + meeting.count_ones(), open + undecided.count_ones());
                apart += judged - (meeting | undecided).count_ones();
            }
        }
        assert!(meet.min(open).min(apart) > 1000, "{meet} meet, {open} are open, {apart} apart");
    }
}
