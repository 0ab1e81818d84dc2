//! Registration on surfaces in space.
//!
//! In: positions of vertices, and new ones when the surface deforms. Out: as the module above.
//! Method: S4 chapters 4 and 5 on surfaces. A face is the fan of triangles about the mean of its corners, and a point is
//! its weights in one of them ([`SurfaceTracker`](crate::track::SurfaceTracker)). What is given as a position is taken
//! to the nearest point of the surface; a move goes as far as the target is away, along the surface. An edge between two
//! points is the section of the surface from one to the other ([`SurfaceTracker::section`]); S4 lets a particle go, whose
//! way depends on where it is sent from and need not meet the other end.
//! Guarantees: the four properties, of sections as they are followed. An edge is in the faces that its section passes; one
//! exactly through a vertex passes beside it. Of triangles the sides count, not what is between them. Where there is no
//! section an edge is in the faces of its ends; where the surface ends between them, in those that sections from both
//! reach. Cells are not refined. Cost: a position given O(darts); an edge O(triangles it passes).

use super::environment::{Environment, MovedAll};
use super::geometry::{Geometry, check_positions};
use super::{EntityId, RegistrationError};
use crate::multires::{ImplicitMap, Refined};
use crate::track::{
    CellFault, End, Found, Particle, Place, Probe, SurfaceParticle, SurfaceTracker, TrackError, face_centres,
};
use crate::{CombinatorialMap, Dart, DartSet, Map, Orbit, Walker};
use heurt_geometry::Vec3;

/// A point of a surface, or one in space that is meant for it: made from a `Vec3` by `into`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfacePoint {
    /// Where it is.
    pub at: Vec3,
    /// Of the centre of its face and the start and the end of its dart; of no meaning where it is a target.
    weights: [f64; 3],
}

impl SurfacePoint {
    /// The weights of the centre of its face and of the start and the end of the dart of its particle.
    pub fn weights(&self) -> [f64; 3] {
        self.weights
    }
}

impl From<Vec3> for SurfacePoint {
    fn from(at: Vec3) -> Self {
        Self { at, weights: [0.0; 3] }
    }
}

/// Faces in space that are seen whole from the means of their corners.
#[derive(Debug, Clone)]
pub struct Surface {
    points: Vec<Vec3>,
    centres: Vec<Vec3>,
}

impl Surface {
    /// Takes positions by numbers of vertices.
    ///
    /// # Errors
    /// [`RegistrationError::BadPosition`].
    pub fn new(points: Vec<Vec3>) -> Result<Self, RegistrationError> {
        check_positions(points.iter().map(|point| point.abs().max_element()))?;
        Ok(Self { points, centres: Vec::new() })
    }

    /// The positions, by number.
    pub fn positions(&self) -> &[Vec3] {
        &self.points
    }

    fn tracker<'a>(&'a self, map: &'a Map<2>) -> Result<SurfaceTracker<'a, Map<2>>, TrackError> {
        SurfaceTracker::with_centres(map, &self.points, &self.centres)
    }
}

fn on_surface(particle: &Particle<SurfacePoint>) -> SurfaceParticle {
    SurfaceParticle::new(particle.dart, particle.position.weights)
}

fn registered(tracker: &SurfaceTracker<'_, Map<2>>, particle: &SurfaceParticle) -> Particle<SurfacePoint> {
    let position = SurfacePoint { at: tracker.position(particle), weights: particle.weights() };
    Particle { position, dart: particle.dart(), place: particle.place() }
}

impl Geometry<2> for Surface {
    type Point = SurfacePoint;

    const IS_CONVEX: bool = false;

    fn begin(&mut self, map: &mut ImplicitMap<2>) -> Result<(), TrackError> {
        self.centres = face_centres(map.map(), &self.points)?;
        Ok(())
    }

    fn to_space(point: SurfacePoint) -> Vec3 {
        point.at
    }

    fn position(&self, vertex: u32) -> Vec3 {
        self.points[vertex as usize]
    }

    fn check(&self, map: &Map<2>) -> Result<Vec<CellFault>, TrackError> {
        Ok(self.tracker(map)?.check())
    }

    fn check_refine(&self, _map: &mut ImplicitMap<2>, cell: u32, _dart: Dart) -> Result<(), RegistrationError> {
        Err(RegistrationError::NotRefined { cell })
    }

    /// Nothing: no cell is refined.
    fn place(&mut self, _map: &ImplicitMap<2>, _refined: &Refined, _walker: &mut Walker) {}

    /// Moves by the way from the particle to the target, turned into the surface.
    fn move_to(
        &self,
        map: &Map<2>,
        obstacles: Option<&DartSet>,
        particle: &mut Particle<SurfacePoint>,
        target: SurfacePoint,
        path: impl FnMut(Place, Dart),
    ) -> Result<End, TrackError> {
        let mut tracker = self.tracker(map)?;
        if let Some(obstacles) = obstacles {
            tracker = tracker.with_obstacles(obstacles);
        }
        let mut moved = on_surface(particle);
        let end = tracker.move_to(&mut moved, target.at, path)?;
        *particle = registered(&tracker, &moved);
        Ok(end)
    }

