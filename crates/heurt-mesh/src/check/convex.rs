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

use heurt_geometry::{Sign, Vec3, orient3d};
use rayon::prelude::*;

use super::self_intersection::self_intersections;
use crate::Topology;

/// Decides convexity of a closed, manifold, oriented mesh without degenerate faces.
pub(super) fn is_convex(topology: &Topology) -> bool {
    if !bends_inward(topology) || topology.components().len() != 1 {
        return false;
    }
    let mesh = topology.mesh();
    let below = |point: Vec3| {
        (0..mesh.triangles().len() as u32).into_par_iter().all(|triangle| {
            let [a, b, c] = mesh.corners(triangle);
            orient3d(a, b, c, point) == Sign::Negative
        })
    };
    let centre = middle(topology);
    let cones = if below(centre) { winds_once(topology, centre) } else { None };
    cones.unwrap_or_else(|| self_intersections(topology, 0, u64::MAX).complete)
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

/// Returns the mean of the used vertices: any point inside serves, and this one is deep.
fn middle(topology: &Topology) -> Vec3 {
    let mesh = topology.mesh();
    let weight = 1.0 / (3.0 * mesh.triangles().len() as f64);
    mesh.triangles().iter().flatten().fold(Vec3::ZERO, |sum, &vertex| sum + mesh.vertices()[vertex as usize] * weight)
}

/// Reports whether the half-line from `centre`, below all faces, through a point of a face meets one face only; `None`
/// when no rounded point lies over the inside of any face.
fn winds_once(topology: &Topology, centre: Vec3) -> Option<bool> {
    let mesh = topology.mesh();
    let count = mesh.triangles().len() as u32;
    let signs = |triangle: u32, through: Vec3| {
        let [a, b, c] = mesh.corners(triangle);
        // From below a face, points over its inside are above the planes through its sides, each sees the next.
        [(a, b), (b, c), (c, a)].map(|(p, q)| orient3d(centre, p, q, through))
    };
    let through = (0..count).find_map(|triangle| {
        let [a, b, c] = mesh.corners(triangle);
        let point = a / 3.0 + b / 3.0 + c / 3.0;
        signs(triangle, point).iter().all(|&sign| sign == Sign::Positive).then_some(point)
    })?;
    let met = |&triangle: &u32| signs(triangle, through).iter().all(|&sign| sign != Sign::Negative);
    Some((0..count).into_par_iter().filter(met).count() == 1)
}
