//! Whether a mesh bounds something: what a slicer could fill.
//!
//! Method: a closed mesh bounds what it winds around: points next to some faces are tried. An open mesh bounds
//! something if one of its connected pieces has fewer open edges than triangles: loose triangles, strips and triangles
//! that hang on one edge have more.
//! Guarantees: a closed mesh that winds around a point tried bounds something. Not guaranteed: that a body thinner than
//! a millionth of the mesh is found. Cost: O(n) for each of [`TRIED`] faces.

use heurt_geometry::{Triangle, Vec3, is_degenerate};

use crate::Topology;
use crate::shells::winding_number;

/// Faces next to which points are tried.
const TRIED: usize = 32;
/// Distance of a point from its face, as a share of the size of the mesh.
const STEP: f64 = 1e-6;

/// Reports whether a mesh bounds something.
pub(super) fn bounds_something(topology: &Topology, closed: bool) -> bool {
    if closed { winds_somewhere(topology) } else { has_piece_with_few_open_edges(topology) }
}

/// Reports whether a closed mesh winds around a point next to one of its faces.
fn winds_somewhere(topology: &Topology) -> bool {
    let mesh = topology.mesh();
    let step = STEP * mesh.bounds().half_extents().max_element();
    let triangles: Vec<Triangle> = (0..mesh.triangles().len() as u32).map(|triangle| mesh.corners(triangle)).collect();
    let stride = triangles.len().div_ceil(TRIED).max(1);
    triangles.iter().step_by(stride).any(|[a, b, c]| {
        let middle = *a / 3.0 + *b / 3.0 + *c / 3.0;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let winds = |point: Vec3| winding_number(&triangles, point).abs() > 0.5;
        normal != Vec3::ZERO && (winds(middle + normal * step) || winds(middle - normal * step))
    })
}

/// Reports whether a piece of an open mesh has fewer open edges than triangles.
fn has_piece_with_few_open_edges(topology: &Topology) -> bool {
    let shells = topology.shells();
    let mut surplus = vec![0i64; shells.len()];
    for (triangle, &first) in (0..).zip(&shells) {
        surplus[first as usize] += i64::from(!is_degenerate(&topology.mesh().corners(triangle)));
    }
    for edge in topology.edges().filter(|edge| edge.is_boundary()) {
        surplus[shells[edge.first().0 as usize / 3] as usize] -= 1;
    }
    surplus.into_iter().any(|surplus| surplus > 0)
}
