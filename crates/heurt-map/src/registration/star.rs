//! Registration of entities in star-shaped volumes that deform.
//!
//! In: positions of vertices, and new ones when the mesh deforms. Out: as the module above.
//! Method: S4 chapter 7 and §7.3: volumes are tracked through their virtual tetrahedra
//! ([`StarTracker`](crate::track::StarTracker)). An edge between two points of one such volume may leave it, so that
//! probes always run; the inside of a triangle may leave it too, so that it is always searched. Refining puts vertices
//! into the middles of edges and the centres of faces and of the volume. It chooses the centres of the pieces so that
//! the pieces consist of parts of the virtual tetrahedra (`nested`): only the inner walls are new, outside the faces of
//! the volume nothing moves, and pieces are star-shaped. If vertices have been moved since refinement made them, by
//! [`deform`](Environment::deform), this need not hold, and coarsening removes them again. Then cells change their
//! shape, with the cells that share a face or an edge with them. So each change is first tried on an excerpt of the
//! map, and refused if a volume would not be star-shaped. Points and entities of the cells and of all their neighbours
//! are registered again at their positions.
//! Guarantees: the four properties, exactly, for volumes bounded by the fans of triangles from the centres of their
//! faces. Positions move by at most 2⁻⁴¹ of the largest coordinate's power of two when they are taken, so that middles
//! are exact.
//! Cost: a move of an edge or triangle O(volumes it meets), even if these stay the same; a deformation O(darts) and
//! O(points and entities); refining and coarsening as elsewhere, and O(darts of the cells and their neighbours) to try
//! it.

use super::dry_run::{RehearsedChange, dry_run};
use super::environment::{Environment, MovedAll};
use super::geometry::{DEEPEST, Geometry, finer, put, snap, unit_of};
use super::nested::{Placed, own_face};
use super::{EntityId, PointId, RegistrationError};
use crate::multires::{ImplicitMap, Multiresolution, Refined};
use crate::track::{
    CellFault, CellPlace, Centres, MoveEnd, Particle, Probe, ProbeHit, ProbedSpace, StarTracker, TrackError, Tracker3,
};
use crate::{CombinatorialMap, Dart, DartSet, Map, Orbit, Walker};
use heurt_geometry::{Vec3, triangles_intersect};

/// Geometry of volumes that are star-shaped from their centres: hexahedra with bent faces.
///
/// The centre of a face or volume of level 0 is the mean of its corners, without vertices that finer neighbours have
/// put on its edges. For a triangle it is half of one corner and a quarter of the remaining two. The centre of a piece
/// is the middle of its old corner and the opposite corner. In a map without refinement, a face or volume that its mean
/// does not see wholly has a centre in its kernel; it is not refined.
#[derive(Debug, Clone)]
pub struct Star {
    points: Vec<Vec3>,
    centres: Centres,
    unit: f64,
}

impl Star {
    /// Takes positions by numbers of vertices; they are rounded to a grid of 2⁻⁴⁰ of the largest coordinate's power of
    /// two when an environment takes them, and finer by the level of the vertex.
    ///
    /// # Errors
    /// [`RegistrationError::BadPosition`].
    pub fn new(points: Vec<Vec3>) -> Result<Self, RegistrationError> {
        let unit = unit_of(points.iter().map(|point| point.to_array()))?;
        Ok(Self { points, centres: Centres::default(), unit })
    }

    /// Returns the positions, by number; positions of free numbers have no meaning.
    pub fn positions(&self) -> &[Vec3] {
        &self.points
    }

    /// Returns the centres of faces and volumes.
    pub fn centres(&self) -> &Centres {
        &self.centres
    }

    fn tracker<'a>(&'a self, map: &'a Map<3>) -> Result<StarTracker<'a, Map<3>>, TrackError> {
        StarTracker::new(map, &self.points, &self.centres)
    }

    fn placed<'a>(&'a self, map: &'a ImplicitMap<3>) -> Placed<'a, 3> {
        Placed { map, points: &self.points, is_plane: true, unit: Some(self.unit) }
    }

