//! A placed mesh and a placed convex shape.
//!
//! Method: a hull is asked as the mesh that it is; with a margin it is the distance of its core that counts; a half-space asks
//! for the farthest vertex, and what is curved goes triangle by triangle (`algo/round_triangles`).
//! Guarantees: exact for hulls without a margin, on the hull of their placed corners; else right beyond 16 ulp of the largest
//! coordinate.

use super::mesh_mesh::mesh_overlap_asked;
use super::rounded::within;
use super::{Side, Witness, holds, mesh_overlap_counted};
use crate::algo::convex_pair::rehulled;
use crate::algo::half_space::below;
use crate::algo::round_triangles;
use crate::budget::Spending;
use crate::distance::{mesh_distance_within, surfaces_within};
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::{Convex, Core, Hull, MeshShape};

/// Tells whether they share a point; with a margin, and of a half-space, whatever there is to spend.
pub(crate) fn mesh_convex_overlap(
    mesh: &MeshShape,
    pose: &Pose,
    convex: &Convex,
    pose_convex: &Pose,
    spending: &Spending<'_>,
) -> (Option<Witness>, Work) {
    let of_primitive = |primitive: u32| Witness::Primitives { a: primitive, b: 0 };
    match convex.core() {
        Core::Hull(hull) if convex.margin() == 0.0 => of_hull(mesh, pose, hull, pose_convex, spending),
        Core::Hull(hull) => {
            let near = mesh_distance_within(mesh, pose, hull.surface(), pose_convex, convex.margin());
            let (witness, work) = within(near, || mesh_overlap_counted(mesh, pose, hull.surface(), pose_convex));
            (witness.map(as_one_primitive), work)
        }
        Core::HalfSpace { .. } => {
            let (lowest, work) = below(convex, pose_convex, mesh, pose);
            ((lowest.gap.length <= 0.0).then(|| of_primitive(lowest.triangle)), work)
        }
        Core::Round(_) => {
            let (found, mut work) = round_triangles::nearest(mesh, pose, convex, pose_convex, 0.0, spending);
            let witness = found.map(|found| of_primitive(found.triangle)).or_else(|| {
                let is_inside =
                    !spending.is_cut() && mesh.is_solid() && holds(mesh, pose, pose_convex.translation(), &mut work);
                is_inside.then_some(Witness::Contained(Side::B))
            });
            (witness, work)
        }
    }
}

/// Placing rounds corners, so that the placed surface of a hull may lie a few ulp beneath the hull of its placed corners: where
/// that can matter, the hull is made anew.
fn of_hull(
    mesh: &MeshShape,
    pose: &Pose,
    hull: &Hull,
    pose_hull: &Pose,
    spending: &Spending<'_>,
) -> (Option<Witness>, Work) {
    let (witness, mut work) = mesh_overlap_asked((mesh, pose), (hull.surface(), pose_hull), spending);
    if witness.is_some() || spending.is_cut() || pose_hull.is_identity() || hull.corners().len() <= 3 {
        return (witness, work);
    }
    let largest = mesh.tree().frame().reach() + pose.span() + hull.reach() + pose_hull.span();
    let (is_near, done) = surfaces_within(mesh, pose, hull.surface(), pose_hull, 16.0 * f64::EPSILON * largest);
    work += done;
    if !is_near {
        return (None, work);
    }
    let Some(exact) = rehulled(hull, pose_hull) else { return (None, work) };
    let (witness, done) = mesh_overlap_counted(mesh, pose, exact.surface(), &Pose::IDENTITY);
    work += done;
    (witness.map(as_one_primitive), work)
}

/// A hull is one primitive, whatever its triangles.
fn as_one_primitive(witness: Witness) -> Witness {
    match witness {
        Witness::Primitives { a, .. } => Witness::Primitives { a, b: 0 },
        contained => contained,
    }
}
