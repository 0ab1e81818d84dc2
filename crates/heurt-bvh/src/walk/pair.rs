//! Traversal of two trees: pairs of nodes, of which the larger is opened.
//!
//! In: two trees, their relative pose, a visitor and an order. Out: the leaves that the visitor receives, and the work.
//! Method: see [`crate::walk`]. The walk is compiled once for each pair of volumes, each degree and each instruction
//! set; visitors and orders share it ([`AnyPairVisitor`]).

use crate::frame::relative::RelativePose;
use crate::simd::{Isa, Kernel, Lanes, LanesFor, WideIsa};
use crate::tree::bvh::{Bvh, Node, NodeRef};
use crate::volume::{BoundingVolume, PairGap};
use crate::walk::any_visitor::{AnyPairVisitor, Steering};
use crate::walk::frontier::{Entry, FrontierInOrder, Order};
use crate::walk::leaf_runs::emit_leaves;
use crate::walk::{PairVisitor, ordered, survivors};
use crate::work::Work;
use std::ops::ControlFlow;

/// A lane of each tree, with the areas that decide which one is opened, in squared units of the first tree.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NodePair {
    pub a: NodeRef,
    pub b: NodeRef,
    pub area_a: f32,
    pub area_b: f32,
}

/// A walk over two trees with a visitor.
pub(crate) struct WalkPair<'a, A: BoundingVolume, B: BoundingVolume, N: ?Sized, const W: usize> {
    pub a: &'a Bvh<A, W>,
    pub b: &'a Bvh<B, W>,
    pub pose: &'a RelativePose,
    pub visitor: &'a mut N,
    pub order: Order,
}

impl<A, B, N, const W: usize> Kernel<W> for WalkPair<'_, A, B, N, W>
where
    A: PairGap<B>,
    B: PairGap<A, PairConstants = A::PairConstants>,
    N: PairVisitor,
{
    type Output = Work;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<W>>(self, isa: I) -> Work {
        let Self { a, b, pose, visitor, order } = self;
        let visitor: &mut dyn AnyPairVisitor<I> = visitor;
        WalkPair { a, b, pose, visitor, order }.run_any(isa)
    }
}

impl<'v, A, B, I, const W: usize> WalkPair<'_, A, B, dyn AnyPairVisitor<I> + 'v, W>
where
    A: PairGap<B>,
    B: PairGap<A, PairConstants = A::PairConstants>,
    I: WideIsa + LanesFor<W>,
{
    /// Walks with any visitor; not inlined, so that visitors share it.
    #[inline(never)]
    fn run_any(self, isa: I) -> Work {
        enter_for::<A, B, I, W, _>(
            isa,
            #[inline(always)]
            || self.run_inside(isa),
        )
    }

    #[inline(always)]
    fn run_inside(self, isa: I) -> Work {
        let Self { a, b, pose, visitor, order } = self;
        let b_to_a = pose.b_in_a.ratio;
        let (in_runs, checks_each_pair) = (visitor.accepts_any_order(), visitor.checks_each_pair());
        let mut work = Work { updates: 1, ..Work::default() };
        let mut relation = A::pair_constants(isa, pose);
        let Steering { mut cutoff, direction } = visitor.steering();
        if let Some(direction) = direction {
            A::set_hint_axis(isa, &mut relation, pose, direction);
        }
        let (root_a, root_b) = (&a.nodes[0].volumes, &b.nodes[0].volumes);
        let mut bound = f32::NEG_INFINITY;
        // Depth-first walks do not need the gap of the roots: opening a root tests all its children against the second
        // root at once, for the same cost.
        if order == Order::BestFirst {
            work.volumes = 1;
            bound = A::load(root_a, 0).gap::<W, I>(isa, pose.from_a(), &relation, root_b, cutoff).to_array()[0];
            if bound > cutoff {
                return work;
            }
        }
        let area_a = A::areas::<W, I>(isa, root_a).to_array()[0];
        let area_b = B::areas::<W, I>(isa, root_b).to_array()[0] * (b_to_a * b_to_a);
        let roots = NodePair { a: NodeRef(0), b: NodeRef(0), area_a, area_b };
        let mut frontier = FrontierInOrder::begin(order, Entry { bound, at: roots });
        while let Some(Entry { bound, at }) = frontier.pop() {
            if bound > cutoff {
                continue;
            }
            if checks_each_pair && !visitor.should_continue(bound, &work) {
                break;
            }
            let (node_a, lane_a) = (&a.nodes[at.a.node::<W>()], at.a.lane::<W>());
            let (node_b, lane_b) = (&b.nodes[at.b.node::<W>()], at.b.lane::<W>());
            let (child_a, child_b) = (node_a.children[lane_a], node_b.children[lane_b]);
            let open_b = if child_a.is_leaf() {
                if child_b.is_leaf() {
                    let (leaf_a, leaf_b) = (child_a.as_leaf(), child_b.as_leaf());
                    work.primitives += u64::from(leaf_a.count) * u64::from(leaf_b.count);
                    let ControlFlow::Continue(steering) = visitor.visit_leaves(isa, leaf_a, leaf_b) else { break };
                    cutoff = steering.cutoff;
                    if let Some(direction) = steering.direction {
                        A::set_hint_axis(isa, &mut relation, pose, direction);
                    }
                    continue;
                }
                true
            } else {
                !child_b.is_leaf() && at.area_b > at.area_a
            };
            let mut expansion = PairExpansion {
                isa,
                visitor: &mut *visitor,
                frontier: &mut frontier,
                work: &mut work,
                relation: &relation,
                cutoff,
                in_runs,
            };
            let (one_a, one_b) = ((node_a, lane_a), (node_b, lane_b));
            let went = if open_b {
                expansion.expand::<A, B, W, true>(pose, (one_a, &a.nodes), (one_b, &b.nodes), at)
            } else {
                expansion.expand::<B, A, W, false>(pose, (one_b, &b.nodes), (one_a, &a.nodes), at)
            };
            if went.is_break() {
                break;
            }
        }
        work
    }
}

