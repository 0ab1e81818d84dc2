//! Reader of a `[[zones]]` table: parts of the ground with a pace of their own.

use super::areas::{Origin, read_areas};
use crate::describe::fields::{self, FieldError, Fields};
use heurt_crowd::Pace;
use heurt_geometry::FloorArea;
use serde_json::Value;

/// The largest pace: a fast moving walkway.
const MAX_PACE: f64 = 10.0;

/// Reads the areas of a zone and its pace.
pub(super) fn read_zone(path: &str, value: Value, origin: Origin) -> Result<(Vec<FloorArea>, Pace), FieldError> {
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&["area", "speed"]])?;
    let area =
        fields.required("area", "an area as \"POLYGON((…))\"", |path, value| read_areas(path, &value, origin))?;
    let pace = fields.required("speed", "a share of the own speed, as 0.5 or { up = 0.5, down = 0.7 }", read_pace)?;
    Ok((area, pace))
}

/// Reads a share of the own speed: one number, or one up and one down.
pub(super) fn read_pace(path: &str, value: Value) -> Result<Pace, FieldError> {
    let share = |path: &str, value: Value| {
        let share = fields::positive(path, value)?;
        if share > MAX_PACE {
            let cause = format!("give a share of the own speed, at most {MAX_PACE}");
            return Err(FieldError::refused(path, share.to_string(), cause));
        }
        Ok(share)
    };
    if value.is_number() {
        return share(path, value).map(|share| Pace { up: share, down: share });
    }
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&["up", "down"]])?;
    let up = fields.required("up", "the share on the rise", share)?;
    let down = fields.required("down", "the share on the descent", share)?;
    Ok(Pace { up, down })
}
