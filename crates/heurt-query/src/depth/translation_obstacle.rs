//! Translation obstacle of two convex pieces: the convex set of translations that leave them overlapping, bounded by
//! half-spaces and by queries of the pieces.

use super::DepthSearch;
use crate::convex::pair::{ConvexPair, CoreSeparation, SeparationQuery};
use crate::convex::separation::cores;
use crate::convex::support::{PlacedCore, Support};
use crate::depth::canonical_frame::CanonicalFrame;
use crate::depth::operand::{DepthOperand, PlacedPiece};
use heurt_bvh::relative::RelativePose;
use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Aabb32, Boxes, Bvh, Leaf, PairVisitor, cutoff, walk_pair};
use heurt_geometry::{Aabb, Pose, Vec3};
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// Maximum number of obstacles: the deepest are kept.
const MAX_OBSTACLES: usize = 4096;

/// The set of all t with `normal` · t ≤ `height`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HalfSpace {
    /// Unit normal, outwards.
    pub normal: Vec3,
    pub height: f64,
}

/// The translations of a piece of B that leave it overlapping a piece of A.
#[derive(Debug, Clone)]
pub(crate) struct TranslationObstacle {
    /// Numbers of the pieces.
    pieces: [u32; 2],
    /// Half-spaces that hold the obstacle, up to rounding. They only propose; queries of the pieces prove.
    pub about: SmallVec<[HalfSpace; 16]>,
}

/// The side of an obstacle on which a box of translations lies, as far as the half-spaces decide it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HalfSpaceSide {
    Beyond,
    Across,
    Within,
}

impl TranslationObstacle {
    /// Builds the obstacle from the boxes of two pieces.
    fn of(pieces: [u32; 2], of_a: &Aabb, of_b: &Aabb) -> Self {
        let (up, down) = (of_a.max - of_b.min, of_b.max - of_a.min);
        let side = |side: usize| {
            let axis = Vec3::AXES[side / 2];
            match side % 2 {
                0 => HalfSpace { normal: axis, height: up[side / 2] },
                _ => HalfSpace { normal: -axis, height: down[side / 2] },
            }
        };
        Self { pieces, about: (0..6).map(side).collect() }
    }

    /// Classifies the box around `centre` whose faces are `half` from there.
    pub fn place(&self, centre: Vec3, half: f64) -> HalfSpaceSide {
        let mut is_within = true;
        for HalfSpace { normal, height } in &self.about {
            let (at, reach) = (normal.dot(centre), (normal.x.abs() + normal.y.abs() + normal.z.abs()) * half);
            if at - reach > *height {
                return HalfSpaceSide::Beyond;
            }
            is_within &= at + reach <= *height;
        }
        if is_within { HalfSpaceSide::Within } else { HalfSpaceSide::Across }
    }

    /// Returns the half-space beyond which some of the places are most distant.
    pub fn most_crossed(&self, places: &[Vec3]) -> HalfSpace {
        let beyond = |space: &HalfSpace| {
            places.iter().fold(f64::NEG_INFINITY, |most, place| most.max(space.normal.dot(*place) - space.height))
        };
        let most = self.about.iter().max_by(|x, y| beyond(x).total_cmp(&beyond(y)));
        most.copied().unwrap_or(HalfSpace { normal: Vec3::X, height: f64::INFINITY })
    }

    /// Returns an upper bound of the depth of the placed pieces.
    pub fn depth_at_most(&self) -> f64 {
        self.about.iter().fold(f64::INFINITY, |least, half_space| least.min(half_space.height))
    }
}

/// Lists the obstacles of all pairs of inner pieces that come nearer to the origin than `within`, the deepest first.
pub(crate) fn between(
    a: &DepthOperand<'_>,
    b: &DepthOperand<'_>,
    seats: &CanonicalFrame,
    within: f64,
) -> Vec<TranslationObstacle> {
    let boxes = [a.boxes(&seats.poses[0]), b.boxes(&seats.poses[1])];
    let mut found = Deepest { boxes: &boxes, within, pairs: Vec::new() };
    if found.walk().is_none() {
        // The boxes are beyond the range of trees.
        let all = (0..boxes[0].len() as u32).flat_map(|i| (0..boxes[1].len() as u32).map(move |j| [i, j]));
        all.for_each(|pair| found.offer(pair));
    }
    found.classify_batch();
    let Deepest { pairs, .. } = found;
    let obstacle = |[i, j]: [u32; 2]| TranslationObstacle::of([i, j], &boxes[0][i as usize], &boxes[1][j as usize]);
    pairs.into_iter().map(|(_, pair)| obstacle(pair)).collect()
}

