//! Nearest points of two triangles that do not intersect, in `f64`.
//!
//! Method: the nearest points of two disjoint triangles are a corner of one and a point of the second, or points of two
//! edges. Corners: [`closest_on_triangle`]. Edges: the common perpendicular by the cross product of both directions
//! gives the point on the first edge; the point on the second is the foot of that point, and the first is computed
//! again as the foot of the second. So both points have the same accuracy, and a distance is off by a few ulp of the
//! coordinates however close to parallel the edges are: the cross product loses u/sin θ of its length, and the
//! resulting shift of a point enters the distance times sin θ. For triangles that intersect, [`nearest_points`] returns
//! some distance and [`common_point`] returns a common point.

use crate::triangle::closest_point::{closest_on_triangle, foot_on_segment};
use heurt_geometry::{Triangle, Vec3, power_of_two_scale, robust_normalize};

/// Bound on the error of a distance of two triangles, as a share of the largest coordinate of both.
pub(crate) const ROUNDING: f64 = 48.0 * f64::EPSILON;

/// The nearest points of two triangles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearestPoints {
    pub on_x: Vec3,
    pub on_y: Vec3,
    /// In metres; 0 if its square is below the normal numbers in the unit of the triangles.
    pub distance: f64,
    /// A bound on the error of the distance, in metres.
    pub error: f64,
}

/// Finds the nearest points of two triangles.
pub(crate) fn nearest_points(x: &Triangle, y: &Triangle) -> NearestPoints {
    let unit = unit_of(x, y);
    let scaled = |corner: Vec3| corner * unit;
    let PairOffset { on_x, on_y, length_sq } = shortest_offset(&x.map(scaled), &y.map(scaled));
    let metre = 1.0 / unit;
    NearestPoints { on_x: on_x * metre, on_y: on_y * metre, distance: length_sq.sqrt() * metre, error: error_of(x, y) }
}

/// Returns the largest coordinate of two triangles in magnitude.
pub(crate) fn largest(x: &Triangle, y: &Triangle) -> f64 {
    x.iter().chain(y).fold(0.0, |most, corner| f64::max(most, corner.abs().max_element()))
}

/// Bounds the error of a distance of these triangles, in metres. Denormal numbers are rounded to multiples of the least
/// denormal number.
fn error_of(x: &Triangle, y: &Triangle) -> f64 {
    ROUNDING * largest(x, y) + 8.0 * f64::from_bits(1)
}

/// Returns the units per metre in which both triangles together measure approximately 1, so that the underflow of
/// products of four lengths is negligible. A unit for whole meshes would not suit their small triangles. Lengths below
/// 2⁻⁶⁰ of a coordinate are rounding.
fn unit_of(x: &Triangle, y: &Triangle) -> f64 {
    let largest_offset = |most: f64, corner: &Vec3| f64::max(most, (*corner - x[0]).abs().max_element());
    let rounding = x[0].abs().max_element() * (1.0 / (1u64 << 60) as f64);
    power_of_two_scale(x.iter().chain(y).fold(rounding, largest_offset))
}

/// The offset from a point of one triangle to a point of the second.
#[derive(Debug, Clone, Copy)]
struct PairOffset {
    on_x: Vec3,
    on_y: Vec3,
    length_sq: f64,
}

impl PairOffset {
    #[inline(always)]
    fn of(on_x: Vec3, on_y: Vec3) -> Self {
        Self { on_x, on_y, length_sq: (on_y - on_x).length_squared() }
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        if other.length_sq < self.length_sq { other } else { self }
    }
}

/// Finds the shortest offset between two triangles that measure approximately 1.
fn shortest_offset(x: &Triangle, y: &Triangle) -> PairOffset {
    let mut best = PairOffset::of(x[0], closest_on_triangle(x[0], y));
    for &corner in &x[1..] {
        best = best.or(PairOffset::of(corner, closest_on_triangle(corner, y)));
    }
    for &corner in y {
        best = best.or(PairOffset::of(closest_on_triangle(corner, x), corner));
    }
    for i in 0..3 {
        for j in 0..3 {
            if let Some(passing) = where_edges_pass(x[i], x[(i + 1) % 3], y[j], y[(j + 1) % 3]) {
                best = best.or(passing);
            }
        }
    }
    best
}

