//! Branch and bound over surface patches for the distance of a placed superquadric and another shape.
//!
//! Method: a patch lies in the hull of sixteen points. The distance of this hull bounds the distance of the patch from
//! below; the place in the middle of the patch bounds it from above. The patch that may be the nearest is cut in half,
//! until the bounds meet. The shapes overlap if a place of the surface lies in B, or a point of B in the solid. If they
//! do not, no patch is left that meets B.
//! Guarantees: `error` reaches from the upper bound to the lower one. At most 8,192 patches are tested. If many
//! directions tie (a point on the axis of a torus), the bounds keep a gap of some 1e-5 of the size. Touching shapes may
//! be answered in both cases within 16 ulp of the largest coordinate, and within `error` if the work ends before.
//! Cost: some hundred patches, each a distance to a hull.

use super::{HullOfPatch, MET, ROUNDING, Ranked, TOUCHING, have_met, holds};
use crate::answer::budget::{Budgeted, DistanceBounds, WorkMeter};
use crate::answer::distance::{BudgetedDistance, Distance};
use crate::answer::placed::Placed;
use crate::contains;
use crate::convex::boundary::ORIGIN;
use crate::convex::gjk::{GjkOutcome, SimplexCache, StopCriteria, nearest};
use crate::convex::nearest_triangle::{PlacedConvex, nearest_to};
use crate::convex::support::{PlacedCore, Support};
use crate::distance::distance_metered;
use heurt_geometry::{Pose, Vec3, power_of_two_scale};
use heurt_mesh::Component;
use heurt_shape::{MeshShape, Patch, ShapeRef, Superquadric};
use std::collections::BinaryHeap;

/// Maximum number of patches that are tested.
const MAX_PATCHES: usize = 8192;

/// A query for a placed superquadric and a placed shape of another kind.
#[derive(Clone, Copy)]
pub(crate) struct PatchQuery<'a> {
    pub a: &'a Superquadric,
    pub pose_a: &'a Pose,
    pub b: ShapeRef<'a>,
    pub pose_b: &'a Pose,
    /// Whether the inside of A counts.
    pub is_solid: bool,
    /// Distance in metres up to which any place is near enough: the nearest of all does not matter then.
    pub near: f64,
    /// Maximum distance in metres.
    pub max: f64,
}

/// Finds the distance if it is at most `max`, within the budget.
pub(crate) fn search(question: PatchQuery<'_>, meter: &WorkMeter<'_>) -> BudgetedDistance {
    let mut search = PatchSearch::new(question, meter);
    search.run();
    if meter.was_interrupted() && !search.is_near() {
        let (at_least, at_most) = search.bounds();
        return Budgeted::Partial(DistanceBounds { at_least, at_most });
    }
    Budgeted::Complete(search.result().filter(|found| found.distance <= question.max))
}

/// Bounds the distance from below, up to `max`, within the budget.
pub(crate) fn clearance(question: PatchQuery<'_>, meter: &WorkMeter<'_>) -> f64 {
    let mut search = PatchSearch::new(question, meter);
    search.run();
    let is_within = search.result().is_some_and(|found| found.distance == 0.0);
    if is_within { 0.0 } else { search.bounds().0 }
}

/// Returns a point and its primitive for each connected component: they report a component that lies wholly inside.
fn one_of_each(shape: ShapeRef<'_>, pose: &Pose) -> Vec<(Vec3, u32)> {
    let of_mesh = |mesh: &MeshShape| {
        let vertex = |part: &Component| (pose.place(mesh.mesh().corners(part.triangle)[0]), part.triangle);
        mesh.components().iter().map(vertex).collect()
    };
    match shape {
        ShapeRef::Mesh(mesh) => of_mesh(mesh),
        ShapeRef::Rounded(rounded) => of_mesh(rounded.mesh()),
        ShapeRef::Convex(convex) => convex.support(Vec3::X).map(|point| (pose.place(point), 0)).into_iter().collect(),
        ShapeRef::Compound(_) | ShapeRef::Superquadric(_) => unreachable!("asked part by part, or as two surfaces"),
    }
}

