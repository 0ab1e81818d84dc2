//! Type erasure of pair visitors: a walk is compiled once for each kind of tree, not again for each visitor.
//!
//! In: a [`PairVisitor`]. Out: the calls that a walk makes, under a given instruction set.
//! Guarantees: the calls of the visitor itself, in the same order.
//! Cost: one indirect call for each pair of leaves, for each run and for each leaf that is prefetched on its own; none
//! for a pair of nodes unless the visitor checks each of them.

use crate::simd::WideIsa;
use crate::tree::bvh::Leaf;
use crate::walk::PairVisitor;
use crate::work::Work;
use std::ops::ControlFlow;

/// Parameters of a walk over two trees that change only when leaves are visited.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steering {
    /// The visitor's [`PairVisitor::cutoff`].
    pub cutoff: f32,
    /// The visitor's [`PairVisitor::hint_direction`].
    pub direction: Option<[f32; 3]>,
}

/// Any [`PairVisitor`], called under the instruction set `I`.
pub(crate) trait AnyPairVisitor<I> {
    /// Returns the parameters at the start of a walk.
    fn steering(&mut self) -> Steering;
    /// [`PairVisitor::checks_each_pair`].
    fn checks_each_pair(&self) -> bool;
    /// [`PairVisitor::should_continue`].
    fn should_continue(&mut self, bound: f32, done: &Work) -> bool;
    /// [`PairVisitor::accepts_any_order`].
    fn accepts_any_order(&self) -> bool;
    /// [`PairVisitor::visit_leaves`]; returns the parameters from then on.
    fn visit_leaves(&mut self, isa: I, a: Leaf, b: Leaf) -> ControlFlow<(), Steering>;
    /// [`PairVisitor::visit_leaf_run`], after all leaves of the run are prefetched.
    fn visit_leaf_run(&mut self, isa: I, is_of_b: bool, leaf: Leaf, others: &[Leaf]) -> ControlFlow<()>;
    /// [`PairVisitor::prefetch_b`] if `is_of_b`, else [`PairVisitor::prefetch_a`].
    fn prefetch(&self, isa: I, is_of_b: bool, leaf: Leaf);
}

impl<I: WideIsa, N: PairVisitor> AnyPairVisitor<I> for N {
    fn steering(&mut self) -> Steering {
        Steering { cutoff: self.cutoff(), direction: self.hint_direction() }
    }

    fn checks_each_pair(&self) -> bool {
        PairVisitor::checks_each_pair(self)
    }

    fn should_continue(&mut self, bound: f32, done: &Work) -> bool {
        PairVisitor::should_continue(self, bound, done)
    }

    fn accepts_any_order(&self) -> bool {
        PairVisitor::accepts_any_order(self)
    }

    fn visit_leaves(&mut self, isa: I, a: Leaf, b: Leaf) -> ControlFlow<(), Steering> {
        isa.enter(
            #[inline(always)]
            || {
                PairVisitor::visit_leaves(self, isa, a, b)?;
                ControlFlow::Continue(AnyPairVisitor::<I>::steering(self))
            },
        )
    }

    fn visit_leaf_run(&mut self, isa: I, is_of_b: bool, leaf: Leaf, others: &[Leaf]) -> ControlFlow<()> {
        isa.enter(
            #[inline(always)]
            || {
                for &other in others {
                    AnyPairVisitor::prefetch(self, isa, !is_of_b, other);
                }
                PairVisitor::visit_leaf_run(self, isa, is_of_b, leaf, others)
            },
        )
    }

    #[inline(always)]
    fn prefetch(&self, isa: I, is_of_b: bool, leaf: Leaf) {
        if is_of_b { self.prefetch_b(isa, leaf) } else { self.prefetch_a(isa, leaf) }
    }
}
