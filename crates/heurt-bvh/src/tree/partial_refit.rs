//! Refits of what matters: volumes fitted again where something is near, elsewhere grown by how far points went.
//!
//! In: points before a step (those of the tree) and after it, boxes of interest. Out: volumes that hold everything,
//! those of leaves that come near a box as tight as after a full refit.
//! Method: S2 §7: boxes made larger by Δl = V_max·Δt hold what moves for a step. Growing all of them is one sum a
//! corner, where fitting them (S2 §6.3) reads all points of all leaves. The frame goes along with the middle of all
//! ways, so that only what ways differ by makes boxes larger: a body that glides along costs nothing.
//! Guarantees: every volume holds its primitives, whatever is asked next; which boxes are given changes times, never
//! answers. Cost: reading the points, 5 ns a node, and a refit of what is near.

use crate::frame::tree_frame::TreeFrame;
use crate::simd::{Avx2, Kernel, Lanes, LanesFor, Point, WideIsa, dispatch};
use crate::tree::bvh::{Bvh, BvhError, Child};
use crate::tree::refit::{LeafBoxes, Listed};
use crate::tree::source::{PrimitiveSource, check_boxes, check_points};
use crate::volume::{Aabb32, BoundingVolume, Query};
use heurt_geometry::{Aabb, Vec3};

/// What became of a tree whose points have moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartialRefit {
    /// The box of all points.
    pub bounds: Aabb,
    /// By how much volumes that were not fitted again have grown on each side at most, in metres; zero where all were
    /// fitted.
    pub grown: f64,
}

/// What rounding a sum of local coordinates may take off, with room.
const ROUNDED: f32 = 4.0 / (1u32 << 24) as f32;

impl<const W: usize> Bvh<Aabb32, W>
where
    Avx2: LanesFor<W>,
{
    /// [`Bvh::move_points`], from where points were `before`, fitting only volumes that come near one of the boxes
    /// `near`, which are in the frame of the primitives; others grow. Where they would grow by more than `room`, in
    /// metres, all are fitted.
    ///
    /// `before` has to be the points that the tree was built over or refitted to last, whichever came later. Nothing
    /// checks that: the tree keeps no points, and volumes grow by the ways from there, so that with other points they
    /// may not hold their primitives.
    ///
    /// # Errors
    /// As [`Bvh::refit`]; [`BvhError::CountChanged`] also for another number of points; [`BvhError::BadBox`] for a box
    /// with a corner that is NaN. The tree is then as before.
    pub fn refit_near(
        &mut self,
        source: &impl PrimitiveSource,
        before: &[Vec3],
        near: &[Aabb],
        room: f64,
    ) -> Result<PartialRefit, BvhError> {
        let points = source.points();
        if before.len() != points.len() {
            return Err(BvhError::CountChanged { tree: before.len(), source_len: points.len() });
        }
        if source.len() != self.count {
            return Err(BvhError::CountChanged { tree: self.count, source_len: source.len() });
        }
        check_points(points)?;
        check_boxes(near)?;
        let Moved { ways, bounds } = dispatch::<8, _>(Look { before, after: points });
        let frame = self.frame.moved(ways.centre());
        // Roundings of the ways, of their middle and of the frame.
        let rounded = (frame.centre().abs() + ways.centre().abs()).max_element() * (1.0 / (1u64 << 50) as f64);
        let by = ways.half_extents() + rounded;
        let is_listed = self.points.as_ref().is_some_and(|list| list.count == points.len());
        let grown = by.max_element() + f64::from(ROUNDED) * frame.scale();
        // What is no number is too much.
        let is_little = grown <= room;
        if !is_little || !is_listed {
            self.move_points(source)?;
            return Ok(PartialRefit { bounds, grown: 0.0 });
        }
        self.frame = frame;
        let by32 = (by * frame.inverse_scale()).to_array().map(|by| by as f32 + ROUNDED);
        dispatch(GrowKernel { tree: self, by: by32 });
        let root = self.root_volume();
        let near = near.iter().map(|near| Aabb32::in_frame(&frame, near));
        let near: Vec<Aabb32> = near.filter(|near| near.gap(&root) <= 0.0).collect();
        if let Some(of_leaves) = self.points.take() {
            let leaves = Listed { points, of_leaves: &of_leaves };
            dispatch(Tighten { tree: self, leaves: &leaves, near: &near });
            self.points = Some(of_leaves);
        }
        let root = self.root_volume().to_box();
        if !TreeFrame::suits(&root) {
            self.move_points(source)?;
            return Ok(PartialRefit { bounds, grown: 0.0 });
        }
        self.frame = frame.around_local(&root);
        Ok(PartialRefit { bounds, grown })
    }

    /// At most `most` boxes, but at least one for each child of the root, that together hold everything, in the frame
    /// of the primitives: the largest ones are opened first.
    pub fn cover(&self, most: usize) -> Vec<Aabb> {
        let lanes = |node: usize| {
            let node = &self.nodes[node];
            let used = node.children.iter().enumerate().filter(|(_, child)| **child != Child::NONE);
            used.map(|(lane, &child)| (Aabb32::load(&node.volumes, lane), child)).collect::<Vec<_>>()
        };
        let mut cover = lanes(0);
        // Each turn opens a volume.
        for _ in 0..most {
            let inner = cover.iter().enumerate().filter(|(_, (_, child))| !child.is_leaf());
            let Some(largest) = inner.max_by(|x, y| x.1.0.half_area().total_cmp(&y.1.0.half_area())).map(|(k, _)| k)
            else {
                break;
            };
            let opened = lanes(cover[largest].1.index());
            if cover.len() - 1 + opened.len() > most {
                break;
            }
            cover.swap_remove(largest);
            cover.extend(opened);
        }
        let (centre, scale) = (self.frame.centre(), self.frame.scale());
        let wide = |corner: [f32; 3]| Vec3::from_array(corner.map(f64::from)) * scale + centre;
        // The sum is rounded.
        let room = Vec3::splat(self.frame.reach() * (2.0 * f64::EPSILON));
        cover
            .into_iter()
            .map(|(volume, _)| Aabb { min: wide(volume.min) - room, max: wide(volume.max) + room })
            .collect()
    }
}

