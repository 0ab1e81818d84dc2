//! Convex hulls of placed points as shapes: boxes and hulls of every dimension.
//!
//! In: points in the world. Out: the closed mesh of their hull; a fan for a polygon, a triangle without area for a segment
//! or a point (exact predicates take every degeneracy).
//! Guarantees: exactly the set that the points span, as every corner of the mesh is one of them, unrounded.

use heurt::geometry::{Aabb, ConvexHull, Dimension, Sign, Vec3, orient3d};
use heurt::mesh::{MeshError, TriMesh};
use heurt::shape::MeshShape;

/// The shape that `points` span.
pub(super) fn span(points: &[Vec3]) -> Result<MeshShape, String> {
    let hull = ConvexHull::new(points).map_err(|error| error.to_string())?;
    let corners = hull.vertices();
    let triangles: Vec<[u32; 3]> = match hull.dimension() {
        Dimension::Solid => hull.triangles().to_vec(),
        Dimension::Planar => corners[1..].windows(2).map(|edge| [corners[0], edge[0], edge[1]]).collect(),
        Dimension::Segment | Dimension::Point => vec![[corners[0], corners[0], corners[corners.len() - 1]]],
    };
    let mesh = compacted(points, triangles).map_err(|error| error.to_string())?;
    let shape = MeshShape::new(mesh).and_then(|shape| shape.with_solid(hull.dimension() == Dimension::Solid));
    shape.map_err(|error| error.to_string())
}

/// The mesh of `triangles` over those of `points` that they use: points within the hull are no vertices of it.
fn compacted(points: &[Vec3], mut triangles: Vec<[u32; 3]>) -> Result<TriMesh, MeshError> {
    let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    for corner in triangles.iter_mut().flatten() {
        *corner = used.partition_point(|point| point < corner) as u32;
    }
    TriMesh::new(used.iter().map(|&point| points[point as usize]).collect(), triangles)
}

/// Which of `triangles`, placed, have a corner in the solid hull `shape`; none for a flat one.
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
