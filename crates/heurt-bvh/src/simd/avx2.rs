//! Eight lanes in one AVX2 register, four in half of one, sixteen in one of AVX-512; the twins of `Array`, operation by
//! operation.
//!
//! SAFETY of the intrinsics: code that works with registers was entered by the token, whose existence proves the
//! instructions, or by `on_widest`, which has detected them. (The types can be named without it, through `LanesFor`; no
//! code does so.) The `fma` feature is not enabled: a bound must round alike everywhere. AVX-512 includes fused
//! operations, but products and sums stay separate because no code here uses an explicit fused operation.

#![allow(unsafe_code)]

use super::register::lanes_in_register;
use super::sse2::Sse2F2;
use super::{Halves, Isa, Lanes, LanesFor, Point, WidestKernel};
use std::arch::x86_64::*;

/// The token of AVX2: it exists only where the processor has it.
#[derive(Debug, Clone, Copy)]
pub struct Avx2(());

/// Eight numbers in a register.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct F8(__m256);

/// Sixteen numbers in a register of AVX-512.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct F16(__m512);

/// Four numbers in half a register.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct F4(__m128);

/// Three coordinates in `f64` in a register, and a zero.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct D3(__m256d);

impl Avx2 {
    /// Detects AVX2.
    #[inline(always)]
    pub fn detect() -> Option<Self> {
        let found = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        found.then_some(Self(()))
    }
}

/// Reports whether the processor has the required features of AVX-512.
#[inline(always)]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") && is_x86_feature_detected!("avx512dq")
}

impl Isa for Avx2 {
    type Point = D3;

    #[inline(always)]
    fn enter<R>(self, f: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn entered<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        // SAFETY: `self` was made by `detect`, which found every feature named above.
        unsafe { entered(f) }
    }
    #[inline(always)]
    fn enter_wide<R>(self, f: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512dq")]
        fn entered<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        if !has_avx512() {
            return self.enter(f);
        }
        // SAFETY: `self` was made by `detect`, which found the first five; the remaining features were found right
        // here.
        unsafe { entered(f) }
    }
    #[inline(always)]
    fn on_widest<K: WidestKernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512dq")]
        fn entered<K: WidestKernel>(kernel: K) -> K::Output {
            kernel.run::<16, F16>()
        }
        if !has_avx512() {
            return self.enter(
                #[inline(always)]
                || kernel.run::<8, F8>(),
            );
        }
        // SAFETY: as in `enter_wide`.
        unsafe { entered(kernel) }
    }
    #[inline(always)]
    fn prefetch<T>(self, value: &T) {
        const LINE: usize = 64;
        let start = std::ptr::from_ref(value).cast::<i8>();
        let mut offset = 0;
        while offset < size_of::<T>() {
            // SAFETY: a prefetch reads nothing; the address lies within `value`.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(offset)) };
            offset += LINE;
        }
    }
}

impl LanesFor<2> for Avx2 {
    type F = Sse2F2;
}
impl LanesFor<4> for Avx2 {
    type F = F4;
}
impl LanesFor<8> for Avx2 {
    type F = F8;
}

lanes_in_register!(F8, 8, splat _mm256_set1_ps, load _mm256_loadu_ps, store _mm256_storeu_ps, add _mm256_add_ps,
    sub _mm256_sub_ps, mul _mm256_mul_ps, div _mm256_div_ps, sqrt _mm256_sqrt_ps, min _mm256_min_ps,
    max _mm256_max_ps, andnot _mm256_andnot_ps, gt _mm256_cmp_ps::<_CMP_GT_OQ>, eq _mm256_cmp_ps::<_CMP_EQ_OQ>,
    or _mm256_or_ps, and _mm256_and_ps, xor _mm256_xor_ps, blend _mm256_blendv_ps, mask _mm256_movemask_ps);

lanes_in_register!(F4, 4, splat _mm_set1_ps, load _mm_loadu_ps, store _mm_storeu_ps, add _mm_add_ps,
    sub _mm_sub_ps, mul _mm_mul_ps, div _mm_div_ps, sqrt _mm_sqrt_ps, min _mm_min_ps, max _mm_max_ps,
    andnot _mm_andnot_ps, gt _mm_cmp_ps::<_CMP_GT_OQ>, eq _mm_cmp_ps::<_CMP_EQ_OQ>, or _mm_or_ps,
    and _mm_and_ps, xor _mm_xor_ps, blend _mm_blendv_ps, mask _mm_movemask_ps);

