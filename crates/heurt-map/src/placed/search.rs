//! Search in a placed map: the cell of a point, the path of a particle, the cells that a segment meets.
//!
//! In: a placed map, once; then points, starts with targets, segments. Out: [`LocatedPoint`], [`TrackedPath`],
//! [`MetCells`].
//! Method: the tracker that [`PlacedMap::tracking`] chooses, with its positions and centres kept between calls. In a
//! plane, only x and y count. On a surface the nearest point of the surface counts.
//! Guarantees: those of the trackers: exact in planes and volumes. A call changes nothing, so that threads may share a
//! search. Cost: preparation O(cells); a path or segment O(cells on it) and the search for its start; a point O(path to
//! it from one of 64 vertices), outside the map and on surfaces O(cells).

use super::error::check_point;
use super::path::{Course, described, edge_walls, end_of, face_walls, followed, started};
use super::{AnyMap, CellTracking, NearLists, NearOptions, PathEnd, PlacedMap, PlacedMapError, TrackedPath};
use crate::multires::ImplicitMap;
use crate::registration::{Geometry, Surface, SurfacePoint};
use crate::track::{
    CellFault, CellPlace, Centres, MoveEnd, Particle, Probe, ProbeHit, StarTracker, TrackError, Tracker2, Tracker3,
};
use crate::{CombinatorialMap, Dart, DartSet, Map, NO_CELL, Orbit, Walker};
use heurt_geometry::{Vec2, Vec3};
use std::borrow::Borrow;

/// A placed map, owned or borrowed, that is ready for searches.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_map::placed::{MapSearch, PathEnd, PlacedMap};
/// let search = MapSearch::new(PlacedMap::flat_grid([3, 2], 1.0)?)?;
/// let corner = search.locate(Vec3::new(1.0, 1.0, 0.0))?;
/// assert_eq!((corner.distance, corner.cells), (0.0, vec![0, 1, 3, 4]));
/// let outside = search.locate(Vec3::new(-0.25, 0.5, 0.0))?;
/// assert_eq!((outside.cell, outside.distance, outside.at.x), (None, 0.25, 0.0));
/// let met = search.probe(Vec3::new(0.5, 0.5, 0.0), Vec3::new(1.5, 1.5, 0.0))?; // Through a corner of four cells.
/// assert_eq!((met.cells, met.end), (vec![0, 1, 3, 4], PathEnd::Arrived));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct MapSearch<M: Borrow<PlacedMap> = PlacedMap> {
    placed: M,
    untrusted: Vec<CellFault>,
    finder: Finder,
}

/// Data that a tracker needs next to the map and its points.
#[derive(Debug, Clone)]
enum Finder {
    /// The positions in the plane, and its z.
    Plane(Vec<Vec2>, f64),
    Surface(Box<Surface>),
    Convex,
    Star(Centres),
}

/// The cell of a point.
#[derive(Debug, Clone, PartialEq)]
pub struct LocatedPoint {
    /// The point. On a surface it is the nearest point of the surface, outside a map the nearest point of its border.
    pub at: Vec3,
    /// A cell that contains it; `None` outside.
    pub cell: Option<u32>,
    /// The part of the cell in which it is; `None` outside.
    pub place: Option<CellPlace>,
    /// All cells that contain it, ascending: several for a point on a face, edge or vertex.
    pub cells: Vec<u32>,
    /// Distance of the given point from `at`: 0 in a plane or a volume, if a cell contains it.
    pub distance: f64,
}

/// The cells that a segment meets.
#[derive(Debug, Clone, PartialEq)]
pub struct MetCells {
    /// The start: the given point, on a surface the nearest point of it.
    pub from: Vec3,
    /// The end: the given point, on a surface the nearest point of it.
    pub to: Vec3,
    /// The cells whose closure meets the segment, ascending; up to the border if the segment leaves the map.
    pub cells: Vec<u32>,
    /// Whether the segment ends in the map, or the border at which it leaves.
    pub end: PathEnd,
}

