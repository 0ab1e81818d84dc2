//! Reader of a `[[zones]]` table: parts of the ground with a pace of their own, or with a flow.

use super::areas::{Origin, read_areas};
use crate::describe::fields::{self, FieldError, Fields};
use heurt_crowd::Pace;
use heurt_geometry::FloorArea;
use serde_json::Value;

/// The largest pace: a fast moving walkway.
const MAX_PACE: f64 = 10.0;

/// A part of the ground.
pub(super) struct Zone {
    pub(super) areas: Vec<FloorArea>,
    pub(super) pace: Option<Pace>,
    /// Persons in it are a flow.
    pub(super) is_flow: bool,
}

/// Reads a zone; a zone without a flow needs a pace.
pub(super) fn read_zone(path: &str, value: Value, origin: Origin) -> Result<Zone, FieldError> {
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&["area", "speed", "flow"]])?;
    let areas =
        fields.required("area", "an area as \"POLYGON((…))\"", |path, value| read_areas(path, &value, origin))?;
    let is_flow = fields.optional("flow", fields::boolean)?.unwrap_or(false);
    let pace = match fields.optional("speed", read_pace)? {
        None if !is_flow => {
            let expected = "a share of the own speed, as 0.5 or { up = 0.5, down = 0.7 }; or flow = true".to_owned();
            return Err(FieldError::Missing { field: fields.path("speed"), expected });
        }
        pace => pace,
    };
    Ok(Zone { areas, pace, is_flow })
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
