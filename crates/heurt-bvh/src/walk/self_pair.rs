//! Traversal of a tree against itself.
//!
//! In: a tree and a visitor. Out: every pair of leaves whose volumes meet, once, and every leaf with itself.
//! Method: a depth-first walk over pairs of lanes, and over lanes with themselves.

use crate::simd::{Kernel, Lanes, LanesFor, WideIsa};
use crate::tree::bvh::{Bvh, Child, NodeRef};
use crate::volume::{BoundingVolume, Query};
use crate::walk::any_visitor::{AnyPairVisitor, Steering};
use crate::walk::frontier::{DepthFirst, Entry, Frontier};
use crate::walk::leaf_runs::emit_leaf_run;
use crate::walk::pair::NodePair;
use crate::walk::{PairVisitor, child_mask, ordered, survivors};
use crate::work::Work;
use std::ops::ControlFlow;

/// A walk over a tree and itself with a visitor.
pub(crate) struct WalkSelf<'a, V: BoundingVolume, N: ?Sized, const W: usize> {
    pub tree: &'a Bvh<V, W>,
    pub visitor: &'a mut N,
}

impl<V, N, const W: usize> Kernel<W> for WalkSelf<'_, V, N, W>
where
    V: BoundingVolume + Query<V>,
    N: PairVisitor,
{
    type Output = Work;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<W>>(self, isa: I) -> Work {
        let Self { tree, visitor } = self;
        let visitor: &mut dyn AnyPairVisitor<I> = visitor;
        WalkSelf { tree, visitor }.run_any(isa)
    }
}

impl<'v, V, I, const W: usize> WalkSelf<'_, V, dyn AnyPairVisitor<I> + 'v, W>
where
    V: BoundingVolume + Query<V>,
    I: WideIsa + LanesFor<W>,
{
    /// Walks with any visitor; not inlined, so that visitors share it.
    #[inline(never)]
    fn run_any(self, isa: I) -> Work {
        isa.enter(
            #[inline(always)]
            || self.run_inside(isa),
        )
    }

    /// Entries are pairs of lanes, or a lane with itself. A lane with itself represents each child with itself and with
    /// the later children.
    #[inline(always)]
    fn run_inside(self, isa: I) -> Work {
        let Self { tree, visitor } = self;
        let nodes = &tree.nodes;
        let in_runs = visitor.accepts_any_order();
        let Steering { mut cutoff, .. } = visitor.steering();
        let mut work = Work::default();
        let mut frontier = DepthFirst::begin(Entry { bound: f32::NEG_INFINITY, at: NodePair::default() });
        'walk: while let Some(Entry { bound, at }) = frontier.pop() {
            if bound > cutoff {
                continue;
            }
            let (node_a, lane_a) = (&nodes[at.a.node::<W>()], at.a.lane::<W>());
            let (node_b, lane_b) = (&nodes[at.b.node::<W>()], at.b.lane::<W>());
            let (child_a, child_b) = (node_a.children[lane_a], node_b.children[lane_b]);
            if child_a.is_leaf() && child_b.is_leaf() {
                let (leaf_a, leaf_b) = (child_a.as_leaf(), child_b.as_leaf());
                let pairs = u64::from(leaf_a.count) * u64::from(leaf_b.count);
                work.primitives += if at.a == at.b { pairs / 2 } else { pairs };
                let ControlFlow::Continue(steering) = visitor.visit_leaves(isa, leaf_a, leaf_b) else { break };
                cutoff = steering.cutoff;
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
                        let mut kept = survivors(gaps, cutoff, &opened.children) & later;
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
            let mut kept = survivors(gaps, cutoff, &opened.children);
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