impl<M: Borrow<PlacedMap>> MapSearch<M> {
    /// Chooses the tracker and prepares it.
    ///
    /// # Errors
    /// Those of [`PlacedMap::tracking`]; [`PlacedMapError::Registration`] for positions beyond the range of surfaces.
    pub fn new(placed: M) -> Result<Self, PlacedMapError> {
        let map = placed.borrow();
        let (tracking, untrusted) = map.tracking()?;
        let finder = match (&map.map, tracking) {
            (AnyMap::Faces(_), CellTracking::Plane) => Finder::Plane(map.flat_points(), map.bounds().min.z),
            (AnyMap::Faces(faces), _) => {
                let mut surface = Surface::new(map.points.clone())?;
                surface.begin(&mut ImplicitMap::new(faces.clone()))?;
                Finder::Surface(Box::new(surface))
            }
            (AnyMap::Volumes(_), CellTracking::Convex) => Finder::Convex,
            (AnyMap::Volumes(volumes), _) => Finder::Star(map.centres(volumes)?),
        };
        Ok(Self { placed, untrusted, finder })
    }

    /// Returns the map.
    pub fn placed(&self) -> &PlacedMap {
        self.placed.borrow()
    }

    /// Returns the kind of tracker.
    pub fn tracking(&self) -> CellTracking {
        match self.finder {
            Finder::Plane(..) => CellTracking::Plane,
            Finder::Surface(_) => CellTracking::Surface,
            Finder::Convex => CellTracking::Convex,
            Finder::Star(_) => CellTracking::Star,
        }
    }

    /// Returns the z of a map in a plane; `None` for surfaces and volumes.
    pub fn plane(&self) -> Option<f64> {
        match self.finder {
            Finder::Plane(_, z) => Some(z),
            _ => None,
        }
    }

    /// Returns the cells in which a search may fail.
    pub fn untrusted(&self) -> &[CellFault] {
        &self.untrusted
    }

    /// Finds the cells that contain a point: see [`MapSearch`].
    ///
    /// # Errors
    /// [`PlacedMapError::NotFinite`], [`PlacedMapError::Track`].
    pub fn locate(&self, point: Vec3) -> Result<LocatedPoint, PlacedMapError> {
        check_point(point)?;
        let placed = self.placed();
        match (&placed.map, &self.finder) {
            (AnyMap::Faces(map), Finder::Plane(points, z)) => located(map, &InPlane(points, *z), point),
            (AnyMap::Faces(map), Finder::Surface(surface)) => located(map, &OnSurface(surface), point),
            (AnyMap::Volumes(map), Finder::Star(centres)) => located(map, &InStars(&placed.points, centres), point),
            (AnyMap::Volumes(map), _) => located(map, &InConvex(&placed.points), point),
            (AnyMap::Faces(_), _) => Err(TrackError::Empty.into()),
        }
    }

    /// Follows a particle from a start straight towards a target: see [`PlacedMap::track`].
    ///
    /// # Errors
    /// As there.
    pub fn track(&self, from: Vec3, to: Vec3, obstacles: &[Vec<u32>]) -> Result<TrackedPath, PlacedMapError> {
        check_point(from)?;
        check_point(to)?;
        let (placed, tracking) = (self.placed(), self.tracking());
        match (&placed.map, &self.finder) {
            (AnyMap::Faces(map), Finder::Plane(points, z)) => {
                tracked(map, &InPlane(points, *z), tracking, [from, to], &edge_walls(map, obstacles)?)
            }
            (AnyMap::Faces(map), Finder::Surface(surface)) => {
                tracked(map, &OnSurface(surface), tracking, [from, to], &edge_walls(map, obstacles)?)
            }
            (AnyMap::Volumes(map), Finder::Star(centres)) => {
                let cells = InStars(&placed.points, centres);
                tracked(map, &cells, tracking, [from, to], &face_walls(map, obstacles)?)
            }
            (AnyMap::Volumes(map), _) => {
                tracked(map, &InConvex(&placed.points), tracking, [from, to], &face_walls(map, obstacles)?)
            }
            (AnyMap::Faces(_), _) => Err(TrackError::Empty.into()),
        }
    }

    /// Finds the cells that the segment between two points meets: see [`MapSearch`]. Obstacles do not count.
    ///
    /// # Errors
    /// [`PlacedMapError::NotFinite`], [`PlacedMapError::StartOutside`], [`PlacedMapError::Track`]; on a surface also
    /// if its section through both points does not join them.
    pub fn probe(&self, from: Vec3, to: Vec3) -> Result<MetCells, PlacedMapError> {
        check_point(from)?;
        check_point(to)?;
        let placed = self.placed();
        match (&placed.map, &self.finder) {
            (AnyMap::Faces(map), Finder::Plane(points, z)) => met(map, &InPlane(points, *z), from, to),
            (AnyMap::Faces(map), Finder::Surface(surface)) => met(map, &OnSurface(surface), from, to),
            (AnyMap::Volumes(map), Finder::Star(centres)) => met(map, &InStars(&placed.points, centres), from, to),
            (AnyMap::Volumes(map), _) => met(map, &InConvex(&placed.points), from, to),
            (AnyMap::Faces(_), _) => Err(TrackError::Empty.into()),
        }
    }

