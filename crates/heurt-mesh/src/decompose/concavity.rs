//! Concavity of a convex piece: an upper bound of the distance of its surface from the solid.
//!
//! In: the solid, the triangles of a piece. Out: an upper bound for every point of the triangles, a lower bound, and
//! the point that attains it.
//! Method: branch and bound over convex patches of the triangles. Let the patch's centre be at the distance d from the
//! solid, and let no point of the patch be farther from the centre than r. Then all of it is within
//! - d + r, since a distance changes no faster than its point moves;
//! - 0, if the centre is inside and the surface farther from it than r, or if no triangle meets the patch (`clear`);
//! - the greatest distance of a corner of the patch to the triangle nearest to the centre: the distance to a convex set
//!   is convex. Patches are cut along the prism over that triangle if it is large, so that this is soon exact on flat
//!   faces.
//!
//! Guarantees: the upper bound holds after a share of 2⁻⁴⁴ of the largest coordinate is added. It is within [`SHARP`]
//! of the true distance, or [`FLOOR`] of the tolerance, unless the piece takes more than [`MAX_PATCHES`].
//! Cost: O(log n) a patch.

use std::collections::BinaryHeap;

use heurt_geometry::{Triangle, Vec3};

use super::clear::{Clearance, clearance};
use super::solid::{BLUR, Solid, nearest_on};

/// Ratio of the bounds at which the search ends,
const SHARP: f64 = 1.05;
/// or this one if the piece is not convex enough anyway,
const ROUGH: f64 = 1.3;
/// or the upper bound is as low as this share of the tolerance.
const FLOOR: f64 = 0.02;
/// Limit of patches examined.
const MAX_PATCHES: usize = 60_000;
/// Bound on the rounding error of patches, in a frame of coordinates up to 1.
const ROUNDING: f64 = 1.0 / (1u64 << 44) as f64;

/// Bounds of the distance of a piece from the solid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Concavity {
    /// No point of the piece is farther than this from the solid.
    pub(super) upper: f64,
    /// Some point has this distance, up to rounding.
    pub(super) lower: f64,
    /// The point with the distance `lower`.
    pub(super) deepest: Vec3,
    /// The point of the surface nearest to it.
    pub(super) foot: Vec3,
}

/// Bounds the distance of `triangles` from `solid`; roughly if it is above `tolerance`.
pub(super) fn concavity(solid: &Solid, triangles: &[Triangle], tolerance: f64) -> Concavity {
    let mut search = Search {
        solid,
        floor: FLOOR * tolerance,
        blur: BLUR * solid.diagonal(),
        heap: BinaryHeap::new(),
        settled: 0.0,
        looked: 0,
        found: Concavity { upper: 0.0, lower: 0.0, deepest: triangles[0][0], foot: triangles[0][0] },
    };
    for triangle in triangles {
        search.look(triangle.to_vec());
    }
    while let Some(patch) = search.heap.pop() {
        let lower = search.found.lower;
        let rough = lower > tolerance && patch.bound <= ROUGH * lower;
        if rough || patch.bound <= SHARP * lower || search.looked > MAX_PATCHES {
            search.settled = f64::max(search.settled, patch.bound);
            break;
        }
        let [one, other] = patch.halves(solid);
        search.look(one);
        search.look(other);
    }
    Concavity { upper: search.settled.max(search.found.lower) + ROUNDING, ..search.found }
}

struct Search<'a> {
    solid: &'a Solid<'a>,
    floor: f64,
    blur: f64,
    heap: BinaryHeap<ConcavePatch>,
    /// The greatest bound of the patches not divided further.
    settled: f64,
    looked: usize,
    found: Concavity,
}

