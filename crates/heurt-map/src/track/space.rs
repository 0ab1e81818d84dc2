//! Walk of a segment through a partition of space into convex cells with plane faces.
//!
//! In: a partition read by φ links and exact points, a place to start from, the two ends of the path. Out: the place at
//! the end of the path, or the wall met; the places on the path.
//! Method: S4 §4.2, without ε (see the module above). Every predicate takes the two ends and vertices only.
//! Guarantees and cost: as the module above.

use super::{CellPlace, Recurrence, TrackWall, shares_before};
use heurt_geometry::{Sign, Vec2, Vec3, orient2d, orient3d};
use smallvec::SmallVec;

/// A partition of space, closed by boundary: what a walk reads. Faces are counter-clockwise seen from outside their
/// volume.
pub(super) trait Partition {
    /// An edge seen from one face of one volume, with a direction.
    type Dart: Copy + Ord;
    fn phi1(&self, dart: Self::Dart) -> Self::Dart;
    fn phi1_inv(&self, dart: Self::Dart) -> Self::Dart;
    fn phi2(&self, dart: Self::Dart) -> Self::Dart;
    /// Called only if there is no wall.
    fn phi3(&self, dart: Self::Dart) -> Self::Dart;
    /// The vertex at which the dart starts.
    fn point(&self, dart: Self::Dart) -> Vec3;
    /// Returns the kind of wall that keeps particles from crossing the face.
    fn wall(&self, dart: Self::Dart) -> Option<TrackWall>;
    /// The most steps that a walk takes, of each kind.
    fn most_steps(&self) -> usize;
}

/// The end of a walk.
pub(super) enum SpaceWalk<D> {
    At(CellPlace, D),
    /// On a vertex among walls; the vertex, and one of the walls.
    Cornered(D, D),
    /// Before a wall, or on an edge among walls.
    Wall(D),
    /// The path has no next cell, after this number of steps.
    Lost(D, usize),
}

/// A path through a partition.
pub(super) struct StraightPath<'a, P> {
    pub partition: &'a P,
    /// The start, or the last vertex on the path.
    pub from: Vec3,
    pub to: Vec3,
}

/// A place in a partition and the point there.
pub(super) type Spot<D> = (Vec3, CellPlace, D);

/// The spot reached and the wall that stopped the path, if any; else the dart at which the path was lost, and the
/// number of steps.
pub(super) type Travelled<D> = Result<(Spot<D>, Option<D>), (D, usize)>;

/// Moves from a spot straight towards `to`.
#[inline]
pub(super) fn travel<P: Partition>(
    partition: &P,
    (from, place, dart): Spot<P::Dart>,
    to: Vec3,
    path: &mut impl FnMut(CellPlace, P::Dart),
) -> Travelled<P::Dart> {
    match (StraightPath { partition, from, to }).walk(place, dart, path) {
        SpaceWalk::At(place, dart) => Ok(((to, place, dart), None)),
        SpaceWalk::Lost(dart, steps) => Err((dart, steps)),
        SpaceWalk::Cornered(dart, wall) => Ok(((partition.point(dart), CellPlace::Vertex, dart), Some(wall))),
        SpaceWalk::Wall(wall) => Ok((stand_before(partition, (from, place, dart), to, wall), Some(wall))),
    }
}

/// Returns the last representable spot that was tried on the path before a wall; else the start of the path.
#[cold]
fn stand_before<P: Partition>(partition: &P, start: Spot<P::Dart>, to: Vec3, wall: P::Dart) -> Spot<P::Dart> {
    let from = start.0;
    for t in shares_before(share(partition, wall, from, to)) {
        let point = from * (1.0 - t) + to * t;
        if point.is_finite()
            && let SpaceWalk::At(place, dart) =
                (StraightPath { partition, from, to: point }).walk(start.1, start.2, &mut |_, _| ())
        {
            return (point, place, dart);
        }
    }
    start
}

/// The next step of a walk.
enum SpaceStep<D> {
    Go(CellPlace, D),
    End(SpaceWalk<D>),
}

