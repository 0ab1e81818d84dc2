//! On which sides of a triangle's edges a line passes, exactly, and where it pierces it.
//!
//! Method: the side of the line o + t·d about an edge from p to q is the sign of d · ((p − o) × (q − o)). A filter decides
//! nearly every call; else the determinant, multiplied out, is summed without loss.
//! Guarantees: exact while the products of direction and two coordinates neither under- nor overflow.

use super::expansion::{Sum, two_product, two_sum};
use heurt_geometry::{Sign, Triangle, Vec3};

/// Per term: two differences, two products, three sums and one difference, each off by 2⁻⁵³; and room for underflow.
const BOUND: f64 = 1.2e-15;
const UNDERFLOW: f64 = 1e-300;
/// Eleven roundings by half an epsilon, and the second order.
const ROUNDINGS: f64 = 6.0 * f64::EPSILON;

/// The sign of direction · normal when the line through `origin` along `direction` (components within 1e±100) pierces the
/// closed triangle `t`: positive where it leaves along the normal. `None` when it misses `t` or lies in its plane.
#[inline(always)]
pub(crate) fn pierced(origin: Vec3, direction: Vec3, t: &Triangle) -> Option<Sign> {
    let [a, b, c] = t.map(|corner| corner - origin);
    let size = direction.abs();
    let side = |p: Vec3, q: Vec3| {
        let (yz, zy) = (p.y * q.z, p.z * q.y);
        let (zx, xz) = (p.z * q.x, p.x * q.z);
        let (xy, yx) = (p.x * q.y, p.y * q.x);
        let value = direction.x * (yz - zy) + direction.y * (zx - xz) + direction.z * (xy - yx);
        let permanent =
            size.x * (yz.abs() + zy.abs()) + size.y * (zx.abs() + xz.abs()) + size.z * (xy.abs() + yx.abs());
        (value, permanent * BOUND + UNDERFLOW)
    };
    let sides = [side(a, b), side(b, c), side(c, a)];
    let mut signs = [Sign::Zero; 3];
    for k in 0..3 {
        let (value, bound) = sides[k];
        signs[k] = if value.abs() > bound { Sign::of(value) } else { Sign::of(exact_side(origin, direction, t, k)) };
    }
    let found = |sign: Sign| signs.contains(&sign);
    match (found(Sign::Positive), found(Sign::Negative)) {
        (true, false) => Some(Sign::Positive),
        (false, true) => Some(Sign::Negative),
        _ => None,
    }
}

/// Where the line pierces the triangle, as a multiple of `direction` (greatest component in 1..2), and a bound on its error:
/// at most 16 · 2⁻⁵² of the greatest coordinate of the triangle relative to the origin, over the length of `direction`.
///
/// Method: one step of iterative refinement. About t₀ = (a − o)·n / d·n, the rest r = a − o − t₀ d is known nearly
/// without loss, so that t₁ = r·n / d·n errs by a small part of itself: with u = 2⁻⁵³, n by 6 u |e₁||e₂|, and so r·n by
/// 11 u |r||e₁||e₂| and d·n by 9 u |d||e₁||e₂|. Where that is too much, the line grazes or the triangle is a sliver,
/// and the exact shares of the corners are asked.
#[inline(always)]
pub(crate) fn distance_along(origin: Vec3, direction: Vec3, t: &Triangle) -> (f64, f64) {
    let [a, b, c] = t.map(|corner| corner - origin);
    let size = a.abs().max(b.abs()).max(c.abs()).max_element();
    let (one, other) = (t[1] - t[0], t[2] - t[0]);
    let normal = one.cross(other);
    let along = direction.dot(normal);
    let inverse = 1.0 / along;
    let near = a.dot(normal) * inverse;
    let rest = Vec3::from_array([0, 1, 2].map(
        #[inline(always)]
        |k| {
            let (reached, lost) = two_product(near, direction[k]);
            let (away, of_away) = two_sum(t[0][k], -origin[k]);
            let (high, low) = two_sum(away, -reached);
            high + (low + (of_away - lost))
        },
    ));
    let step = rest.dot(normal) * inverse;
    let distance = near + step;
    let sum = |x: Vec3| x.x.abs() + x.y.abs() + x.z.abs();
    let (length, spanned) = (sum(direction), ROUNDINGS * sum(one) * sum(other));
    let off = (sum(rest) + f64::EPSILON * size + step.abs() * length) * spanned;
    let error = off / (along.abs() - length * spanned) + f64::EPSILON * distance.abs();
    // Written so that what overflowed is not enough, nor what may have underflowed.
    if error >= 0.0 && error * length <= 16.0 * f64::EPSILON * size && along.abs() > 1e-150 {
        (distance, error)
    } else {
        distance_along_shares(origin, direction, t)
    }
}

/// [`distance_along`] by the exact shares of the corners: about sixteen roundings of corners at most √3 `size` away are left.
#[cold]
#[inline(never)]
fn distance_along_shares(origin: Vec3, direction: Vec3, t: &Triangle) -> (f64, f64) {
    let corners = t.map(|corner| corner - origin);
    let size = corners.iter().fold(0.0f64, |m, x| m.max(x.abs().max_element()));
    let length_sq = direction.length_squared();
    let (mut along, mut total) = (0.0, 0.0);
    for (k, corner) in corners.iter().enumerate() {
        // The share of a corner is the side of the edge that it does not touch.
        let share = exact_side(origin, direction, t, (k + 1) % 3).abs();
        along += share * corner.dot(direction);
        total += share;
    }
    (along / total / length_sq, 14.0 * f64::EPSILON * size / length_sq.sqrt())
}

/// det(d, p − o, q − o) = det(d, p, q) + det(d, q, o) + det(d, o, p) about edge number `k` from p to q, rounded once at the
/// end, in a unit that is the same for the three edges.
#[cold]
#[inline(never)]
fn exact_side(o: Vec3, d: Vec3, t: &Triangle, k: usize) -> f64 {
    let largest = t.iter().fold(o.abs().max_element(), |m, x| m.max(x.abs().max_element()));
    // Coordinates near 1 by a power of two, where products are safe; exact but for those 2⁻⁹⁰⁰ times the largest.
    let scale = f64::from_bits((2046 - (largest.to_bits() >> 52).clamp(1, 2045)) << 52);
    let [o, p, q] = [o, t[k], t[(k + 1) % 3]].map(|x| x * scale);
    // Two equal points span nothing.
    if o == p || o == q || p == q {
        return 0.0;
    }
    let mut sum = Sum::<72>::new();
    for (x, y) in [(p, q), (q, o), (o, p)] {
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            sum.add_product(x[i], y[j], d[k]);
            sum.add_product(-x[j], y[i], d[k]);
        }
    }
    sum.rounded()
}
