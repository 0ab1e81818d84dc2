//! Leaf runs: batches of leaf pairs that a walk emits to visitors that accept all pairs in any order.
//!
//! In: children of a node that meet a child of the second tree. Out: runs, each of a leaf of one tree and several
//! leaves of the second tree; all other pairs continue in the walk.
//! Method: leaves do not pass through the frontier: they are emitted as a test finds them. The leaves of an opened node
//! are tested together against the second node, so that no test depends on the previous one.
//! Guarantees: the pairs of leaves, and the work, of a walk that takes them one by one.

use crate::frame::relative::QueryView;
use crate::simd::{Lanes, LanesFor, WideIsa};
use crate::tree::bvh::{Child, Leaf, NodeRef};
use crate::volume::{BoundingVolume, PairGap};
use crate::walk::any_visitor::AnyPairVisitor;
use crate::walk::child_mask;
use crate::walk::frontier::FrontierInOrder;
use crate::walk::pair::{NodePair, enter_for};
use crate::walk::volume_pair::{TreeSide, VolumePair};
use crate::work::Work;
use std::ops::ControlFlow;

/// Returns the mask of the lanes with a leaf; lanes without a child are included.
#[inline(always)]
fn leaf_mask<const W: usize>(children: &[Child; W]) -> u32 {
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
    /// Number of their primitives.
    primitives: u64,
}

impl<const W: usize> Run<W> {
    /// Removes the leaves among the children in the mask `kept`.
    #[inline(always)]
    fn take_leaves(kept: &mut u32, children: &[Child; W]) -> Self {
        let mut run = Self { leaves: [Leaf { ordinal: 0, count: 1 }; W], count: 0, primitives: 0 };
        let mut rest = *kept;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize % W;
            let this = rest & rest.wrapping_neg();
            rest ^= this;
            if children[lane].is_leaf() {
                let leaf = children[lane].as_leaf();
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

/// Emits `one`, if it is a leaf, with the leaves among the `children` in the mask `kept`, which belong to the second
/// tree. The leaf `one` is of tree B if `is_of_b`. Emitted lanes are removed from `kept`.
#[inline(always)]
pub(crate) fn emit_leaf_run<I: WideIsa, const W: usize>(
    isa: I,
    visitor: &mut (dyn AnyPairVisitor<I> + '_),
    (one, is_of_b): (Child, bool),
    (kept, children): (&mut u32, &[Child; W]),
    work: &mut Work,
) -> ControlFlow<()> {
    if *kept == 0 || !one.is_leaf() {
        return ControlFlow::Continue(());
    }
    let leaf = one.as_leaf();
    let run = Run::take_leaves(kept, children);
    work.primitives += u64::from(leaf.count) * run.primitives;
    if run.count == 0 { ControlFlow::Continue(()) } else { visitor.visit_leaf_run(isa, is_of_b, leaf, run.leaves()) }
}

/// Emits the leaves, among the children in the mask `kept` of node `node` of the tree `side`, that meet `other`, a node
/// or leaf of the second tree. If `other` is a node, each leaf would open it next; here they are tested together.
/// Children of `other` that are nodes go to the frontier, each as a pair with its leaf, which otherwise is `at`.
/// Processed lanes are removed from `kept`.
#[inline(always)]
pub(crate) fn emit_leaves<T, I, const W: usize>(
    isa: I,
    visitor: &mut (dyn AnyPairVisitor<I> + '_),
    trees: &T,
    (side, node, kept): (TreeSide, usize, &mut u32),
    (other, cutoff): (Child, f32),
    (frontier, work): (&mut FrontierInOrder<NodePair>, &mut Work),
    at: NodePair,
) -> ControlFlow<()>
where
    T: VolumePair<I, W> + ?Sized,
    I: WideIsa + LanesFor<W>,
{
    let (children, of_b) = (trees.children(side, node), side.is_b());
    if other.is_leaf() {
        return emit_leaf_run(isa, visitor, (other, !of_b), (kept, children), work);
    }
    let mut leaves = *kept & leaf_mask(children);
    if leaves == 0 {
        return ControlFlow::Continue(());
    }
    *kept ^= leaves;
    work.volumes += W as u64 * u64::from(leaves.count_ones());
    let second = side.opposite();
    let overlap_masks = trees.overlap_masks(isa, side, node, leaves, other.index(), cutoff);
    let others = trees.children(second, other.index());
    let used = child_mask(others);
    while leaves != 0 {
        let lane = leaves.trailing_zeros() as usize % W;
        leaves &= leaves - 1;
        let mut met = overlap_masks[lane] & used;
        emit_leaf_run(isa, visitor, (children[lane], of_b), (&mut met, others), work)?;
        if met != 0 {
            frontier.push(
                <I as LanesFor<W>>::F::splat(f32::NEG_INFINITY),
                met,
                false,
                #[inline(always)]
                |of_other| {
                    trees.prefetch(isa, second, others[of_other].index());
                    let own = NodeRef::new::<W>(node as u32, lane as u32);
                    let other = NodeRef::new::<W>(other.index() as u32, of_other as u32);
                    let (a, b) = if of_b { (other, own) } else { (own, other) };
                    NodePair { a, b, ..at }
                },
            );
        }
    }
    ControlFlow::Continue(())
}

/// Computes [`PairGap::overlap_masks`]. Not inlined: up to `W` tests outweigh the call, and trees of one kind of volume
/// share a copy, whichever of them is opened.
#[inline(never)]
pub(crate) fn overlap_masks<X, Y, I, const W: usize>(
    isa: I,
    (view, relation, cutoff): (QueryView<'_>, &X::PairConstants, f32),
    leaves: (&X::Wide<W>, u32),
    others: &Y::Wide<W>,
) -> [u32; W]
where
    X: PairGap<Y>,
    Y: BoundingVolume,
    I: WideIsa + LanesFor<W>,
{
    enter_for::<X, Y, I, W, _>(
        isa,
        #[inline(always)]
        || X::overlap_masks::<W, I>(isa, view, relation, leaves, others, cutoff),
    )
}
