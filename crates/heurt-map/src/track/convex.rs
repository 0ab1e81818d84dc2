//! Particle tracking in maps of convex volumes with plane faces: tetrahedra, boxes, and all faces exactly plane.
//!
//! In: a map, vertex positions, obstacles, particles and targets. Out: moved particles; the places on the path.
//! Method, guarantees and cost: as the module above; S4 §4.2. Faces of four and more corners must be plane exactly,
//! which rounding often breaks: hexahedra that deform are for [`StarTracker`](super::StarTracker).

use super::space::{Partition, place_in_face, side, travel};
use super::{
    CellFault, CellPlace, MoveEnd, Outside, Particle, ProbeHit, TrackError, TrackWall, check_dart, check_finite,
    ids_with_values, in_groups, read_ahead, samples, wall_of,
};
use crate::nearest::{distance, is_nearer, on_triangle};
use crate::{CellIds, CombinatorialMap, Dart, DartSet, Orbit};
use heurt_geometry::{Sign, Vec3};
use smallvec::SmallVec;

/// Tracks particles in convex volumes.
#[derive(Debug, Clone, Copy)]
pub struct Tracker3<'a, M> {
    pub(super) map: &'a M,
    pub(super) vertices: &'a CellIds,
    pub(super) points: &'a [Vec3],
    pub(super) obstacles: Option<&'a DartSet>,
}

impl<M: CombinatorialMap> Partition for Tracker3<'_, M> {
    type Dart = Dart;
    #[inline(always)]
    fn phi1(&self, dart: Dart) -> Dart {
        self.map.phi1(dart)
    }
    #[inline(always)]
    fn phi1_inv(&self, dart: Dart) -> Dart {
        self.map.phi1_inv(dart)
    }
    #[inline(always)]
    fn phi2(&self, dart: Dart) -> Dart {
        self.map.phi2(dart)
    }
    #[inline(always)]
    fn phi3(&self, dart: Dart) -> Dart {
        self.map.phi3(dart)
    }
    #[inline(always)]
    fn point(&self, dart: Dart) -> Vec3 {
        self.points[self.vertices.of(dart) as usize]
    }
    #[inline(always)]
    fn wall(&self, dart: Dart) -> Option<TrackWall> {
        wall_of(self.map.phi3(dart), self.map, dart, self.obstacles)
    }
    fn most_steps(&self) -> usize {
        4 * self.map.capacity() + 64
    }
}

impl<'a, M: CombinatorialMap> Tracker3<'a, M> {
    /// Takes a map with numbered vertices and their positions, by number; finite, else particles get lost there.
    ///
    /// # Errors
    /// [`TrackError::NoIds`], [`TrackError::TooFewValues`].
    pub fn new(map: &'a M, points: &'a [Vec3]) -> Result<Self, TrackError> {
        let vertices = ids_with_values(map, Orbit::Vertex, points.len())?;
        Ok(Self { map, vertices, points, obstacles: None })
    }

    /// Takes faces that particles may not cross: faces with a side of which every dart is marked.
    #[must_use]
    pub fn with_obstacles(self, obstacles: &'a DartSet) -> Self {
        Self { obstacles: Some(obstacles), ..self }
    }