/// Lanes whose sign bit is the result of a comparison; here and below the caller has the instructions.
#[inline(always)]
unsafe fn compared<const HOW: i32>(a: __m512, b: __m512) -> __m512 {
    unsafe { _mm512_castsi512_ps(_mm512_movm_epi32(_mm512_cmp_ps_mask::<HOW>(a, b))) }
}

/// The sign bits.
#[inline(always)]
unsafe fn signs(a: __m512) -> __mmask16 {
    unsafe { _mm512_movepi32_mask(_mm512_castps_si512(a)) }
}

/// `yes` where the sign bit of `truth` is set, else `no`.
#[inline(always)]
unsafe fn blended(no: __m512, yes: __m512, truth: __m512) -> __m512 {
    unsafe { _mm512_mask_blend_ps(signs(truth), no, yes) }
}

lanes_in_register!(F16, 16, splat _mm512_set1_ps, load _mm512_loadu_ps, store _mm512_storeu_ps,
    add _mm512_add_ps, sub _mm512_sub_ps, mul _mm512_mul_ps, div _mm512_div_ps, sqrt _mm512_sqrt_ps,
    min _mm512_min_ps, max _mm512_max_ps, andnot _mm512_andnot_ps, gt compared::<_CMP_GT_OQ>,
    eq compared::<_CMP_EQ_OQ>, or _mm512_or_ps, and _mm512_and_ps, xor _mm512_xor_ps, blend blended,
    mask signs);

impl Halves for F8 {
    type Half = F4;

    #[inline(always)]
    fn join(low: F4, high: F4) -> Self {
        unsafe { Self(_mm256_set_m128(high.0, low.0)) }
    }
    #[inline(always)]
    fn each_twice(low: f32, high: f32) -> Self {
        unsafe { Self(_mm256_set_m128(_mm_set1_ps(high), _mm_set1_ps(low))) }
    }
    #[inline(always)]
    fn picked(self, from: u64) -> Self {
        unsafe {
            let lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(from.cast_signed()));
            Self(_mm256_permutevar8x32_ps(self.0, lanes))
        }
    }
    #[inline(always)]
    fn transposed(points: &[[f32; 4]; 8]) -> [Self; 3] {
        // SAFETY: as above; each load reads the four numbers of a point.
        unsafe {
            let both =
                |k: usize| _mm256_set_m128(_mm_loadu_ps(points[k + 4].as_ptr()), _mm_loadu_ps(points[k].as_ptr()));
            let (a, b, c, d) = (both(0), both(1), both(2), both(3));
            let (xy, xy2) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
            let (z, z2) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
            const FIRST_TWO: i32 = 0b01_00_01_00;
            const LAST_TWO: i32 = 0b11_10_11_10;
            [
                Self(_mm256_shuffle_ps::<FIRST_TWO>(xy, xy2)),
                Self(_mm256_shuffle_ps::<LAST_TWO>(xy, xy2)),
                Self(_mm256_shuffle_ps::<FIRST_TWO>(z, z2)),
            ]
        }
    }
}

impl Point for D3 {
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self::load(&[x; 3])
    }
    #[inline(always)]
    fn load(from: &[f64; 3]) -> Self {
        let start = from.as_ptr();
        // SAFETY: as above; two numbers are read, then the third.
        unsafe {
            let xy = _mm256_castpd128_pd256(_mm_loadu_pd(start));
            Self(_mm256_insertf128_pd::<1>(xy, _mm_load_sd(start.add(2))))
        }
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        unsafe { Self(_mm256_sub_pd(self.0, other.0)) }
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        unsafe { Self(_mm256_mul_pd(self.0, other.0)) }
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        unsafe { Self(_mm256_min_pd(self.0, other.0)) }
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        unsafe { Self(_mm256_max_pd(self.0, other.0)) }
    }
    #[inline(always)]
    fn to_array(self) -> [f64; 3] {
        let mut out = [0.0; 4];
        // SAFETY: as above; `out` has room for four.
        unsafe { _mm256_storeu_pd(out.as_mut_ptr(), self.0) };
        [out[0], out[1], out[2]]
    }
    #[inline(always)]
    fn narrow(self) -> [f32; 4] {
        let mut out = [0.0; 4];
        // SAFETY: as above; `out` has room for four.
        unsafe { _mm_storeu_ps(out.as_mut_ptr(), _mm256_cvtpd_ps(self.0)) };
        out
    }
}
