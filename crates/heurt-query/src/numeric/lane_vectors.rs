//! Vectors whose components are lanes.
//!
//! Every function is always inlined: a function that is not would be compiled without the instruction set.

use heurt_bvh::simd::Lanes;

/// Computes the difference.
#[inline(always)]
pub(crate) fn minus<F: Lanes<W>, const W: usize>(a: &[F; 3], b: &[F; 3]) -> [F; 3] {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

/// Computes the sum.
#[inline(always)]
pub(crate) fn plus<F: Lanes<W>, const W: usize>(a: &[F; 3], b: &[F; 3]) -> [F; 3] {
    [a[0].add(b[0]), a[1].add(b[1]), a[2].add(b[2])]
}

/// Multiplies by a number of each lane.
#[inline(always)]
pub(crate) fn scaled<F: Lanes<W>, const W: usize>(a: &[F; 3], factor: F) -> [F; 3] {
    [a[0].mul(factor), a[1].mul(factor), a[2].mul(factor)]
}

/// Selects `yes` in lanes where `mask` is true, else `no`.
#[inline(always)]
pub(crate) fn selected<F: Lanes<W>, const W: usize>(mask: F, yes: &[F; 3], no: &[F; 3]) -> [F; 3] {
    [mask.select(yes[0], no[0]), mask.select(yes[1], no[1]), mask.select(yes[2], no[2])]
}

/// Returns the sum of the magnitudes of the components.
#[inline(always)]
pub(crate) fn absolute_sum<F: Lanes<W>, const W: usize>(a: &[F; 3]) -> F {
    a[0].abs().add(a[1].abs()).add(a[2].abs())
}

/// Computes the cross product.
#[inline(always)]
pub(crate) fn cross<F: Lanes<W>, const W: usize>(a: &[F; 3], b: &[F; 3]) -> [F; 3] {
    [a[1].mul(b[2]).sub(a[2].mul(b[1])), a[2].mul(b[0]).sub(a[0].mul(b[2])), a[0].mul(b[1]).sub(a[1].mul(b[0]))]
}

/// Computes the scalar product.
#[inline(always)]
pub(crate) fn dot<F: Lanes<W>, const W: usize>(a: &[F; 3], b: &[F; 3]) -> F {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

/// Copies a vector to every lane.
#[inline(always)]
pub(crate) fn splat<F: Lanes<8>>(a: &[f32; 3]) -> [F; 3] {
    [F::splat(a[0]), F::splat(a[1]), F::splat(a[2])]
}

/// Loads one corner of eight triangles.
#[inline(always)]
pub(crate) fn load<F: Lanes<8>>(from: &[[f32; 8]; 3]) -> [F; 3] {
    [F::load(&from[0]), F::load(&from[1]), F::load(&from[2])]
}

/// Stores the components as arrays, for access by lane.
#[inline(always)]
pub(crate) fn arrays<F: Lanes<8>>(a: &[F; 3]) -> [[f32; 8]; 3] {
    [a[0].to_array(), a[1].to_array(), a[2].to_array()]
}

/// Returns the largest component in magnitude.
#[inline(always)]
pub(crate) fn size<F: Lanes<W>, const W: usize>(a: &[F; 3]) -> F {
    a[0].abs().max(a[1].abs()).max(a[2].abs())
}
