//! Tree traversal: one tree against a query, two trees against each other, depth-first or best-first; one tree against
//! itself.
//!
//! In: trees, a query or a relative pose, and a visitor. The visitor supplies a *cutoff* and receives leaves; every
//! query on meshes is a visitor. Out: the state of the visitor, and the [`Work`] done.
//! Method: S0 §4.5.4 "test d'intersection": the larger of two nodes is opened; its `W` children are tested against the
//! smaller node's volume at once. Survivors are taken nearest first. If the visitor accepts all pairs of leaves in any
//! order, leaves come in runs. The two drivers differ only in the `Frontier`: a stack goes depth-first with a bounded
//! memory, a heap goes best-first and opens the fewest nodes.
//! Guarantees: a leaf (pair) is dropped only when the bound of one of its ancestors is above the cutoff. Termination:
//! each step replaces an entry by entries strictly deeper.

pub(crate) mod frontier;
pub(crate) mod leaf_runs;
pub(crate) mod moving;

use crate::frame::relative::RelativePose;
use crate::simd::{Avx2, Kernel, Lanes, LanesFor, WideIsa, dispatch};
use crate::tree::bvh::{Bvh, Child, Leaf, Node, NodeRef};
use crate::volume::{BoundingVolume, PairGap, Query, not_above};
use crate::walk::frontier::{BestFirst, DepthFirst, Entry, Frontier};
use crate::walk::leaf_runs::{emit_leaf_run, emit_leaves};
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
    fn cutoff(&self) -> f32;
    /// Reports whether there is time to open the next pair of volumes, whose gap is at least `bound`. In a best-first
    /// walk no remaining bound is lower.
    #[inline(always)]
    fn should_continue(&mut self, _bound: f32, _done: &Work) -> bool {
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
    Avx2: LanesFor<W>,
{
    dispatch(Walk { tree, query, visitor, frontier: PhantomData::<DepthFirst<_>> })
}

/// Walks `tree` with `query`, least bound first.
pub fn walk_best_first<V, Q, const W: usize>(tree: &Bvh<V, W>, query: &Q, visitor: &mut impl Visitor) -> Work
where
    V: BoundingVolume,
    Q: Query<V>,
    Avx2: LanesFor<W>,
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
    Avx2: LanesFor<W>,
{
    dispatch(WalkPair { a, b, pose, visitor, frontier: PhantomData::<DepthFirst<_>> })
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
    Avx2: LanesFor<W>,
{
    dispatch(WalkPair { a, b, pose, visitor, frontier: PhantomData::<BestFirst<_>> })
}

/// Walks `tree` against itself, depth-first: every pair of leaves whose volumes meet comes once, in either order, and
/// every leaf comes with itself. The visitor's cutoff is in doubled local units of the tree.
pub fn walk_self<V, const W: usize>(tree: &Bvh<V, W>, visitor: &mut impl PairVisitor) -> Work
where
    V: BoundingVolume + Query<V>,
    Avx2: LanesFor<W>,
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

/// A lane of each tree, with the areas that decide which one is opened, in squared units of the first tree.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NodePair {
    a: NodeRef,
    b: NodeRef,
    area_a: f32,
    area_b: f32,
}

struct WalkPair<'a, A: BoundingVolume, B: BoundingVolume, N, P, const W: usize> {
    a: &'a Bvh<A, W>,
    b: &'a Bvh<B, W>,
    pose: &'a RelativePose,
    visitor: &'a mut N,
    frontier: PhantomData<P>,
}

