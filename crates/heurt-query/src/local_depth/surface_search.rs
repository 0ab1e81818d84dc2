//! The deepest point of a placed surface in a placed solid: branch and bound over pieces of its triangles.
//!
//! In: a surface, a solid, the pairs of their triangles that intersect, and a depth below which nothing matters. Out:
//! [`SurfaceDepth`].
//! Method: the piece with the largest upper bound is cut first. Upper bounds of a piece: the largest distance of a
//! corner from any one facet, since the distance from a facet is convex; the distance of a corner, negative outside,
//! plus the largest distance of the remaining corners from it. A piece that meets no facet, or is nearer to a corner
//! than the boundary, lies wholly on the side of that corner. Lower bounds: corners that provably lie inside.
//! Guarantees: the depth lies between both bounds. Cost: at most [`MAX_PIECES`] pieces beyond the triangles themselves.

use super::piece::{Corner, Polygon, across, cut, distance_from, foot_on, near_facets, reach_from};
use super::reached::{ReachedSurface, ReachedTriangle, reach};
use super::{LocalDepth, PRECISION};
use crate::answer::placed::{Placed, PlacedMeshShape};
use crate::closest::mesh_closest;
use crate::mesh::closest::{NearestFace, nearest_face, nearest_face_within};
use crate::mesh::pairs::mesh_pairs;
use crate::mesh::solid_boundary::{is_on_boundary, solid_boundary};
use crate::mesh::walk::pair_walk::place;
use crate::mesh::winding::{Location, winding_number};
use heurt_geometry::{Aabb, Pose, Triangle, Vec3, robust_normalize};
use heurt_mesh::TriMesh;
use heurt_shape::{MeshShape, SolidBoundary};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Pieces after which a search ends with the bounds that it has: some tens of milliseconds.
pub const MAX_PIECES: usize = 8_000;
/// Facets that a piece meets, or that a nearest point is sought among without a decided boundary, for which a search
/// counts one piece more: most pieces meet fewer.
const FACETS_A_PIECE: usize = 64;
/// Cosine of the angle between two facets above which they lie flush.
const FLUSH: f64 = 0.9;
/// Triangles of a sample by which surfaces that fit are recognised.
const SAMPLE: usize = 12;
/// Surfaces fit if at least one triangle of this number leaves the solid when it is shifted.
const SHARE: usize = 4;
/// Share of the depth that does not matter by which triangles are shifted; the rest covers rounding.
const SHIFT: f64 = 0.99;
/// Least share of the area of a piece that each part of a cut must have, or the piece is halved.
const MIN_PART: f64 = 1.0 / 256.0;
/// Corners beyond which a piece is halved: its bounds cost their square.
const MAX_CORNERS: usize = 12;
/// A facet as the bound of a piece is only changed for one that is at most this share as far from the worst corner.
const WORTHWHILE: f64 = 0.99;
/// Rounding errors of a distance, in units of the largest coordinate: feet and cuts are rounded a few times each.
const ROUNDING: f64 = 256.0 * f64::EPSILON;

/// How deep a surface lies in a solid.
pub(super) struct SurfaceDepth {
    pub depth: LocalDepth,
    /// The rounding error that the bounds include, in metres.
    pub rounding: f64,
}

