//! Welding: the search for vertices at the same place, and the mesh in which they are one.
//!
//! In: a mesh and a tolerance in metres. Out: a mesh whose vertices are all distinct, and the new index of each vertex.
//! Method: tolerance 0 sorts hashes of the coordinates and compares within runs of equal hashes; above 0, vertices are
//! taken in order and each joins the nearest-indexed kept vertex within the tolerance, found in a hashed grid.
//! Guarantees: the same answer in every run; triangles keep their number and order (a triangle may become degenerate);
//! no vertex moves by more than the tolerance. It does not close gaps wider than the tolerance nor split edges.
//! Cost: O(n log n) at tolerance 0 for any data; O(n) expected above it.

use std::collections::HashMap;

use heurt_geometry::Vec3;
use rayon::prelude::*;
use thiserror::Error;

use crate::TriMesh;
use crate::tri_mesh::INDEX_BITS;

/// A welded mesh and the origin of its vertices.
#[derive(Debug, Clone, PartialEq)]
pub struct Welded {
    /// The mesh over the kept vertices, in the order in which they first appear.
    pub mesh: TriMesh,
    /// For each vertex of the input, the vertex of `mesh` that represents it.
    pub map: Vec<u32>,
}

/// Why a mesh cannot be welded.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum WeldError {
    /// The tolerance is negative, NaN or infinite.
    #[error("the weld tolerance is {tolerance}: give a finite length of at least 0")]
    BadTolerance {
        /// The tolerance as given, in metres.
        tolerance: f64,
    },
}

/// Merges vertices at a distance of at most `tolerance` metres; 0 merges vertices with equal coordinates (−0 equals 0).
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_mesh::{TriMesh, weld};
/// // Two triangles of a square, each with corners of its own.
/// let soup = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y].to_vec();
/// let welded = weld(&TriMesh::new(soup, vec![[0, 1, 2], [3, 4, 5]])?, 0.0)?;
/// assert_eq!((welded.mesh.vertices().len(), welded.map), (4, vec![0, 1, 2, 1, 3, 2]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`WeldError::BadTolerance`] on a tolerance that is negative or not finite.
pub fn weld(mesh: &TriMesh, tolerance: f64) -> Result<Welded, WeldError> {
    if !(tolerance >= 0.0 && tolerance.is_finite()) {
        return Err(WeldError::BadTolerance { tolerance });
    }
    let first =
        if tolerance == 0.0 { first_at_same_place(mesh.vertices()) } else { first_within(mesh.vertices(), tolerance) };
    let mut kept = Vec::new();
    let mut map = vec![0u32; first.len()];
    for (vertex, &representative) in first.iter().enumerate() {
        if representative as usize == vertex {
            map[vertex] = kept.len() as u32;
            kept.push(mesh.vertices()[vertex]);
        } else {
            // A representative comes before all it represents, so its own entry is there.
            map[vertex] = map[representative as usize];
        }
    }
    let triangles = mesh.triangles().iter().map(|corners| corners.map(|vertex| map[vertex as usize])).collect();
    Ok(Welded { mesh: TriMesh::from_valid(kept, triangles), map })
}

/// Finds for each point the lowest index of a point with equal coordinates.
pub(crate) fn first_at_same_place(points: &[Vec3]) -> Vec<u32> {
    const INDEX: u64 = (1 << INDEX_BITS) - 1;
    // The hash fills the bits above the index: sorting plain words is several times faster than sorting points, and
    // within a run of equal hashes the indices ascend.
    let mut keys: Vec<u64> =
        points.par_iter().enumerate().map(|(index, &point)| (hash(point) & !INDEX) | index as u64).collect();
    keys.par_sort_unstable();
    let mut first: Vec<u32> = (0..points.len() as u32).collect();
    for run in keys.chunk_by(|a, b| a & !INDEX == b & !INDEX) {
        if run.len() == 1 {
            continue;
        }
        let lowest = (run[0] & INDEX) as u32;
        if run.iter().all(|key| points[(key & INDEX) as usize] == points[lowest as usize]) {
            run.iter().for_each(|key| first[(key & INDEX) as usize] = lowest);
        } else {
            split_collision(points, run.iter().map(|key| (key & INDEX) as u32).collect(), &mut first);
        }
    }
    first
}

