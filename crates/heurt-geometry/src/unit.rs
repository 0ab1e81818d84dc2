//! Units of length in which squares neither overflow nor lose digits, and lengths and directions by them.

use crate::Vec3;

/// The units in a metre, a power of two, in which lengths near `span` metres are near 1; kept among those whose inverse is
/// normal, too.
pub fn units_in_a_metre(span: f64) -> f64 {
    f64::from_bits(((1.0 / span).to_bits() >> 52).clamp(1, 2045) << 52)
}

/// A vector times a power of two that brings its largest component near 1; zero stays.
pub fn of_middling_length(way: Vec3) -> Vec3 {
    way * units_in_a_metre(way.abs().max_element())
}

/// The length of a vector whose square may be beyond the range of `f64`.
pub fn length_of(way: Vec3) -> f64 {
    let unit = units_in_a_metre(way.abs().max_element());
    (way * unit).length() / unit
}

/// The unit vector along another of any length; `None` for zero, and for what is not finite.
#[inline(always)]
pub fn direction_of(way: Vec3) -> Option<Vec3> {
    if DIGITS.contains(&way.length_squared()) { Some(way.normalize()) } else { direction_of_any_length(way) }
}

#[cold]
#[inline(never)]
fn direction_of_any_length(way: Vec3) -> Option<Vec3> {
    of_middling_length(way).try_normalize()
}

/// Squares of lengths that keep their digits.
const DIGITS: std::ops::Range<f64> = 1e-280..1e280;
