//! Volumes of two placed trees: what a walk over two trees needs to know of them.
//!
//! In: two trees and their relative pose. Out: links of nodes, bounds of gaps in doubled local units of A.
//! Method: the pairs of volumes that shapes walk by default implement [`VolumePair`] where they are walked. All other
//! pairs are walked as `dyn VolumePair`, so that one walk for each degree and instruction set serves them.
//! Guarantees: the same results and work for both. Cost: one indirect call for each test of `W` volumes.

use crate::frame::relative::RelativePose;
use crate::simd::{Lanes, LanesFor, WideIsa};
use crate::tree::bvh::{Bvh, Child, NodeRef};
use crate::volume::{BoundingVolume, PairGap};
use crate::walk::leaf_runs::overlap_masks;
use crate::walk::pair::enter_for;

/// One of the two trees of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TreeSide {
    A,
    B,
}

impl TreeSide {
    #[inline(always)]
    pub fn is_b(self) -> bool {
        self == Self::B
    }

    /// Returns the side of the second tree.
    #[inline(always)]
    pub fn opposite(self) -> Self {
        if self.is_b() { Self::A } else { Self::B }
    }
}

/// The volumes of two placed trees of degree `W`, under the instruction set `I`.
pub(crate) trait VolumePair<I: LanesFor<W>, const W: usize> {
    /// Returns the children of a node.
    fn children(&self, side: TreeSide, node: usize) -> &[Child; W];
    /// Prefetches a node.
    fn prefetch(&self, isa: I, side: TreeSide, node: usize);
    /// Adds a direction for gaps: see [`PairGap::set_hint_axis`].
    fn set_hint_axis(&mut self, isa: I, direction: [f32; 3]);
    /// Computes the bound of the gap of the two roots.
    fn bound_roots(&self, isa: I, cutoff: f32) -> f32;
    /// Computes the areas of the lanes of a node, in squared units of A.
    fn areas(&self, isa: I, side: TreeSide, node: usize) -> [f32; W];
    /// Computes the bounds of the gaps between the lanes of a node of the tree `opened` and a lane of the second tree.
    fn gaps(&self, isa: I, opened: TreeSide, node: usize, query: NodeRef, cutoff: f32) -> <I as LanesFor<W>>::F;
    /// Returns for each lane in the mask `lanes` of a node of the tree `opened` the mask of the lanes of the node
    /// `other` of the second tree that it meets: see [`PairGap::overlap_masks`].
    fn overlap_masks(&self, isa: I, opened: TreeSide, node: usize, lanes: u32, other: usize, cutoff: f32) -> [u32; W];
}

/// Two trees with their relative pose and the constants of their volumes.
pub(crate) struct PlacedTrees<'a, A: PairGap<B>, B: BoundingVolume, const W: usize> {
    a: &'a Bvh<A, W>,
    b: &'a Bvh<B, W>,
    pose: &'a RelativePose,
    relation: A::PairConstants,
}

impl<'a, A: PairGap<B>, B: BoundingVolume, const W: usize> PlacedTrees<'a, A, B, W> {
    #[inline(always)]
    pub fn new<I: WideIsa>(isa: I, a: &'a Bvh<A, W>, b: &'a Bvh<B, W>, pose: &'a RelativePose) -> Self {
        Self { a, b, pose, relation: pair_constants::<A, B, I>(isa, pose) }
    }
}

/// Computes [`PairGap::pair_constants`]. Not inlined: trees of all degrees share it.
#[inline(never)]
fn pair_constants<A: PairGap<B>, B: BoundingVolume, I: WideIsa>(isa: I, pose: &RelativePose) -> A::PairConstants {
    isa.enter(
        #[inline(always)]
        || A::pair_constants(isa, pose),
    )
}

