//! Welding of nearly equal vertices, and removal of the triangles that collapse by it.
//!
//! In: the incidences of a mesh, and a tolerance. Out: the mesh with fewer vertices, or nothing if all stay.
//! Guarantees: no vertex moves by more than the tolerance. Cost: O(n log n).

use super::edit::{Change, Edit};
use crate::Topology;
use crate::weld::weld;

/// Merges vertices within `tolerance` of each other if the mesh has open edges.
pub(super) fn weld_seams(topology: &Topology, tolerance: f64) -> Option<Edit> {
    if topology.edges().all(|edge| edge.degree() % 2 == 0) {
        return None;
    }
    let mesh = topology.mesh();
    let welded = weld(mesh, tolerance).ok()?;
    let vertices_merged = mesh.vertices().len() - welded.mesh.vertices().len();
    if vertices_merged == 0 {
        return None;
    }
    let moved = mesh.vertices().iter().zip(&welded.map);
    let deviation = moved.map(|(&old, &new)| (old - welded.mesh.vertices()[new as usize]).length()).fold(0.0, f64::max);
    let source = (0..mesh.triangles().len() as u32).collect();
    Some(Edit { mesh: welded.mesh, source, change: Change { vertices_merged, deviation, ..Change::default() } })
}
