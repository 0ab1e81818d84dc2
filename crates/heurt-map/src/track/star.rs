//! Particle tracking in maps of star-shaped volumes: hexahedra that deform, with faces that are not plane.
//!
//! In: a map, positions of vertices, centres of faces and volumes, obstacles, particles and targets. Out: moved
//! particles; the places on the path.
//! Method: S4 chapter 7. A volume is star-shaped from its centre V; a face is the fan of triangles from its centre F
//! to its edges. So each dart, of an edge from S to S', has a virtual tetrahedron V F S S'. The tetrahedron of φ₁
//! shares its side V F S', φ₋₁ shares V F S, φ₂ shares V S S' and φ₃ shares F S S'. These tetrahedra are a map of
//! convex cells, to which the walk of the module above applies unchanged. Both sides of a face have the same triangles,
//! because both read the same F, S and S'. So the ping-pong of S4 fig. 7.1, in which each side chooses its own plane
//! and sends the particle to the opposite side, cannot happen. Ours differs: S4 walks to the target from the centre, so
//! that the cells on the path are not known. Here the path starts from the particle, and from inside the tetrahedron of
//! its dart only if the mesh has moved away from the particle.
//!
//! Guarantees: as the module above, given that every virtual tetrahedron is positive, which `check` tests exactly. "In
//! the volume" then refers to the fans, not to any smooth surface through the corners. A point of a plane face of more
//! than three corners is on the face if it is on the plane of the triangle, whose corner F is rounded. Cost: as the
//! module above; 24 bytes a face and a volume for centres, 4 a dart for numbers of each.

use super::convex::{faces_of, nearest_boundary};
use super::space::{Partition, place_in_face, side, travel};
use super::{
    CellFault, CellPlace, MoveEnd, Particle, ProbeHit, TrackError, TrackWall, check_dart, check_finite,
    ids_with_values, in_groups, read_ahead, samples, wall_of,
};
use crate::{CellIds, CombinatorialMap, Dart, DartSet, NO_CELL, Orbit};
use heurt_geometry::{Sign, Vec3, orient3d};

/// Centres of volumes and faces, from which they are star-shaped.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Centres {
    volumes: Vec<Vec3>,
    faces: Vec<Vec3>,
}

impl Centres {
    /// Takes the means of corners.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub fn new(map: &impl CombinatorialMap, points: &[Vec3]) -> Result<Self, TrackError> {
        let mut centres = Self::default();
        centres.update(map, points)?;
        Ok(centres)
    }

    /// Computes the means of corners again, after vertices have moved: for a face the mean of its corners, for a volume
    /// the mean of the corners of its faces. Cost: O(darts).
    ///
    /// # Errors
    /// [`TrackError::NoIds`] of vertices, faces or volumes; [`TrackError::TooFewValues`].
    pub fn update(&mut self, map: &impl CombinatorialMap, points: &[Vec3]) -> Result<(), TrackError> {
        let vertices = ids_with_values(map, Orbit::Vertex, points.len())?;
        let ids = |orbit| map.cell_ids(orbit).ok_or(TrackError::NoIds { orbit });
        let (faces, volumes) = (ids(Orbit::Face)?, ids(Orbit::Volume)?);
        let mut counts = vec![0_u32; volumes.bound()];
        self.volumes.clear();
        self.volumes.resize(volumes.bound(), Vec3::ZERO);
        self.faces.clear();
        self.faces.resize(faces.bound(), Vec3::ZERO);
        for (face, dart) in faces.cells() {
            let (mut sum, mut count) = (Vec3::ZERO, 0);
            for dart in crate::map::round(dart, |dart| map.phi1(dart)) {
                sum += points[vertices.of(dart) as usize];
                count += 1;
            }
            self.faces[face as usize] = sum / f64::from(count);
            for side in [dart, map.phi3(dart)] {
                let volume = volumes.of(side);
                if volume != NO_CELL {
                    self.volumes[volume as usize] += sum;
                    counts[volume as usize] += count;
                }
            }
        }
        for (centre, count) in self.volumes.iter_mut().zip(counts) {
            *centre /= f64::from(count.max(1));
        }
        Ok(())
    }

    /// Returns the centres of volumes, by number.
    pub fn volumes(&self) -> &[Vec3] {
        &self.volumes
    }

    /// Returns the centres of faces, by number.
    pub fn faces(&self) -> &[Vec3] {
        &self.faces
    }

    /// Returns the lists of centres of faces and of volumes.
    pub(crate) fn lists(&mut self) -> [&mut Vec<Vec3>; 2] {
        [&mut self.faces, &mut self.volumes]
    }

    /// Returns the centres of volumes, to be changed: any point from which the volume is star-shaped.
    pub fn volumes_mut(&mut self) -> &mut [Vec3] {
        &mut self.volumes
    }

    /// Returns the centres of faces, by number, to be changed.
    pub fn faces_mut(&mut self) -> &mut [Vec3] {
        &mut self.faces
    }
}

