//! Chord error of a tessellation, estimated: how far the facets of a curved surface lie from it.
//!
//! In: a topology. Out: a length for each triangle.
//! Method: strips of width w on a circle of radius r turn by θ, with w = 2 r sin(θ/2). Between a chord and its arc lies
//! the sagitta r (1 − cos(θ/2)) = (w/2) tan(θ/4). An edge between two triangles that turns by at most [`MAX_TURN`] is
//! taken to be such an edge; w is the smaller one of the heights of both triangles over it, for next to a narrow
//! chamfer a wide face is flat.
//! Guarantees: exact for regular strips of a cylinder. Not guaranteed: that an edge is an edge of a curved surface, and
//! not one of a chamfer; that coarser circles than twelve facets are recognised.
//! Cost: O(triangles).

use crate::Topology;
use heurt_geometry::{Vec3, robust_normalize};

/// The largest turn between two facets of one curved surface, in radians: a circle of twelve facets, and rounding.
const MAX_TURN: f64 = 0.5237;
/// The least turn, in radians: below it facets are flat, or their normals rounded.
const MIN_TURN: f64 = 1e-6;

/// Estimates the chord error of each triangle, in the unit of the mesh; 0 for triangles on flat faces.
///
/// ```
/// use heurt_mesh::{Topology, estimate_chord_errors, generate};
/// let rod = generate::cylinder(1.0, 4.0, 24)?;
/// let errors = estimate_chord_errors(&Topology::new(&rod));
/// let largest = errors.into_iter().fold(0.0, f64::max);
/// assert!((largest - (1.0 - (std::f64::consts::PI / 24.0).cos())).abs() < 1e-12, "the sagitta");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn estimate_chord_errors(topology: &Topology<'_>) -> Vec<f64> {
    let mesh = topology.mesh();
    let mut errors = vec![0.0; mesh.triangles().len()];
    for edge in topology.edges() {
        let mut around = edge.triangles();
        let (Some(one), Some(other), None) = (around.next(), around.next(), around.next()) else { continue };
        let [from, to] = edge.vertices.map(|vertex| mesh.vertices()[vertex as usize]);
        let doubled = [one, other].map(|triangle| {
            let [a, b, c] = mesh.corners(triangle);
            (b - a).cross(c - a)
        });
        let [Some(one_normal), Some(other_normal)] = doubled.map(robust_normalize) else { continue };
        // Along a proper edge the half-edges run in opposite directions; else one triangle faces inwards.
        let other_normal = if edge.imbalance() == 0 { other_normal } else { -other_normal };
        let turn = one_normal.cross(other_normal).length().atan2(one_normal.dot(other_normal));
        let length = (to - from).length();
        if !((MIN_TURN..=MAX_TURN).contains(&turn) && length > 0.0 && length.is_finite()) {
            continue;
        }
        let height = doubled.map(Vec3::length).into_iter().fold(f64::INFINITY, f64::min) / length;
        let error = 0.5 * height * (0.25 * turn).tan();
        for triangle in [one, other] {
            errors[triangle as usize] = f64::max(errors[triangle as usize], error);
        }
    }
    errors
}
