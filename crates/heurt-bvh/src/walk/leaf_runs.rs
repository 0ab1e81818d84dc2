//! Leaves in runs: how a walk hands them to who wants all pairs, in any order.
//!
//! In: children of a node that were just found to meet a child of the other tree. Out: runs, a leaf of one tree and
//! several of the other; what is left goes on in the walk.
//! Method: leaves do not go through the frontier: they come as a test finds them, and those of a node that has been
//! opened are asked side by side against the other node, so that no test waits for the one before.
//! Guarantees: the pairs of leaves, and the work, of a walk that takes them one by one.

use crate::frame::relative::QueryView;
use crate::simd::{Lanes, LanesFor, WideIsa};
use crate::tree::bvh::{Child, Leaf, Node};
use crate::volume::{BoundingVolume, PairGap};
use crate::walk::frontier::Frontier;
use crate::walk::{NodePair, PairVisitor, used};
use crate::work::Work;
use std::ops::ControlFlow;

/// Bits of the lanes with a leaf; of those with nothing, too.
#[inline(always)]
fn leaves_of<const W: usize>(children: &[Child; W]) -> u32 {
    let mut bits = 0;
    let mut lane = 0;
    while lane < W {
        bits |= u32::from(children[lane].is_leaf()) << lane;
        lane += 1;
    }
    bits
}

/// Leaves among the children of one node.
struct Run<const W: usize> {
    leaves: [Leaf; W],
    count: usize,
    /// How many primitives they have.
    primitives: u64,
}

impl<const W: usize> Run<W> {
    /// Takes the leaves out of the children named in `kept`; `hear` hears of each.
    #[inline(always)]
    fn take_leaves(kept: &mut u32, children: &[Child; W], hear: impl Fn(Leaf)) -> Self {
        let mut run = Self { leaves: [Leaf { ordinal: 0, count: 1 }; W], count: 0, primitives: 0 };
        let mut rest = *kept;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize % W;
            let this = rest & rest.wrapping_neg();
            rest ^= this;
            if children[lane].is_leaf() {
                let leaf = children[lane].as_leaf();
                hear(leaf);
                run.leaves[run.count % W] = leaf;
                run.count += 1;
                run.primitives += u64::from(leaf.count);
                *kept ^= this;
            }
        }
        run
    }

    #[inline(always)]
    fn leaves(&self) -> &[Leaf] {
        &self.leaves[..self.count.min(W)]
    }
}

/// Hands `one`, of tree B where `is_of_b`, where it is a leaf over with the leaves among the `children` of the other
/// tree that are named in `kept`, which then names the others.
#[inline(always)]
pub(crate) fn emit_leaf_run<I: WideIsa, const W: usize>(
    isa: I,
    visitor: &mut impl PairVisitor,
    (one, is_of_b): (Child, bool),
    (kept, children): (&mut u32, &[Child; W]),
    work: &mut Work,
) -> ControlFlow<()> {
    if *kept == 0 || !one.is_leaf() {
        return ControlFlow::Continue(());
    }
    let leaf = one.as_leaf();
    let run = Run::take_leaves(
        kept,
        children,
        #[inline(always)]
        |other| if is_of_b { visitor.prefetch_a(isa, other) } else { visitor.prefetch_b(isa, other) },
    );
    work.primitives += u64::from(leaf.count) * run.primitives;
    if run.count == 0 { ControlFlow::Continue(()) } else { visitor.run(isa, is_of_b, leaf, run.leaves()) }
}

/// Of the children of `opened`, of tree B where `is_of_b`, that are named in `kept`, hands the leaves over that meet
/// `child`, which is one of `nodes` or a leaf of the other tree. Where it is a node each of those leaves would open it
/// next, and here they do so side by side; its own children that are nodes go to the frontier, each as a `pair` with
/// its leaf. `kept` then names those that are left.
#[inline(always)]
pub(crate) fn emit_leaves<X, Y, I, const W: usize>(
    isa: I,
    visitor: &mut impl PairVisitor,
    (opened, kept, is_of_b): (&Node<X, W>, &mut u32, bool),
    (child, nodes): (Child, &[Node<Y, W>]),
    (view, relation, cutoff): (QueryView<'_>, &X::Relation, f32),
    (frontier, work): (&mut impl Frontier<NodePair>, &mut Work),
    pair: impl Fn(usize, usize) -> NodePair,
) -> ControlFlow<()>
where
    X: PairGap<Y>,
    Y: BoundingVolume,
    I: WideIsa + LanesFor<W>,
{
    if child.is_leaf() {
        return emit_leaf_run(isa, visitor, (child, !is_of_b), (kept, &opened.children), work);
    }
    let mut leaves = *kept & leaves_of(&opened.children);
    if leaves == 0 {
        return ControlFlow::Continue(());
    }
    *kept ^= leaves;
    work.volumes += W as u64 * u64::from(leaves.count_ones());
    let other = &nodes[child.index()];
    let meetings = X::meetings::<W, I>(isa, view, relation, (&opened.volumes, leaves), &other.volumes, cutoff);
    let children = used(&other.children);
    while leaves != 0 {
        let lane = leaves.trailing_zeros() as usize % W;
        leaves &= leaves - 1;
        let mut met = meetings[lane] & children;
        emit_leaf_run(isa, visitor, (opened.children[lane], is_of_b), (&mut met, &other.children), work)?;
        if met != 0 {
            frontier.push(
                <I as LanesFor<W>>::F::splat(f32::NEG_INFINITY),
                met,
                false,
                #[inline(always)]
                |of_other| {
                    isa.expect(&nodes[other.children[of_other].index()]);
                    pair(lane, of_other)
                },
            );
        }
    }
    ControlFlow::Continue(())
}
