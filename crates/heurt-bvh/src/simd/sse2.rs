//! Lanes in the registers that every x86-64 processor has: two, four, or eight as twice four; the twins of `Array`,
//! operation by operation.
//!
//! It is the fallback of kernels where AVX2 is missing. The loops of `Array` would do, but each kernel holds hundreds
//! of them, which are slow to compile (`cargo build --release --timings`: heurt-query 60 s with registers, 85 with
//! loops).
//! SAFETY of the intrinsics: SSE2 belongs to the architecture.

#![allow(unsafe_code)]

use super::register::lanes_in_register;
use super::{Halves, Isa, Lanes, LanesFor, Three, WidestKernel};
use std::arch::x86_64::*;

/// The token of SSE2, the instruction set that every processor of the architecture has.
#[derive(Debug, Clone, Copy)]
pub struct Sse2;

/// Two numbers in half a register; what the second half holds is never read.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct Sse2F2(__m128);

/// Four numbers in a register.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct Sse2F4(__m128);

/// Eight numbers in two registers.
#[derive(Debug, Clone, Copy)]
pub struct Sse2F8 {
    low: Sse2F4,
    high: Sse2F4,
}

impl Isa for Sse2 {
    type Point = Three;

    #[inline(always)]
    fn enter<R>(self, f: impl FnOnce() -> R) -> R {
        f()
    }
    #[inline(always)]
    fn on_widest<K: WidestKernel>(self, kernel: K) -> K::Output {
        kernel.run::<8, Sse2F8>()
    }
    #[inline(always)]
    fn prefetch<T>(self, _value: &T) {}
}

impl LanesFor<2> for Sse2 {
    type F = Sse2F2;
}
impl LanesFor<4> for Sse2 {
    type F = Sse2F4;
}
impl LanesFor<8> for Sse2 {
    type F = Sse2F8;
}

/// Reads two numbers, which `from` must point to.
#[inline(always)]
unsafe fn load_two(from: *const f32) -> __m128 {
    // SAFETY: eight bytes are read, of any alignment.
    unsafe { _mm_castsi128_ps(_mm_loadl_epi64(from.cast())) }
}

/// Writes two numbers, for which `to` must have room.
#[inline(always)]
unsafe fn store_two(to: *mut f32, x: __m128) {
    // SAFETY: eight bytes are written, of any alignment.
    unsafe { _mm_storel_epi64(to.cast(), _mm_castps_si128(x)) }
}

/// Returns the signs of the first two numbers.
#[inline(always)]
unsafe fn signs_of_two(x: __m128) -> i32 {
    unsafe { _mm_movemask_ps(x) & 0b11 }
}

/// Selects `yes` where the sign bit of `truth` is set, else `no`.
#[inline(always)]
unsafe fn blended(no: __m128, yes: __m128, truth: __m128) -> __m128 {
    unsafe {
        let truth = _mm_castsi128_ps(_mm_srai_epi32::<31>(_mm_castps_si128(truth)));
        _mm_or_ps(_mm_and_ps(truth, yes), _mm_andnot_ps(truth, no))
    }
}

lanes_in_register!(Sse2F2, 2, splat _mm_set1_ps, load load_two, store store_two, add _mm_add_ps, sub _mm_sub_ps,
    mul _mm_mul_ps, div _mm_div_ps, sqrt _mm_sqrt_ps, min _mm_min_ps, max _mm_max_ps, andnot _mm_andnot_ps,
    gt _mm_cmpgt_ps, eq _mm_cmpeq_ps, or _mm_or_ps, and _mm_and_ps, xor _mm_xor_ps, blend blended,
    mask signs_of_two);

