//! Two placed meshes: their distance, or their depth from both sides (`depth`), and where their surfaces are near each
//! other once they are disjoint (`mesh/manifold`).

use super::is_separated;
use crate::answer::budget::{Budgeted, WorkMeter};
use crate::answer::contact::Contact;
use crate::answer::placed::PlacedMeshShape;
use crate::contact::assemble;
use crate::contact::assemble::along_points;
use crate::contact::box_fallback::contact_by_boxes;
use crate::depth::mesh_depth;
use crate::depth::operand::DepthOperand;
use crate::mesh::distance::metered::mesh_distance_metered;
use crate::mesh::manifold::{Surface, limit_rounding, near_points};
use crate::mesh::near_pairs::Near;
use crate::mesh::pairs::pairs_metered;
use heurt_geometry::Vec3;

/// Finds how two meshes touch, if they are not farther from each other than `margin`; as long as there is something to
/// spend.
pub(crate) fn mesh_contact(
    a: PlacedMeshShape<'_>,
    b: PlacedMeshShape<'_>,
    margin: f64,
    meter: &WorkMeter<'_>,
) -> Option<Contact> {
    let Budgeted::Complete(found) = mesh_distance_metered(a, b, margin.max(0.0), meter) else { return None };
    let found = found?;
    let surfaces = [Surface::of_mesh(a.shape, a.pose), Surface::of_mesh(b.shape, b.pose)];
    let result = match found.normal {
        Some(normal) => {
            let points = near_points(&surfaces, &Near::from_distance(found.distance, margin), meter);
            assemble::disjoint_contact(&found, normal, points)
        }
        None if meter.is_exhausted() => contact_by_boxes(a.with(a.shape.into()), b.with(b.shape.into()), &found)?,
        None => {
            let meeting = |side: usize| move || triangles_of(&pairs_metered(a, b, meter), side);
            let bodies = [
                DepthOperand::of_mesh(a.shape, a.pose, meeting(0)),
                DepthOperand::of_mesh(b.shape, b.pose, meeting(1)),
            ];
            let depth = mesh_depth(&bodies[0], &bodies[1], &|a, b, shift| is_separated(a, b, shift, meter), meter);
            let points = near_points(&surfaces, &Near::parted(&depth, margin), meter);
            let (on_a, on_b) = (a.with(a.shape.into()), b.with(b.shape.into()));
            let rounding = limit_rounding([on_a, on_b], Vec3::ZERO);
            let depth = along_points(depth, &points, rounding, |shift| is_separated(on_a, on_b, shift, meter));
            assemble::overlapping(&depth, points, (found.point_a, found.primitives))
        }
    };
    (result.separation <= margin).then_some(result)
}

/// The triangles of one side of pairs, ascending.
fn triangles_of(pairs: &[[u32; 2]], side: usize) -> Vec<u32> {
    let mut triangles: Vec<u32> = pairs.iter().map(|pair| pair[side]).collect();
    triangles.sort_unstable();
    triangles.dedup();
    triangles
}