    /// Registers points and lists those near each place: see [`PlacedMap::near`]. Cost: O(cells) a call.
    ///
    /// # Errors
    /// As there.
    pub fn near(&self, options: NearOptions<'_>) -> Result<NearLists, PlacedMapError> {
        self.placed().near(options)
    }
}

/// Searches of one tracker.
trait CellSearch<const D: usize> {
    type Point: Copy + PartialEq;

    fn of_space(&self, at: Vec3) -> Self::Point;
    fn to_space(&self, point: Self::Point) -> Vec3;
    fn find(&self, map: &Map<D>, point: Self::Point) -> Result<ProbeHit<Self::Point>, TrackError>;
    fn go(
        &self,
        map: &Map<D>,
        walls: &DartSet,
        particle: &mut Particle<Self::Point>,
        target: Self::Point,
        path: &mut dyn FnMut(CellPlace, Dart),
    ) -> Result<MoveEnd, TrackError>;
    /// Probes a segment; returns its end in the map, and the point that its second end is.
    fn cross(
        &self,
        map: &Map<D>,
        probe: &mut Probe,
        from: &Particle<Self::Point>,
        to: Self::Point,
    ) -> Result<(MoveEnd, Self::Point), TrackError>;
}

/// Convex faces of a plane, and its z.
struct InPlane<'a>(&'a [Vec2], f64);

/// Convex volumes.
struct InConvex<'a>(&'a [Vec3]);

/// Star-shaped volumes.
struct InStars<'a>(&'a [Vec3], &'a Centres);

/// Faces of a surface.
struct OnSurface<'a>(&'a Surface);

/// Implements the searches of a tracker that reads the two ends of a path only.
macro_rules! searched_by {
    ($dimension:literal, $point:ty, $self:ident, $map:ident => $tracker:expr) => {
        fn find(&$self, $map: &Map<$dimension>, point: $point) -> Result<ProbeHit<$point>, TrackError> {
            $tracker.find(point)
        }

        fn go(
            &$self,
            $map: &Map<$dimension>,
            walls: &DartSet,
            particle: &mut Particle<$point>,
            target: $point,
            path: &mut dyn FnMut(CellPlace, Dart),
        ) -> Result<MoveEnd, TrackError> {
            $tracker.with_obstacles(walls).move_to(particle, target, path)
        }

        fn cross(
            &$self,
            $map: &Map<$dimension>,
            probe: &mut Probe,
            from: &Particle<$point>,
            to: $point,
        ) -> Result<(MoveEnd, $point), TrackError> {
            // Only the position of the end is read: it may be outside.
            let end = Particle { position: to, dart: from.dart, place: CellPlace::Vertex };
            Ok((probe.edge(&$tracker, from, &end)?, to))
        }
    };
}

impl CellSearch<2> for InPlane<'_> {
    type Point = Vec2;

    fn of_space(&self, at: Vec3) -> Vec2 {
        at.truncate()
    }

    fn to_space(&self, point: Vec2) -> Vec3 {
        point.extend(self.1)
    }

    searched_by!(2, Vec2, self, map => Tracker2::new(map, self.0)?);
}

impl CellSearch<3> for InConvex<'_> {
    type Point = Vec3;

    fn of_space(&self, at: Vec3) -> Vec3 {
        at
    }

    fn to_space(&self, point: Vec3) -> Vec3 {
        point
    }

    searched_by!(3, Vec3, self, map => Tracker3::new(map, self.0)?);
}

impl CellSearch<3> for InStars<'_> {
    type Point = Vec3;

    fn of_space(&self, at: Vec3) -> Vec3 {
        at
    }

    fn to_space(&self, point: Vec3) -> Vec3 {
        point
    }

    searched_by!(3, Vec3, self, map => StarTracker::new(map, self.0, self.1)?);
}

