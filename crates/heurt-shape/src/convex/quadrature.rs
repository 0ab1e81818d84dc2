//! Quadrature rules over [0, 1]: positions and weights.

use std::f64::consts::PI;

/// Number of positions of the rule of [`legendre`].
const PLACES: usize = 32;

/// Returns the rule of Gauss and Legendre: exact for polynomials, and to the last bits for functions as smooth as a
/// sine.
pub(super) fn legendre() -> impl Iterator<Item = (f64, f64)> {
    (0..PLACES).map(|k| {
        let n = PLACES as f64;
        let mut x = libm::cos(PI * (k as f64 + 0.75) / (n + 0.5));
        let mut slope = 1.0;
        // Newton's method from a start accurate to four digits.
        for _ in 0..6 {
            let (mut last, mut value) = (1.0, x);
            for degree in 2..=PLACES {
                let d = degree as f64;
                (last, value) = (value, ((2.0 * d - 1.0) * x * value - (d - 1.0) * last) / d);
            }
            slope = n * (x * value - last) / (x * x - 1.0);
            x -= value / slope;
        }
        ((1.0 + x) / 2.0, 1.0 / ((1.0 - x * x) * slope * slope))
    })
}

/// Returns the rule of Takahasi and Mori (1974) with `steps` positions a unit. Its positions cluster at the ends, and
/// it tolerates any steepness there. An integrand that grows from an end like tᵖ or faster is truncated where it is
/// below the rounding of the integrand in the middle.
pub(super) fn tanh_sinh(steps: u32, p: f64) -> impl Iterator<Item = (f64, f64)> {
    // The outermost positions are 1e-37 and 1e-101 from the ends.
    let reach = if p < 0.5 { 5 } else { 4 };
    let last = (reach * steps) as i32;
    (-last..=last).map(move |k| {
        let u = f64::from(k) / f64::from(steps);
        let stretched = PI * libm::sinh(u);
        let place = 1.0 / (1.0 + libm::exp(-stretched));
        let rest = 1.0 / (1.0 + libm::exp(stretched));
        (place, PI * libm::cosh(u) * place * rest / f64::from(steps))
    })
}
