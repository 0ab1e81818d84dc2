//! Best-first traversal of two moving trees: leaf pairs that may meet, earliest first.
//!
//! In: two trees of boxes and a visitor that computes their motion. Out: leaves, in the order of the times before which
//! they provably do not meet.
//! Method: best-first as in `walk`, but the bound of a pair is a time (`volume::time_bounds`), and boxes are tested at
//! approximately that time: each pair has its own time. A box that provably does not meet before some time is never
//! tested at earlier times again. One walk thus replaces the many walks of conservative advancement of the whole
//! shapes.
//! Guarantees: a pair of leaves is dropped only when the bound of one of its ancestors is not below the cutoff. Ties go
//! to the pair that came first. Termination: each step replaces a pair by pairs strictly deeper, or counts towards the
//! maximum number of tests of a pair.

use crate::frame::relative::Placement;
use crate::frame::relative_motion::{PairMotion, RelativeMotion};
use crate::simd::{Kernel, Lanes, WideIsa, dispatch};
use crate::tree::bvh::{Bvh, Child, Leaf, NodeRef};
use crate::volume::{BoxVolume, contact_time_bounds};
use crate::work::Work;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

/// Visitor of a walk over two moving trees. Times are in seconds.
pub trait MovingPairVisitor {
    /// Returns the cutoff: pairs that provably do not meet before it are dropped.
    fn cutoff(&self) -> f64;
    /// Advances to `time`: nothing meets before it. Updates the placements of the trees to that time. They may stay at
    /// an earlier time while the motion since then is short relative to `size`, in units of A.
    fn advance_to(&mut self, time: f64, size: f32);
    /// Returns the placements at the time of the last update.
    fn transforms(&self) -> &PairMotion;
    /// Reports whether there is time for the next pair of boxes.
    #[inline(always)]
    fn should_continue(&self, _done: &Work) -> bool {
        true
    }
    /// Receives the `time` at which the walk was interrupted, by too many pairs or by the time limit; later contacts
    /// are unknown.
    fn on_interrupted(&mut self, time: f64);
    /// Visits a leaf of each tree that provably do not meet before `time`, to which the visitor has advanced. If they
    /// provably do not meet before some later time, they may return then, as long as `may_wait` is true.
    fn visit_leaves<I: WideIsa>(
        &mut self,
        isa: I,
        a: Leaf,
        b: Leaf,
        time: f64,
        may_wait: bool,
    ) -> ControlFlow<(), Option<f64>>;
}

/// A pair of lanes that provably do not meet before a time.
struct QueuedPair {
    time: f64,
    age: u32,
    a: NodeRef,
    b: NodeRef,
    /// Number of repeated tests.
    tests: u8,
}

/// Maximum number of tested boxes: a motion with more possible contacts ends the walk.
const MAX_VOLUMES: u64 = 1 << 25;

/// Maximum number of tests of a leaf pair at its own times.
const MAX_TESTS: u8 = 8;

impl PartialEq for QueuedPair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for QueuedPair {}
impl PartialOrd for QueuedPair {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for QueuedPair {
    #[inline(always)]
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.time.total_cmp(&self.time).then(other.age.cmp(&self.age))
    }
}

/// Walks `a` and `b` from `start` on, the earliest possible contact first.
pub fn walk_pair_moving<A: BoxVolume, B: BoxVolume>(
    a: &Bvh<A, 8>,
    b: &Bvh<B, 8>,
    start: f64,
    visitor: &mut impl MovingPairVisitor,
) -> Work {
    dispatch(WalkInTime { a, b, start, visitor })
}

struct WalkInTime<'a, A: BoxVolume, B: BoxVolume, N> {
    a: &'a Bvh<A, 8>,
    b: &'a Bvh<B, 8>,
    start: f64,
    visitor: &'a mut N,
}

