//! Registration of entities on surfaces in space.
//!
//! In: positions of vertices, and new ones when the surface deforms. Out: as the module above.
//! Method: S4 chapters 4 and 5 on surfaces. A face is the fan of triangles from the mean of its corners, and a point is
//! its weights in one of them ([`SurfaceTracker`](crate::track::SurfaceTracker)). A given position is replaced by the
//! nearest point of the surface; a move covers the distance to the target, along the surface. An edge between two
//! points is the section of the surface between them ([`SurfaceTracker::section`]). S4 moves a particle instead, whose
//! path depends on the start and the direction and need not meet the second end. Faces are refined through the middles
//! of their edges and their centres, so that the surface stays the same up to rounding (`nested`, `sectors`); points
//! move with it. If vertices have been moved since refinement made them ([`deform`](Environment::deform)), coarsening
//! removes them and changes the surface. Each change is first tried on an excerpt of the map, and refused if a triangle
//! would have no inside.
//! Guarantees: the four properties, for sections as they are followed. An edge is in the faces that its section passes;
//! a section exactly through a vertex passes next to it. For triangles the sides count, not the inside. An edge without
//! a section is in the faces of its ends; if the surface ends between them, in the faces that sections from both ends
//! reach. Cost: a position given O(darts); an edge O(triangles it passes); refining and coarsening as elsewhere, and
//! edges that have no section are followed again.

use super::dry_run::{RehearsedChange, dry_run};
use super::environment::{Environment, MovedAll};
use super::geometry::{DEEPEST, Geometry, LARGEST, check_positions, put};
use super::nested::{Placed, own_face};
use super::sectors::{self, Weighted};
use super::{EntityId, RegistrationError};
use crate::multires::{ImplicitMap, Refined};
use crate::track::{
    CellFault, CellPlace, MoveEnd, Particle, Probe, ProbeHit, SurfaceParticle, SurfaceTracker, TrackError,
};
use crate::{CombinatorialMap, Dart, DartSet, Map, Orbit, Walker};
use heurt_geometry::{Vec3, power_of_two_scale};

/// A point of a surface, or a target in space near it: made from a `Vec3` by `into`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfacePoint {
    /// Position in space.
    pub at: Vec3,
    /// Weights of the centre of its face and the start and the end of its dart; without meaning for a target.
    weights: [f64; 3],
}

impl SurfacePoint {
    /// Returns the weights of the centre of its face and of the start and the end of the dart of its particle.
    pub fn weights(&self) -> [f64; 3] {
        self.weights
    }
}

impl From<Vec3> for SurfacePoint {
    fn from(at: Vec3) -> Self {
        Self { at, weights: [0.0; 3] }
    }
}

/// Geometry of faces in space that are star-shaped from their centres. A centre is the mean of the face's corners,
/// without vertices that finer neighbours have put on its edges. For quads that refinement made, it is the middle of
/// the old corner and the opposite corner.
#[derive(Debug, Clone)]
pub struct Surface {
    points: Vec<Vec3>,
    centres: Vec<Vec3>,
    /// The largest coordinate of a vertex.
    size: f64,
}

impl Surface {
    /// Takes positions by numbers of vertices.
    ///
    /// # Errors
    /// [`RegistrationError::BadPosition`].
    pub fn new(points: Vec<Vec3>) -> Result<Self, RegistrationError> {
        let size = check_positions(points.iter().map(|point| point.to_array()))?;
        Ok(Self { points, centres: Vec::new(), size })
    }

    /// Returns the positions, by number; positions of free numbers have no meaning.
    pub fn positions(&self) -> &[Vec3] {
        &self.points
    }

    /// Returns the centres of faces, by number.
    pub fn centres(&self) -> &[Vec3] {
        &self.centres
    }

    fn tracker<'a>(&'a self, map: &'a Map<2>) -> Result<SurfaceTracker<'a, Map<2>>, TrackError> {
        SurfaceTracker::with_centres(map, &self.points, &self.centres)
    }

    fn placed<'a>(&'a self, map: &'a ImplicitMap<2>) -> Placed<'a, 2> {
        Placed { map, points: &self.points, is_plane: false, unit: None }
    }

    /// Computes all centres.
    fn settle_in(&mut self, map: &ImplicitMap<2>) -> Result<(), TrackError> {
        self.tracker(map.map())?; // There are numbers, and enough positions.
        for (_, dart) in map.map().cell_ids(Orbit::Face).into_iter().flat_map(|ids| ids.cells()) {
            self.centre(map, dart);
        }
        Ok(())
    }

    /// Computes the centre of a face.
    fn centre(&mut self, map: &ImplicitMap<2>, dart: Dart) {
        let (own, level) = own_face(map, dart);
        let centre = self.placed(map).face(own, level);
        put(&mut self.centres, map.map().id(Orbit::Face, dart), centre);
    }

