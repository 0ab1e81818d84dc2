//! Exact signs of determinants: side of a line, of a plane, of a sphere.
//!
//! In: any finite `f64` coordinates, from denormals to the largest. Out: the sign of the exact real value.
//! Method: a floating-point filter with a proven bound (Shewchuk 1997, stage A, with room for underflow) decides nearly
//! every call; equal points and equal coordinates most of the rest; then 256-bit integers, if the coordinates lie
//! within 30 binary orders of each other; then the adaptive predicates of `robust`, which are right while no product
//! under- or overflows (coordinates are scaled by a power of two when that is exact); else integers of any length. No
//! operation is fused anywhere: a bound proved for two roundings is not one for one.
//! Cost: 3–4 ns decided by the filter, some 10 by equality, 50 in 256 bits, 100 to 600 by `robust`, microseconds in
//! long integers.

mod big;
mod range;
mod wide;

use crate::{Triangle, Vec2, Vec3};
pub(crate) use range::{binary_exponent, scale};
use robust::{Coord, Coord3D};

/// The sign of an exact number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sign {
    /// Below zero.
    Negative = -1,
    /// Exactly zero.
    Zero = 0,
    /// Above zero.
    Positive = 1,
}

impl Sign {
    /// Returns the sign of a floating-point number; `NaN` counts as zero.
    #[inline(always)]
    pub fn of(x: f64) -> Self {
        if x > 0.0 {
            Self::Positive
        } else if x < 0.0 {
            Self::Negative
        } else {
            Self::Zero
        }
    }

    /// Returns the opposite sign.
    #[inline(always)]
    #[must_use]
    pub fn flipped(self) -> Self {
        match self {
            Self::Negative => Self::Positive,
            Self::Zero => Self::Zero,
            Self::Positive => Self::Negative,
        }
    }

    /// Reports whether the sign is zero.
    #[inline(always)]
    pub fn is_zero(self) -> bool {
        self == Self::Zero
    }

    /// Returns the product of two signs.
    #[inline(always)]
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        match other {
            Self::Negative => self.flipped(),
            Self::Zero => Self::Zero,
            Self::Positive => self,
        }
    }
}

