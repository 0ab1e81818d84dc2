//! Partial refit: refits the volumes near boxes of interest, and grows all other volumes by the displacement of the
//! points.
//!
//! In: points before a step (the points of the tree) and after it, boxes of interest. Out: volumes that hold their
//! primitives; leaves near a box are as tight as after a full refit.
//! Method: S2 §7: boxes grown by Δl = V_max·Δt hold their moving points for a step. Growing a box costs one sum a
//! corner; fitting (S2 §6.3) reads all points of all leaves. The frame is translated by the centre of the box of all
//! displacements, and boxes grow only by the deviation from it. A rigid translation therefore grows nothing.
//! Guarantees: every volume holds its primitives for any later query; the given boxes change times, never answers.
//! Cost: reading the points, 5 ns a node, and a refit of the volumes near the boxes.

use crate::frame::tree_frame::TreeFrame;
use crate::simd::{HasLanes, Kernel, Lanes, LanesFor, Machine, Point, WideIsa, dispatch};
use crate::tree::bvh::{Bvh, BvhError, Child};
use crate::tree::refit::{LeafBoxes, Listed};
use crate::tree::source::{PrimitiveSource, check_boxes, check_points};
use crate::volume::{Aabb32, BoundingVolume, Query};
use heurt_geometry::{Aabb, Vec3};

/// Result of a partial refit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartialRefit {
    /// The box of all points.
    pub bounds: Aabb,
    /// Maximum growth on each side of volumes that were not refitted, in metres; zero if all were refitted.
    pub grown: f64,
}

/// Bound, with a safety margin, of the rounding of a sum of local coordinates.
const ROUNDED: f32 = 4.0 / (1u32 << 24) as f32;

impl<const W: usize> Bvh<Aabb32, W>
where
    Machine: HasLanes<W>,
{
    /// Performs [`Bvh::move_points`] from the points `before`, but refits only volumes near one of the boxes `near`,
    /// which are in the frame of the primitives. All other volumes grow. If they would grow by more than `room` metres,
    /// all volumes are refitted.
    ///
    /// `before` must be the points at the last build or refit of the tree, whichever came later. This is not checked,
    /// because the tree keeps no points. Volumes grow by the displacements from there, so with other points they may
    /// not hold their primitives.
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
        let Moved { offsets, bounds } = dispatch::<8, _>(Look { before, after: points });
        let frame = self.frame.moved(offsets.centre());
        // Roundings of the displacements, of their centre and of the frame.
        let rounded = (frame.centre().abs() + offsets.centre().abs()).max_element() * (1.0 / (1u64 << 50) as f64);
        let by = offsets.half_extents() + rounded;
        let is_listed = self.points.as_ref().is_some_and(|list| list.count == points.len());
        let grown = by.max_element() + f64::from(ROUNDED) * frame.scale();
        // `NaN` counts as too much growth.
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

    /// Returns at most `most` boxes, but at least one for each child of the root, that together hold all primitives, in
    /// the frame of the primitives. The largest volumes are opened first.
    ///
    /// ```
    /// use heurt_bvh::{Aabb32, Boxes, Bvh};
    /// use heurt_geometry::{Aabb, Vec3};
    /// let row = |shift: Vec3| {
    ///     Boxes::new((0..100).map(|k| Vec3::X * f64::from(2 * k) + shift).map(|min| Aabb { min, max: min + 1.0 }))
    /// };
    /// let boxes = Bvh::<Aabb32, 8>::new(&row(Vec3::ZERO))?.cover(16);
    /// assert!(boxes.len() <= 16);
    /// let all = boxes.into_iter().reduce(|a, b| a.union(b)).ok_or("at least one box")?;
    /// assert!(all.min.x <= 0.0 && all.max.x >= 199.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cover(&self, most: usize) -> Vec<Aabb> {
        let lanes = |node: usize| {
            let node = &self.nodes[node];
            let used = node.children.iter().enumerate().filter(|(_, child)| **child != Child::NONE);
            used.map(|(lane, &child)| (Aabb32::load(&node.volumes, lane), child)).collect::<Vec<_>>()
        };
        let mut cover = lanes(0);
        // Each iteration opens a volume.
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
        let room = Vec3::splat(self.frame.max_coordinate() * (2.0 * f64::EPSILON));
        cover
            .into_iter()
            .map(|(volume, _)| Aabb { min: wide(volume.min) - room, max: wide(volume.max) + room })
            .collect()
    }
}

/// Displacements and positions of the points in a step.
struct Moved {
    /// The box of the displacements.
    offsets: Aabb,
    /// The box of the new positions.
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
            let direction = after.sub(I::Point::load(before.as_ref()));
            (nearest, farthest) = (direction.min(nearest), direction.max(farthest));
            (low, high) = (after.min(low), after.max(high));
        }
        let wide = |low: I::Point, high: I::Point| Aabb { min: low.to_array().into(), max: high.to_array().into() };
        Moved { offsets: wide(nearest, farthest), bounds: wide(low, high) }
    }
}

/// Grows all boxes by `by` on each side.
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

/// Refits the volumes that meet one of the boxes.
struct Tighten<'a, L, const W: usize> {
    tree: &'a mut Bvh<Aabb32, W>,
    leaves: &'a L,
    near: &'a [Aabb32],
}

impl<L: LeafBoxes, const W: usize> Kernel<W> for Tighten<'_, L, W> {
    type Output = ();

    /// Descends from the root to the leaves, then merges upwards.
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
                let gap = Query::<Aabb32>::lower_bound::<W, I>(box_, isa, &node.volumes);
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
