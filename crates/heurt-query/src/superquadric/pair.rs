//! Branch and bound over pairs of patches for the distance of two placed superquadrics.
//!
//! Method: the balls around two patches bound a pair from below, and then their hulls do. The nearest of five places of
//! each patch bound it from above. The best pair of places is brought nearer by alternating steps between both tangent
//! planes. In the pair that may be the nearest, the larger patch is cut in half. The shapes overlap if a place of one
//! surface lies in the opposite solid.
//! Guarantees: as `distance`, with [`MAX_PAIRS`] pairs.
//! Cost: some hundred pairs of hulls if one place of each is nearest.

use super::{HullOfPatch, MET, ROUNDING, Ranked, TOUCHING, have_met, holds, seen_from};
use crate::answer::budget::{Budgeted, DistanceBounds, WorkMeter};
use crate::answer::distance::{BudgetedDistance, Distance};
use crate::answer::placed::Placed;
use crate::convex::gjk::{GjkOutcome, SimplexCache, StopCriteria, nearest};
use crate::convex::support::Support;
use heurt_geometry::{Pose, Vec3, power_of_two_scale};
use heurt_shape::{Patch, Superquadric};
use std::collections::BinaryHeap;
use std::rc::Rc;

/// Maximum number of pairs of patches that are tested.
const MAX_PAIRS: usize = 1 << 15;
/// Maximum number of alternating steps. `STALLED`: the factor by which each step must shorten the distance.
const MAX_STEPS: usize = 16;
const STALLED: f64 = 0.999;

/// A placed surface.
#[derive(Clone, Copy)]
struct PatchSide<'a> {
    surface: &'a Superquadric,
    pose: &'a Pose,
}

impl PatchSide<'_> {
    fn holds(&self, point: Vec3) -> bool {
        holds(self.surface, self.pose, point)
    }
}

/// Returns the place of a placed surface below a point, by the tangent plane at a place near it.
pub(crate) fn below(surface: &Superquadric, pose: &Pose, place: Vec3, point: Vec3) -> Option<Vec3> {
    let normal = *pose.rotation() * surface.normal(seen_from(pose, place))?;
    let foot = point - normal * (normal.dot(point - place) / normal.length_squared());
    surface.to_surface(seen_from(pose, foot)).map(|place| pose.place(place))
}

/// Brings two places of the given distance nearer to each other: `foot` returns a place of shape 0 or 1, near a given
/// place of it, below a point.
pub(crate) fn nearer(
    (mut places, mut length): ([Vec3; 2], f64),
    mut foot: impl FnMut(usize, Vec3, Vec3) -> Option<Vec3>,
) -> ([Vec3; 2], f64) {
    for step in 0..MAX_STEPS {
        let (own, other) = (step % 2, 1 - step % 2);
        let Some(place) = foot(own, places[own], places[other]) else { break };
        let now = (place - places[other]).length();
        if now.is_nan() || now >= length {
            break;
        }
        let has_stalled = now > STALLED * length;
        (places[own], length) = (place, now);
        if has_stalled {
            break;
        }
    }
    (places, length)
}

/// A patch in the world.
struct PairPatch {
    patch: Patch,
    /// In units of the search.
    hull: HullOfPatch,
    /// The middle and the corners, on the surface, in metres.
    places: [Vec3; 5],
    /// Radius of a ball around the middle that holds the patch.
    radius: f64,
}

impl PairPatch {
    fn new(patch: Patch, side: PatchSide<'_>, unit: f64) -> Rc<Self> {
        let hull = patch.hull(side.surface).map(|corner| side.pose.place(corner));
        let [p, q, r, s] = patch.corners(side.surface);
        let places = [patch.middle(side.surface), p, q, r, s].map(|place| side.pose.place(place));
        let radius = hull.iter().map(|corner| (*corner - places[0]).length()).fold(0.0, f64::max);
        Rc::new(Self { patch, hull: HullOfPatch(hull.map(|corner| corner * unit)), places, radius })
    }
}

/// A queued pair of patches.
struct OpenPatchPair {
    pieces: [Rc<PairPatch>; 2],
    /// Whether the hulls gave the lower bound, not the balls.
    is_tight: bool,
}