    /// Tries a change of the face of a dart, which gives `cells` new triangles.
    fn dry_run(
        &self,
        map: &mut ImplicitMap<2>,
        mut cells: Vec<Dart>,
        change: RehearsedChange,
        walker: &mut Walker,
    ) -> Result<(), RegistrationError> {
        let dart = cells[0];
        for place in 0..cells.len() {
            cells.extend_from_slice(walker.adjacent(map.map(), cells[place], Orbit::Face, Orbit::Edge));
        }
        let make = |points| Self { points, centres: Vec::new(), size: self.size };
        dry_run(map, &cells, dart, change, make, &self.points)
    }
}

/// Checks that a target is a point with coordinates in the supported range.
fn check_target(target: Vec3) -> Result<(), TrackError> {
    for (axis, value) in target.to_array().into_iter().enumerate() {
        if !value.is_finite() {
            return Err(TrackError::NotFinite { axis, value });
        }
        if value.abs() > LARGEST {
            return Err(TrackError::TooFar { axis, value, max: LARGEST });
        }
    }
    Ok(())
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
        self.settle_in(map)
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

    fn check_refine(
        &self,
        map: &mut ImplicitMap<2>,
        cell: u32,
        dart: Dart,
        walker: &mut Walker,
    ) -> Result<(), RegistrationError> {
        let level = map.face_level(dart);
        if level >= DEEPEST {
            return Err(RegistrationError::TooFine { cell, level });
        }
        self.dry_run(map, vec![dart], RehearsedChange::Refine, walker)
    }

    fn check_coarsen(
        &self,
        map: &mut ImplicitMap<2>,
        family: &[Dart],
        walker: &mut Walker,
    ) -> Result<(), RegistrationError> {
        self.dry_run(map, family.to_vec(), RehearsedChange::Coarsen, walker)
    }

    fn place(&mut self, map: &ImplicitMap<2>, refined: &Refined, _walker: &mut Walker) {
        for vertex in &refined.vertices {
            let placed = self.placed(map);
            let position = match vertex.amid {
                Orbit::Edge => placed.middle(vertex.of, refined.level - 1),
                _ => placed.face(vertex.of, refined.level - 1),
            };
            put(&mut self.points, map.map().id(Orbit::Vertex, vertex.dart), position);
        }
        refined.cells.iter().for_each(|&dart| self.centre(map, dart));
    }

    fn restore(&mut self, map: &ImplicitMap<2>, cell: Dart, _walker: &mut Walker) {
        self.centre(map, cell);
    }

    fn lift(
        &self,
        map: &ImplicitMap<2>,
        particle: &Particle<SurfacePoint>,
        from: Option<u8>,
    ) -> Option<Particle<SurfacePoint>> {
        let at = sectors::whole(map, Weighted { dart: particle.dart, weights: particle.position.weights });
        let Weighted { dart, weights } = from.map_or(at, |level| sectors::ascend(map, level, at));
        Some(Particle { dart, position: SurfacePoint { weights, ..particle.position }, ..*particle })
    }

    fn lower(&self, map: &ImplicitMap<2>, lifted: Particle<SurfacePoint>, to: Option<u8>) -> Particle<SurfacePoint> {
        let at = Weighted { dart: lifted.dart, weights: lifted.position.weights };
        let Weighted { dart, weights } = sectors::part(map, to.map_or(at, |level| sectors::descend(map, level, at)));
        Particle { dart, position: SurfacePoint { weights, ..lifted.position }, ..lifted }
    }

    /// Moves by the displacement from the particle to the target, turned into the surface.
    fn move_to(
        &self,
        map: &Map<2>,
        obstacles: Option<&DartSet>,
        particle: &mut Particle<SurfacePoint>,
        target: SurfacePoint,
        path: impl FnMut(CellPlace, Dart),
    ) -> Result<MoveEnd, TrackError> {
        check_target(target.at)?;
        let mut tracker = self.tracker(map)?;
        if let Some(obstacles) = obstacles {
            tracker = tracker.with_obstacles(obstacles);
        }
        let mut moved = on_surface(particle);
        let end = tracker.move_to(&mut moved, target.at, path)?;
        *particle = registered(&tracker, &moved);
        Ok(end)
    }

    /// Computes the position from the weights, which move with the surface.
    fn settle(&self, map: &Map<2>, particle: &mut Particle<SurfacePoint>) -> Result<MoveEnd, TrackError> {
        *particle = registered(&self.tracker(map)?, &on_surface(particle));
        Ok(MoveEnd::Arrived)
    }

    /// Returns the particle, if weights and position are those of a point in the triangle of `dart`.
    fn particle_in(&self, map: &Map<2>, dart: Dart, position: SurfacePoint) -> Option<Particle<SurfacePoint>> {
        let there = registered(&self.tracker(map).ok()?, &SurfaceParticle::new(dart, position.weights));
        let is_in = position.weights.iter().all(|&weight| weight >= 0.0) && there.position == position;
        is_in.then_some(there)
    }

    /// Finds the nearest point of the surface.
    fn find(&self, map: &Map<2>, position: SurfacePoint) -> Result<ProbeHit<SurfacePoint>, TrackError> {
        check_target(position.at)?;
        let tracker = self.tracker(map)?;
        // All coordinates are scaled to the size of 1, by a power of two, so that squares do not overflow.
        let units = power_of_two_scale(position.at.abs().max_element().max(self.size));
        let near = map.live_darts().filter(|&dart| !map.is_boundary(dart)).map(|dart| {
            let corners = tracker.corners(dart).map(|corner| corner * units);
            let weights = nearest(corners, position.at * units);
            let at = corners[0] * weights[0] + corners[1] * weights[1] + corners[2] * weights[2];
            (at.distance_squared(position.at * units), SurfaceParticle::new(dart, weights))
        });
        let best = near.min_by(|a, b| a.0.total_cmp(&b.0)).ok_or(TrackError::Empty)?;
        Ok(ProbeHit::Inside(registered(&tracker, &best.1)))
    }

    fn probe(
        &self,
        map: &Map<2>,
        probe: &mut Probe,
        from: &Particle<SurfacePoint>,
        to: &Particle<SurfacePoint>,
    ) -> Result<MoveEnd, TrackError> {
        let mut cells = Vec::new();
        let add = |dart| cells.push(map.id(Orbit::Face, dart));
        let end = self.tracker(map)?.section(&on_surface(from), &on_surface(to), add);
        // A section that closes without meeting the second end is no edge.
        cells.truncate(if end.is_ok() { cells.len() } else { 1 });
        probe.take(cells.into_iter());
        end
    }

    fn meets_inside(&self, _map: &Map<2>, _dart: Dart, _triangle: [SurfacePoint; 3], _walker: &mut Walker) -> bool {
        false
    }
}

