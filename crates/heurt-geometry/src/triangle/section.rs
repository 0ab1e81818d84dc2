//! Where two triangles meet: the point, segment or polygon they share, for contours.
//!
//! Method: whether and between which features they meet is decided by exact signs; only then are positions computed, by
//! interpolating along the edge that crosses the other's plane, and rounded. Ends carry the features they lie on, so that
//! contours are chained by topology and never by comparing coordinates.

use super::flat::{EDGES, dropped, point_on_triangle_by, projection, segment_intersects_triangle_by};
use super::intersect::{all_zero, crossing_order, lone_corner, sides, triangles_intersect};
use crate::predicates::{Exact, Predicates, Sign};
use crate::{Triangle, Vec3};

/// A part of a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// A corner, 0 to 2.
    Vertex(u8),
    /// The edge from corner k to corner k + 1, 0 to 2.
    Edge(u8),
    /// The inside.
    Face,
}

/// An end of a section.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SectionPoint {
    /// Where it is, rounded.
    pub position: Vec3,
    /// What it lies on in the first triangle.
    pub a: Feature,
    /// What it lies on in the second triangle.
    pub b: Feature,
}

/// What two triangles share.
#[derive(Debug, Clone, PartialEq)]
pub enum Section {
    /// Nothing.
    None,
    /// One point.
    Point(SectionPoint),
    /// A segment.
    Segment([SectionPoint; 2]),
    /// A polygon (or, where a triangle is degenerate, its one or two ends), rounded, in turn.
    Coplanar(Vec<Vec3>),
}

/// Computes what the closed triangles share; [`Section::None`] exactly when they do not meet.
pub fn section(x: &Triangle, y: &Triangle) -> Section {
    if !triangles_intersect(x, y) {
        return Section::None;
    }
    let (of_y, of_x) = (sides::<Exact>(x, y), sides::<Exact>(y, x));
    if all_zero(of_x) || all_zero(of_y) {
        return flat_section(x, y);
    }
    let crossings_x = crossings(x, of_x, y);
    let crossings_y = crossings(y, of_y, x);
    let (p, q) = crossing_order(x, of_x, y, of_y);
    // order[i][j]: where crossing j of y lies from crossing i of x along the common line. Turning a triangle over to agree in
    // direction swaps its last two corners, which `far` undoes.
    let (far_x, far_y) = (far_corners(x, of_x, &p), far_corners(y, of_y, &q));
    let order = [0, 1].map(|i| [0, 1].map(|j| Exact::orient3d(p[0], far_x[i], q[0], far_y[j])));
    let mut ends: Vec<SectionPoint> = Vec::with_capacity(4);
    for i in 0..2 {
        if order[i][0].times(order[i][1]) <= Sign::Zero {
            let meets = (0..2).find(|&j| order[i][j].is_zero());
            let b = meets.map_or(Feature::Face, |j| crossings_y[j].1);
            push(&mut ends, SectionPoint { position: crossings_x[i].0, a: crossings_x[i].1, b });
        }
    }
    for j in 0..2 {
        if order[0][j].times(order[1][j]) <= Sign::Zero {
            let meets = (0..2).find(|&i| order[i][j].is_zero());
            let a = meets.map_or(Feature::Face, |i| crossings_x[i].1);
            push(&mut ends, SectionPoint { position: crossings_y[j].0, a, b: crossings_y[j].1 });
        }
    }
    match ends.as_slice() {
        [first, second, ..] => Section::Segment([*first, *second]),
        [only] => Section::Point(*only),
        [] => Section::None,
    }
}

/// Adds an end unless one on the same features is there.
fn push(ends: &mut Vec<SectionPoint>, end: SectionPoint) {
    if !ends.iter().any(|e| e.a == end.a && e.b == end.b) {
        ends.push(end);
    }
}

/// The far corners of the two edges from the lone corner of `t`, in the order in which [`crossings`] lists them.
fn far_corners(t: &Triangle, sides: [Sign; 3], ordered: &Triangle) -> [Vec3; 2] {
    let (lone, _) = lone_corner(sides);
    let swapped = ordered[1] != t[(lone + 1) % 3];
    if swapped { [ordered[2], ordered[1]] } else { [ordered[1], ordered[2]] }
}

