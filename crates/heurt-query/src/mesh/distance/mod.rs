//! Distance of two placed meshes: 0 and a common point if they overlap, else the least distance of any two triangles.
//!
//! Method: `overlap` decides exactly whether the meshes overlap. If they do not, the trees are walked nearest volumes
//! first. Pairs farther from each other than the nearest pair of triangles found are rejected: volumes by their gaps,
//! triangles of two leaves by the gaps of their boxes and by their gap along the direction of the nearest pair. On
//! smooth surfaces the latter rejects nearly all pairs. The remaining pairs are bounded from both sides, eight at a
//! time (`distance_lanes`). Only at the end are distances computed in `f64` on the placed vertices, for the pairs whose
//! lower bound is not above the least upper bound: as a rule one.
//! Guarantees: 0 exactly where the shapes overlap. `error` bounds the absolute error of the distance: 48 ulp of the
//! largest coordinate involved. Ties are broken by the order of the walk, the same on every machine.
//! Cost: a few microseconds to reject all but the neighbourhoods of the nearest points, then the triangles there.

pub(crate) mod metered;

use crate::answer::budget::WorkMeter;
use crate::answer::distance::Distance;
use crate::answer::options::limit;
use crate::answer::overlap::{Side, Witness};
use crate::answer::placed::{Placed, PlacedMeshShape};
use crate::mesh::overlap::{mesh_overlap_counted, mesh_overlap_metered, overlap_with_trees, point_inside};
use crate::mesh::walk::intersecting_pairs::{BlockFrames, placed_corners};
use crate::mesh::walk::pair_walk::{
    Leaves, PairWalk, PlacedTree, PlacedWithTree, place, walk_default_trees, walk_trees,
};
use crate::numeric::lane_vectors::{arrays, dot, splat};
use crate::triangle::distance::{NearestPoints, ROUNDING, common_point, nearest_points, separating_direction};
use crate::triangle::distance_lanes::distances;
use crate::triangle::pair_filter::CornerLanes;
use heurt_bvh::relative::{RelativeFrame, RelativePose};
use heurt_bvh::simd::Lanes8;
use heurt_bvh::simd::{HasLanes, Lanes, Machine, WideIsa};
use heurt_bvh::volume::PairGap;
use heurt_bvh::walk::{PairVisitor, walk_pair};
use heurt_bvh::{Leaf, Work, cutoff};
use heurt_geometry::{Vec3, robust_normalize};
use heurt_shape::TriBlock;
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// Finds the distance of the placed meshes if it is at most `max` metres.
pub(crate) fn mesh_distance_within(
    a: PlacedMeshShape<'_>,
    b: PlacedMeshShape<'_>,
    max: f64,
) -> (Option<Distance>, Work) {
    mesh_distance_warm(a, b, max, None, None)
}

/// [`mesh_distance_within`] within a budget of work; the outer `None` means that the budget was exhausted.
pub(crate) fn mesh_distance_in_time(
    on_a: PlacedMeshShape<'_>,
    on_b: PlacedMeshShape<'_>,
    max: f64,
    meter: &WorkMeter<'_>,
) -> Option<Option<Distance>> {
    let witness = mesh_overlap_metered(on_a, on_b, meter);
    if let Some(witness) = witness {
        let (found, work) = of_overlapping(on_a, on_b, witness);
        meter.add(work);
        return Some(Some(found));
    }
    if meter.was_interrupted() {
        return None;
    }
    let (composed, search) = NearestPairSearch::new(on_a, on_b, max);
    let mut search = NearestPairSearch { meter: Some(meter), ..search };
    meter.add(walk_default_trees(on_a, on_b, &composed, &mut search));
    if meter.was_interrupted() { None } else { Some(search.nearest(on_a, on_b)) }
}

