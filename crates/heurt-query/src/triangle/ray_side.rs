//! Exact sides of a line relative to the edges of a triangle, and the parameter where the line pierces it.
//!
//! Method: the side of the line o + t·d relative to an edge from p to q is the sign of d · ((p − o) × (q − o)). A
//! filter decides nearly every call; else the determinant, multiplied out, is summed without loss.
//! Guarantees: exact for every finite origin and triangle (coordinates 2⁻⁹⁰⁰ times the largest count as zero) and
//! directions whose largest component is approximately 1.

use crate::numeric::expansion::{Sum, two_product, two_sum};
use heurt_geometry::{Sign, Triangle, Vec3};

/// Bound per term: two differences, two products, three sums and one difference, each off by 2⁻⁵³; and a margin for
/// underflow.
const BOUND: f64 = 1.2e-15;
const UNDERFLOW: f64 = 1e-300;

/// How a line passes a closed triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RayPassageSide {
    /// No common point; or the line crosses a triangle without area, and crosses its edges as well.
    Beside,
    /// The line is in the plane of the triangle, through it or not.
    InPlane,
    /// The line passes through; with the sign of direction · normal, positive if it leaves along the normal.
    Through(Sign),
}

/// Classifies how the line through `origin` along `direction` passes `t`.
#[inline(always)]
pub(crate) fn passage(origin: Vec3, direction: Vec3, t: &Triangle) -> RayPassageSide {
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
        (true, false) => RayPassageSide::Through(Sign::Positive),
        (false, true) => RayPassageSide::Through(Sign::Negative),
        (true, true) => RayPassageSide::Beside,
        (false, false) => RayPassageSide::InPlane,
    }
}

/// Computes the parameter at which the line pierces the triangle, as a multiple of `direction` (greatest component in
/// 1..2), and a bound on its error: at most 32 · 2⁻⁵² of the greatest coordinate involved, over the length of
/// `direction`.
///
/// Method: one step of iterative refinement. At t₀ = (a − o)·n / d·n, the remainder r = a − o − t₀ d is small and known
/// to two roundings of a − o, else nearly without loss, so t₁ = r·n / d·n has a small error. With u = 2⁻⁵³ and p the
/// normal with sums for differences, n errs by 4 u p, then r·n by 7 u |r|·p and d·n by 7 u |d|·p. If that is still too
/// much, the line grazes or the triangle is a sliver, and the exact shares of the corners are used.
#[inline(always)]
pub(crate) fn distance_along(origin: Vec3, direction: Vec3, t: &Triangle) -> (f64, f64) {
    const EPSILON: f64 = f64::EPSILON;
    let away = t[0] - origin;
    let (one, other) = (t[1] - t[0], t[2] - t[0]);
    let normal = one.cross(other);
    let permanent = Vec3::new(
        (one.y * other.z).abs() + (one.z * other.y).abs(),
        (one.z * other.x).abs() + (one.x * other.z).abs(),
        (one.x * other.y).abs() + (one.y * other.x).abs(),
    );
    let along = direction.dot(normal);
    let inverse = 1.0 / along;
    let near = away.dot(normal) * inverse;
    let of_along = 4.0 * EPSILON * direction.abs().dot(permanent);
    let coordinates = origin.abs().max(t[0].abs()).max(t[1].abs()).max(t[2].abs());
    let tolerable = 32.0 * EPSILON * coordinates.max_element();
    let refined = |rest: Vec3, of_rest: Vec3| {
        let step = rest.dot(normal) * inverse;
        let off = 4.0 * EPSILON * rest.abs().dot(permanent) + of_rest.dot(normal.abs()) + step.abs() * of_along;
        let distance = near + step;
        // The factor 1.125 covers the error of `along`.
        let error = off * inverse.abs() * 1.125 + EPSILON * (distance.abs() + 2.0 * step.abs());
        // Written so that overflow fails the test, as does possible underflow.
        let is_enough =
            error * direction.length() <= tolerable && along.abs() >= 10.0 * of_along && along.abs() > 1e-150;
        is_enough.then_some((distance, error))
    };
    let rest = away - direction * near;
    refined(rest, (away.abs() + rest.abs()) * EPSILON)
        .or_else(|| refined(rest_along(origin, direction, t[0], near), away.abs() * (EPSILON * EPSILON)))
        .unwrap_or_else(|| distance_along_shares(origin, direction, t))
}

/// Computes point − origin − along · direction, rounded once except for second-order terms.
fn rest_along(origin: Vec3, direction: Vec3, point: Vec3, along: f64) -> Vec3 {
    Vec3::from_array([0, 1, 2].map(|k| {
        let (reached, lost) = two_product(along, direction[k]);
        let (away, of_away) = two_sum(point[k], -origin[k]);
        let (high, low) = two_sum(away, -reached);
        high + (low + (of_away - lost))
    }))
}

/// Computes [`distance_along`] by the exact shares of the corners: approximately sixteen roundings of corners at a
/// distance of at most √3 `size` remain.
#[cold]
#[inline(never)]
fn distance_along_shares(origin: Vec3, direction: Vec3, t: &Triangle) -> (f64, f64) {
    let corners = t.map(|corner| corner - origin);
    let size = corners.iter().fold(0.0f64, |m, x| m.max(x.abs().max_element()));
    let (length_sq, unit) = (direction.length_squared(), near_one(origin, t));
    let (mut along, mut total) = (0.0, 0.0);
    for (k, corner) in corners.iter().enumerate() {
        // The share of a corner is the side of the opposite edge.
        let share = exact_side(origin, direction, t, (k + 1) % 3).abs();
        along += share * (*corner * unit).dot(direction);
        total += share;
    }
    (along / total / length_sq / unit, 14.0 * f64::EPSILON * size / length_sq.sqrt())
}

/// Computes det(d, p − o, q − o) = det(d, p, q) + det(d, q, o) + det(d, o, p) for edge number `k` from p to q. The
/// result is rounded once at the end, in a unit that is the same for the three edges.
#[cold]
#[inline(never)]
fn exact_side(o: Vec3, d: Vec3, t: &Triangle, k: usize) -> f64 {
    // Coordinates are scaled up, so that products with tiny components of the direction keep their last digits.
    const ROOM: f64 = (1u128 << 120) as f64;
    let scale = near_one(o, t);
    let [o, p, q] = [o, t[k], t[(k + 1) % 3]].map(|x| x * scale * ROOM * ROOM);
    // Two equal points give a determinant of zero.
    if o == p || o == q || p == q {
        return 0.0;
    }
    let mut sum = Sum::<72>::new();
    let mut add = |x: Vec3, y: Vec3| {
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            sum.add_product(x[i], y[j], d[k]);
            sum.add_product(-x[j], y[i], d[k]);
        }
    };
    let is_exact = |x: Vec3| (0..3).all(|k| two_sum(x[k], -o[k]).1 == 0.0);
    if is_exact(p) && is_exact(q) {
        add(p - o, q - o);
    } else {
        add(p, q);
        add(q, o);
        add(o, p);
    }
    sum.rounded()
}

/// Returns the power of two that brings the largest coordinate near 1, where products are safe.
pub(crate) fn near_one(origin: Vec3, t: &Triangle) -> f64 {
    let largest = t.iter().fold(origin.abs().max_element(), |m, x| m.max(x.abs().max_element()));
    f64::from_bits((2046 - (largest.to_bits() >> 52).clamp(1, 2045)) << 52)
}