/// Bounds the largest distance of points of the surface in the solid from the boundary of the solid. Depths of at most
/// `floor` metres are not distinguished. The search ends once the depth is proved to reach `ceiling`.
pub(super) fn search_surface(
    surface: PlacedMeshShape<'_>,
    solid: PlacedMeshShape<'_>,
    meeting: impl Iterator<Item = (u32, u32)>,
    [floor, ceiling]: [f64; 2],
) -> SurfaceDepth {
    let reached = reach(surface, solid, meeting);
    let reach_of =
        |placed: PlacedMeshShape<'_>| placed.shape.tree().frame().max_coordinate() + placed.pose.max_translation();
    let pieces = match solid.shape.is_exact_solid() {
        true => solid_boundary(solid.shape),
        false => &SolidBoundary::Whole,
    };
    // A solid whose shells overlap is bounded by some of its facets only.
    let (facets, inexact) = match pieces {
        SolidBoundary::Whole => (Some(solid), 0.0),
        SolidBoundary::Pieces(pieces) => (pieces.decided.as_ref().map(|set| solid.with(&set.surface)), pieces.rounding),
    };
    let rounding = ROUNDING * (reach_of(surface) + reach_of(solid)) + 2.0 * inexact;
    let thickness = 2.0 * solid.shape.bounds().half_extents().min_element();
    let mut search = SurfaceSearch {
        surface,
        solid,
        facets: facets.unwrap_or(solid),
        met: &reached.met,
        floor: floor.max(4.0 * rounding),
        ceiling,
        rounding,
        best: 0.0,
        place: None,
        dropped: 0.0,
        cap: 0.5 * thickness * (1.0 + 1e-9) + rounding,
        heap: BinaryHeap::new(),
        count: 0,
        work: 0,
    };
    if facets.is_some() {
        search.start(surface, &reached);
        search.refine();
    } else if !reached.triangles.is_empty() {
        search.dropped = search.cap;
    }
    SurfaceDepth { depth: search.bounds(), rounding }
}

/// A part of a triangle of the surface.
struct SurfacePiece {
    polygon: Polygon,
    /// The facets of the solid that it may meet.
    met: SmallVec<[u32; 8]>,
    /// No point of it lies deeper than this in the solid, in metres.
    at_most: f64,
    /// The facet that gives the bound, if one does.
    facet: u32,
    /// The triangle of the surface.
    triangle: u32,
    /// Counts pieces, to order equal bounds.
    number: usize,
}

impl PartialEq for SurfacePiece {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for SurfacePiece {}

impl PartialOrd for SurfacePiece {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SurfacePiece {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at_most.total_cmp(&other.at_most).then(other.number.cmp(&self.number))
    }
}

struct SurfaceSearch<'a> {
    surface: PlacedMeshShape<'a>,
    solid: PlacedMeshShape<'a>,
    /// The facets that bound the solid.
    facets: PlacedMeshShape<'a>,
    met: &'a [u32],
    /// Pieces that reach at most this depth are dropped.
    floor: f64,
    /// A proved depth at which the search ends.
    ceiling: f64,
    rounding: f64,
    /// The greatest depth proved, and its place.
    best: f64,
    place: Option<Vec3>,
    /// The greatest upper bound of dropped pieces.
    dropped: f64,
    /// No point of the solid is deeper than this.
    cap: f64,
    heap: BinaryHeap<SurfacePiece>,
    count: usize,
    /// Work of the search, in pieces.
    work: usize,
}

