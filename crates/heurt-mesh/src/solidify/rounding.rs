//! Rounding distance: how far from each other two roundings of one corner of a mesh may be.
//!
//! In: a mesh. Out: a length, [`SEAM`] of the size at which the coordinates were rounded.
//! Method: if every coordinate is an `f32`, it was rounded as one, and the ulp is taken at the largest coordinate. If
//! one is not, the mesh was written in decimal digits, or rounded and then scaled or moved. Then the ulp is taken at
//! the largest coordinate, too, as long as it is at most [`DETAIL`] of the extent of the mesh. Farther from the origin,
//! the mesh was computed with more digits: the size is the extent, and a few ulp of an `f64` of the largest coordinate
//! are added.
//! Guarantees: never more than [`SEAM`] of the largest coordinate. Not guaranteed: a mesh that was rounded to `f32`
//! more than 20 extents from the origin, then scaled or moved, is welded by [`DETAIL`] at most. Cost: O(n).

use heurt_geometry::Vec3;

use super::SEAM;
use crate::TriMesh;

/// Rounding error per axis of a move to a place far from the origin and back, in shares of an `f64`: two ulp each time.
const MOVES: f64 = 4.0 * f64::EPSILON;

/// A share of the extent below which parts have no detail: 0.05 mm for a car of 5 m.
const DETAIL: f64 = 1e-5;

/// Computes how far from each other two roundings of one corner of a mesh may be.
pub(crate) fn rounding_of(mesh: &TriMesh) -> f64 {
    let bounds = mesh.bounds();
    let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
    let of_f32 = SEAM * largest;
    // Halves cannot overflow.
    let extent = 2.0 * bounds.half_extents().max_element();
    let of_f64 = f64::max(SEAM * extent + MOVES * largest, f64::min(of_f32, DETAIL * extent));
    if of_f64 >= of_f32 || is_f32(mesh) { of_f32 } else { of_f64 }
}

/// Tests whether every coordinate of a used vertex is exactly an `f32`.
fn is_f32(mesh: &TriMesh) -> bool {
    let is_exact = |vertex: Vec3| vertex.to_array().into_iter().all(|x| f64::from(x as f32) == x);
    mesh.triangles().iter().flatten().all(|&vertex| is_exact(mesh.vertices()[vertex as usize]))
}
