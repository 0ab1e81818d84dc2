//! Traversal of two trees: pairs of nodes, of which the larger is opened.
//!
//! In: two trees, their relative pose, a visitor and an order. Out: the leaves that the visitor receives, and the work.
//! Method: see [`crate::walk`]. Visitors and orders share a walk ([`AnyPairVisitor`]). The walk is compiled for each
//! degree and instruction set, and again for each pair of volumes that shapes walk by default ([`VolumePair`]).

use crate::frame::relative::RelativePose;
use crate::simd::{Isa, Kernel, LanesFor, WideIsa};
use crate::tree::bvh::{Bvh, Child, NodeRef};
use crate::volume::{BoundingVolume, PairGap};
use crate::walk::any_visitor::{AnyPairVisitor, Steering};
use crate::walk::frontier::{Entry, FrontierInOrder, Order};
use crate::walk::leaf_runs::emit_leaves;
use crate::walk::volume_pair::{EnteredTrees, PlacedTrees, TreeSide, VolumePair};
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

impl NodePair {
    /// Returns the pair with another lane of one tree, whose area is given.
    #[inline(always)]
    pub fn with(self, side: TreeSide, lane: NodeRef, area: f32) -> Self {
        match side {
            TreeSide::A => Self { a: lane, area_a: area, ..self },
            TreeSide::B => Self { b: lane, area_b: area, ..self },
        }
    }
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
        let Self { a, b, pose, visitor, order } = self;
        if const { W == 8 && A::IS_WALKED_BY_DEFAULT } {
            return enter_for::<A, B, I, W, _>(
                isa,
                #[inline(always)]
                || walk_inside(isa, &mut PlacedTrees::new(isa, a, b, pose), visitor, order),
            );
        }
        walk_objects(isa, &mut EnteredTrees(PlacedTrees::new(isa, a, b, pose)), visitor, order)
    }
}

/// Runs `f` compiled for the instruction set, and for more registers if tests of these volumes need them.
#[inline(always)]
pub(crate) fn enter_for<A: PairGap<B>, B: BoundingVolume, I: Isa, const W: usize, R>(
    isa: I,
    f: impl FnOnce() -> R,
) -> R {
    if const { W == 8 && A::NEEDS_WIDE_REGISTERS } { isa.enter_wide(f) } else { isa.enter(f) }
}

/// Walks two trees over any volumes; not inlined, so that all pairs of volumes share it.
#[inline(never)]
fn walk_objects<I: WideIsa + LanesFor<W>, const W: usize>(
    isa: I,
    trees: &mut dyn VolumePair<I, W>,
    visitor: &mut (dyn AnyPairVisitor<I> + '_),
    order: Order,
) -> Work {
    isa.enter(
        #[inline(always)]
        || walk_inside(isa, trees, visitor, order),
    )
}

#[inline(always)]
fn walk_inside<T, I, const W: usize>(
    isa: I,
    trees: &mut T,
    visitor: &mut (dyn AnyPairVisitor<I> + '_),
    order: Order,
) -> Work
where
    T: VolumePair<I, W> + ?Sized,
    I: WideIsa + LanesFor<W>,
{
    let (in_runs, checks_each_pair) = (visitor.accepts_any_order(), visitor.checks_each_pair());
    let mut work = Work { updates: 1, ..Work::default() };
    let Steering { mut cutoff, direction } = visitor.steering();
    if let Some(direction) = direction {
        trees.set_hint_axis(isa, direction);
    }
    let mut bound = f32::NEG_INFINITY;
    // Depth-first walks do not need the gap of the roots: opening a root tests all its children against the second
    // root at once, for the same cost.
    if order == Order::BestFirst {
        work.volumes = 1;
        bound = trees.bound_roots(isa, cutoff);
        if bound > cutoff {
            return work;
        }
    }
    let (area_a, area_b) = (trees.areas(isa, TreeSide::A, 0)[0], trees.areas(isa, TreeSide::B, 0)[0]);
    let roots = NodePair { a: NodeRef(0), b: NodeRef(0), area_a, area_b };
    let mut frontier = FrontierInOrder::begin(order, Entry { bound, at: roots });
    while let Some(Entry { bound, at }) = frontier.pop() {
        if bound > cutoff {
            continue;
        }
        if checks_each_pair && !visitor.should_continue(bound, &work) {
            break;
        }
        let child_a = trees.children(TreeSide::A, at.a.node::<W>())[at.a.lane::<W>()];
        let child_b = trees.children(TreeSide::B, at.b.node::<W>())[at.b.lane::<W>()];
        let open_b = if child_a.is_leaf() {
            if child_b.is_leaf() {
                let (leaf_a, leaf_b) = (child_a.as_leaf(), child_b.as_leaf());
                work.primitives += u64::from(leaf_a.count) * u64::from(leaf_b.count);
                let ControlFlow::Continue(steering) = visitor.visit_leaves(isa, leaf_a, leaf_b) else { break };
                cutoff = steering.cutoff;
                if let Some(direction) = steering.direction {
                    trees.set_hint_axis(isa, direction);
                }
                continue;
            }
            true
        } else {
            !child_b.is_leaf() && at.area_b > at.area_a
        };
        let mut expansion = PairExpansion {
            isa,
            trees,
            visitor: &mut *visitor,
            frontier: &mut frontier,
            work: &mut work,
            cutoff,
            in_runs,
        };
        let went = if open_b {
            expansion.expand(TreeSide::B, (child_a, at.a), child_b.index(), at)
        } else {
            expansion.expand(TreeSide::A, (child_b, at.b), child_a.index(), at)
        };
        if went.is_break() {
            break;
        }
    }
    work
}

/// The state of a walk over two trees in which a pair of nodes is expanded.
struct PairExpansion<'w, 'v, T: ?Sized, I> {
    isa: I,
    trees: &'w T,
    visitor: &'w mut (dyn AnyPairVisitor<I> + 'v),
    frontier: &'w mut FrontierInOrder<NodePair>,
    work: &'w mut Work,
    cutoff: f32,
    in_runs: bool,
}

impl<T: ?Sized, I> PairExpansion<'_, '_, T, I> {
    /// Opens node `node` of the tree `side` and tests its children against the volume of `other`, a child of the second
    /// tree.
    #[inline(always)]
    fn expand<const W: usize>(
        &mut self,
        side: TreeSide,
        (other, at_other): (Child, NodeRef),
        node: usize,
        at: NodePair,
    ) -> ControlFlow<()>
    where
        T: VolumePair<I, W>,
        I: WideIsa + LanesFor<W>,
    {
        let Self { isa, trees, ref mut visitor, ref mut frontier, ref mut work, cutoff, in_runs } = *self;
        work.volumes += W as u64;
        let children = trees.children(side, node);
        let gaps = trees.gaps(isa, side, node, at_other, cutoff);
        let mut kept = survivors(gaps, cutoff, children);
        if in_runs && kept != 0 {
            emit_leaves(isa, *visitor, trees, (side, node, &mut kept), (other, cutoff), (*frontier, *work), at)?;
        }
        if kept == 0 {
            return ControlFlow::Continue(());
        }
        let areas = trees.areas(isa, side, node);
        frontier.push(
            ordered(gaps),
            kept,
            !in_runs,
            #[inline(always)]
            |lane| {
                let child = children[lane];
                if !child.is_leaf() {
                    trees.prefetch(isa, side, child.index());
                } else {
                    visitor.prefetch(isa, side.is_b(), child.as_leaf());
                }
                at.with(side, NodeRef::new::<W>(node as u32, lane as u32), areas[lane])
            },
        );
        ControlFlow::Continue(())
    }
}
