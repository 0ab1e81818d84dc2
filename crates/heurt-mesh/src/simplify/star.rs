//! Bijection between the triangles around a vertex and their replacements after a collapse, along a projection.
//!
//! In: the vertex v that is removed, its neighbour u, its remaining neighbours in order, and the triangles around v
//! with the boxes of displacements that lead to them. Out: the boxes for the triangles that replace them.
//! Method: both stars have the link of v as their border. They are projected along a direction n. If all triangles of
//! both stars face n and the link winds around v once, each star projects one to one onto the same polygon P:
//! 1. the link is star-shaped from v, so the old star covers P once;
//! 2. P is simple by 1, and the new triangles are a fan from u with the border P and positive areas. Such a fan covers
//!    each point of P as often as P winds around it, which is once.
//!
//! So each point of the old star has one image in the new star on the line along n. The offset is linear on each cell
//! of the overlay of both stars, so its extremes lie at the corners of cells: at the link, where it is 0; above v; and
//! where an old edge at v crosses a new edge at u. The box of a new triangle is the union of the boxes of all old
//! triangles that overlap it, plus the range of offsets along n.
//! Guarantees: by induction, each point of the original surface has an image within the box of the triangle that the
//! image lies in, and every point of the new surface is an image. The length of the longest displacement is a bound on
//! both one-sided Hausdorff distances. *Rounding*: triangles must face n by a cosine of at least [`MIN_COSINE`], so
//! slopes are at most 10; edges that may cross at an angle with a sine below [`MIN_SINE`] refuse the collapse. An
//! offset then errs by at most some 16 · ε / MIN_SINE · 10 times the radius of the star, which is below [`MARGIN`]
//! times the radius. Positions relative to the centre of the mesh were rounded by an ulp of its size, which exceeds
//! that error for stars of less than 1e-7 of the size. Both surfaces of the rounded positions lie within [`PLACE`] / 2
//! of the surfaces of the vertices, so [`PLACE`] is added. A star in one plane, by exact predicates, has offsets of
//! exactly 0.
//! Not guaranteed: that a projection exists; two directions are tried. Cost: O(k²) for k neighbours.

use heurt_geometry::{Sign, Vec2, Vec3, orient3d, point_on_segment};

use super::displacement::Displacements;

/// The least cosine of the angle between a triangle and the direction of projection.
pub(super) const MIN_COSINE: f64 = 0.1;
/// The least sine of the angle at which an old and a new edge may cross.
pub(super) const MIN_SINE: f64 = 1e-4;
/// The least projected area of a triangle, doubled, relative to the square of the radius; 1e7 times the rounding error.
const MIN_AREA: f64 = 1e-8;
/// The least length of an edge at v or at u, relative to the radius: ten times [`NEAR`].
const MIN_EDGE: f64 = 1e-5;
/// The margin for rounding errors, as a share of the radius of the star.
pub(super) const MARGIN: f64 = 1e-9;
/// The rounding of places on both surfaces, in units near the size of the mesh: an ulp for each, doubled.
pub(super) const PLACE: f64 = 4.0 * f64::EPSILON;
/// Relative distance from the end of an edge, or from the border of a triangle, within which both sides are considered.
const NEAR: f64 = 1e-6;
/// Stars with more neighbours are not collapsed: their overlay costs the square of it.
const MAX_NEIGHBOURS: usize = 256;

/// The triangles around a vertex that is removed.
pub(super) struct Star<'a> {
    /// The vertex, in the coordinates of the mesh and relative to the centre.
    pub(super) vertex: [Vec3; 2],
    /// The neighbours in counter-clockwise order, in the same two frames.
    pub(super) link: &'a [[Vec3; 2]],
    /// The place of u among the neighbours.
    pub(super) target: usize,
    /// The boxes of the triangles between a neighbour and the next one.
    pub(super) boxes: &'a [Displacements],
}

/// A star in the plane across the direction of projection, relative to the vertex.
struct Seen {
    direction: Vec3,
    points: Vec<Vec2>,
    heights: Vec<f64>,
    /// The largest distance of a neighbour.
    radius: f64,
}

