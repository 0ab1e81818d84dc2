//! Quadric half-space {p : pᵀAp + b·p + c ≤ 0}: membership, intervals of rays, convexity.
//!
//! In: a symmetric matrix A, a vector b, a number c. Out: values, gradients, at most two intervals per ray.
//! Method: on the ray P + λd the function is qλ² + lλ + k with q = dᵀAd, l = 2PᵀAd + b·d, k = f(P). The discriminant l²
//! − 4qk is computed from exact products (Dekker 1971), so that cancellation costs no digits of it. The root of larger
//! magnitude is −(l + sign(l)√D)/2q, and k divided by q and that root gives the second one. q > 0 gives one interval
//! between the roots, q < 0 the two intervals outside of them, and q = 0 a half-line.
//! Guarantees: intervals are rounded; the coefficients q, l, k carry the rounding errors of a few ulp of their terms.
//! `is_convex` is exact.
//! Not guaranteed: the number of intervals of a ray whose discriminant is 0 up to these errors.

use super::{HalfSpaceError, Interval};
use crate::half_space::exact_sum::sign_of_products;
use heurt_geometry::{Aabb, Mat3, Sign, Vec3};
use num_rational::BigRational;
use num_traits::{FromPrimitive, Signed, Zero};

/// The set of points p with pᵀAp + b·p + c ≤ 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quadric {
    matrix: Mat3,
    linear: Vec3,
    constant: f64,
}

impl Quadric {
    /// Creates the set pᵀAp + b·p + c ≤ 0 of the symmetric matrix A = `matrix`, b = `linear` and c = `constant`.
    ///
    /// ```
    /// use heurt_geometry::{Mat3, Vec3};
    /// use heurt_solid::Quadric;
    /// // The solid paraboloid z ≥ x² + y².
    /// let bowl = Quadric::new(Mat3::from_diagonal(Vec3::new(1.0, 1.0, 0.0)), -Vec3::Z, 0.0)?;
    /// assert!(bowl.contains(Vec3::new(1.0, 1.0, 2.0)) && !bowl.contains(Vec3::new(1.0, 1.0, 1.9)));
    /// assert!(bowl.is_convex());
    /// # Ok::<(), heurt_solid::HalfSpaceError>(())
    /// ```
    ///
    /// # Errors
    /// A number is not finite, the matrix is not symmetric, or the function is constant.
    pub fn new(matrix: Mat3, linear: Vec3, constant: f64) -> Result<Self, HalfSpaceError> {
        let fields =
            [("matrix", &matrix.to_cols_array()[..]), ("linear part", &linear.to_array()), ("constant", &[constant])];
        for (field, values) in fields {
            if let Some(&value) = values.iter().find(|value| !value.is_finite()) {
                return Err(HalfSpaceError::NotFinite { field, value });
            }
        }
        for (row, column) in [(0, 1), (0, 2), (1, 2)] {
            let (upper, lower) = (matrix.col(column)[row], matrix.col(row)[column]);
            if upper != lower {
                return Err(HalfSpaceError::NotSymmetric { row, column, upper, lower });
            }
        }
        if matrix == Mat3::ZERO && linear == Vec3::ZERO {
            return Err(HalfSpaceError::ConstantQuadric);
        }
        Ok(Self { matrix, linear, constant })
    }

    /// Creates the ball of a radius around the origin.
    ///
    /// # Errors
    /// As [`Quadric::new`].
    pub fn ball(radius: f64) -> Result<Self, HalfSpaceError> {
        Self::new(Mat3::IDENTITY, Vec3::ZERO, -radius * radius)
    }

    /// Creates the endless cylinder x² + y² ≤ `radius`².
    ///
    /// # Errors
    /// As [`Quadric::new`].
    pub fn cylinder(radius: f64) -> Result<Self, HalfSpaceError> {
        Self::new(Mat3::from_diagonal(Vec3::new(1.0, 1.0, 0.0)), Vec3::ZERO, -radius * radius)
    }

