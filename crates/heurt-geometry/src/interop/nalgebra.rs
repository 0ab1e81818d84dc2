//! Poses and the isometries of `nalgebra`.

use crate::{Mat3, Pose, PoseError, Vec3};
use nalgebra::{Isometry3, IsometryMatrix3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};

impl From<Pose> for IsometryMatrix3<f64> {
    /// The same numbers.
    fn from(pose: Pose) -> Self {
        let matrix = Matrix3::from_column_slice(&pose.rotation().to_cols_array());
        let translation = Translation3::from(Vector3::from(pose.translation().to_array()));
        Self::from_parts(translation, Rotation3::from_matrix_unchecked(matrix))
    }
}

impl From<Pose> for Isometry3<f64> {
    /// The rotation as a quaternion, rounded.
    fn from(pose: Pose) -> Self {
        let exact = IsometryMatrix3::from(pose);
        Self::from_parts(exact.translation, UnitQuaternion::from_rotation_matrix(&exact.rotation))
    }
}

impl TryFrom<IsometryMatrix3<f64>> for Pose {
    type Error = PoseError;

    /// As [`Pose::from_matrix`].
    fn try_from(isometry: IsometryMatrix3<f64>) -> Result<Self, PoseError> {
        let columns: [[f64; 3]; 3] = (*isometry.rotation.matrix()).into();
        Self::from_matrix(Mat3::from_cols_array_2d(&columns), Vec3::from_array(isometry.translation.vector.into()))
    }
}

impl TryFrom<Isometry3<f64>> for Pose {
    type Error = PoseError;

    /// As [`Pose::from_quaternion`].
    fn try_from(isometry: Isometry3<f64>) -> Result<Self, PoseError> {
        let q = isometry.rotation;
        Self::from_quaternion([q.i, q.j, q.k, q.w], Vec3::from_array(isometry.translation.vector.into()))
    }
}
