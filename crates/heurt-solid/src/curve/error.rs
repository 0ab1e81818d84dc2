//! Errors of regions of the plane.

use thiserror::Error;

/// Errors of regions of the plane.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CurveError {
    /// A parameter is out of range.
    #[error("{parameter} is {value}: give {legal}")]
    Parameter {
        /// The parameter.
        parameter: &'static str,
        /// Its value.
        value: f64,
        /// The legal range in words.
        legal: &'static str,
    },
    /// The polygon would have too many corners.
    #[error("the tolerance {tolerance} m needs more than {max} corners: give a larger tolerance")]
    TooManyCorners {
        /// The tolerance in metres.
        tolerance: f64,
        /// The limit.
        max: usize,
    },
}

/// Checks that `value` lies in `low ..= high`.
pub(super) fn check(
    parameter: &'static str,
    value: f64,
    legal: &'static str,
    [low, high]: [f64; 2],
) -> Result<(), CurveError> {
    if (low..=high).contains(&value) { Ok(()) } else { Err(CurveError::Parameter { parameter, value, legal }) }
}

/// Checks a length in metres.
pub(super) fn check_length(parameter: &'static str, value: f64) -> Result<(), CurveError> {
    check(parameter, value, "a positive length from 1e-60 to 1e60 m", [1e-60, 1e60])
}