    /// Creates the endless double cone x² + y² ≤ (`radius` + `slope` z)².
    ///
    /// # Errors
    /// As [`Quadric::new`].
    pub fn cone(radius: f64, slope: f64) -> Result<Self, HalfSpaceError> {
        let matrix = Mat3::from_diagonal(Vec3::new(1.0, 1.0, -slope * slope));
        Self::new(matrix, Vec3::Z * (-2.0 * radius * slope), -radius * radius)
    }

    /// Returns the symmetric matrix A.
    pub fn matrix(&self) -> Mat3 {
        self.matrix
    }

    /// Returns the linear coefficients b.
    pub fn linear(&self) -> Vec3 {
        self.linear
    }

    /// Returns the constant c.
    pub fn constant(&self) -> f64 {
        self.constant
    }

    /// Returns the closed complement, which shares the boundary.
    #[must_use]
    pub fn complement(&self) -> Self {
        Self { matrix: -self.matrix, linear: -self.linear, constant: -self.constant }
    }

    /// Computes f(p) with rounding.
    pub fn value(&self, point: Vec3) -> f64 {
        point.dot(self.matrix * point) + self.linear.dot(point) + self.constant
    }

    /// Computes the gradient 2Ap + b, which leads out of the set.
    pub fn gradient(&self, point: Vec3) -> Vec3 {
        self.matrix * point * 2.0 + self.linear
    }

    /// Reports whether f(p) ≤ 0 for the rounded value of f.
    pub fn contains(&self, point: Vec3) -> bool {
        self.value(point) <= 0.0
    }

    /// Computes the intervals of the λ in [0, `max_t`] with `origin` + λ `direction` inside: at most two, ascending.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_solid::Quadric;
    /// let ball = Quadric::ball(1.0)?;
    /// assert_eq!(ball.ray_intervals(-Vec3::X * 3.0, Vec3::X, 10.0), [[2.0, 4.0]]);
    /// let outside = ball.complement();
    /// assert_eq!(outside.ray_intervals(-Vec3::X * 3.0, Vec3::X, 10.0), [[0.0, 2.0], [4.0, 10.0]]);
    /// # Ok::<(), heurt_solid::HalfSpaceError>(())
    /// ```
    pub fn ray_intervals(&self, origin: Vec3, direction: Vec3, max_t: f64) -> Vec<[f64; 2]> {
        let along = self.matrix * direction;
        let q = direction.dot(along);
        let l = 2.0 * origin.dot(along) + self.linear.dot(direction);
        let mut found = quadratic_intervals(q, l, self.value(origin));
        found.retain_mut(|interval| {
            *interval = [interval[0].max(0.0), interval[1].min(max_t)];
            interval[0] <= interval[1]
        });
        found
    }

    /// Reports whether A is positive semidefinite, so that the set is convex; exact. Sylvester: all principal minors of
    /// all sizes are at least 0.
    pub fn is_convex(&self) -> bool {
        let entry = |row: usize, column: usize| self.matrix.col(column)[row];
        let is_diagonal_good = (0..3).all(|k| entry(k, k) >= 0.0);
        let minor = |i: usize, j: usize| sign_of_products([[entry(i, i), entry(j, j)], [-entry(i, j), entry(i, j)]]);
        let are_minors_good = [(0, 1), (0, 2), (1, 2)].iter().all(|&(i, j)| minor(i, j) != Sign::Negative);
        let exact = |i: usize, j: usize| BigRational::from_f64(entry(i, j)).unwrap_or_else(BigRational::zero);
        let cofactor = |i: usize, j: usize| exact(1, i) * exact(2, j) - exact(1, j) * exact(2, i);
        let determinant = || exact(0, 0) * cofactor(1, 2) - exact(0, 1) * cofactor(0, 2) + exact(0, 2) * cofactor(0, 1);
        is_diagonal_good && are_minors_good && !determinant().is_negative()
    }

