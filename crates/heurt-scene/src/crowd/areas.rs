//! Areas of a crowd scene: WKT in metres, or in degrees after `lonlat:`.

use crate::describe::fields::{FieldError, shortened};
use heurt_geometry::{FloorArea, ShortNumber, ShortPlace, Vec2};
use heurt_io::{LonLat, parse_wkt_areas};
use serde_json::Value;

/// The point (0, 0) of the plan, if it is a map.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin(pub Option<LonLat>);

/// The largest distance of an area from the middle of the map, in metres: the projection is exact to decimetres at half
/// of it, and no map is wider.
const FARTHEST: f64 = 1e5;

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
        let corners = areas.iter().flat_map(|floor| floor.area.rings().flatten());
        if let Some(cause) = corners.filter_map(|&corner| fault_of(corner, origin)).next() {
            return Err(refuse(cause));
        }
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

/// Finds what is wrong with a corner in degrees.
fn fault_of(corner: Vec2, origin: LonLat) -> Option<String> {
    let at = LonLat { lon: corner.x, lat: corner.y };
    if at.lon.abs() > 180.0 || at.lat.abs() > 90.0 {
        let order = "give the longitude first, from -180 to 180, then the latitude, from -90 to 90";
        return Some(format!("the corner {} is not on the Earth: {order}", ShortPlace(corner)));
    }
    let distance = at.to_metres(origin).length();
    (distance > FARTHEST || distance.is_nan()).then(|| {
        let kilometres = ShortNumber(distance / 1e3);
        format!("the corner {at} is {kilometres} km from the middle of the map, {origin}: give at most 100 km")
    })
}
