//! Errors of half-spaces: coefficients, bounds of their intersections.

use thiserror::Error;

/// Errors of half-spaces.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum HalfSpaceError {
    /// A coefficient is NaN or infinite.
    #[error("the {field} holds {value}: give finite numbers")]
    NotFinite {
        /// The coefficient.
        field: &'static str,
        /// The offending number.
        value: f64,
    },
    /// A linear half-space without a direction.
    #[error("the normal is zero: give the direction that leads out of the half-space")]
    ZeroNormal,
    /// A quadric whose function is constant.
    #[error("the matrix and the linear coefficients of the quadric are zero: use the empty set or everything")]
    ConstantQuadric,
    /// A matrix that is not symmetric.
    #[error(
        "the matrix of the quadric has the entries {upper} and {lower} at ({row}, {column}) and its mirror: give a symmetric matrix"
    )]
    NotSymmetric {
        /// The row of the entry above the diagonal.
        row: usize,
        /// The column of that entry.
        column: usize,
        /// The entry above the diagonal.
        upper: f64,
        /// The entry below the diagonal.
        lower: f64,
    },
    /// The intersection is unbounded.
    #[error("the intersection is unbounded: add half-spaces until it has a finite size")]
    Unbounded,
    /// No proof of bounds was found.
    #[error("no bounds of the intersection could be proved: add half-spaces that enclose it")]
    Undecided,
}
