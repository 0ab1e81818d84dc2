//! Welding of nearly equal vertices where that closes something.
//!
//! In: a mesh, and the tolerance of the options. Out: the mesh with fewer vertices, or nothing if all stay.
//! Method: [`solidify`] matches open edges with each other and merges their ends; orientation is left to a later step.
//! A mesh that stays open or intersects itself may have several copies of a surface that differ by rounding: then all
//! vertices within the tolerance of each other are merged, unless a triangle would collapse by it.
//! Guarantees: no vertex moves by more than the tolerance, no wall collapses. Cost: O(n log n).

use super::edit::{Change, Edit};
use crate::weld::weld;
use crate::{SolidifyError, TriMesh, Weld, solidify};

/// Merges vertices on open edges; `None` for the tolerance is [`Weld::Auto`].
pub(super) fn weld_seams(mesh: &TriMesh, tolerance: Option<f64>) -> Result<Option<Edit>, SolidifyError> {
    let solidified = solidify(mesh.clone(), tolerance.map_or(Weld::Auto, Weld::Within))?;
    let Some(welding) = solidified.welding else { return Ok(None) };
    // The merged vertices lie at one place each, with the triangles as they were.
    let (vertices, _) = solidified.mesh.into_parts();
    let moved = TriMesh::from_valid(vertices, mesh.triangles().to_vec());
    let Ok(merged) = weld(&moved, 0.0) else { return Ok(None) };
    let change = Change {
        vertices_merged: mesh.vertices().len() - merged.mesh.vertices().len(),
        deviation: welding.farthest,
        ..Change::default()
    };
    let source = (0..mesh.triangles().len() as u32).collect();
    Ok(Some(Edit { mesh: merged.mesh, source, change }))
}

/// Merges all vertices within `tolerance` of each other; `None` if there are none, or if two corners of a triangle are.
pub(super) fn weld_clusters(mesh: &TriMesh, tolerance: f64) -> Option<Edit> {
    let merged = weld(mesh, tolerance).ok()?;
    let place = |vertex: u32| mesh.vertices()[vertex as usize];
    let moved = |vertex: u32| merged.map[vertex as usize];
    let collapses = |&[a, b, c]: &[u32; 3]| {
        [(a, b), (b, c), (c, a)].into_iter().any(|(p, q)| moved(p) == moved(q) && place(p) != place(q))
    };
    let offsets = (0..mesh.vertices().len() as u32).map(|vertex| {
        let to = merged.mesh.vertices()[moved(vertex) as usize];
        (place(vertex) - to).length()
    });
    let deviation = offsets.fold(0.0, f64::max);
    if deviation == 0.0 || mesh.triangles().iter().any(collapses) {
        return None;
    }
    let vertices_merged = mesh.vertices().len() - merged.mesh.vertices().len();
    let source = (0..mesh.triangles().len() as u32).collect();
    Some(Edit { mesh: merged.mesh, source, change: Change { vertices_merged, deviation, ..Change::default() } })
}
