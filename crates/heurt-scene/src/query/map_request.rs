//! Requests on maps: the op that names a map, and points, paths, segments and neighbours in it.
//!
//! In: the fields of a line. Out: a [`Request`] of a map. Points have three coordinates, or two if the map is a plane.

use super::request::Request;
use crate::describe::fields::{self, FieldError, Fields};
use crate::describe::shape_store::ShapeStore;
use heurt_geometry::Vec3;
use heurt_map::placed::{MapSearch, PlacedMap};
use heurt_mesh::BoundaryFaces;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A map of a line, which is built when it is first needed.
#[derive(Debug)]
pub(crate) struct SharedMap {
    written: WrittenMap,
    built: OnceLock<Result<Arc<MapSearch>, FieldError>>,
}

/// A map as a line describes it.
#[derive(Debug)]
enum WrittenMap {
    File(PathBuf),
    Faces { vertices: Vec<Vec3>, faces: BoundaryFaces },
}

impl SharedMap {
    /// Returns the map, ready for searches.
    ///
    /// # Errors
    /// Those of the file or of the faces, with the field of the line that describes them.
    pub(crate) fn search(&self, store: &ShapeStore) -> Result<Arc<MapSearch>, FieldError> {
        let built = self.built.get_or_init(|| match &self.written {
            WrittenMap::File(path) => {
                let found = store.maps.of(store.source(), path);
                found.map_err(|cause| FieldError::refused("path", path.display().to_string(), cause))
            }
            WrittenMap::Faces { vertices, faces } => {
                let refused = |cause: String| FieldError::refused("faces", "given", cause);
                let placed = PlacedMap::from_faces(vertices, faces).map_err(|error| refused(error.to_string()))?;
                MapSearch::new(placed).map(Arc::new).map_err(|error| refused(error.to_string()))
            }
        });
        built.clone()
    }
}

/// A request on a named map.
#[derive(Debug, Clone)]
pub(crate) struct MapRequest {
    /// The name of the map.
    pub(super) name: String,
    /// The map of that name, once the request is bound.
    pub(super) map: Option<Arc<SharedMap>>,
    pub(super) verb: MapVerb,
}

/// The query of a map.
#[derive(Debug, Clone)]
pub(crate) enum MapVerb {
    /// The cell of a point.
    Locate(MapPoint),
    /// The path of a particle; obstacles are edges or faces by their vertices.
    Move { ends: [MapPoint; 2], obstacles: Vec<Vec<u32>> },
    /// The cells that a segment meets.
    Probe([MapPoint; 2]),
    /// Points and obstacles near points, or near places; obstacles are triangles.
    Near { points: Vec<MapPoint>, at: Vec<MapPoint>, radius: Option<f64>, obstacles: Vec<[MapPoint; 3]> },
}

/// A point of a map: without z it is in the plane of the map.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MapPoint {
    x: f64,
    y: f64,
    z: Option<f64>,
}

impl MapPoint {
    fn read(path: &str, value: Value) -> Result<Self, FieldError> {
        let numbers: Option<Vec<f64>> = value
            .as_array()
            .and_then(|items| items.iter().map(|item| item.as_f64().filter(|x| x.is_finite())).collect());
        match numbers.as_deref() {
            Some(&[x, y]) => Ok(Self { x, y, z: None }),
            Some(&[x, y, z]) => Ok(Self { x, y, z: Some(z) }),
            _ => Err(FieldError::wrong(path, &value, "a list of 3 finite numbers, or 2 in a plane")),
        }
    }

    /// Returns the point in a map.
    ///
    /// # Errors
    /// Two coordinates for a map in space.
    pub(super) fn in_map(self, field: &str, map: &MapSearch) -> Result<Vec3, FieldError> {
        match (self.z, map.plane()) {
            (Some(z), _) => Ok(Vec3::new(self.x, self.y, z)),
            (None, Some(z)) => Ok(Vec3::new(self.x, self.y, z)),
            (None, None) => {
                let cause = "the map is in space: give three coordinates";
                Err(FieldError::refused(field, format!("[{},{}]", self.x, self.y), cause))
            }
        }
    }
}

