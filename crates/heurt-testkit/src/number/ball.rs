//! Numbers with twice the digits and a proved bound of their error, which is 0 while nothing was lost: ball arithmetic
//! (van der Hoeven 2009) over sums of two doubles (Dekker 1971; Shewchuk 1997).
//!
//! Guarantees: the true result lies within `error` of `high + low` while nothing under- or overflows: the caller has to
//! keep numbers and their lowest bits within 2^±1000. Nothing is fused, so every machine gets the same bits.

use std::ops::{Add, Mul, Neg, Sub};

/// Factor for the roundings of bounds themselves.
const UP: f64 = 1.0 + 1e-7;

/// A number within `error` of `high + low`; `low` is below an ulp of `high`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ball {
    pub(crate) high: f64,
    pub(crate) low: f64,
    pub(crate) error: f64,
}

/// A vector of such numbers.
pub(crate) type Balls = [Ball; 3];

/// Computes a + b as the rounded sum and its rounding error.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// Computes a · b as the rounded product and its rounding error.
#[inline(always)]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let split = |x: f64| {
        let wide = x * ((1u64 << 27) + 1) as f64;
        let high = wide - (wide - x);
        (high, x - high)
    };
    let product = a * b;
    let ((a, a_low), (b, b_low)) = (split(a), split(b));
    (product, ((a * b - product) + a * b_low + a_low * b) + a_low * b_low)
}

/// Computes a bound that remains valid after a few roundings, and is 0 only if nothing was lost.
#[inline(always)]
fn bound(error: f64) -> f64 {
    if error == 0.0 { 0.0 } else { error * UP + 1e-300 }
}

impl Ball {
    pub(crate) const ZERO: Self = Self { high: 0.0, low: 0.0, error: 0.0 };

    pub(crate) fn exact(x: f64) -> Self {
        Self { high: x, ..Self::ZERO }
    }

    /// Computes a − b, without loss.
    #[inline(always)]
    pub(crate) fn difference(a: f64, b: f64) -> Self {
        let (high, low) = two_sum(a, -b);
        Self { high, low, error: 0.0 }
    }

    /// Returns the middle, taken as exact.
    pub(crate) fn middle(self) -> Self {
        Self { error: 0.0, ..self }
    }

    /// Returns the sign; `None` if the error leaves it open.
    pub(crate) fn sign(self) -> Option<i32> {
        if self.error == 0.0 && self.high == 0.0 {
            return Some(0);
        }
        let is_decided = self.least_magnitude() > 0.0;
        is_decided.then_some(if self.high > 0.0 { 1 } else { -1 })
    }

    pub(crate) fn is_positive(self) -> bool {
        self.sign() == Some(1)
    }

    /// Computes a lower bound of all magnitudes within.
    fn least_magnitude(self) -> f64 {
        (self.high.abs() - self.low.abs()) * (1.0 - 1e-7) - self.error
    }

    /// Computes an upper bound of all magnitudes within.
    fn most_magnitude(self) -> f64 {
        (self.high.abs() + self.low.abs() + self.error) * UP
    }

    /// Compares the middles.
    pub(crate) fn is_below(self, other: Self) -> bool {
        let difference = self - other;
        difference.high < 0.0
    }

    /// Computes the magnitude.
    pub(crate) fn abs(self) -> Self {
        if self.high < 0.0 { -self } else { self }
    }

    /// Computes the square root of a number that is at least 0, though its ball may reach below.
    pub(crate) fn root(self) -> Self {
        let first = self.high.sqrt();
        if self.least_magnitude() <= 0.0 || first == 0.0 || self.high < 0.0 {
            let is_zero = self.sign() == Some(0);
            let most = self.most_magnitude().sqrt();
            return if is_zero { Self::ZERO } else { Self { high: 0.0, low: 0.0, error: bound(most) } };
        }
        let rest = self.middle() - Self::exact(first) * Self::exact(first);
        let (high, low) = two_sum(first, rest.high / (2.0 * first));
        let root = Self { high, low, error: 0.0 };
        // x − r² over √x + r.
        let error = (self - root * root).most_magnitude() / first;
        Self { error: bound(error), ..root }
    }

    /// Divides by a number that is not 0; `None` if its ball reaches 0.
    pub(crate) fn over(self, other: Self) -> Option<Self> {
        let least = other.least_magnitude();
        if least.is_nan() || least <= 0.0 {
            return None;
        }
        let first = self.high / other.high;
        let rest = self.middle() - Self::exact(first) * other.middle();
        let (high, low) = two_sum(first, rest.high / other.high);
        let quotient = Self { high, low, error: 0.0 };
        let error = (self - quotient * other).most_magnitude() / least;
        Some(Self { error: bound(error), ..quotient })
    }
}