impl<P: Partition> StraightPath<'_, P> {
    /// Walks from a place that contains the start.
    #[inline]
    pub fn walk(
        mut self,
        place: CellPlace,
        dart: P::Dart,
        path: &mut impl FnMut(CellPlace, P::Dart),
    ) -> SpaceWalk<P::Dart> {
        if self.from == self.to {
            return SpaceWalk::At(place, dart);
        }
        let (mut place, mut dart) = (place, dart);
        let mut loops = Recurrence::new();
        loop {
            if loops.steps > self.partition.most_steps() || loops.comes_again((place, dart)) {
                return SpaceWalk::Lost(dart, loops.steps);
            }
            let step = match place {
                CellPlace::Volume => self.through_volume(dart, path),
                CellPlace::Face => self.through_face(dart),
                CellPlace::Edge => self.leave_edge(dart),
                CellPlace::Vertex => self.leave_vertex(dart, path),
            };
            match step {
                None => return SpaceWalk::Lost(dart, loops.steps),
                Some(SpaceStep::End(end)) => {
                    if let SpaceWalk::At(last, dart) = end
                        && last != place
                    {
                        path(last, dart);
                    }
                    return end;
                }
                Some(SpaceStep::Go(next_place, next)) => (place, dart) = (next_place, next),
            }
            path(place, dart);
        }
    }

    fn point(&self, dart: P::Dart) -> Vec3 {
        self.partition.point(dart)
    }

    fn end(&self, dart: P::Dart) -> Vec3 {
        self.partition.point(self.partition.phi1(dart))
    }

    /// Computes the side of the plane of the face of `dart` that the target is on: positive outside. Vertices may lie
    /// on edges: the function searches three that do not lie on a line.
    #[inline(always)]
    fn side(&self, dart: P::Dart) -> Sign {
        side(self.partition, dart, self.to)
    }

    /// Computes the side of the line of an edge on which the path passes: positive inside the face, given that it
    /// leaves the volume.
    #[inline(always)]
    fn passes(&self, dart: P::Dart) -> Sign {
        orient3d(self.from, self.point(dart), self.end(dart), self.to)
    }

    /// From inside a volume, or from its surface inwards: walks over its faces to the face through which the path
    /// leaves.
    #[inline(always)]
    fn through_volume(&self, dart: P::Dart, path: &mut impl FnMut(CellPlace, P::Dart)) -> Option<SpaceStep<P::Dart>> {
        let partition = self.partition;
        let mut first = dart;
        let mut is_entered = false;
        let mut loops = Recurrence::new();
        'face: loop {
            if loops.steps > partition.most_steps() || loops.comes_again(first) {
                return None;
            }
            let (mut edge, mut zeros) = (first, SmallVec::<[P::Dart; 2]>::new());
            if is_entered {
                edge = partition.phi1(edge);
            }
            loop {
                match self.passes(edge) {
                    Sign::Negative => {
                        first = partition.phi2(edge);
                        is_entered = true;
                        continue 'face;
                    }
                    Sign::Zero => zeros.push(edge),
                    Sign::Positive => {}
                }
                edge = partition.phi1(edge);
                if edge == first {
                    break;
                }
            }
            return self.leave(first, &zeros, path);
        }
    }

    /// From inside a volume towards a face that the line of the path meets, on the lines of the edges in `zeros`.
    fn leave(
        &self,
        dart: P::Dart,
        zeros: &[P::Dart],
        path: &mut impl FnMut(CellPlace, P::Dart),
    ) -> Option<SpaceStep<P::Dart>> {
        let side = self.side(dart);
        if side == Sign::Negative {
            return Some(SpaceStep::End(SpaceWalk::At(CellPlace::Volume, dart)));
        }
        if !zeros.is_empty() {
            return self.at_edges(zeros);
        }
        if side.is_zero() {
            return Some(SpaceStep::End(SpaceWalk::At(CellPlace::Face, dart)));
        }
        if self.partition.wall(dart).is_some() {
            return Some(SpaceStep::End(SpaceWalk::Wall(dart)));
        }
        let beyond = self.partition.phi3(dart);
        path(CellPlace::Face, beyond);
        Some(SpaceStep::Go(CellPlace::Volume, self.partition.phi2(beyond)))
    }

    /// Finds the place at which the path meets the edges of a face whose lines it meets: in an edge, or at a vertex.
    #[cold]
    fn at_edges(&self, edges: &[P::Dart]) -> Option<SpaceStep<P::Dart>> {
        for &edge in edges {
            let (a, b) = (self.point(edge), self.end(edge));
            // The path and the edge lie in a plane: compute the side of the path on which each end of the edge is.
            let plane = Projection::of([self.from, self.to, a]).or_else(|| Projection::of([self.from, self.to, b]))?;
            let side = |p: Vec3| orient2d(plane.of_point(self.from), plane.of_point(self.to), plane.of_point(p));
            let (start, end) = (side(a), side(b));
            if start.is_zero() {
                return Some(SpaceStep::Go(CellPlace::Vertex, edge));
            }
            if end.is_zero() {
                return Some(SpaceStep::Go(CellPlace::Vertex, self.partition.phi1(edge)));
            }
            if start != end {
                return Some(SpaceStep::Go(CellPlace::Edge, edge));
            }
        }
        None
    }

    /// From a face: off it, or over it to an edge.
    fn through_face(&self, dart: P::Dart) -> Option<SpaceStep<P::Dart>> {
        match self.side(dart) {
            Sign::Negative => return Some(SpaceStep::Go(CellPlace::Volume, dart)),
            Sign::Positive if self.partition.wall(dart).is_some() => {
                return Some(SpaceStep::End(SpaceWalk::Wall(dart)));
            }
            Sign::Positive => {
                let beyond = self.partition.phi3(dart);
                return Some(SpaceStep::Go(CellPlace::Volume, self.partition.phi2(beyond)));
            }
            Sign::Zero => {}
        }
        let plane = Projection::of_face(self.partition, dart)?;
        let (from, to) = (plane.of_point(self.from), plane.of_point(self.to));
        let point = |dart| plane.of_point(self.point(dart));
        let (mut edge, mut start) = (dart, plane.turn(from, to, point(dart)));
        loop {
            let next = self.partition.phi1(edge);
            let end = plane.turn(from, to, point(next));
            if start == Sign::Negative && end != Sign::Negative {
                return Some(match plane.turn(point(edge), point(next), to) {
                    Sign::Positive => SpaceStep::End(SpaceWalk::At(CellPlace::Face, edge)),
                    _ if end.is_zero() => SpaceStep::Go(CellPlace::Vertex, next),
                    _ => SpaceStep::Go(CellPlace::Edge, edge),
                });
            }
            (edge, start) = (next, end);
            if edge == dart {
                return None;
            }
        }
    }

    /// From an edge: along it, or around it to the volume or face in which the path continues, first in one direction
    /// and then in the opposite direction, up to walls.
    #[cold]
    fn leave_edge(&self, start: P::Dart) -> Option<SpaceStep<P::Dart>> {
        let partition = self.partition;
        let (a, b) = (self.point(start), self.end(start));
        if Projection::of([a, b, self.to]).is_none() {
            return Some(if self.to != a && self.to != b && is_between(a, b, self.to) {
                SpaceStep::End(SpaceWalk::At(CellPlace::Edge, start))
            } else if is_ahead(a, b, self.to) {
                SpaceStep::Go(CellPlace::Vertex, partition.phi1(start))
            } else {
                SpaceStep::Go(CellPlace::Vertex, start)
            });
        }
        let mut dart = start;
        let wall = loop {
            if let Some(step) = self.wedge(dart) {
                return Some(step);
            }
            if partition.wall(dart).is_some() {
                break dart;
            }
            dart = partition.phi2(partition.phi3(dart));
            if dart == start {
                return None;
            }
        };
        dart = start;
        loop {
            let other = partition.phi2(dart);
            if partition.wall(other).is_some() {
                return Some(SpaceStep::End(SpaceWalk::Wall(wall)));
            }
            dart = partition.phi3(other);
            if let Some(step) = self.wedge(dart) {
                return Some(step);
            }
        }
    }

    /// Finds the step if the path continues, from the edge of `dart`, in its volume or in one of the two faces there.
    fn wedge(&self, dart: P::Dart) -> Option<SpaceStep<P::Dart>> {
        let other = self.partition.phi2(dart);
        match (self.side(dart), self.side(other)) {
            (Sign::Positive, _) | (_, Sign::Positive) => None,
            (Sign::Negative, Sign::Negative) => Some(SpaceStep::Go(CellPlace::Volume, dart)),
            (Sign::Zero, Sign::Negative) => Some(SpaceStep::Go(CellPlace::Face, dart)),
            (Sign::Negative, Sign::Zero) => Some(SpaceStep::Go(CellPlace::Face, other)),
            (Sign::Zero, Sign::Zero) => {
                // The two faces lie in one plane, on either side of the edge.
                let plane = Projection::of_face(self.partition, dart)?;
                let [a, b, to] = [self.point(dart), self.end(dart), self.to].map(|p| plane.of_point(p));
                let is_left = plane.turn(a, b, to) == Sign::Positive;
                Some(SpaceStep::Go(CellPlace::Face, if is_left { dart } else { other }))
            }
        }
    }

    /// From a vertex: the path starts again. Searches the corners of volumes around the vertex up to walls, those
    /// towards the target first.
    #[cold]
    fn leave_vertex(
        &mut self,
        start: P::Dart,
        path: &mut impl FnMut(CellPlace, P::Dart),
    ) -> Option<SpaceStep<P::Dart>> {
        let partition = self.partition;
        self.from = self.point(start);
        if self.from == self.to {
            return Some(SpaceStep::End(SpaceWalk::At(CellPlace::Vertex, start)));
        }
        let mut wall = None;
        let mut seen = SmallVec::<[P::Dart; 32]>::new();
        let mut waiting = SmallVec::<[P::Dart; 32]>::new();
        waiting.push(start);
        while let Some(corner) = waiting.pop() {
            let darts = || {
                let next = move |&dart: &P::Dart| {
                    Some(partition.phi2(partition.phi1_inv(dart))).filter(|&next| next != corner)
                };
                std::iter::successors(Some(corner), next).take(partition.most_steps())
            };
            let least = darts().min().unwrap_or(corner);
            if seen.contains(&least) {
                continue;
            }
            seen.push(least);
            if let Some(step) = self.corner(darts(), path) {
                return Some(step);
            }
            for is_ahead in [false, true] {
                for dart in darts().filter(|&dart| (self.side(dart) == Sign::Positive) == is_ahead) {
                    if partition.wall(dart).is_some() {
                        wall = wall.or(Some(dart));
                    } else {
                        waiting.push(partition.phi1(partition.phi3(dart)));
                    }
                }
            }
        }
        wall.map(|wall| SpaceStep::End(SpaceWalk::Cornered(start, wall)))
    }

    /// Finds the step if the path continues, from the vertex at which all `darts` of a volume start, in this volume, in
    /// one of the faces or along one of the edges there.
    fn corner(
        &self,
        darts: impl Iterator<Item = P::Dart>,
        path: &mut impl FnMut(CellPlace, P::Dart),
    ) -> Option<SpaceStep<P::Dart>> {
        let mut zeros = SmallVec::<[P::Dart; 4]>::new();
        let mut last = None;
        for dart in darts {
            match self.side(dart) {
                Sign::Positive => return None,
                Sign::Zero => zeros.push(dart),
                Sign::Negative => {}
            }
            last = Some(dart);
        }
        if zeros.is_empty() {
            return last.map(|dart| SpaceStep::Go(CellPlace::Volume, dart));
        }
        for dart in zeros {
            let plane = Projection::of_face(self.partition, dart)?;
            let before = self.partition.phi1_inv(dart);
            let [from, to] = [self.from, self.to].map(|p| plane.of_point(p));
            let (b, c) = (self.end(dart), self.point(before));
            let left = plane.turn(from, plane.of_point(b), to);
            let right = plane.turn(from, to, plane.of_point(c));
            if left.is_zero() && is_ahead(self.from, b, self.to) {
                return Some(self.along(dart, self.partition.phi1(dart), path));
            }
            if right.is_zero() && is_ahead(self.from, c, self.to) {
                return Some(self.along(before, before, path));
            }
            if left == Sign::Positive && right == Sign::Positive {
                return Some(SpaceStep::Go(CellPlace::Face, dart));
            }
        }
        None
    }

    /// From a vertex along an edge, to the vertex of `end` at its other end unless the target comes before.
    fn along(&self, edge: P::Dart, end: P::Dart, path: &mut impl FnMut(CellPlace, P::Dart)) -> SpaceStep<P::Dart> {
        let far = self.point(end);
        if self.to != far && is_between(self.from, far, self.to) {
            return SpaceStep::Go(CellPlace::Edge, edge);
        }
        path(CellPlace::Edge, edge);
        SpaceStep::Go(CellPlace::Vertex, end)
    }
}

