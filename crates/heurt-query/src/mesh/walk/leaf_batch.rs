//! Batch of query leaves and candidate leaves that meet, and the filter of their pairs of triangles.
//!
//! In: the triangles of a query leaf and of candidate leaves that meet it, all in one frame and with a δ
//! ([`pair_filter`](crate::triangle::pair_filter)). Out: pairs of triangles that provably meet or are undecided.
//! Method: of two leaves, two or three triangles come near the box of the opposite leaf, and five pairs near each
//! other. A processor cannot predict which, and a misprediction costs as much as the work itself. So leaves are
//! processed in three loops, each with a known number of iterations: (1) the triangles of the query leaf near the box
//! of the candidate leaf; (2) the pairs of triangles near each other; (3) these pairs, eight at a time, across leaves
//! ([`PairQueue`]).

use crate::triangle::pair_filter::{Boxes, CornerLanes};
use crate::triangle::pair_queue::{LANES, NearPairs, PairId, PairQueue, lanes_of};
use heurt_bvh::simd::Lanes8;
use heurt_bvh::simd::{Lanes, WideIsa};
use heurt_shape::TriBlock;
use std::cell::Cell;
use std::ops::ControlFlow;

/// Candidate leaves in a batch, a power of two: 32 fit the nearest caches.
const MAX_CANDIDATES: usize = 32;

/// A batch of leaves: 45 kB for each thread that has run a query.
pub(crate) struct LeafBatch {
    ones: [LeafTriangles; MAX_CANDIDATES],
    others: [CandidateLeaf; MAX_CANDIDATES],
    one_count: usize,
    other_count: usize,
    /// Triangles of query leaves near the box of a candidate leaf; `row_of` has the number of that candidate.
    rows: [u8; MAX_CANDIDATES * LANES + LANES],
    row_of: [u8; MAX_CANDIDATES * LANES + LANES],
    near: NearPairs<{ MAX_CANDIDATES * LANES * LANES + LANES }>,
    waiting: PairQueue,
}

/// The triangles of a leaf in the frame of a batch; each row fits one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct LeafTriangles {
    corners: [[[f32; LANES]; 3]; 3],
    boxes: [[[f32; LANES]; 3]; 2],
    name: u32,
}

/// A candidate leaf, which meets a query leaf.
#[derive(Clone, Copy)]
struct CandidateLeaf {
    seen: LeafTriangles,
    /// Mask of the lanes in use.
    used: u32,
    /// The number of the query leaf that it meets.
    one: u8,
    /// Mask of the triangles of the query leaf near its box.
    rows: u8,
    /// The δ of pairs of triangles of both leaves.
    error: f32,
    /// The end of its pairs in the list of pairs.
    end: usize,
}

impl LeafTriangles {
    const NONE: Self = Self { corners: [[[0.0; LANES]; 3]; 3], boxes: [[[0.0; LANES]; 3]; 2], name: 0 };
}

impl CandidateLeaf {
    const NONE: Self = Self { seen: LeafTriangles::NONE, used: 0, one: 0, rows: 0, error: 0.0, end: 0 };
}

thread_local! {
    /// A spare batch per thread: initialising one with zeros takes longer than many queries.
    static SPARE: Cell<Option<Box<LeafBatch>>> = const { Cell::new(None) };
}

impl LeafBatch {
    /// Acquires an empty batch.
    #[cold]
    #[inline(never)]
    pub fn take() -> Box<Self> {
        let new = || {
            Box::new(Self {
                ones: [LeafTriangles::NONE; MAX_CANDIDATES],
                others: [CandidateLeaf::NONE; MAX_CANDIDATES],
                one_count: 0,
                other_count: 0,
                rows: [0; MAX_CANDIDATES * LANES + LANES],
                row_of: [0; MAX_CANDIDATES * LANES + LANES],
                near: NearPairs::new(),
                waiting: PairQueue::new(),
            })
        };
        // At the end of a thread the spare batch may be gone.
        let mut batch = SPARE.try_with(Cell::take).ok().flatten().unwrap_or_else(new);
        batch.clear();
        batch
    }

    /// Stores the batch for the next query.
    pub fn keep(self: Box<Self>) {
        let _ = SPARE.try_with(|spare| spare.set(Some(self)));
    }

    /// Adds a query leaf: its triangles relative to the origin of the batch's frame. The caller ensures that there is
    /// space: [`LeafBatch::is_full`].
    #[inline(always)]
    pub fn add_one<F: Lanes<8>>(&mut self, corners: &CornerLanes<F>, boxes: &Boxes<F>, name: u32) {
        let one = &mut self.ones[self.one_count % MAX_CANDIDATES];
        *one = LeafTriangles { corners: corners.to_arrays(), boxes: boxes.to_arrays(), name };
        self.one_count += 1;
    }