    /// Rounds positions and computes all centres.
    fn settle_in(&mut self, map: &ImplicitMap<3>) -> Result<(), TrackError> {
        Tracker3::new(map.map(), &self.points)?; // There are numbers, and enough positions.
        for (id, dart) in map.map().cell_ids(Orbit::Vertex).into_iter().flat_map(|ids| ids.cells()) {
            let unit = finer(self.unit, map.dart_level(dart).unwrap_or(0));
            self.points[id as usize] = self.points[id as usize].map(|x| snap(x, unit));
        }
        self.centres.update(map.map(), &self.points)?;
        self.round_means(map);
        if map.finest() == 0 {
            self.centres.move_into_kernels(map.map(), &self.points)?;
        }
        // Volumes that refinement made or put vertices on.
        let mut walker = Walker::new();
        let mut is_done = vec![map.finest() == 0; self.centres.volumes().len()];
        for dart in map.map().live_darts().filter(|&dart| !map.map().is_boundary(dart)) {
            if map.dart_level(dart) > Some(0)
                && let Some(is_done) = is_done.get_mut(map.map().id(Orbit::Volume, dart) as usize)
                && !std::mem::replace(is_done, true)
            {
                self.centre(map, dart, &mut walker);
            }
        }
        Ok(())
    }

    /// Computes the centres in a map without refinement, from the means of corners, which are sums without rounding.
    fn round_means(&mut self, map: &ImplicitMap<3>) {
        let unit = self.unit;
        for list in self.centres.lists() {
            list.iter_mut().for_each(|point| *point = point.map(|x| snap(x, unit)));
        }
        for (face, dart) in map.map().cell_ids(Orbit::Face).into_iter().flat_map(|ids| ids.cells()) {
            if map.map().face_darts(dart).nth(3).is_none() {
                let (own, level) = own_face(map, dart);
                let centre = self.placed(map).face(own, level);
                put(self.centres.lists()[0], face, centre);
            }
        }
    }

    /// Computes the centres of a volume and of its faces.
    fn centre(&mut self, map: &ImplicitMap<3>, dart: Dart, walker: &mut Walker) {
        let plain = map.map();
        let darts = walker.orbit(plain, Orbit::Volume, dart).to_vec();
        for &dart in &darts {
            if plain.face_darts(dart).all(|other| dart <= other) {
                let (own, level) = own_face(map, dart);
                let centre = self.placed(map).face(own, level);
                put(self.centres.lists()[0], plain.id(Orbit::Face, dart), centre);
            }
        }
        let first = darts.iter().copied().min_by_key(|&dart| (map.dart_level(dart), dart)).unwrap_or(dart);
        let centre = self.placed(map).volume(first, map.cell_level(&darts), walker);
        put(self.centres.lists()[1], plain.id(Orbit::Volume, dart), centre);
    }

    /// Tries a change of the cell of a dart, where `cells` may change their shape.
    fn dry_run(
        &self,
        map: &mut ImplicitMap<3>,
        cells: &[Dart],
        dart: Dart,
        change: RehearsedChange,
    ) -> Result<(), RegistrationError> {
        let make = |points| Self { points, centres: Centres::default(), unit: self.unit };
        dry_run(map, cells, dart, change, make, &self.points)
    }
}

impl Geometry<3> for Star {
    type Point = Vec3;

    const IS_CONVEX: bool = false;

    fn begin(&mut self, map: &mut ImplicitMap<3>) -> Result<(), TrackError> {
        map.enable_ids(Orbit::Face);
        self.settle_in(map)
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
        let mut cells = vec![dart];
        let view = map.at(level);
        let darts = walker.orbit(map.map(), Orbit::Volume, dart).iter();
        let mut own = darts.filter(|&&dart| map.dart_level(dart) <= Some(level));
        if own.any(|&dart| view.face_darts(dart).count() == 3) {
            // Triangles become triangles through vertices that may have been moved: faces of neighbours change.
            cells.extend_from_slice(walker.adjacent(map.map(), dart, Orbit::Volume, Orbit::Edge));
        }
        self.dry_run(map, &cells, dart, RehearsedChange::Refine)
    }

    fn check_coarsen(
        &self,
        map: &mut ImplicitMap<3>,
        family: &[Dart],
        walker: &mut Walker,
    ) -> Result<(), RegistrationError> {
        let mut cells = family.to_vec();
        for &dart in family {
            cells.extend_from_slice(walker.adjacent(map.map(), dart, Orbit::Volume, Orbit::Edge));
        }
        self.dry_run(map, &cells, family[0], RehearsedChange::Coarsen)
    }

