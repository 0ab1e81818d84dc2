//! Separating-axis test of two placed hulls (Gottschalk 1996): the least overlap along all directions that count,
//! normals of facets and common perpendiculars of edges.
//!
//! In: two placed hulls of any dimension. Out: the direction of least overlap. The overlap is the depth if it is not
//! negative; otherwise the hulls are disjoint. No direction that may separate the hulls is missing, unless solids are
//! as flat as rounding errors.
//! Method: a pair of edges forms a facet of A − B only if the arcs of their normals cross on the Gauss sphere
//! (Gregorius 2013). Few pairs do. Perpendiculars are computed with twice the digits, so that edges as parallel as
//! numbers can be still have one.
//! Guarantees: the result for a direction is the overlap along it, up to rounding: no answer is too small. It may be
//! too great by the error of a rounded direction: [`TURNED`].
//! Cost: O(facets · corners + edges²).

use crate::convex::support::{PlacedHull, Support};
use crate::numeric::twofold::{Twofold, Vector};
use heurt_geometry::{Dimension, Vec3, robust_normalize};
use heurt_shape::{Edge, Facet};

/// The least overlap of two sets along a direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Overlap {
    /// Negative if the sets are disjoint.
    pub depth: f64,
    /// Unit vector from A to B.
    pub normal: Vec3,
    /// Support points of A along `normal` and of B against it.
    pub on_a: Vec3,
    pub on_b: Vec3,
}

/// Maximum number of pairs of edges that are all tested: normals of needles are too uncertain to dismiss any.
const FEW_PAIRS: usize = 20_000;

/// Maximum excess of the least overlap due to rounded directions, in ε of the largest coordinate. Components are right
/// to 1.25 ε, and points of the difference reach 2·√3 far, which makes 4.4; facets of many corners are granted as much
/// again.
pub(crate) const TURNED: f64 = 8.0;

/// Maximum gap of arcs that count as crossing: normals are rounded.
const ARC_ROOM: f64 = 1e-9;

/// Finds the direction of least overlap; there is always one unless numbers are out of range.
pub(crate) fn least_overlap(a: &PlacedHull<'_>, b: &PlacedHull<'_>) -> Option<Overlap> {
    let mut least: Option<Overlap> = None;
    each_axis(a, b, |normal| {
        let (on_a, on_b) = (a.support(normal).point, b.support(-normal).point);
        let depth = normal.dot(on_a - on_b);
        if least.is_none_or(|least| depth < least.depth) {
            least = Some(Overlap { depth, normal, on_a, on_b });
        }
    });
    least
}

/// Offers the unit vectors that count: outward normals of facets of A, inward normals of facets of B, and
/// perpendiculars of edges with both signs.
pub(crate) fn each_axis(a: &PlacedHull<'_>, b: &PlacedHull<'_>, mut take: impl FnMut(Vec3)) {
    let mut offer = |direction: Vec3| {
        if let Some(normal) = robust_normalize(direction) {
            take(normal);
        }
    };
    let normals = [a, b].map(|placed| {
        let normals = placed.hull.facets().iter().map(|facet| normal_of(placed, facet));
        normals.collect::<Vec<Vec3>>()
    });
    normals[0].iter().for_each(|&normal| offer(normal));
    normals[1].iter().for_each(|&normal| offer(-normal));
    let both_solid = [a, b].iter().all(|placed| placed.hull.dimension() == Dimension::Solid);
    let prunes = both_solid && a.hull.edges().len() * b.hull.edges().len() > FEW_PAIRS;
    for edge_a in a.hull.edges() {
        let along_a = along(a, edge_a);
        for edge_b in b.hull.edges() {
            let along_b = along(b, edge_b);
            if prunes && !arcs_cross(edge_a, &normals[0], along_a, edge_b, &normals[1], along_b) {
                continue;
            }
            let across = cross_of(ends(a, edge_a), ends(b, edge_b));
            offer(across);
            offer(-across);
        }
    }
    if !both_solid {
        across_in_plane(a, b, &normals, &mut offer);
    }
}