impl<A, B, N, P, const W: usize> Kernel<W> for WalkPair<'_, A, B, N, P, W>
where
    A: PairGap<B>,
    B: PairGap<A, PairConstants = A::PairConstants>,
    N: PairVisitor,
    P: Frontier<NodePair>,
{
    type Output = Work;
    const NEEDS_WIDE_REGISTERS: bool = W == 8 && A::NEEDS_WIDE_REGISTERS;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<W>>(self, isa: I) -> Work {
        let Self { a, b, pose, visitor, .. } = self;
        let b_to_a = pose.b_in_a.ratio;
        let in_runs = visitor.accepts_any_order();
        let mut work = Work { updates: 1, ..Work::default() };
        let mut relation = A::pair_constants(isa, pose);
        if let Some(direction) = visitor.hint_direction() {
            A::set_hint_axis(isa, &mut relation, pose, direction);
        }
        let (root_a, root_b) = (&a.nodes[0].volumes, &b.nodes[0].volumes);
        let mut bound = f32::NEG_INFINITY;
        if P::TESTS_ROOTS {
            work.volumes = 1;
            bound =
                A::load(root_a, 0).gap::<W, I>(isa, pose.from_a(), &relation, root_b, visitor.cutoff()).to_array()[0];
            if bound > visitor.cutoff() {
                return work;
            }
        }
        let area_a = A::areas::<W, I>(isa, root_a).to_array()[0];
        let area_b = B::areas::<W, I>(isa, root_b).to_array()[0] * (b_to_a * b_to_a);
        let mut frontier = P::begin(Entry { bound, at: NodePair { a: NodeRef(0), b: NodeRef(0), area_a, area_b } });
        while let Some(Entry { bound, at }) = frontier.pop() {
            if bound > visitor.cutoff() {
                continue;
            }
            if !visitor.should_continue(bound, &work) {
                break;
            }
            let (node_a, lane_a) = (&a.nodes[at.a.node::<W>()], at.a.lane::<W>());
            let (node_b, lane_b) = (&b.nodes[at.b.node::<W>()], at.b.lane::<W>());
            let (child_a, child_b) = (node_a.children[lane_a], node_b.children[lane_b]);
            let open_b = if child_a.is_leaf() {
                if child_b.is_leaf() {
                    let (leaf_a, leaf_b) = (child_a.as_leaf(), child_b.as_leaf());
                    work.primitives += u64::from(leaf_a.count) * u64::from(leaf_b.count);
                    if visitor.visit_leaves(isa, leaf_a, leaf_b).is_break() {
                        break;
                    }
                    if let Some(direction) = visitor.hint_direction() {
                        A::set_hint_axis(isa, &mut relation, pose, direction);
                    }
                    continue;
                }
                true
            } else {
                !child_b.is_leaf() && at.area_b > at.area_a
            };
            let mut expansion =
                PairExpansion { isa, visitor, frontier: &mut frontier, work: &mut work, relation: &relation, in_runs };
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

/// The state of a walk over two trees in which a pair of nodes is expanded.
struct PairExpansion<'w, I, N, P, R> {
    isa: I,
    visitor: &'w mut N,
    frontier: &'w mut P,
    work: &'w mut Work,
    relation: &'w R,
    in_runs: bool,
}

/// A child of a node, by its lane, and the nodes of its tree.
type ChildOf<'t, V, const W: usize> = ((&'t Node<V, W>, usize), &'t [Node<V, W>]);

impl<I, N: PairVisitor, P: Frontier<NodePair>, R> PairExpansion<'_, I, N, P, R> {
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
        let Self { isa, ref mut visitor, ref mut frontier, ref mut work, relation, in_runs } = *self;
        let (b_to_a, a_to_b) = (pose.b_in_a.ratio, pose.a_in_b.ratio);
        let (view_x, view_y) = if OPENS_B { (pose.from_a(), pose.from_b()) } else { (pose.from_b(), pose.from_a()) };
        let cutoff_x = |cutoff: f32| if OPENS_B { cutoff } else { cutoff * a_to_b };
        let cutoff_y = |cutoff: f32| if OPENS_B { cutoff * a_to_b } else { cutoff };
        work.volumes += W as u64;
        let node = node_y.children[lane_y].index() as u32;
        let opened = &nodes_y[node as usize];
        let gaps = X::load(&node_x.volumes, lane_x).gap::<W, I>(
            isa,
            view_x,
            relation,
            &opened.volumes,
            cutoff_x(visitor.cutoff()),
        );
        let gaps = if OPENS_B { gaps } else { gaps.mul(<I as LanesFor<W>>::F::splat(b_to_a)) };
        let mut kept = survivors(gaps, visitor.cutoff(), &opened.children);
        if in_runs && kept != 0 {
            let child_x = node_x.children[lane_x];
            let asked = (view_y, relation, cutoff_y(visitor.cutoff()));
            emit_leaves(
                isa,
                *visitor,
                (opened, &mut kept, OPENS_B),
                (child_x, nodes_x),
                asked,
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
                } else if OPENS_B {
                    visitor.prefetch_b(isa, child.as_leaf());
                } else {
                    visitor.prefetch_a(isa, child.as_leaf());
                }
                let (own, area) = (NodeRef::new::<W>(node, lane as u32), areas[lane]);
                if OPENS_B { NodePair { b: own, area_b: area, ..at } } else { NodePair { a: own, area_a: area, ..at } }
            },
        );
        ControlFlow::Continue(())
    }
}

struct WalkSelf<'a, V: BoundingVolume, N, const W: usize> {
    tree: &'a Bvh<V, W>,
    visitor: &'a mut N,
}

