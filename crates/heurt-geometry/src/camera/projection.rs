//! Projections from the frame of a camera to the screen: perspective, orthographic, oblique.
//!
//! In: angles in radians, lengths in metres; points in the frame of the camera. Out: [`Projection`], its clip matrix,
//! projected points.
//! Method: one form for all kinds (Carlbom and Paciorek 1978). The window at depth d has half extents h · d in a
//! perspective and h otherwise. A shear moves a point of depth d by s · (d − t) before a parallel projection, with the
//! true depth t.
//! Guarantees: every number of a projection is finite, and 0 < extents. Not guaranteed: that a projected point is on
//! the screen; the range −1 to 1 has to be tested.

use super::ScreenPoint;
use crate::{DisplayNumber, Vec2, Vec3};
use thiserror::Error;

/// A projection from the frame of a camera to the screen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Projection {
    /// Half extents of the window: at depth 1 in a perspective.
    half: Vec2,
    depths: [f64; 2],
    /// Displacement on the screen for each metre of depth; zero in a perspective.
    slope: Vec2,
    true_depth: f64,
    is_perspective: bool,
}

/// The shear of an oblique projection. A scale of 1 is a cavalier projection, one of 1/2 a cabinet projection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shear {
    /// The angle on the screen at which receding lines are drawn, from right towards up, in radians.
    pub angle_rad: f64,
    /// The drawn length of a receding line, as a multiple of its length; 0 is an orthographic projection.
    pub scale: f64,
    /// The depth at which the shear displaces nothing, in metres.
    pub true_depth: f64,
}

/// Reason why numbers do not make a projection.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProjectionError {
    /// A number is NaN or infinite.
    #[error("the {field} is {value}: give a finite number")]
    NotFinite {
        /// `"field of view"`, `"aspect"`, `"height"`, `"near depth"`, `"far depth"`, `"angle"`, `"scale"` or
        /// `"true depth"`.
        field: &'static str,
        /// The offending number.
        value: f64,
    },
    /// A number is zero or below it.
    #[error("the {field} is {}: give one above 0", DisplayNumber(*value))]
    NotPositive {
        /// As above.
        field: &'static str,
        /// The offending number.
        value: f64,
    },
    /// The field of view is half a turn or more.
    #[error("the field of view is {} rad: give less than π", DisplayNumber(*_0))]
    FieldOfView(f64),
    /// The scale of a shear is negative.
    #[error("the scale is {}: give 0 or more, and turn the angle by π for the opposite side", DisplayNumber(*_0))]
    Scale(f64),
    /// The near plane is not before the far plane.
    #[error(
        "the near depth {} is not below the far depth {}: exchange or separate them",
        DisplayNumber(depths[0]),
        DisplayNumber(depths[1])
    )]
    Inverted {
        /// Depths of the near and the far plane.
        depths: [f64; 2],
    },
    /// The extents of the view volume are beyond the range of `f64`.
    #[error("the view volume is too large or too small for numbers of 64 bits: choose other units")]
    OutOfRange,
}

impl Projection {
    /// Creates a perspective: the vertical field of view in radians, the width of the screen divided by its height, the
    /// depths of near and far plane in metres.
    ///
    /// ```
    /// use heurt_geometry::{Projection, ProjectionError, Vec3};
    /// let projection = Projection::perspective(std::f64::consts::FRAC_PI_2, 2.0, [1.0, 9.0])?;
    /// let seen = projection.project(Vec3::new(4.0, 1.0, -2.0)).unwrap();
    /// assert!((seen.ndc - Vec3::new(1.0, 0.5, 0.5625)).length() < 1e-15);
    /// assert_eq!(projection.project(Vec3::Z), None, "behind the eye");
    /// let none = Projection::perspective(1.0, 1.0, [0.0, 9.0]);
    /// assert_eq!(none, Err(ProjectionError::NotPositive { field: "near depth", value: 0.0 }));
    /// # Ok::<(), ProjectionError>(())
    /// ```
    ///
    /// # Errors
    /// [`ProjectionError`] unless all numbers are finite and positive, the angle is below π and near is below far.
    pub fn perspective(fov_rad: f64, aspect: f64, depths: [f64; 2]) -> Result<Self, ProjectionError> {
        check_positive("field of view", fov_rad)?;
        check_positive("aspect", aspect)?;
        check_depths(depths)?;
        check_positive("near depth", depths[0])?;
        if fov_rad >= std::f64::consts::PI {
            return Err(ProjectionError::FieldOfView(fov_rad));
        }
        let tangent = libm::tan(0.5 * fov_rad);
        Self { half: Vec2::new(tangent * aspect, tangent), is_perspective: true, ..Self::plain(depths) }.checked()
    }

