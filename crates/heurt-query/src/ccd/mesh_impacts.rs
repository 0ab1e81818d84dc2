//! Continuous collision detection of moving meshes and self-collision: every pair of a vertex and a triangle, or of two
//! edges, that meets.
//!
//! In: [`MovingMesh`]es in the world frame. Out: pairs of features with the time of their first contact.
//! Method: swept boxes of the trees, then of the features assigned to leaves, eight at a time
//! (`representative_triangles`), so that no pair is found twice. The remaining pairs are tested in batches by
//! [`super::vertex_face_many`] and [`super::edge_edge_many`]; batches are distributed to the threads of the current
//! `rayon` pool.
//! Guarantees: the guarantees of the queries on primitives: no contact of a vertex and a triangle, or of two edges, is
//! missed or reported late; disjoint surfaces can come to touch only by these contacts. The same bits for any number of
//! threads. A budget may end a search for the first contact early. The result is then a time before which there is
//! none, by boxes around both meshes, or around the pairs not yet tested.
//! Not guaranteed: surfaces that pass through each other at the start have no first contact there; `overlap`, `pairs`
//! and `self_pairs` report them. A solid inside another touches nothing.
//! Cost: a step is refitted in linear time; then proportional to the pairs of features whose swept boxes meet.

use super::moving_mesh::MovingMesh;
use super::{CcdError, CcdOptions, FirstContact, MovingPrimitives, edge_edge_many, vertex_face_many};
use crate::answer::budget::{Answer, Budget, Budgeted, WorkMeter};
use crate::ccd::representative_triangles::{GROUP, LeafFeatures, Owned};
use crate::ccd::separation_time::{clear_until, primitives_clear_until};
use heurt_bvh::relative::QueryView;
use heurt_bvh::simd::{Lanes, LanesFor, WideIsa};
use heurt_bvh::volume::{HintAxis, PairGap, Query, WideAabb};
use heurt_bvh::walk::{PairVisitor, walk_pair, walk_self};
use heurt_bvh::{Aabb32, BoundingVolume, Leaf, RelativePose, Work};
use heurt_geometry::{Aabb, Pose, Vec3};
use rayon::prelude::*;
use std::array::from_fn;
use std::ops::ControlFlow;

/// A pair of features that meet, by the numbers of vertices and triangles in their meshes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FeaturePair {
    /// A vertex of the first mesh and a triangle of the second.
    VertexFace {
        /// The vertex of the first mesh.
        vertex: u32,
        /// The triangle of the second mesh, or of the same mesh.
        face: u32,
    },
    /// A triangle of the first mesh and a vertex of the second; self-collisions are reported as
    /// [`FeaturePair::VertexFace`].
    FaceVertex {
        /// The triangle of the first mesh.
        face: u32,
        /// The vertex of the second mesh.
        vertex: u32,
    },
    /// An edge of the first mesh and one of the second, by the vertices at their ends.
    EdgeEdge {
        /// The edge of the first mesh, least number first.
        a: [u32; 2],
        /// The edge of the second mesh, or of the same mesh.
        b: [u32; 2],
    },
}

/// A first contact of two features of moving meshes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshImpact {
    /// Before this time they are disjoint; from 0 at the start of the step to 1 at its end.
    pub time: f64,
    /// By this time they touch.
    pub time_upper: f64,
    /// The features that meet.
    pub meeting: FeaturePair,
}

/// Lists all pairs of features of `a` and `b` that meet during their step, in order of time.
///
/// # Errors
/// If an option is out of range.
pub fn impacts(a: &MovingMesh, b: &MovingMesh, options: &CcdOptions) -> Result<Vec<MeshImpact>, CcdError> {
    search::<false>(a, Some(b), options, &WorkMeter::default()).map(|(impacts, _)| impacts)
}

/// Computes [`impacts`] within a budget, with the work done: boxes of trees, and pairs of features.
/// [`Budgeted::Partial`] has a time, a share of the step from 0 to `max_time`, before which the meshes provably do not
/// touch.
///
/// # Errors
/// As [`impacts`].
pub fn impacts_with(
    a: &MovingMesh,
    b: &MovingMesh,
    options: &CcdOptions,
    budget: &Budget<'_>,
) -> Result<Answer<Vec<MeshImpact>, f64>, CcdError> {
    all_within(a, Some(b), options, budget)
}

