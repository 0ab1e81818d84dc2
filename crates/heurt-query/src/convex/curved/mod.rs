//! Separation of two placed convex cores, at least one of them curved: distance or penetration depth, bounded from both
//! sides.
//!
//! In: two sets given by their support points, in a unit in which they are approximately 1. Out: [`CoreSeparation`];
//! for other searches [`DistanceBracket`].
//! Method: `gjk`, with secants for smooth cores, and `epa`. Each point of a curved face has its own rounding error. If
//! such points lie close to each other, their triangles face any direction: the search may end too early, or seem to
//! enclose the origin. An unproved result is searched again ([`narrowed`]) with B moved away by approximately its size.
//! The farther B is, the less rounding errors turn the direction; the direction found gives a bound at the original
//! position, too. From the points found there, a search with twice the digits leads to the nearest points.
//! Guarantees: the distance of the reported points is the reported length, or the error covers the difference. Sets
//! that a direction separates by more than rounding errors are never reported to overlap. Not guaranteed: that both
//! bounds meet; if they do not, the error states so.

pub(crate) mod axis_overlap;
pub(crate) mod coaxial;
pub(crate) mod overlap_descent;

use super::epa::{self, Depth};
use super::gjk::{
    DistanceBracket, GjkOutcome, SimplexCache, StopCriteria, nearest, nearest_at, nearest_from, nearest_twofold,
};
use crate::convex::common_point::{common, nearest_within, off, surely_inside};
use crate::convex::curved::axis_overlap::along;
use crate::convex::curved::overlap_descent::least_overlap_about;
use crate::convex::gjk::direction::Secant;
use crate::convex::gjk::simplex::{Simplex, Vertex};
use crate::convex::pair::{CoreSeparation, Scaled};
use crate::convex::support::{PlacedCore, Support, SupportPoint};
use crate::numeric::iteration_limits::{LimitedSearch, bounded};
use crate::numeric::twofold::{Twofold, Vector};
use heurt_geometry::{Vec3, robust_normalize};

/// Curved cores are approached, not found. `GAP`: the final gap of the bounds of a distance, in ε of the coordinates.
/// `DEPTH`: the final gap of the bounds of a depth, as a share of the sizes of the shapes.
const GAP: f64 = 8.0;
const DEPTH: f64 = 1e-13;
/// Maximum gap of the bounds of a distance that is not searched again, in ε of the coordinates.
const MAX_GAP: f64 = 16.0;
/// In ε of the coordinates: `ROUNDING`, the bound of the rounding error of a coordinate of a support point; `TOUCHING`,
/// the maximum depth that counts as none.
const ROUNDING: f64 = 8.0;
const TOUCHING: f64 = 24.0;
/// Maximum distance of sets that are reported to overlap, in ε of the coordinates.
const UNTOLD: f64 = TOUCHING + ROUNDING;
/// Maximum gap of the bounds of a depth that is not searched again with more room, as a share of the sizes.
const COARSE: f64 = 1e-9;

/// Offsets of B, as shares of the size. The best offset is approximately the radius of curvature at the contact, which
/// may be far smaller than the size.
const SHIFTS: [f64; 4] = [1.0, 0.125, 0.015_625, 1.0 / 4096.0];
/// Maximum overlap along the best direction found at which rounding errors may hide that sets are disjoint, as a share
/// of the size.
const HOPELESS: f64 = 1e-3;
/// Maximum number of directions searched at each offset.
const TURNS: u32 = 16;
/// A descent to a minimum of the overlap ends if at most this gain remains, in ε of the coordinates.
const MIN_GAIN: f64 = 1.0 / 16.0;

/// The limits of a search, and the size of the sets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Narrowing {
    pub until: StopCriteria,
    /// The gap of both bounds at which the search ends.
    pub open: f64,
    /// The sum of the sizes of both sets.
    pub size: f64,
}

/// A translated set.
struct Moved<'a, S> {
    set: &'a S,
    by: Vec3,
}

impl<S: Support> Support for Moved<'_, S> {
    fn support(&self, direction: Vec3) -> SupportPoint {
        let SupportPoint { point, name } = self.set.support(direction);
        SupportPoint { point: point + self.by, name }
    }

    fn middle(&self) -> Vec3 {
        self.set.middle() + self.by
    }
}