/// The pairs of boxes that overlap the deepest, or are the least distant.
struct Deepest<'a> {
    boxes: &'a [Vec<Aabb>; 2],
    /// Distance from which on pairs are left out, in metres.
    within: f64,
    /// Pairs with the length of the shortest translation along an axis that separates them.
    pairs: Vec<(f64, [u32; 2])>,
}

impl Deepest<'_> {
    /// Traverses the pairs that trees over the boxes leave; returns `None` if there are no such trees.
    fn walk(&mut self) -> Option<()> {
        if self.boxes.iter().any(Vec::is_empty) {
            return Some(());
        }
        let tree = |side: usize| Bvh::<Aabb32, 8>::new(&Boxes::new(self.boxes[side].iter().copied())).ok();
        let (of_a, of_b) = (tree(0)?, tree(1)?);
        let here = Pose::IDENTITY;
        let relative = RelativePose::new(of_a.frame(), &here, of_b.frame(), &here);
        // Gaps are reported doubled.
        let cutoff = cutoff::doubled(self.within, of_a.frame().inverse_scale());
        walk_pair(&of_a, &of_b, &relative, &mut NearBoxes { trees: [&of_a, &of_b], cutoff, found: self });
        Some(())
    }

    fn offer(&mut self, [i, j]: [u32; 2]) {
        let (of_a, of_b) = (&self.boxes[0][i as usize], &self.boxes[1][j as usize]);
        let depth = (of_a.max - of_b.min).min_element().min((of_b.max - of_a.min).min_element());
        if depth > -self.within {
            self.pairs.push((depth, [i, j]));
        }
        // There may be far more pairs than are kept.
        if self.pairs.len() >= 4 * MAX_OBSTACLES {
            self.classify_batch();
        }
    }

    /// Keeps the deepest pairs, in order.
    fn classify_batch(&mut self) {
        self.pairs.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        self.pairs.truncate(MAX_OBSTACLES);
    }
}

/// A traversal of the boxes of the pieces of both operands.
struct NearBoxes<'a, 'b> {
    trees: [&'a Bvh<Aabb32, 8>; 2],
    cutoff: f32,
    found: &'a mut Deepest<'b>,
}

impl PairVisitor for NearBoxes<'_, '_> {
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    fn visit_leaves<I: WideIsa>(&mut self, _isa: I, a: Leaf, b: Leaf) -> ControlFlow<()> {
        for &i in self.trees[0].primitives(a) {
            for &j in self.trees[1].primitives(b) {
                self.found.offer([i, j]);
            }
        }
        ControlFlow::Continue(())
    }
}

impl DepthSearch<'_> {
    /// Tests whether two pieces provably overlap with B moved. If not, returns a half-space around their obstacle that
    /// leaves the translation out, if there is one.
    fn blocks(&self, obstacle: usize, shift: Vec3) -> Result<(), Option<HalfSpace>> {
        let pieces = self.obstacles[obstacle].pieces.map(|piece| piece as usize);
        let [seat_a, seat_b] = &self.seats.poses;
        match self.cores_of(pieces, [seat_a, seat_b], shift).ok_or(None)? {
            // The frame equals the world only up to rounding, so a proof counts only in the world.
            Ok(()) if self.seats.are_in_world() => Ok(()),
            Ok(()) => match self.cores_of(pieces, [self.a.pose, self.b.pose], self.seats.turn * shift) {
                Some(Ok(())) => Ok(()),
                _ => Err(None),
            },
            Err(normal) => {
                let height = self.height(pieces, normal);
                // The direction of a gap of a few ulp may be wrong.
                Err((normal.dot(shift) > height).then_some(HalfSpace { normal, height }))
            }
        }
    }

