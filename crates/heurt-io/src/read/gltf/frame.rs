//! Placements of glTF nodes: rotation and translation as a pose, the remaining linear map as a stretch.
//!
//! In: the matrix, or translation, rotation and scale of a node or an instance. Out: a [`Frame`], composed down the
//! hierarchy in `f64`.
//! Method: a matrix of orthogonal columns is split into rotation and lengths; uniform scales commute with rotations;
//! products of rotations are made orthonormal by Newton's iteration for the polar decomposition.
//! Not guaranteed: a quaternion further than 1e-3 from unit length is an error of the pose.

use super::schema::Node;
use crate::{Place, ReadError};
use heurt_geometry::{Mat3, Pose, PoseError, Vec3};
use heurt_mesh::{MeshError, TriMesh};

/// A placement that may stretch: `p ↦ pose(stretch · p)`.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) pose: Pose,
    pub(super) stretch: Mat3,
}

impl Frame {
    /// The frame of the root.
    pub(super) const IDENTITY: Self = Self { pose: Pose::IDENTITY, stretch: Mat3::IDENTITY };
}

/// Largest deviation of the norm of a quaternion from 1; exporters round to four digits.
const QUATERNION_TOLERANCE: f64 = 1e-3;
/// Largest relative deviation of the columns of a matrix from orthogonal, or from equal length.
const MATRIX_TOLERANCE: f64 = 1e-6;
/// Largest defect of a rotation that is kept as it is: the rounding of products in `f64`.
const PRODUCT_TOLERANCE: f64 = 1e-12;

/// Returns the frame of a node in that of the root.
pub(super) fn frame_of(parent: &Frame, node: &Node, index: u32) -> Result<Frame, ReadError> {
    let place = || Place::Item(format!("nodes[{index}]"));
    nested(parent, &local(node, index)?, place)
}

/// Returns the frame of an instance in that of the root, from its translation, rotation (x, y, z, w) and scale.
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

/// Composes two frames, and makes the rotation of the result orthonormal.
fn nested(parent: &Frame, child: &Frame, place: impl Fn() -> Place) -> Result<Frame, ReadError> {
    let refused = |cause| ReadError::Pose { place: place(), cause };
    let frame = compose(parent, child).map_err(refused)?;
    let pose = Pose::from_matrix(mended(&frame.pose), frame.pose.translation()).map_err(refused)?;
    Ok(Frame { pose, ..frame })
}

/// Returns the rotation of a composed pose, made orthonormal: products add up the deviations of their factors.
fn mended(pose: &Pose) -> Mat3 {
    let rotation = *pose.rotation();
    if pose.defect() <= PRODUCT_TOLERANCE {
        return rotation;
    }
    // Newton's iteration for the nearest rotation squares the defect: from 2e-6 to 1e-23 in two steps.
    let nearer = |rotation: Mat3| {
        let gram = rotation.transpose() * rotation;
        rotation * (Mat3::from_diagonal(Vec3::splat(1.5)) - gram * 0.5)
    };
    nearer(nearer(rotation))
}

/// Returns the frame of a node in that of its parent.
fn local(node: &Node, index: u32) -> Result<Frame, ReadError> {
    let refused = |cause| ReadError::Pose { place: Place::Item(format!("nodes[{index}]")), cause };
    if let Some(matrix) = &node.matrix {
        if [matrix[3], matrix[7], matrix[11], matrix[15]] != [0.0, 0.0, 0.0, 1.0] {
            let place = Place::Item(format!("nodes[{index}].matrix"));
            let last = format!("{} {} {} {}", matrix[3], matrix[7], matrix[11], matrix[15]);
            return Err(ReadError::syntax(place, last.as_bytes(), "a last row of 0 0 0 1"));
        }
        let column = |at: usize| Vec3::new(matrix[at], matrix[at + 1], matrix[at + 2]);
        let (rotation, stretch) = split(Mat3::from_cols(column(0), column(4), column(8)));
        return Ok(Frame { pose: Pose::from_matrix(rotation, column(12)).map_err(refused)?, stretch });
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

/// Writes `linear` as rotation · stretch, the stretch a diagonal where the columns are orthogonal.
fn split(linear: Mat3) -> (Mat3, Mat3) {
    if Pose::from_matrix(linear, Vec3::ZERO).is_ok() {
        return (linear, Mat3::IDENTITY);
    }
    let columns = [linear.x_axis, linear.y_axis, linear.z_axis];
    let mut lengths = columns.map(Vec3::length);
    let normal = lengths.iter().all(|&length| length > 0.0 && length.is_finite());
    let [x, y, z] = [columns[0] / lengths[0], columns[1] / lengths[1], columns[2] / lengths[2]];
    let skew = x.dot(y).abs().max(y.dot(z).abs()).max(z.dot(x).abs());
    if !normal || skew > MATRIX_TOLERANCE {
        return (Mat3::IDENTITY, linear);
    }
    if lengths.iter().all(|length| (length - lengths[0]).abs() <= MATRIX_TOLERANCE * lengths[0]) {
        lengths = [lengths[0]; 3];
    }
    let rotation = Mat3::from_cols(x, y, z);
    // A mirror of all three axes turns a left-handed frame into a right-handed one and keeps a uniform scale uniform.
    let sign = if rotation.determinant() < 0.0 { -1.0 } else { 1.0 };
    let stretch = Mat3::from_diagonal(Vec3::from_array(lengths) * sign);
    if Pose::from_matrix(rotation * sign, Vec3::ZERO).is_ok() {
        (rotation * sign, stretch)
    } else {
        (Mat3::IDENTITY, linear)
    }
}

/// Returns the frame of a child of `parent`; `child` is its frame in that of the parent.
fn compose(parent: &Frame, child: &Frame) -> Result<Frame, PoseError> {
    let factor = parent.stretch.x_axis.x;
    if parent.stretch == Mat3::IDENTITY {
        Ok(Frame { pose: parent.pose.compose(&child.pose), stretch: child.stretch })
    } else if parent.stretch == Mat3::from_diagonal(Vec3::splat(factor)) {
        // A uniform scale commutes with the rotation of the child.
        let moved = Pose::from_matrix(*child.pose.rotation(), child.pose.translation() * factor)?;
        Ok(Frame { pose: parent.pose.compose(&moved), stretch: child.stretch * factor })
    } else {
        let moved = Pose::from_translation(parent.stretch * child.pose.translation())?;
        let stretch = parent.stretch * *child.pose.rotation() * child.stretch;
        Ok(Frame { pose: parent.pose.compose(&moved), stretch })
    }
}

/// Returns a copy of `mesh` under `stretch`; faces are reversed if that is a mirror.
pub(super) fn stretched(mesh: &TriMesh, stretch: &Mat3) -> Result<TriMesh, MeshError> {
    if *stretch == Mat3::IDENTITY {
        return Ok(mesh.clone());
    }
    let vertices = mesh.vertices().iter().map(|&vertex| *stretch * vertex).collect();
    let turn = stretch.determinant() < 0.0;
    let triangles = mesh.triangles().iter().map(|&[a, b, c]| if turn { [a, c, b] } else { [a, b, c] }).collect();
    TriMesh::new(vertices, triangles)
}
