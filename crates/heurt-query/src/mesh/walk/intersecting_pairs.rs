//! Intersecting pairs of triangles of two placed meshes, by leaves: a filter that decides many pairs at a time, and the
//! exact test for undecided pairs.
//!
//! In: blocks of up to eight triangles of each mesh, a query leaf of one mesh against several candidate leaves of the
//! opposite mesh. Out: the pairs of triangles whose placed `f64` versions intersect. The filter is `pair_filter`. The
//! query leaf is transformed to the axes and units of the candidates' mesh, relative to its own centre, and the
//! candidate leaves are translated to that origin. The offset between centres is computed in `f64`, so that the
//! filter's error bound is relative to the leaves and not to the meshes. Leaves are queued until a batch is full
//! (`leaf_batch`), and pairs of

use super::leaf_batch::LeafBatch;
use crate::answer::budget::WorkMeter;
use crate::mesh::walk::pair_walk::{Leaves, PairWalk, PlacedTree, place};
use crate::numeric::lane_vectors::splat;
use crate::triangle::pair_filter::CornerLanes;
use crate::triangle::pair_queue::PairId;
use heurt_bvh::relative::{Placement, RelativeFrame, RelativePose};
use heurt_bvh::simd::Lanes8;
use heurt_bvh::simd::{HasLanes, Kernel, Lanes, Machine, WideIsa, dispatch};
use heurt_bvh::volume::PairGap;
use heurt_bvh::walk::{PairVisitor, walk_pair};
use heurt_bvh::{Leaf, TreeFrame, Work};
use heurt_geometry::{Mat3, Vec3, triangles_intersect};
use heurt_shape::TriBlock;
use std::ops::ControlFlow;

/// Receives the intersecting pairs of triangles of two placed meshes until it breaks.
type FoundPairs<'f> = &'f mut dyn FnMut(u32, u32) -> ControlFlow<()>;

/// A search that passes the intersecting pairs of triangles of two placed meshes to `found`, within a budget of work.
pub(crate) struct IntersectingPairs<'f> {
    found: FoundPairs<'f>,
    meter: &'f WorkMeter<'f>,
    /// Whether all pairs are requested, in any order.
    all: bool,
}

impl<'f> IntersectingPairs<'f> {
    /// Searches with the most likely pairs first, until `found` breaks.
    pub fn first(meter: &'f WorkMeter<'f>, found: FoundPairs<'f>) -> Self {
        Self { found, meter, all: false }
    }

    /// Searches all pairs, in any order; with a limited budget the most likely pairs come first.
    pub fn all(meter: &'f WorkMeter<'f>, found: FoundPairs<'f>) -> Self {
        Self { found, meter, all: !meter.is_limited() }
    }
}

impl PairWalk for IntersectingPairs<'_> {
    /// Not inlined, so that each pair of volumes and degrees is compiled once.
    #[inline(never)]
    fn walk<A, B, const W: usize>(
        &mut self,
        a: &PlacedTree<'_, A, W>,
        b: &PlacedTree<'_, B, W>,
        composed: &RelativeFrame,
    ) -> Work
    where
        A: PairGap<B>,
        B: PairGap<A, PairConstants = A::PairConstants>,
        Machine: HasLanes<W>,
    {
        let (frame_a, frame_b) = (a.tree.frame(), b.tree.frame());
        let relative = RelativePose::of(composed, frame_a, frame_b);
        let mut visitor = LeafPairVisitor {
            leaves: [Leaves::of(a), Leaves::of(b)],
            frames: LazyBlockFrames { composed, relative: &relative, of_trees: [frame_a, frame_b], made: [None, None] },
            batch: None,
            pairs: self,
        };
        let work = walk_pair(a.tree, b.tree, &relative, &mut visitor);
        // If `found` breaks, no queued pairs remain.
        let _ = dispatch::<8, _>(FlushKernel(&mut visitor));
        if let Some(batch) = visitor.batch {
            batch.keep();
        }
        work
    }
}