/// Offers the directions that may separate two sets neither of which is solid: in a common plane the normals of edges,
/// on a common line that line.
fn across_in_plane(a: &PlacedHull<'_>, b: &PlacedHull<'_>, normals: &[Vec<Vec3>; 2], offer: &mut impl FnMut(Vec3)) {
    if [a, b].iter().any(|placed| placed.hull.dimension() == Dimension::Solid) {
        return;
    }
    let lines: Vec<Vec3> = [a, b]
        .iter()
        .flat_map(|placed| placed.hull.edges().iter().map(|edge| along(placed, edge)))
        .map(|direction| robust_normalize(direction).unwrap_or(Vec3::ZERO))
        .collect();
    let crossed =
        if let [first, second] = lines[..] { accurate_cross(first, second).normalize_or_zero() } else { Vec3::ZERO };
    let planes = normals.iter().filter_map(|normals| normals.first().copied()).chain([crossed]);
    let mut has_plane = false;
    for plane in planes.filter(|plane| *plane != Vec3::ZERO) {
        has_plane = true;
        lines.iter().map(|direction| accurate_cross(plane, *direction)).for_each(|across| {
            offer(across);
            offer(-across);
        });
    }
    if has_plane {
        return;
    }
    // Points, and segments that are parallel.
    let between = a.place(0) - b.place(0);
    let between = robust_normalize(between).unwrap_or(Vec3::ZERO);
    let line = lines.iter().copied().chain([between]).find(|direction| *direction != Vec3::ZERO).unwrap_or(Vec3::X);
    // Twice: on one line the first projection leaves rounding errors of any direction, along the line as well.
    let off_line = |direction: Vec3| (direction - line * direction.dot(line)).normalize_or_zero();
    let across_line = off_line(between);
    let is_rounding = across_line == Vec3::ZERO || across_line.dot(line).abs() > 0.5;
    let across_line = if is_rounding { line.any_orthonormal_vector() } else { off_line(across_line) };
    for direction in [line, -line, across_line, -across_line] {
        offer(direction);
    }
}

/// Computes the outward normal of a facet from its placed corners.
pub(crate) fn normal_of(placed: &PlacedHull<'_>, facet: &Facet) -> Vec3 {
    let at = |k: usize| placed.place(facet.corners[k % facet.corners.len()]);
    if let [_, _, _] = facet.corners[..] {
        return cross_of([at(0), at(1)], [at(0), at(2)]).normalize_or_zero();
    }
    // Sums over all edges: no three corners need be well placed.
    let sum: Vec3 = (1..facet.corners.len() - 1).map(|k| cross_of([at(0), at(k)], [at(0), at(k + 1)])).sum();
    sum.normalize_or_zero()
}

fn ends(placed: &PlacedHull<'_>, edge: &Edge) -> [Vec3; 2] {
    edge.ends.map(|end| placed.place(end))
}

fn along(placed: &PlacedHull<'_>, edge: &Edge) -> Vec3 {
    let [from, to] = ends(placed, edge);
    to - from
}

/// Tests whether two edges form a facet of A − B: the arc between the normals next to the first edge crosses the arc
/// between the negated normals next to the second.
fn arcs_cross(edge_a: &Edge, of_a: &[Vec3], along_a: Vec3, edge_b: &Edge, of_b: &[Vec3], along_b: Vec3) -> bool {
    let Some(([a_left, a_right], [b_left, b_right])) = edge_a.facets.zip(edge_b.facets) else { return true };
    let (a, b) = (of_a[a_left as usize], of_a[a_right as usize]);
    let (c, d) = (-of_b[b_left as usize], -of_b[b_right as usize]);
    let (along_a, along_b) = (along_a.normalize_or_zero(), along_b.normalize_or_zero());
    let (c_side, d_side) = (c.dot(along_a), d.dot(along_a));
    let (a_side, b_side) = (a.dot(along_b), b.dot(along_b));
    let straddle = |x: f64, y: f64| x.min(y) <= ARC_ROOM && x.max(y) >= -ARC_ROOM;
    // Each arc meets the great circle of the opposite arc: in the same place, not in opposite places. Rims of plates
    // have arcs of nearly half a turn.
    let (on_a, on_b) = (a * b_side.abs() + b * a_side.abs(), c * d_side.abs() + d * c_side.abs());
    straddle(c_side, d_side) && straddle(a_side, b_side) && on_a.dot(on_b) >= -ARC_ROOM
}

/// Computes the cross product of two vectors, each between two points: rounded differences of points far out would turn
/// it.
fn cross_of([p, q]: [Vec3; 2], [r, s]: [Vec3; 2]) -> Vec3 {
    Twofold::between(p, q).cross(Twofold::between(r, s)).rounded()
}

/// Computes a cross product whose components are right to an ulp or two.
pub(crate) fn accurate_cross(u: Vec3, v: Vec3) -> Vec3 {
    Twofold::between(Vec3::ZERO, u).cross(Twofold::between(Vec3::ZERO, v)).rounded()
}