impl<A: BoxVolume, B: BoxVolume, N: MovingPairVisitor> Kernel for WalkInTime<'_, A, B, N> {
    type Output = Work;

    #[inline(always)]
    fn run<I: WideIsa>(self, isa: I) -> Work {
        let Self { a, b, start, visitor } = self;
        let mut work = Work { updates: 1, ..Work::default() };
        let mut heap = BinaryHeap::with_capacity(256);
        let mut age = 0;
        heap.push(QueuedPair { time: start, age, a: NodeRef(0), b: NodeRef(0), tests: 0 });
        while let Some(QueuedPair { time, a: at_a, b: at_b, tests, .. }) = heap.pop() {
            if time >= visitor.cutoff() {
                break;
            }
            if work.volumes > MAX_VOLUMES || !visitor.should_continue(&work) {
                visitor.on_interrupted(time);
                break;
            }
            let (node_a, lane_a) = (&a.nodes[at_a.node::<8>()], at_a.lane::<8>());
            let (node_b, lane_b) = (&b.nodes[at_b.node::<8>()], at_b.lane::<8>());
            let (child_a, child_b) = (node_a.children[lane_a], node_b.children[lane_b]);
            let are_leaves = child_a.is_leaf() && child_b.is_leaf();
            if are_leaves {
                visitor.advance_to(time, 0.0);
                let later = if tests == 0 {
                    // When tested again at their own time, leaves often have a later bound than their parents.
                    work.volumes += 1;
                    let places = visitor.transforms();
                    let query = A::load(&node_a.volumes, lane_a);
                    let cutoff = places.until(visitor.cutoff());
                    let pauses = time_bounds::<A, B, I>(
                        isa,
                        query,
                        (&places.pose.b_in_a, &places.drifts[0]),
                        &node_b.volumes,
                        cutoff,
                    );
                    Some(places.at(pauses[lane_b])).filter(|&later| later > time)
                } else {
                    None
                };
                let later = if later.is_some() {
                    later
                } else {
                    let (leaf_a, leaf_b) = (child_a.as_leaf(), child_b.as_leaf());
                    work.primitives += u64::from(leaf_a.count) * u64::from(leaf_b.count);
                    match visitor.visit_leaves(isa, leaf_a, leaf_b, time, tests < MAX_TESTS) {
                        ControlFlow::Break(()) => break,
                        ControlFlow::Continue(later) => later,
                    }
                };
                if let Some(later) = later
                    && later < visitor.cutoff()
                {
                    age += 1;
                    heap.push(QueuedPair { time: later, age, a: at_a, b: at_b, tests: tests + 1 });
                }
                continue;
            }
            work.volumes += 8;
            let ratio = visitor.transforms().pose.b_in_a.ratio;
            let area_a = A::areas::<8, I>(isa, &node_a.volumes).to_array()[lane_a];
            let area_b = B::areas::<8, I>(isa, &node_b.volumes).to_array()[lane_b] * (ratio * ratio);
            visitor.advance_to(time, (if area_a > area_b { area_a } else { area_b }).sqrt());
            let places = visitor.transforms();
            let cutoff = places.until(visitor.cutoff());
            let opens_b = child_a.is_leaf() || !child_b.is_leaf() && area_b > area_a;
            let (opened, node, pauses) = if opens_b {
                let opened = &b.nodes[child_b.index()];
                let query = A::load(&node_a.volumes, lane_a);
                (
                    &opened.children,
                    child_b,
                    time_bounds::<A, B, I>(
                        isa,
                        query,
                        (&places.pose.b_in_a, &places.drifts[0]),
                        &opened.volumes,
                        cutoff,
                    ),
                )
            } else {
                let opened = &a.nodes[child_a.index()];
                let query = B::load(&node_b.volumes, lane_b);
                (
                    &opened.children,
                    child_a,
                    time_bounds::<B, A, I>(
                        isa,
                        query,
                        (&places.pose.a_in_b, &places.drifts[1]),
                        &opened.volumes,
                        cutoff,
                    ),
                )
            };
            let until = visitor.cutoff();
            let mut lane = 0;
            while lane < 8 && opened[lane] != Child::NONE {
                let meeting = places.at(pauses[lane]);
                // Written so that `NaN` keeps a pair.
                let is_late = meeting >= until;
                if !is_late {
                    age += 1;
                    let opened = NodeRef::new::<8>(node.index() as u32, lane as u32);
                    let (a, b) = if opens_b { (at_a, opened) } else { (opened, at_b) };
                    heap.push(QueuedPair { time: if meeting > time { meeting } else { time }, age, a, b, tests: 0 });
                }
                lane += 1;
            }
        }
        work
    }
}

/// Computes the earliest times at which the box `query` may meet the boxes in `lanes`, which move relative to it.
#[inline(never)]
fn time_bounds<X: BoxVolume, Y: BoxVolume, I: WideIsa>(
    isa: I,
    query: X,
    (placement, motion): (&Placement, &RelativeMotion),
    lanes: &Y::Wide<8>,
    cutoff: f32,
) -> [f32; 8] {
    isa.enter(
        #[inline(always)]
        || contact_time_bounds::<Y, I>(&query.oriented(), placement, motion, lanes, cutoff).to_array(),
    )
}
