//! Tree traversal: one tree against a query, two trees against each other, depth-first or best-first; one tree against
//! itself.
//!
//! In: trees, a query or a relative pose, and a visitor. The visitor supplies a *cutoff* and receives leaves; every
//! query on meshes is a visitor. Out: the state of the visitor, and the [`Work`] done.
//! Method: S0 §4.5.4 "test d'intersection": the larger of two nodes is opened; its `W` children are tested against the
//! smaller node's volume at once. Survivors are taken nearest first. If the visitor accepts all pairs of leaves in any
//! order, leaves come in runs. The two orders differ only in the `Frontier`: a stack goes depth-first with a bounded
//! memory, a heap goes best-first and opens the fewest nodes.
//! Guarantees: a leaf (pair) is dropped only when the bound of one of its ancestors is above the cutoff. Termination:
//! each step replaces an entry by entries strictly deeper.

mod any_visitor;
mod frontier;
mod leaf_runs;
pub(crate) mod moving;
mod pair;
mod self_pair;
mod volume_pair;

use crate::frame::relative::RelativePose;
use crate::simd::{HasLanes, Kernel, Lanes, LanesFor, Machine, WideIsa, dispatch};
use crate::tree::bvh::{Bvh, Child, Leaf};
use crate::volume::{BoundingVolume, PairGap, Query, not_above};
use crate::walk::frontier::{BestFirst, DepthFirst, Entry, Frontier, Order};
use crate::walk::pair::WalkPair;
use crate::walk::self_pair::WalkSelf;
use crate::work::Work;
use std::marker::PhantomData;
use std::ops::ControlFlow;

/// Visitor of a walk over one tree.
pub trait Visitor {
    /// Returns the cutoff: lanes whose bound is above it are dropped.
    fn cutoff(&self) -> f32;
    /// Reports whether there is time for the next volume or leaf, whose bound is `bound`. In a best-first walk no
    /// remaining bound is lower.
    #[inline(always)]
    fn should_continue(&mut self, _bound: f32, _done: &Work) -> bool {
        true
    }
    /// Receives the least bound of the remaining entries when the walk was interrupted.
    fn on_interrupted(&mut self, _bound: f32) {}
    /// Visits a leaf.
    fn visit_leaf<I: WideIsa>(&mut self, isa: I, leaf: Leaf) -> ControlFlow<()>;
    /// Prefetches the data of a leaf that will probably be visited soon.
    #[inline(always)]
    fn prefetch<I: WideIsa>(&self, _isa: I, _leaf: Leaf) {}
}

/// Visitor of a walk over two trees.
pub trait PairVisitor {
    /// Returns the cutoff: pairs whose gap is above it are dropped; in doubled local units of tree A (0 for overlap).
    /// Called at the start and after leaves.
    fn cutoff(&self) -> f32;
    /// Reports whether there is time to open the next pair of volumes, whose gap is at least `bound`. In a best-first
    /// walk no remaining bound is lower. Called if [`PairVisitor::checks_each_pair`].
    #[inline(always)]
    fn should_continue(&mut self, _bound: f32, _done: &Work) -> bool {
        true
    }
    /// Reports at the start of a walk whether it must call [`PairVisitor::should_continue`].
    #[inline(always)]
    fn checks_each_pair(&self) -> bool {
        true
    }
    /// Visits a leaf of each tree.
    fn visit_leaves<I: WideIsa>(&mut self, isa: I, a: Leaf, b: Leaf) -> ControlFlow<()>;
    /// Reports whether the visitor accepts every pair of leaves in any order and with a constant cutoff. Leaves then
    /// come in runs, as they are found. The hint direction is not updated after a run, and the time is not checked
    /// within a run or between the runs of a node.
    #[inline(always)]
    fn accepts_any_order(&self) -> bool {
        false
    }
    /// Visits a leaf of one tree and several leaves of the second tree; called only if all pairs are accepted. The
    /// single leaf is of tree A, or of tree B if `is_of_b`.
    #[inline(always)]
    fn visit_leaf_run<I: WideIsa>(&mut self, isa: I, is_of_b: bool, leaf: Leaf, others: &[Leaf]) -> ControlFlow<()> {
        others.iter().try_for_each(
            #[inline(always)]
            |&other| if is_of_b { self.visit_leaves(isa, other, leaf) } else { self.visit_leaves(isa, leaf, other) },
        )
    }
    /// Returns the direction along which gaps are probably widest, from A to B, along A's axes. Called at the start and
    /// after leaves; `None` if there is no new direction.
    #[inline(always)]
    fn hint_direction(&mut self) -> Option<[f32; 3]> {
        None
    }
    /// Prefetches the data of a leaf of tree A that will probably be visited soon.
    #[inline(always)]
    fn prefetch_a<I: WideIsa>(&self, _isa: I, _leaf: Leaf) {}
    /// Prefetches the data of a leaf of tree B that will probably be visited soon.
    #[inline(always)]
    fn prefetch_b<I: WideIsa>(&self, _isa: I, _leaf: Leaf) {}
}

/// Returns the mask of the lanes with a child whose bound is not above `cutoff`.
#[inline(always)]
fn survivors<F: Lanes<W>, const W: usize>(bounds: F, cutoff: f32, children: &[Child; W]) -> u32 {
    let near = not_above(bounds, cutoff);
    if near == 0 { 0 } else { near & child_mask(children) }
}

