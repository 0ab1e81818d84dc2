//! Separation of surfaces that are nearer to each other than their rounding: copies of an operand, moved by a few ulp.
//!
//! In: two solids whose set operation has no result in 64 bits. Out: copies of the second one, in the order of trials.
//! Method: 1. Vertices of B near a vertex of A are moved onto it, so that solids that are equal up to rounding are
//! equal. 2. B is moved along fixed directions, farther each time, so that faces near each other do not cross.
//! Guarantees: no coordinate changes by more than [`MAX_SHIFT`] ulp of the largest coordinate of both, nor by more than
//! [`MAX_SHARE`] of the extent of the smaller solid; copies are checked as all solids are, and keep all triangles. The
//! same in every run. Cost: a new [`SolidMesh`] and a set operation for each copy, of which there are at most nine.

use super::solid_mesh::SolidMesh;
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_query::closest;

/// The longest shift of a coordinate, in ulp of the largest coordinate of both solids: 2⁻⁵² of it.
const MAX_SHIFT: f64 = 4096.0;

/// The longest shift of a coordinate, as a share of the extent of the smaller solid: far from the origin an ulp would
/// be a visible length.
const MAX_SHARE: f64 = 1e-9;

/// Distance of vertices that become one, in ulp of the largest coordinate.
const SNAP: f64 = 64.0;

/// Shifts in ulp of the largest coordinate, along directions off the axes and diagonals, with which faces often align.
const SHIFTS: [(f64, Vec3); 8] = [
    (64.0, Vec3::new(0.912, 0.743, 0.875)),
    (512.0, Vec3::new(-0.737, 0.929, -0.862)),
    (2048.0, Vec3::new(0.871, -0.713, -0.946)),
    (MAX_SHIFT, Vec3::new(-0.897, -0.731, 0.971)),
    (MAX_SHIFT, Vec3::new(0.953, 0.417, 0.289)),
    (MAX_SHIFT, Vec3::new(-0.311, 0.967, 0.443)),
    (MAX_SHIFT, Vec3::new(0.267, -0.391, 0.977)),
    (MAX_SHIFT, Vec3::new(-0.941, 0.337, -0.459)),
];

/// A copy of an operand.
pub(super) struct MovedSolid {
    pub(super) solid: SolidMesh,
    /// The largest change of a coordinate, in metres.
    pub(super) moved: f64,
}

/// The copies of B, made one by one.
pub(super) fn moved_copies<'a>(a: &'a SolidMesh, b: &'a SolidMesh) -> impl Iterator<Item = MovedSolid> + 'a {
    let bounds = a.bounds().union(b.bounds());
    let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
    // At least the distance of neighbouring subnormal numbers.
    let ulp = (f64::EPSILON * largest).max(f64::from_bits(1));
    let extent = |solid: &SolidMesh| (solid.bounds().max - solid.bounds().min).max_element();
    let cap = MAX_SHARE * extent(a).min(extent(b));
    let snapped = std::iter::once_with(move || snap(a, b, (SNAP * ulp).min(cap)));
    let shifts = SHIFTS.into_iter().filter(move |(length, _)| length * ulp <= cap);
    let shifted = shifts.map(move |(length, direction)| {
        let shift = direction * (length * ulp);
        with_vertices(b, |place| place + shift)
    });
    snapped.chain(shifted).flatten()
}

/// Moves vertices of B onto vertices of A; `None` if no vertex moves.
fn snap(a: &SolidMesh, b: &SolidMesh, tolerance: f64) -> Option<MovedSolid> {
    let snapped = with_vertices(b, |place| {
        if place.cmplt(a.bounds().min - tolerance).any() || place.cmpgt(a.bounds().max + tolerance).any() {
            return place;
        }
        let near = closest(a.shape(), &Pose::IDENTITY, place);
        let corners = a.triangle(near.primitive);
        let target = corners.into_iter().find(|corner| (*corner - place).abs().max_element() <= tolerance);
        target.unwrap_or(place)
    });
    snapped.filter(|copy| copy.moved > 0.0)
}

/// A copy with other vertices; `None` if it is no solid, or lost triangles.
fn with_vertices(solid: &SolidMesh, place: impl FnMut(Vec3) -> Vec3) -> Option<MovedSolid> {
    let mesh = solid.mesh();
    let vertices: Vec<Vec3> = mesh.vertices().iter().copied().map(place).collect();
    let changes = vertices.iter().zip(mesh.vertices()).map(|(to, from)| (*to - *from).abs().max_element());
    let moved = changes.fold(0.0, f64::max);
    let copy = SolidMesh::new(&TriMesh::new(vertices, mesh.triangles().to_vec()).ok()?).ok()?;
    (copy.mesh().triangles().len() == mesh.triangles().len()).then_some(MovedSolid { solid: copy, moved })
}
