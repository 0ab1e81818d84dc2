//! The distance that rounding explains: how far apart two roundings of one corner of a mesh may be.
//!
//! In: a mesh. Out: a length, [`SEAM`] of the size that the coordinates were rounded at.
//! Method: if every coordinate is an `f32`, it was rounded as one, and the ulp is that of the largest coordinate. If
//! one is not, the mesh was computed or written with more digits, and what is far from the origin has no larger errors
//! than the same part at the origin: the size is that of the box, and a few ulp of an `f64` of the largest coordinate
//! are added. The smaller of both lengths is taken.
//! Guarantees: never more than [`SEAM`] of the largest coordinate. Not guaranteed: a mesh that was rounded to `f32` far
//! from the origin and then scaled or turned in `f64` is taken for the latter. Cost: O(n).

use heurt_geometry::Vec3;

use super::SEAM;
use crate::TriMesh;

/// Ulp of an `f64` that a move to a place far from the origin and back rounds by, an axis: two each way.
const MOVES: f64 = 4.0 * f64::EPSILON;

/// How far apart two roundings of one corner of a mesh may be.
pub(crate) fn rounding_of(mesh: &TriMesh) -> f64 {
    let bounds = mesh.bounds();
    let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
    let of_f32 = SEAM * largest;
    // Halves cannot overflow.
    let extent = 2.0 * bounds.half_extents().max_element();
    let of_f64 = SEAM * extent + MOVES * largest;
    if of_f64 >= of_f32 || is_f32(mesh) { of_f32 } else { of_f64 }
}

/// Tests whether every coordinate of a used vertex is exactly an `f32`.
fn is_f32(mesh: &TriMesh) -> bool {
    let is_exact = |vertex: Vec3| vertex.to_array().into_iter().all(|x| f64::from(x as f32) == x);
    mesh.triangles().iter().flatten().all(|&vertex| is_exact(mesh.vertices()[vertex as usize]))
}
