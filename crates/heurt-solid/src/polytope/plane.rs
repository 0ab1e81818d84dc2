//! Oriented plane with integer coefficients, and points as intersections of three planes.
//!
//! In: four `f64` coefficients, three `f64` points, or integers. Out: [`ExactPlane`] for a·p + d ≤ 0, and
//! [`PolytopeVertex`], the common point of three planes in homogeneous integers.
//! Method: coefficients are integers over a common power of two, which changes no sign. The sign of a plane at a point
//! is the sign of a 4×4 determinant of plane coefficients, divided by the sign of a 3×3 determinant. It is expanded
//! along the row of the new plane; the four cofactors are the homogeneous coordinates, computed once per point.
//! Filter: the quotients of the coordinates have a relative error of at most 4u and the coefficients one of u. The sum
//! of four products then has an error below 12u times the sum of magnitudes. The filter allows 16u, and decides only
//! while all magnitudes lie between 1e-100 and 1e100 or are exactly 0, so that nothing under- or overflows.
//! Guarantees: signs are exact. Rounded coordinates serve as a filter and for output only.

use crate::exact_number::{cross, decode, sign_of};
use heurt_geometry::{Sign, Vec3};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

/// The unit roundoff of `f64`.
const UNIT_ROUNDOFF: f64 = f64::EPSILON / 2.0;
/// Magnitudes between which the filter is valid.
const FILTER_RANGE: std::ops::Range<f64> = 1e-100..1e100;

/// An oriented plane: the half-space of the points with a·p + d ≤ 0, in exact coefficients [a, d].
#[derive(Debug, Clone)]
pub struct ExactPlane {
    coefficients: [BigInt; 4],
    approximate: [f64; 4],
}

/// Scales finite numbers by a common power of two to integers, which keeps their ratios and signs.
fn integers<const N: usize>(values: [f64; N]) -> [BigInt; N] {
    let least = values.iter().filter(|x| **x != 0.0).map(|x| decode(*x).1).min().unwrap_or(0);
    values.map(|x| match decode(x) {
        (0, _) => BigInt::ZERO,
        (mantissa, exponent) => BigInt::from(mantissa) << (exponent - least) as usize,
    })
}

/// Returns the number if the filter may use it, else NaN.
fn in_filter_range(x: f64) -> f64 {
    if x == 0.0 || FILTER_RANGE.contains(&x.abs()) { x } else { f64::NAN }
}

/// Computes n / d with a relative error of at most 4u, 0 if and only if n is 0; NaN or infinite beyond the range.
fn rounded_quotient(n: &BigInt, d: &BigInt) -> f64 {
    if n.is_zero() {
        return 0.0;
    }
    // 80 leading bits keep the truncation below 2⁻⁷⁹ of the value.
    let leading = |x: &BigInt| {
        let shift = x.bits().saturating_sub(80);
        ((x >> shift).to_f64().unwrap_or(f64::NAN), shift as i64)
    };
    let ((n, e), (d, f)) = (leading(n), leading(d));
    let (quotient, mut exponent) = (n / d, e - f);
    let mut scaled = quotient;
    while exponent != 0 && scaled != 0.0 && scaled.is_finite() {
        let step = exponent.clamp(-500, 500);
        scaled *= 2f64.powi(step as i32);
        exponent -= step;
    }
    scaled
}

impl ExactPlane {
    /// Creates the plane of the half-space ax + by + cz + d ≤ 0 from finite `f64` coefficients.
    pub(crate) fn from_coefficients(coefficients: [f64; 4]) -> Self {
        Self::from_integers(integers(coefficients))
    }

    /// Creates the plane from integers; a common power of two is divided out.
    pub(crate) fn from_integers(coefficients: [BigInt; 4]) -> Self {
        let shift = coefficients.iter().filter_map(BigInt::trailing_zeros).min().unwrap_or(0);
        let coefficients = coefficients.map(|x| x >> shift);
        let approximate = [0, 1, 2, 3].map(|k| in_filter_range(coefficients[k].to_f64().unwrap_or(f64::NAN)));
        Self { coefficients, approximate }
    }

