//! Conics as regions of the plane: the inside of an ellipse, of a parabola, of one branch of a hyperbola.
//!
//! In: the parameters of a conic in metres. Out: membership, and polygons of the region, cut off at a length from the
//! vertex for a parabola and a hyperbola.
//! Method: S3 slide 11. A parabola is divided by x, a hyperbola by y, both from the axis.
//! Cost: O(corners).

use super::arc::{ArcPoint, flatten};
use super::error::check_length;
use super::{CurveError, Superellipse};
use heurt_geometry::Vec2;

/// A convex region with a conic as its border.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Conic {
    /// x²/a² + y²/b² ≤ 1.
    Ellipse {
        /// Half axes along x and y in metres.
        half_axes: [f64; 2],
    },
    /// y² ≤ 4 f x: the axis is x, the vertex the origin.
    Parabola {
        /// The distance f from the vertex to the focus in metres.
        focal_length: f64,
    },
    /// x²/a² − y²/b² ≥ 1 and x > 0: the vertex is (a, 0), and the asymptotes have the slopes ± b/a.
    Hyperbola {
        /// a and b in metres.
        half_axes: [f64; 2],
    },
}

impl Conic {
    /// Computes the function of the region: negative inside, 0 on the border, positive outside. It has no unit for
    /// ellipse and hyperbola, and is y²/(4f²) − x/f for a parabola. For x ≤ 0 the value of a hyperbola is at least 1.
    pub fn value(&self, point: Vec2) -> f64 {
        let square = |x: f64, half: f64| (x / half) * (x / half);
        match *self {
            Self::Ellipse { half_axes: [a, b] } => square(point.x, a) + square(point.y, b) - 1.0,
            Self::Parabola { focal_length } => square(point.y, 2.0 * focal_length) - point.x / focal_length,
            Self::Hyperbola { half_axes: [_, b] } if point.x <= 0.0 => 1.0 + square(point.y, b),
            Self::Hyperbola { half_axes: [a, b] } => 1.0 + square(point.y, b) - square(point.x, a),
        }
    }

    /// Reports whether the region contains a point. Points within rounding of the border may be on either side.
    ///
    /// ```
    /// use heurt_solid::curve::Conic;
    /// let branch = Conic::Hyperbola { half_axes: [1.0, 1.0] };
    /// assert!(branch.contains([2.0, 1.0].into()) && !branch.contains([-2.0, 1.0].into()));
    /// ```
    pub fn contains(&self, point: Vec2) -> bool {
        self.value(point) <= 0.0
    }

    /// Makes the polygon of the region with a distance of at most `tolerance` metres from its border,
    /// counter-clockwise. A parabola and a hyperbola are cut off along x at `length` metres from the vertex; an ellipse
    /// is complete.
    ///
    /// ```
    /// use heurt_solid::curve::Conic;
    /// // The segment of a parabola has 2/3 of the area of its rectangle (Archimedes): y² ≤ 4 x, x ≤ 1.
    /// let corners = Conic::Parabola { focal_length: 1.0 }.polygon(1.0, 1e-6)?;
    /// let doubled: f64 = (0..corners.len()).map(|k| corners[k].perp_dot(corners[(k + 1) % corners.len()])).sum();
    /// assert!((doubled / 2.0 - 2.0 / 3.0 * 4.0).abs() < 1e-5);
    /// # Ok::<(), heurt_solid::curve::CurveError>(())
    /// ```
    ///
    /// # Errors
    /// [`CurveError::Parameter`] for lengths and a tolerance that are not positive, [`CurveError::TooManyCorners`]
    /// above 2²² corners.
    pub fn polygon(&self, length: f64, tolerance: f64) -> Result<Vec<Vec2>, CurveError> {
        check_length("tolerance", tolerance)?;
        check_length("length", length)?;
        match *self {
            Self::Ellipse { half_axes } => Superellipse::new(half_axes, 1.0)?.polygon(tolerance),
            Self::Parabola { focal_length: f } => {
                check_length("focal length", f)?;
                let arc = |y: f64| -> ArcPoint { (Vec2::new(y * y / (4.0 * f), y), Vec2::new(-2.0 * f, y)) };
                cut_off(arc, 2.0 * (f * length).sqrt(), tolerance)
            }
            Self::Hyperbola { half_axes: [a, b] } => {
                check_length("half axis along x", a)?;
                check_length("half axis along y", b)?;
                let arc = |y: f64| -> ArcPoint {
                    let x = a * (y / b).hypot(1.0);
                    (Vec2::new(x, y), Vec2::new(-x / a / a, y / b / b))
                };
                let ratio = length / a;
                cut_off(arc, b * (ratio * (ratio + 2.0)).sqrt(), tolerance)
            }
        }
    }
}

/// Makes the polygon of an arc over 0 ≤ y ≤ `end` and of its mirror image, closed by a straight side.
fn cut_off(arc: impl Fn(f64) -> ArcPoint, end: f64, tolerance: f64) -> Result<Vec<Vec2>, CurveError> {
    let mut upper = Vec::new();
    flatten(&arc, [0.0, end], tolerance, &mut upper)?;
    upper.push(arc(end).0);
    // Counter-clockwise: from the upper end over the vertex to the lower end.
    let lower: Vec<Vec2> = upper[1..].iter().map(|point| Vec2::new(point.x, -point.y)).collect();
    upper.reverse();
    upper.extend(lower);
    Ok(upper)
}