/// What points did in a step.
struct Moved {
    /// The box of their ways.
    ways: Aabb,
    /// The box of where they are.
    bounds: Aabb,
}

struct Look<'a> {
    before: &'a [Vec3],
    after: &'a [Vec3],
}

impl Kernel for Look<'_> {
    type Output = Moved;

    #[inline(always)]
    fn run<I: WideIsa>(self, _isa: I) -> Moved {
        let none = (I::Point::splat(f64::INFINITY), I::Point::splat(f64::NEG_INFINITY));
        let ((mut nearest, mut farthest), (mut low, mut high)) = (none, none);
        for (before, after) in self.before.iter().zip(self.after) {
            let after = I::Point::load(after.as_ref());
            let way = after.sub(I::Point::load(before.as_ref()));
            (nearest, farthest) = (way.min(nearest), way.max(farthest));
            (low, high) = (after.min(low), after.max(high));
        }
        let wide = |low: I::Point, high: I::Point| Aabb { min: low.to_array().into(), max: high.to_array().into() };
        Moved { ways: wide(nearest, farthest), bounds: wide(low, high) }
    }
}

/// Makes all boxes larger by so much on each side.
struct GrowKernel<'a, const W: usize> {
    tree: &'a mut Bvh<Aabb32, W>,
    by: [f32; 3],
}

impl<const W: usize> Kernel<W> for GrowKernel<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<W>>(self, _isa: I) {
        type F<const W: usize, I> = <I as LanesFor<W>>::F;
        for node in &mut self.tree.nodes {
            let mut axis = 0;
            while axis < 3 {
                let by = F::<W, I>::splat(self.by[axis]);
                let (min, max) = (&mut node.volumes.min[axis], &mut node.volumes.max[axis]);
                *min = F::<W, I>::load(min).sub(by).to_array();
                *max = F::<W, I>::load(max).add(by).to_array();
                axis += 1;
            }
        }
    }
}

/// Fits what meets one of the boxes.
struct Tighten<'a, L, const W: usize> {
    tree: &'a mut Bvh<Aabb32, W>,
    leaves: &'a L,
    near: &'a [Aabb32],
}

impl<L: LeafBoxes, const W: usize> Kernel<W> for Tighten<'_, L, W> {
    type Output = ();

    /// From the root down to the leaves, then up.
    #[inline(always)]
    fn run<I: WideIsa + LanesFor<W>>(self, isa: I) {
        let Self { tree, leaves, near } = self;
        let mut opened = Vec::with_capacity(64);
        opened.push(0u32);
        let mut next = 0;
        while next < opened.len() {
            let node = &mut tree.nodes[opened[next] as usize];
            next += 1;
            let mut meeting = 0;
            for box_ in near {
                let gap = Query::<Aabb32>::bound::<W, I>(box_, isa, &node.volumes);
                meeting |= !gap.gt(<I as LanesFor<W>>::F::splat(0.0)).bits();
            }
            let mut lane = 0;
            while lane < W && node.children[lane] != Child::NONE {
                let child = node.children[lane];
                if meeting >> lane & 1 != 0 {
                    if child.is_leaf() {
                        let leaf = child.as_leaf();
                        let box_ = leaves.box_of(isa, &tree.frame, leaf, &tree.order[leaf.range(tree.leaf_size)]);
                        box_.store(&mut node.volumes, lane);
                    } else {
                        opened.push(child.index() as u32);
                    }
                }
                lane += 1;
            }
        }
        for &index in opened.iter().rev() {
            if index > 0 {
                tree.merge_into_parent(index as usize);
            }
        }
    }
}