    /// Takes the position from the weights, which go with the surface.
    fn settle(&self, map: &Map<2>, particle: &mut Particle<SurfacePoint>) -> Result<End, TrackError> {
        *particle = registered(&self.tracker(map)?, &on_surface(particle));
        Ok(End::Arrived)
    }

    /// The particle, if weights and position are those of a point in the triangle of `dart`.
    fn particle_in(&self, map: &Map<2>, dart: Dart, position: SurfacePoint) -> Option<Particle<SurfacePoint>> {
        let there = registered(&self.tracker(map).ok()?, &SurfaceParticle::new(dart, position.weights));
        let is_in = position.weights.iter().all(|&weight| weight >= 0.0) && there.position == position;
        is_in.then_some(there)
    }

    /// The nearest point of the surface.
    fn find(&self, map: &Map<2>, position: SurfacePoint) -> Result<Found<SurfacePoint>, TrackError> {
        if let Some(axis) = position.at.to_array().iter().position(|x| !x.is_finite()) {
            return Err(TrackError::NotFinite { axis, value: position.at[axis] });
        }
        let tracker = self.tracker(map)?;
        let near = map.live_darts().filter(|&dart| !map.is_boundary(dart)).map(|dart| {
            let corners = tracker.corners(dart);
            let weights = nearest(corners, position.at);
            let at = corners[0] * weights[0] + corners[1] * weights[1] + corners[2] * weights[2];
            (at.distance_squared(position.at), SurfaceParticle::new(dart, weights))
        });
        let best = near.min_by(|a, b| a.0.total_cmp(&b.0)).ok_or(TrackError::Empty)?;
        Ok(Found::Inside(registered(&tracker, &best.1)))
    }

    fn probe(
        &self,
        map: &Map<2>,
        probe: &mut Probe,
        from: &Particle<SurfacePoint>,
        to: &Particle<SurfacePoint>,
    ) -> Result<End, TrackError> {
        let mut cells = Vec::new();
        let add = |dart| cells.push(map.id(Orbit::Face, dart));
        let end = self.tracker(map)?.section(&on_surface(from), &on_surface(to), add);
        // A section that has gone round without meeting the other end is no edge.
        cells.truncate(if end.is_ok() { cells.len() } else { 1 });
        probe.take(cells.into_iter());
        end
    }

    fn meets_inside(&self, _map: &Map<2>, _dart: Dart, _triangle: [SurfacePoint; 3], _walker: &mut Walker) -> bool {
        false
    }
}

/// The weights of the point of a triangle that is nearest to `p`: in its inside, or else on a side.
fn nearest([a, b, c]: [Vec3; 3], p: Vec3) -> [f64; 3] {
    let normal = (b - a).cross(c - a);
    let share = |x: Vec3, y: Vec3| (y - x).cross(p - x).dot(normal) / normal.length_squared();
    let inside = [share(b, c), share(c, a), share(a, b)];
    if inside.iter().all(|&weight| weight > 0.0) {
        let sum: f64 = inside.iter().sum();
        return inside.map(|weight| weight / sum);
    }
    let side = |x: Vec3, y: Vec3| {
        let along = ((p - x).dot(y - x) / (y - x).length_squared()).clamp(0.0, 1.0);
        ((x + (y - x) * along).distance_squared(p), along)
    };
    let sides = [(side(a, b), 0), (side(b, c), 1), (side(c, a), 2)];
    let least = sides.into_iter().min_by(|x, y| x.0.0.total_cmp(&y.0.0));
    let mut weights = [0.0; 3];
    if let Some(((_, along), first)) = least {
        weights[first] = 1.0 - along;
        weights[(first + 1) % 3] += along;
    }
    weights
}

impl Environment<2, Surface> {
    /// Takes new positions of vertices, by number: points keep their weights and go with the surface, and edges and
    /// triangles that are in other faces then are registered anew.
    ///
    /// # Errors
    /// [`RegistrationError::BadPosition`], too few positions, [`RegistrationError::BadCells`] with all triangles that would
    /// have no inside. The surface has not deformed then.
    pub fn deform(&mut self, points: &[Vec3]) -> Result<MovedAll, RegistrationError> {
        let mut geometry = Surface::new(points.to_vec())?;
        geometry.centres = face_centres(self.map.map(), points)?;
        let faults = geometry.check(self.map.map())?;
        if !faults.is_empty() {
            return Err(RegistrationError::BadCells { faults });
        }
        self.geometry = geometry;
        for point in self.points.iter_mut().filter(|point| !point.entities.is_empty()) {
            self.geometry.settle(self.map.map(), &mut point.particle)?;
        }
        let mut all = MovedAll::default();
        let entities: Vec<EntityId> = self.entities().collect();
        for EntityId(entity) in entities {
            all.registered += u32::from(!self.is_particle(entity) && self.update(entity));
        }
        Ok(all)
    }
}