/// Finds intersecting triangles of two placed meshes and passes them to `found` until it breaks.
struct LeafPairVisitor<'a, 'f> {
    /// The leaves of A and of B.
    leaves: [Leaves<'a>; 2],
    frames: LazyBlockFrames<'a>,
    /// Acquired for the first leaves, when the frames are computed: most walks of disjoint meshes reach no leaves.
    batch: Option<Box<LeafBatch>>,
    pairs: &'a mut IntersectingPairs<'f>,
}

/// The [`BlockFrames`] that map A's blocks to B's frame, and B's blocks to A's frame, computed on first use.
struct LazyBlockFrames<'a> {
    composed: &'a RelativeFrame,
    relative: &'a RelativePose,
    of_trees: [&'a TreeFrame; 2],
    made: [Option<BlockFrames>; 2],
}

impl LazyBlockFrames<'_> {
    #[inline(always)]
    fn get(&mut self, side: usize) -> &BlockFrames {
        let Self { composed, relative, of_trees: [frame_a, frame_b], made } = self;
        made[side].get_or_insert_with(|| {
            if side == 1 {
                BlockFrames::new(composed, relative, frame_a, frame_b)
            } else {
                BlockFrames::back(composed, relative, frame_a, frame_b)
            }
        })
    }
}

/// The transform of blocks of one tree (the placed one) to the frame of another tree (the receiving one).
pub(crate) struct BlockFrames {
    /// Maps local coordinates of the placed tree to local coordinates of the receiving tree in `f64`:
    /// `turn · y + translation`.
    turn: [[f64; 3]; 3],
    translation: [f64; 3],
    /// The rotation `turn` in `f32`, padded.
    turn32: [[f32; 4]; 3],
    /// Units of the receiving tree per unit of the placed tree.
    ratio: f32,
    /// Bound on the error of a placed corner relative to a corner of the receiving tree, in units of the latter.
    slack: f32,
}

impl BlockFrames {
    /// Builds the transform of blocks of B to the frame of A.
    #[inline(always)]
    pub fn new(composed: &RelativeFrame, relative: &RelativePose, frame_a: &TreeFrame, frame_b: &TreeFrame) -> Self {
        let RelativeFrame { rotation, offset, slack, .. } = composed;
        Self::of((rotation, *offset, *slack), &relative.b_in_a, frame_a, frame_b)
    }

    /// Builds the transform of blocks of A to the frame of B.
    #[inline(always)]
    fn back(composed: &RelativeFrame, relative: &RelativePose, frame_a: &TreeFrame, frame_b: &TreeFrame) -> Self {
        let back = composed.rotation.transpose();
        Self::of((&back, -(back * composed.offset), composed.slack), &relative.a_in_b, frame_b, frame_a)
    }

    #[inline(always)]
    fn of(
        (rotation, offset, slack): (&Mat3, Vec3, f64),
        rounded: &Placement,
        to: &TreeFrame,
        from: &TreeFrame,
    ) -> Self {
        let inverse = to.inverse_scale();
        Self {
            turn: (*rotation * (from.scale() * inverse)).to_cols_array_2d(),
            translation: (offset * inverse).to_array(),
            turn32: rounded.scaled_rotation,
            ratio: rounded.ratio,
            slack: ((slack * inverse) as f32).next_up(),
        }
    }

    /// Computes the centre of a block of the placed tree, in local coordinates of the receiving tree.
    #[inline(always)]
    fn centre(&self, block: &TriBlock) -> [f64; 3] {
        let [x, y, z] = block.centre.map(f64::from);
        let turn = &self.turn;
        [0, 1, 2].map(
            #[inline(always)]
            |axis| turn[0][axis] * x + turn[1][axis] * y + turn[2][axis] * z + self.translation[axis],
        )
    }

    /// Computes the corners of a block of the placed tree relative to the block's centre, along the axes and in units
    /// of the receiving tree.
    #[inline(always)]
    fn turned<F: Lanes<8>>(&self, block: &TriBlock) -> CornerLanes<F> {
        let mut out = [[F::splat(0.0); 3]; 3];
        let mut corner = 0;
        while corner < 3 {
            let [x, y, z] = &block.corners[corner];
            let (x, y, z) = (F::load(x), F::load(y), F::load(z));
            let mut axis = 0;
            while axis < 3 {
                let entry = |column: usize| F::splat(self.turn32[column][axis]);
                out[corner][axis] = entry(0).mul(x).add(entry(1).mul(y)).add(entry(2).mul(z));
                axis += 1;
            }
            corner += 1;
        }
        CornerLanes(out)
    }
}

