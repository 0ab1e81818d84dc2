//! Triangles with a corner in a solid convex hull.

use heurt::geometry::{Aabb, Sign, Vec3, orient3d};
use heurt::shape::MeshShape;

/// Returns the numbers of `triangles`, placed, that have a corner in the solid hull `shape`; none for a flat one.
pub(super) fn held<'t>(
    shape: &'t MeshShape,
    triangles: impl Iterator<Item = (u32, [Vec3; 3])> + 't,
) -> impl Iterator<Item = u32> + 't {
    let mesh = shape.mesh();
    let below = move |point: Vec3| {
        (0..mesh.triangles().len() as u32).all(|facet| {
            let [a, b, c] = mesh.corners(facet);
            orient3d(a, b, c, point) != Sign::Positive
        })
    };
    let bounds: Aabb = *shape.bounds();
    let holds = move |point: Vec3| bounds.contains(point) && below(point);
    triangles
        .filter(move |(_, corners)| shape.is_solid() && corners.iter().any(|&corner| holds(corner)))
        .map(|(triangle, _)| triangle)
}
