//! Exact convexity test of a closed mesh.
//!
//! In: a closed, manifold, oriented mesh without degenerate faces. Out: yes or no, exactly.
//!
//! Edges that all bend inward are not enough: the bipyramid over a pentagram is closed, manifold and oriented, each of
//! its edges bends inward, and it winds around its axis twice. So, after Mehlhorn, Näher, Schilz, Schirra, Seel, Seidel
//! and Uhrig, "Checking geometric programs or verification of geometric structures" (1996), three things are tested:
//! 1. the mesh is connected, and at every edge the far corner of the second face is not above the plane of the
//!    first;
//! 2. a point o lies strictly below every face;
//! 3. the half-line from o through an inner point of one face meets no other face.
//!
//! *Proof.* By 2, projecting each face from o onto a sphere around o keeps its orientation. So the mesh covers the
//! sphere evenly, except where the faces around a vertex wind several times, and every direction as often as any other
//! if vertices are left out. By 3 this number is one, so the projection is one to one: the mesh bounds a body K that is
//! star-shaped with respect to o. Near a vertex, K is a cone over a simple spherical polygon, whose angles are at most
//! π by 1, and which is therefore convex. Near an edge by 1, and near a face anyway, K is locally convex too. A closed,
//! connected, locally convex set is convex (Tietze and Nakajima). Conversely, the boundary of a convex body with an
//! inner point o has all three properties.
//!
//! A body can be so thin that the point tried is not strictly inside. Then 2 and 3 are replaced by: no two faces
//! intersect beyond what they share; that too makes the polygons round vertices simple, so K is locally convex
//! everywhere.
//! Cost: O(n), or the cost of the self-intersections for those thin bodies.

use heurt_geometry::{Sign, orient3d};
use rayon::prelude::*;

use super::self_intersection::self_intersections;
use super::star::StarShape;
use crate::Topology;

/// Decides convexity of a closed, manifold, oriented mesh without degenerate faces, of which `star` is the
/// [`star_shape`](super::star::star_shape).
pub(super) fn is_convex(topology: &Topology, star: StarShape) -> bool {
    let bends = || bends_inward(topology) && topology.components().len() == 1;
    match star {
        StarShape::Once => bends(),
        StarShape::Several => false,
        StarShape::Undecided => bends() && self_intersections(topology, 0, u64::MAX).complete,
    }
}

/// Reports whether at every edge the far corner of the second face is not above the plane of the first, and somewhere
/// below.
///
/// A body has an edge that bends, at its outermost point; so a body without volume, or inside out, fails here.
fn bends_inward(topology: &Topology) -> bool {
    let bend = |number: usize| {
        let edge = topology.edge(number);
        let mut half_edges = edge.half_edges().map(|(half_edge, _)| half_edge);
        let (Some(first), Some(second)) = (half_edges.next(), half_edges.next()) else { return Sign::Positive };
        let [a, b, c] = topology.mesh().corners(first / 3);
        let far = topology.mesh().corners(second / 3)[(second as usize + 2) % 3];
        orient3d(a, b, c, far)
    };
    let edges = 0..topology.edge_count();
    edges.clone().into_par_iter().all(|number| bend(number) != Sign::Positive)
        && edges.into_par_iter().any(|number| bend(number) == Sign::Negative)
}