impl<A, B, I, const W: usize> VolumePair<I, W> for PlacedTrees<'_, A, B, W>
where
    A: PairGap<B>,
    B: PairGap<A, PairConstants = A::PairConstants>,
    I: WideIsa + LanesFor<W>,
{
    #[inline(always)]
    fn children(&self, side: TreeSide, node: usize) -> &[Child; W] {
        match side {
            TreeSide::A => &self.a.nodes[node].children,
            TreeSide::B => &self.b.nodes[node].children,
        }
    }

    #[inline(always)]
    fn prefetch(&self, isa: I, side: TreeSide, node: usize) {
        match side {
            TreeSide::A => isa.prefetch(&self.a.nodes[node]),
            TreeSide::B => isa.prefetch(&self.b.nodes[node]),
        }
    }

    #[inline(always)]
    fn set_hint_axis(&mut self, isa: I, direction: [f32; 3]) {
        A::set_hint_axis(isa, &mut self.relation, self.pose, direction);
    }

    #[inline(always)]
    fn bound_roots(&self, isa: I, cutoff: f32) -> f32 {
        let (root_a, root_b) = (&self.a.nodes[0].volumes, &self.b.nodes[0].volumes);
        let view = self.pose.from_a();
        A::load(root_a, 0).gap::<W, I>(isa, view, &self.relation, root_b, cutoff).to_array()[0]
    }

    #[inline(always)]
    fn areas(&self, isa: I, side: TreeSide, node: usize) -> [f32; W] {
        let b_to_a = self.pose.b_in_a.ratio;
        match side {
            TreeSide::A => A::areas::<W, I>(isa, &self.a.nodes[node].volumes).to_array(),
            TreeSide::B => {
                let areas = B::areas::<W, I>(isa, &self.b.nodes[node].volumes);
                areas.mul(<I as LanesFor<W>>::F::splat(b_to_a * b_to_a)).to_array()
            }
        }
    }

    #[inline(always)]
    fn gaps(&self, isa: I, opened: TreeSide, node: usize, query: NodeRef, cutoff: f32) -> <I as LanesFor<W>>::F {
        let Self { a, b, pose, relation } = self;
        let (from, lane) = (query.node::<W>(), query.lane::<W>());
        match opened {
            TreeSide::B => {
                let volume = A::load(&a.nodes[from].volumes, lane);
                volume.gap::<W, I>(isa, pose.from_a(), relation, &b.nodes[node].volumes, cutoff)
            }
            TreeSide::A => {
                let volume = B::load(&b.nodes[from].volumes, lane);
                let cutoff = cutoff * pose.a_in_b.ratio;
                let gaps = volume.gap::<W, I>(isa, pose.from_b(), relation, &a.nodes[node].volumes, cutoff);
                gaps.mul(<I as LanesFor<W>>::F::splat(pose.b_in_a.ratio))
            }
        }
    }

    #[inline(always)]
    fn overlap_masks(&self, isa: I, opened: TreeSide, node: usize, lanes: u32, other: usize, cutoff: f32) -> [u32; W] {
        let Self { a, b, pose, relation } = self;
        match opened {
            TreeSide::A => {
                let query = (pose.from_a(), relation, cutoff);
                overlap_masks::<A, B, I, W>(isa, query, (&a.nodes[node].volumes, lanes), &b.nodes[other].volumes)
            }
            TreeSide::B => {
                let query = (pose.from_b(), relation, cutoff * pose.a_in_b.ratio);
                overlap_masks::<B, A, I, W>(isa, query, (&b.nodes[node].volumes, lanes), &a.nodes[other].volumes)
            }
        }
    }
}

/// Two placed trees as [`VolumePair`] objects: each test enters the instruction set by itself.
pub(crate) struct EnteredTrees<'a, A: PairGap<B>, B: BoundingVolume, const W: usize>(pub PlacedTrees<'a, A, B, W>);

impl<A, B, I, const W: usize> VolumePair<I, W> for EnteredTrees<'_, A, B, W>
where
    A: PairGap<B>,
    B: PairGap<A, PairConstants = A::PairConstants>,
    I: WideIsa + LanesFor<W>,
{
    fn children(&self, side: TreeSide, node: usize) -> &[Child; W] {
        VolumePair::<I, W>::children(&self.0, side, node)
    }

    fn prefetch(&self, isa: I, side: TreeSide, node: usize) {
        VolumePair::<I, W>::prefetch(&self.0, isa, side, node);
    }

    fn set_hint_axis(&mut self, isa: I, direction: [f32; 3]) {
        isa.enter(
            #[inline(always)]
            || VolumePair::<I, W>::set_hint_axis(&mut self.0, isa, direction),
        );
    }

    fn bound_roots(&self, isa: I, cutoff: f32) -> f32 {
        isa.enter(
            #[inline(always)]
            || VolumePair::<I, W>::bound_roots(&self.0, isa, cutoff),
        )
    }

    fn areas(&self, isa: I, side: TreeSide, node: usize) -> [f32; W] {
        isa.enter(
            #[inline(always)]
            || VolumePair::<I, W>::areas(&self.0, isa, side, node),
        )
    }

    fn gaps(&self, isa: I, opened: TreeSide, node: usize, query: NodeRef, cutoff: f32) -> <I as LanesFor<W>>::F {
        enter_for::<A, B, I, W, _>(
            isa,
            #[inline(always)]
            || VolumePair::<I, W>::gaps(&self.0, isa, opened, node, query, cutoff),
        )
    }

    fn overlap_masks(&self, isa: I, opened: TreeSide, node: usize, lanes: u32, other: usize, cutoff: f32) -> [u32; W] {
        VolumePair::<I, W>::overlap_masks(&self.0, isa, opened, node, lanes, other, cutoff)
    }
}
