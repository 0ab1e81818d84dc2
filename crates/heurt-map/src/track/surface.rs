//! Particle tracking on curved surfaces: each face crossing turns the displacement into the plane of the next face.
//!
//! In: a map of faces in space, vertex positions, obstacles, particles and displacements. Out: moved particles; the
//! places on the path.
//! Method: S4 chapter 4 on surfaces. A face is the fan of triangles from its centre F to its edges, one for each dart.
//! So faces need be neither plane nor convex, only star-shaped from their centre. A particle is at a weighted mean of
//! the corners of one such triangle. A point of a curved surface is in general no `f64` point, but its three weights
//! decide exactly whether it is in the triangle and on which side. If the path leaves a triangle, the next triangle is
//! unfolded into its plane around the common side. In other words, the displacement keeps its components along the side
//! and across it: a geodesic of the polyhedron. Through a vertex it goes on with equal angles on both sides (Polthier,
//! Schmies 1998).
//! Guarantees: weights are never negative; a wall is never crossed, and the particle stops on it exactly. A path does
//! not leave a triangle by the side through which it came, so that rounding cannot send it back and forth. Each
//! triangle takes one step. A geodesic may come to a triangle often, so the number of steps is bounded by a number that
//! can be chosen. Rounding moves the path by some units in the last place of a triangle's size in each triangle. Cost:
//! O(triangles on the path).

use super::{CellFault, CellPlace, MoveEnd, TrackError, TrackWall, check_dart, check_finite, ids_with_values, wall_of};
use crate::{CellIds, CombinatorialMap, Dart, DartSet, Orbit, Walker};
use heurt_geometry::{Vec2, Vec3, scaled_to_unit_range};
use smallvec::SmallVec;
use std::borrow::Cow;

/// A point of a surface with its face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceParticle {
    dart: Dart,
    weights: [f64; 3],
}

impl SurfaceParticle {
    /// Makes a particle in the triangle of a dart from weights that are not negative and sum to 1. If one weight is 1,
    /// the remaining weights are set to 0. Their rounding errors, below the rounding of lengths, would put a point that
    /// is treated as a vertex next to it.
    pub(crate) fn new(dart: Dart, weights: [f64; 3]) -> Self {
        let particle = Self { dart, weights };
        particle.corner().map_or(particle, |corner| at_corner(dart, corner))
    }

    /// Returns the corner that it is on: the centre of the face, the start or the end of the dart.
    #[inline]
    fn corner(&self) -> Option<usize> {
        self.weights.iter().position(|&weight| weight == 1.0)
    }

    /// Returns a dart of its face: the dart whose triangle contains it.
    pub fn dart(&self) -> Dart {
        self.dart
    }

    /// Returns the weights of the centre of the face and of the start and the end of the dart. None is negative; if one
    /// is 1 the remaining two are 0.
    pub fn weights(&self) -> [f64; 3] {
        self.weights
    }

    /// Returns the part of the face that it is on. A vertex is at the start of the dart or at its end.
    pub fn place(&self) -> CellPlace {
        match self.weights {
            [0.0, 0.0, _] | [0.0, _, 0.0] => CellPlace::Vertex,
            [0.0, ..] => CellPlace::Edge,
            _ => CellPlace::Face,
        }
    }
}

/// Computes the means of the corners of faces, by number. Cost: O(darts).
fn face_centres(map: &impl CombinatorialMap, points: &[Vec3]) -> Result<Vec<Vec3>, TrackError> {
    let vertices = ids_with_values(map, Orbit::Vertex, points.len())?;
    let faces = map.cell_ids(Orbit::Face).ok_or(TrackError::NoIds { orbit: Orbit::Face })?;
    let mut centres = vec![Vec3::ZERO; faces.bound()];
    for (face, dart) in faces.cells() {
        let (mut sum, mut count) = (Vec3::ZERO, 0.0);
        for dart in crate::map::round(dart, |dart| map.phi1(dart)) {
            sum += points[vertices.of(dart) as usize];
            count += 1.0;
        }
        centres[face as usize] = sum / count;
    }
    Ok(centres)
}

/// Tracks particles on a surface.
#[derive(Debug, Clone)]
pub struct SurfaceTracker<'a, M> {
    map: &'a M,
    vertices: &'a CellIds,
    faces: &'a CellIds,
    points: &'a [Vec3],
    centres: Cow<'a, [Vec3]>,
    obstacles: Option<&'a DartSet>,
    most_steps: usize,
}

