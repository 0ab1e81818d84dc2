//! Two placed meshes: their distance, or their depth from both sides (`algo/mesh_depth`), and where their surfaces are near each
//! other once they are apart (`algo/mesh_manifold`).

use super::{Contact, of_meshes};
use crate::algo::mesh_depth::{Body, mesh_depth};
use crate::algo::mesh_manifold::{Near, Surface, near_points};
use crate::budget::Spending;
use crate::distance::mesh_distance_within;
use crate::pairs::pairs;
use heurt_geometry::Pose;
use heurt_shape::MeshShape;

/// Finds how two meshes touch, if they are not farther apart than `margin`.
pub(crate) fn mesh_contact(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose, margin: f64) -> Option<Contact> {
    let found = mesh_distance_within(a, pose_a, b, pose_b, margin.max(0.0)).0?;
    let surfaces = [Surface::of_mesh(a, pose_a), Surface::of_mesh(b, pose_b)];
    let told = match found.normal {
        Some(normal) => of_meshes::apart(&found, normal, near_points(&surfaces, &Near::apart(found.distance, margin))),
        None => {
            let meeting = |side: usize| move || triangles_of(&pairs(a, pose_a, b, pose_b), side);
            let bodies = [Body::of_mesh(a, pose_a, meeting(0)), Body::of_mesh(b, pose_b, meeting(1))];
            let depth = mesh_depth(&bodies[0], &bodies[1], &Spending::default());
            let points = near_points(&surfaces, &Near::parted(&depth, margin));
            of_meshes::overlapping(&depth, points, (found.point_a, found.primitives))
        }
    };
    (told.separation <= margin).then_some(told)
}

/// The triangles of one side of pairs, ascending.
fn triangles_of(pairs: &[[u32; 2]], side: usize) -> Vec<u32> {
    let mut triangles: Vec<u32> = pairs.iter().map(|pair| pair[side]).collect();
    triangles.sort_unstable();
    triangles.dedup();
    triangles
}