/// Marks the leaves of A in the names of queued pairs.
const OF_A: u32 = 1 << 31;

impl LeafPairVisitor<'_, '_> {
    /// Queues a query leaf of mesh `side` (0: A, 1: B) and candidate leaves of the opposite mesh that meet it.
    ///
    /// The δ of [`pair_filter`](crate::triangle::pair_filter), with u = 2⁻²⁴: let ρ be the ratio of units (a power of
    /// two, so that an entry of the rotation is rounded once), r the radius of the query leaf, s the radius of a
    /// candidate leaf, and t the offset from centre to centre. A stored corner of the candidate is off by u·s, t by
    /// u·|t|, and their sum is rounded (u·(|t| + s)). An offset of the query leaf is rounded, multiplied by rounded
    /// entries and summed over three axes (5√3·u·ρ·r). Differences double these errors, less shared errors, and round
    /// once more. The error is 6u·s + 2u·|t| within the candidate, 12√3·u·ρ·r within the query leaf, and
    /// 3u·s + 3u·|t| + 6√3·u·ρ·r between them. The slack of the relative pose is added; it also covers the `f64`
    /// arithmetic here.
    #[inline(never)]
    fn add_leaves<I: WideIsa>(&mut self, isa: I, side: usize, leaf: Leaf, others: &[Leaf]) -> ControlFlow<()> {
        isa.enter_wide(
            #[inline(always)]
            || {
                let (here, there) = (side % 2, 1 - side % 2);
                let Self { leaves, frames, batch, .. } = self;
                let batch = batch.get_or_insert_with(LeafBatch::take);
                let frames = frames.get(here);
                leaves[here].expect_triangles(isa, leaf);
                let block = leaves[here].block(leaf);
                let (centre, corners) = (frames.centre(block), frames.turned::<Lanes8<I>>(block));
                let boxes = corners.boxes();
                let of_one = 21.0 * frames.ratio * block.radius();
                batch.add_one(&corners, &boxes, leaf.ordinal);
                for other in others {
                    leaves[there].expect_triangles(isa, *other);
                    let block = leaves[there].block(*other);
                    let (mut offset, mut farthest) = ([0.0f32; 3], 0.0f32);
                    let mut axis = 0;
                    while axis < 3 {
                        offset[axis] = (f64::from(block.centre[axis]) - centre[axis]) as f32;
                        farthest = farthest.max(offset[axis].abs());
                        axis += 1;
                    }
                    let error = rounding_bound(6.0 * block.radius() + of_one + 3.0 * farthest, frames.slack);
                    let rows = boxes.meet_box(&offset, &block.half, error) & ((1 << leaf.count) - 1);
                    let name = other.ordinal | if there == 0 { OF_A } else { 0 };
                    batch.add_other::<Lanes8<I>>((block, &splat(&offset)), rows, error, other.count, name);
                }
                if batch.is_full() { self.go_through(isa, false) } else { ControlFlow::Continue(()) }
            },
        )
    }

    /// Processes the queued leaves and, with `to_the_end`, all queued pairs of triangles. Passes on the pairs that
    /// provably intersect and, after the exact test, the undecided pairs that do.
    #[inline(never)]
    fn go_through<I: WideIsa>(&mut self, isa: I, to_the_end: bool) -> ControlFlow<()> {
        let Self { leaves, batch: Some(batch), pairs, .. } = self else { return ControlFlow::Continue(()) };
        batch.go_through(
            isa,
            to_the_end,
            #[inline(always)]
            |_, _, meeting| meeting,
            |PairId { leaves: [other, one], lanes }, is_sure| {
                let (x, y) = if other & OF_A != 0 {
                    (leaves[0].triangle(other & !OF_A, lanes[0]), leaves[1].triangle(one, lanes[1]))
                } else {
                    (leaves[0].triangle(one, lanes[1]), leaves[1].triangle(other, lanes[0]))
                };
                if is_sure || intersect_exactly(leaves, x, y) { (pairs.found)(x, y) } else { ControlFlow::Continue(()) }
            },
        )
    }
}

