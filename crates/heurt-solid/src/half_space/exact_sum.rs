//! Exact signs of sums of products of two numbers: a floating-point filter, then integers.
//!
//! In: N pairs of finite `f64`. Out: the sign of the exact sum of their products.
//! Method: the rounded sum decides if it exceeds the bound (N + 1)u Σ|xy| of its rounding errors, taken twice, plus the
//! least normal number for underflow. Otherwise each product is an integer times a power of two; the sum over the
//! least power is exact.
//! Guarantees: exact for all finite numbers; an overflow in the filter goes to integers.

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

/// Computes the exact sign of the sum of products.
pub(crate) fn sign_of_products<const N: usize>(pairs: [[f64; 2]; N]) -> Sign {
    let (mut sum, mut magnitude) = (0.0, 0.0);
    for [x, y] in pairs {
        sum += x * y;
        magnitude += (x * y).abs();
    }
    let bound = 2.0 * (N as f64 + 1.0) * f64::EPSILON * magnitude + f64::MIN_POSITIVE;
    if sum.abs() > bound && magnitude.is_finite() {
        return Sign::of(sum);
    }
    let products = pairs.map(|[x, y]| {
        let ([m, e], [n, f]) = ([decode(x).0, i64::from(decode(x).1)], [decode(y).0, i64::from(decode(y).1)]);
        (i128::from(m) * i128::from(n), e + f)
    });
    let least = products.iter().filter(|product| product.0 != 0).map(|product| product.1).min().unwrap_or(0);
    let nonzero = products.iter().filter(|product| product.0 != 0);
    sign_of(&nonzero.map(|&(mantissa, exponent)| BigInt::from(mantissa) << (exponent - least) as usize).sum())
}
