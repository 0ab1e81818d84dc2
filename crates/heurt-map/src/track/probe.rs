//! Registration of edges and triangles: the cells that contain them.
//!
//! In: a tracker and the particles at the corners. Out: the numbers of cells, ascending.
//! Method: S4 §5.3 and §5.5. A probe particle moves along an edge and records the cells on its path. Ours differs: a
//! cell counts if its closure meets the edge. So an edge in a face is in the cells on both sides of the face, an edge
//! through a vertex in all cells around it, and two edges that touch always share a cell. For a triangle S4 takes the
//! cells of its edges, which leaves out cells that only its inside passes. [`Probe::triangle`] adds these: it continues
//! from the cells of the edges through every face that the triangle meets, exactly.
//! Guarantees: exact, and no cell is left out, given that the cells fulfil the premises of the tracker and the edge
//! does not leave the map. Obstacles are ignored. Two ends inside one cell make a walk needless in convex cells (S4
//! §5.4), and only there (S4 §7.3): in star-shaped cells a probe always walks. No allocation once the buffers have
//! grown. Cost: O(cells met).

use super::convex::faces_of;
use super::{CellPlace, MoveEnd, Particle, StarTracker, TrackError, Tracker2, Tracker3};
use crate::{CombinatorialMap, Dart, NO_CELL, Orbit, Walker};
use heurt_geometry::{Triangle, Vec2, Vec3, triangles_intersect};

mod sealed {
    pub trait Sealed {}
}

/// Data of a tracker that a probe reads.
pub trait Probed: sealed::Sealed {
    /// The type of positions.
    type Point: Copy + PartialEq;
    /// The type of the map.
    type Map: CombinatorialMap;
    /// Whether a segment between two points of a cell is in the cell.
    const IS_CONVEX: bool;
    /// Returns the map.
    fn map(&self) -> &Self::Map;
    /// Moves a particle as if there were no obstacles.
    ///
    /// # Errors
    /// The errors of the tracker's `move_to`.
    fn probe(
        &self,
        particle: Particle<Self::Point>,
        target: Self::Point,
        path: impl FnMut(CellPlace, Dart),
    ) -> Result<MoveEnd, TrackError>;
}

/// A tracker in space, whose faces are made of triangles.
pub trait ProbedSpace: Probed<Point = Vec3> {
    /// Returns the triangle of the fan of a face over one of its edges.
    fn triangle_at(&self, dart: Dart) -> Triangle;
}

macro_rules! probed {
    ($tracker:ident, $point:ty, $is_convex:expr) => {
        impl<M: CombinatorialMap> sealed::Sealed for $tracker<'_, M> {}
        impl<M: CombinatorialMap> Probed for $tracker<'_, M> {
            type Point = $point;
            type Map = M;
            const IS_CONVEX: bool = $is_convex;
            fn map(&self) -> &M {
                self.map
            }
            fn probe(
                &self,
                mut particle: Particle<$point>,
                target: $point,
                path: impl FnMut(CellPlace, Dart),
            ) -> Result<MoveEnd, TrackError> {
                Self { obstacles: None, ..*self }.move_to(&mut particle, target, path)
            }
        }
    };
}
probed!(Tracker2, Vec2, true);
probed!(Tracker3, Vec3, true);
probed!(StarTracker, Vec3, false);

impl<M: CombinatorialMap> ProbedSpace for Tracker3<'_, M> {
    fn triangle_at(&self, dart: Dart) -> Triangle {
        // A fan from the start of the dart of least number; its first and last triangle are flat.
        let apex = crate::map::round(dart, |dart| self.map.phi1(dart)).min().unwrap_or(dart);
        [apex, dart, self.map.phi1(dart)].map(|dart| self.points[self.vertices.of(dart) as usize])
    }
}

impl<M: CombinatorialMap> ProbedSpace for StarTracker<'_, M> {
    fn triangle_at(&self, dart: Dart) -> Triangle {
        let [s, t] = [dart, self.map.phi1(dart)].map(|dart| self.points[self.vertices.of(dart) as usize]);
        [self.centres.faces()[self.faces.of(dart) as usize], s, t]
    }
}

/// Finds the cells of edges and triangles, with buffers that are kept between calls.
#[derive(Debug, Clone, Default)]
pub struct Probe {
    walker: Walker,
    cells: Vec<u32>,
    /// By number of cell: the last search that found it.
    found: Vec<u32>,
    search: u32,
}

impl Probe {
    /// Makes a probe; it fits any map, and grows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the cells found last, ascending: faces in 2D, volumes in 3D.
    pub fn cells(&self) -> &[u32] {
        &self.cells
    }

    /// Takes cells that were found by another method.
    pub(crate) fn take(&mut self, cells: impl Iterator<Item = u32>) {
        self.cells.clear();
        self.cells.extend(cells);
        self.put_in_order();
    }