/// Computes the side of the plane of the face of `dart` that a point is on: positive outside the volume.
#[inline(always)]
pub(super) fn side<P: Partition>(partition: &P, dart: P::Dart, point: Vec3) -> Sign {
    let second = partition.phi1(dart);
    let (a, b) = (partition.point(dart), partition.point(second));
    let mut third = partition.phi1(second);
    loop {
        let sign = orient3d(a, b, partition.point(third), point);
        third = partition.phi1(third);
        if !sign.is_zero() || third == dart {
            return sign;
        }
    }
}

/// Finds the place of a point in the face of `dart`, given that it lies in its plane.
pub(super) fn place_in_face<P: Partition>(partition: &P, dart: P::Dart, point: Vec3) -> Option<(CellPlace, P::Dart)> {
    let plane = Projection::of_face(partition, dart)?;
    let (mut found, mut edge) = ((CellPlace::Face, dart), dart);
    loop {
        let next = partition.phi1(edge);
        let (a, b) = (partition.point(edge), partition.point(next));
        match plane.turn(plane.of_point(a), plane.of_point(b), plane.of_point(point)) {
            Sign::Negative => return None,
            Sign::Zero if point == a => found = (CellPlace::Vertex, edge),
            Sign::Zero if point != b && is_between(a, b, point) => found = (CellPlace::Edge, edge),
            _ => {}
        }
        edge = next;
        if edge == dart {
            return Some(found);
        }
    }
}