/// The triangle of a dart in its plane: S at the origin, S' on the x axis, F above.
struct Flat {
    length: f64,
    apex: Vec2,
    /// The axes in space.
    axes: [Vec3; 2],
}

impl Flat {
    /// The corners: F, S, S'.
    fn corners(&self) -> [Vec2; 3] {
        [self.apex, Vec2::ZERO, Vec2::new(self.length, 0.0)]
    }

    /// How weights change with a displacement.
    fn rates(&self, by: Vec2) -> [f64; 3] {
        let apex = by.y / self.apex.y;
        let end = (by.x - apex * self.apex.x) / self.length;
        [apex, -apex - end, end]
    }
}

/// The sides of a triangle, by the corner across: S S', S' F, F S, counter-clockwise.
const SIDES: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];
/// The corner of the next triangle that a common corner is, and the side that a common side is: S and S' change.
const SWAPPED: [usize; 3] = [0, 2, 1];

impl<'a, M: CombinatorialMap> SurfaceTracker<'a, M> {
    /// Takes a map with numbered vertices and faces and positions of vertices, by number. Cost: O(darts).
    ///
    /// # Errors
    /// [`TrackError::NoIds`], [`TrackError::TooFewValues`].
    pub fn new(map: &'a M, points: &'a [Vec3]) -> Result<Self, TrackError> {
        let centres = face_centres(map, points)?;
        Ok(Self { centres: Cow::Owned(centres), ..Self::with_centres(map, points, &[])? })
    }

    /// As [`new`](Self::new), with the given centres of faces, by number. Cost: O(1).
    pub(crate) fn with_centres(map: &'a M, points: &'a [Vec3], centres: &'a [Vec3]) -> Result<Self, TrackError> {
        let vertices = ids_with_values(map, Orbit::Vertex, points.len())?;
        let faces = map.cell_ids(Orbit::Face).ok_or(TrackError::NoIds { orbit: Orbit::Face })?;
        let centres = Cow::Borrowed(centres);
        Ok(Self { map, vertices, faces, points, centres, obstacles: None, most_steps: 1_000_000 })
    }

    /// Takes edges that particles may not cross: edges with a marked dart.
    #[must_use]
    pub fn with_obstacles(self, obstacles: &'a DartSet) -> Self {
        Self { obstacles: Some(obstacles), ..self }
    }

    /// Takes the greatest number of triangles that one move may pass; the default is a million.
    #[must_use]
    pub fn with_most_steps(self, most_steps: usize) -> Self {
        Self { most_steps, ..self }
    }

    /// Returns the particle at the centre of the face of a dart, `None` if there is no face.
    pub fn particle_at(&self, dart: Dart) -> Option<SurfaceParticle> {
        check_dart(self.map, dart).ok().map(|()| SurfaceParticle { dart, weights: [1.0, 0.0, 0.0] })
    }

    /// Computes the position of a particle in space.
    ///
    /// # Panics
    /// If the particle is of another map that has darts which this one has not.
    pub fn position(&self, particle: &SurfaceParticle) -> Vec3 {
        let [f, s, t] = self.corners(particle.dart);
        let [wf, ws, wt] = particle.weights;
        f * wf + s * ws + t * wt
    }

    /// Moves a particle by a displacement in space: by its component in the plane of the particle's triangle, turned on
    /// the path into the planes of the next triangles. At a vertex it takes the triangle whose angle contains the
    /// displacement best. `path` is called with every place that the particle enters, in order, with a dart of it.
    ///
    /// # Errors
    /// A dart that is not of a face, a displacement that is not finite; [`TrackError::Lost`] at triangles without an
    /// inside and after too many steps.
    pub fn move_by(
        &self,
        particle: &mut SurfaceParticle,
        displacement: Vec3,
        path: impl FnMut(CellPlace, Dart),
    ) -> Result<MoveEnd, TrackError> {
        check_dart(self.map, particle.dart)?;
        check_finite(displacement.to_array())?;
        if displacement == Vec3::ZERO {
            return Ok(MoveEnd::Arrived);
        }
        let lost = TrackError::Lost { dart: particle.dart, steps: 0 };
        let (end, there) = match particle.corner() {
            Some(corner) => {
                let (dart, corner, by) = self.best_corner(particle.dart, corner, displacement).ok_or(lost)?;
                // Only rounding could lead out of the angle that was chosen.
                self.slide(at_corner(dart, corner), by, sides_at(corner), path)?
            }
            None => {
                let flat = self.flat(particle.dart).ok_or(lost)?;
                self.slide(*particle, flat.project(displacement), [false; 3], path)?
            }
        };
        *particle = there;
        Ok(end)
    }

