//! Rules that integrate over [0, 1]: places and weights.

use std::f64::consts::PI;

/// Places of the rule of [`legendre`].
const PLACES: usize = 32;

/// The rule of Gauss and Legendre: exact for polynomials, and to the last bits for what is as smooth as a sine.
pub(super) fn legendre() -> impl Iterator<Item = (f64, f64)> {
    (0..PLACES).map(|k| {
        let n = PLACES as f64;
        let mut x = libm::cos(PI * (k as f64 + 0.75) / (n + 0.5));
        let mut slope = 1.0;
        // Newton's method from a place good to four digits.
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

/// The rule of Takahasi and Mori (1974) with so many places a unit: it crowds towards the ends, and minds no steepness
/// there. What grows from an end like tᵖ or faster is left out where it is below the rounding of what stands in the
/// middle.
pub(super) fn tanh_sinh(steps: u32, p: f64) -> impl Iterator<Item = (f64, f64)> {
    // The outermost places are 1e-37 and 1e-101 from the ends.
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
