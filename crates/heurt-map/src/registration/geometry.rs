//! Geometry of the cells of an environment: positions, and the tracker for them.
//!
//! In: positions by numbers of vertices. Out: results of trackers; positions of new vertices.
//! Method: to keep cells exactly convex under refinement, new vertices on an edge have to lie on it exactly. Positions
//! are rounded, when they are taken, to multiples of 2⁻⁴⁰ of (the power of two above) the largest coordinate: then
//! halves stay exact down to [`DEEPEST`] levels. Centres of faces and volumes are rounded to that grid too.
//! Guarantees: positions move by at most 2⁻⁴¹ of the largest coordinate's power of two when they are taken. They do not
//! move if they are such multiples already, as in grids. Cost: the cost of the trackers.

use super::RegistrationError;
use crate::multires::{ImplicitMap, Multiresolution, Refined};
use crate::track::{CellFault, CellPlace, MoveEnd, Particle, Probe, ProbeHit, TrackError, Tracker2, Tracker3};
use crate::{CombinatorialMap, Dart, DartSet, Map, Orbit, Walker};
use heurt_geometry::{Sign, Vec2, Vec3, orient2d, orient3d};

/// The finest level of cells: 40 bits, 10 levels, and 3 bits for the sum of eight corners make 53.
pub(super) const DEEPEST: u8 = 10;

/// The largest allowed coordinate, so that sums and squares are finite.
pub(super) const LARGEST: f64 = 1e100;

/// Positions of a map of dimension `D` and how points are tracked in it: [`Plane`], [`Convex`],
/// [`Star`](super::Star) or [`Surface`](super::Surface).
pub trait Geometry<const D: usize>: std::fmt::Debug + Clone {
    /// `Vec2`, `Vec3` or [`SurfacePoint`](super::SurfacePoint).
    type Point: Copy + PartialEq + std::fmt::Debug;

    /// The kind of cell that entities are registered in: face or volume.
    const CELL: Orbit = if D == 2 { Orbit::Face } else { Orbit::Volume };

    /// True if a segment between two points of a cell is always in the cell.
    const IS_CONVEX: bool = true;

    /// Prepares for a map with numbered vertices and cells; by default does nothing.
    ///
    /// # Errors
    /// The map has more vertices than there are positions.
    fn begin(&mut self, _map: &mut ImplicitMap<D>) -> Result<(), TrackError> {
        Ok(())
    }

    /// Returns the point in space.
    fn to_space(point: Self::Point) -> Vec3;

    /// Returns the position of a vertex in space, by its number.
    fn position(&self, vertex: u32) -> Vec3;

    /// Lists cells that particles cannot be tracked in.
    ///
    /// # Errors
    /// The map has no numbers of vertices, or more than there are positions.
    fn check(&self, map: &Map<D>) -> Result<Vec<CellFault>, TrackError>;

    /// Checks that the pieces of a cell would be such cells too, and its neighbours as they are then.
    ///
    /// # Errors
    /// [`RegistrationError::TooFine`], [`RegistrationError::NotParallel`], [`RegistrationError::BadCells`], and what
    /// [`ImplicitMap`]'s `refine` refuses.
    fn check_refine(
        &self,
        map: &mut ImplicitMap<D>,
        cell: u32,
        dart: Dart,
        walker: &mut Walker,
    ) -> Result<(), RegistrationError>;

    /// Checks that the cell that `family`, a dart of each of its pieces, becomes would be such a cell too, and its
    /// neighbours; by default does nothing.
    ///
    /// # Errors
    /// [`RegistrationError::BadCells`], and what [`ImplicitMap`]'s `coarsen` refuses.
    fn check_coarsen(
        &self,
        _map: &mut ImplicitMap<D>,
        _family: &[Dart],
        _walker: &mut Walker,
    ) -> Result<(), RegistrationError> {
        Ok(())
    }

    /// Gives new vertices their positions.
    fn place(&mut self, map: &ImplicitMap<D>, refined: &Refined, walker: &mut Walker);

    /// Updates data after a cell has been coarsened; by default does nothing.
    fn restore(&mut self, _map: &ImplicitMap<D>, _cell: Dart, _walker: &mut Walker) {}

    /// Describes a particle relative to a dart that a change does not remove, if points are kept relative to their
    /// cells. That is a dart of its cell's own level; if the cell is to be coarsened from level `_from`, a dart of the
    /// cell that comes back. Returns `None` if points are kept by their positions.
    fn lift(
        &self,
        _map: &ImplicitMap<D>,
        _particle: &Particle<Self::Point>,
        _from: Option<u8>,
    ) -> Option<Particle<Self::Point>> {
        None
    }

