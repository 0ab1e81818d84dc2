//! Intersection of two triangles: the shared point, segment or polygon, for contours.
//!
//! Method: exact signs decide whether and between which features they meet. Only then are positions computed, by
//! interpolating along the edge that crosses the opposite triangle's plane, and rounded. Ends carry the features they
//! lie on, so contours are chained by topology and never by comparing coordinates.
//! Guarantees: features are exact, the narrowest there is: an end is called an inner point of a triangle only if it
//! lies on none of its edges and corners. Positions are rounded: on well-shaped triangles by a few ulp of the largest
//! coordinate; by more where the planes or a polygon's edges are nearly parallel, in proportion to 1 / sine of their
//! angle. Factors of size are taken out before products are formed, so that this holds over the whole range of `f64`;
//! if coordinates or their differences are denormal (below approximately 1e-307), an ulp is the denormal spacing
//! 5e-324.

use super::flat::{EDGES, dropped, point_on_triangle_by, projection, segment_intersects_triangle_by};
use super::intersect::{all_zero, crossing_order, lone_corner, sides, triangles_intersect};
use crate::predicates::{Exact, Predicates, Sign, binary_exponent, scale};
use crate::{Triangle, Vec3};

/// A feature of a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TriangleFeature {
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
    /// Position, rounded.
    pub position: Vec3,
    /// Its feature of the first triangle.
    pub a: TriangleFeature,
    /// Its feature of the second triangle.
    pub b: TriangleFeature,
}

/// Intersection of two triangles.
#[derive(Debug, Clone, PartialEq)]
pub enum Section {
    /// Nothing.
    None,
    /// One point.
    Point(SectionPoint),
    /// A segment.
    Segment([SectionPoint; 2]),
    /// A polygon (or, if a triangle is degenerate, its one or two ends), rounded, in turn.
    Coplanar(Vec<Vec3>),
}

/// Computes the intersection of the closed triangles; [`Section::None`] exactly when they do not meet.
///
/// ```
/// use heurt_geometry::{Section, Vec3, section};
/// let floor = [Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 4.0];
/// let wall = [Vec3::new(1.0, 1.0, -1.0), Vec3::new(2.0, 1.0, 1.0), Vec3::new(0.0, 1.0, 1.0)];
/// let Section::Segment([p, q]) = section(&floor, &wall) else { panic!("they cross") };
/// assert_eq!((p.position - q.position).length(), 1.0);
/// ```
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
    // order[i][j]: position of crossing j of y relative to crossing i of x along the common line. Reversing a triangle
    // to agree in direction swaps its last two corners, which `far` undoes.
    let (far_x, far_y) = (far_corners(x, of_x, &p), far_corners(y, of_y, &q));
    let order = [0, 1].map(|i| [0, 1].map(|j| Exact::orient3d(p[0], far_x[i], q[0], far_y[j])));
    let (between_x, between_y) = (between_crossings(of_x), between_crossings(of_y));
    let mut ends: Vec<SectionPoint> = Vec::with_capacity(4);
    for i in 0..2 {
        if order[i][0].times(order[i][1]) <= Sign::Zero {
            let meets = (0..2).find(|&j| order[i][j].is_zero());
            let b = meets.map_or(between_y, |j| crossings_y[j].1);
            push(&mut ends, SectionPoint { position: crossings_x[i].0, a: crossings_x[i].1, b });
        }
    }
    for j in 0..2 {
        if order[0][j].times(order[1][j]) <= Sign::Zero {
            let meets = (0..2).find(|&i| order[i][j].is_zero());
            let a = meets.map_or(between_x, |i| crossings_x[i].1);
            push(&mut ends, SectionPoint { position: crossings_y[j].0, a, b: crossings_y[j].1 });
        }
    }
    match ends.as_slice() {
        [first, second, ..] => Section::Segment([*first, *second]),
        [only] => Section::Point(*only),
        [] => Section::None,
    }
}

/// Returns the feature of the points between both crossings of a triangle: an edge if that lies in the plane.
fn between_crossings(sides: [Sign; 3]) -> TriangleFeature {
    match sides.map(Sign::is_zero) {
        [true, true, _] => TriangleFeature::Edge(0),
        [_, true, true] => TriangleFeature::Edge(1),
        [true, _, true] => TriangleFeature::Edge(2),
        _ => TriangleFeature::Face,
    }
}

/// Adds an end unless an end on the same features exists.
fn push(ends: &mut Vec<SectionPoint>, end: SectionPoint) {
    if !ends.iter().any(|e| e.a == end.a && e.b == end.b) {
        ends.push(end);
    }
}

/// Returns the far corners of both edges from the lone corner of `t`, in the order in which [`crossings`] lists them.
fn far_corners(t: &Triangle, sides: [Sign; 3], ordered: &Triangle) -> [Vec3; 2] {
    let (lone, _) = lone_corner(sides);
    let swapped = ordered[1] != t[(lone + 1) % 3];
    if swapped { [ordered[2], ordered[1]] } else { [ordered[1], ordered[2]] }
}

