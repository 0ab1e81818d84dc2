//! Pose of a shape: a rotation and a translation, applied with a rounding that is part of the contract.
//!
//! In: a unit quaternion or an orthonormal matrix, metres. Out: placed points in the world frame.
//! Guarantees: `place` rounds each coordinate as fl(fl(fl(fl(m₀x) + fl(m₁y)) + fl(m₂z)) + t) with no fused
//! operation, so that every machine places a vertex on the same bits; the identity leaves a point untouched.

use crate::{DisplayNumber, Mat3, Quat, Vec3};
use thiserror::Error;

/// Maximum deviation of a rotation from orthonormal, per entry of RᵀR and in the norm of a quaternion.
const ROTATION_TOLERANCE: f64 = 1e-6;

/// A placement of a shape in the world: `p ↦ rotation · p + translation`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    rotation: Mat3,
    translation: Vec3,
    defect: f64,
    span: f64,
}

/// Reason why numbers do not make a pose.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PoseError {
    /// A number is NaN or infinite.
    #[error("the {field} holds {value}: give finite numbers")]
    NotFinite {
        /// `"rotation"` or `"translation"`.
        field: &'static str,
        /// The offending number.
        value: f64,
    },
    /// A quaternion is too far from unit length.
    #[error(
        "the quaternion [{}, {}, {}, {}] has norm {}: divide it by its norm",
        DisplayNumber(quaternion[0]),
        DisplayNumber(quaternion[1]),
        DisplayNumber(quaternion[2]),
        DisplayNumber(quaternion[3]),
        DisplayNumber(*norm)
    )]
    NotUnit {
        /// The given quaternion, `[x, y, z, w]`.
        quaternion: [f64; 4],
        /// Its norm.
        norm: f64,
    },
    /// A matrix that is not a rotation.
    #[error("the matrix is no rotation ({reason}, off by {deviation:e}): give orthonormal columns with determinant +1")]
    NotRotation {
        /// The failed condition.
        reason: &'static str,
        /// The amount of the deviation.
        deviation: f64,
    },
}

impl Pose {
    /// The identity.
    pub const IDENTITY: Self = Self { rotation: Mat3::IDENTITY, translation: Vec3::ZERO, defect: 0.0, span: 0.0 };

    /// Creates a translation by `translation`.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// let lifted = Pose::from_translation(Vec3::Z * 2.0)?;
    /// assert_eq!(lifted.place(Vec3::X), Vec3::new(1.0, 0.0, 2.0));
    /// assert!(Pose::from_translation(Vec3::NAN).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PoseError::NotFinite`] when a number is NaN or infinite.
    pub fn from_translation(translation: Vec3) -> Result<Self, PoseError> {
        check_finite("translation", &translation.to_array())?;
        Ok(Self { translation, span: largest(translation), ..Self::IDENTITY })
    }

    /// Creates a rotation by the quaternion `[x, y, z, w]`, followed by `translation`.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// // A quarter turn about z: sine and cosine of half the angle.
    /// let half = std::f64::consts::FRAC_PI_4;
    /// let turned = Pose::from_quaternion([0.0, 0.0, half.sin(), half.cos()], Vec3::ZERO)?;
    /// assert!(turned.place(Vec3::X).abs_diff_eq(Vec3::Y, 1e-15));
    /// assert!(Pose::from_quaternion([0.0, 0.0, 1.0, 1.0], Vec3::ZERO).is_err(), "not of unit length");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PoseError`] when a number is not finite or the norm is not within 1e-6 of 1; a norm within that is normalised.
    pub fn from_quaternion(quaternion: [f64; 4], translation: Vec3) -> Result<Self, PoseError> {
        check_finite("rotation", &quaternion)?;
        check_finite("translation", &translation.to_array())?;
        let [x, y, z, w] = quaternion;
        let norm = (x * x + y * y + z * z + w * w).sqrt();
        if (norm - 1.0).abs() > ROTATION_TOLERANCE {
            return Err(PoseError::NotUnit { quaternion, norm });
        }
        let rotation = Mat3::from_quat(Quat::from_xyzw(x / norm, y / norm, z / norm, w / norm));
        Ok(Self::assembled(rotation, translation, orthonormality_defect(&rotation)))
    }

    /// Creates a rotation by `rotation`, used as given, followed by `translation`.
    ///
    /// ```
    /// use heurt_geometry::{Mat3, Pose, Vec3};
    /// let quarter = Mat3::from_cols(Vec3::Y, -Vec3::X, Vec3::Z);
    /// assert_eq!(Pose::from_matrix(quarter, Vec3::ZERO)?.place(Vec3::X), Vec3::Y);
    /// let mirror = Mat3::from_diagonal(Vec3::new(1.0, 1.0, -1.0));
    /// assert!(Pose::from_matrix(mirror, Vec3::ZERO).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PoseError`] when a number is not finite, when an entry of RᵀR is more than 1e-6 off the identity, or on a
    /// mirror.
    pub fn from_matrix(rotation: Mat3, translation: Vec3) -> Result<Self, PoseError> {
        check_finite("rotation", &rotation.to_cols_array())?;
        check_finite("translation", &translation.to_array())?;
        let deviation = orthonormality_defect(&rotation);
        if deviation > ROTATION_TOLERANCE {
            return Err(PoseError::NotRotation { reason: "columns not orthonormal", deviation });
        }
        let determinant = rotation.determinant();
        if determinant < 0.0 {
            return Err(PoseError::NotRotation { reason: "a mirror", deviation: (determinant - 1.0).abs() });
        }
        Ok(Self::assembled(rotation, translation, deviation))
    }

