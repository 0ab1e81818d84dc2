//! The parts of a compound that may be near another shape, or on a ray, the nearest first.
//!
//! In: a placed compound, and another shape, a box or a ray. Out: parts with their poses, one by one, of two compounds in pairs; what
//! is told of each narrows the search.
//! Method: a walk over the tree of the compound by squared gaps to the box of the other shape along its axes, by heights over a
//! half-space, or along the ray; over both trees of two compounds, the least gap first.
//! Guarantees: no part is left out that may be as near as was told last.

use super::half_space::Heights;
use super::local_ray::{LocalRay, local_ray};
use crate::ray::Ray;
use heurt_bvh::relative::{Composed, RelativePose};
use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Bvh, Leaf, PairVisitor, PointQuery, TreeFrame, Visitor, Work, walk, walk_pair_best_first};
use heurt_geometry::{Aabb, Pose};
use heurt_shape::{Compound, ShapeRef};
use std::ops::ControlFlow;

/// A placed compound.
#[derive(Clone, Copy)]
pub(crate) struct PlacedCompound<'a> {
    pub compound: &'a Compound,
    pub pose: &'a Pose,
}

/// What a visit says: how far off or along the ray others may still be, or that it is enough.
pub(crate) type Reach = ControlFlow<(), f64>;

impl PlacedCompound<'_> {
    /// Shows the parts that may be within `reach` metres of a placed shape.
    pub(crate) fn near(
        &self,
        (shape, pose): (ShapeRef<'_>, &Pose),
        reach: f64,
        mut visit: impl FnMut(u32, &Pose) -> Reach,
    ) -> Work {
        let tree = self.compound.tree();
        if let ShapeRef::Convex(convex) = shape
            && let Some(heights) = Heights::over(convex, pose, tree.frame(), self.pose)
        {
            let cutoff = |reach: f64| heights.cutoff(reach + heights.margin);
            let visit = |part: u32| visit(part, &self.compound.place(part, self.pose)).map_continue(cutoff);
            return walk(tree, &heights, &mut Parts { tree, cutoff: cutoff(reach), visit });
        }
        self.near_box(&shape.bounds(), pose, reach, visit)
    }

    /// Shows the pairs of parts of two compounds that may be within `reach` metres of each other.
    pub(crate) fn near_pairs(
        &self,
        other: &PlacedCompound<'_>,
        reach: f64,
        mut visit: impl FnMut([u32; 2], [&Pose; 2]) -> Reach,
    ) -> Work {
        let trees = [self.compound.tree(), other.compound.tree()];
        let [frame_a, frame_b] = trees.map(Bvh::frame);
        let composed = Composed::new(frame_a, self.pose, frame_b, other.pose);
        let relative = RelativePose::of(&composed, frame_a, frame_b);
        let to_local = frame_a.inverse_scale() * (1.0 + 8.0 * composed.defect);
        // Gaps are told doubled.
        let cutoff = |metres: f64| 2.0 * ((metres * to_local * (1.0 + 1e-6)) as f32 + 1e-37);
        let visit = |parts: [u32; 2]| {
            let poses = [self.compound.place(parts[0], self.pose), other.compound.place(parts[1], other.pose)];
            visit(parts, [&poses[0], &poses[1]]).map_continue(cutoff)
        };
        walk_pair_best_first(trees[0], trees[1], &relative, &mut Pairs { trees, cutoff: cutoff(reach), visit })
    }

    /// Shows the parts that may be within `reach` metres of a placed box.
    pub(crate) fn near_box(
        &self,
        bounds: &Aabb,
        pose: &Pose,
        reach: f64,
        mut visit: impl FnMut(u32, &Pose) -> Reach,
    ) -> Work {
        let (query, scale) = box_query(self.compound.tree().frame(), self.pose, bounds, pose);
        let cutoff = |metres: f64| {
            let local = metres * scale;
            (local * local * (1.0 + 1e-6)) as f32 + 1e-37
        };
        let visit = |part: u32| visit(part, &self.compound.place(part, self.pose)).map_continue(cutoff);
        let mut parts = Parts { tree: self.compound.tree(), cutoff: cutoff(reach), visit };
        walk(self.compound.tree(), &query, &mut parts)
    }

    /// Shows the parts that a ray of normalised direction may meet.
    pub(crate) fn on_ray(&self, ray: &Ray, mut visit: impl FnMut(u32, &Pose) -> Reach) -> Work {
        let tree = self.compound.tree();
        let Some(local) = local_ray(tree.frame(), self.pose, ray.origin, ray.direction, ray.max_distance, 0.0) else {
            return Work::default();
        };
        let visit =
            |part: u32| visit(part, &self.compound.place(part, self.pose)).map_continue(|t| cutoff_along(&local, t));
        let mut parts = Parts { tree, cutoff: f32::MAX, visit };
        walk(tree, &local.query, &mut parts)
    }
}

/// The box along the axes of a placed tree about a placed box, in its local units, and how many of these are in a metre.
pub(crate) fn box_query(frame: &TreeFrame, at: &Pose, bounds: &Aabb, pose: &Pose) -> (PointQuery, f64) {
    let back = at.rotation().transpose();
    let (turn, half) = (back * *pose.rotation(), bounds.half_extents());
    let middle = back * (pose.place(bounds.centre()) - at.translation()) - frame.centre();
    let largest = bounds.min.abs().max(bounds.max.abs()).max_element() + frame.reach() + pose.span() + at.span();
    let room = largest * ((1.0 / (1u64 << 42) as f64) + 4.0 * (pose.defect() + at.defect()));
    let half = turn.x_axis.abs() * half.x + turn.y_axis.abs() * half.y + turn.z_axis.abs() * half.z + room;
    let scale = frame.inverse_scale();
    (PointQuery::of_box(((middle - half) * scale).to_array(), ((middle + half) * scale).to_array()), scale)
}

/// A little above where a ray is at `t`, in local parameters.
pub(crate) fn cutoff_along(local: &LocalRay, t: f64) -> f32 {
    let along = (t - local.start) / local.scale;
    (along + along.abs() * 1e-6) as f32 + local.slack + 1e-6
}

struct Parts<'a, F> {
    tree: &'a Bvh<heurt_bvh::Aabb32, 8>,
    cutoff: f32,
    visit: F,
}

impl<F: FnMut(u32) -> ControlFlow<(), f32>> Visitor for Parts<'_, F> {
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    fn leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        for &part in self.tree.primitives(leaf) {
            match (self.visit)(part) {
                ControlFlow::Continue(cutoff) => self.cutoff = self.cutoff.min(cutoff),
                ControlFlow::Break(()) => return ControlFlow::Break(()),
            }
        }
        ControlFlow::Continue(())
    }
}

struct Pairs<'a, F> {
    trees: [&'a Bvh<heurt_bvh::Aabb32, 8>; 2],
    cutoff: f32,
    visit: F,
}

impl<F: FnMut([u32; 2]) -> ControlFlow<(), f32>> PairVisitor for Pairs<'_, F> {
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    fn leaves<I: WideIsa>(&mut self, _isa: I, a: Leaf, b: Leaf) -> ControlFlow<()> {
        for &i in self.trees[0].primitives(a) {
            for &j in self.trees[1].primitives(b) {
                match (self.visit)([i, j]) {
                    ControlFlow::Continue(cutoff) => self.cutoff = self.cutoff.min(cutoff),
                    ControlFlow::Break(()) => return ControlFlow::Break(()),
                }
            }
        }
        ControlFlow::Continue(())
    }
}