    fn place(&mut self, map: &ImplicitMap<3>, refined: &Refined, walker: &mut Walker) {
        let below = refined.level - 1;
        for vertex in &refined.vertices {
            let placed = self.placed(map);
            let position = match vertex.amid {
                Orbit::Edge => placed.middle(vertex.of, below),
                Orbit::Face => placed.face(vertex.of, below),
                _ => placed.volume(vertex.of, below, walker),
            };
            put(&mut self.points, map.map().id(Orbit::Vertex, vertex.dart), position);
        }
        for &dart in &refined.cells {
            self.centre(map, dart, walker);
        }
    }

    fn restore(&mut self, map: &ImplicitMap<3>, cell: Dart, walker: &mut Walker) {
        self.centre(map, cell, walker);
    }

    fn move_to(
        &self,
        map: &Map<3>,
        obstacles: Option<&DartSet>,
        particle: &mut Particle<Vec3>,
        target: Vec3,
        path: impl FnMut(CellPlace, Dart),
    ) -> Result<MoveEnd, TrackError> {
        let tracker = self.tracker(map)?;
        match obstacles {
            Some(obstacles) => tracker.with_obstacles(obstacles).move_to(particle, target, path),
            None => tracker.move_to(particle, target, path),
        }
    }

    fn settle(&self, map: &Map<3>, particle: &mut Particle<Vec3>) -> Result<MoveEnd, TrackError> {
        self.tracker(map)?.settle(particle)
    }

    fn particle_in(&self, map: &Map<3>, dart: Dart, position: Vec3) -> Option<Particle<Vec3>> {
        self.tracker(map).ok()?.particle_in(dart, position)
    }

    fn find(&self, map: &Map<3>, position: Vec3) -> Result<ProbeHit<Vec3>, TrackError> {
        self.tracker(map)?.find(position)
    }

    fn probe(
        &self,
        map: &Map<3>,
        probe: &mut Probe,
        from: &Particle<Vec3>,
        to: &Particle<Vec3>,
    ) -> Result<MoveEnd, TrackError> {
        probe.edge(&self.tracker(map)?, from, to)
    }

    fn meets_inside(&self, map: &Map<3>, dart: Dart, triangle: [Vec3; 3], walker: &mut Walker) -> bool {
        // No side of the triangle meets the volume, so that it is not all inside: it meets the border of the volume, or
        // nothing.
        let Ok(tracker) = self.tracker(map) else { return false };
        let darts = walker.orbit(map, Orbit::Volume, dart);
        darts.iter().any(|&dart| triangles_intersect(&tracker.triangle_at(dart), &triangle))
    }
}

impl Environment<3, Star> {
    /// Takes new positions of vertices, by number. Points keep their positions in space and are put into the volumes
    /// that contain them; all entities that are then in different volumes are registered again. Points that the border
    /// has passed are put on it and reported. A point that cannot be followed is put into the middle of its volume and
    /// reported.
    ///
    /// There has to be a position for each number of a vertex as the map is now, also for vertices from refinement;
    /// [`positions`](Star::positions) has one for each. Vertices from refinement may move anywhere. On an edge or face
    /// that is whole on its second side, they bend it. Coarsening removes such vertices, and the edge or face is
    /// straight again.
    ///
    /// # Errors
    /// [`RegistrationError::BadPosition`], too few positions, [`RegistrationError::BadCells`] with all volumes that
    /// would not be star-shaped. The mesh is then not deformed.
    pub fn deform(&mut self, points: &[Vec3]) -> Result<MovedAll, RegistrationError> {
        let mut geometry = Star::new(points.to_vec())?;
        geometry.settle_in(&self.map)?;
        let faults = geometry.check(self.map.map())?;
        if !faults.is_empty() {
            return Err(RegistrationError::BadCells { faults });
        }
        self.geometry = geometry;
        self.edits += 1;
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

    /// Puts a point into the volume that contains it now.
    fn keep(&mut self, place: usize, all: &mut MovedAll) {
        let (map, point) = (self.map.map(), PointId(place as u32));
        let mut particle = self.points[place].particle;
        match self.geometry.settle(map, &mut particle) {
            Ok(MoveEnd::Arrived) => {}
            Ok(end) => all.stopped.push((point, end)),
            Err(error) => {
                let found = self.geometry.find(map, particle.position).ok().and_then(ProbeHit::inside);
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
