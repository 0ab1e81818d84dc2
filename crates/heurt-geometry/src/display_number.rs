//! Display format of numbers in messages.
//!
//! In: a number or a vector. Out: text that parses to the same number: decimal digits if these are few, else an
//! exponent, because a number such as 1e300 has too many zeros to count.

use crate::Vec3;
use std::fmt::{Display, Formatter, Result};

/// Formats a number, or a vector `[x, y, z]`, for messages.
///
/// ```
/// use heurt_geometry::{DisplayNumber, Vec3};
/// assert_eq!(DisplayNumber(0.25).to_string(), "0.25");
/// assert_eq!(DisplayNumber(-1e300).to_string(), "-1e300");
/// assert_eq!(DisplayNumber(Vec3::new(1.0, 0.0, 5e-324)).to_string(), "[1, 0, 5e-324]");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DisplayNumber<T>(pub T);

impl Display for DisplayNumber<f64> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let value = self.0;
        let is_short = value == 0.0 || !value.is_finite() || (1e-5..1e16).contains(&value.abs());
        if is_short { write!(f, "{value}") } else { write!(f, "{value:e}") }
    }
}

impl Display for DisplayNumber<Vec3> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let [x, y, z] = self.0.to_array().map(DisplayNumber);
        write!(f, "[{x}, {y}, {z}]")
    }
}
