//! Placements of glTF nodes: rotation and translation as a pose, the remaining linear map as a stretch.
//!
//! In: the matrix, or translation, rotation and scale of a node or an instance. Out: a [`Frame`], composed down the
//! hierarchy in `f64`.
//! Method: as in [`placement`](crate::read::placement).
//! Not guaranteed: a quaternion further than 1e-3 from unit length is an error of the pose.

use super::schema::Node;
use crate::read::placement::Frame;
use crate::{Place, ReadError};
use heurt_geometry::{Mat3, Pose, Vec3};

/// Largest deviation of the norm of a quaternion from 1; exporters round to four digits.
const QUATERNION_TOLERANCE: f64 = 1e-3;

/// Returns the frame of a node in the root's frame.
pub(super) fn frame_of(parent: &Frame, node: &Node, index: u32) -> Result<Frame, ReadError> {
    let place = || Place::Item(format!("nodes[{index}]"));
    nested(parent, &local(node, index)?, place)
}

/// Returns the linear map and the translation of a node in its parent's frame.
pub(super) fn local_map(node: &Node, index: u32) -> Result<(Mat3, Vec3), ReadError> {
    let Frame { pose, stretch } = local(node, index)?;
    Ok((*pose.rotation() * stretch, pose.translation()))
}

/// Returns the frame of an instance in the root's frame, from its translation, rotation (x, y, z, w) and scale.
pub(super) fn frame_of_instance(
    parent: &Frame,
    [translation, scale]: [Vec3; 2],
    quaternion: [f64; 4],
    place: impl Fn() -> Place,
) -> Result<Frame, ReadError> {
    let pose = Pose::from_quaternion(nearly_unit(quaternion), translation);
    let pose = pose.map_err(|cause| ReadError::Pose { place: place(), cause })?;
    nested(parent, &Frame { pose, stretch: Mat3::from_diagonal(scale) }, place)
}

/// Composes two frames.
fn nested(parent: &Frame, child: &Frame, place: impl Fn() -> Place) -> Result<Frame, ReadError> {
    parent.child(child).map_err(|cause| ReadError::Pose { place: place(), cause })
}

/// Returns the frame of a node in its parent's frame.
fn local(node: &Node, index: u32) -> Result<Frame, ReadError> {
    let refused = |cause| ReadError::Pose { place: Place::Item(format!("nodes[{index}]")), cause };
    if let Some(matrix) = &node.matrix {
        if [matrix[3], matrix[7], matrix[11], matrix[15]] != [0.0, 0.0, 0.0, 1.0] {
            let place = Place::Item(format!("nodes[{index}].matrix"));
            let last = format!("{} {} {} {}", matrix[3], matrix[7], matrix[11], matrix[15]);
            return Err(ReadError::syntax(place, last.as_bytes(), "a last row of 0 0 0 1"));
        }
        let column = |at: usize| Vec3::new(matrix[at], matrix[at + 1], matrix[at + 2]);
        let linear = Mat3::from_cols(column(0), column(4), column(8));
        return Frame::from_linear(linear, column(12)).map_err(refused);
    }
    let translation = node.translation.as_deref().map_or(Vec3::ZERO, |t| Vec3::from_array(*t));
    let pose = match node.rotation.as_deref() {
        None => Pose::from_translation(translation),
        Some(&quaternion) => Pose::from_quaternion(nearly_unit(quaternion), translation),
    };
    let pose = pose.map_err(refused)?;
    let stretch = node.scale.as_deref().map_or(Mat3::IDENTITY, |s| Mat3::from_diagonal(Vec3::from_array(*s)));
    Ok(Frame { pose, stretch })
}

/// Divides out a norm that is off by more than a pose allows, but not by much.
fn nearly_unit(quaternion: [f64; 4]) -> [f64; 4] {
    let norm = quaternion.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    let off = (norm - 1.0).abs();
    if off > 1e-6 && off <= QUATERNION_TOLERANCE { quaternion.map(|entry| entry / norm) } else { quaternion }
}
