//! Errors of generators, and the checks that all of them share.
//!
//! In: parameters as given. Out: [`GenerateError`], which names the generator, the parameter, its value and the legal
//! range. Guarantees: a generator that passes its checks allocates no more than its announced triangles need.

use crate::MeshError;
use heurt_geometry::DisplayNumber;
use thiserror::Error;

/// Limit of triangles of a generator: the limit of [`crate::TriMesh`].
pub const MAX_TRIANGLES: u64 = 1 << 28;

/// Legal range of lengths, in metres: products of three stay in the range of numbers.
const LENGTHS: (f64, f64) = (1e-90, 1e90);

/// Errors of generators.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A parameter is NaN, infinite or out of its range.
    #[error("{generator}: {parameter} is {}: give {legal}", DisplayNumber(*value))]
    Parameter {
        /// The name of the generator's function.
        generator: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The given value.
        value: f64,
        /// The legal range, in words.
        legal: String,
    },
    /// The resolution needs more triangles than a mesh may have.
    #[error("{generator}: {count} triangles are more than {max}: give fewer segments or levels")]
    TooManyTriangles {
        /// The generator.
        generator: &'static str,
        /// The number of triangles.
        count: u64,
        /// [`MAX_TRIANGLES`].
        max: u64,
    },
    /// The mesh has no volume to scale.
    #[error("the mesh of {triangles} triangles has no positive volume: give a closed mesh, oriented outward")]
    NoVolume {
        /// The number of triangles.
        triangles: usize,
    },
    /// The numbers are legal one by one, but not as a mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// The checks of one generator.
#[derive(Clone, Copy)]
pub(crate) struct Limits(pub(crate) &'static str);

impl Limits {
    /// Returns the error for `value`, with the words `legal`.
    pub(super) fn refuse(self, parameter: &'static str, value: f64, legal: impl Into<String>) -> GenerateError {
        GenerateError::Parameter { generator: self.0, parameter, value, legal: legal.into() }
    }

    /// Checks a length: finite, positive, neither vanishing nor overflowing.
    pub(super) fn length(self, parameter: &'static str, value: f64) -> Result<(), GenerateError> {
        let (low, high) = LENGTHS;
        if (low..=high).contains(&value) {
            return Ok(());
        }
        Err(self.refuse(parameter, value, format!("a positive length between {low:e} and {high:e} m")))
    }

    /// Checks `low <= value <= high`; NaN fails.
    pub(super) fn within(self, parameter: &'static str, value: f64, low: f64, high: f64) -> Result<(), GenerateError> {
        if (low..=high).contains(&value) {
            return Ok(());
        }
        Err(self.refuse(parameter, value, format!("a number from {} to {}", DisplayNumber(low), DisplayNumber(high))))
    }

    /// Checks that `value` lies strictly above `low` and leaves a millionth of `high` below `high`.
    pub(super) fn below(
        self,
        parameter: &'static str,
        value: f64,
        low: f64,
        (bound, high): (&'static str, f64),
    ) -> Result<(), GenerateError> {
        if low < value && value <= high * (1.0 - 1e-6) {
            return Ok(());
        }
        let legal = format!("more than {low} and less than {bound}, which is {}", DisplayNumber(high));
        Err(self.refuse(parameter, value, legal))
    }

    /// Checks that there are at least `low` of something.
    pub(super) fn at_least(self, parameter: &'static str, value: u32, low: u32) -> Result<(), GenerateError> {
        if value >= low {
            return Ok(());
        }
        Err(self.refuse(parameter, value.into(), format!("at least {low}")))
    }

    /// Checks the number of triangles before they are made. `count` is exact up to saturation.
    pub(super) fn triangles(self, count: u64) -> Result<(), GenerateError> {
        if count <= MAX_TRIANGLES {
            return Ok(());
        }
        Err(GenerateError::TooManyTriangles { generator: self.0, count, max: MAX_TRIANGLES })
    }
}