    /// Creates the plane through three points, whose normal leads to the side from which they turn counter-clockwise;
    /// `None` if they are collinear.
    pub(crate) fn through(points: [Vec3; 3]) -> Option<Self> {
        let flat: [f64; 10] = std::array::from_fn(|k| if k < 9 { points[k / 3][k % 3] } else { 1.0 });
        let numbers = integers(flat);
        let difference = |point: usize, axis: usize| &numbers[3 * point + axis] - &numbers[axis];
        let (u, v) = ([0, 1, 2].map(|axis| difference(1, axis)), [0, 1, 2].map(|axis| difference(2, axis)));
        let normal = cross(u.each_ref(), v.each_ref());
        if normal.iter().all(Zero::is_zero) {
            return None;
        }
        let offset: BigInt = (0..3).map(|axis| &normal[axis] * &numbers[axis]).sum();
        // Coordinates are integers over 1 / numbers[9], and so is the offset.
        let [a, b, c] = normal.map(|entry| entry * &numbers[9]);
        Some(Self::from_integers([a, b, c, -offset]))
    }

    /// Returns the exact coefficients [a, b, c, d] of ax + by + cz + d ≤ 0, up to a positive factor.
    pub fn coefficients(&self) -> &[BigInt; 4] {
        &self.coefficients
    }

    /// Returns the plane with the opposite side inside.
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self { coefficients: self.coefficients.each_ref().map(|x| -x), approximate: self.approximate.map(|x| -x) }
    }

    /// Computes the image under p ↦ Mp + t: the rows of M with the entries of t behind them. `None` if M is singular.
    /// Exact: with C the cofactor matrix of M, the image of a·p + d ≤ 0 is (Ca)·q + d det M − (Ca)·t ≤ 0, where all
    /// coefficients are multiplied by the sign of det M.
    pub(crate) fn transformed(&self, rows: &[[f64; 4]; 3]) -> Option<Self> {
        let flat: [f64; 13] = std::array::from_fn(|k| if k < 12 { rows[k / 4][k % 4] } else { 1.0 });
        let numbers = integers(flat);
        let row = |k: usize| [&numbers[4 * k], &numbers[4 * k + 1], &numbers[4 * k + 2]];
        let cofactors = [cross(row(1), row(2)), cross(row(2), row(0)), cross(row(0), row(1))];
        let determinant: BigInt = (0..3).map(|k| row(0)[k] * &cofactors[0][k]).sum();
        let [a, b, c, d] = &self.coefficients;
        let normal = [0, 1, 2].map(|k| &cofactors[k][0] * a + &cofactors[k][1] * b + &cofactors[k][2] * c);
        // M and t are integers over s = 1 / numbers[12]: (Ca)s⁻², det s⁻³, ts⁻¹, all times s³.
        let at: BigInt = (0..3).map(|k| &normal[k] * &numbers[4 * k + 3]).sum();
        let offset = d * &determinant - at;
        let sign = match sign_of(&determinant) {
            Sign::Zero => return None,
            Sign::Negative => BigInt::from(-1),
            Sign::Positive => BigInt::from(1),
        };
        let [x, y, z] = normal.map(|entry| entry * &numbers[12] * &sign);
        Some(Self::from_integers([x, y, z, offset * sign]))
    }

    /// Returns a bound of the binary digits of the sum of magnitudes of the coefficients.
    pub(crate) fn bits(&self) -> u64 {
        self.coefficients.iter().map(BigInt::bits).max().unwrap_or(0) + 2
    }

    fn normal(&self) -> [&BigInt; 3] {
        let [a, b, c, _] = &self.coefficients;
        [a, b, c]
    }

    /// Reports whether the planes are parallel: the cross product of the normals is zero.
    pub(crate) fn is_parallel(&self, other: &Self) -> bool {
        cross(self.normal(), other.normal()).iter().all(Zero::is_zero)
    }

    /// Computes the sign of the determinant of three normals.
    pub(crate) fn orientation(a: &Self, b: &Self, c: &Self) -> Sign {
        let minors = cross(a.normal(), b.normal());
        sign_of(&minors.iter().zip(c.normal()).map(|(x, y)| x * y).sum())
    }

    /// Computes the exact sign of the plane's function at a finite point: negative inside, zero on the plane.
    pub fn side_of_point(&self, point: Vec3) -> Sign {
        let [a, b, c, d] = self.approximate;
        let terms = [a * point.x, b * point.y, c * point.z, d];
        let (sum, magnitude) = terms.iter().fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()));
        let is_in_range = point.to_array().iter().all(|&x| !in_filter_range(x).is_nan());
        if is_in_range && sum.abs() > 16.0 * UNIT_ROUNDOFF * magnitude {
            return Sign::of(sum);
        }
        let homogeneous = integers([point.x, point.y, point.z, 1.0]);
        sign_of(&self.coefficients.iter().zip(&homogeneous).map(|(x, y)| x * y).sum())
    }

    /// Computes the exact sign of the plane's function at a vertex: negative inside, zero on the plane.
    pub fn side(&self, vertex: &PolytopeVertex) -> Sign {
        let [a, b, c, d] = self.approximate;
        let terms = [a * vertex.approximate.x, b * vertex.approximate.y, c * vertex.approximate.z, d];
        let (sum, magnitude) = terms.iter().fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()));
        // A comparison with NaN is false.
        if sum.abs() > 16.0 * UNIT_ROUNDOFF * magnitude {
            return Sign::of(sum);
        }
        sign_of(&self.coefficients.iter().zip(&vertex.homogeneous).map(|(x, y)| x * y).sum())
    }
}

