//! Particle tracking in maps of convex faces in the plane.
//!
//! In: a map, vertex positions, obstacles, particles and targets. Out: moved particles; the places on the path.
//! Method, guarantees and cost: as the module above; S4 §4.2.2 to §4.2.4 in two dimensions.

use super::{
    CellFault, CellPlace, MoveEnd, Outside, Particle, ProbeHit, Recurrence, TrackError, TrackWall, check_dart,
    check_finite, ids_with_values, in_groups, read_ahead, samples, shares_before, wall_of,
};
use crate::nearest::{distance, is_nearer, on_segment};
use crate::{CellIds, CombinatorialMap, Dart, DartSet, Orbit};
use heurt_geometry::{Sign, Vec2, orient2d};

/// Tracks particles in convex faces, counter-clockwise in the plane.
#[derive(Debug, Clone, Copy)]
pub struct Tracker2<'a, M> {
    pub(super) map: &'a M,
    pub(super) vertices: &'a CellIds,
    pub(super) points: &'a [Vec2],
    pub(super) obstacles: Option<&'a DartSet>,
}

/// The end of a walk.
enum PlaneWalk {
    At(CellPlace, Dart),
    /// On a vertex between walls.
    Cornered(Dart, Dart),
    Wall(Dart),
}

/// The next step of a walk.
enum PlaneStep {
    Go(CellPlace, Dart),
    End(PlaneWalk),
}

impl<'a, M: CombinatorialMap> Tracker2<'a, M> {
    /// Takes a map with numbered vertices and their positions, by number; finite, else particles get lost there.
    ///
    /// # Errors
    /// [`TrackError::NoIds`], [`TrackError::TooFewValues`].
    pub fn new(map: &'a M, points: &'a [Vec2]) -> Result<Self, TrackError> {
        let vertices = ids_with_values(map, Orbit::Vertex, points.len())?;
        Ok(Self { map, vertices, points, obstacles: None })
    }

    /// Takes edges that particles may not cross: edges with a marked dart.
    #[must_use]
    pub fn with_obstacles(self, obstacles: &'a DartSet) -> Self {
        Self { obstacles: Some(obstacles), ..self }
    }

    /// Moves a particle straight towards `target`, until it is there or meets a wall. `path` is called with every place
    /// that the particle enters, in order, with a dart of it.
    ///
    /// ```
    /// use heurt_geometry::Vec2;
    /// use heurt_map::track::{CellPlace, MoveEnd, Tracker2};
    /// use heurt_map::{CombinatorialMap, Map2, Orbit};
    /// let map = Map2::grid(3, 1)?;
    /// let points: Vec<Vec2> = (0..8).map(|k| Vec2::new(f64::from(k % 4), f64::from(k / 4))).collect();
    /// let tracker = Tracker2::new(&map, &points)?;
    /// let mut particle = tracker.find(Vec2::new(0.5, 0.5))?.inside().ok_or("in the first square")?;
    /// let mut faces = Vec::new();
    /// let end = tracker.move_to(&mut particle, Vec2::new(2.5, 0.25), |place, dart| {
    ///     if place == CellPlace::Face {
    ///         faces.push(map.id(Orbit::Face, dart));
    ///     }
    /// })?;
    /// assert_eq!((end, faces), (MoveEnd::Arrived, vec![1, 2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A dart that is not of a cell, a target that is not finite, [`TrackError::Lost`].
    #[inline]
    pub fn move_to(
        &self,
        particle: &mut Particle<Vec2>,
        target: Vec2,
        mut path: impl FnMut(CellPlace, Dart),
    ) -> Result<MoveEnd, TrackError> {
        check_dart(self.map, particle.dart)?;
        check_finite(target.to_array())?;
        let mut no_path = |_: CellPlace, _: Dart| ();
        match self.walk(*particle, target, &mut path)? {
            PlaneWalk::At(place, dart) => {
                *particle = Particle { position: target, dart, place };
                Ok(MoveEnd::Arrived)
            }
            PlaneWalk::Cornered(dart, wall) => {
                *particle = Particle { position: self.point(dart), dart, place: CellPlace::Vertex };
                Ok(self.stopped(wall))
            }
            PlaneWalk::Wall(wall) => {
                let (from, share) = (particle.position, self.share(wall, particle.position, target));
                for t in shares_before(share) {
                    let position = from * (1.0 - t) + target * t;
                    if position.is_finite()
                        && let Ok(PlaneWalk::At(place, dart)) = self.walk(*particle, position, &mut no_path)
                    {
                        *particle = Particle { position, dart, place };
                        break;
                    }
                }
                Ok(self.stopped(wall))
            }
        }
    }

