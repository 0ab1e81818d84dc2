//! Vectors in `f64`, and vectors of doubled precision for cases undecided by rounding.

use super::expansion::TwoTerms;
use heurt_geometry::Vec3;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number.
pub(crate) trait Scalar:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    const ZERO: Self;
    fn rounded(self) -> f64;
}

/// A vector.
pub(crate) trait Vector:
    Copy + PartialEq + Add<Output = Self> + Sub<Output = Self> + Neg<Output = Self>
{
    type Scalar: Scalar;
    /// Computes the difference of two points in this precision.
    fn between(from: Vec3, to: Vec3) -> Self;
    fn dot(self, other: Self) -> Self::Scalar;
    fn cross(self, other: Self) -> Self;
    fn times(self, factor: Self::Scalar) -> Self;
    fn rounded(self) -> Vec3;
    #[inline(always)]
    fn length_sq(self) -> Self::Scalar {
        self.dot(self)
    }
}

impl Scalar for f64 {
    const ZERO: Self = 0.0;
    #[inline(always)]
    fn rounded(self) -> f64 {
        self
    }
}

impl Vector for Vec3 {
    type Scalar = f64;
    #[inline(always)]
    fn between(from: Vec3, to: Vec3) -> Self {
        to - from
    }
    #[inline(always)]
    fn dot(self, other: Self) -> f64 {
        self.dot(other)
    }
    #[inline(always)]
    fn cross(self, other: Self) -> Self {
        self.cross(other)
    }
    #[inline(always)]
    fn times(self, factor: f64) -> Self {
        self * factor
    }
    #[inline(always)]
    fn rounded(self) -> Vec3 {
        self
    }
}

impl Scalar for TwoTerms {
    const ZERO: Self = Self(0.0, 0.0);
    fn rounded(self) -> f64 {
        self.0
    }
}

/// A vector of doubled precision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Twofold([TwoTerms; 3]);

impl Add for Twofold {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self([0, 1, 2].map(|k| self.0[k] + other.0[k]))
    }
}

impl Sub for Twofold {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self([0, 1, 2].map(|k| self.0[k] - other.0[k]))
    }
}

impl Neg for Twofold {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }
}

impl Vector for Twofold {
    type Scalar = TwoTerms;
    fn between(from: Vec3, to: Vec3) -> Self {
        Self([0, 1, 2].map(|k| TwoTerms::difference(to[k], from[k])))
    }
    fn dot(self, other: Self) -> TwoTerms {
        let product = |k: usize| self.0[k] * other.0[k];
        product(0) + product(1) + product(2)
    }
    fn cross(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Self([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
    }
    fn times(self, factor: TwoTerms) -> Self {
        Self(self.0.map(|x| x * factor))
    }
    fn rounded(self) -> Vec3 {
        Vec3::from_array(self.0.map(|x| x.0))
    }
}
