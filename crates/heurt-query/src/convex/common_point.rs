//! Common point of two convex sets, from a simplex of their difference that holds the origin.
//!
//! In: the final simplex of a search. Out: a point of each set, the same up to rounding, or one of both.
//! Method: the weights of the origin among the corners; for a flat tetrahedron the weights in its faces. If that leaves
//! the points different, the search runs again with twice the digits. Not guaranteed: that only rounding errors are
//! between the points; [`off`] returns their distance.

use super::gjk::{GjkOutcome, SimplexCache, StopCriteria, nearest_twofold};
use crate::convex::gjk::simplex::Simplex;
use crate::convex::support::{PlacedHull, Support};
use heurt_geometry::Vec3;

/// Tests whether the origin is inside a tetrahedron, farther from all its planes than rounding errors.
#[inline(always)]
pub(crate) fn surely_inside(simplex: &Simplex, rounding: f64) -> bool {
    let [p, q, r, s] = simplex.corners() else { return false };
    let [p, q, r, s] = [p.w, q.w, r.w, s.w];
    let is_behind = |a: Vec3, b: Vec3, c: Vec3, other: Vec3| {
        let (ab, ac) = (b - a, c - a);
        let normal = ab.cross(ac);
        let room = rounding * (ab.length_squared() * ac.length_squared()).sqrt();
        let (inner, origin) = (normal.dot(other - a), -normal.dot(a));
        inner.abs() > room && origin.abs() > room && inner * origin > 0.0
    };
    is_behind(p, q, r, s) && is_behind(p, q, s, r) && is_behind(p, r, s, q) && is_behind(q, r, s, p)
}

/// Returns a point of both sets, if a simplex of their difference holds the origin.
pub(crate) fn common(simplex: &Simplex) -> Vec3 {
    common_of(simplex, nearest_within(simplex))
}

#[inline(always)]
fn common_of(simplex: &Simplex, [on_a, on_b]: [Vec3; 2]) -> Vec3 {
    if simplex.corners().len() == 4 { on_a } else { (on_a + on_b) * 0.5 }
}

/// Returns a point of each set, the same up to rounding if a simplex of their difference holds the origin.
pub(crate) fn nearest_within(simplex: &Simplex) -> [Vec3; 2] {
    let [p, q, r, s] = simplex.corners() else { return simplex.witnesses() };
    let volume = |a: Vec3, b: Vec3, c: Vec3| a.dot(b.cross(c)).abs();
    let shares = [volume(q.w, r.w, s.w), volume(p.w, r.w, s.w), volume(p.w, q.w, s.w), volume(p.w, q.w, r.w)];
    let whole: f64 = shares.iter().sum();
    let on_a: Vec3 = [p, q, r, s].iter().zip(shares).map(|(corner, share)| corner.a * (share / whole)).sum();
    let on_b: Vec3 = [p, q, r, s].iter().zip(shares).map(|(corner, share)| corner.b() * (share / whole)).sum();
    let result = if on_a.is_finite() { [on_a, on_b] } else { [p.a, p.b()] };
    let largest = [p, q, r, s]
        .iter()
        .fold(0.0, |most, corner| f64::max(most, corner.a.abs().max(corner.b().abs()).max_element()));
    if off(result) <= 16.0 * f64::EPSILON * largest {
        return result;
    }
    // The volumes of a flat tetrahedron are rounding errors; its faces are as near to the origin as it is thick.
    let faces = [[p, q, r], [p, q, s], [p, r, s], [q, r, s]].map(|face| Simplex::about(face.map(|corner| *corner)));
    let of_faces = faces.into_iter().flatten().map(|(face, _)| face.witnesses());
    of_faces.fold(result, |best, next| if off(next) < off(best) { next } else { best })
}

/// Returns the largest coordinate of the difference of two points.
#[inline(always)]
pub(crate) fn off([on_a, on_b]: [Vec3; 2]) -> f64 {
    (on_b - on_a).abs().max_element()
}

/// Returns a point of both hulls, which share one. If the simplex gives it less exactly than `rounding`, it is computed
/// with twice the digits.
#[inline(always)]
pub(crate) fn shared_point(a: &PlacedHull<'_>, b: &PlacedHull<'_>, simplex: &Simplex, rounding: f64) -> Vec3 {
    let known = nearest_within(simplex);
    match off(known) <= rounding {
        true => common_of(simplex, known),
        false => point_by_more_digits(a, b, simplex, known),
    }
}

#[cold]
#[inline(never)]
fn point_by_more_digits(a: &PlacedHull<'_>, b: &PlacedHull<'_>, simplex: &Simplex, known: [Vec3; 2]) -> Vec3 {
    let until = StopCriteria { gap: 0.0, close: 0.0, beyond: f64::INFINITY };
    let found = match nearest_twofold(a, b, &SimplexCache::of(simplex), a.middle() - b.middle(), until) {
        GjkOutcome::Disjoint(found) => found.simplex,
        GjkOutcome::Inside(simplex) | GjkOutcome::Close(simplex) => simplex,
    };
    let better = (found.corners().len() <= 3).then(|| found.witnesses()).filter(|&points| off(points) < off(known));
    better.map_or_else(|| common_of(simplex, known), |[on_a, on_b]| (on_a + on_b) * 0.5)
}
