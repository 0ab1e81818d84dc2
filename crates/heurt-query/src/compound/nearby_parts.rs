//! The parts of a compound that may be near another shape, or on a ray, the nearest first.
//!
//! In: a placed compound, and another shape, a box or a ray. Out: parts with their poses, one by one, of two compounds
//! in pairs; what is reported for each narrows the search. The work counts the walk only: the caller counts its
//! queries of the parts.
//! Method: a walk over the tree of the compound by squared gaps to the box of the second shape along its axes, by
//! heights over a half-space, or along the ray; over both trees of two compounds, the least gap first.
//! Guarantees: no part is left out that may be as near as was reported last.

use crate::answer::budget::WorkMeter;
use crate::answer::placed::{Placed, PlacedShape};
use crate::answer::ray::Ray;
use crate::convex::half_space::HullHeights;
use crate::mesh::walk::local_ray::{LocalRay, local_ray};
use heurt_bvh::relative::{RelativeFrame, RelativePose};
use heurt_bvh::simd::WideIsa;
use heurt_bvh::{
    Aabb32, Bvh, Leaf, PairVisitor, PointQuery, TreeFrame, Visitor, Work, cutoff, walk, walk_pair_best_first,
};
use heurt_geometry::{Aabb, Pose};
use heurt_shape::{Compound, ShapeRef};
use std::ops::ControlFlow;

/// A placed compound.
pub(crate) type PlacedCompound<'a> = Placed<'a, &'a Compound>;

/// A part of a compound where it is placed, or a whole shape that is no compound.
#[derive(Clone, Copy)]
pub(crate) struct PlacedPart<'a> {
    pub placed: PlacedShape<'a>,
    /// The number of its first primitive among those of the compound.
    pub first_primitive: u32,
}

impl<'a> PlacedPart<'a> {
    /// Takes a part of a compound, placed at `pose`.
    #[inline(always)]
    fn of(compound: &'a Compound, number: u32, pose: &'a Pose) -> Self {
        let part = &compound.parts()[number as usize];
        Self { placed: Placed::new((&part.shape).into(), pose), first_primitive: part.first }
    }

    /// Takes a shape that is no compound as the only part.
    #[inline(always)]
    fn whole(placed: PlacedShape<'a>) -> Self {
        Self { placed, first_primitive: 0 }
    }
}

/// The result of a visit: how far off or along the ray further parts may be, or that it is enough.
pub(crate) type VisitResult = ControlFlow<(), f64>;

