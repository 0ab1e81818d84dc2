//! Lengths of options: a number in the unit of the report, or a number with a unit, which is converted to it.

use crate::Failure;
use crate::units::Units;
use heurt::io::{Length, LengthError, LengthUnit};
use std::str::FromStr;

/// A length as an option gives it: `0.5`, `0.5mm`, `2in`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LengthArgument(pub(crate) Length);

impl FromStr for LengthArgument {
    type Err = LengthError;

    fn from_str(text: &str) -> Result<Self, LengthError> {
        text.parse().map(Self)
    }
}

impl LengthArgument {
    /// Returns the number in the unit of coordinates. `option` is named in the failure: a length with a unit has no
    /// value where the unit of the coordinates is unknown.
    pub(crate) fn in_units(self, option: &'static str, units: Units) -> Result<f64, Failure> {
        self.0.in_unit(units.0).map_err(|source| Failure::NoLength { option, source })
    }
}

/// Reads a length of at least 0.
pub(crate) fn length_of_at_least_0(text: &str) -> Result<LengthArgument, String> {
    match text.parse::<LengthArgument>() {
        Ok(length) if length.0.value >= 0.0 => Ok(length),
        Err(error @ LengthError::NoUnit { .. }) => Err(error.to_string()),
        _ => Err("give a finite length of at least 0, as 0.5 or 0.5mm".to_owned()),
    }
}

/// Returns the numbers of lengths in one unit, and that unit: the first one given; `None` if none is given.
///
/// # Errors
/// A sentence, if some lengths have a unit and others that are not 0 have none.
pub(crate) fn in_one_unit(lengths: &[Length]) -> Result<(Vec<f64>, Option<LengthUnit>), String> {
    let unit = lengths.iter().find_map(|length| length.unit);
    let number = |length: &Length| match (length.unit, unit) {
        (None, Some(_)) if length.value != 0.0 => {
            Err(format!("{} has no unit but others do: give all of them a unit, or none", length.value))
        }
        (None, _) => Ok(length.value),
        (Some(_), _) => length.in_unit(unit).map_err(|error| error.to_string()),
    };
    Ok((lengths.iter().map(number).collect::<Result<_, _>>()?, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_come_into_the_unit_of_the_first() {
        let lengths = |text: &str| text.split(',').map(|word| word.parse().unwrap()).collect::<Vec<Length>>();
        assert_eq!(in_one_unit(&lengths("0,2mm,1cm")), Ok((vec![0.0, 2.0, 10.0], Some(LengthUnit::Millimetre))));
        assert_eq!(in_one_unit(&lengths("0,2,1")), Ok((vec![0.0, 2.0, 1.0], None)));
        assert!(in_one_unit(&lengths("3,2mm,0")).is_err());
    }
}