/// [`mesh_distance_within`] with a warm start from any pair of triangles, ideally the nearest pair of the previous
/// query. The result has the same bits. If `around` is given and the meshes are disjoint, it receives the pairs within
/// its skin (metres) beyond the distance.
pub(crate) fn mesh_distance_warm(
    on_a: PlacedMeshShape<'_>,
    on_b: PlacedMeshShape<'_>,
    max: f64,
    before: Option<[u32; 2]>,
    around: Option<(f64, &mut Neighbourhood)>,
) -> (Option<Distance>, Work) {
    let (witness, mut work) = mesh_overlap_counted(on_a, on_b);
    if let Some(witness) = witness {
        let (found, more) = of_overlapping(on_a, on_b, witness);
        return (Some(found), work + more);
    }
    let (composed, mut search) = NearestPairSearch::new(on_a, on_b, max);
    if let Some(pair) = before {
        search.begin_with(on_a, on_b, pair);
    }
    search.skin = around.as_ref().map_or(0.0, |(skin, _)| *skin);
    work += walk_default_trees(on_a, on_b, &composed, &mut search);
    let walked = search.reach;
    // Without a limit a pair always exists; the first triangles replace it if distances overflow.
    let found = search.nearest(on_a, on_b);
    let overflows = found.is_none() && max == f64::INFINITY;
    if let Some((_, around)) = around {
        *around = search.surroundings(walked);
    }
    (if overflows { Some(finish(on_a, on_b, [0, 0])) } else { found }, work)
}

/// Lower bounds of the distances of all pairs of triangles, in metres.
#[derive(Debug, Clone, Default)]
pub(crate) struct Neighbourhood {
    /// Lower bounds of distances, in units of `metres`.
    pub pairs: Vec<(f32, [u32; 2])>,
    pub metres: f64,
    /// Lower bound of the distance of all other pairs, in metres.
    pub reach: f64,
}

/// Returns a proven lower bound of the distance of triangles of two meshes, at most `most` metres. Returns 0 if they
/// may intersect or the budget is exhausted.
pub(crate) fn clearance(a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>, most: f64, meter: &WorkMeter<'_>) -> f64 {
    let (composed, search) = NearestPairSearch::new(a, b, most);
    let mut search = NearestPairSearch { meter: Some(meter), ..search };
    meter.add(walk_default_trees(a, b, &composed, &mut search));
    if meter.was_interrupted() {
        return 0.0;
    }
    let least = search.found.iter().fold(search.reach, |least, (at_least, _)| f32::min(least, *at_least));
    f64::from(least) / search.to_local * DOWN
}

/// Finds the nearest pair of triangles, with the result of [`mesh_distance_within`], if it is provably one of the pairs
/// in `around`. B has moved by at most `moved` metres since `around` was computed. Measured distances improve the
/// bounds in `around`.
pub(crate) fn nearest_within(
    a: PlacedMeshShape<'_>,
    b: PlacedMeshShape<'_>,
    max: f64,
    around: &mut Neighbourhood,
    moved: f64,
) -> Option<Option<Distance>> {
    let Neighbourhood { pairs, metres, reach } = around;
    // Distances have a rounding error.
    let error = 2.0
        * ROUNDING
        * (a.shape.tree().frame().max_coordinate()
            + b.shape.tree().frame().max_coordinate()
            + a.pose.max_translation()
            + b.pose.max_translation());
    let (mut nearest, mut within) = (BestPair::default(), f64::INFINITY);
    for k in 0..pairs.len() {
        let (at_least, pair) = pairs[k];
        if f64::from(at_least) * *metres - moved > within {
            continue;
        }
        let (distance, is_nearer) = nearest.offer(a, b, pair);
        let known = ((distance - moved - error) / *metres * DOWN) as f32;
        pairs[k].0 = if known > at_least { known } else { at_least };
        if is_nearer {
            within = distance * (1.0 + 1e-12) + error;
            // The nearest pair is tested first in the next query.
            pairs.swap(0, k);
        }
    }
    if within.min(max + error) >= *reach - moved {
        return None;
    }
    Some(nearest.result(a, b).filter(|found| found.distance <= max))
}

/// The nearest of the offered pairs; among equal pairs the pair with the least numbers.
struct BestPair {
    pair: Option<[u32; 2]>,
    distance: f64,
    /// Lower bound of the distances of all offered pairs: a pair with a larger computed distance may have a larger
    /// error. The bound does not depend on the set of offered pairs: a search leaves out only pairs that are farther
    /// than the nearest by more than the rounding error of any pair.
    least: f64,
}

impl Default for BestPair {
    fn default() -> Self {
        Self { pair: None, distance: f64::INFINITY, least: f64::INFINITY }
    }
}