impl MapRequest {
    /// Takes the map that the last line before has given the name.
    pub(super) fn bind(&mut self, maps: &BTreeMap<String, Arc<SharedMap>>) -> Result<(), FieldError> {
        let known = maps.get(&self.name).cloned();
        let cause = "no line before has given a map of that name: give it with the op `map`";
        self.map = Some(known.ok_or_else(|| FieldError::refused("map", &self.name, cause))?);
        Ok(())
    }
}

/// Reads the op that names a map.
pub(super) fn read_map(fields: &mut Fields) -> Result<Request, FieldError> {
    let name = fields.required("name", "a name", fields::text)?;
    let path = fields.optional("path", fields::text)?;
    let vertices = fields.optional("vertices", |path, value| fields::list(path, value, fields::vector))?;
    let faces = fields.optional("faces", read_faces)?;
    let written = match (path, vertices, faces) {
        (Some(path), None, None) => WrittenMap::File(Path::new(&path).to_owned()),
        (None, Some(vertices), Some(faces)) => WrittenMap::Faces { vertices, faces },
        (Some(_), ..) => {
            return Err(FieldError::refused("path", "given", "give `path` or `vertices` and `faces`, not both"));
        }
        (None, Some(_), None) => return missing("faces", "a list of faces, each a list of vertices, from 0"),
        (None, None, Some(_)) => return missing("vertices", "a list of points"),
        (None, None, None) => return missing("path", "the path of a map, or `vertices` and `faces`"),
    };
    Ok(Request::Map { name, map: Arc::new(SharedMap { written, built: OnceLock::new() }) })
}

fn missing(field: &str, expected: &str) -> Result<Request, FieldError> {
    Err(FieldError::Missing { field: field.to_owned(), expected: expected.to_owned() })
}

fn read_faces(path: &str, value: Value) -> Result<BoundaryFaces, FieldError> {
    let mut faces = BoundaryFaces::default();
    for corners in fields::list(path, value, |path, value| read_vertices(path, value, 3))? {
        faces.corners.extend(corners);
        faces.ends.push(faces.corners.len());
    }
    Ok(faces)
}

/// Reads a least number of vertices.
fn read_vertices(path: &str, value: Value, least: usize) -> Result<Vec<u32>, FieldError> {
    let number = |item: &Value| item.as_u64().and_then(|number| u32::try_from(number).ok());
    let numbers: Option<Vec<u32>> = value.as_array().and_then(|items| items.iter().map(number).collect());
    let expected = || format!("a list of at least {least} numbers of vertices, from 0");
    numbers.filter(|numbers| numbers.len() >= least).ok_or_else(|| FieldError::wrong(path, &value, expected()))
}

/// Reads an obstacle of three corners.
fn read_triangle(path: &str, value: Value) -> Result<[MapPoint; 3], FieldError> {
    let corners = fields::list(path, value.clone(), MapPoint::read)?;
    corners.try_into().map_err(|_| FieldError::wrong(path, &value, "a triangle: a list of three points"))
}

/// Reads a query of a map.
pub(super) fn read_on_map(operation: &str, fields: &mut Fields) -> Result<Request, FieldError> {
    let name = fields.required("map", "the name of a map", fields::text)?;
    let point = |fields: &mut Fields, name: &'static str| fields.required(name, "a point", MapPoint::read);
    let points = |fields: &mut Fields, name: &'static str| {
        fields.optional(name, |path, value| fields::list(path, value, MapPoint::read))
    };
    let verb = match operation {
        "locate" => MapVerb::Locate(point(fields, "point")?),
        "probe" => MapVerb::Probe([point(fields, "from")?, point(fields, "to")?]),
        "move" => {
            let ends = [point(fields, "from")?, point(fields, "to")?];
            let obstacle = |path: &str, value| read_vertices(path, value, 2);
            let obstacles = fields.optional("obstacles", |path, value| fields::list(path, value, obstacle))?;
            MapVerb::Move { ends, obstacles: obstacles.unwrap_or_default() }
        }
        _ => {
            let Some(found) = points(fields, "points")? else { return missing("points", "a list of points") };
            let at = points(fields, "at")?.unwrap_or_default();
            let radius = fields.optional("radius", fields::not_negative)?;
            let obstacles = fields.optional("obstacles", |path, value| fields::list(path, value, read_triangle))?;
            MapVerb::Near { points: found, at, radius, obstacles: obstacles.unwrap_or_default() }
        }
    };
    Ok(Request::OnMap(Box::new(MapRequest { name, map: None, verb })))
}