#[inline(never)]
fn intersect_exactly([a, b]: &[Leaves<'_>; 2], x: u32, y: u32) -> bool {
    triangles_intersect(&place(a.shape, a.pose, x), &place(b.shape, b.pose, y))
}

/// Processes the pairs that remain queued after a walk.
struct FlushKernel<'x, 'a, 'f>(&'x mut LeafPairVisitor<'a, 'f>);

impl Kernel for FlushKernel<'_, '_, '_> {
    type Output = ControlFlow<()>;

    #[inline(always)]
    fn run<I: WideIsa>(self, isa: I) -> ControlFlow<()> {
        self.0.go_through(isa, true)
    }
}

impl PairVisitor for LeafPairVisitor<'_, '_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        0.0
    }

    #[inline(always)]
    fn should_continue(&mut self, _bound: f32, done: &Work) -> bool {
        !self.pairs.meter.is_exhausted_after(done)
    }

    #[inline(always)]
    fn checks_each_pair(&self) -> bool {
        self.pairs.meter.is_limited()
    }

    #[inline(always)]
    fn prefetch_a<I: WideIsa>(&self, isa: I, leaf: Leaf) {
        self.leaves[0].prefetch(isa, leaf);
    }

    #[inline(always)]
    fn prefetch_b<I: WideIsa>(&self, isa: I, leaf: Leaf) {
        self.leaves[1].prefetch(isa, leaf);
    }

    #[inline(always)]
    fn accepts_any_order(&self) -> bool {
        self.pairs.all
    }

    #[inline(always)]
    fn visit_leaves<I: WideIsa>(&mut self, isa: I, leaf_a: Leaf, leaf_b: Leaf) -> ControlFlow<()> {
        self.add_leaves(isa, 1, leaf_b, &[leaf_a])?;
        if self.pairs.all { ControlFlow::Continue(()) } else { self.go_through(isa, true) }
    }

    #[inline(always)]
    fn visit_leaf_run<I: WideIsa>(&mut self, isa: I, is_of_b: bool, leaf: Leaf, others: &[Leaf]) -> ControlFlow<()> {
        self.add_leaves(isa, usize::from(is_of_b), leaf, others)
    }
}

/// Computes δ from rounding errors of u = 2⁻²⁴ of a total length `span`, and `slack`.
#[inline(always)]
fn rounding_bound(span: f32, slack: f32) -> f32 {
    // If products of three lengths could overflow, δ is infinite: no sign is certified.
    if span < 1e12 { slack + span * (1.0 / (1u32 << 24) as f32) } else { f32::INFINITY }
}

/// Computes the corners of a block of B relative to the centre of a block of A, and the δ of
/// [`pair_filter`](crate::triangle::pair_filter).
///
/// With u = 2⁻²⁴, r the radii, ρ the ratio of units and t the position of B's centre: a corner of A is off by u·r_a. An
/// offset of B is rounded, multiplied by rounded entries, summed over three axes (5√3·u·ρ·r_b), and moved by a rounded
/// t (one more rounding of the sum). Differences double these errors, less shared errors, and round once more. The
/// error is 4u·r_a within A, 14√3·u·ρ·r_b + 2u·|t| within B, and 2u·r_a + 7√3·u·ρ·r_b + 3u·|t| between them. The slack
/// of the relative pose is added; it also covers the `f64` arithmetic here.
#[inline(always)]
pub(crate) fn placed_corners<I: WideIsa>(
    _isa: I,
    frames: &BlockFrames,
    block_a: &TriBlock,
    block_b: &TriBlock,
) -> (CornerLanes<Lanes8<I>>, f32) {
    let centre = frames.centre(block_b);
    let mut shift = [0.0f32; 3];
    let mut farthest = 0.0f32;
    let mut axis = 0;
    while axis < 3 {
        shift[axis] = (centre[axis] - f64::from(block_a.centre[axis])) as f32;
        farthest = farthest.max(shift[axis].abs());
        axis += 1;
    }
    let span = 4.0 * block_a.radius() + 25.0 * frames.ratio * block_b.radius() + 3.0 * farthest;
    (frames.turned(block_b).shifted(&splat(&shift)), rounding_bound(span, frames.slack))
}
