//! Leaves that meet, put aside until there are enough of them: then which of their triangles come near each other, and
//! what becomes of those pairs.
//!
//! In: the triangles of a leaf and those of others that meet it, all in one frame and with a δ
//! ([`pair_filter`](crate::triangle::pair_filter)). Out: pairs of triangles that provably meet or are open.
//! Method: of two leaves, two or three triangles come near the box of the other, and five pairs near each other. A
//! processor cannot foresee which, and to find out too late costs it as much as the work itself. So leaves are gone
//! through in three rounds, each of which knows how often it goes round: which triangles come near the box of the other
//! leaf; which pairs of triangles come near each other; and these eight by eight, whichever leaves they are of
//! ([`PairQueue`]).

use crate::triangle::pair_filter::{Boxes, CornerLanes};
use crate::triangle::pair_queue::{LANES, NearPairs, PairId, PairQueue, lanes_of};
use heurt_bvh::simd::Lanes8;
use heurt_bvh::simd::{Lanes, WideIsa};
use heurt_shape::TriBlock;
use std::cell::Cell;
use std::ops::ControlFlow;

/// So many others are gone through at once, a power of two: they stay in the nearest caches.
const MAX_CANDIDATES: usize = 32;

/// Leaves put aside: 45 kB for each thread that ever asked.
pub(crate) struct LeafBatch {
    ones: [LeafTriangles; MAX_CANDIDATES],
    others: [CandidateLeaf; MAX_CANDIDATES],
    one_count: usize,
    other_count: usize,
    /// Triangles of ones that come near the box of another leaf; the numbers of the others next to.
    rows: [u8; MAX_CANDIDATES * LANES + LANES],
    row_of: [u8; MAX_CANDIDATES * LANES + LANES],
    near: NearPairs<{ MAX_CANDIDATES * LANES * LANES + LANES }>,
    waiting: PairQueue,
}

/// A leaf as it is seen from another one, each row of it in one line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct LeafTriangles {
    corners: [[[f32; LANES]; 3]; 3],
    boxes: [[[f32; LANES]; 3]; 2],
    name: u32,
}

/// A leaf that meets another.
#[derive(Clone, Copy)]
struct CandidateLeaf {
    seen: LeafTriangles,
    /// The lanes that have triangles of their own.
    used: u32,
    /// Which it meets.
    one: u8,
    /// The triangles of that one that come near its box.
    rows: u8,
    /// The δ of pairs of their triangles.
    error: f32,
    /// Where its pairs end.
    end: usize,
}

impl LeafTriangles {
    const NONE: Self = Self { corners: [[[0.0; LANES]; 3]; 3], boxes: [[[0.0; LANES]; 3]; 2], name: 0 };
}

impl CandidateLeaf {
    const NONE: Self = Self { seen: LeafTriangles::NONE, used: 0, one: 0, rows: 0, error: 0.0, end: 0 };
}

thread_local! {
    /// Laying it out with zeros takes longer than many a query.
    static SPARE: Cell<Option<Box<LeafBatch>>> = const { Cell::new(None) };
}

impl LeafBatch {
    /// An empty one.
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
        // Where a thread ends there may be none to keep.
        let mut batch = SPARE.try_with(Cell::take).ok().flatten().unwrap_or_else(new);
        batch.clear();
        batch
    }

    /// Keeps it for the next query.
    pub fn keep(self: Box<Self>) {
        let _ = SPARE.try_with(|spare| spare.set(Some(self)));
    }

    /// Puts a leaf aside that others meet: its triangles about the origin of the others. There is room:
    /// [`LeafBatch::is_full`].
    #[inline(always)]
    pub fn add_one<F: Lanes<8>>(&mut self, corners: &CornerLanes<F>, boxes: &Boxes<F>, name: u32) {
        let one = &mut self.ones[self.one_count % MAX_CANDIDATES];
        *one = LeafTriangles { corners: corners.to_arrays(), boxes: boxes.to_arrays(), name };
        self.one_count += 1;
    }

    /// Puts one of those aside that meet the last one: `block`, `way` from that origin, of which the first `count`
    /// triangles are its own; `rows` names the triangles of the one that come near its box, `error` is the δ of pairs
    /// of both.
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

    /// Whether there might not be room for one more leaf and eight others.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.other_count > MAX_CANDIDATES - LANES
    }

    /// Goes through the leaves put aside and, `to_the_end`, through all pairs that wait. `of_interest` gets the names
    /// of the other leaf and of the one, a triangle of the one and those of the other whose boxes meet its own, and
    /// reports which of them to look at; `meet` gets the pairs that meet, the other leaf first, and whether that is
    /// sure. Where it breaks off, nothing stays.
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

    /// Finds the pairs of triangles that come near each other and adds them to those that wait, which are settled
    /// whenever they are enough.
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
                // Loaded at each turn: what is kept over a call has to be stored first.
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

    /// Forgets all.
    fn clear(&mut self) {
        (self.one_count, self.other_count) = (0, 0);
        self.waiting.clear();
    }
}
