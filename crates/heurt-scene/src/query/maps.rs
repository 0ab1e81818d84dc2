//! Answers on maps: the cell of a point, the path of a particle, the cells of a segment, points near points.
//!
//! Method: [`MapSearch`], shared by all lines that name the map.

use super::map_request::{MapPoint, MapRequest, MapVerb, SharedMap};
use crate::describe::display::point_row;
use crate::describe::fields::FieldError;
use crate::describe::shape_store::ShapeStore;
use heurt_bvh::Work;
use heurt_geometry::{Triangle, Vec3};
use heurt_map::placed::{MapSearch, NearOptions, NearPoint, PathEnd, PlacedMapError};
use heurt_map::track::{CellPlace, TrackWall};
use serde::Serialize;

/// An answer on a map.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum MapAnswer {
    Named {
        name: String,
        dimension: usize,
        cells: usize,
        /// plane, surface, convex or star-shaped.
        tracking: &'static str,
        /// Cells in which a search may fail.
        untrusted: usize,
    },
    Located {
        cell: Option<u32>,
        /// vertex, edge, face or volume.
        #[serde(skip_serializing_if = "Option::is_none")]
        place: Option<&'static str>,
        cells: Vec<u32>,
        /// The point, or the nearest point of the surface or border.
        point: [f64; 3],
        distance: f64,
    },
    Path {
        cells: Vec<u32>,
        reached: [f64; 3],
        place: &'static str,
        #[serde(flatten)]
        end: EndJson,
        steps: usize,
    },
    Met {
        cells: Vec<u32>,
        #[serde(flatten)]
        end: EndJson,
    },
    Near {
        places: Vec<NearJson>,
        /// Points in no cell.
        outside: Vec<DistanceJson>,
        /// Obstacles with a corner in no cell, if obstacles are given.
        #[serde(skip_serializing_if = "Option::is_none")]
        obstacles_outside: Option<Vec<u32>>,
    },
}

/// The end of a path or segment.
#[derive(Serialize)]
pub(super) struct EndJson {
    arrived: bool,
    /// border or obstacle.
    #[serde(skip_serializing_if = "Option::is_none")]
    wall: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wall_vertices: Option<Vec<u32>>,
}

/// The surroundings of a place.
#[derive(Serialize)]
pub(super) struct NearJson {
    at: [f64; 3],
    cell: Option<u32>,
    /// Distance from the border of a place in no cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    outside: Option<f64>,
    present: Vec<u32>,
    neighbours: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<Vec<DistanceJson>>,
    /// Obstacles in the cell and in its neighbours.
    #[serde(skip_serializing_if = "Option::is_none")]
    obstacles: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    obstacles_within: Option<Vec<ObstacleDistanceJson>>,
}

/// An obstacle and its distance.
#[derive(Serialize)]
pub(super) struct ObstacleDistanceJson {
    obstacle: u32,
    distance: f64,
}

/// A point and its distance.
#[derive(Serialize)]
pub(super) struct DistanceJson {
    point: u32,
    distance: f64,
}

/// Builds a map that a line names, and describes it.
pub(super) fn named(name: &str, map: &SharedMap, store: &ShapeStore) -> Result<MapAnswer, FieldError> {
    let search = map.search(store)?;
    Ok(MapAnswer::Named {
        name: name.to_owned(),
        dimension: search.placed().dimension(),
        cells: search.placed().cell_numbers().len(),
        tracking: search.tracking().name(),
        untrusted: search.untrusted().len(),
    })
}