impl BestPair {
    /// Takes a pair of triangles if it is nearer. Returns its distance in metres, and whether it was taken.
    fn offer(&mut self, a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>, [i, j]: [u32; 2]) -> (f64, bool) {
        let NearestPoints { distance, error, .. } =
            nearest_points(&place(a.shape, a.pose, i), &place(b.shape, b.pose, j));
        let is_nearer = match self.pair {
            Some(pair) => distance < self.distance || distance == self.distance && [i, j] < pair,
            None => true,
        };
        if is_nearer {
            (self.pair, self.distance) = (Some([i, j]), distance);
        }
        self.least = self.least.min(distance - error);
        (distance, is_nearer)
    }

    /// Returns the distance of the nearest pair, with an error bound that reaches down to the lower bounds of all
    /// others.
    fn result(&self, a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>) -> Option<Distance> {
        let found = finish(a, b, self.pair?);
        Some(Distance { error: found.error.max(found.distance - self.least), ..found })
    }
}

/// Lists, sorted, the pairs of triangles within `reach` metres of each other or slightly more, and whether the list is
/// complete. The walk ends if there are more than `most` pairs or the budget is exhausted.
pub(crate) fn pairs_near(
    a: PlacedMeshShape<'_>,
    b: PlacedMeshShape<'_>,
    reach: f64,
    most: usize,
    meter: &WorkMeter<'_>,
) -> (Vec<[u32; 2]>, bool) {
    let (composed, search) = NearestPairSearch::new(a, b, reach);
    let mut search = NearestPairSearch { gathers: Some(most), meter: Some(meter), ..search };
    meter.add(walk_default_trees(a, b, &composed, &mut search));
    let is_all = search.found.len() <= most && !meter.was_interrupted();
    let mut found: Vec<[u32; 2]> = search.found.into_iter().map(|(_, pair)| pair).collect();
    found.sort_unstable();
    (found, is_all)
}

/// [`mesh_distance_within`] through given trees over the meshes of the shapes, with the work
/// done. Every kind of tree gives the same distance within its error. `None` if the trees are of different kinds.
pub(crate) fn distance_with_trees(
    a: PlacedWithTree<'_>,
    b: PlacedWithTree<'_>,
    max: f64,
) -> Option<(Option<Distance>, Work)> {
    let (witness, mut work) = overlap_with_trees(a, b)?;
    let (on_a, on_b) = (a.placed(), b.placed());
    if let Some(witness) = witness {
        let (found, more) = of_overlapping(on_a, on_b, witness);
        return Some((Some(found), work + more));
    }
    let (composed, mut search) = NearestPairSearch::new(on_a, on_b, max);
    work += walk_trees(a, b, &composed, &mut search)?;
    Some((search.nearest(on_a, on_b), work))
}

/// Reports whether triangles of meshes that do not overlap are within `max` metres of each other.
pub(crate) fn surfaces_within(a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>, max: f64) -> (bool, Work) {
    let (composed, mut search) = NearestPairSearch::new(a, b, max);
    let work = walk_default_trees(a, b, &composed, &mut search);
    (search.nearest(a, b).is_some(), work)
}

/// Limit of pairs of triangles in a skin: a larger list costs more than a new walk. If a skin has more pairs, it is
/// halved at most `MAX_SKIN_HALVINGS` times.
const MAX_SKIN_PAIRS: usize = 64;
const MAX_SKIN_HALVINGS: u32 = 24;
/// Rounding factor for conversions between `f32` and metres, downwards.
const DOWN: f64 = 1.0 - 1e-6;

/// Returns the result for shapes that overlap.
fn of_overlapping(a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>, witness: Witness) -> (Distance, Work) {
    // `overlap` does not return the point, since only distance queries need it: it is computed again here.
    let own_meter = WorkMeter::default();
    let inside = |inner: PlacedMeshShape<'_>, outer: PlacedMeshShape<'_>| {
        let point = point_inside(inner, outer, &own_meter);
        point.expect("`overlap` found the same part inside")
    };
    let (point, primitives) = match witness {
        Witness::Primitives { a: i, b: j } => {
            (common_point(&place(a.shape, a.pose, i), &place(b.shape, b.pose, j)), Some([i, j]))
        }
        Witness::Contained(Side::A) => (inside(a, b), None),
        Witness::Contained(Side::B) => (inside(b, a), None),
    };
    (Distance::common(point, primitives), own_meter.done())
}

