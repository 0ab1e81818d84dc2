//! Units of length in which squares neither overflow nor lose digits, and numbers of any size in messages.

use std::fmt::{Display, Formatter, Result};

/// The units in a metre, a power of two, in which lengths near `span` metres are near 1; kept among those whose inverse is
/// normal, too.
pub fn units_in_a_metre(span: f64) -> f64 {
    f64::from_bits(((1.0 / span).to_bits() >> 52).clamp(1, 2045) << 52)
}

/// A number as a message shows it: with an exponent where it would have too many digits.
#[derive(Debug, Clone, Copy)]
pub struct Brief<'a>(pub &'a f64);

impl Display for Brief<'_> {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        let value = *self.0;
        let is_long = value != 0.0 && value.is_finite() && !(1e-6..1e15).contains(&value.abs());
        if is_long { write!(to, "{value:e}") } else { write!(to, "{value}") }
    }
}
