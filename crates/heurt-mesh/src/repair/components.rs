//! Removal of unused vertices, and of flat and tiny connected components.
//!
//! In: the incidences of a mesh, and the size below which a component is tiny. Out: the mesh without them, or nothing
//! if it has none.
//! Method: components are connected through shared vertices. A component is flat if all its vertices lie in one plane.
//! A flat component goes if every edge of it has an even number of triangles (it bounds nothing), or if all components
//! that are not flat are closed (it cannot be a wall that is missing elsewhere).
//! Guarantees: flatness is decided exactly; at least one component stays. Vertices keep their order.
//! Not guaranteed: that a tiny component has no meaning; that test is off unless a size is given.
//! Cost: O(n log n).

use heurt_geometry::{Aabb, Sign, is_degenerate, orient3d};

use super::edit::{Change, Edit};
use crate::topology::DisjointSets;
use crate::{Topology, TriMesh};

/// A set of triangles connected through shared vertices.
#[derive(Debug, Clone)]
struct Piece {
    triangles: Vec<u32>,
    bounds: Aabb,
    is_even: bool,
    is_flat: bool,
}

/// Removes unused vertices, flat components, and components whose box has a diagonal below `tiny`.
pub(super) fn drop_components(topology: &Topology, tiny: f64) -> Option<Edit> {
    let mesh = topology.mesh();
    let pieces = pieces(topology);
    let bodies_are_closed = pieces.iter().filter(|piece| !piece.is_flat).all(|piece| piece.is_even);
    let has_body = pieces.iter().any(|piece| !piece.is_flat);
    let diagonal = |piece: &Piece| (piece.bounds.max - piece.bounds.min).length();
    let largest = pieces.iter().map(diagonal).fold(0.0, f64::max);
    let goes = |piece: &Piece| {
        let bounds_nothing = has_body && piece.is_flat && (piece.is_even || bodies_are_closed);
        bounds_nothing || (diagonal(piece) < tiny && diagonal(piece) < largest)
    };
    let mut drops = vec![false; mesh.triangles().len()];
    let mut volume_bound = 0.0;
    for piece in pieces.iter().filter(|piece| goes(piece)) {
        piece.triangles.iter().for_each(|&triangle| drops[triangle as usize] = true);
        if !piece.is_flat {
            let size = piece.bounds.max - piece.bounds.min;
            volume_bound += size.x * size.y * size.z;
        }
    }
    let edit = Edit::filtered(mesh, |triangle| !drops[triangle as usize]);
    let unchanged =
        || Edit { mesh: mesh.clone(), source: (0..mesh.triangles().len() as u32).collect(), change: Change::default() };
    let mut edit = match edit {
        Some(edit) => edit,
        None if uses_all_vertices(mesh) => return None,
        None => unchanged(),
    };
    let before = edit.mesh.vertices().len();
    edit.mesh = without_unused_vertices(edit.mesh);
    edit.change.vertices_dropped = before - edit.mesh.vertices().len();
    edit.change.volume_bound = volume_bound;
    Some(edit)
}

/// The connected components, in the order of their first triangles.
fn pieces(topology: &Topology) -> Vec<Piece> {
    let mesh = topology.mesh();
    let count = mesh.triangles().len() as u32;
    let mut sets = DisjointSets::new(mesh.vertices().len());
    for triangle in 0..count {
        let [a, b, c] = topology.corners(triangle);
        sets.unite(a, b);
        sets.unite(a, c);
    }
    let mut number_of = vec![u32::MAX; mesh.vertices().len()];
    let mut pieces: Vec<Piece> = Vec::new();
    for triangle in 0..count {
        let number = &mut number_of[sets.find(topology.corners(triangle)[0]) as usize];
        if *number == u32::MAX {
            *number = pieces.len() as u32;
            pieces.push(Piece { triangles: Vec::new(), bounds: Aabb::EMPTY, is_even: true, is_flat: true });
        }
        let piece = &mut pieces[*number as usize];
        piece.triangles.push(triangle);
        piece.bounds = piece.bounds.union(Aabb::from_points(mesh.corners(triangle)));
    }
    for edge in topology.edges().filter(|edge| edge.degree() % 2 == 1) {
        pieces[number_of[sets.find(edge.vertices[0]) as usize] as usize].is_even = false;
    }
    pieces.iter_mut().for_each(|piece| piece.is_flat = is_flat(mesh, &piece.triangles));
    pieces
}

/// Reports whether all corners of `triangles` lie in one plane, exactly.
fn is_flat(mesh: &TriMesh, triangles: &[u32]) -> bool {
    let Some(&first) = triangles.iter().find(|&&triangle| !is_degenerate(&mesh.corners(triangle))) else {
        return true;
    };
    let [a, b, c] = mesh.corners(first);
    triangles.iter().all(|&triangle| mesh.corners(triangle).iter().all(|&point| orient3d(a, b, c, point) == Sign::Zero))
}

fn uses_all_vertices(mesh: &TriMesh) -> bool {
    used_vertices(mesh).into_iter().all(|used| used)
}

fn used_vertices(mesh: &TriMesh) -> Vec<bool> {
    let mut used = vec![false; mesh.vertices().len()];
    mesh.triangles().iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
    used
}

/// Drops the vertices that no triangle uses.
fn without_unused_vertices(mesh: TriMesh) -> TriMesh {
    let used = used_vertices(&mesh);
    if used.iter().all(|&used| used) {
        return mesh;
    }
    let mut number_of = vec![0; used.len()];
    let (old, triangles) = mesh.into_parts();
    let mut vertices = Vec::with_capacity(old.len());
    for (vertex, &place) in old.iter().enumerate() {
        number_of[vertex] = vertices.len() as u32;
        if used[vertex] {
            vertices.push(place);
        }
    }
    let triangles = triangles.iter().map(|corners| corners.map(|vertex| number_of[vertex as usize])).collect();
    TriMesh::from_valid(vertices, triangles)
}