/// A dart of the map of virtual tetrahedra: one of the twelve of the tetrahedron of a dart.
///
/// Corners are V, F, S, S' = 0, 1, 2, 3; sides, counter-clockwise seen from outside, F S S', V S' S, V F S', V S F.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Virtual {
    dart: Dart,
    place: u8,
}

/// The corner at which each dart of a tetrahedron starts.
const ORIGIN: [u8; 12] = [1, 2, 3, 0, 3, 2, 0, 1, 3, 0, 2, 1];
/// φ₁ and φ₋₁ in a side.
const NEXT: [u8; 12] = [1, 2, 0, 4, 5, 3, 7, 8, 6, 10, 11, 9];
const BEFORE: [u8; 12] = [2, 0, 1, 5, 3, 4, 8, 6, 7, 11, 9, 10];
/// φ₂ in the tetrahedron.
const TWIN: [u8; 12] = [10, 4, 7, 8, 1, 9, 11, 2, 3, 5, 0, 6];
/// The dart of the neighbouring tetrahedron to which φ₃ leads: the corners F and V are common, S and S' change.
const BEYOND: [u8; 12] = [2, 1, 0, 5, 4, 3, 11, 10, 9, 8, 7, 6];

/// Tracks particles in star-shaped volumes.
#[derive(Debug, Clone, Copy)]
pub struct StarTracker<'a, M> {
    pub(super) map: &'a M,
    pub(super) vertices: &'a CellIds,
    pub(super) faces: &'a CellIds,
    pub(super) volumes: &'a CellIds,
    pub(super) points: &'a [Vec3],
    pub(super) centres: &'a Centres,
    pub(super) obstacles: Option<&'a DartSet>,
}

impl<M: CombinatorialMap> Partition for StarTracker<'_, M> {
    type Dart = Virtual;
    #[inline(always)]
    fn phi1(&self, dart: Virtual) -> Virtual {
        Virtual { place: NEXT[usize::from(dart.place)], ..dart }
    }
    #[inline(always)]
    fn phi1_inv(&self, dart: Virtual) -> Virtual {
        Virtual { place: BEFORE[usize::from(dart.place)], ..dart }
    }
    #[inline(always)]
    fn phi2(&self, dart: Virtual) -> Virtual {
        Virtual { place: TWIN[usize::from(dart.place)], ..dart }
    }
    #[inline(always)]
    fn phi3(&self, Virtual { dart, place }: Virtual) -> Virtual {
        let dart = match place / 3 {
            0 => self.map.phi3(dart),
            1 => self.map.phi2(dart),
            2 => self.map.phi1(dart),
            _ => self.map.phi1_inv(dart),
        };
        Virtual { dart, place: BEYOND[usize::from(place)] }
    }
    #[inline(always)]
    fn point(&self, Virtual { dart, place }: Virtual) -> Vec3 {
        match ORIGIN[usize::from(place)] {
            0 => self.centres.volumes[self.volumes.of(dart) as usize],
            1 => self.centres.faces[self.faces.of(dart) as usize],
            2 => self.points[self.vertices.of(dart) as usize],
            _ => self.points[self.vertices.of(self.map.phi1(dart)) as usize],
        }
    }
    #[inline(always)]
    fn wall(&self, Virtual { dart, place }: Virtual) -> Option<TrackWall> {
        if place < 3 { wall_of(self.map.phi3(dart), self.map, dart, self.obstacles) } else { None }
    }
    fn most_steps(&self) -> usize {
        12 * 4 * self.map.capacity() + 64
    }
}