/// Projection of a plane along an axis that it does not contain: turns keep their sense, or all change it.
pub(super) struct Projection {
    axis: usize,
    is_mirrored: bool,
}

impl Projection {
    /// Makes the projection of the plane of three points, which then turn left; `None` if they lie on a line.
    pub fn of(points: [Vec3; 3]) -> Option<Self> {
        (0..3).find_map(|axis| {
            let [a, b, c] = points.map(|p| drop_axis(p, axis));
            match orient2d(a, b, c) {
                Sign::Zero => None,
                sign => Some(Self { axis, is_mirrored: sign == Sign::Negative }),
            }
        })
    }

    /// Makes the projection of the plane of a face, seen from outside its volume.
    fn of_face<P: Partition>(partition: &P, dart: P::Dart) -> Option<Self> {
        let second = partition.phi1(dart);
        let (a, b) = (partition.point(dart), partition.point(second));
        let mut third = partition.phi1(second);
        while third != dart {
            if let Some(plane) = Self::of([a, b, partition.point(third)]) {
                return Some(plane);
            }
            third = partition.phi1(third);
        }
        None
    }

    pub fn of_point(&self, point: Vec3) -> Vec2 {
        drop_axis(point, self.axis)
    }

    pub fn turn(&self, a: Vec2, b: Vec2, c: Vec2) -> Sign {
        let sign = orient2d(a, b, c);
        if self.is_mirrored { sign.flipped() } else { sign }
    }
}

