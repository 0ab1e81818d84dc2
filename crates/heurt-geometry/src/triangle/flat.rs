//! Exact tests in a plane or on a line: points on segments and triangles, segments against segments, coplanar
//! triangles.
//!
//! Method: a flat figure is projected along a coordinate axis along which it does not collapse; projecting drops a
//! coordinate and rounds nothing.

use crate::predicates::{Exact, Predicates, Sign};
use crate::{Triangle, Vec2, Vec3};

/// Drops the coordinate along `axis`, keeping the orientation of the remaining two.
#[inline(always)]
pub(crate) fn dropped(p: Vec3, axis: usize) -> Vec2 {
    match axis {
        0 => Vec2::new(p.y, p.z),
        1 => Vec2::new(p.z, p.x),
        _ => Vec2::new(p.x, p.y),
    }
}

/// Returns an axis along which the triangle does not collapse, and its orientation seen along it; `None` when
/// degenerate.
#[inline]
pub(crate) fn projection<P: Predicates>(t: &Triangle) -> Option<(usize, Sign)> {
    // The largest component of the rounded normal first: it nearly always decides.
    let normal = (t[1] - t[0]).cross(t[2] - t[0]).abs();
    let first = if normal.x > normal.y && normal.x > normal.z {
        0
    } else if normal.y > normal.z {
        1
    } else {
        2
    };
    (0..3).map(|step| (first + step) % 3).find_map(|axis| {
        let [a, b, c] = t.map(|p| dropped(p, axis));
        let sign = P::orient2d(a, b, c);
        (!sign.is_zero()).then_some((axis, sign))
    })
}

/// Reports whether the three corners lie on a line.
///
/// ```
/// use heurt_geometry::{Vec3, is_degenerate};
/// assert!(is_degenerate(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0]), "on one line");
/// assert!(!is_degenerate(&[Vec3::ZERO, Vec3::X, Vec3::new(3.0, 1e-300, 0.0)]));
/// ```
pub fn is_degenerate(t: &Triangle) -> bool {
    projection::<Exact>(t).is_none()
}

/// Reports whether `p` lies on the closed segment from `a` to `b`.
pub fn point_on_segment(p: Vec3, a: Vec3, b: Vec3) -> bool {
    is_degenerate(&[a, b, p]) && within(p, a, b)
}

#[inline(always)]
fn within(p: Vec3, a: Vec3, b: Vec3) -> bool {
    p.cmpge(a.min(b)).all() && p.cmple(a.max(b)).all()
}

/// Reports whether `p` lies on the closed triangle.
///
/// ```
/// use heurt_geometry::{Vec3, point_on_triangle};
/// let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// assert!(point_on_triangle(Vec3::new(0.5, 0.5, 0.0), &triangle), "an edge counts");
/// assert!(!point_on_triangle(Vec3::new(0.25, 0.25, 1e-300), &triangle));
/// ```
pub fn point_on_triangle(p: Vec3, t: &Triangle) -> bool {
    point_on_triangle_by::<Exact>(p, t)
}

pub(super) fn point_on_triangle_by<P: Predicates>(p: Vec3, t: &Triangle) -> bool {
    if !P::orient3d(t[0], t[1], t[2], p).is_zero() {
        return false;
    }
    match projection::<P>(t) {
        Some((axis, orientation)) => {
            let (corners, p) = (t.map(|c| dropped(c, axis)), dropped(p, axis));
            EDGES.iter().all(|&(i, j)| P::orient2d(corners[i], corners[j], p).times(orientation) >= Sign::Zero)
        }
        None => EDGES.iter().any(|&(i, j)| {
            let (a, b) = (t[i], t[j]);
            within(p, a, b) && projection::<P>(&[a, b, p]).is_none()
        }),
    }
}

/// The edges of a triangle by their ends.
pub(super) const EDGES: [(usize, usize); 3] = [(0, 1), (1, 2), (2, 0)];