/// Returns the result for the nearest pair of triangles.
fn finish(a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>, [i, j]: [u32; 2]) -> Distance {
    let (x, y) = (place(a.shape, a.pose, i), place(b.shape, b.pose, j));
    let nearest = nearest_points(&x, &y);
    Distance {
        // The triangles are disjoint, even if their distance is below the rounding error.
        distance: nearest.distance.max(f64::from_bits(1)),
        point_a: nearest.on_x,
        point_b: nearest.on_y,
        normal: Some(separating_direction(&x, &y, &nearest)),
        primitives: Some([i, j]),
        error: nearest.error,
    }
}

/// The search for the nearest pair of triangles.
struct NearestPairSearch<'s> {
    /// The budget, if any; a search that exhausts it has no result.
    meter: Option<&'s WorkMeter<'s>>,
    max: f64,
    /// The thickness of the skin: pairs within the distance and this are listed, too; in metres.
    skin: f64,
    /// Direction from A to B in the world near which the nearest points are likely; not normalised.
    direction: Vec3,
    /// Upper bound of the local units of A per metre, set by the walk: rotations that deviate from orthonormality
    /// stretch the offsets between two triangles, some pairs more than others.
    to_local: f64,
    /// The least upper bound of a distance, in local units of A.
    reach: f32,
    /// Pairs of triangles by the lower bounds of their distances.
    found: Vec<(f32, [u32; 2])>,
    /// If set, all pairs within reach are listed, until there is one more than this number.
    gathers: Option<usize>,
}

impl<'s> NearestPairSearch<'s> {
    fn new(
        Placed { shape: a, pose: pose_a }: PlacedMeshShape<'_>,
        Placed { shape: b, pose: pose_b }: PlacedMeshShape<'_>,
        max: f64,
    ) -> (RelativeFrame, Self) {
        let (frame_a, frame_b) = (a.tree().frame(), b.tree().frame());
        let composed = RelativeFrame::new(frame_a, pose_a, frame_b, pose_b);
        let max = limit(max);
        let direction = *pose_a.rotation() * composed.offset;
        (
            composed,
            Self {
                meter: None,
                max,
                skin: 0.0,
                direction,
                to_local: 1.0,
                reach: f32::INFINITY,
                found: Vec::with_capacity(32),
                gathers: None,
            },
        )
    }

    /// Limits the search to the distance of a pair of triangles, and starts with its direction.
    fn begin_with(&mut self, a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>, [i, j]: [u32; 2]) {
        let is_known =
            (i as usize) < a.shape.mesh().triangles().len() && (j as usize) < b.shape.mesh().triangles().len();
        if is_known {
            let found = finish(a, b, [i, j]);
            let direction = found.point_b - found.point_a;
            if found.distance + found.error <= self.max && direction != Vec3::ZERO {
                (self.max, self.direction) = (found.distance + found.error, direction);
            }
        }
    }

    /// Computes the distances of the listed pairs, least lower bound first.
    fn nearest(&mut self, a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>) -> Option<Distance> {
        self.found.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        let mut nearest = BestPair::default();
        for &(at_least, pair) in &self.found {
            if at_least > self.reach {
                break;
            }
            if nearest.offer(a, b, pair).1 {
                self.reach = self.reach.min(cutoff::linear(nearest.distance, self.to_local));
            }
        }
        nearest.result(a, b).filter(|found| found.distance <= self.max)
    }

    /// Returns the pairs found, sorted, by a walk with the final cutoff `walked`.
    fn surroundings(self, walked: f32) -> Neighbourhood {
        let metres = DOWN / self.to_local;
        let mut pairs = self.found;
        pairs.truncate(pairs.partition_point(|(at_least, _)| *at_least <= walked));
        Neighbourhood { pairs, metres, reach: f64::from(walked) * metres }
    }
}

