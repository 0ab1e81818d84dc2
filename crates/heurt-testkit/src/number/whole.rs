//! Coordinates as whole numbers over one common power of two, so that oracles round nothing before the end.

use heurt_geometry::Vec3;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

/// A vector of whole numbers.
pub(crate) type Big = [BigInt; 3];

/// Returns the points as integers times one common power of two.
pub(crate) fn integers(points: &[Vec3]) -> Vec<Big> {
    integers_and_power(points).0
}

/// Returns the points as integers, and the power of two by which to multiply them.
pub(crate) fn integers_and_power(points: &[Vec3]) -> (Vec<Big>, i64) {
    let parts = |x: f64| {
        let bits = x.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i64, (bits & 0xf_ffff_ffff_ffff) as i64);
        let (mantissa, power) = if exponent == 0 { (fraction, -1074) } else { (fraction + (1 << 52), exponent - 1075) };
        (if x < 0.0 { -mantissa } else { mantissa }, power)
    };
    let all = points.iter().flat_map(|p| p.to_array());
    let lowest = all.filter(|x| *x != 0.0).map(|x| parts(x).1).min().unwrap_or(0);
    let whole = |x: f64| {
        let (mantissa, power) = parts(x);
        if mantissa == 0 { BigInt::zero() } else { BigInt::from(mantissa) << (power - lowest) as usize }
    };
    (points.iter().map(|p| p.to_array().map(whole)).collect(), lowest)
}

pub(crate) fn minus(a: &Big, b: &Big) -> Big {
    [&a[0] - &b[0], &a[1] - &b[1], &a[2] - &b[2]]
}

pub(crate) fn cross(a: &Big, b: &Big) -> Big {
    [&a[1] * &b[2] - &a[2] * &b[1], &a[2] * &b[0] - &a[0] * &b[2], &a[0] * &b[1] - &a[1] * &b[0]]
}

pub(crate) fn dot(a: &Big, b: &Big) -> BigInt {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

pub(crate) fn determinant(a: &Big, b: &Big, c: &Big) -> BigInt {
    dot(a, &cross(b, c))
}

pub(crate) fn is_zero(a: &Big) -> bool {
    a.iter().all(Zero::is_zero)
}

pub(crate) fn sign(x: &BigInt) -> i32 {
    i32::from(x.is_positive()) - i32::from(x.is_negative())
}

/// A number of at least 0 as a fraction.
pub(crate) struct Fraction {
    pub(crate) over: BigInt,
    pub(crate) under: BigInt,
}

impl Fraction {
    pub(crate) fn is_below(&self, other: &Self) -> bool {
        &self.over * &other.under < &other.over * &self.under
    }

    pub(crate) fn lesser(self, other: Option<Self>) -> Self {
        match other {
            Some(other) if other.is_below(&self) => other,
            _ => self,
        }
    }
}

/// Computes the square root of a fraction, times a power of two.
pub(crate) fn square_root(of: &Fraction, power: i64) -> f64 {
    if of.over.is_zero() {
        return 0.0;
    }
    // Shifts so that the whole part of the root has more digits than a double.
    let shift = (160 + of.under.bits() as i64 - of.over.bits() as i64).max(0) / 2 * 2;
    let root = ((&of.over << shift as usize) / &of.under).sqrt();
    let drop = (root.bits() as i64 - 60).max(0);
    let digits = (root >> drop as usize).to_u64_digits().1.first().copied().unwrap_or(0);
    let power = power + drop - shift / 2;
    // In two steps: the power alone may leave the range of doubles although the product does not.
    digits as f64 * 2f64.powi((power / 2) as i32) * 2f64.powi((power - power / 2) as i32)
}