    /// Bounds dᵀAd over a box of vectors.
    pub(crate) fn quadratic_over(&self, d: &[Interval; 3]) -> Interval {
        let [m, n] = [self.matrix.x_axis, self.matrix.y_axis];
        let squares = d[0].squared() * m.x + d[1].squared() * n.y + d[2].squared() * self.matrix.z_axis.z;
        squares + d[0] * d[1] * (2.0 * m.y) + d[0] * d[2] * (2.0 * m.z) + d[1] * d[2] * (2.0 * n.z)
    }

    /// Bounds b·d over a box of vectors.
    pub(crate) fn linear_over(&self, d: &[Interval; 3]) -> Interval {
        d[0] * self.linear.x + d[1] * self.linear.y + d[2] * self.linear.z
    }

    /// Bounds f over a box of points by two forms: the natural one and the mean value form.
    pub(crate) fn value_over(&self, bounds: &Aabb) -> Interval {
        let p = [0, 1, 2].map(|k| Interval::new(bounds.min[k], bounds.max[k]));
        let natural = self.quadratic_over(&p) + self.linear_over(&p) + Interval::point(self.constant);
        let centre = bounds.centre();
        let at = centre.to_array().map(Interval::point);
        let mut mean = self.quadratic_over(&at) + self.linear_over(&at) + Interval::point(self.constant);
        for row in 0..3 {
            let entry = |column: usize| 2.0 * self.matrix.col(column)[row];
            let slope = p[0] * entry(0) + p[1] * entry(1) + p[2] * entry(2) + Interval::point(self.linear[row]);
            mean = mean + slope * (p[row] + Interval::point(-centre[row]));
        }
        Interval::new(natural.low.max(mean.low), natural.high.min(mean.high))
    }
}

/// Computes l² − 4qk with a relative error of a few ulp; the products are exact (Dekker).
fn discriminant(q: f64, l: f64, k: f64) -> f64 {
    let exact_product = |x: f64, y: f64| {
        let split = |x: f64| {
            let high = x * 134_217_729.0;
            let high = high - (high - x);
            (high, x - high)
        };
        let (product, (a, b), (c, d)) = (x * y, split(x), split(y));
        (product, ((a * c - product) + a * d + b * c) + b * d)
    };
    let (square, square_error) = exact_product(l, l);
    let (product, product_error) = exact_product(4.0 * q, k);
    (square - product) + (square_error - product_error)
}

/// Solves qλ² + lλ + k ≤ 0.
fn quadratic_intervals(q: f64, l: f64, k: f64) -> Vec<[f64; 2]> {
    let everything = vec![[f64::NEG_INFINITY, f64::INFINITY]];
    let largest = q.abs().max(l.abs()).max(k.abs());
    if !largest.is_finite() {
        return Vec::new();
    }
    // A common factor changes no root and keeps the products in range.
    let scale = heurt_geometry::power_of_two_scale(largest);
    let (q, l, k) = (q * scale, l * scale, k * scale);
    if q == 0.0 {
        return match (Sign::of(l), k <= 0.0) {
            (Sign::Zero, true) => everything,
            (Sign::Zero, false) => Vec::new(),
            (Sign::Positive, _) => vec![[f64::NEG_INFINITY, -k / l]],
            (Sign::Negative, _) => vec![[-k / l, f64::INFINITY]],
        };
    }
    let discriminant = discriminant(q, l, k);
    if discriminant < 0.0 {
        return if q > 0.0 { Vec::new() } else { everything };
    }
    let sum = -0.5 * (l + discriminant.sqrt().copysign(l));
    let (first, second) = if sum == 0.0 { (0.0, 0.0) } else { (sum / q, k / sum) };
    let (low, high) = (first.min(second), first.max(second));
    match q > 0.0 {
        true => vec![[low, high]],
        false if low < high => vec![[f64::NEG_INFINITY, low], [high, f64::INFINITY]],
        false => everything,
    }
}
