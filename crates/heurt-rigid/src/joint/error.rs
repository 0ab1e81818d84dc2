//! Reasons why a joint is refused.

use super::JointKind;
use heurt_geometry::{DisplayNumber, Vec3};
use thiserror::Error;

/// Reasons why numbers give no joint.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum JointError {
    /// Both ends are on the same body, or on the world.
    #[error("a joint joins {} with itself: give two bodies, or a body and the world", show_body(*_0))]
    SameBody(Option<u32>),
    /// An axis without direction.
    #[error("the axis {:?} has no direction: give a vector above 0", _0.to_array())]
    Axis(Vec3),
    /// A number that is NaN or infinite.
    #[error("the {_0} of the joint is not finite: give finite numbers")]
    NotFinite(&'static str),
    /// A lower limit above the upper limit.
    #[error("the limits {} and {} are crossed: give the lower limit first", DisplayNumber(_0[0]), DisplayNumber(_0[1]))]
    Limits([f64; 2]),
    /// Limits of a distance below 0.
    #[error("the limits {} and {} are below 0: a distance is at least 0", DisplayNumber(_0[0]), DisplayNumber(_0[1]))]
    NegativeDistance([f64; 2]),
    /// A distance joint whose points coincide.
    #[error("the points of a distance joint coincide: give two different points, or a ball joint")]
    NoDistance,
    /// A force below 0.
    #[error("the {field} is {}: give a number of at least 0", DisplayNumber(*value))]
    Force {
        /// `"max_force"` or `"break_at"`.
        field: &'static str,
        /// The offending number.
        value: f64,
    },
    /// Limits or a motor on a joint without a coordinate.
    #[error("a {} joint has no {what}: give it to a hinge or a slider", kind.name())]
    NotSupported {
        /// The kind of the joint.
        kind: JointKind,
        /// `"limits"` or `"motor"`.
        what: &'static str,
    },
}

fn show_body(body: Option<u32>) -> String {
    body.map_or_else(|| "the world".to_owned(), |body| format!("body {body}"))
}

/// Refuses forces below 0 or not finite.
pub(super) fn check_force(field: &'static str, value: f64) -> Result<(), JointError> {
    if !value.is_finite() {
        return Err(JointError::NotFinite(field));
    }
    if value < 0.0 { Err(JointError::Force { field, value }) } else { Ok(()) }
}
