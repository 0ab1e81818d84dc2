//! Keeps coordinates where expansions of floating-point numbers are exact.
//!
//! A determinant of degree k over coordinates that are multiples of 2^l sums products that are multiples of 2^(k·l):
//! they are exact while k·l ≥ −1074 and no sum of them overflows. A common power of two changes no sign.

/// Magnitudes that nonzero coordinates may have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    least: f64,
    greatest: f64,
}

/// 2^exponent.
const fn power(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

impl Limits {
    /// Multiples of 2^−512: k·l = −1024.
    pub const DEGREE_TWO: Self = Self { least: power(-460), greatest: power(500) };
    /// Multiples of 2^−352: k·l = −1056.
    pub const DEGREE_THREE: Self = Self { least: power(-300), greatest: power(330) };
    /// Multiples of 2^−212: k·l = −1060.
    pub const DEGREE_FIVE: Self = Self { least: power(-160), greatest: power(195) };
}

/// Scales `points` into the limits when they are not there yet; `false` when no power of two does that exactly.
#[inline]
pub(super) fn fit<const D: usize, const N: usize>(points: &mut [[f64; D]; N], limits: Limits) -> bool {
    let (mut least, mut greatest) = (f64::INFINITY, 0.0f64);
    for x in points.as_flattened() {
        let x = x.abs();
        greatest = greatest.max(x);
        least = if x > 0.0 { least.min(x) } else { least };
    }
    if greatest <= limits.greatest && least >= limits.least || greatest == 0.0 {
        return true;
    }
    // Bring the greatest to approximately 1; the least then shows whether everything fits.
    let exponent = -(binary_exponent(greatest));
    let scaled_least = scale(least, exponent);
    if scaled_least < limits.least || scale(scaled_least, -exponent) != least {
        return false;
    }
    points.as_flattened_mut().iter_mut().for_each(|x| *x = scale(*x, exponent));
    true
}

/// x · 2^exponent for |exponent| ≤ 1100, in two exact steps when the result is normal.
pub(crate) fn scale(x: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    x * power(half) * power(exponent - half)
}

/// The e with 2^e ≤ x < 2^(e+1).
pub(crate) fn binary_exponent(x: f64) -> i32 {
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32;
    if exponent == 0 { -1074 + 63 - x.to_bits().leading_zeros() as i32 } else { exponent - 1023 }
}
