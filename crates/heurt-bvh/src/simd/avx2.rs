//! Eight lanes in one AVX2 register; the twin of `Array<8>`, operation by operation.
//!
//! This file holds the crate's only `unsafe`: intrinsics, reached only through a token whose existence proves that the
//! processor has them. The `fma` feature is not enabled: a bound must round alike everywhere.

#![allow(unsafe_code)]

use super::{Array, Halves, Isa, Lanes, LanesFor};
use std::arch::x86_64::*;

/// The token of AVX2: it exists only where the processor has it.
#[derive(Debug, Clone, Copy)]
pub struct Avx2(());

/// Eight numbers in a register.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct F8(__m256);

impl Avx2 {
    /// Asks the processor.
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

impl Isa for Avx2 {
    #[inline(always)]
    fn enter<R>(self, f: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn entered<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        // SAFETY: `self` was made by `detect`, which saw every feature named above.
        unsafe { entered(f) }
    }
}

impl LanesFor<2> for Avx2 {
    type F = Array<2>;
}
impl LanesFor<4> for Avx2 {
    type F = Array<4>;
}
impl LanesFor<8> for Avx2 {
    type F = F8;
}

/// SAFETY of every use: an `F8` is only named through `LanesFor<8> for Avx2`, whose token proves AVX2.
macro_rules! intrinsic {
    ($($call:tt)*) => { unsafe { F8($($call)*) } };
}

impl Lanes<8> for F8 {
    #[inline(always)]
    fn splat(x: f32) -> Self {
        intrinsic!(_mm256_set1_ps(x))
    }
    #[inline(always)]
    fn load(from: &[f32; 8]) -> Self {
        intrinsic!(_mm256_loadu_ps(from.as_ptr()))
    }
    #[inline(always)]
    fn to_array(self) -> [f32; 8] {
        let mut out = [0.0; 8];
        // SAFETY: as above; `out` has room for eight.
        unsafe { _mm256_storeu_ps(out.as_mut_ptr(), self.0) };
        out
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        intrinsic!(_mm256_add_ps(self.0, other.0))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        intrinsic!(_mm256_sub_ps(self.0, other.0))
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        intrinsic!(_mm256_mul_ps(self.0, other.0))
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        intrinsic!(_mm256_div_ps(self.0, other.0))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        intrinsic!(_mm256_min_ps(self.0, other.0))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        intrinsic!(_mm256_max_ps(self.0, other.0))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        intrinsic!(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0))
    }
    #[inline(always)]
    fn gt(self, other: Self) -> Self {
        intrinsic!(_mm256_cmp_ps::<_CMP_GT_OQ>(self.0, other.0))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        intrinsic!(_mm256_or_ps(self.0, other.0))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        intrinsic!(_mm256_and_ps(self.0, other.0))
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        intrinsic!(_mm256_blendv_ps(no.0, yes.0, self.0))
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        // SAFETY: as above.
        unsafe { _mm256_movemask_ps(self.0) as u32 }
    }
}

impl Halves for F8 {
    #[inline(always)]
    fn twice(from: &[f32; 4]) -> Self {
        intrinsic!({
            let four = _mm_loadu_ps(from.as_ptr());
            _mm256_set_m128(four, four)
        })
    }
    #[inline(always)]
    fn halves(low: f32, high: f32) -> Self {
        intrinsic!(_mm256_set_m128(_mm_set1_ps(high), _mm_set1_ps(low)))
    }
}
