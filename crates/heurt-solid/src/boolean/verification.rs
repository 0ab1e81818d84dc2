//! Test of a result for self-intersections that the rounding of its new vertices has made.
//!
//! Method: whole faces of the operands have not moved, so that they do not meet each other. All other triangles are a
//! mesh with common corners, which is tested as a mesh against itself (`self_pairs`); trees propose their pairs with
//! whole faces, and exact predicates decide whether they meet elsewhere than in common corners and edges. Triangles
//! without area, with equal corners, and different nodes at one place are faults, too.
//! Guarantees: exact. Cost: O(m log n) for m triangles of cut faces, and n of the operands.

use super::dissolve::Facet;
use super::error::SolidMeshError;
use super::meet::Projection;
use super::nodes::{FaceNodes, NodeId, Nodes};
use heurt_geometry::{Pose, triangles_intersect};
use heurt_mesh::{Topology, TriMesh, meet_beyond_shared};
use heurt_query::{Neighbours, pairs, self_pairs};
use heurt_shape::MeshShape;

/// Counts the pairs of triangles that intersect, and the triangles without area.
pub(super) fn count_intersections(nodes: &Nodes<'_>, facets: &[Facet]) -> Result<usize, SolidMeshError> {
    let solids = [nodes.a, nodes.b];
    // The facet that is the whole of each face.
    let mut facet_of = solids.map(|solid| vec![None; solid.mesh().triangles().len()]);
    let mut changed = Vec::new();
    for (number, facet) in facets.iter().enumerate() {
        let (side, face) = facet.source;
        let whole = solids[side].corners(face).map(|vertex| nodes.of_vertex(side, vertex));
        match whole.iter().all(|node| facet.nodes.contains(node)) {
            true => facet_of[side][face as usize] = Some(number),
            false => changed.push(number),
        }
    }
    if changed.is_empty() {
        return Ok(0);
    }
    let corners: Vec<[NodeId; 3]> = changed.iter().map(|number| facets[*number].nodes).collect();
    let part = mesh_of(nodes, &corners)?;
    let topology = Topology::new(&part);
    let coincident = (0..part.vertices().len() as u32).filter(|vertex| topology.representative(*vertex) != *vertex);
    let coincident = coincident.count();
    let part = MeshShape::of_topology(&topology)?;
    let intersect = |first: usize, second: usize| {
        let [a, b] = [first, second].map(|number| facets[number].nodes);
        let [of_a, of_b] = [a, b].map(|nodes_of| nodes_of.map(|node| nodes.place(node)));
        match a.iter().filter(|node| b.contains(node)).count() {
            0 => triangles_intersect(&of_a, &of_b),
            3 => true,
            _ => meet_beyond_shared((&a, &of_a), (&b, &of_b)),
        }
    };
    let is_flat = |corners: &&[NodeId; 3]| Projection::of(&corners.map(|node| nodes.place(node))).is_none();
    let flat = corners.iter().filter(is_flat).count();
    let with_whole = |side: usize| {
        let met = pairs(&part, &Pose::IDENTITY, solids[side].shape(), &Pose::IDENTITY).into_iter();
        let meets = |[first, second]: &[u32; 2]| {
            let first = changed[*first as usize];
            facet_of[side][*second as usize].is_some_and(|second| intersect(first, second))
        };
        met.filter(meets).count()
    };
    let (among, (with_a, with_b)) = rayon::join(
        || self_pairs(&part, Neighbours::Examine).len(),
        || rayon::join(|| with_whole(0), || with_whole(1)),
    );
    Ok(flat + coincident + count_equal(corners) + among + with_a + with_b)
}

/// Makes a mesh of triangles of nodes, each of which is one vertex.
fn mesh_of(nodes: &Nodes<'_>, corners: &[[NodeId; 3]]) -> Result<TriMesh, SolidMeshError> {
    let mut used: Vec<NodeId> = corners.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let places = used.iter().map(|node| nodes.place(*node)).collect();
    let vertex_of = |node: NodeId| used.binary_search(&node).unwrap_or(0) as u32;
    Ok(TriMesh::new(places, corners.iter().map(|triangle| triangle.map(vertex_of)).collect())?)
}

/// Counts the triangles that have the corners of a second one.
fn count_equal(mut corners: Vec<[NodeId; 3]>) -> usize {
    corners.iter_mut().for_each(|triangle| triangle.sort_unstable());
    corners.sort_unstable();
    corners.windows(2).filter(|pair| pair[0] == pair[1]).count()
}
