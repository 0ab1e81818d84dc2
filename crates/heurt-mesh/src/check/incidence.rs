//! Faults decided by the incidence of triangles and vertices, without coordinates.

use super::Fault;
use crate::{Edge, Topology, TriMesh};

/// Lists pairs of the first triangle on three corners with each later one on the same corners.
pub(super) fn duplicate_faces(topology: &Topology) -> impl Iterator<Item = Fault> {
    let mut pairs: Vec<(u32, u32, bool)> = Vec::new();
    for edge in topology.edges().filter(|edge| edge.degree() >= 2) {
        // Each triangle is compared once: along the edge of its two lowest corners.
        let mut third: Vec<(u32, u32, bool)> = edge
            .half_edges()
            .map(|(half_edge, forward)| (opposite_corner(topology, half_edge), half_edge / 3, forward))
            .filter(|&(corner, ..)| corner > edge.vertices[1])
            .collect();
        third.sort_unstable();
        for group in third.chunk_by(|a, b| a.0 == b.0) {
            pairs.extend(group[1..].iter().map(|&(_, later, forward)| (group[0].1, later, forward != group[0].2)));
        }
    }
    pairs.sort_unstable();
    pairs.into_iter().map(|(first, second, opposite)| Fault::DuplicateFace { first, second, opposite })
}

/// Returns the corner of the triangle of a half-edge that is not on it.
fn opposite_corner(topology: &Topology, half_edge: u32) -> u32 {
    topology.corners(half_edge / 3)[(half_edge as usize + 2) % 3]
}

/// Lists vertices that no triangle names, by their own index.
pub(super) fn isolated_vertices(mesh: &TriMesh) -> impl Iterator<Item = Fault> {
    let mut used = vec![false; mesh.vertices().len()];
    mesh.triangles().iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
    let isolated = (0..).zip(used).filter(|&(_, used)| !used);
    isolated.map(|(vertex, _)| Fault::IsolatedVertex { vertex })
}

/// Lists edges of more than two triangles.
pub(super) fn non_manifold_edges(topology: &Topology) -> impl Iterator<Item = Fault> {
    let fault = |edge: Edge| Fault::NonManifoldEdge { vertices: edge.vertices, triangles: edge.triangles().collect() };
    topology.edges().filter(|edge| edge.degree() > 2).map(fault)
}

/// Lists vertices of more than one fan.
pub(super) fn non_manifold_vertices(fans: &[u32]) -> impl Iterator<Item = Fault> {
    let several = (0..).zip(fans).filter(|&(_, &fans)| fans > 1);
    several.map(|(vertex, &fans)| Fault::NonManifoldVertex { vertex, fans, triangles: Vec::new() })
}

/// Adds the triangles at the vertices of more than one fan that are listed.
pub(super) fn add_fans(topology: &Topology, faults: &mut [Fault]) {
    let is_listed = |fault: &Fault| matches!(fault, Fault::NonManifoldVertex { .. });
    let start = faults.iter().position(is_listed).unwrap_or(faults.len());
    let end = start + faults[start..].iter().take_while(|fault| is_listed(fault)).count();
    let listed = &mut faults[start..end];
    if listed.is_empty() {
        return;
    }
    // By vertex, its place in the list and one more; 0 for vertices not in it.
    let mut place = vec![0u32; topology.mesh().vertices().len()];
    for (index, fault) in (1..).zip(listed.iter()) {
        if let Fault::NonManifoldVertex { vertex, .. } = fault {
            place[*vertex as usize] = index;
        }
    }
    for triangle in 0..topology.mesh().triangles().len() as u32 {
        let corners = topology.corners(triangle);
        let is_collapsed = corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0];
        for corner in corners.into_iter().filter(|_| !is_collapsed) {
            let index = place[corner as usize] as usize;
            if index > 0
                && let Fault::NonManifoldVertex { triangles, .. } = &mut listed[index - 1]
            {
                triangles.push(triangle);
            }
        }
    }
}

/// Lists edges whose triangles run too often in the same direction.
pub(super) fn disagreeing_edges(topology: &Topology) -> impl Iterator<Item = Fault> {
    let fault =
        |edge: Edge| Fault::InconsistentOrientation { vertices: edge.vertices, triangles: edge.triangles().collect() };
    topology.edges().filter(|edge| !edge.is_oriented()).map(fault)
}
