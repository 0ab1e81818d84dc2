//! Four lanes of `f64`: plain arrays that the compiler turns into registers.
//!
//! In: numbers of four constraints. Out: the same operation in each lane.
//! Method: element-wise operations on aligned arrays. The step runs the code under AVX2 through
//! `heurt_bvh::simd::dispatch`, if the processor has it.
//! Guarantees: each lane rounds as the scalar operation does, so results are the same on every processor.

use heurt_geometry::Vec3;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// Constraints in a batch: 4 numbers of 64 bits fill a register of AVX2.
pub(super) const LANES: usize = 4;

/// Four numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(32))]
pub(super) struct Wide(pub [f64; LANES]);

impl Wide {
    pub const ZERO: Self = Self([0.0; LANES]);

    #[inline(always)]
    pub fn splat(x: f64) -> Self {
        Self([x; LANES])
    }

    /// Applies a function to each pair of lanes.
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self([f(self.0[0], other.0[0]), f(self.0[1], other.0[1]), f(self.0[2], other.0[2]), f(self.0[3], other.0[3])])
    }

    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self([self.0[0].sqrt(), self.0[1].sqrt(), self.0[2].sqrt(), self.0[3].sqrt()])
    }

    /// Divides lane by lane; 0 in lanes whose divisor is not above 0.
    #[inline(always)]
    pub fn divide_or_zero(self, divisor: Self) -> Self {
        self.zip(divisor, |a, b| if b > 0.0 { a / b } else { 0.0 })
    }

    /// Selects `yes` in lanes above 0, else `no`.
    #[inline(always)]
    pub fn select_positive(self, yes: Self, no: Self) -> Self {
        let select = |i: usize| if self.0[i] > 0.0 { yes.0[i] } else { no.0[i] };
        Self([select(0), select(1), select(2), select(3)])
    }
}

impl Add for Wide {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl Sub for Wide {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl Mul for Wide {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

impl Neg for Wide {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self([-self.0[0], -self.0[1], -self.0[2], -self.0[3]])
    }
}

impl AddAssign for Wide {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Wide {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

/// Four vectors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WideVec {
    pub x: Wide,
    pub y: Wide,
    pub z: Wide,
}

impl WideVec {
    pub const ZERO: Self = Self { x: Wide::ZERO, y: Wide::ZERO, z: Wide::ZERO };

    #[inline(always)]
    pub fn new(x: Wide, y: Wide, z: Wide) -> Self {
        Self { x, y, z }
    }

    #[inline(always)]
    pub fn dot(self, other: Self) -> Wide {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    #[inline(always)]
    pub fn scale(self, by: Wide) -> Self {
        Self { x: self.x * by, y: self.y * by, z: self.z * by }
    }

    /// Multiplies coordinate by coordinate.
    #[inline(always)]
    pub fn component_mul(self, other: Self) -> Self {
        Self { x: self.x * other.x, y: self.y * other.y, z: self.z * other.z }
    }

    /// Writes a vector into a lane.
    pub fn set(&mut self, lane: usize, value: Vec3) {
        self.x.0[lane] = value.x;
        self.y.0[lane] = value.y;
        self.z.0[lane] = value.z;
    }

    /// Reads the vector of a lane.
    pub fn get(&self, lane: usize) -> Vec3 {
        Vec3::new(self.x.0[lane], self.y.0[lane], self.z.0[lane])
    }
}

impl Add for WideVec {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for WideVec {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

/// Four symmetric matrices: xx, xy, xz, yy, yz, zz.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WideSym(pub [Wide; 6]);

impl WideSym {
    pub const ZERO: Self = Self([Wide::ZERO; 6]);

    /// Multiplies each matrix with a vector.
    #[inline(always)]
    pub fn mul_vec(&self, v: WideVec) -> WideVec {
        let m = &self.0;
        WideVec {
            x: m[0] * v.x + m[1] * v.y + m[2] * v.z,
            y: m[1] * v.x + m[3] * v.y + m[4] * v.z,
            z: m[2] * v.x + m[4] * v.y + m[5] * v.z,
        }
    }
}
