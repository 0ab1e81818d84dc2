//! The leaves of two meshes against each other: a filter that decides eight triangle pairs at a time, and the exact test for
//! what it leaves open.
//!
//! In: blocks of up to eight triangles of each mesh. Out: the pairs of triangles whose placed `f64` versions intersect.
//! The filter is `tri_pairs`; B's block comes into the frame of A's block, whose origin is found in `f64`, so that the
//! filter's doubt is relative to the leaves and not to the meshes.

use super::placed::{Leaves, PairWalk, Placed, place};
use super::tri_pairs::{Corners, judge};
use crate::budget::Spending;
use heurt_bvh::relative::{Composed, RelativePose};
use heurt_bvh::simd::{Avx2, Lanes, LanesFor, WideIsa};
use heurt_bvh::volume::Against;
use heurt_bvh::walk::{PairVisitor, walk_pair};
use heurt_bvh::{Leaf, TreeFrame, Work};
use heurt_geometry::triangles_intersect;
use heurt_shape::TriBlock;
use std::ops::ControlFlow;

type F8<I> = <I as LanesFor<8>>::F;

/// Takes the intersecting pairs of triangles of two placed meshes until it breaks.
type Found<'f> = &'f mut dyn FnMut(u32, u32) -> ControlFlow<()>;

/// Hands the intersecting pairs of triangles of two placed meshes to `found`, as long as there is something to spend.
pub(crate) struct MeetingPairs<'f> {
    found: Found<'f>,
    spending: &'f Spending<'f>,
}

impl<'f> MeetingPairs<'f> {
    pub fn new(spending: &'f Spending<'f>, found: Found<'f>) -> Self {
        Self { found, spending }
    }
}

impl PairWalk for MeetingPairs<'_> {
    /// Called, so that each pair of volumes and degrees is compiled once.
    #[inline(never)]
    fn walk<A, B, const W: usize>(&mut self, a: &Placed<'_, A, W>, b: &Placed<'_, B, W>, composed: &Composed) -> Work
    where
        A: Against<B>,
        B: Against<A, Relation = A::Relation>,
        Avx2: LanesFor<W>,
    {
        let (frame_a, frame_b) = (a.tree.frame(), b.tree.frame());
        let relative = RelativePose::of(composed, frame_a, frame_b);
        let frames = FramesAtNeed { composed, relative: &relative, frame_a, frame_b, made: None };
        let mut visitor = LeafPairs { a: Leaves::of(a), b: Leaves::of(b), frames, asked: self };
        walk_pair(a.tree, b.tree, &relative, &mut visitor)
    }
}

/// Finds intersecting triangles of two placed meshes and hands them to `found` until it breaks.
struct LeafPairs<'a, 'f> {
    a: Leaves<'a>,
    b: Leaves<'a>,
    frames: FramesAtNeed<'a>,
    asked: &'a mut MeetingPairs<'f>,
}

/// [`BlockFrames`], made for the first leaves: most walks of meshes that do not meet come to none.
struct FramesAtNeed<'a> {
    composed: &'a Composed,
    relative: &'a RelativePose,
    frame_a: &'a TreeFrame,
    frame_b: &'a TreeFrame,
    made: Option<BlockFrames>,
}

impl FramesAtNeed<'_> {
    #[inline(always)]
    fn get(&mut self) -> &BlockFrames {
        let Self { composed, relative, frame_a, frame_b, made } = self;
        made.get_or_insert_with(|| BlockFrames::new(composed, relative, frame_a, frame_b))
    }
}

/// How blocks of B come into the frames of blocks of A.
pub(crate) struct BlockFrames {
    /// Maps local coordinates of tree B to those of tree A in `f64`: `turn · y + translation`.
    turn: [[f64; 3]; 3],
    translation: [f64; 3],
    /// The same turn in `f32`, padded.
    turn32: [[f32; 4]; 3],
    /// Units of A in a unit of B.
    ratio: f32,
    /// How far a placed corner of B, seen from one of A, may be off, in units of A.
    slack: f32,
}