    /// Moves many particles, each to the target of the same place, as [`move_to`](Self::move_to), and reports how each
    /// move ended. Quicker than one by one where particles are in no order and the map is larger than the caches.
    pub fn move_all(
        &self,
        particles: &mut [Particle<Vec2>],
        targets: &[Vec2],
        mut ended: impl FnMut(usize, Result<MoveEnd, TrackError>),
    ) {
        let ahead = |group: &[Particle<Vec2>]| {
            let ends = read_ahead(self.map, group, [u32::MAX; 2], |dart| {
                [dart, self.map.phi1_inv(dart)].map(|dart| self.vertices.of(dart))
            });
            let read = |id: &u32| self.points.get(*id as usize).map_or(0.0, |point| point.x);
            std::hint::black_box(ends.as_flattened().iter().map(read).sum::<f64>());
        };
        in_groups(particles, targets, ahead, |number, particle, &target| {
            ended(number, self.move_to(particle, target, |_, _| ()));
        });
    }

    /// Puts a particle into the face that contains it, when the map has changed its shape: unless it is still in its
    /// face it walks from a point inside the face to its position, and stops at walls.
    ///
    /// # Errors
    /// As [`move_to`](Self::move_to).
    pub fn settle(&self, particle: &mut Particle<Vec2>) -> Result<MoveEnd, TrackError> {
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

    /// Returns the particle at `position`, if the closed face of `dart` contains it: exact, given a convex face. `None`
    /// for a dart of no face. Cost: O(edges).
    pub fn particle_in(&self, dart: Dart, position: Vec2) -> Option<Particle<Vec2>> {
        check_dart(self.map, dart).ok()?;
        let (mut place, mut at, mut edge) = (CellPlace::Face, dart, dart);
        loop {
            let next = self.map.phi1(edge);
            let (a, b) = (self.point(edge), self.point(next));
            match orient2d(a, b, position) {
                Sign::Negative => return None,
                Sign::Zero if position == a => (place, at) = (CellPlace::Vertex, edge),
                Sign::Zero if position != b && is_between(a, b, position) => (place, at) = (CellPlace::Edge, edge),
                _ => {}
            }
            edge = next;
            if edge == dart {
                return Some(Particle { position, dart: at, place });
            }
        }
    }

    /// Finds the face of a point: walks from the nearest of some vertices; tests all faces if a wall blocks the walk.
    /// Ignores obstacles. Cost: O(faces on the path), or O(faces).
    ///
    /// # Errors
    /// [`TrackError::NotFinite`], [`TrackError::Empty`].
    pub fn find(&self, point: Vec2) -> Result<ProbeHit<Vec2>, TrackError> {
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
        let (mut seen, mut nearest) = (DartSet::with_capacity(self.map.capacity()), None::<Outside<Vec2>>);
        for dart in self.map.live_darts().filter(|&dart| !self.map.is_boundary(dart)) {
            if self.map.is_boundary(self.map.phi2(dart)) {
                let (a, b) = (self.point(dart), self.point(self.map.phi1(dart)));
                let target = point.extend(0.0);
                let at = on_segment(a.extend(0.0), b.extend(0.0), target);
                let distance = distance(at, target);
                let found = |nearest: Outside<Vec2>| (nearest.nearest.extend(0.0), nearest.distance);
                if nearest.is_none_or(|nearest| is_nearer((at, distance), found(nearest), target)) {
                    nearest = Some(Outside { dart, nearest: at.truncate(), distance });
                }
            }
            if !seen.contains(dart) {
                let mut other = dart;
                while seen.insert(other) {
                    other = self.map.phi1(other);
                }
                if let Some(particle) = self.particle_in(dart, point) {
                    return Ok(ProbeHit::Inside(particle));
                }
            }
        }
        nearest.map(ProbeHit::Outside).ok_or(TrackError::Empty)
    }

    /// Lists faces that are not convex or not counter-clockwise, and vertices that have no finite position. Cost:
    /// O(darts).
    pub fn check(&self) -> Vec<CellFault> {
        let mut faults = Vec::new();
        for (_, dart) in self.vertices.cells() {
            if !self.point(dart).is_finite() {
                faults.push(CellFault::NotFinite { dart });
            }
        }
        crate::for_each_orbit(self.map, Orbit::Face, |darts| {
            if self.map.is_cell(Orbit::Face, darts[0]) {
                faults.extend(self.check_face(darts));
            }
        });
        faults
    }

    /// Checks that a face is convex: no corner turns right, some turn left, and the face winds around once: the
    /// direction of edges changes from below the horizontal to above once.
    fn check_face(&self, darts: &[Dart]) -> Option<CellFault> {
        let corner = |place: usize| self.point(darts[place % darts.len()]);
        let face = self.map.cell_ids(Orbit::Face).map_or(darts[0].0, |ids| ids.of(darts[0]));
        let is_up = |place: usize| {
            let (a, b) = (corner(place), corner(place + 1));
            a.y < b.y || a.y == b.y && a.x < b.x
        };
        let (mut turns, mut rises) = (false, 0);
        for (place, &dart) in darts.iter().enumerate() {
            let (a, b, c) = (corner(place), corner(place + 1), corner(place + 2));
            let sign = orient2d(a, b, c);
            if sign == Sign::Negative || a == b || sign.is_zero() && !is_between(a, c, b) {
                return Some(CellFault::NotConvexFace { face, dart });
            }
            turns |= sign == Sign::Positive;
            rises += usize::from(!is_up(place) && is_up(place + 1));
        }
        (!turns || rises != 1).then_some(CellFault::NotConvexFace { face, dart: darts[0] })
    }

    #[inline(always)]
    fn point(&self, dart: Dart) -> Vec2 {
        self.points[self.vertices.of(dart) as usize]
    }

    /// Computes the mean of the corners of a face.
    fn middle(&self, dart: Dart) -> Vec2 {
        let (mut sum, mut count, mut edge) = (Vec2::ZERO, 0.0, dart);
        loop {
            sum += self.point(edge);
            count += 1.0;
            edge = self.map.phi1(edge);
            if edge == dart {
                return sum / count;
            }
        }
    }

    fn wall(&self, dart: Dart) -> Option<TrackWall> {
        wall_of(self.map.phi2(dart), self.map, dart, self.obstacles)
    }

    fn stopped(&self, dart: Dart) -> MoveEnd {
        MoveEnd::Stopped { dart, wall: self.wall(dart).unwrap_or(TrackWall::Obstacle) }
    }

    /// Computes the share of the path at which it meets the line of a wall, rounded; zero if that is no share.
    fn share(&self, wall: Dart, from: Vec2, to: Vec2) -> f64 {
        let (a, b) = (self.point(wall), self.point(self.map.phi1(wall)));
        let along = b - a;
        let normal = (along / along.abs().max_element()).perp();
        let (from, to) = (normal.dot(from - a), normal.dot(to - a));
        let share = from / (from - to);
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Walks from a particle towards `to`.
    #[inline(always)]
    fn walk(
        &self,
        particle: Particle<Vec2>,
        to: Vec2,
        path: &mut impl FnMut(CellPlace, Dart),
    ) -> Result<PlaneWalk, TrackError> {
        let Particle { position: mut from, mut dart, mut place } = particle;
        if from == to {
            return Ok(PlaneWalk::At(place, dart));
        }
        let mut loops = Recurrence::new();
        // The last step went from face to face, through the edge of `dart`.
        let mut has_crossed = false;
        let most = 4 * self.map.capacity() + 64;
        loop {
            if loops.steps > most || loops.comes_again((place, dart)) {
                return Err(TrackError::Lost { dart, steps: loops.steps });
            }
            let step = match place {
                CellPlace::Face | CellPlace::Volume => self.leave_face((dart, has_crossed), from, to, path),
                CellPlace::Edge => Some(self.leave_edge(dart, to)),
                CellPlace::Vertex => {
                    from = self.point(dart);
                    self.leave_vertex(dart, to, path)
                }
            };
            match step {
                None => return Err(TrackError::Lost { dart, steps: loops.steps }),
                Some(PlaneStep::End(end)) => return Ok(end),
                Some(PlaneStep::Go(next_place, next)) => {
                    let is_new = (next_place, next) != (place, dart);
                    has_crossed = place == CellPlace::Face && next_place == CellPlace::Face;
                    (place, dart) = (next_place, next);
                    if is_new {
                        path(place, dart);
                    }
                }
            }
        }
    }

    /// From inside a face, or from its border inwards.
    #[inline(always)]
    fn leave_face(
        &self,
        (dart, has_crossed): (Dart, bool),
        from: Vec2,
        to: Vec2,
        path: &mut impl FnMut(CellPlace, Dart),
    ) -> Option<PlaneStep> {
        let (edge, through_end) = self.exit((dart, has_crossed), from, to)?;
        let end = self.map.phi1(edge);
        Some(match orient2d(self.point(edge), self.point(end), to) {
            Sign::Positive => PlaneStep::End(PlaneWalk::At(CellPlace::Face, edge)),
            _ if through_end => PlaneStep::Go(CellPlace::Vertex, end),
            Sign::Zero => PlaneStep::Go(CellPlace::Edge, edge),
            Sign::Negative if self.wall(edge).is_some() => PlaneStep::End(PlaneWalk::Wall(edge)),
            Sign::Negative => {
                path(CellPlace::Edge, edge);
                PlaneStep::Go(CellPlace::Face, self.map.phi2(edge))
            }
        })
    }

    /// From an edge: off it, or along it.
    #[inline]
    fn leave_edge(&self, dart: Dart, to: Vec2) -> PlaneStep {
        let end = self.map.phi1(dart);
        let (a, b) = (self.point(dart), self.point(end));
        match orient2d(a, b, to) {
            Sign::Positive => PlaneStep::Go(CellPlace::Face, dart),
            Sign::Negative if self.wall(dart).is_some() => PlaneStep::End(PlaneWalk::Wall(dart)),
            Sign::Negative => PlaneStep::Go(CellPlace::Face, self.map.phi2(dart)),
            Sign::Zero if to != a && to != b && is_between(a, b, to) => {
                PlaneStep::End(PlaneWalk::At(CellPlace::Edge, dart))
            }
            Sign::Zero if is_ahead(a, b, to) => PlaneStep::Go(CellPlace::Vertex, end),
            Sign::Zero => PlaneStep::Go(CellPlace::Vertex, dart),
        }
    }

    /// From a vertex: the path starts again.
    #[inline]
    fn leave_vertex(&self, dart: Dart, to: Vec2, path: &mut impl FnMut(CellPlace, Dart)) -> Option<PlaneStep> {
        let from = self.point(dart);
        if from == to {
            return Some(PlaneStep::End(PlaneWalk::At(CellPlace::Vertex, dart)));
        }
        Some(match self.turn(dart, from, to)? {
            Turned::Face(face) => PlaneStep::Go(CellPlace::Face, face),
            Turned::Along(edge, end) if to != self.point(end) && is_between(from, self.point(end), to) => {
                PlaneStep::Go(CellPlace::Edge, edge)
            }
            Turned::Along(edge, end) => {
                path(CellPlace::Edge, edge);
                PlaneStep::Go(CellPlace::Vertex, end)
            }
            Turned::Wall(wall) => PlaneStep::End(PlaneWalk::Cornered(dart, wall)),
        })
    }

    /// Finds the edge through which the line leaves the face: it starts on the right and does not end there. Reports
    /// whether the line goes through its end. If the line has crossed the edge of `dart`, its start is on the left, and
    /// its end on the right.
    #[inline(always)]
    fn exit(&self, (dart, has_crossed): (Dart, bool), from: Vec2, to: Vec2) -> Option<(Dart, bool)> {
        let side = |dart: Dart| orient2d(from, to, self.point(dart));
        let mut next = self.map.phi1(dart);
        let (start, mut sign) = if has_crossed { (Sign::Positive, Sign::Negative) } else { (side(dart), side(next)) };
        if start == Sign::Negative && sign != Sign::Negative {
            return Some((dart, sign.is_zero()));
        }
        if start == Sign::Negative || sign == Sign::Negative {
            // The exit is ahead.
            while next != dart {
                let (edge, begin) = (next, sign);
                next = self.map.phi1(edge);
                sign = side(next);
                if begin == Sign::Negative && sign != Sign::Negative {
                    return Some((edge, sign.is_zero()));
                }
            }
            return None;
        }
        let (mut edge, mut end) = (dart, start);
        loop {
            edge = self.map.phi1_inv(edge);
            let begin = side(edge);
            if begin == Sign::Negative {
                return Some((edge, end.is_zero()));
            }
            if edge == dart {
                return None;
            }
            end = begin;
        }
    }

    /// Finds where the path continues from a vertex: searches around it, first in one direction and then in the
    /// opposite direction, up to walls.
    #[inline(never)]
    fn turn(&self, start: Dart, vertex: Vec2, to: Vec2) -> Option<Turned> {
        let mut dart = start;
        let wall = loop {
            let before = self.map.phi1_inv(dart);
            if let Some(turned) = self.sector(dart, before, vertex, to) {
                return Some(turned);
            }
            if self.wall(before).is_some() {
                break before;
            }
            dart = self.map.phi2(before);
            if dart == start {
                return None;
            }
        };
        dart = start;
        while self.wall(dart).is_none() {
            dart = self.map.phi1(self.map.phi2(dart));
            if let Some(turned) = self.sector(dart, self.map.phi1_inv(dart), vertex, to) {
                return Some(turned);
            }
        }
        Some(Turned::Wall(wall))
    }

    /// Finds the step if the path continues in the face of `dart`, or along one of its two edges at the vertex.
    fn sector(&self, dart: Dart, before: Dart, vertex: Vec2, to: Vec2) -> Option<Turned> {
        let end = self.map.phi1(dart);
        let (b, c) = (self.point(end), self.point(before));
        let (left, right) = (orient2d(vertex, b, to), orient2d(vertex, to, c));
        if left.is_zero() && is_ahead(vertex, b, to) {
            Some(Turned::Along(dart, end))
        } else if right.is_zero() && is_ahead(vertex, c, to) {
            Some(Turned::Along(before, before))
        } else {
            (left == Sign::Positive && right == Sign::Positive).then_some(Turned::Face(dart))
        }
    }
}

/// The continuation of a path from a vertex.
enum Turned {
    Face(Dart),
    /// Along the edge of the first dart, to the vertex of the second dart.
    Along(Dart, Dart),
    Wall(Dart),
}

/// Reports, for three points on a line, whether `p` is on the side of `a` that `b` is on; not when `p` is `a`.
#[inline]
fn is_ahead(a: Vec2, b: Vec2, p: Vec2) -> bool {
    if a.x != b.x { (b.x > a.x) == (p.x > a.x) && p.x != a.x } else { (b.y > a.y) == (p.y > a.y) && p.y != a.y }
}

/// Reports, for three points on a line, whether `p` is from `a` to `b`.
#[inline]
fn is_between(a: Vec2, b: Vec2, p: Vec2) -> bool {
    p.cmpge(a.min(b)).all() && p.cmple(a.max(b)).all()
}