impl<'a, M: CombinatorialMap> StarTracker<'a, M> {
    /// Takes a map with numbered vertices, faces and volumes, positions of vertices by number, and centres.
    ///
    /// # Errors
    /// [`TrackError::NoIds`], [`TrackError::TooFewValues`].
    pub fn new(map: &'a M, points: &'a [Vec3], centres: &'a Centres) -> Result<Self, TrackError> {
        let vertices = ids_with_values(map, Orbit::Vertex, points.len())?;
        let faces = ids_with_values(map, Orbit::Face, centres.faces.len())?;
        let volumes = ids_with_values(map, Orbit::Volume, centres.volumes.len())?;
        Ok(Self { map, vertices, faces, volumes, points, centres, obstacles: None })
    }

    /// Takes faces that particles may not cross: faces with a side of which every dart is marked.
    #[must_use]
    pub fn with_obstacles(self, obstacles: &'a DartSet) -> Self {
        Self { obstacles: Some(obstacles), ..self }
    }

    /// Moves a particle straight towards `target`, until it is there or meets a wall. `path` is called with every place
    /// that the particle enters, in order, with a dart of it. A particle that is no longer in the tetrahedron of its
    /// dart is settled first.
    ///
    /// # Errors
    /// A dart that is not of a cell, a target that is not finite, [`TrackError::Lost`].
    #[inline]
    pub fn move_to(
        &self,
        particle: &mut Particle<Vec3>,
        target: Vec3,
        mut path: impl FnMut(CellPlace, Dart),
    ) -> Result<MoveEnd, TrackError> {
        check_dart(self.map, particle.dart)?;
        check_finite(target.to_array())?;
        let (mut dart, mut from) = (particle.dart, particle.position);
        if self.spot(dart, from).is_none() {
            let mut settled = *particle;
            self.settle(&mut settled)?;
            (dart, from) = (settled.dart, settled.position);
        }
        let start = self.spot(dart, from).ok_or(TrackError::Lost { dart, steps: 0 })?;
        let mut last = self.real(start.0, start.1).0;
        let mut emit = |place: CellPlace, dart: Virtual| {
            let (place, dart) = self.real(place, dart);
            if place != last {
                last = place;
                path(place, dart);
            }
        };
        let (spot, wall) = self.go((from, start.0, start.1), target, &mut emit)?;
        *particle = spot;
        Ok(self.end(wall))
    }

    /// Moves many particles, each to the target of the same place, as [`move_to`](Self::move_to), and reports how each
    /// move ended. Quicker than one by one where particles are in no order and the map is larger than the caches.
    pub fn move_all(
        &self,
        particles: &mut [Particle<Vec3>],
        targets: &[Vec3],
        mut ended: impl FnMut(usize, Result<MoveEnd, TrackError>),
    ) {
        let ahead = |group: &[Particle<Vec3>]| {
            let ids = read_ahead(self.map, group, [u32::MAX; 4], |dart| {
                let ends = [dart, self.map.phi1(dart)].map(|dart| self.vertices.of(dart));
                [ends[0], ends[1], self.faces.of(dart), self.volumes.of(dart)]
            });
            let read = |ids: &[u32; 4]| {
                let of = |points: &[Vec3], id: u32| points.get(id as usize).map_or(0.0, |point| point.x);
                let ends = of(self.points, ids[0]) + of(self.points, ids[1]);
                ends + of(&self.centres.faces, ids[2]) + of(&self.centres.volumes, ids[3])
            };
            std::hint::black_box(ids.iter().map(read).sum::<f64>());
        };
        in_groups(particles, targets, ahead, |number, particle, &target| {
            ended(number, self.move_to(particle, target, |_, _| ()));
        });
    }