impl Search<'_> {
    /// Bounds a patch and queues it, unless its bound is low enough.
    fn look(&mut self, corners: Vec<Vec3>) {
        self.looked += 1;
        let centre = corners.iter().fold(Vec3::ZERO, |sum, &corner| sum + corner) / corners.len() as f64;
        let radius = corners.iter().map(|corner| (*corner - centre).length()).fold(0.0, f64::max);
        let nearest = self.solid.nearest(centre);
        let triangle = self.solid.corners(nearest.triangle);
        let to_triangle = |corner: &Vec3| (nearest_on(&triangle, *corner) - *corner).length();
        let mut bound = corners.iter().map(to_triangle).fold(0.0, f64::max).min(nearest.distance + radius);
        let mut along = None;
        if bound > self.floor && nearest.distance > 0.0 {
            if self.solid.holds(centre) {
                bound = bound.min(radius);
                if nearest.distance - self.blur > radius {
                    bound = 0.0;
                } else if bound > self.floor {
                    (bound, along) = self.bound_inside(&corners, centre, radius, bound);
                }
            } else if nearest.distance > self.found.lower {
                self.found = Concavity { lower: nearest.distance, deepest: centre, foot: nearest.foot, ..self.found };
            }
        }
        if bound <= self.floor {
            self.settled = self.settled.max(bound);
        } else {
            let number = self.looked;
            self.heap.push(ConcavePatch { corners, centre, radius, triangle: nearest.triangle, along, bound, number });
        }
    }

    /// Bounds a patch whose centre is inside. If a copy shrunk by half the floor meets no surface, that copy is inside,
    /// and no point of the patch is farther from it than half the floor. Otherwise a plane to cut along may be
    /// returned.
    fn bound_inside(&self, corners: &[Vec3], centre: Vec3, radius: f64, bound: f64) -> (f64, Option<(Vec3, f64)>) {
        let moved = 0.5 * self.floor;
        let smaller: Vec<Vec3> = corners.iter().map(|&corner| corner + (centre - corner) * (moved / radius)).collect();
        match clearance(self.solid, &smaller, moved) {
            Clearance::Clear => (moved, None),
            Clearance::Cut(normal, offset) => (bound, Some((normal, offset))),
            Clearance::Blocked => (bound, None),
        }
    }
}

/// A convex polygon of a piece's surface.
#[derive(Debug)]
struct ConcavePatch {
    corners: Vec<Vec3>,
    centre: Vec3,
    radius: f64,
    /// The triangle of the solid nearest to the centre.
    triangle: u32,
    /// The plane of a triangle that meets it: normal and offset.
    along: Option<(Vec3, f64)>,
    bound: f64,
    number: usize,
}

impl ConcavePatch {
    /// Cuts the patch along a triangle that meets it, or along the prism over its nearest triangle if that is large,
    /// else across its greatest length.
    fn halves(&self, solid: &Solid) -> [Vec<Vec3>; 2] {
        if let Some((normal, offset)) = self.along {
            let halves = self.cut(normal, offset);
            if halves.iter().all(|half| half.len() > 2) {
                return halves;
            }
        }
        let wanted = self.radius * 1e-3;
        if let Some((normal, offset)) = self.prism_side(&solid.corners(self.triangle), wanted) {
            let halves = self.cut(normal, offset);
            if halves.iter().all(|half| half.len() > 2) {
                return halves;
            }
        }
        let far = |corner: &&Vec3| (**corner - self.centre).length_squared();
        let farthest = self.corners.iter().max_by(|a, b| far(a).total_cmp(&far(b))).copied().unwrap_or(self.centre);
        let normal = (farthest - self.centre).normalize_or(Vec3::X);
        self.cut(normal, normal.dot(self.centre))
    }

    /// Returns the plane through a side of the triangle, perpendicular to it, that most of the patch lies beyond, if
    /// some lies before.
    fn prism_side(&self, triangle: &Triangle, wanted: f64) -> Option<(Vec3, f64)> {
        let up = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]).try_normalize()?;
        let mut best = None;
        let mut most = wanted;
        for k in 0..3 {
            let (from, to) = (triangle[k], triangle[(k + 1) % 3]);
            let edge = to - from;
            let Some(outward) = edge.cross(up).try_normalize() else { continue };
            if 4.0 * edge.length() < self.radius {
                return None;
            }
            let heights = self.corners.iter().map(|&corner| outward.dot(corner - from));
            let (low, high) = heights.fold((0.0, 0.0), |(low, high), h| (f64::min(low, h), f64::max(high, h)));
            if high > most && low < -wanted {
                (best, most) = (Some((outward, outward.dot(from))), high);
            }
        }
        best
    }

    /// Splits the patch into the parts before and beyond a plane.
    fn cut(&self, normal: Vec3, offset: f64) -> [Vec<Vec3>; 2] {
        let mut halves = [Vec::with_capacity(6), Vec::with_capacity(6)];
        for (k, &from) in self.corners.iter().enumerate() {
            let to = self.corners[(k + 1) % self.corners.len()];
            let [here, there] = [from, to].map(|corner| normal.dot(corner) - offset);
            if here <= 0.0 {
                halves[0].push(from);
            }
            if here >= 0.0 {
                halves[1].push(from);
            }
            if (here < 0.0 && there > 0.0) || (here > 0.0 && there < 0.0) {
                let crossing = from + (to - from) * (here / (here - there));
                halves.iter_mut().for_each(|half| half.push(crossing));
            }
        }
        halves
    }
}

impl PartialEq for ConcavePatch {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for ConcavePatch {}
impl PartialOrd for ConcavePatch {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
/// Orders patches by their bound, greatest first; equal bounds by their number.
impl Ord for ConcavePatch {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.bound.total_cmp(&other.bound).then(other.number.cmp(&self.number))
    }
}
