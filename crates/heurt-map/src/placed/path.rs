//! Path of a particle through a placed map: the cells that it passes, and where it ends.
//!
//! In: a start, a target, obstacles as vertices of edges (2D) or faces (3D). Out: the cells in the order of the path,
//! and the end of it: the target or a wall.
//! Method: [`MapSearch`]. In a plane, only x and y count. On a surface the path starts at the nearest point of the
//! surface; its length is the distance to the target, and it turns with the surface.
//! Guarantees: those of the tracker: exact in plane and volumes. Cost: O(cells); with a [`MapSearch`] that is kept,
//! O(cells on the path), on surfaces O(cells).

use super::{CellTracking, MapSearch, PlacedMap, PlacedMapError};
use crate::track::{CellPlace, MoveEnd, Particle, ProbeHit, TrackError, TrackWall};
use crate::{CombinatorialMap, Dart, DartSet, Map, Map2, Map3, Orbit, Walker};
use heurt_geometry::Vec3;

/// The end of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathEnd {
    /// At the target.
    Arrived,
    /// Before a wall.
    Stopped {
        /// The kind of wall.
        wall: TrackWall,
        /// The vertices of its edge (2D) or face (3D).
        vertices: Vec<u32>,
    },
}

/// The path of a particle.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackedPath {
    /// The tracker that followed it.
    pub tracking: CellTracking,
    /// The start: the given point, on a surface the nearest point of it.
    pub start: Vec3,
    /// The given target.
    pub target: Vec3,
    /// The last point of the path.
    pub reached: Vec3,
    /// The part of its cell in which the last point is.
    pub place: CellPlace,
    /// The cells through whose inside the path passes, in order; first the cell of the start.
    pub cells: Vec<u32>,
    /// Number of cells, faces, edges and vertices that the path enters.
    pub steps: usize,
    /// The end.
    pub end: PathEnd,
}

/// A particle at its end, and its course.
pub(super) struct Course<P> {
    start: P,
    particle: Particle<P>,
    end: MoveEnd,
    cells: Vec<u32>,
    steps: usize,
}

impl PlacedMap {
    /// Follows a particle from a start straight towards a target. `obstacles` are edges (2D, two vertices each) or
    /// faces (3D, at least three vertices of each) that it must not cross.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_map::placed::{PathEnd, PlacedMap};
    /// let map = PlacedMap::flat_grid([3, 2], 1.0)?;
    /// let [from, to] = [Vec3::new(0.5, 0.5, 0.0), Vec3::new(2.5, 0.75, 0.0)];
    /// let path = map.track(from, to, &[])?;
    /// assert_eq!((path.cells, path.end), (vec![0, 1, 2], PathEnd::Arrived));
    /// let path = map.track(from, to, &[vec![1, 5]])?; // A wall along the edge between vertices 1 and 5.
    /// assert_eq!((path.cells, path.reached.x), (vec![0], 1.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PlacedMapError::NotFinite`], [`PlacedMapError::StartOutside`], [`PlacedMapError::NoObstacle`],
    /// [`PlacedMapError::Track`] if the path is lost in a cell that cannot be tracked.
    pub fn track(&self, from: Vec3, to: Vec3, obstacles: &[Vec<u32>]) -> Result<TrackedPath, PlacedMapError> {
        MapSearch::new(self)?.track(from, to, obstacles)
    }
}

/// Returns the particle at the start.
pub(super) fn started<P: Copy>(
    found: ProbeHit<P>,
    to_space: impl FnOnce(P) -> Vec3,
) -> Result<Particle<P>, PlacedMapError> {
    match found {
        ProbeHit::Inside(particle) => Ok(particle),
        ProbeHit::Outside(there) => {
            Err(PlacedMapError::StartOutside { distance: there.distance, nearest: to_space(there.nearest) })
        }
    }
}

