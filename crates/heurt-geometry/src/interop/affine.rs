//! Poses and the transforms of `glam`.

use crate::{Mat3, Pose, PoseError, Quat, Vec3};
use glam::{DAffine3, DMat4};

impl From<Pose> for DAffine3 {
    /// The same numbers.
    fn from(pose: Pose) -> Self {
        Self { matrix3: *pose.rotation(), translation: pose.translation() }
    }
}

impl From<Pose> for DMat4 {
    /// The same numbers, above a last row 0, 0, 0, 1.
    fn from(pose: Pose) -> Self {
        DAffine3::from(pose).into()
    }
}

impl TryFrom<DAffine3> for Pose {
    type Error = PoseError;

    /// As [`Pose::from_matrix`].
    fn try_from(transform: DAffine3) -> Result<Self, PoseError> {
        Self::from_matrix(transform.matrix3, transform.translation)
    }
}

impl TryFrom<DMat4> for Pose {
    type Error = PoseError;

    /// As [`Pose::from_matrix`]; the last row must be 0, 0, 0, 1.
    fn try_from(matrix: DMat4) -> Result<Self, PoseError> {
        let last = matrix.row(3).to_array();
        if last != [0.0, 0.0, 0.0, 1.0] {
            let deviation = last.iter().zip([0.0, 0.0, 0.0, 1.0]).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            return Err(PoseError::NotRotation { reason: "the last row is not 0, 0, 0, 1", deviation });
        }
        Self::from_matrix(Mat3::from_mat4(matrix), matrix.w_axis.truncate())
    }
}

impl TryFrom<(Quat, Vec3)> for Pose {
    type Error = PoseError;

    /// As [`Pose::from_quaternion`].
    fn try_from((rotation, translation): (Quat, Vec3)) -> Result<Self, PoseError> {
        Self::from_quaternion(rotation.to_array(), translation)
    }
}
