//! Errors of point shells and haptic settings.

use thiserror::Error;

/// Why a mesh has no point shell.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PointShellError {
    /// The mesh is open, so that normals have no inner side.
    #[error("the mesh of {triangles} triangles is not closed, so it has no inside: close it with `heurt repair`")]
    OpenMesh {
        /// The number of its triangles.
        triangles: usize,
    },
    /// Triangles disagree on which side is out.
    #[error("neighbouring triangles of the mesh disagree on which side is out: orient them with `heurt repair`")]
    Inconsistent,
    /// The spacing is no positive number.
    #[error("the spacing is {spacing} m: give a finite number above 0")]
    Spacing {
        /// The spacing in metres.
        spacing: f64,
    },
    /// The surface needs too many points.
    #[error("a spacing of {spacing} m needs more than {limit} samples of the surface: choose a larger spacing")]
    TooManyPoints {
        /// The spacing in metres.
        spacing: f64,
        /// The limit.
        limit: usize,
    },
}

/// Why numbers are no haptic settings.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum HapticError {
    /// A number has to be positive.
    #[error("{field} is {value} {unit}: give a finite number above 0")]
    NotPositive {
        /// The field of the settings.
        field: &'static str,
        /// Its value.
        value: f64,
        /// Its unit.
        unit: &'static str,
    },
    /// A number has to be 0 or more.
    #[error("{field} is {value} {unit}: give a finite number, 0 or more")]
    Negative {
        /// The field of the settings.
        field: &'static str,
        /// Its value.
        value: f64,
        /// Its unit.
        unit: &'static str,
    },
    /// The damper is too strong for the period.
    #[error(
        "{field} is {value} {unit}, more than stiffness × 20 periods, {limit} {unit}: choose less damping or a shorter \
         period"
    )]
    Damping {
        /// The field of the settings.
        field: &'static str,
        /// Its value.
        value: f64,
        /// The greatest value.
        limit: f64,
        /// Its unit.
        unit: &'static str,
    },
}
