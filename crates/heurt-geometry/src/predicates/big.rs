//! The last resort: determinants in integers. Coordinates become integers over one common power of two.

use super::Sign;
use num_bigint::BigInt;

/// The coordinates as integers times one common power of two, which changes no sign of a homogeneous determinant.
fn integers<const D: usize, const N: usize>(points: &[[f64; D]; N]) -> [[BigInt; D]; N] {
    let lowest = points.as_flattened().iter().filter(|x| **x != 0.0).map(|x| decode(*x).1).min().unwrap_or(0);
    points.map(|point| {
        point.map(|x| {
            let (mantissa, exponent) = decode(x);
            if mantissa == 0 { BigInt::ZERO } else { BigInt::from(mantissa) << (exponent - lowest) as usize }
        })
    })
}

/// x = mantissa · 2^exponent.
#[inline]
pub(super) fn decode(x: f64) -> (i64, i32) {
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    (if x < 0.0 { -mantissa } else { mantissa }, exponent)
}

fn sign(x: &BigInt) -> Sign {
    match x.sign() {
        num_bigint::Sign::Minus => Sign::Negative,
        num_bigint::Sign::NoSign => Sign::Zero,
        num_bigint::Sign::Plus => Sign::Positive,
    }
}

fn minus<const D: usize>(a: &[BigInt; D], b: &[BigInt; D]) -> [BigInt; D] {
    std::array::from_fn(|k| &a[k] - &b[k])
}

fn triple(a: &[BigInt; 3], b: &[BigInt; 3], c: &[BigInt; 3]) -> BigInt {
    &a[0] * (&b[1] * &c[2] - &b[2] * &c[1])
        + &a[1] * (&b[2] * &c[0] - &b[0] * &c[2])
        + &a[2] * (&b[0] * &c[1] - &b[1] * &c[0])
}

pub(super) fn orient2d(points: &[[f64; 2]; 3]) -> Sign {
    let [a, b, c] = integers(points);
    let (u, v) = (minus(&b, &a), minus(&c, &a));
    sign(&(&u[0] * &v[1] - &u[1] * &v[0]))
}

pub(super) fn orient3d(points: &[[f64; 3]; 4]) -> Sign {
    let [a, b, c, d] = integers(points);
    sign(&triple(&minus(&b, &a), &minus(&c, &a), &minus(&d, &a)))
}

pub(super) fn insphere(points: &[[f64; 3]; 5]) -> Sign {
    let [a, b, c, d, e] = integers(points);
    let rows = [minus(&a, &e), minus(&b, &e), minus(&c, &e), minus(&d, &e)];
    let lift = |r: &[BigInt; 3]| &r[0] * &r[0] + &r[1] * &r[1] + &r[2] * &r[2];
    // Expanded along the lifted column; positive for `e` inside when a, b, c, d are positively oriented.
    let [a, b, c, d] = &rows;
    let sum =
        lift(a) * triple(b, c, d) - lift(b) * triple(a, c, d) + lift(c) * triple(a, b, d) - lift(d) * triple(a, b, c);
    sign(&sum)
}