impl Star<'_> {
    /// Computes the boxes of the new triangles between a neighbour and the next one, in order, starting after the
    /// target; `None` if no projection is found.
    pub(super) fn collapsed(&self) -> Option<Vec<Displacements>> {
        if self.link.len() > MAX_NEIGHBOURS {
            return None;
        }
        let (old, new) = (self.normals(self.vertex[1], 0), self.normals(self.link[self.target][1], 2));
        let sum = |normals: &[Vec3]| normals.iter().fold(Vec3::ZERO, |sum, &normal| sum + normal).try_normalize();
        let directions = [sum(&old), sum(&new)];
        let seen = directions.into_iter().flatten().find_map(|direction| self.seen(direction, &old, &new))?;
        let is_unchanged = self.is_unchanged();
        self.new_places().map(|place| self.new_box(&seen, place, is_unchanged)).collect()
    }

    /// Returns the first neighbours of the new triangles: all except the ones next to the target.
    fn new_places(&self) -> impl Iterator<Item = usize> {
        let (count, target) = (self.link.len(), self.target);
        (1..count - 1).map(move |step| (target + step) % count)
    }

    /// Returns the normals of the triangles from `apex` over the sides of the link; with `skip` 2 without the sides at
    /// the target.
    fn normals(&self, apex: Vec3, skip: usize) -> Vec<Vec3> {
        let count = self.link.len();
        let normal = |place: usize| {
            let next = (place + 1) % count;
            let is_skipped = skip > 0 && (place == self.target || next == self.target);
            let (a, b) = (self.link[place][1] - apex, self.link[next][1] - apex);
            if is_skipped { Vec3::ZERO } else { a.cross(b) }
        };
        (0..count).map(normal).collect()
    }

    /// Projects the star; `None` if a triangle does not face the direction, or if the link winds around v more than
    /// once.
    fn seen(&self, direction: Vec3, old: &[Vec3], new: &[Vec3]) -> Option<Seen> {
        let faces = |normal: &Vec3| normal.dot(direction) > MIN_COSINE * normal.length();
        let count = self.link.len();
        if !old.iter().all(faces) || !self.new_places().all(|place| faces(&new[place])) {
            return None;
        }
        let (first, second) = direction.any_orthonormal_pair();
        let offsets: Vec<Vec3> = self.link.iter().map(|place| place[1] - self.vertex[1]).collect();
        let points: Vec<Vec2> = offsets.iter().map(|offset| Vec2::new(offset.dot(first), offset.dot(second))).collect();
        let radius = points.iter().map(|point| point.length()).fold(0.0, f64::max);
        let is_large = |a: Vec2, b: Vec2| a.perp_dot(b) >= MIN_AREA * radius * radius;
        let is_long = |point: Vec2| point.length() >= MIN_EDGE * radius;
        let target = points[self.target];
        let is_clear = (0..count).all(|k| is_large(points[k], points[(k + 1) % count]) && is_long(points[k]))
            && self.new_places().all(|k| {
                let (a, b) = (points[k] - target, points[(k + 1) % count] - target);
                is_large(a, b) && is_long(a) && is_long(b)
            });
        let is_above = |point: Vec2| point.y >= 0.0;
        let turns = (0..count).filter(|&k| !is_above(points[k]) && is_above(points[(k + 1) % count])).count();
        // The basis is right-handed, so the link runs counter-clockwise and crosses the first axis upward once a turn.
        (turns == 1 && is_clear).then(|| Seen {
            direction,
            heights: offsets.iter().map(|offset| offset.dot(direction)).collect(),
            radius,
            points,
        })
    }

    /// Reports whether both stars are the same point set, exactly: v and its neighbours lie in one plane, or in two
    /// planes whose common line passes through u, v and the neighbour opposite to u.
    fn is_unchanged(&self) -> bool {
        let (vertex, count) = (self.vertex[0], self.link.len());
        let at = |step: usize| self.link[(self.target + step) % count][0];
        let is_coplanar = |from: usize, to: usize| {
            (from + 2..=to).all(|step| orient3d(vertex, at(from), at(from + 1), at(step)) == Sign::Zero)
        };
        // Neighbour number `count` is u again.
        let is_fold = |opposite: usize| {
            point_on_segment(vertex, at(0), at(opposite)) && is_coplanar(0, opposite) && is_coplanar(opposite, count)
        };
        is_coplanar(0, count - 1) || (1..count).any(is_fold)
    }

    /// Computes the box of the new triangle from the target over the side of the link after `place`; `None` if that is
    /// uncertain.
    fn new_box(&self, seen: &Seen, place: usize, is_unchanged: bool) -> Option<Displacements> {
        let count = self.link.len();
        let next = (place + 1) % count;
        let corners = [seen.points[self.target], seen.points[place], seen.points[next]];
        let mut united = Displacements::NONE;
        for (old, &own) in self.boxes.iter().enumerate() {
            let triangle = [Vec2::ZERO, seen.points[old], seen.points[(old + 1) % count]];
            if !are_separate(&corners, &triangle) && !are_separate(&triangle, &corners) {
                united = united.union(own);
            }
        }
        if is_unchanged {
            return Some(united);
        }
        let mut range = [0.0f64; 2];
        let mut include = |offset: f64| range = [range[0].min(offset), range[1].max(offset)];
        let heights = [self.target, place, next].map(|k| seen.heights[k]);
        if let Some(height) = height_at_origin(&corners, heights, seen.radius)? {
            include(height);
        }
        for spoke in [place, next] {
            for old in 0..count {
                if let Some(offset) = self.crossing(seen, old, spoke)? {
                    include(offset);
                }
            }
        }
        Some(united.plus(seen.direction, range, MARGIN * seen.radius + PLACE))
    }

    /// Computes the offset where the old edge from v to a neighbour crosses the new edge from the target to a
    /// neighbour.
    ///
    /// `Some(None)`: they do not cross; `None`: they may cross at too small an angle.
    fn crossing(&self, seen: &Seen, old: usize, new: usize) -> Option<Option<f64>> {
        let (count, target) = (self.link.len(), self.target);
        let is_side = new == (target + 1) % count || new == (target + count - 1) % count;
        // Edges that share an end meet there, at offset 0; sides of the link have offset 0.
        if old == new || old == target || is_side {
            return Some(None);
        }
        let (to, from) = (seen.points[old], seen.points[target]);
        let along = seen.points[new] - from;
        let (lengths, sine) = (to.length() * along.length(), to.perp_dot(along));
        let side = |point: Vec2| to.perp_dot(point);
        let clear = NEAR * to.length() * seen.radius;
        let (a, b) = (side(from), side(seen.points[new]));
        if (a > clear && b > clear) || (a < -clear && b < -clear) {
            return Some(None);
        }
        if sine.abs() < MIN_SINE * lengths {
            return None;
        }
        let (on_old, on_new) = (from.perp_dot(along) / sine, -to.perp_dot(from) / sine);
        let is_inside = |share: f64| (-NEAR..=1.0 + NEAR).contains(&share);
        if !(is_inside(on_old) && is_inside(on_new)) {
            return Some(None);
        }
        let height = seen.heights[target] + on_new * (seen.heights[new] - seen.heights[target]);
        Some(Some(height - on_old * seen.heights[old]))
    }
}