impl CellSearch<2> for OnSurface<'_> {
    type Point = SurfacePoint;

    fn of_space(&self, at: Vec3) -> SurfacePoint {
        at.into()
    }

    fn to_space(&self, point: SurfacePoint) -> Vec3 {
        point.at
    }

    fn find(&self, map: &Map<2>, point: SurfacePoint) -> Result<ProbeHit<SurfacePoint>, TrackError> {
        self.0.find(map, point)
    }

    fn go(
        &self,
        map: &Map<2>,
        walls: &DartSet,
        particle: &mut Particle<SurfacePoint>,
        target: SurfacePoint,
        path: &mut dyn FnMut(CellPlace, Dart),
    ) -> Result<MoveEnd, TrackError> {
        self.0.move_to(map, Some(walls), particle, target, path)
    }

    fn cross(
        &self,
        map: &Map<2>,
        probe: &mut Probe,
        from: &Particle<SurfacePoint>,
        to: SurfacePoint,
    ) -> Result<(MoveEnd, SurfacePoint), TrackError> {
        let to = self.0.find(map, to)?.inside().ok_or(TrackError::Empty)?;
        Ok((self.0.probe(map, probe, from, &to)?, to.position))
    }
}

fn located<const D: usize, S: CellSearch<D>>(
    map: &Map<D>,
    cells: &S,
    point: Vec3,
) -> Result<LocatedPoint, PlacedMapError> {
    let wanted = cells.of_space(point);
    Ok(match cells.find(map, wanted)? {
        ProbeHit::Inside(particle) => {
            let at = cells.to_space(particle.position);
            let cell = map.id(cell_kind(D), particle.dart);
            let distance = crate::nearest::distance(at, cells.to_space(wanted));
            let around = cells_around(map, &particle);
            LocatedPoint { at, cell: Some(cell), place: Some(particle.place), cells: around, distance }
        }
        ProbeHit::Outside(there) => {
            let (at, distance) = (cells.to_space(there.nearest), there.distance);
            LocatedPoint { at, cell: None, place: None, cells: Vec::new(), distance }
        }
    })
}

fn tracked<const D: usize, S: CellSearch<D>>(
    map: &Map<D>,
    cells: &S,
    tracking: CellTracking,
    [from, to]: [Vec3; 2],
    walls: &DartSet,
) -> Result<TrackedPath, PlacedMapError> {
    let start = start_of(map, cells, from)?;
    let target = cells.of_space(to);
    let course: Course<S::Point> =
        followed(map, cell_kind(D), start, |particle, path| cells.go(map, walls, particle, target, path))?;
    Ok(described(map, tracking, to, course, |point| cells.to_space(point)))
}

fn met<const D: usize, S: CellSearch<D>>(
    map: &Map<D>,
    cells: &S,
    from: Vec3,
    to: Vec3,
) -> Result<MetCells, PlacedMapError> {
    let start = start_of(map, cells, from)?;
    let mut probe = Probe::new();
    let (end, to) = cells.cross(map, &mut probe, &start, cells.of_space(to))?;
    let [from, to] = [start.position, to].map(|point| cells.to_space(point));
    Ok(MetCells { from, to, cells: probe.cells().to_vec(), end: end_of(map, end) })
}

/// Returns the particle at the start of a path.
fn start_of<const D: usize, S: CellSearch<D>>(
    map: &Map<D>,
    cells: &S,
    from: Vec3,
) -> Result<Particle<S::Point>, PlacedMapError> {
    started(cells.find(map, cells.of_space(from))?, |nearest| cells.to_space(nearest))
}

/// Returns the cells that contain a particle, ascending.
fn cells_around<const D: usize, P>(map: &Map<D>, particle: &Particle<P>) -> Vec<u32> {
    let orbit = match particle.place {
        CellPlace::Vertex => Orbit::Vertex,
        CellPlace::Edge => Orbit::Edge,
        CellPlace::Face => Orbit::Face,
        CellPlace::Volume => Orbit::Volume,
    };
    let mut walker = Walker::new();
    let darts = walker.orbit(map, orbit, particle.dart);
    let mut cells: Vec<u32> =
        darts.iter().map(|&dart| map.id(cell_kind(D), dart)).filter(|&id| id != NO_CELL).collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// Returns the kind of the cells of a map.
fn cell_kind(dimension: usize) -> Orbit {
    if dimension == 2 { Orbit::Face } else { Orbit::Volume }
}
