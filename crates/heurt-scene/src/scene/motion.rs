//! Scripted motions: keyed poses of kinematic bodies, waves and keyed vertices of soft ones.

use super::number::{at_most, near_pose};
use crate::describe::display::number;
use crate::describe::fields;
use crate::describe::fields::{FieldError, Fields};
use heurt_world::{FARTHEST, Keyframes};
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

/// The deformation of a soft body, as its table states it.
pub(super) enum SceneDeformation {
    Wave {
        amplitude: f64,
        period: f64,
    },
    /// Files of meshes and the times at which the body has their vertices.
    Keys {
        files: Vec<String>,
        times: Vec<f64>,
    },
}

/// Reads a wave, or keys.
pub(super) fn read_deformation(path: &str, value: Value) -> Result<SceneDeformation, FieldError> {
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&["kind", "amplitude", "period", "files", "times", "interval"]])?;
    match fields.required("kind", "\"wave\" or \"keys\"", fields::word(&["wave", "keys"]))? {
        "wave" => read_wave(fields, path),
        _ => read_keys(fields, path),
    }
}

/// Reads files of meshes, and their times: given, or at a constant interval from 0 on.
fn read_keys(mut fields: Fields, path: &str) -> Result<SceneDeformation, FieldError> {
    fields.only(&[&["files", "times", "interval"]])?;
    let files = |path: &str, value: Value| fields::list(path, value, fields::text);
    let files = fields.required("files", "a list of mesh files", files)?;
    let times = fields.optional("times", |path, value| fields::list(path, value, fields::number))?;
    let interval = fields.optional("interval", fields::positive)?;
    let times = match (times, interval) {
        (Some(times), None) if times.len() != files.len() => {
            let cause = format!("there are {} files: give a time for each", files.len());
            return Err(FieldError::refused(&format!("{path}.times"), format!("{} times", times.len()), cause));
        }
        (Some(times), None) => times,
        (None, interval) => (0..files.len()).map(|key| key as f64 * interval.unwrap_or(1.0)).collect(),
        (Some(_), Some(interval)) => {
            let cause = "give times or an interval, not both";
            return Err(FieldError::refused(&format!("{path}.interval"), number(interval), cause));
        }
    };
    Ok(SceneDeformation::Keys { files, times })
}

/// Reads amplitude and period.
fn read_wave(mut fields: Fields, path: &str) -> Result<SceneDeformation, FieldError> {
    fields.only(&[&["amplitude", "period"]])?;
    let missing = || FieldError::Missing { field: format!("{path}.amplitude"), expected: "a length in m".to_owned() };
    let amplitude = at_most(&mut fields, "amplitude", fields::number, FARTHEST)?.ok_or_else(missing)?;
    let period = fields.required("period", "a time in s", |path, value| match fields::positive(path, value)? {
        period if period >= SHORTEST_PERIOD => Ok(period),
        period => {
            Err(FieldError::refused(path, number(period), format!("give at least {} s", number(SHORTEST_PERIOD))))
        }
    })?;
    Ok(SceneDeformation::Wave { amplitude, period })
}