/// Reports whether a side of triangle `a` has all of `b` clearly on its outer side.
fn are_separate(a: &[Vec2; 3], b: &[Vec2; 3]) -> bool {
    let extent = a.iter().chain(b).map(|point| point.length()).fold(0.0, f64::max);
    (0..3).any(|k| {
        let (from, along) = (a[k], a[(k + 1) % 3] - a[k]);
        b.iter().all(|&point| along.perp_dot(point - from) < -1e-12 * along.length() * extent)
    })
}

/// The least area of a triangle at v, doubled, relative to the square of the radius, so that its height there errs by
/// less than the margin.
const MIN_AREA_AT_VERTEX: f64 = 1e-5;

/// Computes the height of a triangle above the origin. `Some(None)`: the origin is clearly outside; `None`: the
/// triangle is too small.
fn height_at_origin(corners: &[Vec2; 3], heights: [f64; 3], radius: f64) -> Option<Option<f64>> {
    let [a, b, c] = *corners;
    let clear = |from: Vec2, to: Vec2| from.perp_dot(to) < -NEAR * (to - from).length() * radius;
    if clear(a, b) || clear(b, c) || clear(c, a) {
        return Some(None);
    }
    let area = (b - a).perp_dot(c - a);
    if area < MIN_AREA_AT_VERTEX * radius * radius {
        return None;
    }
    let shares = [b.perp_dot(c) / area, c.perp_dot(a) / area, a.perp_dot(b) / area];
    Some(Some(shares.iter().zip(heights).map(|(share, height)| share * height).sum()))
}