    /// Adds a candidate leaf that meets the last query leaf: the first `count` triangles of `block`, translated by
    /// `way`. `rows` is the mask of the triangles of the query leaf near its box, `error` the δ of pairs of both
    /// leaves.
    #[inline(always)]
    pub fn add_other<F: Lanes<8>>(
        &mut self,
        (block, way): (&TriBlock, &[F; 3]),
        rows: u32,
        error: f32,
        count: u32,
        name: u32,
    ) {
        let one = self.one_count - 1;
        let other = &mut self.others[self.other_count % MAX_CANDIDATES];
        let corners = CornerLanes::<F>::of_block(block).shifted(way);
        other.seen.corners = corners.to_arrays();
        other.seen.boxes = corners.boxes().to_arrays();
        other.seen.name = name;
        other.used = (1 << count) - 1;
        other.one = one as u8;
        other.rows = rows as u8;
        other.error = error;
        self.other_count += 1;
    }

    /// Reports whether there may be no space for one more query leaf and eight candidate leaves.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.other_count > MAX_CANDIDATES - LANES
    }

    /// Processes the queued leaves and, with `to_the_end`, all queued pairs. `of_interest` receives the names of the
    /// candidate leaf and of the query leaf, a triangle of the query leaf, and the mask of the candidate's triangles
    /// whose boxes meet its box; it returns the mask of triangles to test. `meet` receives the pairs that meet,
    /// candidate leaf first, and whether that is certain. If `meet` breaks, the queues are cleared.
    #[inline(always)]
    pub fn go_through<I: WideIsa>(
        &mut self,
        isa: I,
        to_the_end: bool,
        of_interest: impl FnMut([u32; 2], usize, u32) -> u32,
        mut meet: impl FnMut(PairId, bool) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut went = isa.enter_wide(
            #[inline(always)]
            || self.gather(isa, of_interest, &mut meet),
        );
        while to_the_end && went.is_continue() && !self.waiting.is_empty() {
            went = self.waiting.classify_batch(isa, &mut meet);
        }
        if went.is_break() {
            self.clear();
        }
        went
    }

    /// Finds the pairs of triangles near each other and adds them to the queue, which is classified whenever a batch is
    /// ready.
    #[inline(always)]
    fn gather<I: WideIsa>(
        &mut self,
        isa: I,
        mut of_interest: impl FnMut([u32; 2], usize, u32) -> u32,
        meet: &mut impl FnMut(PairId, bool) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Self { ones, others, rows, row_of, near, waiting, .. } = self;
        let others = &mut others[..self.other_count.min(MAX_CANDIDATES)];
        (self.one_count, self.other_count) = (0, 0);
        let mut count = 0;
        for (k, other) in others.iter_mut().enumerate() {
            let (Some(row), Some(of)) = (rows[count..].first_chunk_mut(), row_of[count..].first_chunk_mut()) else {
                break;
            };
            *row = lanes_of(u32::from(other.rows)).to_le_bytes();
            *of = [k as u8; LANES];
            count += other.rows.count_ones() as usize;
            other.end = 0;
        }
        let mut found = 0;
        for (&row, &of) in rows.iter().zip(row_of.iter()).take(count) {
            let other = &mut others[usize::from(of)];
            let one = &ones[usize::from(other.one) % MAX_CANDIDATES];
            let row = usize::from(row) % LANES;
            let boxes = Boxes::<Lanes8<I>>::of_arrays(&other.seen.boxes);
            let meeting = boxes.meet(&one.boxes, row, other.error) & other.used;
            found += near.add(found, row, of_interest([other.seen.name, one.name], row, meeting));
            other.end = found;
        }
        let mut first = 0;
        for other in others.iter() {
            let one = &ones[usize::from(other.one) % MAX_CANDIDATES];
            while first < other.end {
                let some = LANES.min(other.end - first);
                // Loaded in each iteration: registers kept over a call would have to be stored first.
                let blocks =
                    [CornerLanes::<Lanes8<I>>::of_arrays(&other.seen.corners), CornerLanes::of_arrays(&one.corners)];
                waiting.add((near, first, some), &blocks, other.error, [other.seen.name, one.name]);
                first += some;
                if waiting.is_ready() {
                    waiting.classify_batch(isa, meet)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Removes all leaves and pairs.
    fn clear(&mut self) {
        (self.one_count, self.other_count) = (0, 0);
        self.waiting.clear();
    }
}
