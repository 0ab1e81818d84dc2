//! Exact voxel bounds of a closed triangle mesh: full, mixed and empty cells.
//!
//! In: a closed mesh and a box of cells. Out: the cells within the solid, and the cells that meet it.
//! Method: a cell is mixed if a triangle meets the closed cell, by the exact test of the
//! octree behind a filter (`triangle_filter`). Boxes of cells around
//! a triangle are halved along their longest edge while the triangle meets them, down to one cell. All other cells lie
//! on one side of the surface, so their centres decide (`centres`).
//! Guarantees: exact on the `f64` vertices and planes, and equal to the octree over the same cells. The solid contains
//! the inner cells and lies within the outer cells. Equal for any number of threads.
//! Cost: O(log n) exact tests per triangle and cell that it meets, for n cells around it; two dense grids.

use super::centres::{SLABS, fill_centres};
use super::triangle_filter::TriangleFilter;
use super::{BitGrid, VoxelBounds, VoxelError, VoxelSpace};
use crate::octree::triangle_meets_box;
use heurt_geometry::{Aabb, Triangle, Vec3};
use heurt_mesh::{TriMesh, is_closed};
use rayon::prelude::*;
use std::ops::Range;

impl VoxelBounds {
    /// Finds the full, mixed and empty cells of a closed mesh.
    ///
    /// ```
    /// use heurt_mesh::generate;
    /// use heurt_solid::{VoxelBounds, VoxelSpace};
    /// let ball = generate::icosphere(1.0, 4)?;
    /// let bounds = VoxelBounds::of_mesh(&ball, VoxelSpace::fit(&ball.bounds(), 64)?)?;
    /// let [least, most] = bounds.volume();
    /// assert!(least < 4.18 && 4.18 < most && most - least < 0.7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// An open mesh, or too many cells.
    pub fn of_mesh(mesh: &TriMesh, space: VoxelSpace) -> Result<Self, VoxelError> {
        let mut centres = BitGrid::empty(space)?;
        if !is_closed(mesh) {
            return Err(VoxelError::OpenMesh { triangles: mesh.triangles().len() });
        }
        fill_centres(mesh, &mut centres);
        let mixed = BitGrid::of_surface(mesh, space)?;
        let (mut inner, mut outer) = (centres, mixed);
        for (inner, outer) in inner.words.iter_mut().zip(&mut outer.words) {
            let (centre, mixed) = (*inner, *outer);
            (*inner, *outer) = (centre & !mixed, centre | mixed);
        }
        Ok(Self::from_valid(inner, outer))
    }
}

impl BitGrid {
    /// Finds the cells that a triangle meets, exactly; the mesh may be open.
    ///
    /// # Errors
    /// Too many cells.
    pub fn of_surface(mesh: &TriMesh, space: VoxelSpace) -> Result<Self, VoxelError> {
        let mut grid = Self::empty(space)?;
        let bounds = space.bounds();
        let marks = SurfaceMarks {
            planes: [0, 1, 2].map(|axis| space.planes(axis)),
            row_words: space.row_words(),
            max_coordinate: bounds.min.abs().max(bounds.max.abs()).max_element(),
        };
        let layers: Vec<Range<u32>> = (0..mesh.triangles().len() as u32)
            .into_par_iter()
            .map(|triangle| marks.cells_along(&mesh.corners(triangle), 2))
            .collect();
        let count = space.counts()[2] as usize;
        let layer_words = grid.words.len() / count;
        let slab_layers = count.div_ceil(SLABS);
        grid.words.par_chunks_mut(slab_layers * layer_words).enumerate().for_each(|(slab, words)| {
            let first = (slab * slab_layers) as u32;
            let end = first + (words.len() / layer_words) as u32;
            let mut open = Vec::new();
            for (triangle, range) in (0u32..).zip(&layers) {
                let range = range.start.max(first)..range.end.min(end);
                if range.start < range.end {
                    marks.mark(&mesh.corners(triangle), range, first, words, &mut open);
                }
            }
        });
        Ok(grid)
    }
}

/// A box of cells: its least corner, and its greatest, which is outside.
type CellBox = [[u32; 3]; 2];

struct SurfaceMarks {
    planes: [Vec<f64>; 3],
    row_words: usize,
    max_coordinate: f64,
}

impl SurfaceMarks {
    /// Returns the cells along an axis whose closed intervals meet the interval of a triangle.
    fn cells_along(&self, triangle: &Triangle, axis: usize) -> Range<u32> {
        let planes = &self.planes[axis];
        let min = triangle.iter().fold(f64::INFINITY, |least, corner| least.min(corner[axis]));
        let max = triangle.iter().fold(f64::NEG_INFINITY, |most, corner| most.max(corner[axis]));
        let start = planes[1..].partition_point(|&plane| plane < min);
        let end = planes[..planes.len() - 1].partition_point(|&plane| plane <= max);
        start as u32..end as u32
    }

    /// Marks the cells of some layers that a triangle meets; `words` begin at the layer `first`.
    fn mark(&self, triangle: &Triangle, z: Range<u32>, first: u32, words: &mut [u64], open: &mut Vec<CellBox>) {
        let [x, y] = [0, 1].map(|axis| self.cells_along(triangle, axis));
        if x.is_empty() || y.is_empty() {
            return;
        }
        let filter = TriangleFilter::new(triangle, self.max_coordinate);
        let meets = |min: [u32; 3], end: [u32; 3]| {
            let bounds = self.bounds(min, end);
            filter.meets(&bounds).unwrap_or_else(|| triangle_meets_box(triangle, &bounds))
        };
        open.push([[x.start, y.start, z.start], [x.end, y.end, z.end]]);
        let count_y = self.planes[1].len() - 1;
        while let Some([min, end]) = open.pop() {
            let size: [u32; 3] = std::array::from_fn(|k| end[k] - min[k]);
            let [x, y, z] = min.map(|at| at as usize);
            if size == [1; 3] {
                let word = &mut words[(y + count_y * (z - first as usize)) * self.row_words + x / 64];
                if *word >> (x % 64) & 1 == 0 && meets(min, end) {
                    *word |= 1 << (x % 64);
                }
                continue;
            }
            // A small box is halved without a test: the tests of its cells cost less.
            if size.iter().product::<u32>() > 4 && !meets(min, end) {
                continue;
            }
            let longest = (0..3).fold(0, |longest, k| if size[k] > size[longest] { k } else { longest });
            let (mut low_end, mut high_min) = (end, min);
            low_end[longest] = min[longest] + size[longest] / 2;
            high_min[longest] = low_end[longest];
            open.extend([[high_min, end], [min, low_end]]);
        }
    }

    fn bounds(&self, min: [u32; 3], end: [u32; 3]) -> Aabb {
        let corner = |at: [u32; 3]| Vec3::from(std::array::from_fn(|k| self.planes[k][at[k] as usize]));
        Aabb { min: corner(min), max: corner(end) }
    }
}