impl SurfaceSearch<'_> {
    /// Takes in the triangles of the surface.
    fn start(&mut self, surface: PlacedMeshShape<'_>, reached: &ReachedSurface) {
        let mut known: Vec<Option<Corner>> = vec![None; surface.shape.mesh().vertices().len()];
        let leaves = self.leave_when_shifted(reached);
        for (triangle, leaves) in reached.triangles.iter().zip(leaves) {
            if leaves {
                self.dropped = self.dropped.max(self.floor);
                continue;
            }
            if self.best >= self.ceiling {
                self.dropped = self.cap;
                return;
            }
            let vertices = surface.shape.mesh().triangles()[triangle.number as usize];
            let is_within = triangle.met.is_empty();
            let met = &self.met[triangle.met.clone()];
            let polygon = match is_within || triangle.corners.iter().all(|&corner| reached.bounds.contains(corner)) {
                true => (0..3)
                    .map(|k| {
                        let at = triangle.corners[k];
                        let corner = *known[vertices[k] as usize].get_or_insert_with(|| locate(self.facets, at));
                        Corner { is_inside: is_within.then_some(true), ..corner }
                    })
                    .collect(),
                false => self.within_box(&triangle.corners, &reached.bounds),
            };
            if polygon.len() >= 3 {
                self.take(polygon, met.into(), triangle.number);
            }
        }
    }

    /// Reports for each triangle whether it leaves the solid when it is shifted by the depth that does not matter: then
    /// no point of it lies deeper than that, since the depth changes at most as fast as the place. Nearly all triangles
    /// of surfaces that fit leave backwards, into their own solid, or out of the facets that they meet. If few of a
    /// sample do, the surfaces do not fit, and no more are tried.
    fn leave_when_shifted(&self, reached: &ReachedSurface) -> Vec<bool> {
        let sign = |placed: PlacedMeshShape<'_>| match placed.shape.is_exact_solid() && placed.shape.is_inverted() {
            true => -1.0,
            false => 1.0,
        };
        let (own, other) = (sign(self.surface), sign(self.solid));
        let backwards = |triangle: &ReachedTriangle| normal_of(&triangle.corners) * -own;
        // Out of the facets that the triangle passes through: flush facets would hide them in a mean.
        let outwards = |triangle: &ReachedTriangle| {
            let normal = normal_of(&triangle.corners);
            let met = self.met[triangle.met.clone()].iter();
            let normals = met.map(|&facet| normal_of(&place(self.solid.shape, self.solid.pose, facet)) * other);
            let across: Vec3 = normals.filter(|facet| facet.dot(normal).abs() < FLUSH).sum();
            robust_normalize(across).unwrap_or(Vec3::ZERO)
        };
        let count = reached.triangles.len();
        let mut leaves = vec![false; count];
        let mut shift = |stride: usize| {
            // Flush triangles may lie inside by a rounding error and meet nothing.
            self.try_shift(reached, (&mut leaves, stride), |triangle| Some(backwards(triangle)));
            let met = |triangle: &ReachedTriangle| !triangle.met.is_empty();
            self.try_shift(reached, (&mut leaves, stride), |triangle| met(triangle).then(|| outwards(triangle)));
            let both = |triangle: &ReachedTriangle| backwards(triangle) + outwards(triangle);
            self.try_shift(reached, (&mut leaves, stride), |triangle| met(triangle).then(|| both(triangle)));
            leaves.iter().filter(|&&leaves| leaves).count()
        };
        let stride = count.div_ceil(SAMPLE).max(1);
        if SHARE * shift(stride) >= count.div_ceil(stride) && stride > 1 {
            shift(1);
        }
        leaves
    }

    /// Shifts triangles that have not left, each of a stride, along a direction, if there is one, and marks each that
    /// leaves.
    fn try_shift(
        &self,
        reached: &ReachedSurface,
        (leaves, stride): (&mut [bool], usize),
        direction: impl Fn(&ReachedTriangle) -> Option<Vec3>,
    ) {
        let step = (self.floor - self.rounding) * SHIFT;
        let (mut numbers, mut vertices) = (Vec::new(), Vec::new());
        for (number, triangle) in reached.triangles.iter().enumerate().step_by(stride) {
            if !leaves[number]
                && let Some(direction) = direction(triangle).and_then(robust_normalize)
            {
                numbers.push(number);
                vertices.extend(triangle.corners.map(|corner| corner + direction * step));
            }
        }
        let count = numbers.len() as u32;
        let triangles: Vec<[u32; 3]> = (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let shifted = TriMesh::new(vertices, triangles).ok().filter(|_| count > 0);
        let Some(shifted) = shifted.and_then(|mesh| MeshShape::new(mesh).ok()) else { return };
        let mut meets = vec![false; count as usize];
        for [triangle, _] in mesh_pairs(Placed::new(&shifted, &Pose::IDENTITY), self.solid) {
            meets[triangle as usize] = true;
        }
        for ((number, meets), corners) in numbers.into_iter().zip(meets).zip(shifted.mesh().vertices().chunks_exact(3))
        {
            leaves[number] =
                !meets && winding_number(self.solid.shape, self.solid.pose, corners[0]) == Location::Winding(0);
        }
    }

    /// Cuts a triangle to the box of the solid, beyond which it has no point in it.
    fn within_box(&self, corners: &Triangle, bounds: &Aabb) -> Polygon {
        let room = self.rounding;
        let mut outline: SmallVec<[Vec3; 12]> = corners.iter().copied().collect();
        for axis in 0..3 {
            for (sign, end) in [(1.0, bounds.max[axis] + room), (-1.0, -(bounds.min[axis] - room))] {
                let excess = |point: Vec3| sign * point[axis] - end;
                let before = std::mem::take(&mut outline);
                for (k, &from) in before.iter().enumerate() {
                    let to = before[(k + 1) % before.len()];
                    let (here, there) = (excess(from), excess(to));
                    if here <= 0.0 {
                        outline.push(from);
                    }
                    if (here > 0.0) != (there > 0.0) {
                        let share = (here / (here - there)).clamp(0.0, 1.0);
                        outline.push(from * (1.0 - share) + to * share);
                    }
                }
            }
        }
        outline.into_iter().map(|at| locate(self.facets, at)).collect()
    }

    /// Cuts pieces, the largest bound first, until the bounds meet.
    fn refine(&mut self) {
        let most = self.work + MAX_PIECES;
        while self.work < most
            && self.best < self.ceiling
            && let Some(piece) = self.heap.pop()
        {
            if piece.at_most <= self.limit() {
                // All others reach no deeper.
                self.dropped = self.dropped.max(piece.at_most);
                self.heap.clear();
                return;
            }
            self.divide(&piece);
        }
    }

    /// Returns the bounds of the depth.
    fn bounds(&self) -> LocalDepth {
        let left = self.heap.peek().map_or(0.0, |piece| piece.at_most);
        let at_most = self.best.max(self.dropped).max(left).min(self.cap.max(self.best));
        LocalDepth { at_least: self.best, at_most, place: self.place }
    }

    /// Returns the depth up to which pieces do not matter.
    fn limit(&self) -> f64 {
        self.floor.max(self.best * (1.0 + PRECISION))
    }

    /// Bounds a piece; keeps it if it may reach deeper than the limit.
    fn take(&mut self, polygon: Polygon, met: SmallVec<[u32; 8]>, triangle: u32) {
        let mut piece = SurfacePiece { polygon, met, at_most: 0.0, facet: 0, triangle, number: self.count };
        self.count += 1;
        self.work += 1 + piece.met.len() / FACETS_A_PIECE;
        self.bound(&mut piece);
        if piece.at_most <= self.limit() {
            self.dropped = self.dropped.max(piece.at_most);
            return;
        }
        // All of the piece is on one side if it meets no facet, or if the boundary is farther than its corners.
        let alone = piece
            .polygon
            .iter()
            .position(|corner| corner.distance - self.rounding > reach_from(corner, &piece.polygon));
        if let Some(corner) = alone.or(piece.met.is_empty().then_some(0)) {
            if !self.is_inside(&mut piece.polygon[corner]) {
                return;
            }
            piece.polygon.iter_mut().for_each(|corner| corner.is_inside = Some(true));
            piece.met.clear();
        }
        for k in 0..piece.polygon.len() {
            let corner = &mut piece.polygon[k];
            if corner.distance - self.rounding > self.best.max(self.floor) && self.is_inside(corner) {
                let at = corner.at;
                self.raise(at, triangle);
            }
        }
        self.bound(&mut piece);
        match piece.at_most <= self.limit() {
            true => self.dropped = self.dropped.max(piece.at_most),
            false => self.heap.push(piece),
        }
    }

    /// Raises the lower bound to the depth of a corner inside, if its triangle is on the boundary of its own solid.
    fn raise(&mut self, at: Vec3, triangle: u32) {
        if !self.solid.shape.is_exact_solid() || !self.is_outer(at, triangle) {
            return;
        }
        let distance = match std::ptr::eq(self.facets.shape, self.solid.shape) {
            true => nearest_face(self.facets, at).distance,
            // Facets that are not decided may be nearer.
            false => {
                self.work += 1 + self.solid.shape.mesh().triangles().len() / FACETS_A_PIECE;
                let (found, _) = mesh_closest(self.solid.shape, self.solid.pose, at);
                found.distance - found.error
            }
        };
        if distance - self.rounding > self.best {
            self.best = distance - self.rounding;
            self.place = Some(at);
        }
    }

    /// Reports whether a point of a triangle of the surface is on the boundary of the solid that the surface bounds.
    fn is_outer(&self, at: Vec3, triangle: u32) -> bool {
        let Placed { shape, pose } = self.surface;
        if !shape.is_exact_solid() {
            return true;
        }
        let local = pose.rotation().transpose() * (at - pose.translation());
        is_on_boundary(solid_boundary(shape), triangle, local, self.rounding)
    }

    fn is_inside(&self, corner: &mut Corner) -> bool {
        *corner
            .is_inside
            .get_or_insert_with(|| winding_number(self.solid.shape, self.solid.pose, corner.at) != Location::Winding(0))
    }

    /// Computes the upper bound of the depth of a piece.
    fn bound(&self, piece: &mut SurfacePiece) {
        let mut best = (f64::INFINITY, 0);
        for near in near_facets(&piece.polygon) {
            let facet = self.facet(near);
            let distance = |corner: &Corner| match corner.nearest == near {
                true => corner.distance,
                false => distance_from(corner.at, &facet),
            };
            let largest = piece.polygon.iter().map(distance).fold(0.0, f64::max);
            if largest < best.0 {
                best = (largest, near);
            }
        }
        let radial = piece.polygon.iter().map(|corner| {
            let depth = if corner.is_inside == Some(false) { -corner.distance } else { corner.distance };
            depth + reach_from(corner, &piece.polygon)
        });
        let at_most = radial.fold(best.0, f64::min) + self.rounding;
        (piece.at_most, piece.facet) = (at_most.min(self.cap), best.1);
    }

    fn facet(&self, facet: u32) -> Triangle {
        place(self.facets.shape, self.facets.pose, facet)
    }

    /// Cuts a piece in two, and takes in both.
    fn divide(&mut self, piece: &SurfacePiece) {
        let parts = match piece.polygon.len() <= MAX_CORNERS {
            true => {
                self.cut_by_facets(piece).or_else(|| self.cut_by_plane(piece)).or_else(|| self.cut_by_distance(piece))
            }
            false => None,
        };
        let parts = parts.or_else(|| cut(&piece.polygon, 0.0, across(&piece.polygon), |at| self.locate_in(piece, at)));
        let Some(parts) = parts else {
            // The piece is as small as rounding allows.
            self.dropped = self.dropped.max(piece.at_most);
            return;
        };
        for mut polygon in parts {
            let known = piece.met.is_empty().then_some(true);
            if known.is_some() {
                polygon.iter_mut().for_each(|corner| corner.is_inside = known);
            }
            let met = piece.met.iter().copied().filter(|&facet| self.may_meet(&polygon, facet)).collect();
            self.take(polygon, met, piece.triangle);
        }
    }

    /// Returns the facet that bounds a piece, and the corner with the largest distance from it.
    fn worst_corner(&self, piece: &SurfacePiece) -> Option<(Triangle, Corner)> {
        let facet = self.facet(piece.facet);
        let distance = |corner: &Corner| distance_from(corner.at, &facet);
        let worst = piece.polygon.iter().max_by(|x, y| distance(x).total_cmp(&distance(y)))?;
        Some((facet, *worst))
    }

    /// Cuts where the nearest facet of the worst corner becomes nearer than the facet that bounds the piece.
    fn cut_by_facets(&self, piece: &SurfacePiece) -> Option<[Polygon; 2]> {
        let (facet, worst) = self.worst_corner(piece)?;
        if worst.distance > WORTHWHILE * distance_from(worst.at, &facet) {
            return None;
        }
        let nearer = self.facet(worst.nearest);
        cut(
            &piece.polygon,
            MIN_PART,
            |at| distance_from(at, &facet) - distance_from(at, &nearer),
            |at| self.locate_in(piece, at),
        )
    }

    /// Cuts where the piece passes through the facet that bounds it.
    fn cut_by_plane(&self, piece: &SurfacePiece) -> Option<[Polygon; 2]> {
        if piece.met.is_empty() {
            return None;
        }
        let [origin, b, c] = self.facet(piece.facet);
        let normal = (b - origin).cross(c - origin).try_normalize()?;
        let height = |at: Vec3| (at - origin).dot(normal);
        let has = |sign: f64| piece.polygon.iter().any(|corner| sign * height(corner.at) > self.rounding);
        // Corners on the plane are on neither side.
        let value = |at: Vec3| Some(height(at)).filter(|height| height.abs() > self.rounding).unwrap_or(0.0);
        (has(1.0) && has(-1.0)).then(|| cut(&piece.polygon, MIN_PART, value, |at| self.locate_in(piece, at))).flatten()
    }

    /// Cuts off what is provably farther from the facet that bounds the piece than a depth that matters: the distance
    /// is convex, so that it is nowhere less than its tangent plane at the worst corner.
    fn cut_by_distance(&self, piece: &SurfacePiece) -> Option<[Polygon; 2]> {
        if piece.met.is_empty() {
            return None;
        }
        let (facet, worst) = self.worst_corner(piece)?;
        let offset = worst.at - foot_on(worst.at, &facet);
        let (length, near) = (offset.length(), 0.5 * (self.limit() - self.rounding));
        let (at, direction) = (worst.at, offset.try_normalize()?);
        cut(&piece.polygon, MIN_PART, |point| length + direction.dot(point - at) - near, |at| self.locate_in(piece, at))
    }

    /// Makes a corner of a place in a piece, whose corners know near facets.
    fn locate_in(&self, piece: &SurfacePiece, at: Vec3) -> Corner {
        let mut best = (f64::INFINITY, 0);
        for near in near_facets(&piece.polygon) {
            let distance = distance_from(at, &self.facet(near));
            if distance < best.0 {
                best = (distance, near);
            }
        }
        let known = Corner { at, nearest: best.1, distance: best.0, is_inside: None };
        if best.0 <= 0.5 * (self.floor - self.rounding) {
            return known;
        }
        let found = nearest_face_within(self.facets, at, best.0);
        found.map_or(known, |found| Corner { nearest: found.triangle, distance: found.distance, ..known })
    }

    /// Reports whether a polygon may meet a facet of the solid; false only if a plane separates them.
    fn may_meet(&self, polygon: &[Corner], facet: u32) -> bool {
        let facet = place(self.solid.shape, self.solid.pose, facet);
        let room = self.rounding;
        let own = Aabb::from_points(polygon.iter().map(|corner| corner.at));
        let grown = Aabb { min: own.min - Vec3::splat(room), max: own.max + Vec3::splat(room) };
        if !grown.overlaps(&Aabb::from_points(facet)) {
            return false;
        }
        let is_apart = |direction: Vec3, origin: Vec3| {
            let length = direction.length();
            if !(length > 0.0 && length.is_finite()) {
                return false;
            }
            let along = |point: Vec3| (point - origin).dot(direction) / length;
            let range = |points: &mut dyn Iterator<Item = Vec3>| {
                points.map(along).fold([f64::INFINITY, f64::NEG_INFINITY], |[min, max], x| [min.min(x), max.max(x)])
            };
            let own = range(&mut polygon.iter().map(|corner| corner.at));
            let other = range(&mut facet.iter().copied());
            own[0] > other[1] + room || other[0] > own[1] + room
        };
        let normal = (facet[1] - facet[0]).cross(facet[2] - facet[0]);
        if is_apart(normal, facet[0]) {
            return false;
        }
        let own_normal = (polygon[1].at - polygon[0].at).cross(polygon[2].at - polygon[0].at);
        let sides = |k: usize| [polygon[k].at, polygon[(k + 1) % polygon.len()].at];
        let of_facet = |k: usize| [facet[k], facet[(k + 1) % 3]];
        let centre = polygon.iter().map(|corner| corner.at / polygon.len() as f64).sum::<Vec3>();
        let foot = foot_on(centre, &facet);
        !(is_apart(centre - foot, foot)
            || (0..3).map(of_facet).any(|[from, to]| is_apart(normal.cross(to - from), from))
            || (0..polygon.len()).map(sides).any(|[from, to]| is_apart(own_normal.cross(to - from), from)))
    }
}

/// Returns the unit normal of a triangle; zero for one without an area.
fn normal_of([a, b, c]: &Triangle) -> Vec3 {
    robust_normalize((*b - *a).cross(*c - *a)).unwrap_or(Vec3::ZERO)
}

/// Makes a corner of a place anywhere.
fn locate(facets: PlacedMeshShape<'_>, at: Vec3) -> Corner {
    let NearestFace { triangle, distance } = nearest_face(facets, at);
    Corner { at, nearest: triangle, distance, is_inside: None }
}
