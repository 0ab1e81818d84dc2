//! The parts of a compound that may be near another shape, or on a ray, the nearest first.
//!
//! In: a placed compound, and a box or a ray. Out: parts with their poses, one by one; what is told of each narrows the search.
//! Method: a walk over the tree of the compound by squared gaps to the box of the other shape along its axes, or along the ray.
//! Guarantees: no part is left out that may be as near as was told last. Half-spaces, which have no box, are shown all parts.

use super::local_ray::{LocalRay, local_ray};
use crate::ray::Ray;
use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Bvh, Leaf, PointQuery, Visitor, Work, walk};
use heurt_geometry::{Aabb, Pose};
use heurt_shape::Compound;
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
    /// Shows the parts that may be within `reach` metres of a placed box.
    pub(crate) fn near_box(
        &self,
        bounds: &Aabb,
        pose: &Pose,
        reach: f64,
        mut visit: impl FnMut(u32, &Pose) -> Reach,
    ) -> Work {
        if !bounds.min.is_finite() || !bounds.max.is_finite() {
            for part in 0..self.compound.parts().len() as u32 {
                if visit(part, &self.compound.place(part, self.pose)).is_break() {
                    break;
                }
            }
            return Work::default();
        }
        let frame = self.compound.tree().frame();
        let back = self.pose.rotation().transpose();
        let (turn, half) = (back * *pose.rotation(), bounds.half_extents());
        let middle = back * (pose.place(bounds.centre()) - self.pose.translation()) - frame.centre();
        let largest =
            bounds.min.abs().max(bounds.max.abs()).max_element() + frame.reach() + pose.span() + self.pose.span();
        let room = largest * ((1.0 / (1u64 << 42) as f64) + 4.0 * (pose.defect() + self.pose.defect()));
        let half = turn.x_axis.abs() * half.x + turn.y_axis.abs() * half.y + turn.z_axis.abs() * half.z + room;
        let scale = frame.inverse_scale();
        let query = PointQuery::of_box(((middle - half) * scale).to_array(), ((middle + half) * scale).to_array());
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