/// Returns the mask of the lanes with a child; these come first.
#[inline(always)]
pub(crate) fn child_mask<const W: usize>(children: &[Child; W]) -> u32 {
    if children[W - 1] != Child::NONE {
        return (1 << W) - 1;
    }
    let mut used = 0;
    let mut lane = 0;
    while lane < W {
        used |= u32::from(children[lane] != Child::NONE) << lane;
        lane += 1;
    }
    used
}

/// Replaces `NaN`, which keeps a lane, by the nearest of all bounds.
#[inline(always)]
fn ordered<F: Lanes<W>, const W: usize>(bounds: F) -> F {
    bounds.max(F::splat(f32::NEG_INFINITY))
}

/// Walks `tree` with `query`, depth-first, nearest child first.
pub fn walk<V, Q, const W: usize>(tree: &Bvh<V, W>, query: &Q, visitor: &mut impl Visitor) -> Work
where
    V: BoundingVolume,
    Q: Query<V>,
    Machine: HasLanes<W>,
{
    dispatch(Walk { tree, query, visitor, frontier: PhantomData::<DepthFirst<_>> })
}

/// Walks `tree` with `query`, least bound first.
pub fn walk_best_first<V, Q, const W: usize>(tree: &Bvh<V, W>, query: &Q, visitor: &mut impl Visitor) -> Work
where
    V: BoundingVolume,
    Q: Query<V>,
    Machine: HasLanes<W>,
{
    dispatch(Walk { tree, query, visitor, frontier: PhantomData::<BestFirst<_>> })
}

/// Walks `a` and `b`, placed as `pose` states, depth-first, deepest overlap (else least gap) first.
pub fn walk_pair<A, B, const W: usize>(
    a: &Bvh<A, W>,
    b: &Bvh<B, W>,
    pose: &RelativePose,
    visitor: &mut impl PairVisitor,
) -> Work
where
    A: PairGap<B>,
    B: PairGap<A, PairConstants = A::PairConstants>,
    Machine: HasLanes<W>,
{
    dispatch(WalkPair { a, b, pose, visitor, order: Order::DepthFirst })
}

/// Walks `a` and `b`, placed as `pose` states, least gap first.
pub fn walk_pair_best_first<A, B, const W: usize>(
    a: &Bvh<A, W>,
    b: &Bvh<B, W>,
    pose: &RelativePose,
    visitor: &mut impl PairVisitor,
) -> Work
where
    A: PairGap<B>,
    B: PairGap<A, PairConstants = A::PairConstants>,
    Machine: HasLanes<W>,
{
    dispatch(WalkPair { a, b, pose, visitor, order: Order::BestFirst })
}

/// Walks `tree` against itself, depth-first: every pair of leaves whose volumes meet comes once, in either order, and
/// every leaf comes with itself. The visitor's cutoff is in doubled local units of the tree.
pub fn walk_self<V, const W: usize>(tree: &Bvh<V, W>, visitor: &mut impl PairVisitor) -> Work
where
    V: BoundingVolume + Query<V>,
    Machine: HasLanes<W>,
{
    dispatch(WalkSelf { tree, visitor })
}

struct Walk<'a, V: BoundingVolume, Q, N, P, const W: usize> {
    tree: &'a Bvh<V, W>,
    query: &'a Q,
    visitor: &'a mut N,
    frontier: PhantomData<P>,
}

impl<V, Q, N, P, const W: usize> Kernel<W> for Walk<'_, V, Q, N, P, W>
where
    V: BoundingVolume,
    Q: Query<V>,
    N: Visitor,
    P: Frontier<Child>,
{
    type Output = Work;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<W>>(self, isa: I) -> Work {
        let Self { tree, query, visitor, .. } = self;
        let mut work = Work::default();
        // The root's own volume is not tested: a query that misses it misses all its children at once.
        let mut frontier = P::begin(Entry { bound: f32::NEG_INFINITY, at: tree.nodes[0].children[0] });
        while let Some(entry) = frontier.pop() {
            if entry.bound > visitor.cutoff() {
                continue;
            }
            if !visitor.should_continue(entry.bound, &work) {
                visitor.on_interrupted(entry.bound.min(frontier.least()));
                break;
            }
            if entry.at.is_leaf() {
                let leaf = entry.at.as_leaf();
                work.primitives += u64::from(leaf.count);
                if visitor.visit_leaf(isa, leaf).is_break() {
                    break;
                }
                continue;
            }
            let node = &tree.nodes[entry.at.index()];
            work.volumes += W as u64;
            let bounds = query.lower_bound::<W, I>(isa, &node.volumes);
            let kept = survivors(bounds, visitor.cutoff(), &node.children);
            frontier.push(
                ordered(bounds),
                kept,
                true,
                #[inline(always)]
                |lane| {
                    let child = node.children[lane];
                    if child.is_leaf() {
                        visitor.prefetch(isa, child.as_leaf());
                    } else {
                        isa.prefetch(&tree.nodes[child.index()]);
                    }
                    child
                },
            );
        }
        work
    }
}
