//! Units of length in which squares neither overflow nor lose digits, and lengths and directions by them.

use crate::Vec3;

/// The units in a metre, a power of two, in which lengths near `span` metres are near 1; kept among those whose inverse
/// is normal, too.
pub fn power_of_two_scale(span: f64) -> f64 {
    f64::from_bits(((1.0 / span).to_bits() >> 52).clamp(1, 2045) << 52)
}

/// Squares of lengths that keep their digits.
const SQUARES_IN_RANGE: std::ops::Range<f64> = 1e-280..1e280;

/// A vector times a power of two that brings its largest component near 1, as far as the inverse of that power is
/// normal; zero stays.
pub fn scaled_to_unit_range(vector: Vec3) -> Vec3 {
    vector * power_of_two_scale(vector.abs().max_element())
}

/// The length of a vector whose square may be beyond the range of `f64`.
///
/// ```
/// use heurt_geometry::{Vec3, robust_length};
/// let long = Vec3::new(3e200, 4e200, 0.0);
/// assert_eq!(long.length(), f64::INFINITY);
/// assert!((robust_length(long) / 5e200 - 1.0).abs() < 1e-15);
/// ```
pub fn robust_length(vector: Vec3) -> f64 {
    let unit = power_of_two_scale(vector.abs().max_element());
    (vector * unit).length() / unit
}

/// The unit vector along another of any length; `None` for zero, and for what is not finite.
///
/// ```
/// use heurt_geometry::{Vec3, robust_normalize};
/// assert_eq!(robust_normalize(Vec3::X * 1e-200), Some(Vec3::X));
/// assert_eq!(robust_normalize(Vec3::ZERO), None);
/// ```
#[inline(always)]
pub fn robust_normalize(vector: Vec3) -> Option<Vec3> {
    let length_sq = vector.length_squared();
    if SQUARES_IN_RANGE.contains(&length_sq) {
        return Some(vector / length_sq.sqrt());
    }
    if vector == Vec3::ZERO { None } else { direction_of_any_length(vector) }
}

#[cold]
#[inline(never)]
fn direction_of_any_length(vector: Vec3) -> Option<Vec3> {
    scaled_to_unit_range(vector).try_normalize()
}