    /// Restores a lifted particle after a change; `to` is the level of its cell's pieces if the cell has been refined.
    fn lower(&self, _map: &ImplicitMap<D>, lifted: Particle<Self::Point>, _to: Option<u8>) -> Particle<Self::Point> {
        lifted
    }

    /// See [`Tracker2::move_to`].
    ///
    /// # Errors
    /// As there.
    fn move_to(
        &self,
        map: &Map<D>,
        obstacles: Option<&DartSet>,
        particle: &mut Particle<Self::Point>,
        target: Self::Point,
        path: impl FnMut(CellPlace, Dart),
    ) -> Result<MoveEnd, TrackError>;

    /// See [`Tracker2::settle`]; ignores obstacles.
    ///
    /// # Errors
    /// As there.
    fn settle(&self, map: &Map<D>, particle: &mut Particle<Self::Point>) -> Result<MoveEnd, TrackError>;

    /// See [`Tracker2::particle_in`].
    fn particle_in(&self, map: &Map<D>, dart: Dart, position: Self::Point) -> Option<Particle<Self::Point>>;

    /// See [`Tracker2::find`].
    ///
    /// # Errors
    /// As there.
    fn find(&self, map: &Map<D>, position: Self::Point) -> Result<ProbeHit<Self::Point>, TrackError>;

    /// See [`Probe::edge`].
    ///
    /// # Errors
    /// As there.
    fn probe(
        &self,
        map: &Map<D>,
        probe: &mut Probe,
        from: &Particle<Self::Point>,
        to: &Particle<Self::Point>,
    ) -> Result<MoveEnd, TrackError>;

    /// Reports whether a triangle meets the closed cell of `dart`, given that none of its sides does. Exact, except for
    /// surfaces, on which only sides count.
    fn meets_inside(&self, map: &Map<D>, dart: Dart, triangle: [Self::Point; 3], walker: &mut Walker) -> bool;
}

/// Implements the methods that the trackers of both dimensions have in common.
macro_rules! tracked_by {
    ($tracker:ident, $dimension:literal) => {
        fn check(&self, map: &Map<$dimension>) -> Result<Vec<CellFault>, TrackError> {
            Ok($tracker::new(map, &self.points)?.check())
        }

        fn move_to(
            &self,
            map: &Map<$dimension>,
            obstacles: Option<&DartSet>,
            particle: &mut Particle<Self::Point>,
            target: Self::Point,
            path: impl FnMut(CellPlace, Dart),
        ) -> Result<MoveEnd, TrackError> {
            let tracker = $tracker::new(map, &self.points)?;
            match obstacles {
                Some(obstacles) => tracker.with_obstacles(obstacles).move_to(particle, target, path),
                None => tracker.move_to(particle, target, path),
            }
        }

        fn settle(&self, map: &Map<$dimension>, particle: &mut Particle<Self::Point>) -> Result<MoveEnd, TrackError> {
            $tracker::new(map, &self.points)?.settle(particle)
        }

        fn particle_in(
            &self,
            map: &Map<$dimension>,
            dart: Dart,
            position: Self::Point,
        ) -> Option<Particle<Self::Point>> {
            $tracker::new(map, &self.points).ok()?.particle_in(dart, position)
        }

        fn probe(
            &self,
            map: &Map<$dimension>,
            probe: &mut Probe,
            from: &Particle<Self::Point>,
            to: &Particle<Self::Point>,
        ) -> Result<MoveEnd, TrackError> {
            probe.edge(&$tracker::new(map, &self.points)?, from, to)
        }

        fn find(&self, map: &Map<$dimension>, position: Self::Point) -> Result<ProbeHit<Self::Point>, TrackError> {
            $tracker::new(map, &self.points)?.find(position)
        }
    };
}

/// Convex faces in the plane, counter-clockwise.
#[derive(Debug, Clone)]
pub struct Plane {
    points: Vec<Vec2>,
    unit: f64,
}

impl Plane {
    /// Takes positions by numbers of vertices, and rounds them to a grid of 2⁻⁴⁰ of the largest coordinate's power of
    /// two.
    ///
    /// # Errors
    /// [`RegistrationError::BadPosition`].
    pub fn new(mut points: Vec<Vec2>) -> Result<Self, RegistrationError> {
        let unit = unit_of(points.iter().map(|point| point.to_array()))?;
        for point in &mut points {
            *point = point.map(|x| snap(x, unit));
        }
        Ok(Self { points, unit })
    }

