//! Prisms over polygons: bodies of agents.

use crate::Surface;
use heurt_geometry::Vec3;
use heurt_mesh::triangulate_with_holes;

/// Returns the vertices of a prism over corners, a lower and an upper one for each corner in turn.
pub(super) fn prism_vertices(corners: impl IntoIterator<Item = Vec3>, up: Vec3) -> Vec<Vec3> {
    corners.into_iter().flat_map(|corner| [corner, corner + up]).collect()
}

/// Returns the prism of vertices in the order of [`prism_vertices`], corners counter-clockwise from above: its sides,
/// its roof, and the edges of the roof. A polygon that cannot be triangulated has no roof.
pub(super) fn prism_surface(vertices: Vec<Vec3>) -> Surface {
    let count = vertices.len() as u32 / 2;
    let at = |k: u32, top: u32| 2 * (k % count) + top;
    let upper: Vec<u32> = (0..count).map(|k| at(k, 1)).collect();
    let mut triangles = triangulate_with_holes(&vertices, &upper, &[]).unwrap_or_default();
    for k in 0..count {
        triangles.extend([[at(k, 0), at(k + 1, 0), at(k + 1, 1)], [at(k, 0), at(k + 1, 1), at(k, 1)]]);
    }
    let edges = (0..count).map(|k| [at(k, 1), at(k + 1, 1)]).collect();
    Surface { vertices, triangles, edges }
}