    /// Creates an orthographic projection: the height of the window in metres, its width divided by its height, the
    /// depths of near and far plane in metres. A negative near depth lies behind the eye.
    ///
    /// ```
    /// use heurt_geometry::{Projection, Vec3};
    /// let projection = Projection::orthographic(4.0, 1.5, [0.0, 10.0])?;
    /// let seen = projection.project(Vec3::new(3.0, -1.0, -5.0)).unwrap();
    /// assert_eq!(seen.ndc, Vec3::new(1.0, -0.5, 0.5));
    /// # Ok::<(), heurt_geometry::ProjectionError>(())
    /// ```
    ///
    /// # Errors
    /// [`ProjectionError`] unless all numbers are finite, height and aspect are positive and near is below far.
    pub fn orthographic(height: f64, aspect: f64, depths: [f64; 2]) -> Result<Self, ProjectionError> {
        check_positive("height", height)?;
        check_positive("aspect", aspect)?;
        check_depths(depths)?;
        Self { half: Vec2::new(0.5 * height * aspect, 0.5 * height), ..Self::plain(depths) }.checked()
    }

    /// Creates an oblique projection: an orthographic projection after a shear.
    ///
    /// ```
    /// use heurt_geometry::{Projection, Shear, Vec3};
    /// let cabinet = Shear { angle_rad: 0.0, scale: 0.5, true_depth: 5.0 };
    /// let projection = Projection::oblique(2.0, 1.0, [0.0, 10.0], cabinet)?;
    /// let seen = projection.project(Vec3::new(0.0, 0.0, -6.0)).unwrap();
    /// assert_eq!(seen.ndc.x, 0.5, "a metre behind the true depth is drawn half a metre to the right");
    /// # Ok::<(), heurt_geometry::ProjectionError>(())
    /// ```
    ///
    /// # Errors
    /// [`ProjectionError`] as for [`Projection::orthographic`], and for a scale below 0.
    pub fn oblique(height: f64, aspect: f64, depths: [f64; 2], shear: Shear) -> Result<Self, ProjectionError> {
        let upright = Self::orthographic(height, aspect, depths)?;
        let Shear { angle_rad, scale, true_depth } = shear;
        check_finite("angle", angle_rad)?;
        check_finite("scale", scale)?;
        check_finite("true depth", true_depth)?;
        if scale < 0.0 {
            return Err(ProjectionError::Scale(scale));
        }
        let slope = Vec2::new(libm::cos(angle_rad), libm::sin(angle_rad)) * scale;
        Self { slope, true_depth, ..upright }.checked()
    }

    fn plain(depths: [f64; 2]) -> Self {
        Self { half: Vec2::ONE, depths, slope: Vec2::ZERO, true_depth: 0.0, is_perspective: false }
    }

    /// Refuses extents that are not normal numbers, or whose sums, reciprocals and quotients overflow.
    fn checked(self) -> Result<Self, ProjectionError> {
        let [near, far] = self.depths;
        let reach = self.half + self.slope.abs() * (near.abs() + far.abs() + self.true_depth.abs());
        let is_normal = |x: f64| x.is_normal() && (1.0 / x).is_finite();
        let has_range = is_normal(self.half.x) && is_normal(self.half.y) && (1.0 / (far - near)).is_finite();
        let is_bounded = reach.is_finite() && (reach / self.half).is_finite() && (far - near).is_finite();
        if has_range && is_bounded { Ok(self) } else { Err(ProjectionError::OutOfRange) }
    }

    /// Returns the half extents of the window in metres: at depth 1 in a perspective, at any depth otherwise.
    pub fn half_extents(&self) -> Vec2 {
        self.half
    }