/// The common point of three planes in homogeneous integers [x, y, z, w] with w > 0.
#[derive(Debug, Clone)]
pub struct PolytopeVertex {
    homogeneous: [BigInt; 4],
    approximate: Vec3,
}

impl PolytopeVertex {
    /// Computes the common point of three planes; `None` if their normals are linearly dependent.
    pub(crate) fn of_planes(planes: [&ExactPlane; 3]) -> Option<Self> {
        let [p, q, r] = planes;
        let minors = [cross(q.normal(), r.normal()), cross(r.normal(), p.normal()), cross(p.normal(), q.normal())];
        let w: BigInt = p.normal().iter().zip(&minors[0]).map(|(x, y)| *x * y).sum();
        if w.is_zero() {
            return None;
        }
        let coordinate = |k: usize| -> BigInt {
            let sum: BigInt = planes.iter().zip(&minors).map(|(plane, minor)| &plane.coefficients[3] * &minor[k]).sum();
            if w.is_negative() { sum } else { -sum }
        };
        Some(Self::from_homogeneous([coordinate(0), coordinate(1), coordinate(2), w.abs()]))
    }

    fn from_homogeneous(homogeneous: [BigInt; 4]) -> Self {
        let shift = homogeneous.iter().filter_map(BigInt::trailing_zeros).min().unwrap_or(0);
        let homogeneous = homogeneous.map(|x| x >> shift);
        let quotient = |k: usize| in_filter_range(rounded_quotient(&homogeneous[k], &homogeneous[3]));
        let approximate = Vec3::new(quotient(0), quotient(1), quotient(2));
        Self { homogeneous, approximate }
    }

    /// Returns the exact coordinates.
    pub fn exact(&self) -> [BigRational; 3] {
        [0, 1, 2].map(|k| BigRational::new(self.homogeneous[k].clone(), self.homogeneous[3].clone()))
    }

    /// Returns the homogeneous coordinates [x, y, z, w], w > 0.
    pub fn homogeneous(&self) -> &[BigInt; 4] {
        &self.homogeneous
    }

    /// Returns the coordinates with a relative error of at most 2 ulp each; infinite beyond the range of `f64`.
    pub fn rounded(&self) -> Vec3 {
        let quotient = |k: usize| rounded_quotient(&self.homogeneous[k], &self.homogeneous[3]);
        Vec3::new(quotient(0), quotient(1), quotient(2))
    }
}