/// Returns the crossings of both edges from the lone corner of `t` with the plane, with the feature of `t`.
fn crossings(t: &Triangle, sides: [Sign; 3], plane: &Triangle) -> [(Vec3, TriangleFeature); 2] {
    let (lone, _) = lone_corner(sides);
    [(lone + 1) % 3, (lone + 2) % 3].map(|far| {
        if sides[lone].is_zero() {
            return (t[lone], TriangleFeature::Vertex(lone as u8));
        }
        if sides[far].is_zero() {
            return (t[far], TriangleFeature::Vertex(far as u8));
        }
        let edge = if far == (lone + 1) % 3 { lone } else { far };
        (crossing_point(t[edge], t[(edge + 1) % 3], plane), TriangleFeature::Edge(edge as u8))
    })
}

/// Returns the point of the edge from `a` to `b` on the plane, rounded and kept within the edge's box. The bits are the
/// same for both triangles of an edge: ends are put in order first.
fn crossing_point(a: Vec3, b: Vec3, plane: &Triangle) -> Vec3 {
    let (a, b) = if a.to_array() <= b.to_array() { (a, b) } else { (b, a) };
    // The length of the normal does not matter, so each of its factors has its own scale. The heights share a scale.
    let [u, v] = [plane[1], plane[2]].map(|p| seen_from(plane[0], [p])[0]);
    let normal = u.cross(v);
    let [to_a, to_b] = seen_from(plane[0], [a, b]);
    let (above, below) = (normal.dot(to_a).abs(), normal.dot(to_b).abs());
    let share = above / (above + below);
    let share = if share.is_finite() { share } else { 0.5 };
    interpolate(a, b, share).clamp(a.min(b), a.max(b))
}

/// Returns half of p − q, which never overflows; exact halves except for denormals.
fn half_difference(p: Vec3, q: Vec3) -> Vec3 {
    p * 0.5 - q * 0.5
}

/// Returns the offset from `origin` to each point, all times one power of two that keeps products of three from
/// overflowing or vanishing: the largest coordinate comes to lie between 1 and 2.
fn seen_from<P: AsMut<[Vec3]>>(origin: Vec3, mut points: P) -> P {
    const LARGE: f64 = f64::MAX / 4.0;
    let is_large = |p: &Vec3| p.abs().max_element() > LARGE;
    let offsets = points.as_mut();
    let far = is_large(&origin) || offsets.iter().any(is_large);
    offsets.iter_mut().for_each(|p| *p = if far { half_difference(*p, origin) } else { *p - origin });
    let largest = offsets.iter().fold(0.0, |largest: f64, offset| largest.max(offset.abs().max_element()));
    if largest > 0.0 {
        let exponent = -binary_exponent(largest);
        offsets.iter_mut().for_each(|offset| *offset = Vec3::from_array(offset.to_array().map(|x| scale(x, exponent))));
    }
    points
}

/// Returns the point at `share` of the offset from `a` to `b`, computed from the nearer end, so that the rounding
/// decreases with the distance.
fn interpolate(a: Vec3, b: Vec3, share: f64) -> Vec3 {
    let (from, to, share) = if share <= 0.5 { (a, b, share) } else { (b, a, 1.0 - share) };
    let step = to - from;
    if step.is_finite() { from + step * share } else { from + half_difference(to, from) * share * 2.0 }
}

/// Computes the intersection of triangles that share a plane, or one of which is degenerate.
fn flat_section(x: &Triangle, y: &Triangle) -> Section {
    let points = match (projection::<Exact>(x), projection::<Exact>(y)) {
        (Some((axis, orientation)), Some(_)) => clip(x, orientation, axis, y),
        _ => Vec::new(),
    };
    if !points.is_empty() {
        return Section::Coplanar(points);
    }
    // Degenerate, or so thin that rounding left nothing: corners and crossing edges decide.
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
    let mut polygon = y.to_vec();
    for (i, j) in EDGES {
        let (a, b) = (dropped(x[i], axis), dropped(x[j], axis));
        let [along] = seen_from(x[i], [x[j]]).map(|offset| dropped(offset, axis));
        let offsets = seen_from(x[i], polygon.clone());
        // The side is exact, the distance is rounded.
        let height = |(p, offset): (&Vec3, &Vec3)| {
            let side = Exact::orient2d(a, b, dropped(*p, axis)).times(orientation);
            f64::from(side as i8) * along.perp_dot(dropped(*offset, axis)).abs()
        };
        let heights: Vec<f64> = polygon.iter().zip(&offsets).map(height).collect();
        let mut kept = Vec::with_capacity(polygon.len() + 1);
        for (k, &p) in polygon.iter().enumerate() {
            let next = (k + 1) % polygon.len();
            let (q, hp, hq) = (polygon[next], heights[k], heights[next]);
            if hp >= 0.0 {
                kept.push(p);
            }
            if hp > 0.0 && hq < 0.0 || hp < 0.0 && hq > 0.0 {
                kept.push(interpolate(p, q, hp / (hp - hq)));
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
