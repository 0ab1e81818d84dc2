//! Two placed meshes: an intersecting pair of triangles, else containment.
//!
//! Method: S0 §4.2 and §4.3, with trees (§4.5.4). When no surfaces meet, every connected part of one mesh lies wholly
//! inside or wholly outside the other, so one vertex of each part tells; only parts whose vertex lies in the other's box
//! are located.
//! Guarantees: exact on the placed `f64` vertices. Cost: tens of nanoseconds when far apart, else about log n walks.

use super::{Side, Witness};
use crate::algo::leaf_pairs::LeafPairs;
use crate::inside::{Location, locate};
use heurt_bvh::{RelativePose, Work, walk_pair};
use heurt_geometry::{Aabb, Pose, Vec3};
use heurt_shape::MeshShape;
use std::ops::ControlFlow;

/// Tells whether the placed meshes share a point, with a witness.
pub fn overlap(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> Option<Witness> {
    overlap_counted(a, pose_a, b, pose_b).0
}

/// [`overlap`], with the work done.
pub fn overlap_counted(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> (Option<Witness>, Work) {
    if surely_apart(a, pose_a, b, pose_b) {
        return (None, Work::default());
    }
    let relative = RelativePose::new(a.tree().frame(), pose_a, b.tree().frame(), pose_b);
    let mut witness = None;
    let mut visitor = LeafPairs::new(a, pose_a, b, pose_b, &relative, |i, j| {
        witness = Some(Witness::Primitives { a: i, b: j });
        ControlFlow::Break(())
    });
    let mut work = walk_pair(a.tree(), b.tree(), &relative, &mut visitor);
    if witness.is_none() {
        let side = if has_part_inside(a, pose_a, b, pose_b, &mut work) {
            Some(Side::A)
        } else if has_part_inside(b, pose_b, a, pose_a, &mut work) {
            Some(Side::B)
        } else {
            None
        };
        witness = side.map(Witness::Contained);
    }
    (witness, work)
}

/// Compares the spheres about the trees' centres, in `f64` with room for every rounding.
#[inline(always)]
pub(crate) fn surely_apart(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> bool {
    let (frame_a, frame_b) = (a.tree().frame(), b.tree().frame());
    let (centre_a, centre_b) = (pose_a.place(frame_a.centre()), pose_b.place(frame_b.centre()));
    let scale = largest(centre_a) + largest(centre_b) + frame_a.reach() + frame_b.reach();
    let stretch = 1.0 + 3.0 * (pose_a.defect() + pose_b.defect());
    let touch = (frame_a.radius() + frame_b.radius()) * stretch + scale * (1.0 / (1u64 << 44) as f64);
    (centre_b - centre_a).length_squared() > touch * touch * (1.0 + 1e-12)
}

#[inline(always)]
fn largest(v: Vec3) -> f64 {
    v.x.abs().max(v.y.abs()).max(v.z.abs())
}

/// Tells whether a connected part of `inner` lies inside the solid `outer`, given that no surfaces meet.
fn has_part_inside(
    inner: &MeshShape,
    pose_inner: &Pose,
    outer: &MeshShape,
    pose_outer: &Pose,
    work: &mut Work,
) -> bool {
    if !outer.is_solid() {
        return false;
    }
    let box_ = placed_bounds(outer, pose_outer);
    inner.components().iter().any(|part| {
        let point = pose_inner.place(inner.mesh().vertices()[part.vertex as usize]);
        box_.contains(point)
            && match locate(outer, pose_outer, point, work) {
                Location::Boundary { .. } => true,
                Location::Winding(winding) => winding != 0,
            }
    })
}

/// A world box that holds the placed mesh.
pub(crate) fn placed_bounds(shape: &MeshShape, pose: &Pose) -> Aabb {
    let bounds = shape.bounds();
    let (centre, half) = (bounds.centre(), bounds.half_extents());
    let [x, y, z] = [pose.rotation().x_axis.abs(), pose.rotation().y_axis.abs(), pose.rotation().z_axis.abs()];
    let scale = largest(bounds.min).max(largest(bounds.max)) + largest(pose.translation());
    let reach = x * half.x + y * half.y + z * half.z + Vec3::splat(scale * (1.0 / (1u64 << 44) as f64));
    let middle = pose.place(centre);
    Aabb { min: middle - reach, max: middle + reach }
}