/// Finds the nearest points of two edges, unless they are provably nearest at an end, which the corners cover.
#[inline(always)]
fn where_edges_pass(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Option<PairOffset> {
    let (along_x, along_y, between) = (b - a, d - c, c - a);
    let across = along_x.cross(along_y);
    let sine_sq = across.length_squared();
    let share_x = between.cross(along_y).dot(across);
    let share_y = between.cross(along_x).dot(across);
    // Shares times the square of the sine; rounding may put an interior point slightly beyond an end.
    let room = sine_sq * 1e-3;
    let is_between = |share: f64| share > -room && share < sine_sq + room;
    if !(sine_sq > 0.0 && is_between(share_x) && is_between(share_y)) {
        return None;
    }
    let on_x = a + along_x * (share_x / sine_sq).clamp(0.0, 1.0);
    let on_y = foot_on_segment(on_x, c, d);
    let on_x = foot_on_segment(on_y, a, b);
    Some(PairOffset::of(on_x, on_y))
}

/// Finds a common point, up to rounding, of two triangles that intersect: a corner on the second triangle, a point
/// where edges meet, or the intersection of an edge with the second triangle's plane.
pub(crate) fn common_point(x: &Triangle, y: &Triangle) -> Vec3 {
    let unit = unit_of(x, y);
    let [x, y] = [x, y].map(|t| t.map(|corner| corner * unit));
    let mut best = shortest_offset(&x, &y);
    for (t, other) in [(&x, &y), (&y, &x)] {
        let normal = (other[1] - other[0]).cross(other[2] - other[0]);
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            let (above, below) = (normal.dot(a - other[0]), normal.dot(b - other[0]));
            let through = a + (b - a) * (above / (above - below));
            if (above > 0.0) != (below > 0.0) && through.is_finite() {
                best = best.or(PairOffset::of(through, closest_on_triangle(through, other)));
            }
        }
    }
    best.on_x / unit
}

/// Finds the direction, from `x` to `y`, of the greatest separation of two disjoint triangles: normals, common
/// perpendiculars of edges, or the direction between the given points. If the points are nearly the same, their
/// difference is mostly rounding.
pub(crate) fn separating_direction(x: &Triangle, y: &Triangle, nearest: &NearestPoints) -> Vec3 {
    let unit = unit_of(x, y);
    let [x, y] = [x, y].map(|t| t.map(|corner| corner * unit));
    let [on_x, on_y] = [nearest.on_x, nearest.on_y].map(|point| point * unit);
    let mut best = (f64::NEG_INFINITY, Vec3::ZERO);
    let mut offer = |direction: Vec3| {
        let Some(direction) = robust_normalize(direction) else { return };
        // Coordinates are relative to a nearest point, so that nothing large cancels.
        let reach = |t: &Triangle, sign: f64| {
            t.iter().map(|&p| sign * direction.dot(p - on_x)).fold(f64::NEG_INFINITY, f64::max)
        };
        for (sign, gap) in [(1.0, -reach(&x, 1.0) - reach(&y, -1.0)), (-1.0, -reach(&x, -1.0) - reach(&y, 1.0))] {
            if gap > best.0 {
                best = (gap, direction * sign);
            }
        }
    };
    offer(on_y - on_x);
    // Edges are normalised, so that a short edge gives an accurate cross product, too.
    let edges =
        |t: &Triangle| [t[1] - t[0], t[2] - t[1], t[0] - t[2]].map(|edge| robust_normalize(edge).unwrap_or(Vec3::ZERO));
    let (of_x, of_y) = (edges(&x), edges(&y));
    offer(of_x[0].cross(of_x[1]));
    offer(of_y[0].cross(of_y[1]));
    for edge_x in of_x {
        of_y.iter().for_each(|&edge_y| offer(edge_x.cross(edge_y)));
    }
    best.1
}
