//! The exact answers: how many pairs of triangles meet in a pose.
//!
//! Method: parry's `f64` tree proposes (boxes with a margin of 1e-9 of the size, far above its rounding), the exact
//! triangle test of `heurt-geometry` (checked against rational arithmetic in heurt's own tests) decides on the placed
//! `f64` vertices. Independent of heurt's trees and queries.

use crate::meshes::Case;
use crate::peers::parry::double;
use crate::poses::{Numbers, Placement, diagonal};
use heurt_geometry::{Pose, Triangle, Vec3, triangles_intersect};
use heurt_mesh::TriMesh;

/// Counts the intersecting pairs of triangles in each pose.
pub fn counts(case: &Case, poses: &[Placement]) -> Vec<u64> {
    let (a, b) = (double::Mesh::new(&case.a), double::Mesh::new(&case.b));
    let margin = 1e-9 * diagonal(case);
    poses
        .iter()
        .map(|placement| {
            let (pose_a, pose_b) = (pose(&placement.a), pose(&placement.b));
            let mut count = 0;
            let (parry_a, parry_b) = (double::pose(&placement.a), double::pose(&placement.b));
            a.candidates(&parry_a, &b, &parry_b, margin, |i, j| {
                let meet = triangles_intersect(&placed(&case.a, &pose_a, i), &placed(&case.b, &pose_b, j));
                count += u64::from(meet);
                false
            });
            count
        })
        .collect()
}

/// A placement as heurt's pose.
pub fn pose(numbers: &Numbers) -> Pose {
    let [x, y, z, w, tx, ty, tz] = *numbers;
    Pose::from_quaternion([x, y, z, w], Vec3::new(tx, ty, tz)).expect("a unit quaternion")
}

fn placed(mesh: &TriMesh, pose: &Pose, index: u32) -> Triangle {
    mesh.corners(index).map(|corner| pose.place(corner))
}
