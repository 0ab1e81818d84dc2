//! Poses, and the matrices and rotations of `mint`.

use crate::{Pose, PoseError, Quat, Vec3};
use glam::DMat4;
use mint::{ColumnMatrix3, ColumnMatrix4, Quaternion, Vector3};

impl From<Pose> for ColumnMatrix4<f64> {
    /// The same numbers, above a last row 0, 0, 0, 1.
    fn from(pose: Pose) -> Self {
        DMat4::from(pose).into()
    }
}

impl TryFrom<ColumnMatrix4<f64>> for Pose {
    type Error = PoseError;

    /// As [`Pose::from_matrix`]; the last row must be 0, 0, 0, 1.
    fn try_from(matrix: ColumnMatrix4<f64>) -> Result<Self, PoseError> {
        DMat4::from(matrix).try_into()
    }
}

impl From<Pose> for (ColumnMatrix3<f64>, Vector3<f64>) {
    /// Rotation and translation, the same numbers.
    fn from(pose: Pose) -> Self {
        ((*pose.rotation()).into(), pose.translation().into())
    }
}

impl TryFrom<(Quaternion<f64>, Vector3<f64>)> for Pose {
    type Error = PoseError;

    /// As [`Pose::from_quaternion`].
    fn try_from((rotation, translation): (Quaternion<f64>, Vector3<f64>)) -> Result<Self, PoseError> {
        (Quat::from(rotation), Vec3::from(translation)).try_into()
    }
}
