//! A placed mesh and a placed convex shape: the distance of their cores less the margin.

use super::rounded::less_margins;
use super::{Distance, mesh_distance_within};
use crate::algo::half_space::below;
use crate::algo::round_triangles;
use crate::budget::Spending;
use crate::overlap::holds;
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::{Convex, Core, MeshShape};

/// Finds how far a mesh and a convex shape are apart if that is not above `max` metres.
pub(crate) fn mesh_convex_distance_within(
    mesh: &MeshShape,
    pose: &Pose,
    convex: &Convex,
    pose_convex: &Pose,
    max: f64,
) -> (Option<Distance>, Work) {
    let margin = convex.margin();
    match convex.core() {
        Core::Hull(hull) => {
            let (found, work) = mesh_distance_within(mesh, pose, hull.surface(), pose_convex, max + margin);
            let of_hull = |found: Distance| Distance { primitives: found.primitives.map(|[i, _]| [i, 0]), ..found };
            let found = found.map(|found| less_margins(of_hull(found), 0.0, margin));
            (found.filter(|found| found.distance <= max), work)
        }
        Core::HalfSpace { .. } => {
            let (lowest, work) = below(convex, pose_convex, mesh, pose);
            let (gap, primitives) = (lowest.gap, Some([lowest.triangle, 0]));
            let found = match gap.length > 0.0 {
                true => Distance {
                    distance: gap.length,
                    point_a: gap.on_b,
                    point_b: gap.on_a,
                    normal: Some(-gap.normal),
                    primitives,
                    error: gap.error,
                },
                false => Distance::common(gap.on_b, primitives),
            };
            (Some(found).filter(|found| found.distance <= max), work)
        }
        Core::Round(_) => {
            let (found, mut work) =
                round_triangles::nearest(mesh, pose, convex, pose_convex, max, &Spending::default());
            if found.as_ref().is_none_or(|found| found.distance.distance > 0.0) && mesh.is_solid() {
                let middle = pose_convex.translation();
                if holds(mesh, pose, middle, &mut work) {
                    return (Some(Distance::common(middle, None)), work);
                }
            }
            (found.map(|found| found.distance), work)
        }
    }
}