impl<V, N, const W: usize> Kernel<W> for WalkSelf<'_, V, N, W>
where
    V: BoundingVolume + Query<V>,
    N: PairVisitor,
{
    type Output = Work;

    /// Entries are pairs of lanes, or a lane with itself. A lane with itself represents each child with itself and with
    /// the later children.
    #[inline(always)]
    fn run<I: WideIsa + LanesFor<W>>(self, isa: I) -> Work {
        let Self { tree, visitor } = self;
        let nodes = &tree.nodes;
        let in_runs = visitor.accepts_any_order();
        let mut work = Work::default();
        let mut frontier = DepthFirst::begin(Entry { bound: f32::NEG_INFINITY, at: NodePair::default() });
        'walk: while let Some(Entry { bound, at }) = frontier.pop() {
            if bound > visitor.cutoff() {
                continue;
            }
            let (node_a, lane_a) = (&nodes[at.a.node::<W>()], at.a.lane::<W>());
            let (node_b, lane_b) = (&nodes[at.b.node::<W>()], at.b.lane::<W>());
            let (child_a, child_b) = (node_a.children[lane_a], node_b.children[lane_b]);
            if child_a.is_leaf() && child_b.is_leaf() {
                let (leaf_a, leaf_b) = (child_a.as_leaf(), child_b.as_leaf());
                let pairs = u64::from(leaf_a.count) * u64::from(leaf_b.count);
                work.primitives += if at.a == at.b { pairs / 2 } else { pairs };
                if visitor.visit_leaves(isa, leaf_a, leaf_b).is_break() {
                    break;
                }
                continue;
            }
            if at.a == at.b {
                let opened = &nodes[child_a.index()];
                let node = child_a.index() as u32;
                let areas = V::areas::<W, I>(isa, &opened.volumes).to_array();
                let lanes = child_mask(&opened.children);
                let mut lane = 0;
                while lane < W && opened.children[lane] != Child::NONE {
                    let later = lanes & !1 << lane;
                    if later != 0 {
                        work.volumes += W as u64;
                        let gaps = doubled(V::load(&opened.volumes, lane).lower_bound::<W, I>(isa, &opened.volumes));
                        let mut kept = survivors(gaps, visitor.cutoff(), &opened.children) & later;
                        let one = (opened.children[lane], false);
                        let of_opened = (&mut kept, &opened.children);
                        if in_runs && emit_leaf_run(isa, visitor, one, of_opened, &mut work).is_break() {
                            break 'walk;
                        }
                        frontier.push(
                            ordered(gaps),
                            kept,
                            !in_runs,
                            #[inline(always)]
                            |other| NodePair {
                                a: NodeRef::new::<W>(node, lane as u32),
                                b: NodeRef::new::<W>(node, other as u32),
                                area_a: areas[lane],
                                area_b: areas[other],
                            },
                        );
                    }
                    lane += 1;
                }
                frontier.push(
                    <I as LanesFor<W>>::F::splat(f32::NEG_INFINITY),
                    lanes,
                    !in_runs,
                    #[inline(always)]
                    |lane| {
                        let child = NodeRef::new::<W>(node, lane as u32);
                        NodePair { a: child, b: child, ..at }
                    },
                );
                continue;
            }
            let open_b = child_a.is_leaf() || !child_b.is_leaf() && at.area_b > at.area_a;
            let (asking, child) = if open_b {
                (V::load(&node_a.volumes, lane_a), child_b)
            } else {
                (V::load(&node_b.volumes, lane_b), child_a)
            };
            let opened = &nodes[child.index()];
            work.volumes += W as u64;
            let gaps = doubled(asking.lower_bound::<W, I>(isa, &opened.volumes));
            let mut kept = survivors(gaps, visitor.cutoff(), &opened.children);
            let one = (if open_b { child_a } else { child_b }, !open_b);
            let of_opened = (&mut kept, &opened.children);
            if in_runs && emit_leaf_run(isa, visitor, one, of_opened, &mut work).is_break() {
                break 'walk;
            }
            if kept == 0 {
                continue;
            }
            let areas = V::areas::<W, I>(isa, &opened.volumes).to_array();
            let node = child.index() as u32;
            frontier.push(
                ordered(gaps),
                kept,
                !in_runs,
                #[inline(always)]
                |lane| {
                    let (at_lane, area) = (NodeRef::new::<W>(node, lane as u32), areas[lane]);
                    if open_b {
                        NodePair { b: at_lane, area_b: area, ..at }
                    } else {
                        NodePair { a: at_lane, area_a: area, ..at }
                    }
                },
            );
        }
        work
    }
}

/// In doubled units, as the cutoff of visitors of pairs.
#[inline(always)]
fn doubled<F: Lanes<W>, const W: usize>(gaps: F) -> F {
    gaps.add(gaps)
}