    /// Puts a particle into the volume that it is in, when the map has changed its shape: unless it is still in the
    /// tetrahedron of its dart it walks from inside that to its position, and stops at walls.
    ///
    /// # Errors
    /// As [`move_to`](Self::move_to).
    pub fn settle(&self, particle: &mut Particle<Vec3>) -> Result<MoveEnd, TrackError> {
        check_dart(self.map, particle.dart)?;
        check_finite(particle.position.to_array())?;
        if let Some((place, dart)) = self.spot(particle.dart, particle.position) {
            *particle = self.particle(particle.position, place, dart);
            return Ok(MoveEnd::Arrived);
        }
        let start = self.inside(particle.dart).ok_or(TrackError::Lost { dart: particle.dart, steps: 0 })?;
        let (there, wall) = self.go(start, particle.position, &mut |_, _| ())?;
        *particle = there;
        Ok(self.end(wall))
    }

    /// Returns the particle at `position`, if the closed volume of `dart` contains it: exact, given a star-shaped
    /// volume.
    /// `None` for a dart of no volume. Cost: O(faces squared).
    pub fn particle_in(&self, dart: Dart, position: Vec3) -> Option<Particle<Vec3>> {
        check_dart(self.map, dart).ok()?;
        let in_face =
            |face| crate::map::round(face, |dart| self.map.phi1(dart)).find_map(|dart| self.spot(dart, position));
        let (place, dart) = faces_of(self.map, dart).into_iter().find_map(in_face)?;
        Some(self.particle(position, place, dart))
    }

    /// Finds the volume of a point: walks from the nearest of some centres; tests all volumes if a wall blocks the
    /// walk. Ignores obstacles. Cost: O(volumes on the path), or O(darts).
    ///
    /// # Errors
    /// [`TrackError::NotFinite`], [`TrackError::Empty`].
    pub fn find(&self, point: Vec3) -> Result<ProbeHit<Vec3>, TrackError> {
        check_finite(point.to_array())?;
        let free = Self { obstacles: None, ..*self };
        let near = samples(self.volumes.bound())
            .filter_map(|id| Some((self.volumes.dart(id)?, self.centres.volumes[id as usize])))
            .min_by(|a, b| a.1.distance_squared(point).total_cmp(&b.1.distance_squared(point)));
        let dart = near.map(|near| near.0).or_else(|| self.volumes.cells().next().map(|cell| cell.1));
        if let Some(start) = self.inside(dart.ok_or(TrackError::Empty)?)
            && let Ok((particle, None)) = free.go(start, point, &mut |_, _| ())
        {
            return Ok(ProbeHit::Inside(particle));
        }
        for dart in self.map.live_darts().filter(|&dart| !self.map.is_boundary(dart)) {
            if let Some((place, dart)) = self.spot(dart, point) {
                return Ok(ProbeHit::Inside(self.particle(point, place, dart)));
            }
        }
        let position = |dart| self.points[self.vertices.of(dart) as usize];
        nearest_boundary(self.map, position, point).map(ProbeHit::Outside).ok_or(TrackError::Empty)
    }

    /// Lists volumes that are not star-shaped with respect to their centres, by exact predicates: each virtual
    /// tetrahedron must be positive. Only the first such dart of a volume is reported. Cost: O(darts).
    pub fn check(&self) -> Vec<CellFault> {
        let mut faults = Vec::new();
        for (_, dart) in self.vertices.cells() {
            if !self.points[self.vertices.of(dart) as usize].is_finite() {
                faults.push(CellFault::NotFinite { dart });
            }
        }
        let mut is_emitted = vec![false; self.volumes.bound()];
        for dart in self.map.live_darts().filter(|&dart| !self.map.is_boundary(dart)) {
            let volume = self.volumes.of(dart);
            if !is_emitted[volume as usize] && !self.is_positive(dart) {
                is_emitted[volume as usize] = true;
                faults.push(CellFault::NotStarShaped { volume, dart });
            }
        }
        faults
    }