/// Sorts points whose hashes collide by their coordinates, so that no input can make the search quadratic.
fn split_collision(points: &[Vec3], mut indices: Vec<u32>, first: &mut [u32]) {
    let key = |index: u32| points[index as usize].to_array().map(order_key);
    indices.sort_unstable_by_key(|&index| (key(index), index));
    for group in indices.chunk_by(|&a, &b| points[a as usize] == points[b as usize]) {
        group.iter().for_each(|&index| first[index as usize] = group[0]);
    }
}

/// Returns a word equal for equal numbers, −0 and 0 included. Any total order serves the sort.
fn order_key(coordinate: f64) -> u64 {
    (coordinate + 0.0).to_bits()
}

/// Mixes the coordinates into the high bits (multiply and fold, after the finaliser of MurmurHash3).
fn hash(point: Vec3) -> u64 {
    let mut state = 0u64;
    for coordinate in point.to_array() {
        state = (state.rotate_left(23) ^ order_key(coordinate)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        state ^= state >> 33;
    }
    state.wrapping_mul(0xc4ce_b9fe_1a85_ec53)
}

/// Cells per tolerance: wide cells make it rare that a search leaves its own cell.
const CELL_WIDTH: f64 = 4.0;

/// Finds for each point the lowest index of a kept point within `tolerance`; if there is none, its own index, and it is
/// then kept.
fn first_within(points: &[Vec3], tolerance: f64) -> Vec<u32> {
    const END: u32 = u32::MAX;
    // Looked up only, never iterated: the answer does not depend on the order of the table. The last kept vertex of a
    // cell is in the table, `older` chains it to those kept before it; as kept vertices are farther from each other
    // than the tolerance, a chain has a bounded length.
    let mut newest: HashMap<[u64; 3], u32> = HashMap::new();
    let mut older = vec![END; points.len()];
    let mut first: Vec<u32> = (0..points.len() as u32).collect();
    for (index, &point) in points.iter().enumerate() {
        let axes = point.to_array().map(|coordinate| cells_near(coordinate, tolerance, CELL_WIDTH));
        let mut best = index as u32;
        for &x in axes[0].iter().flatten() {
            for &y in axes[1].iter().flatten() {
                for &z in axes[2].iter().flatten() {
                    let mut kept = newest.get(&[x, y, z]).copied().unwrap_or(END);
                    while kept != END {
                        if kept < best && within(points[kept as usize], point, tolerance) {
                            best = kept;
                        }
                        kept = older[kept as usize];
                    }
                }
            }
        }
        first[index] = best;
        if best as usize == index {
            let home = axes.map(|cells| cells[0].unwrap_or(0));
            older[index] = newest.insert(home, best).unwrap_or(END);
        }
    }
    first
}

/// Returns the cell of a coordinate in a grid of `width` tolerances, then the neighbouring cell that may contain a
/// point within the tolerance, if any.
pub(crate) fn cells_near(coordinate: f64, tolerance: f64, width: f64) -> [Option<u64>; 2] {
    let position = coordinate / (width * tolerance);
    if position.abs() >= (1u64 << 50) as f64 || position.is_nan() {
        // Neighbouring numbers are farther from each other than the tolerance, or approximately as far: the number is
        // its own cell.
        return [Some(order_key(coordinate)), None];
    }
    let cell = position.floor();
    let inside = position - cell;
    // One tolerance and the rounding of the division: at most 1/8 of a cell at 2^50 cells from 0.
    let near = if position.abs() < (1u64 << 30) as f64 { 1.0 / width + 1e-4 } else { 0.4 };
    let neighbour = if inside <= near {
        Some(cell - 1.0)
    } else if inside >= 1.0 - near {
        Some(cell + 1.0)
    } else {
        None
    };
    [Some(order_key(cell)), neighbour.map(order_key)]
}

/// Tests whether two points are at a distance of at most `tolerance`.
pub(crate) fn within(a: Vec3, b: Vec3, tolerance: f64) -> bool {
    half_distance_sq(a, b, tolerance) <= 0.25
}

/// Computes the squared distance of two points over twice the tolerance: scaled so that squares neither overflow nor
/// vanish.
pub(crate) fn half_distance_sq(a: Vec3, b: Vec3, tolerance: f64) -> f64 {
    ((a * 0.5 - b * 0.5) / tolerance).length_squared()
}
