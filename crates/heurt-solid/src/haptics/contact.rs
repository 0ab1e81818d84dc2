//! Contact wrench of a point shell against a signed distance field: pressures on areas.
//!
//! In: a field and its pose, a shell and its pose, a stiffness κ in N/m³. Out: [`ShellContact`].
//! Method: a point at the depth d > 0 below the surface gives the force κ d A, along the inward area vector A of the
//! shell (the normals of McNeely et al. 1999, not the gradient of the field). So the force is continuous in the pose,
//! as the field is, and it does not flip across the medial axis of the solid. The sum approximates the integral of the
//! hydrostatic pressure κ d over the immersed surface, the gradient of the potential κ ∫ d dV over the immersed volume:
//! so it conserves energy up to the spacing of the points. A patch of area S resists as a spring of κ S N/m.
//! Spheres of points whose distance is provably above 0 are skipped: the distance is 1-Lipschitz.
//! Guarantees: exactly 0 if no point is inside in the field. The order of the sum is fixed.

use super::point_shell::PointShell;
use super::symmetric6::Symmetric6;
use crate::distance::DistanceOctree;
use heurt_geometry::{Mat3, Pose, Vec3};

/// The contact of a point shell with a signed distance field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShellContact {
    /// The force on the shell in newtons, in the world frame.
    pub force: Vec3,
    /// The torque on the shell in N·m, in the world frame, around the origin of the shell's frame.
    pub torque: Vec3,
    /// The greatest depth of a point below the surface, in metres; 0 without contact.
    pub depth: f64,
    /// The deepest point in the world frame; `None` without contact.
    pub deepest: Option<Vec3>,
    /// The number of points in contact.
    pub points: usize,
    /// Lower bound of the distance between the points of the shell and the surface, in metres; 0 in contact. It is
    /// loose far from the solid, because the search ends as soon as contact is excluded.
    pub clearance: f64,
}

/// Computes the contact of a point shell with a signed distance field, for a stiffness of at least 0 in N/m³.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_mesh::generate;
/// use heurt_solid::{DistanceOctree, PointShell, shell_contact};
/// let table = DistanceOctree::of_mesh(&generate::cuboid([0.5, 0.5, 0.1])?, 0.002)?;
/// let block = PointShell::of_mesh(&generate::cuboid([0.2, 0.2, 0.2])?, 0.02)?;
/// // The block of 0.4 m is 1 mm deep in the table: its lower face of 0.16 m² carries 0.16 N for 1000 N/m³.
/// let pose = Pose::from_translation(Vec3::Z * 0.299)?;
/// let contact = shell_contact(&table, &Pose::IDENTITY, &block, &pose, 1000.0);
/// assert!((contact.force.z - 0.16).abs() < 0.01 && contact.torque.length() < 1e-3);
/// assert!((contact.depth - 0.001).abs() < 1e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn shell_contact(
    field: &DistanceOctree,
    pose_field: &Pose,
    shell: &PointShell,
    pose_shell: &Pose,
    stiffness: f64,
) -> ShellContact {
    sum_contact::<false>(field, pose_field, shell, pose_shell, stiffness).0
}

/// Computes [`shell_contact`] and, `WITH_STIFFNESS`, the stiffness of the contact against displacements of the shell,
/// in the frame of the field.
pub(super) fn sum_contact<const WITH_STIFFNESS: bool>(
    field: &DistanceOctree,
    pose_field: &Pose,
    shell: &PointShell,
    pose_shell: &Pose,
    stiffness: f64,
) -> (ShellContact, Symmetric6) {
    let to_field = pose_field.rotation().transpose();
    let rotation: Mat3 = to_field * *pose_shell.rotation();
    let translation = to_field * (pose_shell.translation() - pose_field.translation());
    // Rotations are orthonormal up to their defect.
    let stretch = 1.0 + 4.0 * (pose_field.defect() + pose_shell.defect()) + 16.0 * f64::EPSILON;
    let mut matrix = Symmetric6::default();
    let (mut force, mut torque, mut points) = (Vec3::ZERO, Vec3::ZERO, 0);
    let (mut least, mut deepest, mut clearance) = (0.0f64, None, f64::INFINITY);
    let (nodes, all) = (shell.nodes(), shell.points());
    let mut next = 0;
    while let Some(node) = nodes.get(next) {
        let sample = field.sample(rotation * node.centre + translation);
        let radius = node.radius * stretch;
        let bound = sample.distance - sample.error - radius;
        if bound > field.surface_error() {
            clearance = clearance.min(bound);
            next = node.skip as usize;
            continue;
        }
        // A sphere inside the solid leaves nothing to skip: its points are tested at once.
        if sample.distance + sample.error + radius >= 0.0 && !node.is_leaf_at(next) {
            next += 1;
            continue;
        }
        next = node.skip as usize;
        for point in &all[node.first as usize..node.end as usize] {
            let arm = rotation * point.position;
            let [distance, at_least] = field.distance_at(arm + translation);
            if distance >= 0.0 {
                clearance = clearance.min(at_least);
                continue;
            }
            points += 1;
            let area = rotation * point.area;
            let moment = arm.cross(area);
            force += area * -distance;
            torque += moment * -distance;
            if distance < least {
                (least, deepest) = (distance, Some(arm));
            }
            if WITH_STIFFNESS {
                let size = area.length();
                if size > 0.0 {
                    matrix.add_spring(stiffness / size, area, moment);
                }
            }
        }
    }
    let to_world = *pose_field.rotation();
    let contact = ShellContact {
        force: to_world * force * stiffness,
        torque: to_world * torque * stiffness,
        depth: 0.0 - least,
        deepest: deepest.map(|arm| to_world * arm + pose_shell.translation()),
        points,
        clearance: if points > 0 { 0.0 } else { clearance.max(0.0) },
    };
    (contact, matrix)
}