impl BlockFrames {
    #[inline(always)]
    pub fn new(composed: &Composed, relative: &RelativePose, frame_a: &TreeFrame, frame_b: &TreeFrame) -> Self {
        let inverse = frame_a.inverse_scale();
        Self {
            turn: (composed.rotation * (frame_b.scale() * inverse)).to_cols_array_2d(),
            translation: (composed.offset * inverse).to_array(),
            turn32: relative.b_in_a.turn,
            ratio: relative.b_in_a.ratio,
            slack: ((composed.slack * inverse) as f32).next_up(),
        }
    }
}

impl LeafPairs<'_, '_> {
    /// Hands over the pairs named in `meeting` and, after the exact test, those in `open`: bit 8·j + i is triangle i of A and
    /// triangle j of B.
    fn settle(&mut self, meeting: u64, open: u64, leaf_a: Leaf, leaf_b: Leaf) -> ControlFlow<()> {
        let (of_a, of_b) = (self.a.triangles(leaf_a), self.b.triangles(leaf_b));
        let mut candidates = meeting | open;
        while candidates != 0 {
            let bit = candidates.trailing_zeros();
            candidates &= candidates - 1;
            let (x, y) = (of_a[bit as usize & 7], of_b[bit as usize >> 3]);
            if meeting >> bit & 1 != 0 || self.meet_exactly(x, y) {
                (self.asked.found)(x, y)?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline(never)]
    fn meet_exactly(&self, x: u32, y: u32) -> bool {
        triangles_intersect(&place(self.a.shape, self.a.pose, x), &place(self.b.shape, self.b.pose, y))
    }
}

impl PairVisitor for LeafPairs<'_, '_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        0.0
    }

    #[inline(always)]
    fn goes_on(&mut self, _bound: f32, done: &Work) -> bool {
        !self.asked.spending.ends_after(done)
    }

    #[inline(always)]
    fn expect_a<I: WideIsa>(&self, isa: I, leaf: Leaf) {
        self.a.expect(isa, leaf);
    }

    #[inline(always)]
    fn expect_b<I: WideIsa>(&self, isa: I, leaf: Leaf) {
        self.b.expect(isa, leaf);
    }

    #[inline(always)]
    fn leaves<I: WideIsa>(&mut self, isa: I, leaf_a: Leaf, leaf_b: Leaf) -> ControlFlow<()> {
        self.a.expect_triangles(isa, leaf_a);
        self.b.expect_triangles(isa, leaf_b);
        let block_a = self.a.block(leaf_a);
        let block_b = self.b.block(leaf_b);
        let (meeting, open) = filtered(isa, self.frames.get(), (block_a, leaf_a.count), (block_b, leaf_b.count));
        if meeting | open == 0 {
            return ControlFlow::Continue(());
        }
        self.settle(meeting, open, leaf_a, leaf_b)
    }
}

/// The pairs of triangles that surely meet, and those that are open; bit 8·j + i is triangle i of A and triangle j of B. One
/// for each instruction set, called: put into every walk, it would be compiled for every pair of volumes and degrees.
#[inline(never)]
fn filtered<I: WideIsa>(
    isa: I,
    frames: &BlockFrames,
    (block_a, count_a): (&TriBlock, u32),
    (block_b, count_b): (&TriBlock, u32),
) -> (u64, u64) {
    isa.enter(
        #[inline(always)]
        || {
            let (of_b, error) = placed_corners(isa, frames, block_a, block_b);
            filter::<I>(
                (block_a, count_a),
                (&of_b, count_b),
                error,
                #[inline(always)]
                |_, near| near,
            )
        },
    )
}