fn drop_axis(p: Vec3, axis: usize) -> Vec2 {
    match axis {
        0 => Vec2::new(p.y, p.z),
        1 => Vec2::new(p.z, p.x),
        _ => Vec2::new(p.x, p.y),
    }
}

/// Reports, for three points on a line, whether `p` is on the side of `a` that `b` is on; not when `p` is `a`.
fn is_ahead(a: Vec3, b: Vec3, p: Vec3) -> bool {
    let axis = (0..3).find(|&axis| a[axis] != b[axis]).unwrap_or(0);
    (b[axis] > a[axis]) == (p[axis] > a[axis]) && p[axis] != a[axis]
}

/// Reports, for three points on a line, whether `p` is from `a` to `b`.
fn is_between(a: Vec3, b: Vec3, p: Vec3) -> bool {
    p.cmpge(a.min(b)).all() && p.cmple(a.max(b)).all()
}

/// Computes the share of the path at which it meets the plane of a face, rounded; zero if that is no share.
pub(super) fn share<P: Partition>(partition: &P, wall: P::Dart, from: Vec3, to: Vec3) -> f64 {
    let second = partition.phi1(wall);
    let (a, b) = (partition.point(wall), partition.point(second));
    let mut third = partition.phi1(second);
    let scaled = |v: Vec3| v / v.abs().max_element();
    let along = scaled(b - a);
    while third != wall {
        let normal = along.cross(scaled(partition.point(third) - a));
        let (start, end) = (normal.dot(from - a), normal.dot(to - a));
        let share = start / (start - end);
        if share.is_finite() {
            return share.clamp(0.0, 1.0);
        }
        third = partition.phi1(third);
    }
    0.0
}
