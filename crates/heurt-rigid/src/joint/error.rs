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
    /// A force, a stiffness or another number below 0.
    #[error("the {field} is {}: give a number of at least 0", DisplayNumber(*value))]
    Force {
        /// `"max_force"`, `"break_at"`, `"stiffness"`, `"damping"`, `"rest"` or `"friction"`.
        field: &'static str,
        /// The offending number.
        value: f64,
    },
    /// A cone that leaves no swing, or that is beyond half a turn.
    #[error("the cone is {}: give an angle above 0 and up to π", DisplayNumber(*_0))]
    Cone(f64),
    /// Limits of a twist that are crossed or beyond half a turn.
    #[error("the twist limits {} and {} are crossed or beyond half a turn: give the lower one first, from −π to π",
        DisplayNumber(_0[0]), DisplayNumber(_0[1]))]
    Twist([f64; 2]),
    /// A motor of a velocity and a motor of a position.
    #[error("the joint has a motor of a velocity and a motor of a position: give one")]
    TwoMotors,
    /// Limits, a motor, a spring, a cone, a twist or friction on a joint of a kind that has none.
    #[error("a {} joint has no {what}: give it to {}", kind.name(), kinds_with(what))]
    NotSupported {
        /// The kind of the joint.
        kind: JointKind,
        /// `"limits"`, `"motor"`, `"spring"`, `"cone"`, `"twist"` or `"friction"`.
        what: &'static str,
    },
}

/// Names the kinds of joints that have a limit, a motor, a spring or friction.
fn kinds_with(what: &str) -> &'static str {
    match what {
        "spring" => "a hinge, a slider or a distance joint",
        "cone" | "twist" => "a ball joint",
        "friction" => "a joint that moves",
        _ => "a hinge or a slider",
    }
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