impl Add for Ball {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        let (sum, low) = two_sum(self.high, other.high);
        let (tail, rest) = two_sum(self.low, other.low);
        let (low, other_rest) = two_sum(low, tail);
        let (high, low) = two_sum(sum, low);
        let (low, lost) = two_sum(low, rest);
        let (low, also_lost) = two_sum(low, other_rest);
        let (high, low) = two_sum(high, low);
        Self { high, low, error: bound(self.error + other.error + lost.abs() + also_lost.abs()) }
    }
}

impl Neg for Ball {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low, ..self }
    }
}

impl Sub for Ball {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Ball {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let (high, low) = two_product(self.high, other.high);
        let carried = self.error * other.most_magnitude() + other.error * self.most_magnitude();
        if self.low == 0.0 && other.low == 0.0 {
            return Self { high, low, error: bound(carried) };
        }
        let (left, left_low) = two_product(self.high, other.low);
        let (right, right_low) = two_product(self.low, other.high);
        let (tail, tail_low) = two_product(self.low, other.low);
        let (middle, middle_low) = two_sum(left, right);
        let (middle, also_low) = two_sum(low, middle);
        let (high, low) = two_sum(high, middle);
        let mut lost = 0.0;
        let low = [left_low, right_low, tail, middle_low, also_low, tail_low].into_iter().fold(low, |low, part| {
            let (sum, rest) = two_sum(low, part);
            lost += rest.abs();
            sum
        });
        let (high, low) = two_sum(high, low);
        Self { high, low, error: bound(carried + lost) }
    }
}

pub(crate) fn minus(a: &Balls, b: &Balls) -> Balls {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn cross(a: &Balls, b: &Balls) -> Balls {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn dot(a: &Balls, b: &Balls) -> Ball {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn length(a: &Balls) -> Ball {
    dot(a, a).root()
}

#[cfg(test)]
mod tests {
    use super::Ball;
    use crate::number::random::Random;
    use crate::number::whole::integers;
    use heurt_geometry::Vec3;
    use num_bigint::BigInt;
    use num_traits::Signed;

    /// Returns the parts and the error as whole numbers, and the whole number of 1.
    fn number(ball: Ball) -> [BigInt; 4] {
        let parts = [Vec3::new(ball.high, ball.low, ball.error), Vec3::new(1.0, f64::from_bits(1), 0.0)];
        let [[high, low, error], [one, ..]] = <[_; 2]>::try_from(integers(&parts)).unwrap();
        [high, low, error, one]
    }

    fn within(ball: Ball, exact: &BigInt, over: &BigInt) -> bool {
        let [high, low, error, one] = number(ball);
        ((high + low) * over - exact * &one).abs() <= error * over
    }

    /// Draws a number, usually of more digits than a double has.
    fn any(random: &mut Random) -> Ball {
        let far = 2f64.powi(-(random.whole(0, 60) as i32));
        Ball::difference(random.between(-1.0, 1.0), random.between(-1.0, 1.0) * far)
    }

    #[test]
    fn results_lie_within_their_bounds_and_exact_ones_have_none() {
        let mut random = Random::new(1);
        for _ in 0..2000 {
            let (x, y) = (any(&mut random), any(&mut random));
            let ([xh, xl, _, one], [yh, yl, ..]) = (number(x), number(y));
            let (p, q) = (xh + xl, yh + yl);
            assert!(within(x + y, &(&p + &q), &one), "{x:?} + {y:?}");
            assert!(within(x - y, &(&p - &q), &one), "{x:?} - {y:?}");
            assert!(within(x * y, &(&p * &q), &(&one * &one)), "{x:?} * {y:?}");
            let quotient = x.over(y).unwrap();
            let sign = BigInt::from(if q.is_negative() { -1 } else { 1 });
            assert!(within(quotient, &(&p * &sign), &q.abs()), "{x:?} / {y:?}: {quotient:?}");
            assert!(quotient.error < 1e-28 * quotient.high.abs(), "{quotient:?}");
            let square = x * x;
            let off = square.root() - x.abs();
            assert!(off.high.abs() <= off.error && off.error < 1e-28 * x.high.abs(), "{x:?}: {off:?}");
            let whole = Ball::exact(random.whole(-1 << 50, 1 << 50) as f64) * Ball::exact(random.whole(-9, 9) as f64);
            assert_eq!((whole + Ball::exact(3.0)).error, 0.0);
        }
    }
}
