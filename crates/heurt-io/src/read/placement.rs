//! Rigid placement with a linear stretch, composed down a hierarchy of nodes.
//!
//! In: local transforms, as a rotation and translation or as any linear map and translation. Out: a pose, and the
//! stretch (scale, mirror, shear) that a pose cannot hold and that is applied to a copy of the mesh.
//! Method: p ↦ pose(stretch · p). A linear map with orthogonal columns splits into rotation · diagonal, any other one
//! becomes a stretch as it is. Composition moves a uniform scale past the rotation of the child; any other stretch
//! absorbs that rotation.
//! Guarantees: a rigid hierarchy has no stretch; rotations are orthonormal to 1e-12 after each composition, unless one
//! node gives a rotation within that tolerance. Not guaranteed: bits of a pose through a composition. Cost: O(1) a
//! node.

use heurt_geometry::{Mat3, Pose, PoseError, Vec3};
use heurt_mesh::{MeshError, Polygons, TriMesh};

/// How far, relatively, the columns of a matrix may be from orthogonal.
const MATRIX_TOLERANCE: f64 = 1e-6;
/// How far, relatively, the lengths of columns may differ and count as equal: 8 ulp, which is what products of
/// rotations and a uniform scale round them by.
const LENGTH_TOLERANCE: f64 = 8.0 * f64::EPSILON;
/// The deviation from orthonormal up to which a rotation stays as it is: rounding of the digits of one node.
const PRODUCT_TOLERANCE: f64 = 1e-12;

/// A placement that may stretch: `p ↦ pose(stretch · p)`.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub pose: Pose,
    pub stretch: Mat3,
}

impl Frame {
    /// The frame that moves nothing.
    pub(super) const IDENTITY: Self = Self { pose: Pose::IDENTITY, stretch: Mat3::IDENTITY };

    /// Reports whether the frame moves nothing.
    pub(super) fn is_identity(&self) -> bool {
        self.pose.is_identity() && self.stretch == Mat3::IDENTITY
    }

    /// Splits `p ↦ linear · p + translation`.
    pub(super) fn from_linear(linear: Mat3, translation: Vec3) -> Result<Self, PoseError> {
        let (rotation, stretch) = split(linear);
        Ok(Self { pose: Pose::from_matrix(rotation, translation)?, stretch })
    }

    /// Returns the frame of a child, of which `local` is the frame in this one.
    pub(super) fn child(&self, local: &Self) -> Result<Self, PoseError> {
        let frame = compose(self, local)?;
        let pose = Pose::from_matrix(orthonormalized(&frame.pose), frame.pose.translation())?;
        Ok(Self { pose, ..frame })
    }

    /// Returns the bits of the stretch; −0 and 0 give the same.
    pub(super) fn stretch_key(&self) -> [u64; 9] {
        self.stretch.to_cols_array().map(|entry| (entry + 0.0).to_bits())
    }
}

/// Returns the rotation of a composed pose, orthonormal again: a product adds up the deviations of its factors.
fn orthonormalized(pose: &Pose) -> Mat3 {
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
    if lengths.iter().all(|length| (length - lengths[0]).abs() <= LENGTH_TOLERANCE * lengths[0]) {
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

/// Returns the frame of a child of `parent`, of which `child` is the local one.
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

/// Copies `mesh` under `stretch`, its faces reversed if that is a mirror.
pub(super) fn stretched(mesh: &TriMesh, stretch: &Mat3) -> Result<TriMesh, MeshError> {
    if *stretch == Mat3::IDENTITY {
        return Ok(mesh.clone());
    }
    let vertices = mesh.vertices().iter().map(|&vertex| *stretch * vertex).collect();
    let mirrors = stretch.determinant() < 0.0;
    let triangles = mesh.triangles().iter().map(|&[a, b, c]| if mirrors { [a, c, b] } else { [a, b, c] }).collect();
    TriMesh::new(vertices, triangles)
}

/// Reverses polygons over `triangles` triangles, for a mesh whose faces are reversed.
pub(super) fn reversed(polygons: &Polygons, triangles: usize) -> Option<Polygons> {
    let mut corners = Vec::new();
    let mut ends = Vec::with_capacity(polygons.len());
    for polygon in 0..polygons.len() {
        corners.extend(polygons.corners(polygon).iter().rev());
        ends.push(corners.len());
    }
    Polygons::new(corners, ends, (0..triangles as u32).map(|triangle| polygons.polygon_of(triangle)).collect())
}
