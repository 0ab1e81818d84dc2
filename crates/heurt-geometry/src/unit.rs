//! Units of length in which squares neither overflow nor lose digits.

/// The units in a metre, a power of two, in which lengths near `span` metres are near 1; kept among those whose inverse is
/// normal, too.
pub fn units_in_a_metre(span: f64) -> f64 {
    f64::from_bits(((1.0 / span).to_bits() >> 52).clamp(1, 2045) << 52)
}
