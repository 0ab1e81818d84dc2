//! Cutoffs of traversals: upper bounds of distances in metres, as `f32` bounds in the local units of a tree.
//!
//! In: a distance in metres and the scale of the tree, in local units per metre. Out: the value that a visitor returns
//! as its cutoff.
//! Method: a relative margin of 1e-6, which is above the rounding error of the product and of the conversion to `f32`
//! (2⁻²⁴ for each of at most three roundings), then the least normal magnitude.
//! Guarantees: a volume at most this far off is not rejected because the cutoff was rounded. A distance too small for
//! `f32` does not become 0.

/// The relative margin of a cutoff: 1e-6 covers sixteen roundings to `f32`.
const RELATIVE_MARGIN: f64 = 1e-6;

/// The absolute margin of a cutoff, in the units of the bound: above the least normal `f32`, so that no cutoff is
/// subnormal.
const ABSOLUTE_MARGIN: f32 = 1e-37;

/// Computes the cutoff of a traversal by distances.
#[inline(always)]
pub fn linear(metres: f64, scale: f64) -> f32 {
    from_bound(metres * scale * (1.0 + RELATIVE_MARGIN))
}

/// Computes the cutoff of a traversal of two trees, whose gaps are doubled.
#[inline(always)]
pub fn doubled(metres: f64, scale: f64) -> f32 {
    2.0 * linear(metres, scale)
}

/// Computes the cutoff of a traversal by squared distances.
#[inline(always)]
pub fn squared(metres: f64, scale: f64) -> f32 {
    let local = metres * scale;
    from_bound(local * local * (1.0 + RELATIVE_MARGIN))
}

/// Computes the cutoff of a traversal by heights over a plane, which may be negative.
#[inline(always)]
pub fn signed(metres: f64, scale: f64) -> f32 {
    let local = metres * scale;
    from_bound(local + local.abs() * RELATIVE_MARGIN)
}

/// Converts a bound that has its relative margin already.
#[inline(always)]
pub fn from_bound(bound: f64) -> f32 {
    bound as f32 + ABSOLUTE_MARGIN
}
