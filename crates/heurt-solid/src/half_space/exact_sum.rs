//! Exact signs of sums of products of two numbers: a floating-point filter, then integers.
//!
//! In: N pairs of finite `f64`. Out: the sign of the exact sum of their products.
//! Method: the rounded sum decides if it exceeds the bound (N + 1)u Σ|xy| of its rounding errors, taken twice, plus the
//! least normal number for underflow. Otherwise each product is an integer times a power of two; the sum over the
//! least power is exact.
//! Guarantees: exact for all finite numbers; an overflow in the filter goes to integers.

use crate::exact_number::{decode, sign_of};
use heurt_geometry::Sign;
use num_bigint::BigInt;

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
