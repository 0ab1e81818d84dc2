//! Scripted motions: keyed poses of kinematic bodies, waves of soft ones.

use super::number::{at_most, near_pose};
use crate::description::fields;
use crate::description::fields::{FieldError, Fields};
use crate::output::number;
use heurt::world::{FARTHEST, Keyframes};
use serde_json::Value;

/// Shortest period of a wave, in seconds: the longest run at the longest steps has a finite number of these.
const SHORTEST_PERIOD: f64 = 1e-100;

pub(super) fn read_script(path: &str, value: Value) -> Result<Keyframes, FieldError> {
    let key = |path: &str, value: Value| {
        let mut fields = Fields::open(path, value)?;
        fields.only(&[&["time", "translation", "rotation", "matrix"]])?;
        let time = fields.required("time", "a time in s", fields::number)?;
        let pose = near_pose(path, fields.rest())?;
        Ok((time, pose))
    };
    let keys = fields::list(path, value, key)?;
    Keyframes::new(keys).map_err(|error| FieldError::refused(path, "the keys", error))
}

/// Reads amplitude and period.
pub(super) fn read_wave(path: &str, value: Value) -> Result<[f64; 2], FieldError> {
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&["kind", "amplitude", "period"]])?;
    fields.required("kind", "\"wave\"", fields::word(&["wave"]))?;
    let missing = || FieldError::Missing { field: format!("{path}.amplitude"), expected: "a length in m".to_owned() };
    let amplitude = at_most(&mut fields, "amplitude", fields::number, FARTHEST)?.ok_or_else(missing)?;
    let period = fields.required("period", "a time in s", |path, value| match fields::positive(path, value)? {
        period if period >= SHORTEST_PERIOD => Ok(period),
        period => {
            Err(FieldError::refused(path, number(period), format!("give at least {} s", number(SHORTEST_PERIOD))))
        }
    })?;
    Ok([amplitude, period])
}
