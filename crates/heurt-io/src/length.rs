//! Lengths as people write them: a number, with the unit behind it or without one.
//!
//! In: text such as `0.5`, `0.5mm`, `2 in`, `1e-3m`. Out: a [`Length`], and its value in the unit of some coordinates.
//! Guarantees: a length without a unit, or in the unit of the coordinates, is not rounded again.

use crate::LengthUnit;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A length with its unit, if it has one.
///
/// ```
/// use heurt_io::{Length, LengthUnit};
/// let clearance: Length = "0.5mm".parse()?;
/// assert_eq!(clearance.in_unit(Some(LengthUnit::Metre))?, 0.0005);
/// let plain: Length = "0.5".parse()?;
/// assert_eq!(plain.in_unit(None)?, 0.5);
/// assert!(clearance.in_unit(None).is_err());
/// # Ok::<(), heurt_io::LengthError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Length {
    /// The number, finite.
    pub value: f64,
    /// The unit; `None` for the unit of the coordinates.
    pub unit: Option<LengthUnit>,
}

/// Reason why a text is no length, or a length has no value.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LengthError {
    /// The text begins with no finite number.
    #[error("`{text}` is no length: give a finite number, with a unit or without, as 0.5 or 0.5mm")]
    NoNumber {
        /// The text.
        text: String,
    },
    /// The text behind the number is no unit.
    #[error("`{unit}` is no unit of length: give um, mm, cm, m, in or ft")]
    NoUnit {
        /// The text behind the number.
        unit: String,
    },
    /// The unit of the coordinates is not known.
    #[error(
        "{length} has a unit, but the files declare none: name theirs with --unit or --file-unit, or give a number alone"
    )]
    UnknownCoordinates {
        /// The length.
        length: Length,
    },
}

impl Length {
    /// Returns the length without a unit.
    pub fn plain(value: f64) -> Self {
        Self { value, unit: None }
    }

    /// Returns the number in the unit of coordinates, `None` where none is known.
    ///
    /// # Errors
    /// [`LengthError::UnknownCoordinates`] if the length has a unit and the coordinates have none.
    pub fn in_unit(self, coordinates: Option<LengthUnit>) -> Result<f64, LengthError> {
        match (self.unit, coordinates) {
            (None, _) => Ok(self.value),
            (Some(unit), Some(target)) if unit == target => Ok(self.value),
            (Some(unit), Some(target)) => Ok(self.value * unit.factor_to(target)),
            (Some(_), None) => Err(LengthError::UnknownCoordinates { length: self }),
        }
    }
}

impl FromStr for Length {
    type Err = LengthError;

    fn from_str(text: &str) -> Result<Self, LengthError> {
        let text = text.trim();
        // The longest front that is a number: `1e3in` has the number 1e3, `2in` the number 2 (and no infinity).
        let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
        let end = text.find(|c: char| !is_digit(c)).unwrap_or(text.len());
        let number = |end: usize| text[..end].parse::<f64>().ok().filter(|value| value.is_finite());
        let Some((value, rest)) = (1..=end).rev().find_map(|end| Some((number(end)?, text[end..].trim()))) else {
            return Err(LengthError::NoNumber { text: shortened(text) });
        };
        if rest.is_empty() {
            return Ok(Self::plain(value));
        }
        match LengthUnit::from_name(rest) {
            Some(unit) => Ok(Self { value, unit: Some(unit) }),
            None if rest.starts_with(|c: char| c.is_alphabetic() || c == '"' || c == '\'') => {
                Err(LengthError::NoUnit { unit: shortened(rest) })
            }
            None => Err(LengthError::NoNumber { text: shortened(text) }),
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit {
            Some(unit) => write!(out, "{}{unit}", self.value),
            None => write!(out, "{}", self.value),
        }
    }
}

/// Returns at most 40 characters of a text.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 40;
    let mut shown: String = text.chars().take(SHOWN).collect();
    if text.chars().count() > SHOWN {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<(f64, Option<LengthUnit>), LengthError> {
        text.parse::<Length>().map(|length| (length.value, length.unit))
    }

    #[test]
    fn numbers_with_and_without_units_are_read() {
        use LengthUnit::{Centimetre, Foot, Inch, Metre, Micrometre, Millimetre};
        for (text, value, unit) in [
            ("0.5", 0.5, None),
            (" -3 ", -3.0, None),
            ("1e-3", 1e-3, None),
            ("0.5mm", 0.5, Some(Millimetre)),
            ("2in", 2.0, Some(Inch)),
            ("1e-3m", 1e-3, Some(Metre)),
            ("3cm", 3.0, Some(Centimetre)),
            ("1ft", 1.0, Some(Foot)),
            ("25 um", 25.0, Some(Micrometre)),
            ("25µm", 25.0, Some(Micrometre)),
            ("-0.2 mm", -0.2, Some(Millimetre)),
            ("2 inches", 2.0, Some(Inch)),
            (".5MM", 0.5, Some(Millimetre)),
        ] {
            assert_eq!(parsed(text), Ok((value, unit)), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused_with_their_reason() {
        for text in ["", "mm", "inf", "nan", "1e999", "1,5mm", "0.5 0.5", "-", "é"] {
            assert!(matches!(parsed(text), Err(LengthError::NoNumber { .. })), "{text}: {:?}", parsed(text));
        }
        assert_eq!(parsed("2km"), Err(LengthError::NoUnit { unit: "km".to_owned() }));
        assert_eq!(parsed("2e"), Err(LengthError::NoUnit { unit: "e".to_owned() }));
    }

    #[test]
    fn units_are_converted_to_those_of_the_coordinates() {
        let length = |text: &str| text.parse::<Length>().unwrap();
        assert_eq!(length("2in").in_unit(Some(LengthUnit::Millimetre)), Ok(50.8));
        assert_eq!(length("0.3mm").in_unit(Some(LengthUnit::Millimetre)), Ok(0.3));
        assert_eq!(length("0.3").in_unit(Some(LengthUnit::Metre)), Ok(0.3));
        let refused = length("0.3mm").in_unit(None).unwrap_err().to_string();
        assert!(refused.starts_with("0.3mm has a unit, but the files declare none"), "{refused}");
    }
}
