//! Double-double arithmetic with a bound on its error, for values and signs of small polynomials of coordinates.
//!
//! In: `f64` coordinates scaled to approximately 1. Out: [`Bounded`]: an unevaluated sum of two numbers and the sum of
//! the magnitudes of the terms.
//! Method: error-free sums (Knuth) and products (Veltkamp, Dekker 1971); Hida, Li and Bailey 2001 for pairs. No
//! operation is fused.
//! Guarantees: each operation adds a relative error of at most 2⁻¹⁰² of the magnitude. A polynomial of fewer than 64
//! operations is therefore off by at most 2⁻⁹⁶ of its magnitude, if nothing underflows. [`Bounded::is_certain`]
//! requires 2⁻⁹⁰ and values above 1e-200. A quotient inherits the errors of both operands: its magnitude is (magnitude
//! of the numerator + magnitude of the denominator × quotient) / denominator.

/// Share of the magnitude beyond which the sign of a value is certain, and the value is accurate within 2⁻⁶ of itself.
const CERTAIN: f64 = 1.0 / (1u128 << 90) as f64;
/// Least value whose sign counts: products of four factors below it lose digits to underflow.
const LEAST: f64 = 1e-200;

/// Below this magnitude an error of 2⁻⁹⁶ of it is far below an ulp of 1.
const FINE: f64 = (1u64 << 36) as f64;

/// A number as an unevaluated sum of two, and a bound on the magnitudes of the terms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounded {
    high: f64,
    low: f64,
    magnitude: f64,
}

/// Computes a + b = sum + error, exactly.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// Computes a · b = product + error, exactly.
#[inline(always)]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    /// 2²⁷ + 1 splits 53 bits in halves.
    const SPLITTER: f64 = 134_217_729.0;
    let split = |x: f64| {
        let large = x * SPLITTER;
        let high = large - (large - x);
        (high, x - high)
    };
    let product = a * b;
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    (product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low)
}

impl Bounded {
    pub(crate) fn new(value: f64) -> Self {
        Self { high: value, low: 0.0, magnitude: value.abs() }
    }

    /// Computes a − b, exactly.
    #[inline(always)]
    pub(crate) fn difference(a: f64, b: f64) -> Self {
        let (high, low) = two_sum(a, -b);
        Self { high, low, magnitude: high.abs() }
    }

    #[inline(always)]
    pub(crate) fn plus(self, other: Self) -> Self {
        let (sum, error) = two_sum(self.high, other.high);
        let (high, low) = two_sum(sum, error + (self.low + other.low));
        Self { high, low, magnitude: self.magnitude + other.magnitude }
    }

    #[inline(always)]
    pub(crate) fn minus(self, other: Self) -> Self {
        self.plus(Self { high: -other.high, low: -other.low, ..other })
    }

    #[inline(always)]
    pub(crate) fn times(self, other: Self) -> Self {
        let (product, error) = two_product(self.high, other.high);
        let (high, low) = two_sum(product, error + (self.high * other.low + self.low * other.high));
        Self { high, low, magnitude: self.magnitude * other.magnitude }
    }

    /// Divides by a value that is certain; its error is at most 2⁻⁶ of it, so second-order terms are within the margin
    /// of [`FINE`].
    #[inline(always)]
    pub(crate) fn over(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self.minus(other.times(Self::new(first)));
        let (high, low) = two_sum(first, rest.high / other.high);
        Self { high, low, magnitude: (self.magnitude + high.abs() * other.magnitude) / other.high.abs() }
    }

    /// Returns the rounded value.
    #[inline(always)]
    pub(crate) fn value(self) -> f64 {
        self.high
    }

    /// Reports whether the value is accurate within an ulp of 1, for a number of approximately that size or less.
    #[inline(always)]
    pub(crate) fn is_fine(self) -> bool {
        self.magnitude < FINE
    }

    /// Reports whether the sign is certain.
    #[inline(always)]
    pub(crate) fn is_certain(self) -> bool {
        self.high.abs() > CERTAIN * self.magnitude && self.high.abs() > LEAST
    }
}

#[cfg(test)]
mod tests {
    use super::Bounded;

    #[test]
    fn products_and_sums_keep_a_hundred_bits() {
        // (1 + 2⁻⁵⁰)² − 1 − 2⁻⁴⁹ is 2⁻¹⁰⁰.
        let tiny = (1u64 << 50) as f64;
        let one = Bounded::new(1.0 + 1.0 / tiny);
        let left = one.times(one).minus(Bounded::new(1.0)).minus(Bounded::new(2.0 / tiny));
        assert_eq!(left.value(), 1.0 / (tiny * tiny));
        assert!(!left.is_certain() && one.is_certain());
        let third = Bounded::new(1.0).over(Bounded::new(3.0));
        let off = third.times(Bounded::new(3.0)).minus(Bounded::new(1.0));
        assert!(off.value().abs() < 1e-31, "{off:?}");
    }

    #[test]
    fn a_quotient_takes_over_what_is_not_known_of_its_parts() {
        // 2⁻⁷⁰ as a difference of numbers of approximately 1 is certain, and accurate to some 26 bits.
        let near = Bounded::new(1.0).plus(Bounded::new(1.0 / (1u128 << 70) as f64)).minus(Bounded::new(1.0));
        assert!(near.is_certain() && near.is_fine());
        for quotient in [near.over(near), Bounded::new(1.0 / (1u128 << 70) as f64).over(near)] {
            assert!(quotient.value() == 1.0 && !quotient.is_fine(), "{quotient:?}");
        }
        assert!(near.over(Bounded::new(3.0)).is_fine() && Bounded::new(1.0).over(Bounded::new(3.0)).is_fine());
    }
}
