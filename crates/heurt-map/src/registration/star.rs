//! Registration in star-shaped volumes that deform.
//!
//! In: positions of vertices, and new ones when the mesh deforms. Out: as the module above.
//! Method: S4 chapter 7 and §7.3: volumes are tracked through their virtual tetrahedra
//! ([`StarTracker`](crate::track::StarTracker)). An edge between two points of one such volume may leave it, so that probes
//! are sent always; so may the inside of a triangle, which is looked for always too.
//! Guarantees: the four properties, of volumes bounded by the fans of triangles about the centres of their faces: exactly.
//! Cells are not refined: pieces of a star-shaped volume need not be star-shaped. Cost: a move of an edge or triangle
//! O(volumes it meets), be they the same as before; a deformation O(darts) and O(points and entities).

use super::environment::{Environment, MovedAll};
use super::geometry::{Geometry, check_positions};
use super::{EntityId, PointId, RegistrationError};
use crate::multires::{ImplicitMap, Refined};
use crate::track::{CellFault, Centres, End, Found, Particle, Place, Probe, ProbedSpace, StarTracker, TrackError};
use crate::{Dart, DartSet, Map, Orbit, Walker};
use heurt_geometry::{Vec3, triangles_intersect};

/// Volumes that are seen whole from the means of their corners: hexahedra with bent faces.
#[derive(Debug, Clone)]
pub struct Star {
    points: Vec<Vec3>,
    centres: Centres,
}

impl Star {
    /// Takes positions by numbers of vertices.
    ///
    /// # Errors
    /// [`RegistrationError::BadPosition`].
    pub fn new(points: Vec<Vec3>) -> Result<Self, RegistrationError> {
        check_positions(points.iter().map(|point| point.abs().max_element()))?;
        Ok(Self { points, centres: Centres::default() })
    }

    /// The positions, by number.
    pub fn positions(&self) -> &[Vec3] {
        &self.points
    }

    /// The centres of faces and volumes.
    pub fn centres(&self) -> &Centres {
        &self.centres
    }

    fn tracker<'a>(&'a self, map: &'a Map<3>) -> Result<StarTracker<'a, Map<3>>, TrackError> {
        StarTracker::new(map, &self.points, &self.centres)
    }
}

impl Geometry<3> for Star {
    type Point = Vec3;

    const IS_CONVEX: bool = false;

    fn begin(&mut self, map: &mut ImplicitMap<3>) -> Result<(), TrackError> {
        map.enable_ids(Orbit::Face);
        self.centres.update(map.map(), &self.points)
    }

    fn to_space(point: Vec3) -> Vec3 {
        point
    }

    fn position(&self, vertex: u32) -> Vec3 {
        self.points[vertex as usize]
    }

    fn check(&self, map: &Map<3>) -> Result<Vec<CellFault>, TrackError> {
        Ok(self.tracker(map)?.check())
    }

    fn check_refine(&self, _map: &mut ImplicitMap<3>, cell: u32, _dart: Dart) -> Result<(), RegistrationError> {
        Err(RegistrationError::NotRefined { cell })
    }

    /// Nothing: no cell is refined.
    fn place(&mut self, _map: &ImplicitMap<3>, _refined: &Refined, _walker: &mut Walker) {}

    fn move_to(
        &self,
        map: &Map<3>,
        obstacles: Option<&DartSet>,
        particle: &mut Particle<Vec3>,
        target: Vec3,
        path: impl FnMut(Place, Dart),
    ) -> Result<End, TrackError> {
        let tracker = self.tracker(map)?;
        match obstacles {
            Some(obstacles) => tracker.with_obstacles(obstacles).move_to(particle, target, path),
            None => tracker.move_to(particle, target, path),
        }
    }

    fn settle(&self, map: &Map<3>, particle: &mut Particle<Vec3>) -> Result<End, TrackError> {
        self.tracker(map)?.settle(particle)
    }

    fn particle_in(&self, map: &Map<3>, dart: Dart, position: Vec3) -> Option<Particle<Vec3>> {
        self.tracker(map).ok()?.particle_in(dart, position)
    }

    fn find(&self, map: &Map<3>, position: Vec3) -> Result<Found<Vec3>, TrackError> {
        self.tracker(map)?.find(position)
    }

    fn probe(
        &self,
        map: &Map<3>,
        probe: &mut Probe,
        from: &Particle<Vec3>,
        to: &Particle<Vec3>,
    ) -> Result<End, TrackError> {
        probe.edge(&self.tracker(map)?, from, to)
    }

    fn meets_inside(&self, map: &Map<3>, dart: Dart, triangle: [Vec3; 3], walker: &mut Walker) -> bool {
        // Its sides do not meet the volume, so that it is not all in it: it meets the border of it, or nothing.
        let Ok(tracker) = self.tracker(map) else { return false };
        let darts = walker.orbit(map, Orbit::Volume, dart);
        darts.iter().any(|&dart| triangles_intersect(&tracker.triangle_at(dart), &triangle))
    }
}

impl Environment<3, Star> {
    /// Takes new positions of vertices, by number: points stay where they are in space, find their volumes, and all
    /// entities that are in other volumes then are registered anew. Points that the border has passed are put on it and
    /// told; a point that cannot be followed is put into the middle of its volume and told.
    ///
    /// # Errors
    /// [`RegistrationError::BadPosition`], too few positions, [`RegistrationError::BadCells`] with all volumes that would
    /// not be star-shaped. The mesh has not deformed then.
    pub fn deform(&mut self, points: &[Vec3]) -> Result<MovedAll, RegistrationError> {
        let mut geometry = Star::new(points.to_vec())?;
        geometry.centres.update(self.map.map(), points)?;
        let faults = geometry.check(self.map.map())?;
        if !faults.is_empty() {
            return Err(RegistrationError::BadCells { faults });
        }
        self.geometry = geometry;
        let mut all = MovedAll::default();
        let cells: Vec<u32> = self.points.iter().map(|point| self.cell_at(point.particle.dart)).collect();
        for place in 0..self.points.len() {
            if !self.points[place].entities.is_empty() {
                self.keep(place, &mut all);
            }
        }
        let entities: Vec<EntityId> = self.entities().collect();
        for EntityId(entity) in entities {
            let point = self.entities[entity as usize].points[0];
            all.registered += u32::from(self.follow(entity, cells[point as usize], PointId(point)));
        }
        Ok(all)
    }

    /// Puts a point into the volume that it is in now.
    fn keep(&mut self, place: usize, all: &mut MovedAll) {
        let (map, point) = (self.map.map(), PointId(place as u32));
        let mut particle = self.points[place].particle;
        match self.geometry.settle(map, &mut particle) {
            Ok(End::Arrived) => {}
            Ok(end) => all.stopped.push((point, end)),
            Err(error) => {
                let found = self.geometry.find(map, particle.position).ok().and_then(Found::inside);
                let centre = self.geometry.centres.volumes()[self.cell_at(particle.dart) as usize];
                if let Some(there) = found.or_else(|| self.geometry.particle_in(map, particle.dart, centre)) {
                    particle = there;
                }
                all.failed.push((point, error));
            }
        }
        self.points[place].particle = particle;
    }
}