/// Finds the pair of features of `a` and `b` that meets first. Ties go to the least numbers, except if very many
/// pairs touch as the step begins: then any of them may be returned.
///
/// # Errors
/// If an option is out of range.
pub fn first_impact(a: &MovingMesh, b: &MovingMesh, options: &CcdOptions) -> Result<Option<MeshImpact>, CcdError> {
    search::<true>(a, Some(b), options, &WorkMeter::default()).map(|(impacts, _)| impacts.first().copied())
}

/// Computes [`first_impact`] within a budget, with the work done. [`Budgeted::Partial`] has a time, a share of the step
/// from 0 to `max_time`, before which the meshes provably do not touch; it is not known whether they touch later.
///
/// The budget is tested between pairs of volumes, and between batches of pairs of features. Within a budget one thread
/// does it all.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_query::ccd::{CcdOptions, MovingMesh, first_impact_with};
/// use heurt_query::{Budget, Budgeted};
/// let ball = heurt_mesh::generate::icosphere(1.0, 3)?;
/// let (still, mut thrown) = (MovingMesh::new(&ball)?, MovingMesh::new(&ball)?);
/// let at = |x: f64| ball.vertices().iter().map(|v| *v + Vec3::X * x).collect::<Vec<_>>();
/// thrown.step(&at(4.0), &at(0.0))?;
/// let few = Budget { work: Some(500), ..Budget::default() };
/// let found = first_impact_with(&still, &thrown, &CcdOptions::default(), &few)?;
/// assert!(matches!(found.outcome, Budgeted::Partial(free) if (0.4..=0.5).contains(&free)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`first_impact`].
pub fn first_impact_with(
    a: &MovingMesh,
    b: &MovingMesh,
    options: &CcdOptions,
    budget: &Budget<'_>,
) -> Result<Answer<Option<MeshImpact>, f64>, CcdError> {
    first_within(a, Some(b), options, budget)
}

/// Lists all pairs of features of one mesh that meet during its step, in order of time. Features with a common vertex
/// are left out.
///
/// # Errors
/// If an option is out of range.
pub fn self_impacts(mesh: &MovingMesh, options: &CcdOptions) -> Result<Vec<MeshImpact>, CcdError> {
    search::<false>(mesh, None, options, &WorkMeter::default()).map(|(impacts, _)| impacts)
}

/// Computes [`self_impacts`] within a budget, with the work done: boxes of the tree, and pairs of features.
/// [`Budgeted::Partial`] has a time as in [`impacts_with`].
///
/// # Errors
/// As [`self_impacts`].
pub fn self_impacts_with(
    mesh: &MovingMesh,
    options: &CcdOptions,
    budget: &Budget<'_>,
) -> Result<Answer<Vec<MeshImpact>, f64>, CcdError> {
    all_within(mesh, None, options, budget)
}

/// Finds the pair of features of one mesh that meets first. Ties go to the least numbers, except if very many
/// pairs touch as the step begins: then any of them may be returned.
///
/// # Errors
/// If an option is out of range.
pub fn first_self_impact(mesh: &MovingMesh, options: &CcdOptions) -> Result<Option<MeshImpact>, CcdError> {
    search::<true>(mesh, None, options, &WorkMeter::default()).map(|(impacts, _)| impacts.first().copied())
}

/// Computes [`first_self_impact`] within a budget, with the work done. [`Budgeted::Partial`] has a time as in
/// [`first_impact_with`].
///
/// # Errors
/// As [`first_self_impact`].
pub fn first_self_impact_with(
    mesh: &MovingMesh,
    options: &CcdOptions,
    budget: &Budget<'_>,
) -> Result<Answer<Option<MeshImpact>, f64>, CcdError> {
    first_within(mesh, None, options, budget)
}

/// All impacts, of `a` with itself if there is no other mesh.
fn all_within(
    a: &MovingMesh,
    other: Option<&MovingMesh>,
    options: &CcdOptions,
    budget: &Budget<'_>,
) -> Result<Answer<Vec<MeshImpact>, f64>, CcdError> {
    let meter = WorkMeter::of(budget);
    let outcome = match search::<false>(a, other, options, &meter)? {
        (impacts, None) => Budgeted::Complete(impacts),
        // The time concerns pairs that were left out; pairs that were found may meet earlier.
        (impacts, Some(clear)) => {
            Budgeted::Partial(impacts.first().map_or(clear, |impact| impact.time.min(clear)).min(options.max_time))
        }
    };
    Ok(Answer { outcome, work: meter.done() })
}