/// Tightens a known bracket of the distance of two sets as much as possible; the sets need not be known to be disjoint.
#[cold]
#[inline(never)]
pub(crate) fn narrowed(
    a: &impl Support,
    b: &impl Support,
    start: DistanceBracket,
    narrowing: Narrowing,
) -> DistanceBracket {
    let Narrowing { until, open, size } = narrowing;
    let mut best = start;
    let is_done = |best: &DistanceBracket| best.open() <= open || best.at_least > until.beyond;
    if is_done(&best) {
        return best;
    }
    if let GjkOutcome::Disjoint(found) = nearest_twofold(a, b, &SimplexCache::default(), -best.normal, until) {
        best.learn(&DistanceBracket::new(&found));
    }
    for share in SHIFTS {
        for _ in bounded(LimitedSearch::CurvedTurns, TURNS) {
            if is_done(&best) {
                return best;
            }
            let (by, known) = (best.normal * (share * size), best);
            let far = StopCriteria { beyond: f64::INFINITY, ..until };
            let GjkOutcome::Disjoint(found) =
                nearest::<Vec3>(a, &Moved { set: b, by }, &SimplexCache::default(), || -best.normal, far)
            else {
                break;
            };
            best.learn(&across(a, b, -found.offset));
            if let Some(simplex) = moved_back::<Twofold>(&found.simplex, by)
                && let GjkOutcome::Disjoint(found) = nearest_from(a, b, simplex, until)
            {
                best.learn(&DistanceBracket::new(&found));
            }
            if best.at_least <= known.at_least && best.at_most >= known.at_most {
                break;
            }
        }
        if best.at_least < -HOPELESS * size {
            break;
        }
    }
    best
}

/// Finds the direction from B to A along which sets overlap the least, among the line of their middles and the normals
/// of the faces of a tetrahedron.
pub(crate) fn out_of(a: &impl Support, b: &impl Support, simplex: &Simplex) -> Vec3 {
    let mut best = along(a, b, b.middle() - a.middle());
    let corners = simplex.corners();
    for (k, third) in corners.iter().enumerate() {
        let others = [corners[(k + 1) % corners.len()].w, corners[(k + 2) % corners.len()].w];
        let normal = robust_normalize((others[0] - third.w).cross(others[1] - third.w)).unwrap_or(Vec3::ZERO);
        for other in [normal, -normal].map(|normal| along(a, b, normal)) {
            if normal != Vec3::ZERO && (other.at_most < best.at_most || best.normal == Vec3::ZERO) {
                best = other;
            }
        }
    }
    -best.normal
}

/// Returns the bound that one direction gives, and the support points along it.
fn across(a: &impl Support, b: &impl Support, direction: Vec3) -> DistanceBracket {
    let Depth { at_most, normal, on_a, on_b, .. } = along(a, b, direction);
    let length = (on_b - on_a).length();
    DistanceBracket { at_least: -at_most, normal, at_most: length, length, points: [on_a, on_b] }
}

/// Returns the simplex found with B moved, at the original position of B.
fn moved_back<V: Vector>(simplex: &Simplex, by: Vec3) -> Option<(Simplex<V>, V)> {
    let corners = simplex.corners();
    let back = |corner: &Vertex| {
        let on_b = corner.b() - by;
        Vertex { w: V::between(on_b, corner.a), a: corner.a, names: corner.names }
    };
    if corners.len() <= 3 { Simplex::about(corners.iter().map(back)) } else { None }
}

/// Tests whether points of both sets are the same up to `rounding`. That proves that the sets meet, however thin the
/// tetrahedron that seems to hold the origin.
pub(crate) fn surely_common(simplex: &Simplex, rounding: f64) -> bool {
    off(nearest_within(simplex)) <= rounding
}

/// Bounds the distance of two sets although rounding errors ended the search, if a direction proves that they are
/// disjoint by more than `rounding`.
#[cold]
#[inline(never)]
pub(crate) fn bracket_if_disjoint(
    a: &impl Support,
    b: &impl Support,
    direction: Vec3,
    narrowing: Narrowing,
    rounding: f64,
) -> Option<DistanceBracket> {
    let mut best = across(a, b, -direction);
    if let GjkOutcome::Disjoint(found) =
        nearest_twofold(a, b, &SimplexCache::default(), a.middle() - b.middle(), narrowing.until)
    {
        let found = DistanceBracket::new(&found);
        // The support points along the reported direction prove it again.
        let result = across(a, b, found.normal);
        best.learn(&DistanceBracket { at_least: result.at_least, ..found });
    }
    best = narrowed(a, b, best, narrowing);
    best.at_least = across(a, b, best.normal).at_least;
    (best.at_least > rounding).then_some(best)
}

