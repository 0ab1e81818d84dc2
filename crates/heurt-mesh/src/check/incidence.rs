//! Faults that follow from which triangle uses which vertex, without looking at coordinates.

use super::Fault;
use crate::{Edge, Topology, TriMesh};

/// Pairs of the first triangle on three corners with each later one on the same corners.
pub(super) fn duplicate_faces(topology: &Topology) -> Vec<Fault> {
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
    pairs.into_iter().map(|(first, second, opposite)| Fault::DuplicateFace { first, second, opposite }).collect()
}

/// The corner of the triangle of a half-edge that is not on it.
fn opposite_corner(topology: &Topology, half_edge: u32) -> u32 {
    topology.corners(half_edge / 3)[(half_edge as usize + 2) % 3]
}

/// Vertices that no triangle names, by their own index.
pub(super) fn isolated_vertices(mesh: &TriMesh) -> Vec<Fault> {
    let mut used = vec![false; mesh.vertices().len()];
    mesh.triangles().iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
    let isolated = (0..).zip(used).filter(|&(_, used)| !used);
    isolated.map(|(vertex, _)| Fault::IsolatedVertex { vertex }).collect()
}

/// Edges of more than two triangles.
pub(super) fn non_manifold_edges(topology: &Topology) -> Vec<Fault> {
    let fault = |edge: Edge| Fault::NonManifoldEdge { vertices: edge.vertices, triangles: edge.triangles().collect() };
    topology.edges().filter(|edge| edge.degree() > 2).map(fault).collect()
}

/// Vertices of more than one fan.
pub(super) fn non_manifold_vertices(fans: &[u32]) -> Vec<Fault> {
    let several = (0..).zip(fans).filter(|&(_, &fans)| fans > 1);
    several.map(|(vertex, &fans)| Fault::NonManifoldVertex { vertex, fans }).collect()
}

/// Edges whose triangles run too often the same way.
pub(super) fn disagreeing_edges(topology: &Topology) -> Vec<Fault> {
    let fault =
        |edge: Edge| Fault::InconsistentOrientation { vertices: edge.vertices, triangles: edge.triangles().collect() };
    topology.edges().filter(|edge| !edge.is_oriented()).map(fault).collect()
}
