//! Points on the unit circle and on the unit superellipse, exact on their axes of symmetry.
//!
//! In: the index of a point, their number, exponents. Out: coordinates in [-1, 1].
//! Method: the angle is reduced to the first octant with integers before a cosine is taken, so that the eight octants
//! are mirror images bit for bit and the axes are exact. A cosine of 6e-17 instead of 0 is harmless on a circle, but
//! raised to the power 0.2 it is 6e-4 (S0's program rounds below 1e-5 to zero for that reason).
//! Guarantees: consecutive points differ; see [`superellipse`] for the spacing.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

/// Computes cosine and sine of the angle 2π · `index` / `count`, mirror-symmetric bit for bit.
pub(super) fn direction(index: u64, count: u64) -> (f64, f64) {
    let index = index % count;
    let (quarter, rest) = (4 * index / count, 4 * index % count);
    // The angle past the last axis is (rest / count) of a quarter turn; beyond its half, it is measured from the next
    // axis.
    let angle = |part: u64| TAU * (part as f64 / (4 * count) as f64);
    let (cos, sin) = if rest == 0 {
        (1.0, 0.0)
    } else if 2 * rest == count {
        (FRAC_1_SQRT_2, FRAC_1_SQRT_2)
    } else if 2 * rest < count {
        (libm::cos(angle(rest)), libm::sin(angle(rest)))
    } else {
        (libm::sin(angle(count - rest)), libm::cos(angle(count - rest)))
    };
    match quarter {
        0 => (cos, sin),
        1 => (-sin, cos),
        2 => (-cos, -sin),
        _ => (sin, -cos),
    }
}

/// Computes point `index` of `count` of the curve |x|^(2/n) + |y|^(2/n) = 1, which S0 §B.1.1 writes (cosⁿφ, sinⁿφ) with
/// signed powers.
///
/// Equal steps of φ, as in S0, crowd the points: for n → 0 nearly all fall on the corners of a square, where they are
/// equal bit for bit. Here, for n ≤ 2, the steps are equal in the *direction* of the point, which no n can collapse.
/// Above, the curve has spikes along its axes that equal directions would miss: there the n = 2 curve is stepped, and
/// its coordinates are raised to n/2.
pub(super) fn superellipse(index: u64, count: u64, n: f64) -> (f64, f64) {
    let (cos, sin) = direction(index, count);
    let (long, short) = (cos.abs().max(sin.abs()), cos.abs().min(sin.abs()));
    let base = n.min(2.0);
    // Dividing by the larger coordinate keeps every power within [0, 1]: no overflow, no 0/0 for tiny n.
    let stretch = 1.0 / (long * libm::pow(1.0 + libm::pow(short / long, 2.0 / base), base / 2.0));
    let (x, y) = (cos * stretch, sin * stretch);
    if n > 2.0 { (signed_power(x, n / 2.0), signed_power(y, n / 2.0)) } else { (x, y) }
}

/// Raises |value| to `exponent` and keeps the sign.
pub(super) fn signed_power(value: f64, exponent: f64) -> f64 {
    libm::pow(value.abs(), exponent).copysign(value)
}
