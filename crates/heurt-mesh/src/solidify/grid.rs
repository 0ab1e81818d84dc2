//! Welding on the absolute grid of 10⁻⁸ units, all or nothing.
//!
//! In: a mesh and the original positions of its vertices. Out: the mesh in which the used vertices of each cell of the
//! grid lie at the position of the lowest of them; `None` unless that leaves no edge with an odd number of triangles.
//! Method: coordinates are rounded to 8 decimals, as trimesh does when it loads a file (`merge_vertices` with
//! `tol.merge` = 1e-8); equal cells are found as equal points are. So a file that trimesh calls watertight gets the
//! same vertices here.
//! Guarantees: no two corners of a triangle become one. Not guaranteed: two vertices closer than a cell may lie in
//! different cells. Cost: two topologies.

use heurt_geometry::Vec3;

use super::Census;
use super::indexed::Indexed;
use crate::TriMesh;
use crate::weld::first_at_same_place;

/// Cells to a unit of length.
const CELLS: f64 = 1e8;
/// No vertex.
const NONE: u32 = u32::MAX;

/// Returns the mesh welded on the grid, if that closes it and collapses nothing.
pub(super) fn welded(mesh: &TriMesh, original: &[Vec3]) -> Option<Indexed> {
    let cells: Vec<Vec3> = original.iter().map(|vertex| vertex.map(|x| (x * CELLS).round_ties_even())).collect();
    if !cells.iter().all(|cell| cell.is_finite()) {
        return None;
    }
    let first = first_at_same_place(&cells);
    let mut is_used = vec![false; original.len()];
    mesh.triangles().iter().flatten().for_each(|&vertex| is_used[vertex as usize] = true);
    let mut lowest = vec![NONE; original.len()];
    for vertex in (0..original.len() as u32).filter(|&vertex| is_used[vertex as usize]) {
        let lowest = &mut lowest[first[vertex as usize] as usize];
        *lowest = vertex.min(*lowest);
    }
    let position = |vertex: usize| if is_used[vertex] { lowest[first[vertex] as usize] as usize } else { vertex };
    let vertices = (0..original.len()).map(|vertex| original[position(vertex)]).collect();
    let mut before = Indexed::new(TriMesh::from_valid(original.to_vec(), mesh.triangles().to_vec()));
    let mut after = Indexed::new(TriMesh::from_valid(vertices, mesh.triangles().to_vec()));
    let collapsed = before.with_topology(|topology| topology.collapsed().to_vec());
    let is_closed = after.with_topology(|topology| Census::of(topology).open == 0 && topology.collapsed() == collapsed);
    is_closed.then_some(after)
}