/// Moves a particle and notes the cells that it enters.
pub(super) fn followed<P: Copy>(
    map: &impl CombinatorialMap,
    cell: Orbit,
    start: Particle<P>,
    go: impl FnOnce(&mut Particle<P>, &mut dyn FnMut(CellPlace, Dart)) -> Result<MoveEnd, TrackError>,
) -> Result<Course<P>, TrackError> {
    let inside = if cell == Orbit::Face { CellPlace::Face } else { CellPlace::Volume };
    let (mut cells, mut steps, mut particle) = (vec![map.id(cell, start.dart)], 0, start);
    let end = go(&mut particle, &mut |place, dart| {
        steps += 1;
        let number = map.id(cell, dart);
        if place == inside && cells.last() != Some(&number) {
            cells.push(number);
        }
    })?;
    Ok(Course { start: start.position, particle, end, cells, steps })
}

pub(super) fn described<const D: usize, P: Copy>(
    map: &Map<D>,
    tracking: CellTracking,
    target: Vec3,
    course: Course<P>,
    to_space: impl Fn(P) -> Vec3,
) -> TrackedPath {
    let Course { start, particle, end, cells, steps } = course;
    let (start, reached) = (to_space(start), to_space(particle.position));
    TrackedPath { tracking, start, target, reached, place: particle.place, cells, steps, end: end_of(map, end) }
}

/// Names the vertices of the wall at which a path ends.
pub(super) fn end_of<const D: usize>(map: &Map<D>, end: MoveEnd) -> PathEnd {
    let corner = |dart| map.id(Orbit::Vertex, dart);
    match end {
        MoveEnd::Arrived => PathEnd::Arrived,
        MoveEnd::Stopped { dart, wall } => PathEnd::Stopped {
            wall,
            vertices: match D {
                2 => vec![corner(dart), corner(map.phi1(dart))],
                _ => map.face_darts(dart).map(corner).collect(),
            },
        },
    }
}

/// Marks the edges between pairs of vertices.
pub(super) fn edge_walls(map: &Map2, obstacles: &[Vec<u32>]) -> Result<DartSet, PlacedMapError> {
    let mut walls = DartSet::with_capacity(map.capacity());
    for vertices in obstacles {
        let missing = || PlacedMapError::NoObstacle { what: "edge", vertices: vertices.clone(), needed: "two" };
        let &[from, to] = vertices.as_slice() else { return Err(missing()) };
        let ends_there = |&dart: &Dart| map.id(Orbit::Vertex, map.phi1(dart)) == to;
        let dart = darts_from(map, from).into_iter().find(ends_there).ok_or_else(missing)?;
        walls.insert(dart);
        walls.insert(map.phi2(dart));
    }
    Ok(walls)
}

/// Marks the faces with the given vertices.
pub(super) fn face_walls(map: &Map3, obstacles: &[Vec<u32>]) -> Result<DartSet, PlacedMapError> {
    let mut walls = DartSet::with_capacity(map.capacity());
    for vertices in obstacles {
        let needed = "at least three";
        let missing = || PlacedMapError::NoObstacle { what: "face", vertices: vertices.clone(), needed };
        let [first, _, _, ..] = vertices[..] else { return Err(missing()) };
        let has_all = |&dart: &Dart| {
            vertices.iter().all(|&vertex| map.face_darts(dart).any(|dart| map.id(Orbit::Vertex, dart) == vertex))
        };
        let dart = darts_from(map, first).into_iter().find(has_all).ok_or_else(missing)?;
        for side in [dart, map.phi3(dart)] {
            map.face_darts(side).for_each(|dart| _ = walls.insert(dart));
        }
    }
    Ok(walls)
}

/// Returns the darts that start at a vertex; none for a number without a vertex.
fn darts_from<const D: usize>(map: &Map<D>, vertex: u32) -> Vec<Dart> {
    let ids = map.cell_ids(Orbit::Vertex).filter(|ids| (vertex as usize) < ids.bound());
    let dart = ids.and_then(|ids| ids.dart(vertex));
    dart.map_or_else(Vec::new, |dart| Walker::new().orbit(map, Orbit::Vertex, dart).to_vec())
}