/// The first impact, of `a` with itself if there is no other mesh.
fn first_within(
    a: &MovingMesh,
    other: Option<&MovingMesh>,
    options: &CcdOptions,
    budget: &Budget<'_>,
) -> Result<Answer<Option<MeshImpact>, f64>, CcdError> {
    let meter = WorkMeter::of(budget);
    let outcome = match search::<true>(a, other, options, &meter)? {
        (impacts, None) => Budgeted::Complete(impacts.first().copied()),
        (_, Some(clear)) => Budgeted::Partial(clear.min(options.max_time)),
    };
    Ok(Answer { outcome, work: meter.done() })
}

/// Finds contacts and, if the search for the first contact of two meshes was interrupted, the time before which there
/// is none.
fn search<const FIRST: bool>(
    a: &MovingMesh,
    other: Option<&MovingMesh>,
    options: &CcdOptions,
    meter: &WorkMeter<'_>,
) -> Result<(Vec<MeshImpact>, Option<f64>), CcdError> {
    options.check()?;
    let b = other.unwrap_or(a);
    let mut options = *options;
    let deviation = a.deviation + b.deviation;
    if deviation > 0.0 {
        options.min_separation = (options.min_separation + deviation.next_up()).next_up();
    }
    options.check()?;
    if meter.is_exhausted() {
        return Ok((Vec::new(), Some(0.0)));
    }
    let tests = FeaturePairs::<FIRST> { a, b, options, found: Vec::new(), clear: f64::INFINITY };
    // Gaps of boxes are in doubled local units.
    let units =
        |mesh: &MovingMesh| ((2.0 * options.min_separation * mesh.tree.frame().inverse_scale()) as f32).next_up();
    let (tests, work, is_whole) = match other {
        None => {
            let mut visitor = Meetings::<_, FIRST, true>::new(InOneFrame { cutoff: units(a) }, tests, meter);
            let work = walk_self(&a.tree, &mut visitor);
            visitor.finish(work)
        }
        Some(b) => {
            let pose = RelativePose::new(a.tree.frame(), &Pose::IDENTITY, b.tree.frame(), &Pose::IDENTITY);
            let frames = InTwoFrames { pose, cutoffs: [units(a), units(b)] };
            let mut visitor = Meetings::<_, FIRST, false>::new(frames, tests, meter);
            let work = walk_pair(&a.tree, &b.tree, &pose, &mut visitor);
            visitor.finish(work)
        }
    };
    meter.add(Work { primitives: 0, ..work });
    let clear = meter.was_interrupted().then(|| {
        let ends = |mesh: &MovingMesh| [mesh.start(), mesh.end()].map(|at| Aabb::from_points(at.iter().copied()));
        let of_all = clear_until(&ends(a), &ends(b), options.min_separation);
        if is_whole { of_all.max(tests.clear) } else { of_all }
    });
    let mut found = tests.found;
    found.sort_unstable_by(|x, y| x.time.total_cmp(&y.time).then(x.meeting.cmp(&y.meeting)));
    Ok((found, clear))
}

/// Comparison of boxes of leaves of two trees, or of one: masks of boxes that may come within the separation.
trait Frames {
    /// Returns the cutoff of walks, in doubled local units of the first tree.
    fn cutoff(&self) -> f32;
    /// Compares a box of the first tree with boxes of the second.
    fn of_b<I: WideIsa>(&self, isa: I, a: &Aabb32, boxes: &WideAabb<GROUP>) -> u32;
    /// Compares a box of the second tree with boxes of the first.
    fn of_a<I: WideIsa>(&self, isa: I, b: &Aabb32, boxes: &WideAabb<GROUP>) -> u32;
}

struct InOneFrame {
    cutoff: f32,
}

impl Frames for InOneFrame {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        self.cutoff
    }
    #[inline(always)]
    fn of_b<I: WideIsa>(&self, isa: I, a: &Aabb32, boxes: &WideAabb<GROUP>) -> u32 {
        let gaps = Query::<Aabb32>::lower_bound::<GROUP, I>(a, isa, boxes);
        !gaps.add(gaps).gt(<I as LanesFor<GROUP>>::F::splat(self.cutoff)).bits()
    }
    #[inline(always)]
    fn of_a<I: WideIsa>(&self, isa: I, b: &Aabb32, boxes: &WideAabb<GROUP>) -> u32 {
        self.of_b(isa, b, boxes)
    }
}