struct PatchPairSearch<'a, 'b> {
    meter: &'b WorkMeter<'b>,
    sides: [PatchSide<'a>; 2],
    /// Distance in metres up to which any two places are near enough.
    near: f64,
    max: f64,
    ulp: f64,
    unit: f64,
    open: BinaryHeap<Ranked<OpenPatchPair>>,
    /// The nearest places found, and their distance: 0 if one place lies in the opposite solid.
    best: ([Vec3; 2], f64),
    settled: f64,
    /// A proved lower bound of the distance: halves may have weaker bounds than the whole.
    known: f64,
    looked: usize,
}

type PlacedSuperquadric<'a> = Placed<'a, &'a Superquadric>;

/// Finds the distance of two placed superquadrics, as solids, if it is at most `max` metres, within the budget. If it
/// is at most `near`, any two places that are as near are reported.
pub(crate) fn of_two(
    a: PlacedSuperquadric<'_>,
    b: PlacedSuperquadric<'_>,
    reach: [f64; 2],
    meter: &WorkMeter<'_>,
) -> BudgetedDistance {
    let mut search = PatchPairSearch::new(a, b, reach, meter);
    search.run();
    if meter.was_interrupted() && search.best.1 > search.near {
        let at_most = search.best.1 + ROUNDING * search.ulp;
        return Budgeted::Partial(DistanceBounds { at_least: search.at_least(), at_most });
    }
    Budgeted::Complete(search.result().filter(|found| found.distance <= search.max))
}

/// Bounds the distance of two placed superquadrics from below, up to `max`, within the budget.
pub(crate) fn clearance_of_two(
    a: PlacedSuperquadric<'_>,
    b: PlacedSuperquadric<'_>,
    reach: [f64; 2],
    meter: &WorkMeter<'_>,
) -> f64 {
    let mut search = PatchPairSearch::new(a, b, reach, meter);
    search.run();
    search.at_least()
}

impl<'a, 'b> PatchPairSearch<'a, 'b> {
    fn new(
        Placed { shape: a, pose: pose_a }: PlacedSuperquadric<'a>,
        Placed { shape: b, pose: pose_b }: PlacedSuperquadric<'a>,
        [near, max]: [f64; 2],
        meter: &'b WorkMeter<'b>,
    ) -> Self {
        let reach = |surface: &Superquadric, pose: &Pose| surface.bounds().max.max_element() + pose.max_translation();
        let largest = reach(a, pose_a) + reach(b, pose_b);
        let (ulp, unit) = (f64::EPSILON * largest, power_of_two_scale(largest));
        let sides = [PatchSide { surface: a, pose: pose_a }, PatchSide { surface: b, pose: pose_b }];
        let (open, best) = (BinaryHeap::new(), ([Vec3::ZERO; 2], f64::INFINITY));
        let (settled, known) = (f64::INFINITY, 0.0);
        Self { meter, sides, near, max, ulp, unit, open, best, settled, known, looked: 0 }
    }

    /// Returns a lower bound of the distance, up to `max`.
    fn at_least(&self) -> f64 {
        (self.settled.min(self.best.1).min(self.max) - ROUNDING * self.ulp).max(0.0)
    }

    /// Returns the distance beyond which pairs are discarded. It exceeds `max` by so much that bounds that have met
    /// there are beyond `max`.
    fn limit(&self) -> f64 {
        self.best.1.min(self.max + 2.0 * MET * self.ulp)
    }

    fn run(&mut self) {
        let [of_a, of_b] = self.sides.map(|side| {
            let patches = side.surface.patches().into_iter();
            patches.map(|patch| PairPatch::new(patch, side, self.unit)).collect::<Vec<_>>()
        });
        for (k, pieces) in [&of_a, &of_b].into_iter().enumerate() {
            let inside = pieces.iter().flat_map(|piece| piece.places).find(|&place| self.sides[1 - k].holds(place));
            if let Some(place) = inside {
                self.best = ([place; 2], 0.0);
                return;
            }
        }
        for i in &of_a {
            for j in &of_b {
                self.add([Rc::clone(i), Rc::clone(j)]);
            }
        }
        while let Some(next) = self.open.pop() {
            self.known = self.known.max(next.at_least);
            let is_done = have_met(next.at_least, self.limit(), self.ulp) || self.best.1 <= self.near;
            if is_done || self.looked >= MAX_PAIRS {
                self.settled = self.settled.min(next.at_least);
                return;
            }
            if self.meter.is_exhausted() {
                self.settled = self.settled.min(self.known);
                return;
            }
            if !next.item.is_tight {
                let at_least = self.gap_of_hulls(&next.item.pieces).max(next.at_least);
                if at_least <= self.limit() {
                    let item = OpenPatchPair { is_tight: true, ..next.item };
                    self.open.push(Ranked { at_least, at_most: next.at_most, item });
                }
                continue;
            }
            let [i, j] = &next.item.pieces;
            if i.radius >= j.radius {
                for half in self.halves(0, i) {
                    self.add([half, Rc::clone(j)]);
                }
            } else {
                for half in self.halves(1, j) {
                    self.add([Rc::clone(i), half]);
                }
            }
        }
    }

