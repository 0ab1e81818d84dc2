//! Exact sums and products of `f64`, for results that a single rounding would spoil.
//!
//! Method: Dekker 1971 and Shewchuk 1997; no operation is fused, so every machine gets the same bits.
//! Guarantees: [`two_sum`] and [`two_product`] are exact while nothing under- or overflows. [`TwoTerms`] keeps
//! approximately 104 bits.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Computes a + b as the rounded sum and the rounding error.
#[inline(always)]
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// Computes a · b as the rounded product and the rounding error.
#[inline(always)]
pub(crate) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let split = |x: f64| {
        let wide = x * ((1u64 << 27) + 1) as f64;
        let high = wide - (wide - x);
        (high, x - high)
    };
    let product = a * b;
    let ((a, a_low), (b, b_low)) = (split(a), split(b));
    (product, ((a * b - product) + a * b_low + a_low * b) + a_low * b_low)
}

/// An exact sum of up to `N` numbers, least part first.
pub(crate) struct Sum<const N: usize> {
    parts: [f64; N],
    count: usize,
}

impl<const N: usize> Sum<N> {
    pub(crate) fn new() -> Self {
        Self { parts: [0.0; N], count: 0 }
    }

    /// Adds `x`; callable at most `N` times.
    pub(crate) fn add(&mut self, x: f64) {
        let mut carry = x;
        for part in &mut self.parts[..self.count] {
            (carry, *part) = two_sum(carry, *part);
        }
        self.parts[self.count] = carry;
        self.count += 1;
    }

    /// Adds a · b · c; counts as four additions.
    pub(crate) fn add_product(&mut self, a: f64, b: f64, c: f64) {
        let (high, low) = two_product(a, b);
        for part in [high, low] {
            let (high, low) = two_product(part, c);
            self.add(low);
            self.add(high);
        }
    }

    /// Returns the sum with its exact sign, and a relative error of a few units in the last place.
    pub(crate) fn rounded(&self) -> f64 {
        // The parts do not overlap: from the least one up, each sum rounds far below the next part.
        self.parts[..self.count].iter().sum()
    }
}

/// A number in two parts, the second below half a unit in the last place of the first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TwoTerms(pub f64, pub f64);

impl TwoTerms {
    /// Computes a − b, exactly.
    pub(crate) fn difference(a: f64, b: f64) -> Self {
        let (high, low) = two_sum(a, -b);
        Self(high, low)
    }
}

impl Add for TwoTerms {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (high, low) = two_sum(self.0, other.0);
        let (tail, rest) = two_sum(self.1, other.1);
        let (high, low) = two_sum(high, low + tail);
        let (high, low) = two_sum(high, low + rest);
        Self(high, low)
    }
}

impl Sub for TwoTerms {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + Self(-other.0, -other.1)
    }
}

impl Mul for TwoTerms {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let (high, low) = two_product(self.0, other.0);
        let (high, low) = two_sum(high, low + (self.0 * other.1 + self.1 * other.0));
        Self(high, low)
    }
}

impl Div for TwoTerms {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.0 / other.0;
        let rest = self - other * Self(first, 0.0);
        let second = rest.0 / other.0;
        let (high, low) = two_sum(first, second);
        Self(high, low)
    }
}

impl Neg for TwoTerms {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl PartialEq for TwoTerms {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for TwoTerms {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let difference = *self - *other;
        difference.0.partial_cmp(&0.0)
    }
}