lanes_in_register!(Sse2F4, 4, splat _mm_set1_ps, load _mm_loadu_ps, store _mm_storeu_ps, add _mm_add_ps,
    sub _mm_sub_ps, mul _mm_mul_ps, div _mm_div_ps, sqrt _mm_sqrt_ps, min _mm_min_ps, max _mm_max_ps,
    andnot _mm_andnot_ps, gt _mm_cmpgt_ps, eq _mm_cmpeq_ps, or _mm_or_ps, and _mm_and_ps, xor _mm_xor_ps,
    blend blended, mask _mm_movemask_ps);

impl Sse2F8 {
    /// Applies `f` to both halves.
    #[inline(always)]
    fn each(self, f: impl Fn(Sse2F4) -> Sse2F4) -> Self {
        Self { low: f(self.low), high: f(self.high) }
    }

    /// Applies `f` to the low halves of both, and to the high halves.
    #[inline(always)]
    fn with(self, other: Self, f: impl Fn(Sse2F4, Sse2F4) -> Sse2F4) -> Self {
        Self { low: f(self.low, other.low), high: f(self.high, other.high) }
    }
}

impl Lanes<8> for Sse2F8 {
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self::twice(Sse2F4::splat(x))
    }
    #[inline(always)]
    fn load(from: &[f32; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = *from;
        Self { low: Sse2F4::load(&[a, b, c, d]), high: Sse2F4::load(&[e, f, g, h]) }
    }
    #[inline(always)]
    fn to_array(self) -> [f32; 8] {
        let ([a, b, c, d], [e, f, g, h]) = (self.low.to_array(), self.high.to_array());
        [a, b, c, d, e, f, g, h]
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, Sse2F4::add)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, Sse2F4::sub)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(other, Sse2F4::mul)
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.with(other, Sse2F4::div)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.each(Sse2F4::sqrt)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.with(other, Sse2F4::min)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.with(other, Sse2F4::max)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.each(Sse2F4::abs)
    }
    #[inline(always)]
    fn gt(self, other: Self) -> Self {
        self.with(other, Sse2F4::gt)
    }
    #[inline(always)]
    fn eq(self, other: Self) -> Self {
        self.with(other, Sse2F4::eq)
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.with(other, Sse2F4::or)
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.with(other, Sse2F4::and)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.with(other, Sse2F4::xor)
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        Self { low: self.low.select(yes.low, no.low), high: self.high.select(yes.high, no.high) }
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        self.low.bits() | self.high.bits() << 4
    }
}

impl Halves for Sse2F8 {
    type Half = Sse2F4;

    #[inline(always)]
    fn join(low: Sse2F4, high: Sse2F4) -> Self {
        Self { low, high }
    }
    #[inline(always)]
    fn each_twice(low: f32, high: f32) -> Self {
        Self { low: Sse2F4::splat(low), high: Sse2F4::splat(high) }
    }
    #[inline(always)]
    fn picked(self, from: u64) -> Self {
        let (lanes, from) = (self.to_array(), from.to_le_bytes());
        Self::load(&from.map(|lane| lanes[usize::from(lane & 7)]))
    }
    #[inline(always)]
    fn transposed([a, b, c, d, e, f, g, h]: &[[f32; 4]; 8]) -> [Self; 3] {
        let ([x, y, z], [x2, y2, z2]) = (columns([a, b, c, d]), columns([e, f, g, h]));
        [Self::join(x, x2), Self::join(y, y2), Self::join(z, z2)]
    }
}

/// Returns the first numbers of four points, the second and the third.
#[inline(always)]
fn columns(points: [&[f32; 4]; 4]) -> [Sse2F4; 3] {
    let [Sse2F4(a), Sse2F4(b), Sse2F4(c), Sse2F4(d)] = points.map(Sse2F4::load);
    // SAFETY: as above.
    unsafe {
        let (xy, xy2, z, z2) =
            (_mm_unpacklo_ps(a, b), _mm_unpacklo_ps(c, d), _mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d));
        [Sse2F4(_mm_movelh_ps(xy, xy2)), Sse2F4(_mm_movehl_ps(xy2, xy)), Sse2F4(_mm_movelh_ps(z, z2))]
    }
}