/// Computes the weights of the point of a triangle that is nearest to `p`: in its inside, or else on a side.
/// Coordinates are 2 at most, the triangle may be small next to that.
fn nearest([a, b, c]: [Vec3; 3], p: Vec3) -> [f64; 3] {
    // From the first corner, with sides of the size of 1.
    let units = power_of_two_scale((b - a).abs().max((c - a).abs()).max_element());
    let [b, c, p] = [b - a, c - a, p - a].map(|v| v * units);
    let a = Vec3::ZERO;
    let normal = (b - a).cross(c - a);
    let area = normal.length_squared();
    let share = |x: Vec3, y: Vec3| (y - x).cross(p - x).dot(normal) / area;
    let inside = [share(b, c), share(c, a), share(a, b)];
    let sum: f64 = inside.iter().sum();
    if area.is_normal() && sum.is_finite() && inside.iter().all(|&weight| weight > 0.0) {
        return inside.map(|weight| weight / sum);
    }
    // Far from a small triangle squares of distances would be too large.
    let units = power_of_two_scale(p.abs().max_element().max(1.0));
    let side = |x: Vec3, y: Vec3| {
        let along = ((p - x).dot(y - x) / (y - x).length_squared()).clamp(0.0, 1.0);
        (((x + (y - x) * along - p) * units).length_squared(), along)
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
    /// Takes new positions of vertices, by number. Points keep their weights and move with the surface; edges and
    /// triangles that are then in different faces are registered again.
    ///
    /// There has to be a position for each number of a vertex as the map is now, also for vertices from refinement;
    /// [`positions`](Surface::positions) has one for each. Vertices from refinement may move anywhere; coarsening
    /// removes them again.
    ///
    /// # Errors
    /// [`RegistrationError::BadPosition`], too few positions, [`RegistrationError::BadCells`] with all triangles that
    /// would have no inside. The surface is then not deformed.
    pub fn deform(&mut self, points: &[Vec3]) -> Result<MovedAll, RegistrationError> {
        let mut geometry = Surface::new(points.to_vec())?;
        geometry.settle_in(&self.map)?;
        let faults = geometry.check(self.map.map())?;
        if !faults.is_empty() {
            return Err(RegistrationError::BadCells { faults });
        }
        let mut settled: Vec<_> = self.points.iter().map(|point| point.particle).collect();
        for (particle, point) in settled.iter_mut().zip(&self.points) {
            if !point.entities.is_empty() {
                geometry.settle(self.map.map(), particle)?;
            }
        }
        self.geometry = geometry;
        self.edits += 1;
        self.points.iter_mut().zip(settled).for_each(|(point, particle)| point.particle = particle);
        let mut all = MovedAll::default();
        let entities: Vec<EntityId> = self.entities().collect();
        for EntityId(entity) in entities {
            all.registered += u32::from(!self.is_particle(entity) && self.update(entity));
        }
        Ok(all)
    }
}
