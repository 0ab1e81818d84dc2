//! Superellipses: |x/a|^(2/n) + |y/b|^(2/n) ≤ 1.
//!
//! In: half axes in metres and the exponent n. Out: membership, area, polygon.
//! Method: S0 annex B.1.1. n = 1 is an ellipse, n = 2 a rhombus, n → 0 a rectangle, above 2 a star. The area is
//! 4ab Γ(1 + n/2)² / Γ(1 + n). The polygon is symmetric: one octant of the unit curve is divided by the slope y/x, and
//! for stars by the parameter t of ((1 − t)^(n/2), t^(n/2)).
//! Cost: O(1) for points and areas, O(corners) for polygons.

use super::CurveError;
use super::arc::{ArcPoint, flatten};
use super::error::{check, check_length};
use heurt_geometry::Vec2;

/// The region |x/a|^(2/n) + |y/b|^(2/n) ≤ 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Superellipse {
    half_axes: [f64; 2],
    exponent: f64,
}

impl Superellipse {
    /// Creates a superellipse from its half axes along x and y in metres and the exponent n.
    ///
    /// ```
    /// use heurt_solid::curve::Superellipse;
    /// let ellipse = Superellipse::new([2.0, 1.0], 1.0)?;
    /// assert!(ellipse.contains([1.0, 0.8].into()) && !ellipse.contains([1.9, 0.8].into()));
    /// assert!((ellipse.area() - 2.0 * std::f64::consts::PI).abs() < 1e-14);
    /// assert_eq!(Superellipse::new([2.0, 1.0], 2.0)?.polygon(1e-6)?.len(), 8, "a rhombus, with the middles of its
    /// sides");
    /// # Ok::<(), heurt_solid::curve::CurveError>(())
    /// ```
    ///
    /// # Errors
    /// [`CurveError::Parameter`] for half axes that are not positive, and for an exponent outside 0.01 … 20.
    pub fn new(half_axes: [f64; 2], exponent: f64) -> Result<Self, CurveError> {
        check_length("half axis along x", half_axes[0])?;
        check_length("half axis along y", half_axes[1])?;
        check("exponent", exponent, "a number from 0.01 to 20", [0.01, 20.0])?;
        Ok(Self { half_axes, exponent })
    }

    /// Computes |x/a|^(2/n) + |y/b|^(2/n) − 1: negative inside, 0 on the border, positive outside; without a unit.
    pub fn value(&self, point: Vec2) -> f64 {
        let power = |x: f64, half: f64| libm::pow((x / half).abs(), 2.0 / self.exponent);
        power(point.x, self.half_axes[0]) + power(point.y, self.half_axes[1]) - 1.0
    }

    /// Reports whether the region contains a point. Points within rounding of the border may be on either side.
    pub fn contains(&self, point: Vec2) -> bool {
        self.value(point) <= 0.0
    }

    /// Computes the area in m².
    pub fn area(&self) -> f64 {
        let (root, whole) = (libm::tgamma(1.0 + self.exponent / 2.0), libm::tgamma(1.0 + self.exponent));
        4.0 * self.half_axes[0] * self.half_axes[1] * root * root / whole
    }

    /// Makes the polygon of the border with a distance of at most `tolerance` metres, counter-clockwise from (a, 0).
    ///
    /// # Errors
    /// [`CurveError::Parameter`] for a tolerance that is not positive, [`CurveError::TooManyCorners`] above 2²²
    /// corners.
    pub fn polygon(&self, tolerance: f64) -> Result<Vec<Vec2>, CurveError> {
        check_length("tolerance", tolerance)?;
        let [a, b] = self.half_axes;
        let end = if self.exponent > 2.0 { 0.5 } else { 1.0 };
        let scaled =
            |(point, normal): ArcPoint| (Vec2::new(point.x * a, point.y * b), Vec2::new(normal.x / a, normal.y / b));
        let swapped = |(point, normal): ArcPoint| (Vec2::new(point.y, point.x), Vec2::new(normal.y, normal.x));
        let mut quarter = Vec::new();
        // Normals are scaled by 1/a and 1/b, and only their direction counts.
        flatten(|q| scaled(self.unit(q)), [0.0, end], tolerance, &mut quarter)?;
        flatten(|q| scaled(swapped(self.unit(end - q))), [0.0, end], tolerance, &mut quarter)?;
        let top = Vec2::new(0.0, b);
        let upper = |mirror: fn(&Vec2) -> Vec2, points: &[Vec2]| points.iter().rev().map(mirror).collect::<Vec<_>>();
        let mut half = quarter.clone();
        half.push(top);
        half.extend(upper(|p| Vec2::new(-p.x, p.y), &quarter));
        let lower = upper(|p| Vec2::new(p.x, -p.y), &half[1..half.len() - 1]);
        half.extend(lower);
        Ok(half.into_iter().map(|point| point + Vec2::ZERO).collect())
    }

    /// Computes a point of the first octant of the unit curve and its normal. `q` is the slope in [0, 1], or the
    /// parameter in [0, 1/2] for stars.
    fn unit(&self, q: f64) -> ArcPoint {
        let (n, power) = (self.exponent, 2.0 / self.exponent);
        let (x, y) = if n > 2.0 {
            (libm::pow(1.0 - q, n / 2.0), libm::pow(q, n / 2.0))
        } else {
            let x = libm::pow(1.0 + libm::pow(q, power), -n / 2.0);
            (x, q * x)
        };
        // The gradient (x^(p−1), y^(p−1)), for p < 1 multiplied by (xy)^(1−p): no infinite numbers.
        let raised = |x: f64| libm::pow(x, (power - 1.0).abs());
        let normal = if power >= 1.0 { Vec2::new(raised(x), raised(y)) } else { Vec2::new(raised(y), raised(x)) };
        (Vec2::new(x, y), normal)
    }
}