    /// Finds the cells whose closure meets the edge between two particles. If the edge leaves the map, the end reports
    /// the wall, and the cells are those before it.
    ///
    /// # Errors
    /// [`TrackError::NoIds`] of faces (2D) or volumes (3D), and those of the tracker's `move_to`.
    pub fn edge<T: Probed>(
        &mut self,
        tracker: &T,
        from: &Particle<T::Point>,
        to: &Particle<T::Point>,
    ) -> Result<MoveEnd, TrackError> {
        self.cells.clear();
        let end = self.add_edge(tracker, from, to)?;
        self.put_in_order();
        Ok(end)
    }

    /// Finds the cells of the three edges of a triangle (S4 §5.5): all cells that it meets if no cell is so small, or
    /// so placed, that the triangle passes it without an edge.
    ///
    /// # Errors
    /// As [`edge`](Self::edge).
    pub fn triangle_by_edges<T: Probed>(
        &mut self,
        tracker: &T,
        corners: [&Particle<T::Point>; 3],
    ) -> Result<MoveEnd, TrackError> {
        self.cells.clear();
        let mut end = MoveEnd::Arrived;
        for [from, to] in [[0, 1], [1, 2], [2, 0]] {
            let one = self.add_edge(tracker, corners[from], corners[to])?;
            end = if end == MoveEnd::Arrived { one } else { end };
        }
        self.put_in_order();
        Ok(end)
    }

    /// Finds the cells whose closure meets a triangle. If the triangle leaves the map, cells that it meets only beyond
    /// the part outside may be missed.
    ///
    /// # Errors
    /// As [`edge`](Self::edge).
    pub fn triangle<T: ProbedSpace>(
        &mut self,
        tracker: &T,
        corners: [&Particle<Vec3>; 3],
    ) -> Result<MoveEnd, TrackError> {
        let end = self.triangle_by_edges(tracker, corners)?;
        let triangle = corners.map(|corner| corner.position);
        let (map, volumes) = (tracker.map(), tracker.map().cell_ids(Orbit::Volume));
        let volumes = volumes.ok_or(TrackError::NoIds { orbit: Orbit::Volume })?;
        if self.found.len() < volumes.bound() {
            self.found.resize(volumes.bound(), 0);
        }
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            self.found.fill(0);
            self.search = 1;
        }
        for &cell in &self.cells {
            self.found[cell as usize] = self.search;
        }
        let mut next = 0;
        while let Some(dart) = self.cells.get(next).and_then(|&cell| volumes.dart(cell)) {
            for face in faces_of(map, dart) {
                let beyond = map.phi3(face);
                let cell = volumes.of(beyond);
                if cell != NO_CELL && self.found[cell as usize] != self.search {
                    let mut parts = crate::map::round(face, |dart| map.phi1(dart));
                    if parts.any(|dart| triangles_intersect(&tracker.triangle_at(dart), &triangle)) {
                        self.found[cell as usize] = self.search;
                        self.cells.push(cell);
                    }
                }
            }
            next += 1;
        }
        self.put_in_order();
        Ok(end)
    }

    fn put_in_order(&mut self) {
        self.cells.sort_unstable();
        self.cells.dedup();
    }

    fn add_edge<T: Probed>(
        &mut self,
        tracker: &T,
        from: &Particle<T::Point>,
        to: &Particle<T::Point>,
    ) -> Result<MoveEnd, TrackError> {
        let map = tracker.map();
        super::check_dart(map, from.dart)?;
        super::check_dart(map, to.dart)?;
        let (top, inside) =
            if T::Map::DIMENSION == 2 { (Orbit::Face, CellPlace::Face) } else { (Orbit::Volume, CellPlace::Volume) };
        let ids = map.cell_ids(top).ok_or(TrackError::NoIds { orbit: top })?;
        let (walker, cells) = (&mut self.walker, &mut self.cells);
        let mut add = |place: CellPlace, dart: Dart| {
            if place == inside {
                cells.push(ids.of(dart));
                return;
            }
            if T::Map::DIMENSION == 2 && place == CellPlace::Edge {
                // Both darts of the edge: a walk of its orbit takes longer.
                cells.extend([dart, map.phi2(dart)].map(|dart| ids.of(dart)).into_iter().filter(|&id| id != NO_CELL));
                return;
            }
            let orbit = match place {
                CellPlace::Vertex => Orbit::Vertex,
                CellPlace::Edge => Orbit::Edge,
                CellPlace::Face | CellPlace::Volume => Orbit::Face,
            };
            cells.extend(walker.orbit(map, orbit, dart).iter().map(|&dart| ids.of(dart)).filter(|&id| id != NO_CELL));
        };
        add(from.place, from.dart);
        if T::IS_CONVEX && from.place == inside && to.place == inside && ids.of(from.dart) == ids.of(to.dart) {
            return Ok(MoveEnd::Arrived);
        }
        tracker.probe(*from, to.position, &mut add)
    }
}
