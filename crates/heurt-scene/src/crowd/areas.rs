//! Areas of a crowd scene: WKT in metres, or in degrees after `lonlat:`.

use crate::describe::fields::{FieldError, shortened};
use heurt_geometry::{FloorArea, Vec2};
use heurt_io::{LonLat, parse_wkt_areas};
use serde_json::Value;

/// The point (0, 0) of the plan, if it is a map.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin(pub Option<LonLat>);

/// The prefix of areas in degrees.
const DEGREES: &str = "lonlat:";

/// Reads an area: a POLYGON, or a MULTIPOLYGON that offers a choice; heights as third coordinates.
pub(super) fn read_areas(path: &str, value: &Value, origin: Origin) -> Result<Vec<FloorArea>, FieldError> {
    let expected = "a text as \"POLYGON((0 0, 1 0, 1 1, 0 0))\"";
    let text = value.as_str().ok_or_else(|| FieldError::wrong(path, value, expected))?;
    let refuse = |cause: String| FieldError::refused(path, shortened(text), cause);
    let (text, origin) = match (text.trim_start().strip_prefix(DEGREES), origin.0) {
        (None, _) => (text, None),
        (Some(text), Some(origin)) => (text, Some(origin)),
        (Some(_), None) => {
            let cause = "the environment is no map, so that degrees have no place in it: give metres";
            return Err(refuse(cause.to_owned()));
        }
    };
    let mut areas = parse_wkt_areas(text).map_err(|error| refuse(error.to_string()))?;
    if let Some(origin) = origin {
        let to_metres = |point: &mut Vec2| *point = LonLat { lon: point.x, lat: point.y }.to_metres(origin);
        for FloorArea { area, at, slope } in &mut areas {
            if *slope != Vec2::ZERO {
                return Err(refuse("it slopes: areas in degrees are level".to_owned()));
            }
            area.outline.iter_mut().for_each(to_metres);
            area.holes.iter_mut().flatten().for_each(to_metres);
            *at = area.outline[0].extend(at.z);
        }
    }
    Ok(areas)
}