    /// Tests whether two pieces of bodies at two poses provably overlap with B moved; if not, returns the direction of
    /// the gap. The result is `None` beyond the range of numbers.
    fn cores_of(&self, [i, j]: [usize; 2], [of_a, of_b]: [&Pose; 2], shift: Vec3) -> Option<Result<(), Vec3>> {
        let (a, b) = (&self.a.inner[i], &self.b.inner[j]);
        let [pose_a, pose_b] = [a.at(of_a), b.at(of_b).translated(shift)?];
        let pair = ConvexPair { a: &a.convex, pose_a: &pose_a, b: &b.convex, pose_b: &pose_b };
        let margin = pair.a.margin() + pair.b.margin();
        match cores(pair, SeparationQuery { beyond: f64::INFINITY, depth: false }) {
            CoreSeparation::Touching(..) | CoreSeparation::Penetrating(_) => Some(Ok(())),
            CoreSeparation::Disjoint(gap) if margin > 0.0 && gap.length + gap.error <= margin => Some(Ok(())),
            CoreSeparation::Disjoint(gap) => Some(Err(gap.normal)),
            CoreSeparation::BeyondMax => None,
        }
    }

    /// Returns the height along `normal` up to which translations leave two pieces overlapping.
    fn height(&self, [i, j]: [usize; 2], normal: Vec3) -> f64 {
        let (a, b) = (&self.a.inner[i], &self.b.inner[j]);
        let farthest = |piece: &PlacedPiece<'_>, seat: &Pose, towards: Vec3| {
            let pose = piece.at(seat);
            let core = PlacedCore::new(&piece.convex, &pose, 1.0);
            core.map_or(f64::INFINITY, |core| core.support(towards).point.dot(towards)) + piece.convex.margin()
        };
        let [seat_a, seat_b] = &self.seats.poses;
        farthest(a, seat_a, normal) + farthest(b, seat_b, -normal)
    }

    /// Proves that a translation leaves two pieces overlapping, or adds a half-space that leaves the translation out.
    pub(crate) fn proves(&mut self, obstacle: usize, shift: Vec3) -> bool {
        match self.blocks(obstacle, shift) {
            Ok(()) => true,
            Err(learnt) => {
                self.obstacles[obstacle].about.extend(learnt);
                false
            }
        }
    }

    /// Raises the lower bound to the greatest depth of two placed pieces.
    pub(crate) fn deepest_pair(&mut self) {
        for obstacle in &self.obstacles {
            if obstacle.depth_at_most() + self.seats.slack <= self.of_pair {
                // The deepest come first.
                break;
            }
            let [i, j] = obstacle.pieces.map(|piece| piece as usize);
            let (a, b) = (&self.a.inner[i], &self.b.inner[j]);
            let [pose_a, pose_b] = [a.at(self.a.pose), b.at(self.b.pose)];
            let pair = ConvexPair { a: &a.convex, pose_a: &pose_a, b: &b.convex, pose_b: &pose_b };
            // In the order of the caller, as bounds of curved depths do not have the same bits when swapped.
            let pair = if self.seats.is_swapped { pair.swapped() } else { pair };
            let margin = a.convex.margin() + b.convex.margin();
            let depth = match cores(pair, SeparationQuery { beyond: f64::INFINITY, depth: true }) {
                CoreSeparation::Penetrating(gap) => gap.at_least + margin,
                CoreSeparation::Disjoint(gap) => margin - gap.length - gap.error,
                CoreSeparation::Touching(..) | CoreSeparation::BeyondMax => 0.0,
            };
            self.of_pair = self.of_pair.max(depth);
        }
        self.at_least = self.seats.rounded_down(self.of_pair);
    }

    /// Returns a half-space around the obstacle that leaves out a translation and comes near to the origin.
    pub(crate) fn plane_at(&mut self, obstacle: usize, shift: Vec3) -> Option<HalfSpace> {
        if self.proves(obstacle, shift) {
            return None;
        }
        let outside = self.obstacles[obstacle].about.iter().filter(|space| space.normal.dot(shift) >= space.height);
        outside.copied().min_by(|x, y| x.height.total_cmp(&y.height))
    }
}