/// Where the two edges from the lone corner of `t` cross the plane, with the feature of `t`.
fn crossings(t: &Triangle, sides: [Sign; 3], plane: &Triangle) -> [(Vec3, Feature); 2] {
    let (lone, _) = lone_corner(sides);
    [(lone + 1) % 3, (lone + 2) % 3].map(|far| {
        if sides[lone].is_zero() {
            return (t[lone], Feature::Vertex(lone as u8));
        }
        if sides[far].is_zero() {
            return (t[far], Feature::Vertex(far as u8));
        }
        let edge = if far == (lone + 1) % 3 { lone } else { far };
        (crossing_point(t[edge], t[(edge + 1) % 3], plane), Feature::Edge(edge as u8))
    })
}

/// The point of the edge from `a` to `b` on the plane, rounded and kept within the edge's box. The same bits for the same
/// edge whichever of its triangles asks: ends are put in order first.
fn crossing_point(a: Vec3, b: Vec3, plane: &Triangle) -> Vec3 {
    let (a, b) = if a.to_array() <= b.to_array() { (a, b) } else { (b, a) };
    let normal = (plane[1] - plane[0]).cross(plane[2] - plane[0]);
    let (above, below) = (normal.dot(a - plane[0]).abs(), normal.dot(b - plane[0]).abs());
    let share = above / (above + below);
    let share = if share.is_finite() { share } else { 0.5 };
    // From the nearer end, so that the rounding shrinks with the distance.
    let point = if share <= 0.5 { a + (b - a) * share } else { b + (a - b) * (1.0 - share) };
    point.clamp(a.min(b), a.max(b))
}

/// The common part of triangles that share a plane, or one of which is degenerate.
fn flat_section(x: &Triangle, y: &Triangle) -> Section {
    let points = match (projection::<Exact>(x), projection::<Exact>(y)) {
        (Some((axis, orientation)), Some(_)) => clip(x, orientation, axis, y),
        _ => Vec::new(),
    };
    if !points.is_empty() {
        return Section::Coplanar(points);
    }
    // Degenerate, or so thin that rounding left nothing: corners and crossing edges tell.
    let mut points: Vec<Vec3> = x.iter().filter(|p| point_on_triangle_by::<Exact>(**p, y)).copied().collect();
    points.extend(y.iter().filter(|p| point_on_triangle_by::<Exact>(**p, x)));
    if points.is_empty() {
        let edges = |t: &Triangle| EDGES.map(|(i, j)| (t[i], t[j]));
        let through = |(a, b): (Vec3, Vec3), t: &Triangle| {
            segment_intersects_triangle_by::<Exact>(a, b, t).then(|| crossing_point(a, b, t))
        };
        points.extend(edges(x).into_iter().find_map(|e| through(e, y)));
        points.extend(edges(y).into_iter().find_map(|e| through(e, x)));
        points.truncate(1);
    }
    points.dedup();
    Section::Coplanar(points)
}

/// Clips `y` by the edges of `x` in the plane (Sutherland and Hodgman), rounded.
fn clip(x: &Triangle, orientation: Sign, axis: usize, y: &Triangle) -> Vec<Vec3> {
    let turn = if orientation == Sign::Negative { -1.0 } else { 1.0 };
    let mut polygon = y.to_vec();
    for (i, j) in EDGES {
        let (a, b) = (dropped(x[i], axis), dropped(x[j], axis));
        let height = |p: Vec3| {
            let p = dropped(p, axis);
            if Exact::orient2d(a, b, p).is_zero() { 0.0 } else { turn * (b - a).perp_dot(p - a) }
        };
        let mut kept = Vec::with_capacity(polygon.len() + 1);
        for (k, &p) in polygon.iter().enumerate() {
            let q = polygon[(k + 1) % polygon.len()];
            let (hp, hq) = (height(p), height(q));
            if hp >= 0.0 {
                kept.push(p);
            }
            if hp > 0.0 && hq < 0.0 || hp < 0.0 && hq > 0.0 {
                kept.push(p + (q - p) * (hp / (hp - hq)));
            }
        }
        polygon = kept;
    }
    polygon.dedup();
    while polygon.len() > 1 && polygon.first() == polygon.last() {
        polygon.pop();
    }
    polygon
}
