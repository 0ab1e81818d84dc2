//! Lengths, and the nearest points of segments and triangles, at any scale.
//!
//! In: points. Out: the point of a segment or triangle that is nearest to a point, and the distance.
//! Method: values are scaled to the size of 1 by a power of two before they are squared, so that the answers are the
//! same in every unit. Guarantees: finite for finite points whose differences are finite; a segment or triangle without
//! extent counts as its point or segment. Cost: O(1).

use heurt_geometry::{Vec3, power_of_two_scale, robust_length};

/// Computes the distance of two points.
#[inline]
pub(crate) fn distance(a: Vec3, b: Vec3) -> f64 {
    // In this range squares neither overflow nor underflow.
    const SURE: std::ops::Range<f64> = 1e-140..1e140;
    let plain = a.distance(b);
    if SURE.contains(&plain) {
        return plain;
    }
    robust_length(b - a)
}

/// Distances whose shares differ by no more than this are compared by the places: far away, all of them are one number.
const SAME_DISTANCE: f64 = 8.0 * f64::EPSILON;

/// Reports whether `one`, at a distance of `near` from `p`, is nearer than `two` at a distance of `far`.
pub(crate) fn is_nearer((one, near): (Vec3, f64), (two, far): (Vec3, f64), p: Vec3) -> bool {
    if (near - far).abs() > SAME_DISTANCE * near.max(far) {
        return near < far;
    }
    // The halfspace of the points that are nearer to `one`; scaled, since far away the product would overflow.
    let (offset, from_middle) = (two - one, p - (0.5 * one + 0.5 * two));
    let unit = |v: Vec3| v * power_of_two_scale(v.abs().max_element());
    unit(offset).dot(unit(from_middle)) < 0.0
}

/// Finds the point of a segment nearest to `p`.
pub(crate) fn on_segment(a: Vec3, b: Vec3, p: Vec3) -> Vec3 {
    let units = power_of_two_scale((b - a).abs().max_element());
    let along = (b - a) * units;
    let share = (((p - a) * units).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    if share.is_nan() { a } else { a + (b - a) * share }
}

/// Finds the point of a triangle nearest to `p`: in its inside if `p` is over it, else on a side.
pub(crate) fn on_triangle([a, b, c]: [Vec3; 3], p: Vec3) -> Vec3 {
    let sides = [[a, b], [b, c], [c, a]];
    let units = power_of_two_scale((b - a).abs().max((c - a).abs()).max_element());
    let local = |v: Vec3| (v - a) * units;
    let (at, normal) = (local(p), local(b).cross(local(c)));
    let foot = at - normal * (at.dot(normal) / normal.length_squared());
    let is_over = |&[x, y]: &[Vec3; 2]| (local(y) - local(x)).cross(at - local(x)).dot(normal) >= 0.0;
    if foot.is_finite() && sides.iter().all(is_over) {
        return a + foot / units;
    }
    let [first, second, third] = sides.map(|[x, y]| on_segment(x, y, p));
    let nearer = |x: Vec3, y: Vec3| if is_nearer((y, distance(y, p)), (x, distance(x, p)), p) { y } else { x };
    nearer(nearer(first, second), third)
}