/// Visits pairs of parts, one of a compound and one of any other shape, within the budget. Pairs that are provably
/// farther from each other than `reach` metres are left out; each pair comes with a lower bound of its distance. If the
/// budget ends the visit, returns a lower bound of the distances of the pairs that were not visited, in metres.
pub(crate) fn visit_pairs(
    a: PlacedCompound<'_>,
    b: PlacedShape<'_>,
    reach: f64,
    meter: &WorkMeter<'_>,
    mut visit: impl FnMut([PlacedPart<'_>; 2], f64) -> VisitResult,
) -> Option<f64> {
    match b.shape {
        ShapeRef::Compound(of_b) => a.visit_nearby_pairs(b.with(of_b), reach, meter, visit),
        _ => a.near(b, reach, meter, |part, at_least| visit([part, PlacedPart::whole(b)], at_least)),
    }
}

impl PlacedCompound<'_> {
    /// Visits the parts that may be within `reach` metres of a placed shape, each with how far it provably is; as long
    /// as there is something to spend. Then what was not shown is no nearer than what is reported, in metres.
    pub(crate) fn near(
        &self,
        Placed { shape, pose }: PlacedShape<'_>,
        reach: f64,
        meter: &WorkMeter<'_>,
        mut visit: impl FnMut(PlacedPart<'_>, f64) -> VisitResult,
    ) -> Option<f64> {
        let tree = self.shape.tree();
        let visit = |part: u32, at_least: f64| {
            visit(PlacedPart::of(self.shape, part, &self.shape.place(part, self.pose)), at_least)
        };
        if let ShapeRef::Convex(convex) = shape
            && let Some(heights) = HullHeights::over(convex, pose, tree.frame(), self.pose)
        {
            let cutoff = |metres: f64| heights.cutoff(metres + heights.margin);
            let metres = |bound: f32| heights.at_least(bound) - heights.margin;
            let mut parts = PartVisitor::new(meter, reach, cutoff, metres, visit);
            let work = walk(tree, &heights, &mut Parts { tree, showing: &mut parts });
            return parts.ended(work);
        }
        let (query, scale) = box_query(tree.frame(), self.pose, &shape.bounds(), pose);
        let cutoff = |metres: f64| cutoff::squared(metres, scale);
        let metres = |bound: f32| f64::from(bound.max(0.0)).sqrt() / scale * (1.0 - 1e-6);
        let mut parts = PartVisitor::new(meter, reach, cutoff, metres, visit);
        let work = walk(tree, &query, &mut Parts { tree, showing: &mut parts });
        parts.ended(work)
    }

    /// Visits the pairs of parts of two compounds that may be within `reach` metres of each other, as [`Self::near`]
    /// does.
    fn visit_nearby_pairs(
        &self,
        other: PlacedCompound<'_>,
        reach: f64,
        meter: &WorkMeter<'_>,
        mut visit: impl FnMut([PlacedPart<'_>; 2], f64) -> VisitResult,
    ) -> Option<f64> {
        let trees = [self.shape.tree(), other.shape.tree()];
        let [frame_a, frame_b] = trees.map(Bvh::frame);
        let composed = RelativeFrame::new(frame_a, self.pose, frame_b, other.pose);
        let relative = RelativePose::of(&composed, frame_a, frame_b);
        let to_local = frame_a.inverse_scale() * (1.0 + 8.0 * composed.defect);
        // Gaps are reported doubled.
        let cutoff = |metres: f64| cutoff::doubled(metres, to_local);
        let metres = |bound: f32| f64::from(bound) / (2.0 * to_local) * (1.0 - 1e-6);
        let visit = |parts: [u32; 2], at_least: f64| {
            let poses = [self.shape.place(parts[0], self.pose), other.shape.place(parts[1], other.pose)];
            let [on_a, on_b] =
                [PlacedPart::of(self.shape, parts[0], &poses[0]), PlacedPart::of(other.shape, parts[1], &poses[1])];
            visit([on_a, on_b], at_least)
        };
        let mut pairs = PartVisitor::new(meter, reach, cutoff, metres, visit);
        let work = walk_pair_best_first(trees[0], trees[1], &relative, &mut Pairs { trees, showing: &mut pairs });
        pairs.ended(work)
    }

    /// Visits the parts that may be within `reach` metres of a placed box.
    pub(crate) fn near_box(
        &self,
        bounds: &Aabb,
        pose: &Pose,
        reach: f64,
        mut visit: impl FnMut(PlacedPart<'_>) -> VisitResult,
    ) -> Work {
        let tree = self.shape.tree();
        let (query, scale) = box_query(tree.frame(), self.pose, bounds, pose);
        let cutoff = |metres: f64| cutoff::squared(metres, scale);
        let visit = |part: u32| {
            visit(PlacedPart::of(self.shape, part, &self.shape.place(part, self.pose))).map_continue(cutoff)
        };
        volumes(walk(tree, &query, &mut OneByOne { tree, cutoff: cutoff(reach), visit }))
    }

    /// Visits the parts that a ray of normalised direction may meet.
    pub(crate) fn on_ray(&self, ray: &Ray, mut visit: impl FnMut(PlacedPart<'_>) -> VisitResult) -> Work {
        let tree = self.shape.tree();
        let Some(local) = local_ray(tree.frame(), self.pose, ray.origin, ray.direction, ray.max_t, 0.0) else {
            return Work::default();
        };
        let visit = |part: u32| {
            let pose = self.shape.place(part, self.pose);
            visit(PlacedPart::of(self.shape, part, &pose)).map_continue(|t| cutoff_along(&local, t))
        };
        volumes(walk(tree, &local.query, &mut OneByOne { tree, cutoff: f32::MAX, visit }))
    }
}

/// The work of the walk itself.
fn volumes(work: Work) -> Work {
    Work { primitives: 0, ..work }
}

/// The box along the axes of a placed tree around a placed box, in its local units, and how many of these are in a
/// metre.
pub(crate) fn box_query(frame: &TreeFrame, at: &Pose, bounds: &Aabb, pose: &Pose) -> (PointQuery, f64) {
    let back = at.rotation().transpose();
    let (turn, half) = (back * *pose.rotation(), bounds.half_extents());
    let middle = back * (pose.place(bounds.centre()) - at.translation()) - frame.centre();
    let largest = bounds.min.abs().max(bounds.max.abs()).max_element()
        + frame.max_coordinate()
        + pose.max_translation()
        + at.max_translation();
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

/// Parts that are visited without a budget.
struct OneByOne<'a, F> {
    tree: &'a Bvh<Aabb32, 8>,
    cutoff: f32,
    visit: F,
}

impl<F: FnMut(u32) -> ControlFlow<(), f32>> Visitor for OneByOne<'_, F> {
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        for &part in self.tree.primitives(leaf) {
            match (self.visit)(part) {
                ControlFlow::Continue(cutoff) => self.cutoff = self.cutoff.min(cutoff),
                ControlFlow::Break(()) => return ControlFlow::Break(()),
            }
        }
        ControlFlow::Continue(())
    }
}

/// A walk that visits parts, or pairs of them, as long as there is something to spend.
struct PartVisitor<'a, C, M, F> {
    meter: &'a WorkMeter<'a>,
    /// Bounds above this are of no interest.
    reach: f32,
    /// Conversions of metres to bounds, and back.
    cutoff: C,
    metres: M,
    visit: F,
    /// The bound of the current part, in metres.
    at: f64,
    /// The bound of the parts left out, if there are any.
    left: Option<f64>,
    /// The work of the walk that is counted already, so that queries of the parts see it.
    counted: u64,
}

impl<'a, C: Fn(f64) -> f32, M: Fn(f32) -> f64, F> PartVisitor<'a, C, M, F> {
    fn new(meter: &'a WorkMeter<'a>, reach: f64, cutoff: C, metres: M, visit: F) -> Self {
        Self { meter, reach: cutoff(reach), cutoff, metres, visit, at: 0.0, left: None, counted: 0 }
    }

    fn should_continue(&mut self, bound: f32, done: &Work) -> bool {
        self.at = (self.metres)(bound);
        self.count(done);
        !self.meter.is_exhausted()
    }

    fn count(&mut self, done: &Work) {
        self.meter.add(Work { volumes: done.volumes - self.counted, ..Work::default() });
        self.counted = done.volumes;
    }

    fn on_interrupted(&mut self, bound: f32) {
        self.left = Some((self.metres)(bound));
    }

    fn show<T>(&mut self, what: T) -> ControlFlow<()>
    where
        F: FnMut(T, f64) -> VisitResult,
    {
        match (self.visit)(what, self.at) {
            ControlFlow::Continue(metres) => {
                self.reach = self.reach.min((self.cutoff)(metres));
                ControlFlow::Continue(())
            }
            ControlFlow::Break(()) => ControlFlow::Break(()),
        }
    }

    /// After a walk that did so much.
    fn ended(mut self, work: Work) -> Option<f64> {
        self.count(&work);
        self.meter.add(Work { updates: work.updates, ..Work::default() });
        self.left
    }
}

struct Parts<'x, 'a, C, M, F> {
    tree: &'a Bvh<Aabb32, 8>,
    showing: &'x mut PartVisitor<'a, C, M, F>,
}

impl<C: Fn(f64) -> f32, M: Fn(f32) -> f64, F: FnMut(u32, f64) -> VisitResult> Visitor for Parts<'_, '_, C, M, F> {
    fn cutoff(&self) -> f32 {
        self.showing.reach
    }

    fn should_continue(&mut self, bound: f32, done: &Work) -> bool {
        self.showing.should_continue(bound, done)
    }

    fn on_interrupted(&mut self, bound: f32) {
        self.showing.on_interrupted(bound);
    }

    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        self.tree.primitives(leaf).iter().try_for_each(|&part| self.showing.show(part))
    }
}

struct Pairs<'x, 'a, C, M, F> {
    trees: [&'a Bvh<Aabb32, 8>; 2],
    showing: &'x mut PartVisitor<'a, C, M, F>,
}

impl<C: Fn(f64) -> f32, M: Fn(f32) -> f64, F: FnMut([u32; 2], f64) -> VisitResult> PairVisitor
    for Pairs<'_, '_, C, M, F>
{
    fn cutoff(&self) -> f32 {
        self.showing.reach
    }

    /// Nothing that is left is nearer.
    fn should_continue(&mut self, bound: f32, done: &Work) -> bool {
        let should_continue = self.showing.should_continue(bound, done);
        if !should_continue {
            self.showing.on_interrupted(bound);
        }
        should_continue
    }

    fn visit_leaves<I: WideIsa>(&mut self, _isa: I, a: Leaf, b: Leaf) -> ControlFlow<()> {
        for &i in self.trees[0].primitives(a) {
            for &j in self.trees[1].primitives(b) {
                self.showing.show([i, j])?;
            }
        }
        ControlFlow::Continue(())
    }
}
