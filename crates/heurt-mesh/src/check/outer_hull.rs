//! Convex hull of a surface, for bounds on the distance of both.
//!
//! In: the triangles of a surface in its frame. Out: the facet of the hull over a point, and the distance of the
//! vertices of the hull from the points at a depth inside it.
//! Method: the exact hull. Seen from an inner point c, the facet over a direction d has the dual point n/(h − n·c)
//! with the greatest product with d; a [`OrientedTree`] over the dual points finds it.
//! Guarantees: [`Hull::spread`] is a bound; [`Hull::facet_over`] is a good direction, and no proof depends on the
//! choice.
//! Cost: O(n log n) for the hull; O(vertices · facets) for the spread, up to a limit.

use heurt_geometry::{ConvexHull, Sign, Triangle, Vec3, orient3d};
use rayon::prelude::*;

use super::near_convex::HullSurface;
use super::oriented_box::ROUNDING;
use super::oriented_tree::OrientedTree;

/// Limit of vertices of a surface for which a hull is computed: approximately a second.
const MAX_VERTICES: usize = 1 << 18;
/// Products of vertices and facets up to which the spread is bounded at each vertex: some tenths of a second.
const MAX_TESTS: usize = 1 << 26;
/// A convex hull around an inner point.
pub(super) struct Hull {
    facets: Vec<OuterFacet>,
    centre: Vec3,
    /// Dual points, each as a triangle of one point, scaled to coordinates up to 1.
    duals: Vec<Triangle>,
}

/// A facet of the hull.
struct OuterFacet {
    corners: Triangle,
    normal: Vec3,
    /// Its longest side first; a bound on the distance of its points from that side.
    side: [Vec3; 2],
    height: f64,
}

impl OuterFacet {
    fn new(corners: Triangle) -> Option<Self> {
        let [a, b, c] = corners;
        let across = (b - a).cross(c - a);
        let longest = [[a, b], [b, c], [c, a]];
        let length = |side: &[Vec3; 2]| (side[1] - side[0]).length();
        let side = longest.into_iter().max_by(|p, q| length(p).total_cmp(&length(q)))?;
        Some(Self { corners, normal: across.try_normalize()?, side, height: across.length() / length(&side) })
    }

    /// Tests whether a point is inside the plane of the facet and more than `depth` away from the facet.
    fn is_deep(&self, point: Vec3, depth: f64) -> bool {
        let [p, q] = self.side;
        let length = (q - p).length();
        let offset = self.corners[0] - point;
        // The normal errs by the rounding of the corners over the height.
        let error = ROUNDING * (1.0 + offset.length() * length / self.height);
        if self.normal.dot(offset) > depth + error {
            return true;
        }
        // The points of a needle are near its longest side.
        let share = ((point - p).dot(q - p) / (length * length)).clamp(0.0, 1.0);
        let distance = (point - (p + (q - p) * share)).length() - self.height * (1.0 + 1e-6);
        let [a, b, c] = self.corners;
        distance > depth + ROUNDING && orient3d(a, b, c, point) == Sign::Negative
    }
}

impl Hull {
    /// Computes the hull of a surface; `None` if it is flat or has too many vertices.
    pub(super) fn new(surface: &HullSurface) -> Option<Self> {
        let mut points: Vec<Vec3> = surface.corners.as_flattened().to_vec();
        points.sort_by_key(|point| (*point + Vec3::ZERO).to_array().map(f64::to_bits));
        points.dedup();
        if points.len() > MAX_VERTICES {
            return None;
        }
        let hull = ConvexHull::new(&points).ok()?;
        let at = |corners: &[u32; 3]| OuterFacet::new(corners.map(|corner| points[corner as usize]));
        let facets: Vec<OuterFacet> = hull.triangles().iter().filter_map(at).collect();
        if facets.is_empty() || facets.len() < hull.triangles().len() {
            return None;
        }
        let centre = surface.centre();
        let dual =
            |facet: &OuterFacet| facet.normal / facet.normal.dot(facet.corners[0] - centre).max(f64::MIN_POSITIVE);
        let duals: Vec<Vec3> = facets.iter().map(dual).collect();
        let largest = duals.iter().map(|dual| dual.abs().max_element()).fold(0.0, f64::max);
        if !largest.is_finite() {
            return None;
        }
        let duals = duals.into_iter().map(|dual| [dual / largest; 3]).collect();
        Some(Self { facets, centre, duals })
    }

    /// Builds the tree over the dual points.
    pub(super) fn dual_tree(&self) -> OrientedTree<'_> {
        OrientedTree::new(&self.duals)
    }

    /// Returns the normal of the facet over a point, seen from the inner point.
    pub(super) fn facet_over(&self, tree: &OrientedTree, point: Vec3, steps: &mut u64) -> Option<Vec3> {
        let direction = (point - self.centre).try_normalize()?;
        tree.support_point(direction, steps).map(|facet| self.facets[facet as usize].normal)
    }

    /// Bounds the distance of each vertex from the points at least `depth` inside, if it is below `most`; `None` if
    /// that is too much work.
    pub(super) fn spread(&self, depth: f64, most: f64) -> Option<f64> {
        let mut vertices: Vec<Vec3> = self.facets.iter().flat_map(|facet| facet.corners).collect();
        vertices.sort_by_key(|vertex| (*vertex + Vec3::ZERO).to_array().map(f64::to_bits));
        vertices.dedup();
        if vertices.len().saturating_mul(self.facets.len()) > MAX_TESTS {
            return None;
        }
        let at_vertex = |&vertex: &Vec3| {
            // A vertex may be next to facets that it is no corner of: the rim of a flat face is not straight.
            let is_near = |facet: &&OuterFacet| facet.normal.dot(facet.corners[0] - vertex) <= 4.0 * depth;
            let outward = mean_direction(self.facets.iter().filter(is_near).map(|facet| facet.normal));
            // A quarter more each time, up to the bound that is known.
            let lengths = std::iter::successors(Some(1.1 * depth), |length| Some(1.25 * length));
            let mut tried = lengths.take_while(|&length| length < most);
            let is_inside = |point: Vec3| self.facets.iter().all(|facet| facet.is_deep(point, depth));
            tried.find(|&length| is_inside(vertex - outward * length)).unwrap_or(most)
        };
        Some(vertices.par_iter().map(at_vertex).reduce(|| 0.0, f64::max))
    }
}

/// Computes the mean of the different ones of some normals: facets that were cut into many triangles count once.
fn mean_direction(normals: impl Iterator<Item = Vec3>) -> Vec3 {
    // Normals that differ by less than a quarter, some 14 degrees, are one.
    const SAME: f64 = 0.25;
    let mut different: Vec<Vec3> = Vec::new();
    for normal in normals {
        if !different.iter().any(|other| (*other - normal).length() < SAME) {
            different.push(normal);
        }
    }
    different.iter().fold(Vec3::ZERO, |sum, &normal| sum + normal).normalize_or_zero()
}