    /// Reports whether the virtual tetrahedron of a dart is positively oriented and not flat.
    fn is_positive(&self, dart: Dart) -> bool {
        let [f, s, t, v] = [0, 1, 2, 3].map(|place| self.point(Virtual { dart, place }));
        orient3d(f, s, t, v) == Sign::Negative
    }

    /// Returns the place of a point in the virtual tetrahedron of `dart`, if the tetrahedron contains it.
    #[inline(always)]
    fn spot(&self, dart: Dart, position: Vec3) -> Option<(CellPlace, Virtual)> {
        let mut on = None;
        for place in [0, 3, 6, 9] {
            let face = Virtual { dart, place };
            match side(self, face, position) {
                Sign::Positive => return None,
                Sign::Zero => on = on.or(Some(face)),
                Sign::Negative => {}
            }
        }
        match on {
            None => Some((CellPlace::Volume, Virtual { dart, place: 0 })),
            Some(face) => place_in_face(self, face, position),
        }
    }

    /// Returns a spot strictly inside the tetrahedron of a dart, or else the centre of its volume.
    fn inside(&self, dart: Dart) -> Option<super::space::Spot<Virtual>> {
        let corners = [0, 1, 2, 3].map(|place| self.point(Virtual { dart, place }));
        let middle = (corners[0] + corners[1] + corners[2] + corners[3]) / 4.0;
        if !self.is_positive(dart) {
            return None;
        }
        Some(match self.spot(dart, middle) {
            Some((place, at)) => (middle, place, at),
            None => (corners[3], CellPlace::Vertex, Virtual { dart, place: 3 }),
        })
    }

    fn go(
        &self,
        start: super::space::Spot<Virtual>,
        target: Vec3,
        path: &mut impl FnMut(CellPlace, Virtual),
    ) -> Result<(Particle<Vec3>, Option<Dart>), TrackError> {
        match travel(self, start, target, path) {
            Ok(((position, place, dart), wall)) => {
                Ok((self.particle(position, place, dart), wall.map(|wall| wall.dart)))
            }
            Err((at, steps)) => Err(TrackError::Lost { dart: at.dart, steps }),
        }
    }

    fn end(&self, wall: Option<Dart>) -> MoveEnd {
        let stopped = |dart| {
            let wall = self.wall(Virtual { dart, place: 0 }).unwrap_or(TrackWall::Obstacle);
            MoveEnd::Stopped { dart, wall }
        };
        wall.map_or(MoveEnd::Arrived, stopped)
    }

    fn particle(&self, position: Vec3, place: CellPlace, dart: Virtual) -> Particle<Vec3> {
        let (place, real) = self.real(place, dart);
        Particle { position, dart: real, place }
    }

    /// Converts a place in the map of tetrahedra to the place of the map that contains it.
    #[inline]
    fn real(&self, place: CellPlace, at: Virtual) -> (CellPlace, Dart) {
        let Virtual { dart, place: number } = at;
        let (from, to) = (ORIGIN[usize::from(number)], ORIGIN[usize::from(NEXT[usize::from(number)])]);
        match place {
            CellPlace::Volume => (CellPlace::Volume, dart),
            CellPlace::Face if number < 3 => (CellPlace::Face, dart),
            CellPlace::Face => (CellPlace::Volume, dart),
            CellPlace::Edge if from == 0 || to == 0 => (CellPlace::Volume, dart),
            CellPlace::Edge if from == 1 || to == 1 => (CellPlace::Face, dart),
            CellPlace::Edge => (CellPlace::Edge, dart),
            CellPlace::Vertex => match from {
                0 => (CellPlace::Volume, dart),
                1 => (CellPlace::Face, dart),
                2 => (CellPlace::Vertex, dart),
                _ => (CellPlace::Vertex, self.map.phi1(dart)),
            },
        }
    }
}