struct InTwoFrames {
    pose: RelativePose,
    /// Cutoffs in doubled local units of each tree.
    cutoffs: [f32; 2],
}

impl Frames for InTwoFrames {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        self.cutoffs[0]
    }
    #[inline(always)]
    fn of_b<I: WideIsa>(&self, isa: I, a: &Aabb32, boxes: &WideAabb<GROUP>) -> u32 {
        near(isa, a, self.pose.from_a(), boxes, self.cutoffs[0])
    }
    #[inline(always)]
    fn of_a<I: WideIsa>(&self, isa: I, b: &Aabb32, boxes: &WideAabb<GROUP>) -> u32 {
        near(isa, b, self.pose.from_b(), boxes, self.cutoffs[1])
    }
}

/// Returns a mask of the boxes of another tree that may be within `cutoff` of a box.
#[inline(always)]
fn near<I: WideIsa>(isa: I, box_: &Aabb32, view: QueryView<'_>, boxes: &WideAabb<GROUP>, cutoff: f32) -> u32 {
    let gaps = <Aabb32 as PairGap<Aabb32>>::gap::<GROUP, I>(box_, isa, view, &HintAxis::default(), boxes, cutoff);
    !gaps.gt(<I as LanesFor<GROUP>>::F::splat(cutoff)).bits()
}

/// Pairs queued before they are tested: enough for all threads, with little memory.
const WAITING: usize = 1 << 16;
/// Pairs in one thread's share of the queue.
const SHARE: usize = 1 << 11;
/// Pairs tested side by side.
const BATCH: usize = 64;
/// Limit of untested pairs for which a free time is computed: more would take too long.
const MAX_LEFT: usize = 8 * SHARE;

/// Collects pairs of features whose boxes come near, leaf by leaf.
struct Meetings<'a, P, const FIRST: bool, const SELF: bool> {
    frames: P,
    features: [&'a LeafFeatures; 2],
    waiting: Vec<FeaturePair>,
    tests: FeaturePairs<'a, FIRST>,
    meter: &'a WorkMeter<'a>,
    /// Whether no pair was left out.
    is_whole: bool,
    /// The work done by the walk.
    walked: Work,
}

impl<'a, P: Frames, const FIRST: bool, const SELF: bool> Meetings<'a, P, FIRST, SELF> {
    fn new(frames: P, tests: FeaturePairs<'a, FIRST>, meter: &'a WorkMeter<'a>) -> Self {
        let features = [&tests.a.features, &tests.b.features];
        Self {
            frames,
            features,
            waiting: Vec::with_capacity(WAITING),
            tests,
            meter,
            is_whole: true,
            walked: Work::default(),
        }
    }

    /// Tests the queued pairs. Returns the result, the work of the walk, and whether it was complete.
    fn finish(mut self, work: Work) -> (FeaturePairs<'a, FIRST>, Work, bool) {
        if self.is_whole {
            self.tests.test_pairs(&self.waiting, self.meter, &Work { primitives: 0, ..work });
        }
        (self.tests, work, self.is_whole)
    }