    /// Returns the positions, by number.
    pub fn positions(&self) -> &[Vec2] {
        &self.points
    }
}

/// Convex volumes with plane faces: tetrahedra, parallelepipeds, prisms and pyramids of triangles and parallelograms
/// can be refined; others can be tracked in.
#[derive(Debug, Clone)]
pub struct Convex {
    points: Vec<Vec3>,
    unit: f64,
}

impl Convex {
    /// Takes positions by numbers of vertices, and rounds them to a grid of 2⁻⁴⁰ of the largest coordinate's power of
    /// two.
    ///
    /// # Errors
    /// [`RegistrationError::BadPosition`].
    pub fn new(mut points: Vec<Vec3>) -> Result<Self, RegistrationError> {
        let unit = unit_of(points.iter().map(|point| point.to_array()))?;
        for point in &mut points {
            *point = point.map(|x| snap(x, unit));
        }
        Ok(Self { points, unit })
    }

    /// Returns the positions, by number.
    pub fn positions(&self) -> &[Vec3] {
        &self.points
    }
}

/// Checks that coordinates are in the supported range, and returns the largest.
pub(super) fn check_positions<const N: usize>(
    points: impl Iterator<Item = [f64; N]>,
) -> Result<f64, RegistrationError> {
    let mut largest = 0.0_f64;
    for (vertex, point) in points.enumerate() {
        for size in point.map(f64::abs) {
            if size.is_nan() || size > LARGEST {
                return Err(RegistrationError::BadPosition { vertex, max: LARGEST });
            }
            largest = largest.max(size);
        }
    }
    Ok(largest)
}

/// Computes the grid for coordinates of the sizes that these points have.
pub(super) fn unit_of<const N: usize>(points: impl Iterator<Item = [f64; N]>) -> Result<f64, RegistrationError> {
    let largest = check_positions(points)?;
    // The exponent of the power of two above, bounded below so that the grid is not subnormal.
    let exponent = (largest.to_bits() >> 52) as i32 - 1023 + 1;
    Ok(f64::powi(2.0, exponent.max(-900) - 40))
}

/// Computes the nearest multiple of a power of two.
pub(super) fn snap(x: f64, unit: f64) -> f64 {
    (x / unit).round() * unit
}

/// Computes the grid at a level.
pub(super) fn finer(unit: f64, level: u8) -> f64 {
    unit / f64::from(1_u32 << level.min(DEEPEST))
}

/// Puts a value at a number that may be new.
pub(super) fn put<T: Copy>(values: &mut Vec<T>, id: u32, value: T) {
    if id as usize >= values.len() {
        values.resize(id as usize + 1, value);
    }
    values[id as usize] = value;
}

impl Geometry<2> for Plane {
    type Point = Vec2;

    fn to_space(point: Vec2) -> Vec3 {
        point.extend(0.0)
    }

    fn position(&self, vertex: u32) -> Vec3 {
        self.points[vertex as usize].extend(0.0)
    }

    fn check_refine(
        &self,
        map: &mut ImplicitMap<2>,
        cell: u32,
        dart: Dart,
        _walker: &mut Walker,
    ) -> Result<(), RegistrationError> {
        let level = map.face_level(dart);
        if level >= DEEPEST { Err(RegistrationError::TooFine { cell, level }) } else { Ok(()) }
    }

    fn place(&mut self, map: &ImplicitMap<2>, refined: &Refined, _walker: &mut Walker) {
        let view = map.at(refined.level - 1);
        let unit = finer(self.unit, refined.level);
        for vertex in &refined.vertices {
            let at = |dart: Dart| self.points[map.map().id(Orbit::Vertex, dart) as usize];
            let position = match vertex.amid {
                Orbit::Edge => (at(vertex.of) + at(view.phi2(vertex.of))) * 0.5,
                _ => {
                    let (mut sum, mut count) = (Vec2::ZERO, 0.0);
                    for dart in view.face_darts(vertex.of) {
                        sum += at(dart);
                        count += 1.0;
                    }
                    (sum / count).map(|x| snap(x, unit))
                }
            };
            put(&mut self.points, map.map().id(Orbit::Vertex, vertex.dart), position);
        }
    }

