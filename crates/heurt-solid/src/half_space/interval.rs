//! Interval arithmetic with outward rounding.
//!
//! In: intervals of `f64`. Out: intervals that contain every exact result.
//! Method: each bound is computed to nearest and moved outward by one ulp.
//! Guarantees: sound while no bound is NaN; a NaN bound makes every comparison fail, so that nothing is proved.

use std::ops::{Add, Mul};

/// The closed interval [`low`, `high`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Interval {
    /// Creates the interval [`low`, `high`].
    pub(crate) fn new(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// Creates the interval of one number.
    pub(crate) fn point(x: f64) -> Self {
        Self::new(x, x)
    }

    fn outward(low: f64, high: f64) -> Self {
        Self::new(low.next_down(), high.next_up())
    }

    /// Computes the interval of squares, which has no negative numbers.
    pub(crate) fn squared(self) -> Self {
        let (a, b) = (self.low * self.low, self.high * self.high);
        let low = if self.low <= 0.0 && self.high >= 0.0 { 0.0 } else { a.min(b).next_down().max(0.0) };
        Self::new(low, a.max(b).next_up())
    }
}

impl Add for Interval {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::outward(self.low + other.low, self.high + other.high)
    }
}

impl Mul<f64> for Interval {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        if factor == 0.0 {
            return Self::point(0.0);
        }
        let (a, b) = (self.low * factor, self.high * factor);
        Self::outward(a.min(b), a.max(b))
    }
}

impl Mul for Interval {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let ends = [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        // Minimum and maximum ignore NaN, so that 0 · ∞ is replaced by everything.
        if ends.iter().any(|end| end.is_nan()) {
            return Self::new(f64::NEG_INFINITY, f64::INFINITY);
        }
        Self::outward(
            ends.iter().copied().fold(f64::INFINITY, f64::min),
            ends.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        )
    }
}