/// Reports whether the closed segments `ab` and `cd` share a point.
///
/// ```
/// use heurt_geometry::{Vec3, segments_intersect};
/// let (left, right) = (Vec3::ZERO, Vec3::X * 2.0);
/// assert!(segments_intersect(left, right, Vec3::new(1.0, -1.0, 0.0), Vec3::X), "an end touches");
/// assert!(!segments_intersect(left, right, Vec3::new(1.0, -1.0, 1.0), Vec3::new(1.0, 1.0, 1.0)));
/// ```
pub fn segments_intersect(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> bool {
    segments_intersect_by::<Exact>(a, b, c, d)
}

/// Tests the projections along all three axes: four points in a plane project one to one along some axis, so that all
/// projections meet only if the segments do.
fn segments_intersect_by<P: Predicates>(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> bool {
    (0..3).all(|axis| {
        let [a, b, c, d] = [a, b, c, d].map(|p| dropped(p, axis));
        let boxes_meet = a.min(b).cmple(c.max(d)).all() && c.min(d).cmple(a.max(b)).all();
        let straddles = |p: Sign, q: Sign| p != q || p.is_zero();
        boxes_meet
            && straddles(P::orient2d(a, b, c), P::orient2d(a, b, d))
            && straddles(P::orient2d(c, d, a), P::orient2d(c, d, b))
    }) && P::orient3d(a, b, c, d).is_zero()
}

/// Reports whether the closed segment from `p` to `q` and the closed triangle share a point.
///
/// ```
/// use heurt_geometry::{Vec3, segment_intersects_triangle};
/// let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// let drop = |x: f64| [Vec3::new(x, 0.25, 1.0), Vec3::new(x, 0.25, -1.0)];
/// let [[a, b], [c, d]] = [0.25, 2.0].map(drop);
/// assert!(segment_intersects_triangle(a, b, &triangle) && !segment_intersects_triangle(c, d, &triangle));
/// ```
pub fn segment_intersects_triangle(p: Vec3, q: Vec3, t: &Triangle) -> bool {
    segment_intersects_triangle_by::<Exact>(p, q, t)
}

pub(super) fn segment_intersects_triangle_by<P: Predicates>(p: Vec3, q: Vec3, t: &Triangle) -> bool {
    let crosses_edge = || EDGES.iter().any(|&(i, j)| segments_intersect_by::<P>(p, q, t[i], t[j]));
    let sides = (P::orient3d(t[0], t[1], t[2], p), P::orient3d(t[0], t[1], t[2], q));
    match sides {
        // In the plane of the triangle, or the triangle is degenerate.
        (Sign::Zero, Sign::Zero) => point_on_triangle_by::<P>(p, t) || crosses_edge(),
        (before, after) if before == after => false,
        _ => {
            let turns = EDGES.map(|(i, j)| P::orient3d(p, q, t[i], t[j]));
            turns.iter().all(|s| *s >= Sign::Zero) || turns.iter().all(|s| *s <= Sign::Zero)
        }
    }
}

/// Reports whether triangles with a common plane or without an inside meet.
#[cold]
#[inline(never)]
pub(super) fn flat_triangles_intersect<P: Predicates>(x: &Triangle, y: &Triangle) -> bool {
    match (projection::<P>(x), projection::<P>(y)) {
        (Some((axis, of_x)), Some((axis_y, of_y))) => {
            // Both span the same plane, so an axis along which one does not collapse serves for both.
            let seen_y = y.map(|p| dropped(p, axis));
            let of_y = if axis == axis_y { of_y } else { P::orient2d(seen_y[0], seen_y[1], seen_y[2]) };
            let seen_x = x.map(|p| dropped(p, axis));
            !edge_parts::<P>(&seen_x, of_x, &seen_y) && !edge_parts::<P>(&seen_y, of_y, &seen_x)
        }
        (None, _) => EDGES.iter().any(|&(i, j)| segment_intersects_triangle_by::<P>(x[i], x[j], y)),
        (_, None) => EDGES.iter().any(|&(i, j)| segment_intersects_triangle_by::<P>(y[i], y[j], x)),
    }
}

/// Reports whether an edge of `x` has all of `y` strictly outside: for disjoint coplanar triangles, one of the six
/// edges has.
fn edge_parts<P: Predicates>(x: &[Vec2; 3], orientation: Sign, y: &[Vec2; 3]) -> bool {
    EDGES.iter().any(|&(i, j)| y.iter().all(|p| P::orient2d(x[i], x[j], *p).times(orientation) == Sign::Negative))
}