    /// Returns both halves of a patch; a place of the halves in the opposite solid ends the search.
    fn halves(&mut self, side: usize, piece: &PairPatch) -> [Rc<PairPatch>; 2] {
        let own = self.sides[side];
        let halves = piece.patch.halves(own.surface).map(|half| PairPatch::new(half, own, self.unit));
        // The corners of the whole are known to lie outside, and halves share two corners.
        let [first, second] = &halves;
        let mut places = first.places.into_iter().chain([second.places[0]]).filter(|at| !piece.places.contains(at));
        if let Some(place) = places.find(|&place| self.sides[1 - side].holds(place)) {
            self.best = ([place; 2], 0.0);
        }
        halves
    }

    /// Bounds a pair by balls and places, and queues it.
    fn add(&mut self, pieces: [Rc<PairPatch>; 2]) {
        let [i, j] = &pieces;
        let between = (i.places[0] - j.places[0]).length();
        let at_least = (between - i.radius - j.radius - ROUNDING * self.ulp).max(0.0);
        if at_least > self.limit() || self.best.1 <= self.near {
            return;
        }
        let mut nearest = ([i.places[0], j.places[0]], f64::INFINITY);
        for on_a in i.places {
            for on_b in j.places {
                let length = (on_b - on_a).length();
                nearest = if length < nearest.1 { ([on_a, on_b], length) } else { nearest };
            }
        }
        if nearest.1 < self.best.1 {
            self.offer(nearest);
        }
        let item = OpenPatchPair { pieces, is_tight: false };
        self.open.push(Ranked { at_least, at_most: nearest.1, item });
    }

    /// Brings two places nearer to each other, and takes them as the best.
    fn offer(&mut self, best: ([Vec3; 2], f64)) {
        let sides = self.sides;
        let mut best = nearer(best, |k, place, point| below(sides[k].surface, sides[k].pose, place, point));
        for k in 0..2 {
            if self.sides[1 - k].holds(best.0[k]) {
                best = ([best.0[k]; 2], 0.0);
            }
        }
        self.best = best;
    }

    /// Returns a lower bound of the distance of two patches.
    fn gap_of_hulls(&mut self, [i, j]: &[Rc<PairPatch>; 2]) -> f64 {
        self.looked += 1;
        self.meter.add_pair();
        let (ulp, limit) = (self.ulp * self.unit, (self.limit() + ROUNDING * self.ulp) * self.unit);
        let until = StopCriteria { gap: 4.0 * ulp, beyond: limit, close: 4.0 * ulp };
        let first = || i.hull.middle() - j.hull.middle();
        match nearest::<Vec3>(&i.hull, &j.hull, &SimplexCache::default(), first, until) {
            GjkOutcome::Disjoint(found) => found.at_least / self.unit - ROUNDING * self.ulp,
            GjkOutcome::Inside(_) | GjkOutcome::Close(_) => 0.0,
        }
    }

    fn result(&self) -> Option<Distance> {
        let ([point_a, point_b], distance) = self.best;
        if distance == f64::INFINITY {
            return None;
        }
        let at_least = self.settled.min(distance);
        if distance == 0.0 || at_least == 0.0 && distance <= TOUCHING * self.ulp {
            return Some(Distance::common_within(distance + ROUNDING * self.ulp, point_a, Some([0, 0])));
        }
        let normal = (point_b - point_a).try_normalize();
        let error = distance - at_least + ROUNDING * self.ulp;
        Some(Distance { distance, point_a, point_b, normal, primitives: Some([0, 0]), error })
    }
}
