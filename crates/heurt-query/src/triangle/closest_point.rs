//! Nearest point of a triangle to a given point, in `f64`.
//!
//! Method: the foot of the perpendicular if it is inside, else the nearest point of the edges. Each edge is computed on
//! its own and is exact to a few ulp for any shape of the triangle. The normal is not: rounding tilts it by
//! approximately 4u over the sine of the corner (u = 2⁻⁵³), and the error of the distance is this angle times the
//! triangle's length. Below a sine of a half the normal is computed in double-double arithmetic.

use crate::numeric::expansion::TwoTerms;
use heurt_geometry::{Triangle, Vec3};

/// Finds the nearest point of the closed triangle to `p`.
pub(crate) fn closest_on_triangle(p: Vec3, t: &Triangle) -> Vec3 {
    let [a, b, c] = *t;
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let normal = ab.cross(ac);
    let area_sq = normal.length_squared();
    if area_sq < 0.25 * ab.length_squared() * ac.length_squared() {
        return foot_on_needle(p, t).unwrap_or_else(|| nearest_on_edges(p, t));
    }
    // Barycentric weights of the foot of the perpendicular, times `area_sq`.
    let v = normal.dot(ap.cross(ac));
    let w = normal.dot(ab.cross(ap));
    if v > 0.0 && w > 0.0 && v + w < area_sq && area_sq.is_normal() {
        let foot = p - normal * (normal.dot(ap) / area_sq);
        if foot.is_finite() {
            return foot;
        }
    }
    nearest_on_edges(p, t)
}

/// Computes the foot of the perpendicular in double-double arithmetic; `None` if it is outside, or the triangle is too
/// thin even for that.
#[cold]
#[inline(never)]
fn foot_on_needle(p: Vec3, t: &Triangle) -> Option<Vec3> {
    let from_a = |q: Vec3| [0, 1, 2].map(|k| TwoTerms::difference(q[k], t[0][k]));
    let dot = |x: &[TwoTerms; 3], y: &[TwoTerms; 3]| x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    let cross = |x: &[TwoTerms; 3], y: &[TwoTerms; 3]| {
        [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
    };
    let (ab, ac, ap) = (from_a(t[1]), from_a(t[2]), from_a(p));
    let normal = cross(&ab, &ac);
    let area_sq = dot(&normal, &normal);
    let (v, w) = (dot(&normal, &cross(&ap, &ac)), dot(&normal, &cross(&ab, &ap)));
    // Below a sine of 2⁻⁵⁰ the triangle is thinner than four ulp of its length: its edges represent it. Above,
    // double-double arithmetic gives its normal to 2⁻⁵⁴.
    let thick = area_sq.0.is_normal() && area_sq.0 > dot(&ab, &ab).0 * dot(&ac, &ac).0 * 2f64.powi(-100);
    if !(thick && v.0 > 0.0 && w.0 > 0.0 && (area_sq - v - w).0 > 0.0) {
        return None;
    }
    let height = dot(&normal, &ap).0 / area_sq.0;
    let foot = p - Vec3::new(normal[0].0, normal[1].0, normal[2].0) * height;
    foot.is_finite().then_some(foot)
}

/// Finds the nearest point of the three edges.
#[inline(always)]
fn nearest_on_edges(p: Vec3, t: &Triangle) -> Vec3 {
    let [a, b, c] = *t;
    let feet = [foot_on_segment(p, a, b), foot_on_segment(p, b, c), foot_on_segment(p, c, a)];
    let nearer = |x: Vec3, y: Vec3| if (y - p).length_squared() < (x - p).length_squared() { y } else { x };
    nearer(nearer(feet[0], feet[1]), feet[2])
}

/// Finds the nearest point of the closed segment to `p`, computed from the nearer end.
pub(crate) fn foot_on_segment(p: Vec3, a: Vec3, b: Vec3) -> Vec3 {
    let along = b - a;
    let length_sq = along.length_squared();
    let share = (p - a).dot(along) / length_sq;
    if share > 0.0 && share <= 0.5 {
        a + along * share
    } else if share > 0.5 && share < 1.0 {
        b - along * ((b - p).dot(along) / length_sq)
    } else if share >= 1.0 {
        b
    } else {
        a
    }
}