/// Computes the separation of two cores whose sizes sum to `size`. Cores within rounding errors of touching may be
/// answered in both cases.
#[inline(never)]
pub(crate) fn of_curved(a: &PlacedCore<'_>, b: &PlacedCore<'_>, size: f64, scaled: &Scaled) -> CoreSeparation {
    let narrowing = Narrowing { until: scaled.until(GAP), open: scaled.ulps(MAX_GAP), size };
    let result = |known: &DistanceBracket| match scaled.is_beyond(known.at_least) {
        true => CoreSeparation::BeyondMax,
        false => CoreSeparation::Disjoint(scaled.bracketed(known)),
    };
    let after_all = |direction: Vec3| {
        bracket_if_disjoint(a, b, direction, narrowing, scaled.ulps(ROUNDING)).map(|known| result(&known))
    };
    let simplex = match nearest_curved(a, b, scaled) {
        GjkOutcome::Disjoint(found) if scaled.is_beyond(found.at_least) => return CoreSeparation::BeyondMax,
        GjkOutcome::Disjoint(found) if found.at_least > 0.0 => {
            let (_, at_most, _) = found.proved();
            return match at_most - found.at_least <= narrowing.open {
                true => CoreSeparation::Disjoint(scaled.gap_of(&found)),
                false => result(&narrowed(a, b, DistanceBracket::new(&found), narrowing)),
            };
        }
        GjkOutcome::Disjoint(found) => {
            if let Some(disjoint) = after_all(found.offset) {
                return disjoint;
            }
            let touching = along(a, b, -found.offset);
            if touching.at_most <= scaled.ulps(TOUCHING) {
                return match scaled.question.depth {
                    true => scaled.deep(&touching),
                    false => CoreSeparation::Touching(touching.on_b * scaled.metre, scaled.ulps(UNTOLD) * scaled.metre),
                };
            }
            found.simplex
        }
        GjkOutcome::Inside(simplex) | GjkOutcome::Close(simplex) => simplex,
    };
    if !surely_common(&simplex, scaled.ulps(ROUNDING)) {
        let direction = out_of(a, b, &simplex);
        let least = || least_overlap_about(a, b, -direction, scaled.ulps(MIN_GAIN));
        if let Some(disjoint) = after_all(direction).or_else(|| after_all(-least().normal)) {
            return disjoint;
        }
    }
    if scaled.question.depth {
        return scaled.deep(&depth(a, b, &simplex, size, scaled));
    }
    let open = if surely_inside(&simplex, scaled.ulps(ROUNDING)) { 0.0 } else { scaled.ulps(UNTOLD) * scaled.metre };
    CoreSeparation::Touching(common(&simplex) * scaled.metre, open)
}

/// Bounds the depth of cores, the origin being in the simplex or near it.
fn depth(a: &PlacedCore<'_>, b: &PlacedCore<'_>, simplex: &Simplex, size: f64, scaled: &Scaled) -> Depth {
    let gap = scaled.ulps(4.0).max(DEPTH * size);
    // Points of curved faces are rounded more often than corners; if that turns a polytope inside out, more room helps.
    let mut best = Depth { at_least: 0.0, at_most: f64::INFINITY, normal: Vec3::Z, on_a: a.middle(), on_b: b.middle() };
    for room in [4.0, 256.0, 16384.0] {
        let Some(found) = epa::depth(a, b, simplex, gap.max(scaled.ulps(room)), scaled.ulps(room)) else { continue };
        let at_least = best.at_least.max(found.at_least);
        best = Depth { at_least, ..if found.at_most < best.at_most { found } else { best } };
        if best.at_most - at_least <= COARSE * size || best.at_most <= scaled.ulps(room) {
            break;
        }
    }
    // A simplex with the origin on its boundary may be inside out: then one of its own faces gives a better bound.
    let corners = simplex.corners();
    for (k, third) in corners.iter().enumerate() {
        let others = [corners[(k + 1) % corners.len()].w, corners[(k + 2) % corners.len()].w];
        let normal = robust_normalize((others[0] - third.w).cross(others[1] - third.w)).unwrap_or(Vec3::ZERO);
        for normal in [normal, -normal, -best.normal].into_iter().filter(|normal| *normal != Vec3::ZERO) {
            let other = along(a, b, normal);
            if other.at_most < best.at_most {
                best = Depth { at_least: best.at_least.min(other.at_most.max(0.0)), ..other };
            }
        }
    }
    if best.at_most - best.at_least <= gap {
        return best;
    }
    // If facets on all sides leave the depth open, a descent soon finds a minimum around the best facet.
    let found = least_overlap_about(a, b, best.normal, scaled.ulps(MIN_GAIN));
    let is_better = found.at_most < best.at_most;
    if is_better { Depth { at_least: best.at_least.min(found.at_most.max(0.0)), ..found } } else { best }
}

/// Finds the nearest points, by secants if both cores are smooth and the secants prove the distance.
fn nearest_curved(a: &PlacedCore<'_>, b: &PlacedCore<'_>, scaled: &Scaled) -> GjkOutcome {
    let until = scaled.until(GAP);
    let first = || a.middle() - b.middle();
    let plain = || nearest(a, b, &SimplexCache::default(), first, until);
    if !a.is_smooth() || !b.is_smooth() {
        return plain();
    }
    let found = nearest_at::<Vec3, Secant>(a, b, &SimplexCache::default(), first, until);
    let GjkOutcome::Disjoint(quick) = &found else { return found };
    if quick.at_least > until.beyond || scaled.is_proved(&scaled.gap_of(quick)) {
        return found;
    }
    match plain() {
        GjkOutcome::Disjoint(plain) if scaled.gap_of(&plain).error > scaled.gap_of(quick).error => found,
        plain => plain,
    }
}
