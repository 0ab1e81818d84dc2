//! Lanes as a plain array: one small loop per operation, which the compiler turns into vector code.
//!
//! The scalar twin of every SIMD kernel, and what runs on processors for which there are no intrinsics here.

use super::{Halves, Isa, Lanes, LanesFor, Point, WidestKernel};

/// The token of the portable instruction set.
#[derive(Debug, Clone, Copy)]
pub struct Portable;

/// `W` numbers in an array.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(transparent)]
pub struct Array<const W: usize>(pub [f32; W]);

impl Portable {
    /// Mirrors the detection of faster sets on processors that have none.
    pub fn detect() -> Option<Self> {
        Some(Self)
    }
}

impl Isa for Portable {
    type Point = Three;

    #[inline(always)]
    fn enter<R>(self, f: impl FnOnce() -> R) -> R {
        f()
    }
    #[inline(always)]
    fn on_widest<K: WidestKernel>(self, kernel: K) -> K::Output {
        kernel.run::<8, Array<8>>()
    }
    #[inline(always)]
    fn prefetch<T>(self, _value: &T) {}
}

impl<const W: usize> LanesFor<W> for Portable {
    type F = Array<W>;
}

/// Written as a loop, not `array::from_fn`: the latter is not inlined into a `target_feature` function.
macro_rules! each_lane {
    ($lane:ident, $value:expr) => {{
        let mut out = [0.0f32; W];
        let mut $lane = 0;
        while $lane < W {
            out[$lane] = $value;
            $lane += 1;
        }
        Array(out)
    }};
}

const TRUE: f32 = f32::from_bits(u32::MAX);

impl<const W: usize> Lanes<W> for Array<W> {
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Array([x; W])
    }
    #[inline(always)]
    fn load(from: &[f32; W]) -> Self {
        Array(*from)
    }
    #[inline(always)]
    fn to_array(self) -> [f32; W] {
        self.0
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        each_lane!(i, self.0[i] + other.0[i])
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        each_lane!(i, self.0[i] - other.0[i])
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        each_lane!(i, self.0[i] * other.0[i])
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        each_lane!(i, self.0[i] / other.0[i])
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        each_lane!(i, self.0[i].sqrt())
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        each_lane!(i, if self.0[i] < other.0[i] { self.0[i] } else { other.0[i] })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        each_lane!(i, if self.0[i] > other.0[i] { self.0[i] } else { other.0[i] })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        each_lane!(i, f32::from_bits(self.0[i].to_bits() & 0x7fff_ffff))
    }
    #[inline(always)]
    fn gt(self, other: Self) -> Self {
        each_lane!(i, if self.0[i] > other.0[i] { TRUE } else { 0.0 })
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Self {
        each_lane!(i, if self.0[i] == other.0[i] { TRUE } else { 0.0 })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        each_lane!(i, f32::from_bits(self.0[i].to_bits() | other.0[i].to_bits()))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        each_lane!(i, f32::from_bits(self.0[i].to_bits() & other.0[i].to_bits()))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        each_lane!(i, f32::from_bits(self.0[i].to_bits() ^ other.0[i].to_bits()))
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        each_lane!(i, if self.0[i].to_bits() >> 31 != 0 { yes.0[i] } else { no.0[i] })
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        let mut bits = 0;
        let mut i = 0;
        while i < W {
            bits |= (self.0[i].to_bits() >> 31) << i;
            i += 1;
        }
        bits
    }
}

impl Halves for Array<8> {
    type Half = Array<4>;

    #[inline(always)]
    fn join(Array([a, b, c, d]): Array<4>, Array([e, f, g, h]): Array<4>) -> Self {
        Array([a, b, c, d, e, f, g, h])
    }
    #[inline(always)]
    fn each_twice(low: f32, high: f32) -> Self {
        Array([low, low, low, low, high, high, high, high])
    }
    #[inline(always)]
    fn picked(self, from: u64) -> Self {
        let mut out = [0.0f32; 8];
        let mut lane = 0;
        while lane < 8 {
            out[lane] = self.0[(from >> (8 * lane)) as usize & 7];
            lane += 1;
        }
        Array(out)
    }
    #[inline(always)]
    fn transposed(points: &[[f32; 4]; 8]) -> [Self; 3] {
        [0, 1, 2].map(|axis| Array(points.map(|point| point[axis])))
    }
}

/// Three coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(transparent)]
pub struct Three([f64; 3]);

impl Point for Three {
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self([x; 3])
    }
    #[inline(always)]
    fn load(from: &[f64; 3]) -> Self {
        Self(*from)
    }
    #[inline(always)]
    fn sub(self, Self([x, y, z]): Self) -> Self {
        Self([self.0[0] - x, self.0[1] - y, self.0[2] - z])
    }
    #[inline(always)]
    fn mul(self, Self([x, y, z]): Self) -> Self {
        Self([self.0[0] * x, self.0[1] * y, self.0[2] * z])
    }
    #[inline(always)]
    fn min(self, Self(other): Self) -> Self {
        Self([0, 1, 2].map(|k| if self.0[k] < other[k] { self.0[k] } else { other[k] }))
    }
    #[inline(always)]
    fn max(self, Self(other): Self) -> Self {
        Self([0, 1, 2].map(|k| if self.0[k] > other[k] { self.0[k] } else { other[k] }))
    }
    #[inline(always)]
    fn to_array(self) -> [f64; 3] {
        self.0
    }
    #[inline(always)]
    fn narrow(self) -> [f32; 4] {
        [self.0[0] as f32, self.0[1] as f32, self.0[2] as f32, 0.0]
    }
}