    /// Moves a particle by the displacement from its position to `target` in space: [`move_by`](Self::move_by).
    ///
    /// # Errors
    /// As [`move_by`](Self::move_by).
    pub fn move_to(
        &self,
        particle: &mut SurfaceParticle,
        target: Vec3,
        path: impl FnMut(CellPlace, Dart),
    ) -> Result<MoveEnd, TrackError> {
        check_dart(self.map, particle.dart)?;
        self.move_by(particle, target - self.position(particle), path)
    }

    /// Lists darts whose triangle has no inside. Cost: O(darts).
    pub fn check(&self) -> Vec<CellFault> {
        let cells = self.map.live_darts().filter(|&dart| !self.map.is_boundary(dart));
        let flawed = cells.filter(|&dart| self.flat(dart).is_none());
        flawed.map(|dart| CellFault::NotConvexFace { face: self.faces.of(dart), dart }).collect()
    }

    /// Returns the corners of the triangle of a dart: the centre of its face, its start and its end.
    ///
    /// # Panics
    /// If the dart is not of a face.
    pub fn corners(&self, dart: Dart) -> [Vec3; 3] {
        let point = |dart| self.points[self.vertices.of(dart) as usize];
        [self.centres[self.faces.of(dart) as usize], point(dart), point(self.map.phi1(dart))]
    }

    /// Follows the section of the surface from one particle to another, and reports a dart of each triangle on the
    /// path. The section is by the plane through both particles that contains the mean of the normals of their
    /// triangles. It starts in the direction that leads most towards the second particle, from a ridge in the direction
    /// that leads back least, and ignores obstacles. A corner on the plane counts as on its left, so that a section
    /// through a vertex passes next to it.
    ///
    /// A plane meets a triangle in one segment, so that no triangle comes twice before the section closes. Cost:
    /// O(triangles on the path).
    ///
    /// # Errors
    /// A dart that is not of a face; [`TrackError::Lost`] where there is no such plane, or the section does not lead to
    /// the second particle.
    pub fn section(
        &self,
        from: &SurfaceParticle,
        to: &SurfaceParticle,
        mut visit: impl FnMut(Dart),
    ) -> Result<MoveEnd, TrackError> {
        check_dart(self.map, from.dart)?;
        check_dart(self.map, to.dart)?;
        visit(from.dart);
        let goals: SmallVec<[Dart; 8]> = self.triangles_at(to).iter().map(|triangle| triangle.0).collect();
        if goals.contains(&from.dart) {
            visit(to.dart);
            return Ok(MoveEnd::Arrived);
        }
        let normal = |dart: Dart| normal(self.corners(dart));
        let (start, along) = (self.position(from), scaled_to_unit_range(self.position(to) - self.position(from)));
        let cut = Cut { start, along, across: scaled_to_unit_range(along.cross(normal(from.dart) + normal(to.dart))) };
        let starts = self.triangles_at(from);
        // The sides that contain the start are excluded: they are cut at the start itself, and rounding alone would
        // decide whether that is ahead or behind.
        let about = starts.iter().flat_map(|&(dart, on)| {
            let ahead = cut.ahead(self.corners(dart));
            let out = cut.sides(self.corners(dart)).filter(move |&(side, _)| !on[side]);
            out.map(move |(side, is_first)| (dart, side, if is_first { ahead } else { -ahead }))
        });
        let best = about.max_by(|a, b| a.2.total_cmp(&b.2));
        let (first, mut side, _) = best.ok_or(TrackError::Lost { dart: from.dart, steps: 0 })?;
        let mut dart = first;
        visit(first);
        for steps in 0..self.most_steps {
            if goals.contains(&dart) {
                visit(to.dart);
                return Ok(MoveEnd::Arrived);
            }
            if side == 0 && self.map.is_boundary(self.map.phi2(dart)) {
                return Ok(MoveEnd::Stopped { dart, wall: TrackWall::Boundary });
            }
            let entered = SWAPPED[side];
            dart = self.beyond(dart, side);
            if dart == first {
                return Err(TrackError::Lost { dart, steps });
            }
            visit(dart);
            let out = cut.sides(self.corners(dart)).find(|&(side, _)| side != entered);
            side = out.ok_or(TrackError::Lost { dart, steps })?.0;
        }
        Err(TrackError::Lost { dart, steps: self.most_steps })
    }

