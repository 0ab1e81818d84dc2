//! Finite `f64` as integers times powers of two, the signs of integers, and vectors of integers.

use heurt_geometry::Sign;
use num_bigint::BigInt;

/// Decomposes x as mantissa · 2^exponent.
pub(crate) fn decode(x: f64) -> (i64, i32) {
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    (if x < 0.0 { -mantissa } else { mantissa }, exponent)
}

/// Returns the sign of an integer.
pub(crate) fn sign_of(x: &BigInt) -> Sign {
    match x.sign() {
        num_bigint::Sign::Minus => Sign::Negative,
        num_bigint::Sign::NoSign => Sign::Zero,
        num_bigint::Sign::Plus => Sign::Positive,
    }
}

/// Computes a − b.
pub(crate) fn minus(a: &[BigInt; 3], b: &[BigInt; 3]) -> [BigInt; 3] {
    [0, 1, 2].map(|k| &a[k] - &b[k])
}

/// Computes a × b.
pub(crate) fn cross(a: [&BigInt; 3], b: [&BigInt; 3]) -> [BigInt; 3] {
    [[1, 2], [2, 0], [0, 1]].map(|[i, j]| a[i] * b[j] - a[j] * b[i])
}

/// Computes a · b.
pub(crate) fn dot(a: &[BigInt; 3], b: &[BigInt; 3]) -> BigInt {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}
