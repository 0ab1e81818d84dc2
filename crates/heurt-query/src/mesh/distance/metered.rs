//! Two placed meshes, as long as there is something to spend: how far they are disjoint, or bounds of it.
//!
//! Method: S4 §1.1. Within a limit, as `mesh/distance`. Without one both trees are walked least gap first, so that the
//! gap of the volumes to be opened next bounds what was not looked at. Where the surfaces are disjoint, a point of each
//! part tells whether one solid lies in the other. What is left of a whole answer, the points themselves,
//! `mesh/distance` tells within the distance that was found.
//! Guarantees: bounds hold, and lower ones grow with what is spent; a whole answer is that of `mesh/distance`.
//! Not bounded: a point of each part where the walk was cut short, the points of a whole answer.

use crate::answer::budget::{Budgeted, DistanceBounds, WorkMeter};
use crate::answer::distance::BudgetedDistance;
use crate::answer::placed::PlacedMeshShape;
use crate::mesh::distance::{mesh_distance_in_time, mesh_distance_within};
use crate::mesh::overlap::contained;
use crate::mesh::walk::pair_walk::{Leaves, PairWalk, PlacedTree, place, walk_default_trees};
use crate::triangle::distance::{ROUNDING, nearest_points};
use heurt_bvh::relative::{RelativeFrame, RelativePose};
use heurt_bvh::simd::{Avx2, LanesFor, WideIsa};
use heurt_bvh::volume::PairGap;
use heurt_bvh::walk::{PairVisitor, walk_pair_best_first};
use heurt_bvh::{Leaf, Work};
use heurt_geometry::triangles_intersect;
use std::ops::ControlFlow;

/// Finds how far the placed meshes are disjoint if that is not above `max` metres.
pub(crate) fn mesh_distance_metered(
    a: PlacedMeshShape<'_>,
    b: PlacedMeshShape<'_>,
    max: f64,
    spending: &WorkMeter<'_>,
) -> BudgetedDistance {
    let whole = |max: f64| {
        let (found, work) = mesh_distance_within(a.0, a.1, b.0, b.1, max);
        spending.add(work);
        found
    };
    if !spending.is_limited() {
        return Budgeted::Complete(whole(max));
    }
    if max < f64::INFINITY {
        // Who gives a limit wants no bounds below it.
        return mesh_distance_in_time(a, b, max, spending)
            .map_or(Budgeted::Cut(DistanceBounds::UNKNOWN), Budgeted::Complete);
    }
    let search = BoundedDistanceSearch::run(a, b, spending);
    if search.meeting.is_some() {
        return Budgeted::Complete(whole(max));
    }
    // Distances are rounded by a share of the largest coordinate, too, however near they are.
    let largest = a.0.tree().frame().reach() + b.0.tree().frame().reach() + a.1.span() + b.1.span();
    let error = ROUNDING * largest + 8.0 * f64::from_bits(1);
    let at_most = search.nearest * (1.0 + 4.0 * ROOM) + error;
    if let Some(left) = search.left.map(|left| (left - error).max(0.0)) {
        // Surfaces that are disjoint say nothing of what is inside.
        let is_apart = left > 0.0 && {
            let asked = WorkMeter::default();
            let inner = contained(a, b, &asked);
            spending.add(asked.done());
            inner.is_none()
        };
        return Budgeted::Cut(DistanceBounds { at_least: if is_apart { left } else { 0.0 }, at_most });
    }
    // The walk found what is nearest: the same once more with witnesses, within that distance, is next to nothing.
    let near = if at_most < f64::INFINITY { whole(at_most) } else { None };
    Budgeted::Complete(near.or_else(|| whole(max)))
}

/// The nearest pair of triangles, as far as there is something to spend.
struct BoundedDistanceSearch<'a> {
    spending: &'a WorkMeter<'a>,
    /// The least distance of two triangles so far, in metres.
    nearest: f64,
    /// Triangles that intersect.
    meeting: Option<[u32; 2]>,
    /// Where the walk was cut short: no two triangles that it did not compare are nearer, in metres.
    left: Option<f64>,
}

impl<'a> BoundedDistanceSearch<'a> {
    fn run(a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>, spending: &'a WorkMeter<'a>) -> Self {
        let mut search = Self { spending, nearest: f64::INFINITY, meeting: None, left: None };
        let composed = RelativeFrame::new(a.0.tree().frame(), a.1, b.0.tree().frame(), b.1);
        let work = walk_default_trees(a.0, a.1, b.0, b.1, &composed, &mut search);
        spending.add(work);
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
        B: PairGap<A, Relation = A::Relation>,
        Avx2: LanesFor<W>,
    {
        let (frame_a, frame_b) = (a.tree.frame(), b.tree.frame());
        let relative = RelativePose::of(composed, frame_a, frame_b);
        // Rotations that are not quite such stretch lengths.
        let units = 2.0 * frame_a.inverse_scale() * (1.0 + 8.0 * composed.defect);
        let mut nearing = Nearing { a: Leaves::of(a), b: Leaves::of(b), search: self, units, cutoff: 0.0, apart: 0.0 };
        nearing.shorten();
        walk_pair_best_first(a.tree, b.tree, &relative, &mut nearing)
    }
}

/// Compares triangles, one pair after the other: what bounds time best is simple.
struct Nearing<'s, 'b, 'm> {
    a: Leaves<'m>,
    b: Leaves<'m>,
    search: &'s mut BoundedDistanceSearch<'b>,
    /// Units of gaps in a metre.
    units: f64,
    cutoff: f32,
    /// What was not compared yet is so far from each other, in metres.
    apart: f64,
}

/// What roundings of gaps and distances come to, at most, relative to them; of distances, those of coordinates left
/// out.
const ROOM: f64 = 1e-6;

impl Nearing<'_, '_, '_> {
    /// Follows the least distance.
    fn shorten(&mut self) {
        self.cutoff = (self.search.nearest * self.units * (1.0 + ROOM)) as f32 + 1e-37;
    }
}

impl PairVisitor for Nearing<'_, '_, '_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    fn should_continue(&mut self, bound: f32, done: &Work) -> bool {
        // Gaps of volumes within others are no smaller, though they may be bounded less closely.
        let metres = f64::from(bound) / self.units * (1.0 - ROOM);
        self.apart = self.apart.max(metres);
        let should_continue = !self.search.spending.is_exhausted_after(done);
        if !should_continue {
            self.search.left = Some(self.apart.min(self.search.nearest));
        }
        should_continue
    }

    fn leaves<I: WideIsa>(&mut self, _isa: I, leaf_a: Leaf, leaf_b: Leaf) -> ControlFlow<()> {
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