    fn meets_inside(&self, map: &Map<2>, dart: Dart, [a, b, c]: [Vec2; 3], _walker: &mut Walker) -> bool {
        let turn = orient2d(a, b, c);
        // No side meets the cell, so that it is all in the triangle or all outside it.
        let is_in = |p: Vec2| [[a, b], [b, c], [c, a]].iter().all(|&[x, y]| orient2d(x, y, p) != turn.flipped());
        let corners = || map.face_darts(dart).map(|dart| self.points[map.id(Orbit::Vertex, dart) as usize]);
        !turn.is_zero() && corners().all(is_in)
    }

    tracked_by!(Tracker2, 2);
}

impl Geometry<3> for Convex {
    type Point = Vec3;

    fn to_space(point: Vec3) -> Vec3 {
        point
    }

    fn position(&self, vertex: u32) -> Vec3 {
        self.points[vertex as usize]
    }

    fn check_refine(
        &self,
        map: &mut ImplicitMap<3>,
        cell: u32,
        dart: Dart,
        walker: &mut Walker,
    ) -> Result<(), RegistrationError> {
        let level = map.level_of(dart);
        if level >= DEEPEST {
            return Err(RegistrationError::TooFine { cell, level });
        }
        let oldest = map.oldest_dart(dart);
        let view = map.at(level);
        let at = |dart: Dart| self.points[map.map().id(Orbit::Vertex, dart) as usize];
        for &dart in walker.orbit(&view, Orbit::Volume, oldest) {
            let [b, c] = [view.phi1(dart), view.phi1(view.phi1(dart))];
            let d = view.phi1(c);
            let is_plain = d == dart || view.phi1(d) == dart && at(dart) + at(c) == at(b) + at(d);
            if !is_plain {
                return Err(RegistrationError::NotParallel { cell, dart });
            }
        }
        Ok(())
    }

    fn place(&mut self, map: &ImplicitMap<3>, refined: &Refined, walker: &mut Walker) {
        let view = map.at(refined.level - 1);
        let unit = finer(self.unit, refined.level);
        for vertex in &refined.vertices {
            let at = |dart: Dart| self.points[map.map().id(Orbit::Vertex, dart) as usize];
            let (mut sum, mut count) = (Vec3::ZERO, 0.0);
            let mut add = |dart: Dart| {
                sum += at(dart);
                count += 1.0;
            };
            match vertex.amid {
                Orbit::Edge => [vertex.of, view.phi2(vertex.of)].into_iter().for_each(&mut add),
                Orbit::Face => view.face_darts(vertex.of).for_each(&mut add),
                _ => walker.incident(&view, vertex.of, Orbit::Volume, Orbit::Vertex).iter().copied().for_each(&mut add),
            }
            let position = (sum / count).map(|x| snap(x, unit));
            put(&mut self.points, map.map().id(Orbit::Vertex, vertex.dart), position);
        }
    }

    fn meets_inside(&self, map: &Map<3>, dart: Dart, [a, b, c]: [Vec3; 3], walker: &mut Walker) -> bool {
        let at = |dart: Dart| self.points[map.id(Orbit::Vertex, dart) as usize];
        // The plane of the triangle meets the cell in a convex polygon, edge or corner, if at all, and no side of the
        // triangle meets that section: it is all in the triangle or all outside. Its corners are on the cell's edges.
        let darts = walker.orbit(map, Orbit::Volume, dart);
        let side = |dart: Dart| orient3d(a, b, c, at(dart));
        let has = |sign: Sign| darts.iter().any(|&dart| side(dart) == sign);
        let off = darts.iter().copied().find(|&dart| !side(dart).is_zero()).map(at);
        let is_met = has(Sign::Zero) || has(Sign::Positive) && has(Sign::Negative);
        let (true, Some(off)) = (is_met, off) else { return false };
        // The line through p and q meets the plane in the closed triangle.
        let is_in = |p: Vec3, q: Vec3| {
            let turns = [[a, b], [b, c], [c, a]].map(|[x, y]| orient3d(p, q, x, y));
            !(turns.contains(&Sign::Positive) && turns.contains(&Sign::Negative))
        };
        darts.iter().all(|&dart| match (side(dart), side(map.phi1(dart))) {
            (Sign::Zero, _) => is_in(at(dart), off),
            (start, end) if start == end.flipped() => is_in(at(dart), at(map.phi1(dart))),
            _ => true,
        })
    }

    tracked_by!(Tracker3, 3);
}