    /// Moves a particle straight towards `target`, until it is there or meets a wall. `path` is called with every place
    /// that the particle enters, in order, with a dart of it.
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
        let start = (particle.position, particle.place, particle.dart);
        match travel(self, start, target, &mut path) {
            Ok(((position, place, dart), wall)) => {
                *particle = Particle { position, dart, place };
                let stopped = |dart| MoveEnd::Stopped { dart, wall: self.wall(dart).unwrap_or(TrackWall::Obstacle) };
                Ok(wall.map_or(MoveEnd::Arrived, stopped))
            }
            Err((dart, steps)) => Err(TrackError::Lost { dart, steps }),
        }
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
            // In a hexahedron these darts start at six of its corners.
            let corners = read_ahead(self.map, group, [u32::MAX; 6], |dart| {
                let next = |dart| self.map.phi1(dart);
                let other = self.map.phi2(dart);
                let beyond = next(next(other));
                let across = next(self.map.phi2(beyond));
                [dart, other, next(dart), beyond, across, next(across)].map(|dart| self.vertices.of(dart))
            });
            let read = |id: &u32| self.points.get(*id as usize).map_or(0.0, |point| point.x);
            std::hint::black_box(corners.as_flattened().iter().map(read).sum::<f64>());
        };
        in_groups(particles, targets, ahead, |number, particle, &target| {
            ended(number, self.move_to(particle, target, |_, _| ()));
        });
    }

    /// Puts a particle into the volume that contains it, when the map has changed its shape: unless it is still in its
    /// volume it walks from a point inside the volume to its position, and stops at walls.
    ///
    /// # Errors
    /// As [`move_to`](Self::move_to).
    pub fn settle(&self, particle: &mut Particle<Vec3>) -> Result<MoveEnd, TrackError> {
        check_dart(self.map, particle.dart)?;
        check_finite(particle.position.to_array())?;
        if let Some(there) = self.particle_in(particle.dart, particle.position) {
            *particle = there;
            return Ok(MoveEnd::Arrived);
        }
        let mut walker = self.particle_in(particle.dart, self.middle(particle.dart));
        let walker = walker.as_mut().ok_or(TrackError::Lost { dart: particle.dart, steps: 0 })?;
        let end = self.move_to(walker, particle.position, |_, _| ())?;
        *particle = *walker;
        Ok(end)
    }

    /// Returns the particle at `position`, if the closed volume of `dart` contains it: exact, given a convex volume.
    /// `None` for a dart of no volume. Cost: O(faces squared).
    pub fn particle_in(&self, dart: Dart, position: Vec3) -> Option<Particle<Vec3>> {
        check_dart(self.map, dart).ok()?;
        let mut on = None;
        for face in faces_of(self.map, dart) {
            match side(self, face, position) {
                Sign::Positive => return None,
                Sign::Zero => on = on.or_else(|| place_in_face(self, face, position)),
                Sign::Negative => {}
            }
        }
        let (place, dart) = on.unwrap_or((CellPlace::Volume, dart));
        Some(Particle { position, dart, place })
    }

    /// Finds the volume of a point: walks from the nearest of some vertices; tests all volumes if a wall blocks the
    /// walk. Ignores obstacles. Cost: O(volumes on the path), or O(volumes).
    ///
    /// # Errors
    /// [`TrackError::NotFinite`], [`TrackError::Empty`].
    pub fn find(&self, point: Vec3) -> Result<ProbeHit<Vec3>, TrackError> {
        check_finite(point.to_array())?;
        let free = Self { obstacles: None, ..*self };
        let near = samples(self.vertices.bound()).filter_map(|id| self.vertices.dart(id)).min_by(|&a, &b| {
            let far = |dart: Dart| self.point(dart).distance_squared(point);
            far(a).total_cmp(&far(b))
        });
        let dart = near.or_else(|| self.vertices.cells().next().map(|cell| cell.1)).ok_or(TrackError::Empty)?;
        let mut walker = Particle { position: self.point(dart), dart, place: CellPlace::Vertex };
        if check_dart(self.map, dart).is_ok() && free.move_to(&mut walker, point, |_, _| ()) == Ok(MoveEnd::Arrived) {
            return Ok(ProbeHit::Inside(walker));
        }
        let mut seen = DartSet::with_capacity(self.map.capacity());
        for dart in self.map.live_darts().filter(|&dart| !self.map.is_boundary(dart)) {
            if !seen.contains(dart) {
                for face in faces_of(self.map, dart) {
                    mark_face(self.map, face, &mut seen);
                }
                if let Some(particle) = self.particle_in(dart, point) {
                    return Ok(ProbeHit::Inside(particle));
                }
            }
        }
        nearest_boundary(self.map, |dart| self.point(dart), point).map(ProbeHit::Outside).ok_or(TrackError::Empty)
    }

    /// Lists volumes that are not convex, faces that are not plane or not convex, and vertices that have no finite
    /// position, by exact predicates. Cost: O(darts).
    pub fn check(&self) -> Vec<CellFault> {
        let mut faults = Vec::new();
        for (_, dart) in self.vertices.cells() {
            if !self.point(dart).is_finite() {
                faults.push(CellFault::NotFinite { dart });
            }
        }
        let number = |orbit, dart: Dart| self.map.cell_ids(orbit).map_or(dart.0, |ids| ids.of(dart));
        let mut seen = DartSet::with_capacity(self.map.capacity());
        for dart in self.map.live_darts().filter(|&dart| !self.map.is_boundary(dart)) {
            let volume = number(Orbit::Volume, dart);
            if !seen.contains(dart) {
                mark_face(self.map, dart, &mut seen);
                if self.face_points(dart).any(|point| !side(self, dart, point).is_zero()) {
                    faults.push(CellFault::NotPlane { volume, dart });
                } else if !self.is_convex_face(dart) {
                    faults.push(CellFault::NotConvexFace { face: number(Orbit::Face, dart), dart });
                }
            }
            // Each edge is tested from one side; across it, the neighbouring face lies below the plane, or in it
            // beyond.
            let other = self.map.phi2(dart);
            if dart < other {
                let below = self.face_points(other).map(|point| side(self, dart, point));
                let (mut is_below, mut is_above) = (false, false);
                below.for_each(|sign| {
                    is_below |= sign == Sign::Negative;
                    is_above |= sign == Sign::Positive;
                });
                if is_above || !is_below && self.is_folded(dart, other) {
                    faults.push(CellFault::NotConvexVolume { volume, dart });
                }
            }
        }
        faults
    }

    fn face_points(&self, dart: Dart) -> impl Iterator<Item = Vec3> + '_ {
        crate::map::round(dart, |dart| self.map.phi1(dart)).map(|dart| self.point(dart))
    }

    /// Reports whether a plane face is convex: each of its corners is in it, and it has an inside.
    fn is_convex_face(&self, dart: Dart) -> bool {
        crate::map::round(dart, |dart| self.map.phi1(dart)).all(|corner| {
            let found = place_in_face(self, dart, self.point(corner));
            found.is_some_and(|(place, at)| place == CellPlace::Vertex && at == corner)
        })
    }

    /// Reports whether two faces of one plane lie on the same side of their edge.
    fn is_folded(&self, dart: Dart, other: Dart) -> bool {
        let middle = self.face_points(other).sum::<Vec3>() / self.face_points(other).count() as f64;
        place_in_face(self, dart, middle).is_some()
    }

    /// Computes the mean of the corners of the faces of a volume.
    fn middle(&self, dart: Dart) -> Vec3 {
        let (mut sum, mut count) = (Vec3::ZERO, 0.0);
        for face in faces_of(self.map, dart) {
            for point in self.face_points(face) {
                sum += point;
                count += 1.0;
            }
        }
        sum / count
    }
}