/// Answers a request on a named map. Its work is the number of cells or points, each counted as one primitive.
pub(super) fn answer(request: &MapRequest, store: &ShapeStore, work: &mut Work) -> Result<MapAnswer, FieldError> {
    let refused = |cause: String| FieldError::refused("map", &request.name, cause);
    let map = request.map.as_ref().ok_or_else(|| refused("it is not bound".to_owned()))?;
    let search = map.search(store).map_err(|error| refused(error.to_string()))?;
    let ends =
        |[from, to]: [MapPoint; 2]| Ok::<_, FieldError>([from.in_map("from", &search)?, to.in_map("to", &search)?]);
    match &request.verb {
        MapVerb::Locate(point) => {
            let at = point.in_map("point", &search)?;
            let found = search.locate(at).map_err(|error| of_point("point", at, error))?;
            work.primitives += 1;
            Ok(MapAnswer::Located {
                cell: found.cell,
                place: found.place.map(CellPlace::name),
                cells: found.cells,
                point: point_row(found.at),
                distance: found.distance,
            })
        }
        MapVerb::Move { ends: given, obstacles } => {
            let [from, to] = ends(*given)?;
            let path = search.track(from, to, obstacles).map_err(|error| match error {
                PlacedMapError::NoObstacle { .. } => FieldError::refused("obstacles", "given", error),
                error => of_point("from", from, error),
            })?;
            work.primitives += path.steps as u64;
            let (reached, place, steps) = (point_row(path.reached), path.place.name(), path.steps);
            Ok(MapAnswer::Path { cells: path.cells, reached, place, end: end_of(path.end), steps })
        }
        MapVerb::Probe(given) => {
            let [from, to] = ends(*given)?;
            let met = search.probe(from, to).map_err(|error| of_point("from", from, error))?;
            work.primitives += met.cells.len() as u64;
            Ok(MapAnswer::Met { cells: met.cells, end: end_of(met.end) })
        }
        MapVerb::Near { points, at, radius, obstacles } => near(&search, (points, at), *radius, obstacles, work),
    }
}

fn near(
    search: &MapSearch,
    (points, at): (&[MapPoint], &[MapPoint]),
    radius: Option<f64>,
    obstacles: &[[MapPoint; 3]],
    work: &mut Work,
) -> Result<MapAnswer, FieldError> {
    let in_map = |name: &str, points: &[MapPoint]| {
        let point = |(number, point): (usize, &MapPoint)| point.in_map(&format!("{name}[{number}]"), search);
        points.iter().enumerate().map(point).collect::<Result<Vec<Vec3>, FieldError>>()
    };
    let (points, at) = (in_map("points", points)?, in_map("at", at)?);
    let triangle = |(number, corners): (usize, &[MapPoint; 3])| {
        let [a, b, c] = corners.map(|corner| corner.in_map(&format!("obstacles[{number}]"), search));
        Ok([a?, b?, c?])
    };
    let obstacles = obstacles.iter().enumerate().map(triangle).collect::<Result<Vec<Triangle>, FieldError>>()?;
    work.primitives += points.len() as u64 + at.len() as u64 + obstacles.len() as u64;
    let found = search.near(NearOptions { points: &points, at: &at, radius, obstacles: &obstacles });
    let found = found.map_err(|error| FieldError::refused("points", "given", error))?;
    let has_obstacles = !obstacles.is_empty();
    let distance_of = |&(point, distance): &(u32, f64)| DistanceJson { point, distance };
    let place = |place: NearPoint| NearJson {
        at: point_row(place.at),
        cell: place.cell,
        outside: place.outside,
        present: place.present,
        neighbours: place.neighbours,
        within: radius.map(|_| place.within.iter().map(distance_of).collect()),
        obstacles: has_obstacles.then_some(place.obstacles),
        obstacles_within: radius.filter(|_| has_obstacles).map(|_| {
            let distance_of = |&(obstacle, distance): &(u32, f64)| ObstacleDistanceJson { obstacle, distance };
            place.obstacles_within.iter().map(distance_of).collect()
        }),
    };
    let outside = found.outside.iter().map(distance_of).collect();
    let obstacles_outside = has_obstacles.then_some(found.obstacles_outside);
    Ok(MapAnswer::Near { places: found.places.into_iter().map(place).collect(), outside, obstacles_outside })
}

/// Makes the error of work that begins at a point.
fn of_point(field: &str, at: Vec3, error: PlacedMapError) -> FieldError {
    FieldError::refused(field, format!("{:?}", at.to_array()), error)
}

fn end_of(end: PathEnd) -> EndJson {
    match end {
        PathEnd::Arrived => EndJson { arrived: true, wall: None, wall_vertices: None },
        PathEnd::Stopped { wall, vertices } => {
            EndJson { arrived: false, wall: Some(TrackWall::name(wall)), wall_vertices: Some(vertices) }
        }
    }
}