    /// Returns the depths of near and far plane, in metres.
    pub fn depths(&self) -> [f64; 2] {
        self.depths
    }

    /// Returns the displacement on the window for each metre of depth; zero unless the projection is oblique.
    pub fn slope(&self) -> Vec2 {
        self.slope
    }

    /// Returns the depth in metres at which an oblique projection displaces nothing; 0 for other projections.
    pub fn true_depth(&self) -> f64 {
        self.true_depth
    }

    /// Reports whether all rays pass through the eye.
    pub fn is_perspective(&self) -> bool {
        self.is_perspective
    }

    /// Computes the matrix from the frame of the camera to clip coordinates, by columns.
    ///
    /// Clip coordinates divided by their fourth one are normalized device coordinates: x and y from −1 to 1, z from 0
    /// at the near plane to 1 at the far plane.
    pub fn clip_matrix(&self) -> [[f64; 4]; 4] {
        let [near, far] = self.depths;
        let inverse = self.half.recip();
        let (slope, rest) = (-self.slope * inverse, -self.slope * self.true_depth * inverse);
        let factor = if self.is_perspective { far / (far - near) } else { 1.0 / (far - near) };
        let (divisor, one) = if self.is_perspective { (-1.0, 0.0) } else { (0.0, 1.0) };
        [
            [inverse.x, 0.0, 0.0, 0.0],
            [0.0, inverse.y, 0.0, 0.0],
            [slope.x, slope.y, -factor, divisor],
            [rest.x, rest.y, -factor * near, one],
        ]
    }

    /// Projects a point of the frame of the camera; `None` at or behind the eye of a perspective, or beyond the range
    /// of `f64`.
    pub fn project(&self, point: Vec3) -> Option<ScreenPoint> {
        let [near, far] = self.depths;
        let depth = -point.z;
        let seen = if self.is_perspective {
            if depth <= 0.0 {
                return None;
            }
            let screen = point.truncate() / depth / self.half;
            screen.extend((depth - near) / (far - near) * (far / depth))
        } else {
            let screen = (point.truncate() + self.slope * (depth - self.true_depth)) / self.half;
            screen.extend((depth - near) / (far - near))
        };
        seen.is_finite().then_some(ScreenPoint { ndc: seen, depth })
    }

    /// Computes the point of the frame of the camera with these normalized device coordinates.
    pub fn unproject(&self, ndc: Vec3) -> Vec3 {
        let [near, far] = self.depths;
        let depth = match self.is_perspective {
            // The reciprocal of the depth is linear in z.
            true => near / ((1.0 - ndc.z) + ndc.z * (near / far)),
            false => near * (1.0 - ndc.z) + far * ndc.z,
        };
        self.window_point(ndc.truncate(), depth)
    }

    /// Returns the point of the frame of the camera at a depth, by its place on the screen.
    pub(super) fn window_point(&self, screen: Vec2, depth: f64) -> Vec3 {
        let window = screen * self.half;
        let at = if self.is_perspective { window * depth } else { window - self.slope * (depth - self.true_depth) };
        at.extend(-depth)
    }

    /// Returns the path of a ray for each metre of depth, in the frame of the camera, by its place on the screen.
    pub(super) fn path(&self, screen: Vec2) -> Vec3 {
        let across = if self.is_perspective { screen * self.half } else { -self.slope };
        across.extend(-1.0)
    }
}

fn check_finite(field: &'static str, value: f64) -> Result<(), ProjectionError> {
    if value.is_finite() { Ok(()) } else { Err(ProjectionError::NotFinite { field, value }) }
}

fn check_positive(field: &'static str, value: f64) -> Result<(), ProjectionError> {
    check_finite(field, value)?;
    if value > 0.0 { Ok(()) } else { Err(ProjectionError::NotPositive { field, value }) }
}

fn check_depths(depths: [f64; 2]) -> Result<(), ProjectionError> {
    check_finite("near depth", depths[0])?;
    check_finite("far depth", depths[1])?;
    if depths[0] < depths[1] { Ok(()) } else { Err(ProjectionError::Inverted { depths }) }
}