impl PairWalk for NearestPairSearch<'_> {
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
        let stretch = 1.0 + 8.0 * composed.defect;
        self.to_local = frame_a.inverse_scale() * stretch;
        self.reach = cutoff::linear(self.max + self.skin, self.to_local);
        let mut visitor = NearestPairVisitor {
            meter: self.meter,
            frames: BlockFrames::new(composed, &relative, frame_a, frame_b),
            a: Leaves::of(a),
            b: Leaves::of(b),
            near: SearchState {
                reach: self.reach,
                least: cutoff::linear(self.max, self.to_local),
                // An infinite stretch keeps upper bounds from shortening the reach.
                stretch: if self.gathers.is_some() { f32::INFINITY } else { stretch as f32 },
                skin: (self.skin * self.to_local) as f32,
                direction: robust_normalize(a.pose.rotation().transpose() * self.direction)
                    .unwrap_or(Vec3::ZERO)
                    .as_vec3()
                    .to_array(),
                has_turned: true,
            },
            found: &mut self.found,
            most: self.gathers.unwrap_or(usize::MAX),
            crowd: if self.skin > 0.0 { MAX_SKIN_PAIRS } else { usize::MAX },
        };
        let work = walk_pair(a.tree, b.tree, &relative, &mut visitor);
        self.reach = visitor.near.reach;
        work
    }
}

/// Collects the pairs of triangles that may be the nearest.
struct NearestPairVisitor<'a> {
    meter: Option<&'a WorkMeter<'a>>,
    a: Leaves<'a>,
    b: Leaves<'a>,
    frames: BlockFrames,
    near: SearchState,
    /// Lower bounds of distances, in local units of A, and pairs.
    found: &'a mut Vec<(f32, [u32; 2])>,
    /// Limit of pairs: more end the walk.
    most: usize,
    /// Limit of pairs: more make the skin thinner.
    crowd: usize,
}

impl NearestPairVisitor<'_> {
    /// Removes pairs that are no longer within reach, and halves the skin while too many remain.
    #[cold]
    #[inline(never)]
    fn shrink_skin(&mut self) {
        for _ in 0..MAX_SKIN_HALVINGS {
            let reach = self.near.reach;
            self.found.retain(|(at_least, _)| *at_least <= reach);
            if 2 * self.found.len() <= MAX_SKIN_PAIRS {
                break;
            }
            self.near.skin *= 0.5;
            self.near.reach = reach.min(self.near.least + self.near.skin);
        }
        self.crowd = MAX_SKIN_PAIRS.max(2 * self.found.len());
    }
}

