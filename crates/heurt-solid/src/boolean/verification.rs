//! Test of a result for self-intersections that the rounding of its new vertices has made.
//!
//! Method: whole faces of the operands have not moved, so that they do not meet each other. Trees propose the pairs of
//! all other triangles with whole faces and among each other, and exact predicates decide whether they meet elsewhere
//! than in common corners and edges. Triangles without area are faults, too.
//! Guarantees: exact. Cost: O(m log n) for m triangles of cut faces, and n of the operands.

use super::dissolve::Facet;
use super::error::SolidMeshError;
use super::meet::Projection;
use super::nodes::Nodes;
use heurt_geometry::{Pose, triangles_intersect};
use heurt_mesh::{TriMesh, meet_beyond_shared};
use heurt_query::pairs;
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
    let places = changed.iter().flat_map(|number| facets[*number].nodes).map(|node| nodes.place(node));
    let triangles = (0..changed.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let part = MeshShape::new(TriMesh::new(places.collect(), triangles)?)?;
    let intersect = |first: usize, second: usize| {
        let [a, b] = [first, second].map(|number| facets[number].nodes);
        let [of_a, of_b] = [a, b].map(|nodes_of| nodes_of.map(|node| nodes.place(node)));
        match a.iter().filter(|node| b.contains(node)).count() {
            0 => triangles_intersect(&of_a, &of_b),
            3 => true,
            _ => meet_beyond_shared((&a, &of_a), (&b, &of_b)),
        }
    };
    let is_flat = |number: &&usize| Projection::of(&facets[**number].nodes.map(|node| nodes.place(node))).is_none();
    let flat = changed.iter().filter(is_flat).count();
    let count = |with: &MeshShape, facet_of: &dyn Fn(u32) -> Option<usize>| {
        let met = pairs(&part, &Pose::IDENTITY, with, &Pose::IDENTITY).into_iter();
        let meets = |[first, second]: &[u32; 2]| {
            let first = changed[*first as usize];
            facet_of(*second).is_some_and(|second| first != second && intersect(first, second))
        };
        met.filter(meets).count()
    };
    let with_whole = |side: usize| count(solids[side].shape(), &|face| facet_of[side][face as usize]);
    // Among changed triangles each pair comes twice.
    let (among, (with_a, with_b)) = rayon::join(
        || count(&part, &|number| Some(changed[number as usize])) / 2,
        || rayon::join(|| with_whole(0), || with_whole(1)),
    );
    Ok(flat + among + with_a + with_b)
}