    /// Returns the pose translated by `offset`.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// let above = Pose::IDENTITY.shifted(Vec3::Z)?.shifted(Vec3::Z)?;
    /// assert_eq!(above.translation(), Vec3::Z * 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PoseError::NotFinite`] when the offset or the result is not finite.
    pub fn shifted(&self, offset: Vec3) -> Result<Self, PoseError> {
        let translation = self.translation + offset;
        check_finite("translation", &translation.to_array())?;
        Ok(Self { translation, span: largest(translation), ..*self })
    }

    /// Returns the pose translated by `offset` in the world frame, as composing with that translation does; `None`
    /// beyond the range of `f64`.
    pub fn translated(&self, offset: Vec3) -> Option<Self> {
        let moved = Self::from_translation(offset).ok()?.compose(self);
        moved.translation().is_finite().then_some(moved)
    }

    /// Returns the rotation part, as a matrix.
    pub fn rotation(&self) -> &Mat3 {
        &self.rotation
    }

    /// Returns the translation part.
    pub fn translation(&self) -> Vec3 {
        self.translation
    }

    /// Returns the deviation of the rotation part from orthonormal: the largest entry of |RᵀR − I|.
    #[inline(always)]
    pub fn defect(&self) -> f64 {
        self.defect
    }

    /// Returns the largest component of the translation in magnitude.
    #[inline(always)]
    pub fn max_translation(&self) -> f64 {
        self.span
    }

    /// Places `point`: each coordinate rounded as the module header states.
    #[inline(always)]
    pub fn place(&self, point: Vec3) -> Vec3 {
        let [x, y, z] = [self.rotation.x_axis, self.rotation.y_axis, self.rotation.z_axis];
        Vec3::new(
            ((x.x * point.x + y.x * point.y) + z.x * point.z) + self.translation.x,
            ((x.y * point.x + y.y * point.y) + z.y * point.z) + self.translation.y,
            ((x.z * point.x + y.z * point.y) + z.z * point.z) + self.translation.z,
        )
    }

    /// Reports whether the pose is exactly the identity.
    pub fn is_identity(&self) -> bool {
        *self == Self::IDENTITY
    }

    /// Returns the pose `self ∘ inner`: first `inner`, then `self` (rounded). Translations near the end of the range of
    /// `f64` can overflow.
    ///
    /// ```
    /// use heurt_geometry::{Mat3, Pose, Vec3};
    /// let turn = Pose::from_matrix(Mat3::from_cols(Vec3::Y, -Vec3::X, Vec3::Z), Vec3::ZERO)?;
    /// let shift = Pose::from_translation(Vec3::X)?;
    /// // First the shift along x, then the turn takes x to y.
    /// assert_eq!(turn.compose(&shift).place(Vec3::ZERO), Vec3::Y);
    /// assert_eq!(shift.compose(&turn).place(Vec3::ZERO), Vec3::X);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn compose(&self, inner: &Self) -> Self {
        let rotation = self.rotation * inner.rotation;
        Self::assembled(rotation, self.place(inner.translation), orthonormality_defect(&rotation))
    }

    /// Creates a pose from a product of rotations, and any translation.
    pub(crate) fn of_rotation(rotation: Mat3, translation: Vec3) -> Result<Self, PoseError> {
        check_finite("rotation", &rotation.to_cols_array())?;
        check_finite("translation", &translation.to_array())?;
        Ok(Self::assembled(rotation, translation, orthonormality_defect(&rotation)))
    }

    fn assembled(rotation: Mat3, translation: Vec3, defect: f64) -> Self {
        Self { rotation, translation, defect, span: largest(translation) }
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

fn largest(v: Vec3) -> f64 {
    v.abs().max_element()
}

/// Returns the largest entry of |RᵀR − I|.
fn orthonormality_defect(rotation: &Mat3) -> f64 {
    let gram = rotation.transpose() * *rotation - Mat3::IDENTITY;
    gram.to_cols_array().iter().fold(0.0, |worst, entry| entry.abs().max(worst))
}

fn check_finite(field: &'static str, values: &[f64]) -> Result<(), PoseError> {
    match values.iter().find(|value| !value.is_finite()) {
        Some(&value) => Err(PoseError::NotFinite { field, value }),
        None => Ok(()),
    }
}