    /// Pairs features of kind `of_a` in the first leaf with features of kind `of_b` in the second. Only features of the
    /// first leaf near the second leaf are compared, one at a time.
    #[inline(always)]
    fn meet<I: WideIsa, A: Copy, B: Copy>(
        &mut self,
        isa: I,
        (leaf_a, of_a): (Leaf, &'a Owned<A>),
        (leaf_b, of_b): (Leaf, &'a Owned<B>),
        meeting: impl Fn(A, B) -> Option<FeaturePair>,
    ) {
        let near = *self.features[1].leaf(leaf_b);
        for (lanes, boxes, items) in of_a.groups(leaf_a) {
            let mut rest = lanes & self.frames.of_a(isa, &near, boxes);
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let box_ = Aabb32::load(boxes, lane);
                for (lanes, boxes, others) in of_b.groups(leaf_b) {
                    let mut rest = lanes & self.frames.of_b(isa, &box_, boxes);
                    while rest != 0 {
                        let other = rest.trailing_zeros() as usize;
                        rest &= rest - 1;
                        self.waiting.extend(meeting(items[lane], others[other]));
                    }
                }
            }
        }
    }

    /// Queues the pairs of features of two leaves. Not inlined, so that it is compiled once.
    #[inline(never)]
    fn pair_features<I: WideIsa>(&mut self, isa: I, leaf_a: Leaf, leaf_b: Leaf) {
        isa.enter(
            #[inline(always)]
            || {
                let [a, b] = self.features;
                let (mesh, is_one) = (self.tests.a, SELF && leaf_a == leaf_b);
                self.meet(isa, (leaf_a, &a.vertices), (leaf_b, &b.faces), |vertex, face| {
                    let adjacent =
                        SELF && mesh.triangles()[face as usize].iter().any(|&corner| mesh.are_one(corner, vertex));
                    (!adjacent).then_some(FeaturePair::VertexFace { vertex, face })
                });
                if !is_one {
                    self.meet(isa, (leaf_a, &a.faces), (leaf_b, &b.vertices), |face, vertex| {
                        let adjacent =
                            SELF && mesh.triangles()[face as usize].iter().any(|&corner| mesh.are_one(corner, vertex));
                        let meeting = if SELF {
                            FeaturePair::VertexFace { vertex, face }
                        } else {
                            FeaturePair::FaceVertex { face, vertex }
                        };
                        (!adjacent).then_some(meeting)
                    });
                }
                self.meet(isa, (leaf_a, &a.edges), (leaf_b, &b.edges), |x, y| {
                    if !SELF {
                        return Some(FeaturePair::EdgeEdge { a: x, b: y });
                    }
                    let adjacent = is_one && x >= y || x.iter().any(|&u| y.iter().any(|&v| mesh.are_one(u, v)));
                    (!adjacent).then_some(FeaturePair::EdgeEdge { a: x.min(y), b: x.max(y) })
                });
            },
        );
    }

    /// Tests the queued pairs during the walk; breaks if no further pair is of interest.
    fn test_pairs(&mut self) -> ControlFlow<()> {
        self.tests.test_pairs(&self.waiting, self.meter, &self.walked);
        self.waiting.clear();
        if self.meter.was_interrupted() {
            self.is_whole = false;
            return ControlFlow::Break(());
        }
        if FIRST && self.tests.found.iter().any(|impact| impact.time == 0.0) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

impl<P: Frames, const FIRST: bool, const SELF: bool> PairVisitor for Meetings<'_, P, FIRST, SELF> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        self.frames.cutoff()
    }

    #[inline(always)]
    fn should_continue(&mut self, _bound: f32, done: &Work) -> bool {
        // Pairs are counted when they are tested.
        self.walked = Work { primitives: 0, ..*done };
        let should_continue = !self.meter.is_exhausted_after(&self.walked);
        self.is_whole &= should_continue;
        should_continue
    }

    #[inline(always)]
    fn checks_each_pair(&self) -> bool {
        self.meter.is_limited()
    }

    #[inline(always)]
    fn visit_leaves<I: WideIsa>(&mut self, isa: I, leaf_a: Leaf, leaf_b: Leaf) -> ControlFlow<()> {
        self.pair_features(isa, leaf_a, leaf_b);
        if self.waiting.len() >= WAITING { self.test_pairs() } else { ControlFlow::Continue(()) }
    }
}

/// The exact tests of pairs of features.
struct FeaturePairs<'a, const FIRST: bool> {
    a: &'a MovingMesh,
    b: &'a MovingMesh,
    options: CcdOptions,
    /// All contacts, or the first.
    found: Vec<MeshImpact>,
    /// The untested pairs do not meet before this time.
    clear: f64,
}

