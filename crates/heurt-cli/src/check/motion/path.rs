//! The way that parts are moved on, as people and programs write it.
//!
//! In: `x,y,z` (metres, in one second), a JSON object or a list of them, or `@file` with one of these. Out: a [`Path`]: legs, one
//! after the other, each at constant speed.

use crate::Failure;
use crate::pose::Written;
use crate::query::fields::{self, FieldError, Fields};
use heurt::geometry::{Motion, MotionError, Pose, Vec3};
use serde_json::Value;

/// What moved parts do, in the world frame.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Path {
    pub(crate) legs: Vec<Leg>,
}

/// A piece of the way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Leg {
    /// Of the pivot, in m/s.
    velocity: Vec3,
    /// In rad/s.
    angular_velocity: Vec3,
    /// Where the axis is at the beginning of the leg; through the origin of the first moved part where none is given.
    pivot: Option<Vec3>,
    /// In seconds.
    pub(crate) duration: f64,
}

impl Path {
    /// Reads the value of `--motion`.
    pub(crate) fn from_option(value: &str) -> Result<Self, Failure> {
        let refuse = |reason: String| Failure::NoMotion { reason };
        let legs = match Written::read(value, refuse)? {
            Written::Numbers(numbers) => straight(&numbers).map_err(refuse)?,
            Written::Json(value @ Value::Array(_)) => {
                fields::list("motion", value, leg).map_err(|error| refuse(error.to_string()))?
            }
            Written::Json(one) => vec![leg("motion", one).map_err(|error| refuse(error.to_string()))?],
        };
        if legs.is_empty() {
            return Err(refuse("the list is empty".to_owned()));
        }
        Ok(Self { legs })
    }

    /// How long it takes, in seconds.
    pub(crate) fn duration(&self) -> f64 {
        self.legs.iter().map(|leg| leg.duration).sum()
    }
}

impl Leg {
    /// What a part does that stands on `pose` as the leg begins, while the origin of the first moved part is at `origin`.
    pub(crate) fn motion(&self, pose: &Pose, origin: Vec3) -> Result<Motion, MotionError> {
        let motion = Motion::screw(self.velocity, self.angular_velocity)?;
        if !motion.turns() {
            return Ok(motion);
        }
        let pivot = self.pivot.unwrap_or(origin) - pose.translation();
        motion.about(pose.rotation().transpose() * pivot)
    }

    /// Refuses numbers that make no motion.
    fn checked(self) -> Result<Self, MotionError> {
        self.motion(&Pose::IDENTITY, Vec3::ZERO).map(|_| self)
    }
}

/// So many metres in a second.
fn straight(numbers: &[f64]) -> Result<Vec<Leg>, String> {
    let &[x, y, z] = numbers else { return Err(format!("{} numbers are not 3", numbers.len())) };
    let leg = Leg { velocity: Vec3::new(x, y, z), angular_velocity: Vec3::ZERO, pivot: None, duration: 1.0 };
    leg.checked().map(|leg| vec![leg]).map_err(|error| error.to_string())
}

fn leg(path: &str, value: Value) -> Result<Leg, FieldError> {
    let shown = fields::shown(&value);
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&["velocity", "angular_velocity", "pivot", "duration"]])?;
    let velocity = fields.optional("velocity", fields::vector)?.unwrap_or(Vec3::ZERO);
    let angular_velocity = fields.optional("angular_velocity", fields::vector)?.unwrap_or(Vec3::ZERO);
    let pivot = fields.optional("pivot", fields::vector)?;
    let duration = fields.optional("duration", fields::positive)?.unwrap_or(1.0);
    let leg = Leg { velocity, angular_velocity, pivot, duration };
    leg.checked().map_err(|error| FieldError::refused(path, shown, error))
}
