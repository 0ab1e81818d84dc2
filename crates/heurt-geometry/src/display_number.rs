//! Display format of numbers in messages.
//!
//! In: a number, a vector or a place. Out: text that parses to the same number: decimal digits if these are few, else
//! an exponent, because a number such as 1e300 has too many zeros to count. [`ShortNumber`] and [`ShortPlace`] round,
//! for people who need no 17 digits.

use crate::{Vec2, Vec3};
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

/// Formats a number with at most six significant digits, for notes, tables and messages.
///
/// ```
/// use heurt_geometry::ShortNumber;
/// assert_eq!(ShortNumber(0.1 + 0.2).to_string(), "0.3");
/// assert_eq!(ShortNumber(12_345.678_9).to_string(), "12345.7");
/// assert_eq!(ShortNumber(-1.0 / 3.0).to_string(), "-0.333333");
/// assert_eq!(ShortNumber(2.5e-7).to_string(), "2.5e-7");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShortNumber(pub f64);

impl Display for ShortNumber {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let rounded = format!("{:.5e}", self.0).parse().unwrap_or(self.0);
        // From a million on, the digits that are left out would be zeros.
        let is_large = rounded.abs() >= 1e6 && rounded.is_finite();
        if is_large { write!(f, "{rounded:e}") } else { DisplayNumber(rounded).fmt(f) }
    }
}

/// Formats a count and its noun, of which it has the singular and the plural.
///
/// ```
/// use heurt_geometry::Counted;
/// assert_eq!(Counted(1, "vertex", "vertices").to_string(), "1 vertex");
/// assert_eq!(Counted(0, "vertex", "vertices").to_string(), "0 vertices");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted<'w>(pub usize, pub &'w str, pub &'w str);

impl Display for Counted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self(count, one, many) = self;
        write!(f, "{count} {}", if *count == 1 { one } else { many })
    }
}

/// Formats a place in metres as `(x, y)` or `(x, y, z)`, rounded to a tenth of a millimetre: coordinates of a country
/// have more digits than six.
///
/// ```
/// use heurt_geometry::{ShortPlace, Vec2, Vec3};
/// assert_eq!(ShortPlace(Vec2::new(1.0 / 3.0, 5_812_345.67)).to_string(), "(0.3333, 5812345.67)");
/// assert_eq!(ShortPlace(Vec3::new(-1e-9, 2.0, 1e12)).to_string(), "(0, 2, 1e12)");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShortPlace<T>(pub T);

impl Display for ShortPlace<Vec2> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let [x, y] = self.0.to_array().map(rounded);
        write!(f, "({x}, {y})")
    }
}

impl Display for ShortPlace<Vec3> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let [x, y, z] = self.0.to_array().map(rounded);
        write!(f, "({x}, {y}, {z})")
    }
}

/// Returns a coordinate as text; from a billion metres on with an exponent.
fn rounded(x: f64) -> String {
    match x.abs() < 1e9 {
        true => format!("{}", (x * 1e4).round() / 1e4 + 0.0),
        false => ShortNumber(x).to_string(),
    }
}