impl<const FIRST: bool> FeaturePairs<'_, FIRST> {
    /// Tests the pairs within the budget, after the work that the current walk has `done`.
    fn test_pairs(&mut self, waiting: &[FeaturePair], meter: &WorkMeter<'_>, done: &Work) {
        let shares = match meter.is_limited() {
            true => self.in_turn(waiting, meter, done),
            false => {
                meter.add(Work { primitives: waiting.len() as u64, ..Work::default() });
                let of_share = |share: &[FeaturePair]| self.of_share(share, &mut |_| true).unwrap_or_default();
                waiting.par_chunks(SHARE).map(of_share).collect()
            }
        };
        self.found.extend(shares.into_iter().flatten());
        if FIRST {
            self.found = first_of(&self.found).into_iter().collect();
            self.options.max_time = self.until();
        }
    }

    /// Tests one share at a time.
    fn in_turn(&mut self, waiting: &[FeaturePair], meter: &WorkMeter<'_>, done: &Work) -> Vec<Vec<MeshImpact>> {
        let mut shares: Vec<Vec<MeshImpact>> = Vec::new();
        for (number, share) in waiting.chunks(SHARE).enumerate() {
            let found = self.of_share(share, &mut |count| {
                let should_continue = !meter.is_exhausted_after(done);
                if should_continue {
                    meter.add(Work { primitives: count as u64, ..Work::default() });
                }
                should_continue
            });
            match found {
                Some(found) => shares.push(found),
                None => {
                    let known = self.found.iter().chain(shares.iter().flatten()).map(|impact| impact.time);
                    self.clear = known.fold(self.clear_of(&waiting[number * SHARE..]), f64::min);
                    break;
                }
            }
        }
        shares
    }

    /// Returns a time before which none of these pairs meets.
    fn clear_of(&self, left: &[FeaturePair]) -> f64 {
        if left.len() > MAX_LEFT {
            return 0.0;
        }
        let clear = |meeting: &FeaturePair| {
            let of_first = if matches!(meeting, FeaturePair::EdgeEdge { .. }) { 2 } else { 1 };
            primitives_clear_until(&self.primitives(meeting), of_first, self.options.min_separation)
        };
        left.iter().map(clear).fold(f64::INFINITY, f64::min)
    }

    /// Returns the time after which contacts are irrelevant; at least the least time that options allow.
    fn until(&self) -> f64 {
        let found = self.found.iter().map(|impact| impact.time_upper);
        found.fold(self.options.max_time, f64::min).max(f64::MIN_POSITIVE)
    }

    /// Finds the contacts of a share. Returns `None` if `should_continue`, called with the size of the next batch,
    /// returns false.
    fn of_share(
        &self,
        share: &[FeaturePair],
        should_continue: &mut dyn FnMut(usize) -> bool,
    ) -> Option<Vec<MeshImpact>> {
        let mut options = self.options;
        let (mut queries, mut answers, mut found) = (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH), Vec::new());
        let [edges, others]: [Vec<FeaturePair>; 2] = [true, false]
            .map(|kind| share.iter().copied().filter(|m| matches!(m, FeaturePair::EdgeEdge { .. }) == kind).collect());
        for (meetings, find_impacts) in
            [(edges, edge_edge_many as ImpactBatch), (others, vertex_face_many as ImpactBatch)]
        {
            for batch in meetings.chunks(BATCH) {
                if !should_continue(batch.len()) {
                    return None;
                }
                queries.clear();
                queries.extend(batch.iter().map(|meeting| self.primitives(meeting)));
                find_impacts(&queries, &options, &mut answers).expect("places and options were checked");
                let impacts = batch.iter().zip(&answers).filter_map(|(&meeting, answer)| {
                    answer.map(|FirstContact { time, time_upper }| MeshImpact { time, time_upper, meeting })
                });
                found.extend(impacts);
                if FIRST && !found.is_empty() {
                    found = first_of(&found).into_iter().collect();
                    options.max_time = options.max_time.min(found[0].time_upper).max(f64::MIN_POSITIVE);
                }
            }
        }
        Some(found)
    }

    #[inline(always)]
    fn primitives(&self, meeting: &FeaturePair) -> MovingPrimitives {
        let (a, b) = (|vertex| self.a.ends(vertex), |vertex| self.b.ends(vertex));
        let corner_ends: [[Vec3; 2]; 4] = match *meeting {
            FeaturePair::VertexFace { vertex, face } => {
                let [u, v, w] = self.b.triangles()[face as usize];
                [a(vertex), b(u), b(v), b(w)]
            }
            FeaturePair::FaceVertex { face, vertex } => {
                let [u, v, w] = self.a.triangles()[face as usize];
                [b(vertex), a(u), a(v), a(w)]
            }
            FeaturePair::EdgeEdge { a: [s, t], b: [u, v] } => [a(s), a(t), b(u), b(v)],
        };
        MovingPrimitives { start: from_fn(|k| corner_ends[k][0]), end: from_fn(|k| corner_ends[k][1]) }
    }
}

/// A query on many primitives.
type ImpactBatch = fn(&[MovingPrimitives], &CcdOptions, &mut Vec<Option<FirstContact>>) -> Result<(), CcdError>;

/// Returns the impact that begins first; ties go to the least features.
fn first_of(impacts: &[MeshImpact]) -> Option<MeshImpact> {
    impacts.iter().copied().min_by(|x, y| x.time.total_cmp(&y.time).then(x.meeting.cmp(&y.meeting)))
}
