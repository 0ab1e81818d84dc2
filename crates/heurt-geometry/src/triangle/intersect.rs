//! Exact triangle–triangle intersection test.
//!
//! Method: the sides of each triangle's corners relative to the plane of the opposite triangle dismiss most pairs. All
//! remaining triangles intersect the common line of both planes in two intervals, whose ends are compared by two more
//! determinants (Guigue and Devillers 2003). Coplanar and degenerate triangles go to `flat`.
//! Cost: 3 to 8 determinants in general position.

use super::flat::flat_triangles_intersect;
use crate::predicates::{Exact, Predicates, Sign};
use crate::{Triangle, Vec3};

/// Reports whether the closed triangles share a point.
///
/// ```
/// use heurt_geometry::{Vec3, triangles_intersect};
/// let floor = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// let standing = [Vec3::new(0.2, 0.2, 0.0), Vec3::new(0.2, 0.2, 1.0), Vec3::new(0.3, 0.2, 1.0)];
/// assert!(triangles_intersect(&floor, &standing), "one corner touches the floor");
/// ```
#[inline]
pub fn triangles_intersect(x: &Triangle, y: &Triangle) -> bool {
    triangles_intersect_by::<Exact>(x, y)
}

/// Computes [`triangles_intersect`] with the signs of `P`.
#[doc(hidden)]
#[inline(always)]
pub fn triangles_intersect_by<P: Predicates>(x: &Triangle, y: &Triangle) -> bool {
    let of_y = sides::<P>(x, y);
    if one_sided(of_y) {
        return false;
    }
    let of_x = sides::<P>(y, x);
    if one_sided(of_x) {
        return false;
    }
    if all_zero(of_x) || all_zero(of_y) {
        return flat_triangles_intersect::<P>(x, y);
    }
    let (p, q) = crossing_order(x, of_x, y, of_y);
    // Neither interval may begin after the end of the second one.
    P::orient3d(p[0], p[1], q[0], q[1]) <= Sign::Zero && P::orient3d(p[0], p[2], q[2], q[0]) <= Sign::Zero
}

/// Relation of two triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TriangleRelation {
    /// They share no point.
    Disjoint,
    /// They share points, but do not pass through each other.
    Touching,
    /// They pass through each other: an inner point of each lies on the opposite triangle, in planes that cross.
    Crossing,
}

/// Reports whether the closed triangles are disjoint, touch or pass through each other, exactly.
pub fn triangle_relation(x: &Triangle, y: &Triangle) -> TriangleRelation {
    if !triangles_intersect(x, y) {
        return TriangleRelation::Disjoint;
    }
    let (of_y, of_x) = (sides::<Exact>(x, y), sides::<Exact>(y, x));
    let straddles = |s: [Sign; 3]| s.contains(&Sign::Positive) && s.contains(&Sign::Negative);
    if !straddles(of_x) || !straddles(of_y) {
        return TriangleRelation::Touching;
    }
    let (p, q) = crossing_order(x, of_x, y, of_y);
    // Both intersect the common line in intervals of positive length; they pass through each other when these overlap
    // in more than a point.
    let before = Exact::orient3d(p[0], p[1], q[0], q[1]) == Sign::Negative;
    let after = Exact::orient3d(p[0], p[2], q[2], q[0]) == Sign::Negative;
    if before && after { TriangleRelation::Crossing } else { TriangleRelation::Touching }
}

/// Returns the sides of the corners of `t` relative to the plane of `plane`; all zero when that is degenerate.
#[inline(always)]
pub(super) fn sides<P: Predicates>(plane: &Triangle, t: &Triangle) -> [Sign; 3] {
    P::sides(plane, t)
}

#[inline(always)]
fn one_sided(s: [Sign; 3]) -> bool {
    s[0] != Sign::Zero && s[0] == s[1] && s[1] == s[2]
}

#[inline(always)]
pub(super) fn all_zero(s: [Sign; 3]) -> bool {
    s == [Sign::Zero; 3]
}

/// Returns the corner alone on its side, and whether that is the negative side. Both remaining corners are on the
/// opposite side or on the plane; if the lone corner is on the plane, both are strictly on one side.
#[inline(always)]
pub(super) fn lone_corner(s: [Sign; 3]) -> (usize, bool) {
    // A table avoids an unpredictable branch on the corner.
    const LONE: [(u8, bool); 27] = lone_corners();
    let digit = |s: Sign| (s as i8 + 1) as usize;
    let (corner, below) = LONE[digit(s[0]) * 9 + digit(s[1]) * 3 + digit(s[2])];
    (usize::from(corner), below)
}

/// Tabulates [`lone_corner`] for all signs, the first corner's counting most.
const fn lone_corners() -> [(u8, bool); 27] {
    const SIGNS: [Sign; 3] = [Sign::Negative, Sign::Zero, Sign::Positive];
    let mut table = [(0, false); 27];
    let mut k = 0;
    while k < 27 {
        table[k] = lone_corner_of([SIGNS[k / 9], SIGNS[k / 3 % 3], SIGNS[k % 3]]);
        k += 1;
    }
    table
}

const fn lone_corner_of(s: [Sign; 3]) -> (u8, bool) {
    use Sign::{Negative, Positive, Zero};
    match s {
        [Positive, Negative | Zero, Negative | Zero] => (0, false),
        [Negative | Zero, Positive, Negative | Zero] => (1, false),
        [Negative | Zero, Negative | Zero, Positive] => (2, false),
        [Negative, Positive | Zero, Positive | Zero] => (0, true),
        [Positive | Zero, Negative, Positive | Zero] => (1, true),
        [Positive | Zero, Positive | Zero, Negative] => (2, true),
        // Two strictly on one side, one on the plane: it counts as the opposite side.
        [Zero, Positive, _] => (0, true),
        [_, Zero, Positive] => (1, true),
        [Positive, _, Zero] => (2, true),
        [Zero, _, _] => (0, false),
        [_, Zero, _] => (1, false),
        _ => (2, false),
    }
}

/// Returns both triangles with the lone corner first, oriented so that it lies on the positive side of the opposite
/// triangle's plane; then the intervals on the common line have the same direction.
#[inline(always)]
pub(super) fn crossing_order(x: &Triangle, of_x: [Sign; 3], y: &Triangle, of_y: [Sign; 3]) -> ([Vec3; 3], [Vec3; 3]) {
    let ((i, x_below), (j, y_below)) = (lone_corner(of_x), lone_corner(of_y));
    // If a lone corner is below the opposite triangle's plane, that triangle is reversed, which flips its plane.
    (from_corner(x, i, y_below), from_corner(y, j, x_below))
}

/// Returns the corners of `t` from `first` on, in reverse order when `turned`.
#[inline(always)]
fn from_corner(t: &Triangle, first: usize, turned: bool) -> Triangle {
    const FOLLOWING: [[usize; 2]; 6] = [[1, 2], [2, 1], [2, 0], [0, 2], [0, 1], [1, 0]];
    let [second, third] = FOLLOWING[first * 2 + usize::from(turned)];
    [t[first], t[second], t[third]]
}