/// Runs `f` compiled for the instruction set, and for more registers if tests of these volumes need them.
#[inline(always)]
pub(crate) fn enter_for<A: PairGap<B>, B: BoundingVolume, I: Isa, const W: usize, R>(
    isa: I,
    f: impl FnOnce() -> R,
) -> R {
    if W == 8 && A::NEEDS_WIDE_REGISTERS { isa.enter_wide(f) } else { isa.enter(f) }
}

/// The state of a walk over two trees in which a pair of nodes is expanded.
struct PairExpansion<'w, 'v, I, R> {
    isa: I,
    visitor: &'w mut (dyn AnyPairVisitor<I> + 'v),
    frontier: &'w mut FrontierInOrder<NodePair>,
    work: &'w mut Work,
    relation: &'w R,
    cutoff: f32,
    in_runs: bool,
}

/// A child of a node, by its lane, and the nodes of its tree.
type ChildOf<'t, V, const W: usize> = ((&'t Node<V, W>, usize), &'t [Node<V, W>]);

impl<I, R> PairExpansion<'_, '_, I, R> {
    /// Opens a child of tree Y and tests its children against the volume of a child of tree X. Y is tree B if
    /// `OPENS_B`, else tree A.
    ///
    /// Bounds and areas are in units of A: results in units of B are scaled by the ratio of the units.
    #[inline(always)]
    fn expand<X, Y, const W: usize, const OPENS_B: bool>(
        &mut self,
        pose: &RelativePose,
        ((node_x, lane_x), nodes_x): ChildOf<'_, X, W>,
        ((node_y, lane_y), nodes_y): ChildOf<'_, Y, W>,
        at: NodePair,
    ) -> ControlFlow<()>
    where
        X: PairGap<Y, PairConstants = R>,
        Y: PairGap<X, PairConstants = R>,
        I: WideIsa + LanesFor<W>,
    {
        let Self { isa, ref mut visitor, ref mut frontier, ref mut work, relation, cutoff, in_runs } = *self;
        let (b_to_a, a_to_b) = (pose.b_in_a.ratio, pose.a_in_b.ratio);
        let (view_x, view_y) = if OPENS_B { (pose.from_a(), pose.from_b()) } else { (pose.from_b(), pose.from_a()) };
        let cutoff_of_b = cutoff * a_to_b;
        let (cutoff_x, cutoff_y) = if OPENS_B { (cutoff, cutoff_of_b) } else { (cutoff_of_b, cutoff) };
        work.volumes += W as u64;
        let node = node_y.children[lane_y].index() as u32;
        let opened = &nodes_y[node as usize];
        let gaps = X::load(&node_x.volumes, lane_x).gap::<W, I>(isa, view_x, relation, &opened.volumes, cutoff_x);
        let gaps = if OPENS_B { gaps } else { gaps.mul(<I as LanesFor<W>>::F::splat(b_to_a)) };
        let mut kept = survivors(gaps, cutoff, &opened.children);
        if in_runs && kept != 0 {
            let child_x = node_x.children[lane_x];
            let query = (view_y, relation, cutoff_y);
            emit_leaves(
                isa,
                *visitor,
                (opened, &mut kept, OPENS_B),
                (child_x, nodes_x),
                query,
                (*frontier, *work),
                #[inline(always)]
                |lane, of_other| {
                    let own = NodeRef::new::<W>(node, lane as u32);
                    let other = NodeRef::new::<W>(child_x.index() as u32, of_other as u32);
                    let (a, b) = if OPENS_B { (other, own) } else { (own, other) };
                    NodePair { a, b, ..at }
                },
            )?;
        }
        if kept == 0 {
            return ControlFlow::Continue(());
        }
        let areas = Y::areas::<W, I>(isa, &opened.volumes);
        let areas = if OPENS_B { areas.mul(<I as LanesFor<W>>::F::splat(b_to_a * b_to_a)) } else { areas }.to_array();
        frontier.push(
            ordered(gaps),
            kept,
            !in_runs,
            #[inline(always)]
            |lane| {
                let child = opened.children[lane];
                if !child.is_leaf() {
                    isa.prefetch(&nodes_y[child.index()]);
                } else {
                    visitor.prefetch(isa, OPENS_B, child.as_leaf());
                }
                let (own, area) = (NodeRef::new::<W>(node, lane as u32), areas[lane]);
                if OPENS_B { NodePair { b: own, area_b: area, ..at } } else { NodePair { a: own, area_a: area, ..at } }
            },
        );
        ControlFlow::Continue(())
    }
}
