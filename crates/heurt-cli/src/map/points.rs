//! Points of the command line, and files of points.
//!
//! In: `X,Y` or `X,Y,Z`; a text file of one point a line (commas, semicolons, tabs or blanks), or a mesh file or point
//! cloud, whose vertices count. Out: points; a missing z is the z of the plane of the map.

use crate::{Failure, load};
use heurt::geometry::Vec3;
use heurt::io::{Format, read_points};
use heurt::map::placed::PlacedMap;
use std::path::Path;
use std::str::FromStr;

/// A point of two or three coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PointArgument {
    x: f64,
    y: f64,
    z: Option<f64>,
}

impl FromStr for PointArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let legal = "give two or three finite numbers, as 0.5,1 or 0.5,1,-2";
        Self::of(text.split(',')).ok_or_else(|| legal.to_owned())
    }
}

impl PointArgument {
    fn of<'t>(words: impl Iterator<Item = &'t str>) -> Option<Self> {
        let number = |word: &str| word.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let numbers: Vec<f64> = words.map(number).collect::<Option<_>>()?;
        match *numbers {
            [x, y] => Some(Self { x, y, z: None }),
            [x, y, z] => Some(Self { x, y, z: Some(z) }),
            _ => None,
        }
    }

    /// Returns the point; `z` counts if the argument has none.
    fn with_z(self, z: f64) -> Vec3 {
        Vec3::new(self.x, self.y, self.z.unwrap_or(z))
    }

    /// Returns the point for a map, in whose plane it lies if it has two coordinates.
    ///
    /// # Errors
    /// Two coordinates for a map in space.
    pub(super) fn in_map(self, option: &'static str, placed: &PlacedMap) -> Result<Vec3, Failure> {
        match (self.z, placed.is_plane()) {
            (None, false) => Err(Failure::FlatPoint { option, x: self.x, y: self.y }),
            _ => Ok(self.with_z(plane_of(placed))),
        }
    }
}

/// Returns the z of a map in a plane.
fn plane_of(placed: &PlacedMap) -> f64 {
    if placed.is_plane() { placed.bounds().min.z } else { 0.0 }
}

/// Reads a file of points.
pub(super) fn read_file(path: &Path, placed: &PlacedMap) -> Result<Vec<Vec3>, Failure> {
    let bytes = load::read_bytes(path)?;
    if let Some(format) = load::format_of(path).or_else(|| Format::detect(&bytes)) {
        return read_points(&bytes, format).map_err(|source| Failure::BadFile { path: path.to_owned(), source });
    }
    let bad = |line: usize, found: &str| {
        let found: String = found.chars().take(40).collect();
        Failure::BadPoints { path: path.to_owned(), line, found }
    };
    let text = std::str::from_utf8(&bytes).map_err(|_| bad(1, "bytes that are no text"))?;
    let (is_plane, z) = (placed.is_plane(), plane_of(placed));
    let mut points = Vec::new();
    for (line, words) in (1..).zip(text.lines()) {
        let words = words.split('#').next().unwrap_or_default().trim();
        if words.is_empty() {
            continue;
        }
        let separated = words.split([',', ';', '\t', ' ']).filter(|word| !word.is_empty());
        match PointArgument::of(separated) {
            Some(point) if point.z.is_some() || is_plane => points.push(point.with_z(z)),
            // The titles of a table.
            None if points.is_empty() && line == 1 && words.chars().any(char::is_alphabetic) => {}
            _ => return Err(bad(line, words)),
        }
    }
    match points.is_empty() {
        true => Err(bad(1, "no point")),
        false => Ok(points),
    }
}
