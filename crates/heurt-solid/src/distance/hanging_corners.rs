//! Hanging corners of an octree of distances: the interpolation becomes continuous across leaves of different size.
//!
//! In: leaves with exact values at their corners. Out: leaves whose corners on a larger leaf have the value that the
//! larger leaf interpolates there, and their errors.
//! Method: from the largest leaves to the smallest. A corner takes its value from the largest leaf that touches it;
//! that leaf is final by then. On a common face the larger leaf is bilinear, and the bilinear function through four of
//! its values is the same function: so both sides agree.
//! Guarantees: continuity up to the rounding of corners to `f32`. A leaf whose corners moved by at most δ has an error
//! of at most its former bound + δ, because weights of interpolation are at least 0 and sum to 1.

use super::build::{FieldBuilder, OWN_SHARE};
use crate::octree::OctreeCell;
use rayon::prelude::*;

/// The final corners of leaves.
pub(super) struct FinalLeaves {
    /// In units of the edge of the root, as they are stored; by the number of the leaf.
    pub values: Vec<[f32; 8]>,
    /// Bounds of the errors in metres.
    pub errors: Vec<f64>,
    /// The larger leaf that moved a corner most, and the distance in metres.
    moved_by: Vec<Option<u32>>,
    is_live: Vec<bool>,
}

impl FinalLeaves {
    /// Returns the leaves that move a smaller neighbour in the band out of the tolerance, ascending.
    pub fn too_coarse(&self, tree: &FieldBuilder<'_>, tolerance: f64) -> Vec<u32> {
        let is_off =
            |&number: &usize| self.is_live[number] && tree.leaves[number].is_near && self.errors[number] > tolerance;
        let mut coarse: Vec<u32> =
            (0..self.errors.len()).filter(is_off).filter_map(|number| self.moved_by[number]).collect();
        coarse.sort_unstable();
        coarse.dedup();
        coarse
    }
}

/// The final corners of one leaf.
struct FinalLeaf {
    values: [f32; 8],
    error: f64,
    moved_by: Option<u32>,
}

/// Computes the final corners of all leaves.
pub(super) fn follow_larger_leaves(tree: &FieldBuilder<'_>) -> FinalLeaves {
    let count = tree.leaves.len();
    let mut result = FinalLeaves {
        values: vec![[0.0; 8]; count],
        errors: vec![0.0; count],
        moved_by: vec![None; count],
        is_live: vec![false; count],
    };
    let mut levels: Vec<Vec<u32>> = vec![Vec::new(); usize::from(tree.root.depth()) + 1];
    for number in 0..count {
        let cell = tree.leaves[number].cell;
        if tree.find_leaf(cell.min).0 == number as u32 {
            levels[usize::from(cell.level)].push(number as u32);
            result.is_live[number] = true;
        }
    }
    for level in levels {
        let leaves: Vec<FinalLeaf> = level.par_iter().map(|&number| final_leaf(tree, &result.values, number)).collect();
        for (number, leaf) in level.iter().map(|&number| number as usize).zip(leaves) {
            result.values[number] = leaf.values;
            result.errors[number] = leaf.error;
            result.moved_by[number] = leaf.moved_by;
        }
    }
    result
}

fn final_leaf(tree: &FieldBuilder<'_>, values: &[[f32; 8]], number: u32) -> FinalLeaf {
    let leaf = &tree.leaves[number as usize];
    let (edge, size) = (tree.root.edge(), leaf.cell.size(tree.root.depth()));
    // Smaller displacements leave the error of the leaf within the tolerance.
    let (mut most, mut moved_by, mut moved_most) = (0.0f64, None, tree.target.tolerance * (1.0 / OWN_SHARE - 1.0));
    let stored = std::array::from_fn(|corner| {
        let at = [0, 1, 2].map(|axis| leaf.cell.min[axis] + size * (corner >> axis & 1) as u32);
        let exact = leaf.corner.values[corner];
        let larger = larger_leaf(tree, &leaf.cell, corner, at);
        let value = match larger {
            Some(other) => interpolate(tree, &tree.leaves[other as usize].cell, &values[other as usize], at) as f32,
            None => (exact / edge) as f32,
        };
        let moved = (f64::from(value) * edge - exact).abs();
        most = most.max(moved);
        if larger.is_some() && moved > moved_most {
            (moved_most, moved_by) = (moved, larger);
        }
        value
    });
    FinalLeaf { values: stored, error: leaf.error + most, moved_by }
}

/// Returns the largest leaf around a corner of a cell that is larger than the cell.
///
/// Such a leaf is at least as large as the parent, and is made of whole cells of the parent's size: one octant around
/// the corner finds it, and none in the parent.
fn larger_leaf(tree: &FieldBuilder<'_>, cell: &OctreeCell, corner: usize, at: [u32; 3]) -> Option<u32> {
    if cell.level == 0 {
        return None;
    }
    let (end, parent) = (1u32 << tree.root.depth(), 2 * cell.size(tree.root.depth()));
    // The axes along which the corner lies on the boundary of the parent.
    let outer = (0..3).filter(|&axis| at[axis].is_multiple_of(parent)).fold(0u32, |axes, axis| axes | 1 << axis);
    let in_parent = corner as u32 & outer;
    let (mut largest, mut level) = (None, cell.level);
    for octant in (0..8u32).filter(|&octant| octant & !outer == 0 && octant != in_parent) {
        let inner = [0, 1, 2].map(|axis| at[axis as usize].wrapping_sub(octant >> axis & 1));
        // Coordinates below 0 wrap around to great ones.
        if inner.iter().any(|&at| at >= end) {
            continue;
        }
        let found = tree.find_leaf(inner).0;
        let other = tree.leaves[found as usize].cell.level;
        if other < level {
            (largest, level) = (Some(found), other);
        }
    }
    largest
}

/// Interpolates in a leaf at a corner of the lattice within it, in units of the edge of the root.
fn interpolate(tree: &FieldBuilder<'_>, cell: &OctreeCell, values: &[f32; 8], at: [u32; 3]) -> f64 {
    let size = f64::from(cell.size(tree.root.depth()));
    let t = [0, 1, 2].map(|axis| f64::from(at[axis] - cell.min[axis]) / size);
    trilinear(values, t)
}

/// Interpolates eight values at coordinates from 0 to 1.
#[inline]
pub(super) fn trilinear(values: &[f32; 8], t: [f64; 3]) -> f64 {
    let v = widened(values);
    let along = |low: f64, high: f64, t: f64| low + (high - low) * t;
    let x = [along(v[0], v[1], t[0]), along(v[2], v[3], t[0]), along(v[4], v[5], t[0]), along(v[6], v[7], t[0])];
    along(along(x[0], x[1], t[1]), along(x[2], x[3], t[1]), t[2])
}

/// Converts values to `f64`. A loop: `map` is a call for each value.
#[inline(always)]
pub(super) fn widened(values: &[f32; 8]) -> [f64; 8] {
    let mut wide = [0.0; 8];
    for (wide, value) in wide.iter_mut().zip(values) {
        *wide = f64::from(*value);
    }
    wide
}
