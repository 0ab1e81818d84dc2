//! Vectors of numbers of either precision: rounded to 53 bits, or to twice as many for cases undecided by the former.

use crate::numeric::expansion::TwoTerms;
use crate::numeric::twofold::Scalar;
use heurt_geometry::Vec3;
use std::ops::{Add, Sub};

/// A rounded number with a known relative error.
pub(super) trait Number: Scalar {
    /// Bound on the relative error of each operation.
    const EPSILON: f64;
    /// Square of the sine between two vectors below which their cross product is not used.
    const THIN: f64;
    /// Converts a double to this precision.
    fn new(x: f64) -> Self;
    /// Computes a − b.
    fn difference(a: f64, b: f64) -> Self;
    /// Multiplies by a power of two.
    fn scaled(self, by: f64) -> Self;
    /// Computes the square root of a number of at least 0.
    fn root(self) -> Self;
    /// Returns the greater of two numbers.
    #[inline(always)]
    fn greater(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
}

impl Number for f64 {
    const EPSILON: f64 = f64::EPSILON / 2.0;
    const THIN: f64 = 1e-12;
    #[inline(always)]
    fn new(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn difference(a: f64, b: f64) -> Self {
        a - b
    }
    #[inline(always)]
    fn scaled(self, by: f64) -> Self {
        self * by
    }
    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }
}

/// A sum, a product and a quotient of pairs have errors of at most 3, 7 and 15 units of 2⁻¹⁰⁶ (Joldes, Muller and
/// Popescu 2017).
impl Number for TwoTerms {
    const EPSILON: f64 = 16.0 * f64::EPSILON * f64::EPSILON / 4.0;
    const THIN: f64 = 1e-40;
    fn new(x: f64) -> Self {
        Self(x, 0.0)
    }
    fn difference(a: f64, b: f64) -> Self {
        Self::difference(a, b)
    }
    fn scaled(self, by: f64) -> Self {
        Self(self.0 * by, self.1 * by)
    }
    fn root(self) -> Self {
        let near = self.0.sqrt();
        if near == 0.0 {
            return Self::new(0.0);
        }
        // One Newton step doubles the digits.
        let rest = self - Self::new(near) * Self::new(near);
        Self::difference(near, -(rest.0 / (2.0 * near)))
    }
}

/// A vector.
#[derive(Debug, Clone, Copy)]
pub(super) struct NumberVector<N>(pub [N; 3]);

impl<N: Number> NumberVector<N> {
    #[inline(always)]
    pub(super) fn zero() -> Self {
        Self([N::ZERO; 3])
    }

    #[inline(always)]
    pub(super) fn difference(a: Vec3, b: Vec3) -> Self {
        Self([N::difference(a.x, b.x), N::difference(a.y, b.y), N::difference(a.z, b.z)])
    }

    #[inline(always)]
    pub(super) fn dot(self, other: Self) -> N {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        a * x + b * y + c * z
    }

    #[inline(always)]
    pub(super) fn cross(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([b * z - y * c, c * x - z * a, a * y - x * b])
    }

    #[inline(always)]
    pub(super) fn squared(self) -> N {
        self.dot(self)
    }

    #[inline(always)]
    pub(super) fn times(self, by: N) -> Self {
        let [x, y, z] = self.0;
        Self([x * by, y * by, z * by])
    }

    #[inline(always)]
    pub(super) fn over(self, by: N) -> Self {
        let [x, y, z] = self.0;
        Self([x / by, y / by, z / by])
    }

    /// Returns the largest component in magnitude.
    pub(super) fn size(self) -> f64 {
        self.0.map(|x| x.rounded().abs()).into_iter().fold(0.0, f64::max)
    }
}

impl<N: Number> Add for NumberVector<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a + x, b + y, c + z])
    }
}

impl<N: Number> Sub for NumberVector<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a - x, b - y, c - z])
    }
}
