//! Why numbers do not make a convex shape.

use heurt_geometry::{DisplayNumber, HullError};
use thiserror::Error;

/// Why numbers do not make a convex shape.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ConvexError {
    /// A length below 0.
    #[error("`{field}` is {}: give a length of at least 0", DisplayNumber(*value))]
    Negative {
        /// Which number.
        field: &'static str,
        /// The offending number.
        value: f64,
    },
    /// A number that is NaN or infinite.
    #[error("`{field}` is {value}: give a finite number")]
    NotFinite {
        /// Which number.
        field: &'static str,
        /// The offending number.
        value: f64,
    },
    /// A number so large that sums of a few become infinite.
    #[error("`{field}` is {}, beyond 5e306: choose another unit of length", DisplayNumber(*value))]
    TooFar {
        /// Which number.
        field: &'static str,
        /// The offending number.
        value: f64,
    },
    /// A normal without a direction.
    #[error("the normal is zero: give the direction that leads out of the half-space")]
    NoDirection,
    /// A superellipsoid that is not convex, or no superellipsoid at all.
    #[error("the exponent `{field}` is {}: give one from 0.01 to 2, or mesh the shape by `segments`", DisplayNumber(*value))]
    Exponent {
        /// Which exponent.
        field: &'static str,
        /// The offending exponent.
        value: f64,
    },
    /// Points without a hull.
    #[error(transparent)]
    Hull(#[from] HullError),
}
