//! Star-shaped meshes: every face is seen from one point inside, so that no two faces intersect.
//!
//! In: a closed, manifold, oriented, connected mesh without degenerate faces. Out: yes or no, exactly, for one point.
//! Method: the point is the mean of the vertices. It must lie strictly below every face, and the half-line from it
//! through an inner point of one face must meet no other face.
//! *Proof.* By the first, projecting each face from the point onto a sphere around it keeps its orientation. So the
//! mesh covers the sphere evenly, except where the faces around a vertex wind several times, and every direction as
//! often as any other if vertices are left out. By the second this number is one: the projection is one to one, and so
//! two faces share only what the topology has in common. Cost: O(n).

use heurt_geometry::{Sign, Vec3, orient3d};
use rayon::prelude::*;

use crate::Topology;

/// How the faces of a mesh lie around the mean of its vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StarShape {
    /// It sees the inner side of every face, and one face in each direction: no two faces intersect.
    Once,
    /// It sees the inner side of every face, and several in each direction.
    Several,
    /// It does not see every face, or no rounded point lies over the inside of a face.
    Undecided,
}

/// Finds out how the faces of a closed, manifold, oriented mesh without degenerate faces lie around the mean of its
/// vertices.
pub(super) fn star_shape(topology: &Topology) -> StarShape {
    let mesh = topology.mesh();
    let centre = middle(topology);
    let is_below = |triangle: u32| {
        let [a, b, c] = mesh.corners(triangle);
        orient3d(a, b, c, centre) == Sign::Negative
    };
    let count = mesh.triangles().len() as u32;
    if !(0..count).into_par_iter().all(is_below) {
        return StarShape::Undecided;
    }
    match winds_once(topology, centre) {
        Some(true) => StarShape::Once,
        Some(false) => StarShape::Several,
        None => StarShape::Undecided,
    }
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