/// Returns a dart of each face of a volume, from the face of `dart` on.
pub(super) fn faces_of(map: &impl CombinatorialMap, dart: Dart) -> SmallVec<[Dart; 16]> {
    let face = |dart| crate::map::round(dart, |dart| map.phi1(dart));
    let first = |dart| face(dart).min().unwrap_or(dart);
    let mut faces = SmallVec::new();
    faces.push(dart);
    let mut firsts = SmallVec::<[Dart; 16]>::new();
    firsts.push(first(dart));
    let mut next = 0;
    while next < faces.len() {
        for edge in face(faces[next]) {
            let other = map.phi2(edge);
            let least = first(other);
            if !firsts.contains(&least) {
                firsts.push(least);
                faces.push(other);
            }
        }
        next += 1;
    }
    faces
}

/// Marks the darts of a face, on one side.
pub(super) fn mark_face(map: &impl CombinatorialMap, dart: Dart, seen: &mut DartSet) {
    for dart in crate::map::round(dart, |dart| map.phi1(dart)) {
        seen.insert(dart);
    }
}

/// Finds the part of the border nearest to a point; faces count as fans of triangles from their first corner. Cost:
/// O(darts).
pub(super) fn nearest_boundary(
    map: &impl CombinatorialMap,
    position: impl Fn(Dart) -> Vec3,
    point: Vec3,
) -> Option<Outside<Vec3>> {
    let mut found = None::<Outside<Vec3>>;
    let mut seen = DartSet::with_capacity(map.capacity());
    for dart in map.live_darts().filter(|&dart| !map.is_boundary(dart) && map.is_boundary(map.phi3(dart))) {
        if seen.contains(dart) {
            continue;
        }
        mark_face(map, dart, &mut seen);
        let mut second = map.phi1(dart);
        let mut third = map.phi1(second);
        while third != dart {
            let nearest = on_triangle([position(dart), position(second), position(third)], point);
            let distance = distance(nearest, point);
            if found.is_none_or(|found| is_nearer((nearest, distance), (found.nearest, found.distance), point)) {
                found = Some(Outside { dart, nearest, distance });
            }
            (second, third) = (third, map.phi1(third));
        }
    }
    found
}
