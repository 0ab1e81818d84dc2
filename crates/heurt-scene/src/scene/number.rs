//! Numbers of scenes that have an upper bound, and poses within the range of numbers.

use crate::describe::display::number;
use crate::describe::fields;
use crate::describe::fields::{FieldError, Fields};
use crate::describe::pose::read_pose;
use heurt_geometry::Pose;
use heurt_world::FARTHEST;
use serde_json::Value;

/// Reads a number that is at most `most`.
pub(super) fn at_most(
    fields: &mut Fields,
    name: &str,
    read: fn(&str, Value) -> Result<f64, FieldError>,
    most: f64,
) -> Result<Option<f64>, FieldError> {
    let within = |path: &str, value: Value| match read(path, value)? {
        value if value.abs() <= most => Ok(value),
        value => Err(FieldError::refused(path, number(value), format!("give at most {}", number(most)))),
    };
    fields.optional(name, within)
}

/// Reads a pose with coordinates whose squares do not overflow.
pub(super) fn near_pose(path: &str, value: Value) -> Result<Pose, FieldError> {
    let shown = fields::shown(&value);
    let pose = read_pose(path, value)?;
    if is_near(&pose) { Ok(pose) } else { Err(FieldError::refused(path, shown, too_far(&pose))) }
}

pub(super) fn is_near(pose: &Pose) -> bool {
    pose.translation().abs().max_element() <= FARTHEST
}

pub(super) fn too_far(pose: &Pose) -> String {
    format!("it leads to {:?}: give places within {} m of the origin", pose.translation().to_array(), number(FARTHEST))
}