/// Filters the triangles of a block of A against those of a block of B, which are seen from the centre of A's, off by `error` (the
/// δ of [`tri_pairs`](super::tri_pairs)). `of_interest` gets the triangles of A whose boxes meet that of one of B, and tells
/// which of them to look at. Few pairs of boxes meet of most leaves: they are put side by side, so that lanes are full.
#[inline(always)]
pub(crate) fn filter<I: WideIsa>(
    (block_a, count_a): (&TriBlock, u32),
    (of_b, count_b): (&Corners<F8<I>>, u32),
    error: f32,
    mut of_interest: impl FnMut(usize, u32) -> u32,
) -> (u64, u64) {
    let boxes_b = of_b.boxes();
    let mut near_b = boxes_b.meet_centred(&block_a.half, error) & ((1u32 << count_b) - 1);
    if near_b == 0 {
        return (0, 0);
    }
    let of_a = Corners::<F8<I>>::of_block(block_a);
    let (boxes_a, boxes_b) = (of_a.boxes(), boxes_b.to_arrays());
    let used_a = (1u32 << count_a) - 1;
    let mut asked = 0u64;
    while near_b != 0 {
        let j = near_b.trailing_zeros() as usize;
        near_b &= near_b - 1;
        let near = boxes_a.meet(&boxes_b, j, error) & used_a;
        if near != 0 {
            asked |= u64::from(of_interest(j, near)) << (8 * j);
        }
    }
    let (mut meeting, mut open) = (0, 0);
    while asked != 0 {
        // A byte for each lane: eight stores that are read as one register would have to be waited for.
        let (mut lanes_a, mut lanes_b, mut taken) = (0u64, 0u64, 0);
        while asked != 0 && taken < 8 {
            let bit = u64::from(asked.trailing_zeros());
            asked &= asked - 1;
            lanes_a |= (bit & 7) << (8 * taken);
            lanes_b |= (bit >> 3) << (8 * taken);
            taken += 1;
        }
        let verdict = judge(&of_a.picked(lanes_a), &of_b.picked(lanes_b), error, (1u32 << taken) - 1);
        let mut rest = verdict.meeting | verdict.open;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let bit = (lanes_b >> (8 * lane) & 7) * 8 + (lanes_a >> (8 * lane) & 7);
            meeting |= u64::from(verdict.meeting >> lane & 1) << bit;
            open |= u64::from(verdict.open >> lane & 1) << bit;
        }
    }
    (meeting, open)
}

/// The corners of a block of B seen from the centre of a block of A, and the δ of [`tri_pairs`](super::tri_pairs).
///
/// With u = 2⁻²⁴, r the radii, ρ the ratio of units and t the place of B's centre: a corner of A is off by u·r_a. An
/// offset of B is rounded, multiplied by rounded entries, summed over three axes (5√3·u·ρ·r_b), and moved by a rounded t
/// (one more rounding of the sum). Differences double that, less what they share, and round once more: within A 4u·r_a, within B
/// 14√3·u·ρ·r_b + 2u·|t|, between them 2u·r_a + 7√3·u·ρ·r_b + 3u·|t| and the slack of the relative pose, which also
/// covers the `f64` arithmetic here.
#[inline(always)]
pub(crate) fn placed_corners<I: WideIsa>(
    _isa: I,
    frames: &BlockFrames,
    block_a: &TriBlock,
    block_b: &TriBlock,
) -> (Corners<F8<I>>, f32) {
    let [x, y, z] = block_b.centre.map(f64::from);
    let turn = &frames.turn;
    let mut shift = [0.0f32; 3];
    let mut farthest = 0.0f32;
    let mut axis = 0;
    while axis < 3 {
        let turned = turn[0][axis] * x + turn[1][axis] * y + turn[2][axis] * z;
        shift[axis] = (turned + (frames.translation[axis] - f64::from(block_a.centre[axis]))) as f32;
        farthest = farthest.max(shift[axis].abs());
        axis += 1;
    }
    let span = 4.0 * block_a.radius() + 25.0 * frames.ratio * block_b.radius() + 3.0 * farthest;
    // Where products of three lengths could overflow, nothing is believed.
    let error = if span < 1e12 { frames.slack + span * (1.0 / (1u32 << 24) as f32) } else { f32::INFINITY };
    let mut out = [[F8::<I>::splat(0.0); 3]; 3];
    let mut corner = 0;
    while corner < 3 {
        let [x, y, z] = &block_b.corners[corner];
        let (x, y, z) = (F8::<I>::load(x), F8::<I>::load(y), F8::<I>::load(z));
        let mut axis = 0;
        while axis < 3 {
            let entry = |column: usize| F8::<I>::splat(frames.turn32[column][axis]);
            let turned = entry(0).mul(x).add(entry(1).mul(y)).add(entry(2).mul(z));
            out[corner][axis] = turned.add(F8::<I>::splat(shift[axis]));
            axis += 1;
        }
        corner += 1;
    }
    (Corners(out), error)
}