    /// Returns the darts of the triangles that a particle is in or on, and which of their sides it is on.
    fn triangles_at(&self, particle: &SurfaceParticle) -> SmallVec<[(Dart, [bool; 3]); 8]> {
        let dart = particle.dart;
        let is_cell = |(dart, _): &(Dart, [bool; 3])| !self.map.is_boundary(*dart);
        match particle.corner() {
            Some(0) => crate::map::round(dart, |dart| self.map.phi1(dart)).map(|dart| (dart, sides_at(0))).collect(),
            Some(corner) => {
                let dart = if corner == 1 { dart } else { self.map.phi1(dart) };
                let darts = Walker::new().orbit(self.map, Orbit::Vertex, dart).to_vec();
                let before = darts.iter().map(|&dart| (self.map.phi1_inv(dart), sides_at(2)));
                darts.iter().map(|&dart| (dart, sides_at(1))).chain(before).filter(is_cell).collect()
            }
            None => {
                let on = particle.weights.map(|weight| weight == 0.0);
                let beyond = (0..3).filter(|&side| on[side]);
                let beyond = beyond.map(|side| (self.beyond(dart, side), SWAPPED.map(|other| other == side)));
                std::iter::once((dart, on)).chain(beyond.filter(is_cell)).collect()
            }
        }
    }

    fn flat(&self, dart: Dart) -> Option<Flat> {
        let [f, s, t] = self.corners(dart);
        let (length, up) = ((t - s).length(), f - s);
        let x_axis = (t - s) / length;
        let across = up - x_axis * x_axis.dot(up);
        let height = across.length();
        let is_sound = length > 0.0 && height > 0.0 && (length * height).is_normal();
        is_sound.then(|| Flat { length, apex: Vec2::new(x_axis.dot(up), height), axes: [x_axis, across / height] })
    }

    /// Returns the triangle beyond a side; [`SWAPPED`] gives the corners of the side in it.
    fn beyond(&self, dart: Dart, side: usize) -> Dart {
        match side {
            0 => self.map.phi2(dart),
            1 => self.map.phi1(dart),
            _ => self.map.phi1_inv(dart),
        }
    }

    fn wall(&self, dart: Dart, side: usize) -> Option<TrackWall> {
        if side == 0 { wall_of(self.map.phi2(dart), self.map, dart, self.obstacles) } else { None }
    }

    /// Follows a displacement in the plane of the particle's triangle; the path does not leave it by `closed` sides.
    fn slide(
        &self,
        mut at: SurfaceParticle,
        mut by: Vec2,
        mut closed: [bool; 3],
        mut path: impl FnMut(CellPlace, Dart),
    ) -> Result<(MoveEnd, SurfaceParticle), TrackError> {
        for steps in 0..self.most_steps {
            let lost = TrackError::Lost { dart: at.dart, steps };
            let flat = self.flat(at.dart).ok_or_else(|| lost.clone())?;
            let mut rates = flat.rates(by);
            for side in (0..3).filter(|&side| closed[side]) {
                rates[side] = f64::max(rates[side], 0.0);
            }
            let (share, exit) = advance(&mut at.weights, rates).ok_or_else(|| lost.clone())?;
            let corner = at.corner();
            if let Some(corner) = corner {
                at = at_corner(at.dart, corner);
            }
            let Some(side) = exit else {
                match at.place() {
                    CellPlace::Face => {}
                    place if corner == Some(2) => path(place, self.map.phi1(at.dart)),
                    place => path(place, at.dart),
                }
                return Ok((MoveEnd::Arrived, at));
            };
            by *= 1.0 - share;
            if let Some(corner) = corner {
                if corner != 0 {
                    path(CellPlace::Vertex, if corner == 1 { at.dart } else { self.map.phi1(at.dart) });
                }
                match self.through_corner(at.dart, corner, by, &flat).ok_or(lost)? {
                    Ok((dart, corner, turned)) => {
                        (at, closed) = (at_corner(dart, corner), sides_at(corner));
                        by = turned;
                        if corner != 0 {
                            path(CellPlace::Face, dart);
                        }
                    }
                    Err((dart, wall)) => return Ok((MoveEnd::Stopped { dart, wall }, at)),
                }
                continue;
            }
            if let Some(wall) = self.wall(at.dart, side) {
                return Ok((MoveEnd::Stopped { dart: at.dart, wall }, at));
            }
            (at, by) = self.cross(at, side, by, &flat).ok_or(lost)?;
            if side == 0 {
                path(CellPlace::Edge, at.dart);
                path(CellPlace::Face, at.dart);
            }
            closed = [false; 3];
            closed[SWAPPED[side]] = true;
        }
        Err(TrackError::Lost { dart: at.dart, steps: self.most_steps })
    }