impl PairVisitor for NearestPairVisitor<'_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        2.0 * self.near.reach
    }

    #[inline(always)]
    fn should_continue(&mut self, _bound: f32, done: &Work) -> bool {
        self.meter.is_none_or(|meter| !meter.is_exhausted_after(done))
    }

    #[inline(always)]
    fn checks_each_pair(&self) -> bool {
        self.meter.is_some_and(WorkMeter::is_limited)
    }

    #[inline(always)]
    fn prefetch_a<I: WideIsa>(&self, isa: I, leaf: Leaf) {
        self.a.prefetch(isa, leaf);
    }

    #[inline(always)]
    fn prefetch_b<I: WideIsa>(&self, isa: I, leaf: Leaf) {
        self.b.prefetch(isa, leaf);
    }

    #[inline(always)]
    fn hint_direction(&mut self) -> Option<[f32; 3]> {
        std::mem::take(&mut self.near.has_turned).then_some(self.near.direction)
    }

    #[inline(always)]
    fn visit_leaves<I: WideIsa>(&mut self, isa: I, leaf_a: Leaf, leaf_b: Leaf) -> ControlFlow<()> {
        let of_a = (self.a.block(leaf_a), leaf_a.count);
        let of_b = (self.b.block(leaf_b), leaf_b.count);
        for (at_least, i, j) in bound_pairs(isa, &self.frames, &mut self.near, of_a, of_b) {
            if at_least <= self.near.reach {
                let pair = [self.a.triangles(leaf_a)[usize::from(i)], self.b.triangles(leaf_b)[usize::from(j)]];
                self.found.push((at_least, pair));
            }
        }
        if self.found.len() > self.crowd {
            self.shrink_skin();
        }
        if self.found.len() > self.most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// State of the search for the nearest pair of triangles.
struct SearchState {
    /// The cutoff of distances in local units of A: the distance of the pair plus the skin.
    reach: f32,
    /// The least upper bound of its distance.
    least: f32,
    /// Bound on how much more the distances of other pairs may have been stretched, as a factor.
    stretch: f32,
    /// The thickness of the skin beyond the distance, in local units of A.
    skin: f32,
    /// Direction from A to B between the pair, along A's axes; of unit length or zero.
    direction: [f32; 3],
    /// Whether the direction has changed since it was passed to the walk.
    has_turned: bool,
}

/// Lower bounds of distances, and pairs of triangles by their lanes in two leaves.
type BoundedPair = SmallVec<[(f32, u8, u8); 16]>;

/// Bounds the distances of the triangles of two leaves that may be within reach, by their boxes and along the direction
/// between the nearest pair found. A component of a difference of corners is off by `error` at most (`pair_filter`). A
/// difference along a direction is off by √3 times that and the rounding errors of two products, which eight times
/// `error` covers.
#[inline(never)]
fn bound_pairs<I: WideIsa>(
    isa: I,
    frames: &BlockFrames,
    near: &mut SearchState,
    (block_a, count_a): (&TriBlock, u32),
    (block_b, count_b): (&TriBlock, u32),
) -> BoundedPair {
    isa.enter(
        #[inline(always)]
        || {
            let mut pairs = BoundedPair::new();
            let splat_one = Lanes8::<I>::splat;
            let (of_b, error) = placed_corners(isa, frames, block_a, block_b);
            let of_a = CornerLanes::<Lanes8<I>>::of_block(block_a);
            let (boxes_a, boxes_b) = (of_a.boxes(), of_b.boxes().to_arrays());
            let [p, q, r] = &of_b.0;
            let each_of_b = [arrays(p), arrays(q), arrays(r)];
            let used_a = (1u32 << count_a) - 1;
            let mut j = 0;
            while j < count_b as usize {
                let direction = splat::<Lanes8<I>>(&near.direction);
                let (along_a, along_b) = (along(&direction, &of_a), along(&direction, &of_b));
                let farthest_a = along_a[0].max(along_a[1]).max(along_a[2]);
                let nearest_b = along_b[0].min(along_b[1]).min(along_b[2]).to_array();
                let gap = splat_one(nearest_b[j & 7] - 8.0 * error).sub(farthest_a);
                let of_boxes = boxes_a.gaps_sq(&boxes_b, j, error).sqrt().mul(splat_one(1.0 - 1e-6));
                // `max` returns its second argument if the first is not a number.
                let within = !gap.max(of_boxes).gt(splat_one(near.reach)).bits() & used_a;
                if within != 0 {
                    let bounds = distances(&of_a, &CornerLanes::all_like(&each_of_b, j), error);
                    let mut kept = !bounds.at_least.gt(splat_one(near.reach)).bits() & within;
                    let at_most = bounds.at_most.mul(splat_one(near.stretch)).to_array();
                    let at_least = bounds.at_least.to_array();
                    while kept != 0 {
                        let i = kept.trailing_zeros() as usize & 7;
                        kept &= kept - 1;
                        if at_most[i] < near.least {
                            near.least = at_most[i];
                            near.reach = near.reach.min(near.least + near.skin);
                            near.direction = unit_vector(arrays(&bounds.offset).map(|of_axis| of_axis[i]));
                            near.has_turned = true;
                        }
                        pairs.push((at_least[i], i as u8, j as u8));
                    }
                }
                j += 1;
            }
            pairs
        },
    )
}

/// Computes the coordinates of the corners along a direction.
#[inline(always)]
fn along<F: Lanes<8>>(direction: &[F; 3], CornerLanes(corners): &CornerLanes<F>) -> [F; 3] {
    [dot(direction, &corners[0]), dot(direction, &corners[1]), dot(direction, &corners[2])]
}

/// Normalises a vector; returns zero if it is too short.
#[inline(always)]
fn unit_vector([x, y, z]: [f32; 3]) -> [f32; 3] {
    let length_sq = x * x + y * y + z * z;
    if length_sq > 1e-30 {
        let inverse = 1.0 / length_sq.sqrt();
        [x * inverse, y * inverse, z * inverse]
    } else {
        [0.0; 3]
    }
}
