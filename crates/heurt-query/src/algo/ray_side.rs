//! On which sides of a triangle's edges a line passes, exactly.
//!
//! Method: the side of the line o + t·d about an edge from p to q is the sign of d · ((p − o) × (q − o)). A filter decides
//! nearly every call; else the determinant, multiplied out, is summed without loss.
//! Guarantees: exact while the products of direction and two coordinates neither under- nor overflow.

use super::expansion::Sum;
use heurt_geometry::{Sign, Triangle, Vec3};

/// A line that meets a triangle.
pub(crate) struct RaySides {
    /// Shares, not all zero and none negative, of the corners opposite to the edges ab, bc, ca; rounded.
    pub weights: [f64; 3],
    /// Bounds the error of their sum, as that of what they are a share of.
    pub doubt: f64,
    /// Positive when the line leaves through the triangle, along its normal.
    pub slope: Sign,
}

/// Per term: two differences, two products, three sums and one difference, each off by 2⁻⁵³; and room for underflow.
const BOUND: f64 = 1.2e-15;
const UNDERFLOW: f64 = 1e-300;

/// The sides of the line through `origin` along `direction` (components within 1e±100) about the edges of `t`; `None` when
/// it misses the closed triangle or lies in its plane.
#[inline(always)]
pub(crate) fn ray_sides(origin: Vec3, direction: Vec3, t: &Triangle) -> Option<RaySides> {
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
        signs[k] =
            if value.abs() > bound { Sign::of(value) } else { exact_side(origin, direction, t[k], t[(k + 1) % 3]) };
    }
    let found = |sign: Sign| signs.contains(&sign);
    let slope = match (found(Sign::Positive), found(Sign::Negative)) {
        (true, false) => Sign::Positive,
        (false, true) => Sign::Negative,
        _ => return None,
    };
    let weight = |k: usize| if signs[k] == Sign::Zero { 0.0 } else { sides[k].0.abs() };
    let mut weights = [weight(0), weight(1), weight(2)];
    if weights == [0.0; 3] {
        // Rounding sees the triangle edge-on: any of its corners is as good.
        weights = signs.map(|sign| if sign == Sign::Zero { 0.0 } else { 1.0 });
    }
    Some(RaySides { weights, doubt: sides[0].1 + sides[1].1 + sides[2].1, slope })
}

/// det(d, p − o, q − o) = det(d, p, q) + det(d, q, o) + det(d, o, p), without rounding.
#[cold]
#[inline(never)]
fn exact_side(o: Vec3, d: Vec3, p: Vec3, q: Vec3) -> Sign {
    let largest = [o, p, q].iter().fold(0.0f64, |m, x| m.max(x.abs().max_element()));
    // Coordinates near 1 by a power of two, where products are safe; exact but for those 2⁻⁹⁰⁰ times the largest.
    let scale = f64::from_bits((2046 - (largest.to_bits() >> 52).clamp(1, 2045)) << 52);
    let [o, p, q] = [o, p, q].map(|x| x * scale);
    // Two equal points span nothing.
    if o == p || o == q || p == q {
        return Sign::Zero;
    }
    let mut sum = Sum::<72>::new();
    for (x, y) in [(p, q), (q, o), (o, p)] {
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            sum.add_product(x[i], y[j], d[k]);
            sum.add_product(-x[j], y[i], d[k]);
        }
    }
    Sign::of(sum.leading())
}
