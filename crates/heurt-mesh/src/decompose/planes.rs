//! Candidate planes for cuts of a part, ranked by gain.
//!
//! In: a part and the deepest concave place of its hull. Out: planes, the best first.
//! Method: planes perpendicular to the axes, through that place and through the middle; planes that contain the
//! direction from it to the solid, rotated around that direction; the planes of the faces at reflex edges, the longest
//! and sharpest ones and the ones nearest to the place (cuts along them make L-shapes convex at once). The best cut has
//! the least total volume of the hulls of both sides, then the most equal sides. Large parts are ranked by a sample of
//! their vertices.
//! Cost: O(planes · n log n), with n bounded by the sample.

use std::f64::consts::PI;

use heurt_geometry::{Aabb, ConvexHull, Vec3};
use rayon::prelude::*;

use super::concavity::Concavity;
use super::cover::sextuple_volume;
use super::cut::{CutPlane, cut};
use super::part::ConvexPart;

/// Vertices in a sample, approximately; larger parts are ranked by a sample.
const SAMPLE: usize = 3000;
/// The number of planes that contain the direction from the deepest place to the solid.
const TURNS: u32 = 6;
/// Limits of reflex edges: the longest and sharpest ones, and the nearest ones.
const EDGES: usize = 6;
/// Least reflex angle of an edge, in radians: below it the edge counts as smooth.
const SMOOTH: f64 = 0.1;
/// Weight of the inequality of two sides, as a share of the volume that the hull has in excess.
const BALANCE: f64 = 0.1;
/// Least share of the volume of each side.
const LEAST: f64 = 1e-7;
/// Share of the excess: if the best gain is less, the search looks a second cut ahead,
const BLIND: f64 = 0.1;
/// for this number of planes.
const FORESEEN: usize = 8;

/// Returns the candidate planes, best first.
pub(super) fn planes(part: &ConvexPart, volume: f64, place: &Concavity, snap: f64) -> Vec<CutPlane> {
    let candidates = candidates(part, place);
    let sample = PlaneSample::of(part, SAMPLE);
    let excess = (volume - part.sextuple_volume().abs()).max(1e-6 * volume);
    let judged = ranked(&candidates, |plane| {
        let [above, below] = sample.volumes(plane, snap);
        let is_proper = |side: f64| side > LEAST * volume && side < (1.0 - LEAST) * volume;
        let gain = volume - above - below - BALANCE * (above - below).abs() / volume * excess;
        (is_proper(above) && is_proper(below)).then_some(gain)
    });
    if judged.first().is_none_or(|best| best.0 > BLIND * excess) {
        return judged.into_iter().map(|(_, plane)| plane).collect();
    }
    // A hole must be halved before its quarters are less concave.
    let allowed: Vec<CutPlane> = judged.into_iter().map(|(_, plane)| plane).take(FORESEEN).collect();
    let second = through_place(place, TURNS / 2);
    let foreseen = ranked(&allowed, |plane| Some(volume - foreseen(part, plane, &second, snap)?));
    foreseen.into_iter().map(|(_, plane)| plane).collect()
}

/// Sorts planes by gain, greatest first; equal gains keep their order.
fn ranked(planes: &[CutPlane], gain: impl Fn(&CutPlane) -> Option<f64> + Sync) -> Vec<(f64, CutPlane)> {
    let mut all: Vec<(f64, usize)> =
        (0..planes.len()).into_par_iter().filter_map(|k| gain(&planes[k]).map(|gain| (gain, k))).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    all.into_iter().map(|(gain, k)| (gain, planes[k])).collect()
}

/// Computes the volume of the hulls after a cut along `plane` and then the best cut of each half along one of `second`.
fn foreseen(part: &ConvexPart, plane: &CutPlane, second: &[CutPlane], snap: f64) -> Option<f64> {
    let halves = cut(part, plane, snap)?;
    let volume = |half: &ConvexPart| {
        let sample = PlaneSample::of(half, SAMPLE / 4);
        let whole = hull_volume(&half.places());
        second.iter().map(|plane| sample.volumes(plane, snap).iter().sum()).fold(whole, f64::min)
    };
    Some(halves.iter().map(volume).sum())
}

/// Returns planes through the deepest place, in many directions.
fn through_place(place: &Concavity, turns: u32) -> Vec<CutPlane> {
    let mut planes: Vec<CutPlane> =
        [Vec3::X, Vec3::Y, Vec3::Z].into_iter().filter_map(|axis| CutPlane::through(place.deepest, axis)).collect();
    if let Some(inward) = (place.foot - place.deepest).try_normalize() {
        let (u, v) = inward.any_orthonormal_pair();
        planes.extend(CutPlane::through(place.deepest, inward));
        for turn in 0..turns {
            let angle = PI * f64::from(turn) / f64::from(turns);
            planes.extend(CutPlane::through(place.deepest, u * libm::cos(angle) + v * libm::sin(angle)));
        }
    }
    planes
}

fn candidates(part: &ConvexPart, place: &Concavity) -> Vec<CutPlane> {
    let bounds = part.bounds();
    let mut planes = through_place(place, TURNS);
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        let points = [place.foot, bounds.centre()];
        planes.extend(points.iter().filter_map(|&point| CutPlane::through(point, axis)));
    }
    for edge in reflex_edges(part, place.foot) {
        planes.extend(edge.sides.into_iter().filter_map(|normal| CutPlane::through(edge.middle, normal)));
    }
    distinct(planes, &bounds)
}