    /// Takes a particle and a displacement over a side into the next triangle.
    fn cross(&self, at: SurfaceParticle, side: usize, by: Vec2, flat: &Flat) -> Option<(SurfaceParticle, Vec2)> {
        let dart = self.beyond(at.dart, side);
        let next = self.flat(dart)?;
        let mut weights = [0.0; 3];
        for corner in SIDES[side] {
            weights[SWAPPED[corner]] = at.weights[corner];
        }
        let [here, there] =
            [(flat, SIDES[side]), (&next, SIDES[side].map(|corner| SWAPPED[corner]))].map(|(flat, [from, to])| {
                let corners = flat.corners();
                (corners[to] - corners[from]).normalize()
            });
        let turned = there * here.dot(by) + there.perp() * here.perp_dot(by);
        Some((SurfaceParticle { dart, weights }, turned))
    }

    /// Returns the next triangle counter-clockwise around one of its corners, and which corner of that it is; `Err` at
    /// a wall.
    fn next_corner(&self, dart: Dart, corner: usize) -> Result<(Dart, usize), (Dart, TrackWall)> {
        // Counter-clockwise around F the last side is F S', around S it is S F, around S' it is S' S.
        let side = [1, 2, 0][corner];
        match self.wall(dart, side) {
            Some(wall) => Err((dart, wall)),
            None => Ok((self.beyond(dart, side), SWAPPED[corner])),
        }
    }

    /// Goes on through a corner with half of the whole angle on either side; stops if there is a wall at the corner.
    #[expect(clippy::type_complexity, reason = "the next corner and displacement, or the wall")]
    fn through_corner(
        &self,
        dart: Dart,
        corner: usize,
        by: Vec2,
        flat: &Flat,
    ) -> Option<Result<(Dart, usize, Vec2), (Dart, TrackWall)>> {
        let (mut whole, mut at) = (0.0, (dart, corner));
        for _ in 0..self.most_steps {
            whole += self.flat(at.0)?.angle(at.1);
            match self.next_corner(at.0, at.1) {
                Ok(next) => at = next,
                Err(wall) => return Some(Err(wall)),
            }
            if at == (dart, corner) {
                break;
            }
        }
        // The direction back along the path, as an angle from the first side of this corner; and on from there.
        let begin = flat.first_side(corner);
        let came = begin.angle_to(-by).clamp(0.0, flat.angle(corner));
        let mut left = came + whole / 2.0;
        for _ in 0..self.most_steps {
            let next = self.flat(at.0)?;
            let angle = next.angle(at.1);
            if left <= angle {
                let offset = Vec2::from_angle(left).rotate(next.first_side(at.1)) * by.length();
                return Some(Ok((at.0, at.1, offset)));
            }
            left -= angle;
            at = self.next_corner(at.0, at.1).ok()?;
        }
        None
    }

    /// Finds the corner around a vertex or centre whose angle contains the projection of a displacement best. Searches
    /// counter-clockwise and then clockwise, up to walls.
    fn best_corner(&self, dart: Dart, corner: usize, displacement: Vec3) -> Option<(Dart, usize, Vec2)> {
        let (mut best, mut best_fit) = (None, f64::NEG_INFINITY);
        let mut look = |at: (Dart, usize)| {
            let Some(flat) = self.flat(at.0) else { return };
            let offset = flat.project(displacement);
            let [first, last] = [flat.first_side(at.1), flat.last_side(at.1)];
            // Inside the angle all of the projection fits, else its component along the nearer side.
            let nearer = if first.dot(offset) > last.dot(offset) { first } else { last };
            let is_in = first.perp_dot(offset) >= 0.0 && offset.perp_dot(last) >= 0.0;
            let fit = if is_in { offset.length() } else { nearer.dot(offset) };
            if fit > best_fit {
                best_fit = fit;
                best = Some((at.0, at.1, if is_in { offset } else { nearer * fit.max(0.0) }));
            }
        };
        let mut at = (dart, corner);
        for _ in 0..self.most_steps {
            look(at);
            match self.next_corner(at.0, at.1) {
                Ok(next) if next != (dart, corner) => at = next,
                Ok(_) => return best,
                Err(_) => break,
            }
        }
        at = (dart, corner);
        for _ in 0..self.most_steps {
            // Clockwise around F the last side is F S, around S it is S S', around S' it is S' F.
            let side = [2, 0, 1][at.1];
            if self.wall(at.0, side).is_some() {
                break;
            }
            at = (self.beyond(at.0, side), SWAPPED[at.1]);
            look(at);
        }
        best
    }
}

