//! Distance of two placed meshes within a budget of work: the exact search result, or bounds of the distance.
//!
//! Method: S4 §1.1. With a maximum distance `mesh/distance` runs the search. Without one both trees are walked
//! least gap first, so that the gap of the next pair of volumes bounds the distance of every pair not yet compared. If
//! the surfaces are disjoint, one point of each connected part decides whether a solid lies inside another. For a
//! complete result, `mesh/distance` then computes the witness points within the distance found.
//! Guarantees: bounds hold, and lower bounds grow with the budget; a complete result equals the result of
//! `mesh/distance`.
//! Not bounded: the location of one point of each part after an interrupted walk, and the witness points of a complete
//! result.

use crate::answer::budget::{Budgeted, DistanceBounds, WorkMeter};
use crate::answer::distance::BudgetedDistance;
use crate::answer::placed::PlacedMeshShape;
use crate::mesh::distance::{mesh_distance_in_time, mesh_distance_within};
use crate::mesh::overlap::contained;
use crate::mesh::walk::pair_walk::{Leaves, PairWalk, PlacedTree, place, walk_default_trees};
use crate::triangle::distance::{ROUNDING, nearest_points};
use heurt_bvh::relative::{RelativeFrame, RelativePose};
use heurt_bvh::simd::{HasLanes, Machine, WideIsa};
use heurt_bvh::volume::PairGap;
use heurt_bvh::walk::{PairVisitor, walk_pair_best_first};
use heurt_bvh::{Leaf, Work, cutoff};
use heurt_geometry::triangles_intersect;
use std::ops::ControlFlow;

/// Finds the distance of the placed meshes if it is at most `max` metres.
pub(crate) fn mesh_distance_metered(
    a: PlacedMeshShape<'_>,
    b: PlacedMeshShape<'_>,
    max: f64,
    meter: &WorkMeter<'_>,
) -> BudgetedDistance {
    let whole = |max: f64| {
        let (found, work) = mesh_distance_within(a, b, max);
        meter.add(work);
        found
    };
    if !meter.is_limited() {
        return Budgeted::Complete(whole(max));
    }
    if max < f64::INFINITY {
        // A caller that gives a maximum distance needs no bounds below it.
        return mesh_distance_in_time(a, b, max, meter)
            .map_or(Budgeted::Partial(DistanceBounds::UNKNOWN), Budgeted::Complete);
    }
    let search = BoundedDistanceSearch::run(a, b, meter);
    if search.meeting.is_some() {
        return Budgeted::Complete(whole(max));
    }
    // Distances of near meshes, too, have a rounding error proportional to the largest coordinate.
    let largest = a.shape.tree().frame().max_coordinate()
        + b.shape.tree().frame().max_coordinate()
        + a.pose.max_translation()
        + b.pose.max_translation();
    let error = ROUNDING * largest + 8.0 * f64::from_bits(1);
    let at_most = search.nearest * (1.0 + 4.0 * ROOM) + error;
    if let Some(left) = search.left.map(|left| (left - error).max(0.0)) {
        // Disjoint surfaces do not exclude that a solid contains a part of another.
        let is_disjoint = left > 0.0 && {
            let own_meter = WorkMeter::default();
            let inner = contained(a, b, &own_meter);
            meter.add(own_meter.done());
            inner.is_none()
        };
        return Budgeted::Partial(DistanceBounds { at_least: if is_disjoint { left } else { 0.0 }, at_most });
    }
    // The walk found the least distance: a second search with witnesses, within that distance, costs very little.
    let near = if at_most < f64::INFINITY { whole(at_most) } else { None };
    Budgeted::Complete(near.or_else(|| whole(max)))
}

/// The search for the nearest pair of triangles, within a budget of work.
struct BoundedDistanceSearch<'a> {
    meter: &'a WorkMeter<'a>,
    /// The least distance found between two triangles, in metres.
    nearest: f64,
    /// Triangles that intersect.
    meeting: Option<[u32; 2]>,
    /// After an interruption: no two triangles that were not compared are nearer than this, in metres.
    left: Option<f64>,
}

impl<'a> BoundedDistanceSearch<'a> {
    fn run(a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>, meter: &'a WorkMeter<'a>) -> Self {
        let mut search = Self { meter, nearest: f64::INFINITY, meeting: None, left: None };
        let composed = RelativeFrame::new(a.shape.tree().frame(), a.pose, b.shape.tree().frame(), b.pose);
        let work = walk_default_trees(a, b, &composed, &mut search);
        meter.add(work);
        search
    }
}

impl PairWalk for BoundedDistanceSearch<'_> {
    #[inline(never)]
    fn walk<A, B, const W: usize>(
        &mut self,
        a: &PlacedTree<'_, A, W>,
        b: &PlacedTree<'_, B, W>,
        composed: &RelativeFrame,
    ) -> Work
    where
        A: PairGap<B>,
        B: PairGap<A, PairConstants = A::PairConstants>,
        Machine: HasLanes<W>,
    {
        let (frame_a, frame_b) = (a.tree.frame(), b.tree.frame());
        let relative = RelativePose::of(composed, frame_a, frame_b);
        // Rotations that deviate from orthonormality stretch lengths.
        let units = 2.0 * frame_a.inverse_scale() * (1.0 + 8.0 * composed.defect);
        let mut nearing =
            Nearing { a: Leaves::of(a), b: Leaves::of(b), search: self, units, cutoff: 0.0, at_least: 0.0 };
        nearing.shorten();
        walk_pair_best_first(a.tree, b.tree, &relative, &mut nearing)
    }
}

/// Compares triangles one pair at a time: simple code bounds time best.
struct Nearing<'s, 'b, 'm> {
    a: Leaves<'m>,
    b: Leaves<'m>,
    search: &'s mut BoundedDistanceSearch<'b>,
    /// Units of gaps per metre.
    units: f64,
    cutoff: f32,
    /// Lower bound of the distance of all pairs not yet compared, in metres.
    at_least: f64,
}

/// Bound on the relative rounding error of gaps and distances; the part of a distance's error that is proportional to
/// coordinates is added separately.
const ROOM: f64 = 1e-6;

impl Nearing<'_, '_, '_> {
    /// Updates the cutoff to the least distance.
    fn shorten(&mut self) {
        self.cutoff = cutoff::linear(self.search.nearest, self.units);
    }
}

impl PairVisitor for Nearing<'_, '_, '_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    fn should_continue(&mut self, bound: f32, done: &Work) -> bool {
        // Gaps of contained volumes are no smaller than the gap of their parents, but their lower bounds may be looser.
        let metres = f64::from(bound) / self.units * (1.0 - ROOM);
        self.at_least = self.at_least.max(metres);
        let should_continue = !self.search.meter.is_exhausted_after(done);
        if !should_continue {
            self.search.left = Some(self.at_least.min(self.search.nearest));
        }
        should_continue
    }

    fn visit_leaves<I: WideIsa>(&mut self, _isa: I, leaf_a: Leaf, leaf_b: Leaf) -> ControlFlow<()> {
        for &i in self.a.triangles(leaf_a) {
            for &j in self.b.triangles(leaf_b) {
                let (x, y) = (place(self.a.shape, self.a.pose, i), place(self.b.shape, self.b.pose, j));
                if triangles_intersect(&x, &y) {
                    self.search.meeting = Some([i, j]);
                    return ControlFlow::Break(());
                }
                let distance = nearest_points(&x, &y).distance * (1.0 - ROOM);
                if distance < self.search.nearest {
                    self.search.nearest = distance;
                    self.shorten();
                }
            }
        }
        ControlFlow::Continue(())
    }
}