struct PatchSearch<'a, 'b> {
    of: PatchQuery<'a>,
    meter: &'b WorkMeter<'b>,
    /// The rounding error of a coordinate, in metres.
    ulp: f64,
    /// Units in a metre; coordinates in units are approximately 1.
    unit: f64,
    open: BinaryHeap<Ranked<Patch>>,
    /// The nearest place of the surface found, and the point of B nearest to it.
    best: Option<Distance>,
    /// Upper bound of the distance by places whose query was interrupted.
    within: f64,
    /// The least lower bound of the patches left out.
    settled: f64,
    /// A proved lower bound of the distance: halves may have weaker bounds than the whole.
    known: f64,
    looked: usize,
}

impl<'a, 'b> PatchSearch<'a, 'b> {
    fn new(of: PatchQuery<'a>, meter: &'b WorkMeter<'b>) -> Self {
        // The bounds of A are centred at its middle.
        let largest = of.a.bounds().max.max_element()
            + of.pose_a.max_translation()
            + of.b.max_coordinate()
            + of.pose_b.max_translation();
        let (ulp, unit) = (f64::EPSILON * largest, power_of_two_scale(largest));
        Self {
            of,
            meter,
            ulp,
            unit,
            open: BinaryHeap::new(),
            best: None,
            within: f64::INFINITY,
            settled: f64::INFINITY,
            known: 0.0,
            looked: 0,
        }
    }

    fn at_most(&self) -> f64 {
        self.best.map_or(f64::INFINITY, |best| best.distance)
    }

    /// Returns a lower bound of the distance, up to `max`, and an upper bound.
    fn bounds(&self) -> (f64, f64) {
        let at_most = self.best.map_or(f64::INFINITY, |best| best.distance + best.error).min(self.within);
        let at_least = self.settled.min(at_most).min(self.of.max) - ROUNDING * self.ulp;
        (at_least.max(0.0), at_most)
    }

    /// Tests whether a known place is near enough.
    fn is_near(&self) -> bool {
        self.at_most() <= self.of.near
    }

    /// Returns the distance beyond which patches are discarded. It exceeds `max` by so much that bounds that have met
    /// there are beyond `max`.
    fn limit(&self) -> f64 {
        self.at_most().min(self.of.max + 2.0 * MET * self.ulp)
    }

    fn run(&mut self) {
        let holds = |(point, _): &(Vec3, u32)| holds(self.of.a, self.of.pose_a, *point);
        if self.of.is_solid
            && let Some((point, primitive)) = one_of_each(self.of.b, self.of.pose_b).into_iter().find(holds)
        {
            self.best = Some(Distance::common(point, Some([0, primitive])));
            return;
        }
        for patch in self.of.a.patches() {
            if self.is_exhausted() {
                return;
            }
            self.add_patch(patch);
        }
        while let Some(next) = self.open.pop() {
            self.known = self.known.max(next.at_least);
            let is_done = have_met(next.at_least, self.limit(), self.ulp) || self.is_near();
            if is_done || self.looked >= MAX_PATCHES {
                self.settled = self.settled.min(next.at_least);
                return;
            }
            for half in next.item.halves(self.of.a) {
                if self.is_exhausted() {
                    return;
                }
                self.add_patch(half);
            }
        }
    }

    /// Tests whether the budget is exhausted; then the patches that were not tested are no nearer than the known bound
    /// of all.
    fn is_exhausted(&mut self) -> bool {
        let ends = self.meter.is_exhausted();
        if ends {
            self.settled = self.settled.min(self.known);
        }
        ends
    }

    /// Bounds the distance of a patch from both sides.
    fn add_patch(&mut self, patch: Patch) {
        self.looked += 1;
        if self.is_near() {
            return;
        }
        let middle = self.of.pose_a.place(patch.middle(self.of.a));
        let hull = patch.hull(self.of.a).map(|corner| self.of.pose_a.place(corner));
        let radius = hull.iter().map(|corner| (*corner - middle).length()).fold(0.0, f64::max);
        let room = radius + ROUNDING * self.ulp;
        let from_middle = match self.of_place(middle, self.limit() + room) {
            Budgeted::Complete(Some(found)) => found,
            Budgeted::Complete(None) => return,
            // It is not even known whether the middle is inside.
            Budgeted::Partial(DistanceBounds { at_least, .. }) => {
                self.settled = self.settled.min((at_least - room).max(self.known));
                return;
            }
        };
        let by_ball = from_middle.distance - from_middle.error - room;
        if by_ball > self.limit() {
            return;
        }
        let at_least = self.of_hull(&hull).max(by_ball).max(0.0);
        if at_least > self.limit() {
            return;
        }
        // The nearest place of a spike or an edge is at the end of a patch.
        let corners =
            patch.corners(self.of.a).map(|corner| match self.of_place(self.of.pose_a.place(corner), self.limit()) {
                Budgeted::Complete(Some(found)) => found.distance,
                _ => f64::INFINITY,
            });
        let at_most = corners.into_iter().fold(from_middle.distance, f64::min);
        self.open.push(Ranked { at_least, at_most, item: patch });
    }

