//! Frame of a camera in the world, from eye, target and up vector.
//!
//! In: points of the world in metres, an up vector of any length. Out: [`View`], its axes and poses.
//! Method: the right axis is direction × up. An up vector along the direction gives no right axis; a fixed axis of the
//! world then replaces it (S0 §1.5.1 leaves that case undefined).
//! Guarantees: the axes are orthonormal to a few ulp for all magnitudes; the same bits on every machine.

use crate::{Mat3, Pose, PoseError, Vec3, robust_normalize};
use thiserror::Error;

/// The sine of the least angle between direction and up vector: half the digits of the right axis remain.
const MIN_SINE: f64 = 1e-8;
/// The cosine to the y axis beyond which −z is the better replacement of the up vector: near 45°.
const MAX_COSINE_TO_Y: f64 = 0.7;

/// A frame of a camera in the world: x right, y up, looking along −z.
///
/// ```
/// use heurt_geometry::{Vec3, View};
/// let view = View::look_at(Vec3::ZERO, Vec3::X, Vec3::Y)?;
/// assert_eq!((view.right(), view.up(), view.forward()), (Vec3::Z, Vec3::Y, Vec3::X));
/// assert_eq!(view.to_camera(Vec3::new(3.0, 2.0, 1.0)), Vec3::new(1.0, 2.0, -3.0));
/// let down = View::look_at(Vec3::Y, Vec3::ZERO, Vec3::Y)?;
/// assert_eq!(down.up(), -Vec3::Z, "straight down, up on the screen is −z");
/// # Ok::<(), heurt_geometry::ViewError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    pose: Pose,
}

/// Reason why points do not make a view.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ViewError {
    /// A number is NaN or infinite.
    #[error("the {field} is {value}: give finite numbers")]
    NotFinite {
        /// `"eye"`, `"target"` or `"up"`.
        field: &'static str,
        /// The offending vector.
        value: Vec3,
    },
    /// The camera has no direction.
    #[error("eye and target are both at {eye}: give a target away from the eye")]
    NoDirection {
        /// The common point.
        eye: Vec3,
    },
}

impl View {
    /// Creates the view from `eye` towards `target`, with the component of `up` across that direction upwards on the
    /// screen.
    ///
    /// If `up` is zero or within 1e-8 rad of the direction or its opposite, +y replaces it, and −z if the direction is
    /// within 45° of the y axis.
    ///
    /// # Errors
    /// [`ViewError`] when a number is not finite, or when target and eye are equal.
    pub fn look_at(eye: Vec3, target: Vec3, up: Vec3) -> Result<Self, ViewError> {
        for (field, value) in [("eye", eye), ("target", target), ("up", up)] {
            if !value.is_finite() {
                return Err(ViewError::NotFinite { field, value });
            }
        }
        let path = target - eye;
        // Halves, because the difference of points near the end of the range overflows.
        let path = if path.is_finite() { path } else { target * 0.5 - eye * 0.5 };
        Self::along(eye, path, up)
    }

    /// Creates the view of a camera with a pose in the world: it looks along −z of the pose, with y upwards.
    ///
    /// # Errors
    /// [`ViewError::NoDirection`] for a rotation without a direction, which no [`Pose`] has.
    pub fn from_pose(pose: &Pose) -> Result<Self, ViewError> {
        Self::along(pose.translation(), -pose.rotation().z_axis, pose.rotation().y_axis)
    }

    fn along(eye: Vec3, path: Vec3, up: Vec3) -> Result<Self, ViewError> {
        let forward = robust_normalize(path).ok_or(ViewError::NoDirection { eye })?;
        let right = right_axis(forward, up);
        let rotation = Mat3::from_cols(right, right.cross(forward), -forward);
        let pose = Pose::from_matrix(rotation, eye).map_err(|_| ViewError::NoDirection { eye })?;
        Ok(Self { pose })
    }

    /// Returns the pose that places the frame of the camera in the world.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// Computes the pose that places the world in the frame of the camera. Far from the origin of the world,
    /// [`View::to_camera`] loses fewer digits.
    ///
    /// # Errors
    /// [`PoseError::NotFinite`] when the translation is beyond the range of `f64`.
    pub fn world_to_camera(&self) -> Result<Pose, PoseError> {
        let rotation = self.pose.rotation().transpose();
        Pose::from_matrix(rotation, -(rotation * self.eye()))
    }

    /// Returns the position of the camera in the world.
    pub fn eye(&self) -> Vec3 {
        self.pose.translation()
    }

    /// Returns the unit vector that points right on the screen, in the world.
    pub fn right(&self) -> Vec3 {
        self.pose.rotation().x_axis
    }

    /// Returns the unit vector that points up on the screen, in the world.
    pub fn up(&self) -> Vec3 {
        self.pose.rotation().y_axis
    }

    /// Returns the unit vector in which the camera looks, in the world.
    pub fn forward(&self) -> Vec3 {
        -self.pose.rotation().z_axis
    }

    /// Computes a point of the world in the frame of the camera.
    pub fn to_camera(&self, point: Vec3) -> Vec3 {
        let offset = point - self.eye();
        let rotation = self.pose.rotation();
        Vec3::new(rotation.x_axis.dot(offset), rotation.y_axis.dot(offset), rotation.z_axis.dot(offset))
    }

    /// Computes a point of the frame of the camera in the world.
    pub fn to_world(&self, point: Vec3) -> Vec3 {
        self.pose.place(point)
    }
}

/// Returns the unit vector right of the unit vector `forward`, orthogonal to it.
fn right_axis(forward: Vec3, up: Vec3) -> Vec3 {
    let steep = forward.y.abs() > MAX_COSINE_TO_Y;
    let fallback = if steep { -Vec3::Z } else { Vec3::Y };
    let across = forward.cross(robust_normalize(up).unwrap_or(fallback));
    let across = if across.length() < MIN_SINE { forward.cross(fallback) } else { across };
    let first = across.normalize();
    // Roundings of a short product leave a component along the direction.
    (first - forward * forward.dot(first)).normalize()
}