/// Removes planes that equal another up to rounding.
fn distinct(planes: Vec<CutPlane>, bounds: &Aabb) -> Vec<CutPlane> {
    let (centre, near) = (bounds.centre(), 1e-6 * bounds.half_extents().length());
    let mut kept: Vec<CutPlane> = Vec::new();
    for plane in planes {
        let is_same = |other: &&CutPlane| {
            let along = plane.normal.dot(other.normal);
            let gap = plane.height(centre) - other.height(centre) * along.signum();
            along.abs() > 1.0 - 1e-9 && gap.abs() < near
        };
        if !kept.iter().any(|other| is_same(&other)) {
            kept.push(plane);
        }
    }
    kept
}

/// An edge of the surface with a reflex angle of the solid.
struct ReflexEdge {
    middle: Vec3,
    /// The normals of its two faces.
    sides: [Vec3; 2],
    /// Its length times the angle.
    weight: f64,
}

/// Finds the longest and sharpest reflex edges, and the sharp ones nearest to `place`.
fn reflex_edges(part: &ConvexPart, place: Vec3) -> Vec<ReflexEdge> {
    let mut uses: Vec<([u32; 2], bool, u32)> = Vec::with_capacity(3 * part.faces.len());
    for (number, face) in (0..).zip(&part.faces).filter(|(_, face)| !face.is_cap) {
        for k in 0..3 {
            let (from, to) = (face.corners[k], face.corners[(k + 1) % 3]);
            uses.push(([from.min(to), from.max(to)], from > to, number));
        }
    }
    uses.sort_unstable();
    let pairs = uses.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() == 2 && !run[0].1 && run[1].1);
    let mut edges: Vec<ReflexEdge> =
        pairs.filter_map(|run| reflex_edge(part, run[0].0, [run[0].2, run[1].2])).collect();
    let distance = |edge: &ReflexEdge| (edge.middle - place).length_squared();
    edges.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let mut rest = if edges.len() > EDGES { edges.split_off(EDGES) } else { Vec::new() };
    rest.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    rest.truncate(EDGES);
    edges.extend(rest);
    edges
}

/// Returns the edge that the first face runs up and the second down, if it is reflex.
fn reflex_edge(part: &ConvexPart, ends: [u32; 2], faces: [u32; 2]) -> Option<ReflexEdge> {
    let [a, b] = ends.map(|end| part.vertices[end as usize].place);
    let [n, m] = faces.map(|face| {
        let [p, q, r] = part.corners(&part.faces[face as usize]);
        (q - p).cross(r - p).normalize_or_zero()
    });
    let along = (b - a).try_normalize()?;
    let angle = libm::atan2(m.cross(n).dot(along), n.dot(m));
    (angle > SMOOTH).then(|| ReflexEdge { middle: (a + b) / 2.0, sides: [n, m], weight: angle * (b - a).length() })
}

/// Vertices and edges that represent a part.
struct PlaneSample<'a> {
    part: &'a ConvexPart,
    vertices: Vec<u32>,
    edges: Vec<[u32; 2]>,
}

impl<'a> PlaneSample<'a> {
    fn of(part: &'a ConvexPart, size: usize) -> Self {
        let stride = part.vertices.len().div_ceil(size).max(1);
        let corners = part.faces.iter().map(|face| face.corners);
        let sides = corners.flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]]);
        // Each edge of a closed part is traversed in both directions.
        let edges = sides.filter(|[from, to]| from < to).collect();
        Self { part, vertices: (0..part.vertices.len() as u32).step_by(stride).collect(), edges }
    }

    /// Computes the volumes of the hulls above and below a plane.
    fn volumes(&self, plane: &CutPlane, snap: f64) -> [f64; 2] {
        let heights = plane.heights(self.part, snap);
        let mut sides = [Vec::new(), Vec::new()];
        for &vertex in &self.vertices {
            let (height, place) = (heights[vertex as usize], self.part.vertices[vertex as usize].place);
            if height != 0.0 {
                sides[usize::from(height < 0.0)].push(place);
            }
        }
        // A vertex on the plane belongs to the sides to which it has an edge.
        let mut goes_with = vec![[false; 2]; heights.len()];
        for edge in &self.edges {
            let [from, to] = edge.map(|end| heights[end as usize]);
            if from == 0.0 || to == 0.0 {
                for (end, other) in [(edge[0], to), (edge[1], from)] {
                    if heights[end as usize] == 0.0 && other != 0.0 {
                        goes_with[end as usize][usize::from(other < 0.0)] = true;
                    }
                }
            } else if (from > 0.0) != (to > 0.0) {
                let ends = edge.map(|end| &self.part.vertices[end as usize]);
                let place = plane.crossing(ends, [from, to]).place;
                sides.iter_mut().for_each(|side| side.push(place));
            }
        }
        for (vertex, goes_with) in self.part.vertices.iter().zip(&goes_with) {
            let of = sides.iter_mut().zip(goes_with).filter(|(_, goes)| **goes);
            of.for_each(|(side, _)| side.push(vertex.place));
        }
        sides.map(|side| hull_volume(&side))
    }
}

/// Computes six times the volume of the hull of `points`.
fn hull_volume(points: &[Vec3]) -> f64 {
    ConvexHull::new(points).map_or(0.0, |hull| sextuple_volume(points, hull.triangles()))
}
