//! Numbers m · 2ⁿ with whole m and n of any length: every float is one, and sums and products of them round nothing.

use heurt_geometry::Vec3;
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

/// A number m · 2ⁿ.
#[derive(Debug, Clone)]
pub struct Dyadic {
    digits: BigInt,
    power: i64,
}

impl Dyadic {
    /// Converts a finite float.
    pub fn of(x: impl Into<f64>) -> Self {
        let x: f64 = x.into();
        assert!(x.is_finite(), "{x} is no number");
        let bits = x.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i64, (bits & 0xf_ffff_ffff_ffff) as i64);
        let (digits, power) = if exponent == 0 { (fraction, -1074) } else { (fraction + (1 << 52), exponent - 1075) };
        Self { digits: BigInt::from(if x < 0.0 { -digits } else { digits }), power }
    }

    /// Converts the coordinates of a point.
    pub fn of_point(point: Vec3) -> [Self; 3] {
        point.to_array().map(Self::of)
    }

    /// Returns 2ⁿ.
    pub fn power_of_two(power: i64) -> Self {
        Self { digits: BigInt::from(1), power }
    }

    /// Returns its magnitude.
    #[must_use]
    pub fn abs(&self) -> Self {
        Self { digits: self.digits.abs(), power: self.power }
    }

    /// Returns the number, or zero if it is negative.
    #[must_use]
    pub fn or_zero(self) -> Self {
        if self.digits.is_negative() { Self { digits: BigInt::zero(), power: 0 } } else { self }
    }

    /// Returns the nearest float up to one ulp, if it is neither too large for one nor denormal.
    pub fn rounded(&self) -> f64 {
        let most_bits = 64;
        let shift = self.digits.bits().saturating_sub(most_bits);
        let digits = (&self.digits >> shift).to_f64().unwrap_or(f64::NAN);
        // In halves, each of which is in range.
        let power = i32::try_from(self.power + shift as i64).unwrap_or(i32::MAX);
        digits * 2f64.powi(power / 2) * 2f64.powi(power - power / 2)
    }

    /// Returns both numbers in units of the lesser power.
    fn aligned(&self, other: &Self) -> (BigInt, BigInt, i64) {
        let power = self.power.min(other.power);
        let whole = |x: &Self| &x.digits << (x.power - power) as usize;
        (whole(self), whole(other), power)
    }
}

impl Add for &Dyadic {
    type Output = Dyadic;
    fn add(self, other: Self) -> Dyadic {
        let (x, y, power) = self.aligned(other);
        Dyadic { digits: x + y, power }
    }
}

impl Sub for &Dyadic {
    type Output = Dyadic;
    fn sub(self, other: Self) -> Dyadic {
        let (x, y, power) = self.aligned(other);
        Dyadic { digits: x - y, power }
    }
}

impl Mul for &Dyadic {
    type Output = Dyadic;
    fn mul(self, other: Self) -> Dyadic {
        Dyadic { digits: &self.digits * &other.digits, power: self.power + other.power }
    }
}

impl PartialEq for Dyadic {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Dyadic {}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Dyadic {
    fn cmp(&self, other: &Self) -> Ordering {
        let (x, y, _) = self.aligned(other);
        x.cmp(&y)
    }
}

/// Computes the dot product of two vectors.
pub fn dot(a: &[Dyadic; 3], b: &[Dyadic; 3]) -> Dyadic {
    let [x, y, z] = [0, 1, 2].map(|k| &a[k] * &b[k]);
    &(&x + &y) + &z
}

/// Computes the difference of two vectors.
pub fn minus(a: &[Dyadic; 3], b: &[Dyadic; 3]) -> [Dyadic; 3] {
    [0, 1, 2].map(|k| &a[k] - &b[k])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_rounded() {
        let [one, tiny] = [1.0, 1e-300].map(Dyadic::of);
        assert!(&one + &tiny > one && &one - &tiny < one);
        assert_eq!(&(&one + &tiny) - &one, tiny);
        assert_eq!(Dyadic::of(-0.75f32), &Dyadic::of(0.25) - &Dyadic::of(1.0));
        assert_eq!(&Dyadic::of(3.0) * &Dyadic::power_of_two(-1), Dyadic::of(1.5));
        assert_eq!(Dyadic::of(-2.0).abs(), Dyadic::of(2.0));
        assert_eq!(Dyadic::of(-2.0).or_zero(), Dyadic::of(0.0));
        assert_eq!((&Dyadic::of(1e300) * &Dyadic::of(-1e-300)).rounded(), 1e300 * -1e-300);
        let v = Dyadic::of_point(Vec3::new(1.0, 2.0, -3.0));
        assert_eq!(dot(&v, &v), Dyadic::of(14.0));
        assert_eq!(minus(&v, &v)[2], Dyadic::of(5e-324 - 5e-324));
    }
}
