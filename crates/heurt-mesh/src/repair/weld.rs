//! Welding of nearly equal vertices where that closes something.
//!
//! In: a mesh, and the tolerance of the options. Out: the mesh with fewer vertices, or nothing if all stay.
//! Method: [`solidify`] matches open edges with each other and merges their ends; orientation is left to a later step.
//! Guarantees: as [`solidify`]: no vertex moves by more than the tolerance, no wall collapses. Cost: O(n log n).

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