/// Source of the signs, so that a test can measure the benefit of the exact stages.
pub trait Predicates {
    /// See [`orient2d`].
    fn orient2d(a: Vec2, b: Vec2, c: Vec2) -> Sign;
    /// See [`orient3d`].
    fn orient3d(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Sign;
    /// Computes [`orient3d`] of three points relative to one plane.
    #[inline(always)]
    fn sides(plane: &Triangle, points: &Triangle) -> [Sign; 3] {
        points.map(|p| Self::orient3d(plane[0], plane[1], plane[2], p))
    }
}

/// Exact signs.
#[derive(Debug, Clone, Copy)]
pub struct Exact;

/// The floating-point determinant alone: fast and wrong near zero. For tests.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct FilterOnly;

impl Predicates for Exact {
    #[inline(always)]
    fn orient2d(a: Vec2, b: Vec2, c: Vec2) -> Sign {
        orient2d(a, b, c)
    }
    #[inline(always)]
    fn orient3d(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Sign {
        orient3d(a, b, c, d)
    }
    #[inline(always)]
    fn sides(plane: &Triangle, points: &Triangle) -> [Sign; 3] {
        sides(plane, points)
    }
}

impl Predicates for FilterOnly {
    fn orient2d(a: Vec2, b: Vec2, c: Vec2) -> Sign {
        Sign::of(filter2d(a, b, c).0)
    }
    fn orient3d(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Sign {
        Sign::of(filter3d(a, b, c, d).0)
    }
}

/// (3 + 16ε)ε and (7 + 56ε)ε with ε = 2⁻⁵³, rounded up by enough to cover underflow.
const BOUND_2D: f64 = 3.4e-16;
const BOUND_3D: f64 = 8.0e-16;
/// Every term of `sides` is rounded eight times at most (three differences, a product, a difference, a product, two
/// sums), and so is its share of the permanent: ((1 + ε)⁸ − 1) / (1 − ε)⁸ < 8.9e-16, rounded up.
const BOUND_SIDES: f64 = 1.0e-15;
/// Underflow loses less than 2⁻¹⁰⁷⁰ in a product; multiplied by the third factor it stays below this share of it.
const UNDERFLOW: f64 = 1e-300;

/// Returns the determinant and a bound on its error; the bound is infinite or `NaN` if products overflow.
#[inline(always)]
fn filter2d(a: Vec2, b: Vec2, c: Vec2) -> (f64, f64) {
    let (left, right) = ((a.x - c.x) * (b.y - c.y), (a.y - c.y) * (b.x - c.x));
    (left - right, (left.abs() + right.abs()) * BOUND_2D + UNDERFLOW)
}

/// Returns the same in space; positive when `d` is on the side that the counter-clockwise normal of `abc` points to.
#[inline(always)]
fn filter3d(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> (f64, f64) {
    let (a, b, c) = (a - d, b - d, c - d);
    let (bxcy, cxby) = (b.x * c.y, c.x * b.y);
    let (cxay, axcy) = (c.x * a.y, a.x * c.y);
    let (axby, bxay) = (a.x * b.y, b.x * a.y);
    let determinant = a.z * (cxby - bxcy) + b.z * (axcy - cxay) + c.z * (bxay - axby);
    let (az, bz, cz) = (a.z.abs(), b.z.abs(), c.z.abs());
    let permanent = (bxcy.abs() + cxby.abs()) * az + (cxay.abs() + axcy.abs()) * bz + (axby.abs() + bxay.abs()) * cz;
    (determinant, permanent * BOUND_3D + (az + bz + cz + 1.0) * UNDERFLOW)
}

/// Returns the sign of a determinant beyond its bound, without a branch on the sign itself, which would be
/// unpredictable.
#[inline(always)]
fn certain(determinant: f64, bound: f64) -> Option<Sign> {
    let sign = if determinant > 0.0 { Sign::Positive } else { Sign::Negative };
    (determinant.abs() > bound).then_some(sign)
}

/// Returns the sign of (b − a) × (c − a): positive when `a`, `b`, `c` turn counter-clockwise.
///
/// ```
/// use heurt_geometry::{Sign, Vec2, orient2d};
/// let [a, b, c] = [[0.1, 0.1], [0.2, 0.2], [0.3, 0.3]].map(Vec2::from_array);
/// // As numbers in `f64`, 0.3 is nearer to zero than 3 · 0.1: all three have equal coordinates, and lie on one line.
/// assert_eq!(orient2d(a, b, c), Sign::Zero);
/// assert_eq!(orient2d(a, b, Vec2::new(0.3, 0.3f64.next_up())), Sign::Positive, "to the left by one ulp");
/// ```
#[inline(always)]
pub fn orient2d(a: Vec2, b: Vec2, c: Vec2) -> Sign {
    let (determinant, bound) = filter2d(a, b, c);
    certain(determinant, bound).unwrap_or_else(|| orient2d_exact(a, b, c))
}

/// Returns the sign of ((b − a) × (c − a)) · (d − a): positive when `d` is on the side that the counter-clockwise
/// normal of `abc` points to, zero when the four points lie in a plane.
///
/// ```
/// use heurt_geometry::{Sign, Vec3, orient3d};
/// let floor = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// let side = |height: f64| orient3d(floor[0], floor[1], floor[2], Vec3::new(0.3, 0.3, height));
/// assert_eq!(side(0.0), Sign::Zero);
/// assert_eq!(side(1e-300), side(1.0), "decided exactly, however near");
/// assert_ne!(side(-1e-300), side(1e-300));
/// ```
#[inline(always)]
pub fn orient3d(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Sign {
    let (determinant, bound) = filter3d(a, b, c, d);
    certain(determinant, bound).unwrap_or_else(|| orient3d_exact(a, b, c, d))
}

/// Computes [`orient3d`] of three points relative to one plane, whose normal is computed once.
#[inline(always)]
fn sides(plane: &Triangle, points: &Triangle) -> [Sign; 3] {
    let [a, b, c] = *plane;
    let (u, v) = (b - a, c - a);
    let (yz, zy) = (u.y * v.z, u.z * v.y);
    let (zx, xz) = (u.z * v.x, u.x * v.z);
    let (xy, yx) = (u.x * v.y, u.y * v.x);
    let normal = Vec3::new(yz - zy, zx - xz, xy - yx);
    let size = Vec3::new(yz.abs() + zy.abs(), zx.abs() + xz.abs(), xy.abs() + yx.abs());
    let filter = |p: Vec3| {
        let w = p - a;
        let determinant = normal.x * w.x + normal.y * w.y + normal.z * w.z;
        let w = w.abs();
        let permanent = size.x * w.x + size.y * w.y + size.z * w.z;
        (determinant, permanent * BOUND_SIDES + (w.x + w.y + w.z + 1.0) * UNDERFLOW)
    };
    let [(p, p_bound), (q, q_bound), (r, r_bound)] = [filter(points[0]), filter(points[1]), filter(points[2])];
    let side = |determinant: f64| if determinant > 0.0 { Sign::Positive } else { Sign::Negative };
    if (p.abs() > p_bound) & (q.abs() > q_bound) & (r.abs() > r_bound) {
        [side(p), side(q), side(r)]
    } else {
        sides_exact(plane, points)
    }
}

#[cold]
#[inline(never)]
fn sides_exact(plane: &Triangle, points: &Triangle) -> [Sign; 3] {
    points.map(|p| orient3d(plane[0], plane[1], plane[2], p))
}

/// Returns the positive sign when `e` lies inside the sphere through `a`, `b`, `c`, `d`, given that
/// `orient3d(a, b, c, d)` is positive; the opposite when that is negative; zero when the five points lie on a sphere.
///
/// ```
/// use heurt_geometry::{Sign, Vec3, insphere};
/// let [a, b, c, d] = [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X];
/// assert_eq!(insphere(a, b, c, d, -Vec3::Y), Sign::Zero, "on the unit sphere");
/// assert_ne!(insphere(a, b, c, d, Vec3::ZERO), insphere(a, b, c, d, Vec3::splat(2.0)));
/// ```
pub fn insphere(a: Vec3, b: Vec3, c: Vec3, d: Vec3, e: Vec3) -> Sign {
    let mut points = [a, b, c, d, e].map(|p| p.to_array());
    if range::fit(&mut points, range::Limits::DEGREE_FIVE) {
        let [a, b, c, d, e] = points.map(|[x, y, z]| Coord3D { x, y, z });
        // `robust` expects the first four points in reverse orientation.
        Sign::of(-robust::insphere(a, b, c, d, e))
    } else {
        big::insphere(&points)
    }
}

#[cold]
#[inline(never)]
fn orient2d_exact(a: Vec2, b: Vec2, c: Vec2) -> Sign {
    let level = a.cmpeq(b) & a.cmpeq(c);
    if level.any() || a == b || a == c || b == c {
        return Sign::Zero;
    }
    let mut points = [a, b, c].map(|p| [p.x, p.y]);
    if let Some(sign) = wide::orient2d(&points) {
        return sign;
    }
    if range::fit(&mut points, range::Limits::DEGREE_TWO) {
        let [a, b, c] = points.map(|[x, y]| Coord { x, y });
        Sign::of(robust::orient2d(a, b, c))
    } else {
        big::orient2d(&points)
    }
}

#[cold]
#[inline(never)]
fn orient3d_exact(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Sign {
    // Frequent cases in meshes: axis-aligned faces, shared corners.
    let level = a.cmpeq(b) & a.cmpeq(c) & a.cmpeq(d);
    if level.any() || d == a || d == b || d == c || a == b || a == c || b == c {
        return Sign::Zero;
    }
    let mut points = [a, b, c, d].map(|p| p.to_array());
    if let Some(sign) = wide::orient3d(&points) {
        return sign;
    }
    if range::fit(&mut points, range::Limits::DEGREE_THREE) {
        let [a, b, c, d] = points.map(|[x, y, z]| Coord3D { x, y, z });
        // `robust` counts the side below the plane as positive.
        Sign::of(-robust::orient3d(a, b, c, d))
    } else {
        big::orient3d(&points)
    }
}