/// A plane that cuts triangles.
struct Cut {
    start: Vec3,
    /// A vector in the plane, in the direction in which the section leaves `start`, of the size of 1.
    along: Vec3,
    /// Its normal, of the size of 1.
    across: Vec3,
}

impl Cut {
    /// Returns the sides of a triangle that are cut, and whether from left to right; a corner on the plane counts as on
    /// its left.
    fn sides(&self, corners: [Vec3; 3]) -> impl Iterator<Item = (usize, bool)> + use<> {
        let is_left = corners.map(|corner| self.across.dot(corner - self.start) >= 0.0);
        let sides = SIDES.into_iter().enumerate();
        sides.filter(move |&(_, [a, b])| is_left[a] != is_left[b]).map(move |(side, [a, _])| (side, is_left[a]))
    }

    /// Computes the component along `along` of the unit direction of the path through a triangle to the side that is
    /// cut from left to right: at most the length of `along`. It follows from the planes alone, however short the path
    /// is.
    fn ahead(&self, corners: [Vec3; 3]) -> f64 {
        normal(corners).cross(self.across).normalize_or_zero().dot(self.along)
    }
}

/// Computes the unit normal of a triangle, zero if it has none.
fn normal([f, s, t]: [Vec3; 3]) -> Vec3 {
    scaled_to_unit_range(scaled_to_unit_range(s - f).cross(scaled_to_unit_range(t - f))).normalize_or_zero()
}

/// Advances weights until one of them is zero, or else by `rates`. Returns the share of the path, and the side that was
/// met; `None` if all weights are zero.
fn advance(weights: &mut [f64; 3], rates: [f64; 3]) -> Option<(f64, Option<usize>)> {
    let (mut share, mut exit) = (1.0, None);
    for (side, (&weight, &rate)) in weights.iter().zip(&rates).enumerate() {
        if rate < 0.0 && weight / -rate < share {
            (share, exit) = (weight / -rate, Some(side));
        }
    }
    for (weight, &rate) in weights.iter_mut().zip(&rates) {
        *weight = f64::max(*weight + share * rate, 0.0);
    }
    if let Some(side) = exit {
        weights[side] = 0.0;
    }
    let sum: f64 = weights.iter().sum();
    *weights = weights.map(|weight| weight / sum);
    sum.is_normal().then_some((share, exit))
}

/// Makes a particle at a corner of a triangle.
fn at_corner(dart: Dart, corner: usize) -> SurfaceParticle {
    SurfaceParticle { dart, weights: [0, 1, 2].map(|k| if k == corner { 1.0 } else { 0.0 }) }
}

/// Returns the two sides that meet at a corner: all but the side across.
fn sides_at(corner: usize) -> [bool; 3] {
    [0, 1, 2].map(|side| side != corner)
}

impl Flat {
    /// Computes the projection of a vector on the plane.
    fn project(&self, vector: Vec3) -> Vec2 {
        Vec2::new(self.axes[0].dot(vector), self.axes[1].dot(vector))
    }

    /// Returns, from a corner, the direction of the side after which it begins, counter-clockwise.
    fn first_side(&self, corner: usize) -> Vec2 {
        let corners = self.corners();
        (corners[(corner + 1) % 3] - corners[corner]).normalize()
    }

    /// Returns, from a corner, the direction of the side at which it ends, counter-clockwise.
    fn last_side(&self, corner: usize) -> Vec2 {
        let corners = self.corners();
        (corners[(corner + 2) % 3] - corners[corner]).normalize()
    }

    fn angle(&self, corner: usize) -> f64 {
        self.first_side(corner).angle_to(self.last_side(corner)).abs()
    }
}