    /// Finds the distance from a place of the surface to B, if it is at most `reach`, and updates the best distance.
    fn of_place(&mut self, place: Vec3, reach: f64) -> BudgetedDistance {
        let at = Pose::from_translation(place).unwrap_or_default();
        let on_b = Placed::new(self.of.b, self.of.pose_b);
        let found = match distance_metered(Placed::new(ShapeRef::Convex(&ORIGIN), &at), on_b, reach, self.meter) {
            Budgeted::Complete(Some(found)) => found,
            Budgeted::Complete(None) => return Budgeted::Complete(None),
            Budgeted::Partial(bounds) => {
                self.within = self.within.min(bounds.at_most);
                return Budgeted::Partial(bounds);
            }
        };
        let found = Distance { point_a: place, primitives: found.primitives.map(|[_, j]| [0, j]), ..found };
        if found.distance < self.at_most() {
            let touches = self.of.is_solid && holds(self.of.a, self.of.pose_a, found.point_b);
            self.best = Some(if touches { Distance::common(found.point_b, found.primitives) } else { found });
        }
        Budgeted::Complete(Some(found))
    }

    /// Returns a lower bound of the distance from the hull of some points to B; infinite beyond the limit.
    fn of_hull(&mut self, points: &[Vec3; 16]) -> f64 {
        let (limit, rounding) = (self.limit() + ROUNDING * self.ulp, ROUNDING * self.ulp);
        let hull = HullOfPatch(points.map(|point| point * self.unit));
        if let ShapeRef::Convex(b) = self.of.b
            && let Some(core) = PlacedCore::new(b, self.of.pose_b, self.unit)
        {
            self.meter.add_pair();
            let ulp = self.ulp * self.unit;
            let until = StopCriteria { gap: 4.0 * ulp, beyond: (limit + b.margin()) * self.unit, close: 4.0 * ulp };
            let first = || hull.middle() - core.middle();
            return match nearest::<Vec3>(&hull, &core, &SimplexCache::default(), first, until) {
                GjkOutcome::Disjoint(found) => found.at_least / self.unit - b.margin() - rounding,
                GjkOutcome::Inside(_) | GjkOutcome::Close(_) => 0.0,
            };
        }
        if let ShapeRef::Mesh(mesh) = self.of.b {
            // A patch whose middle is outside and whose hull meets no triangle is not in the solid.
            let set = PlacedConvex { core: hull, margin: 0.0, unit: self.unit, reach: self.ulp / f64::EPSILON };
            let found = match nearest_to(mesh, self.of.pose_b, &set, limit, self.meter) {
                Budgeted::Complete(found) => found,
                Budgeted::Partial(bounds) => return bounds.at_least - rounding,
            };
            return found.map_or(f64::INFINITY, |found| found.distance.distance - found.distance.error) - rounding;
        }
        // For other shapes only the ball around the patch gives a bound.
        0.0
    }

    /// Returns the distance that both bounds give.
    fn result(&self) -> Option<Distance> {
        let best = self.best?;
        if best.distance == 0.0 {
            return Some(best);
        }
        let at_least = self.settled.min(best.distance);
        let is_touching = at_least == 0.0 && best.distance <= TOUCHING * self.ulp;
        if self.of.is_solid && (is_touching || contains(self.of.b, self.of.pose_b, best.point_a)) {
            let gap_at_most = if is_touching { best.distance + ROUNDING * self.ulp } else { 0.0 };
            return Some(Distance::common_within(gap_at_most, best.point_a, best.primitives));
        }
        Some(Distance { error: best.distance - at_least + best.error + ROUNDING * self.ulp, ..best })
    }
}
