//! Box of equal cubic cells on a lattice of planes.
//!
//! In: a least corner, the edge of a cell in metres, numbers of cells; or a box of points; or the root of an octree.
//! Out: planes, centres and boxes of cells.
//! Method: the plane k lies at origin + k·h, the centre of the cell k at origin + (k + ½)·h, both rounded to `f64`.
//! Guarantees: planes and centres ascend strictly and alternate, and neighbours share their planes, so that cells tile
//! the box. The planes of the root of an octree and of its box are equal.

use super::VoxelError;
use crate::octree::{MAX_DEPTH, OctreeError, OctreeRoot};
use heurt_geometry::{Aabb, Vec3};

/// The greatest number of cells along an axis.
pub const MAX_AXIS_CELLS: u32 = 1 << MAX_DEPTH;

/// A box of cubic cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VoxelSpace {
    origin: Vec3,
    cell: f64,
    counts: [u32; 3],
}

impl VoxelSpace {
    /// Creates the box with its least corner at `origin`, cells with this edge in metres, and `counts` of them along
    /// the axes.
    ///
    /// ```
    /// use heurt_solid::VoxelSpace;
    /// let space = VoxelSpace::new([0.0; 3].into(), 0.5, [4, 2, 1])?;
    /// assert_eq!(space.bounds().max.to_array(), [2.0, 1.0, 0.5]);
    /// assert_eq!(space.centre([3, 0, 0]).to_array(), [1.75, 0.25, 0.25]);
    /// # Ok::<(), heurt_solid::VoxelError>(())
    /// ```
    ///
    /// # Errors
    /// A number of cells out of range, a number that is not finite, an edge that is not positive, or cells so small
    /// that `f64` cannot separate their planes.
    pub fn new(origin: Vec3, cell: f64, counts: [u32; 3]) -> Result<Self, VoxelError> {
        if counts.iter().any(|count| !(1..=MAX_AXIS_CELLS).contains(count)) {
            return Err(VoxelError::Counts { counts });
        }
        let space = Self { origin, cell, counts };
        let end = space.corner(counts);
        if !origin.is_finite() || !cell.is_finite() || cell <= 0.0 || !end.is_finite() {
            return Err(VoxelError::Space { origin, cell });
        }
        let max_coordinate = origin.abs().max(end.abs()).max_element();
        // A plane is rounded twice, at most an ulp of `max_coordinate` in all; 8 ulps separate neighbours. 2⁻¹⁰⁰⁰ is
        // far from denormals, so that planes are rounded relative to their coordinates.
        let resolution = max_coordinate * 8.0 * f64::EPSILON;
        if cell <= resolution.max(f64::MIN_POSITIVE * (1u64 << 22) as f64) {
            return Err(VoxelError::Resolution { cell, max_coordinate });
        }
        Ok(space)
    }

    /// Creates the box around `bounds` that has this number of cells along the longest edge of `bounds`, and as few
    /// along its shorter edges as hold it.
    ///
    /// # Errors
    /// As [`VoxelSpace::new`].
    pub fn fit(bounds: &Aabb, cells: u32) -> Result<Self, VoxelError> {
        let extent = bounds.max - bounds.min;
        let longest = extent.max_element();
        let least = if longest > 0.0 { longest / f64::from(cells.max(1)) } else { 1.0 };
        // The planes are rounded, so cells grow by some ulps of the largest coordinate until the box holds the points.
        let ulp = bounds.min.abs().max(bounds.max.abs()).max_element() * f64::EPSILON;
        let mut space = Self { origin: bounds.min, cell: least, counts: [cells; 3] };
        for growth in 0..12 {
            space.cell = least + if growth == 0 { 0.0 } else { ulp * f64::from(1u32 << growth) };
            let count = |k: usize| ((extent[k] / space.cell).ceil() as u32).clamp(1, cells.max(1));
            space.counts = std::array::from_fn(count);
            space.origin = bounds.centre() - Vec3::from(space.counts.map(f64::from)) * (0.5 * space.cell);
            let held = space.bounds();
            if held.min.cmple(bounds.min).all() && bounds.max.cmple(held.max).all() {
                break;
            }
        }
        Self::new(space.origin, space.cell, if cells == 0 { [0; 3] } else { space.counts })
    }

    /// Returns the box of the deepest cells of the root of an octree.
    pub fn of_root(root: OctreeRoot) -> Self {
        Self { origin: root.origin(), cell: root.cell_edge(), counts: [1 << root.depth(); 3] }
    }

    /// Returns the least root of an octree whose deepest cells are the cells of this box and, beyond them, empty cells.
    ///
    /// # Errors
    /// The root reaches beyond the range or the resolution of `f64`.
    pub fn octree_root(&self) -> Result<OctreeRoot, OctreeError> {
        let [x, y, z] = self.counts;
        let size = x.max(y).max(z).next_power_of_two();
        OctreeRoot::new(self.origin, self.cell * f64::from(size), size.trailing_zeros() as u8)
    }

    /// Returns the least corner.
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// Returns the edge of a cell in metres.
    pub fn cell_edge(&self) -> f64 {
        self.cell
    }

    /// Returns the numbers of cells along the axes.
    pub fn counts(&self) -> [u32; 3] {
        self.counts
    }

    /// Returns the number of cells.
    pub fn cell_count(&self) -> u64 {
        self.counts.iter().map(|&count| u64::from(count)).product()
    }

    /// Returns the corner of the lattice with these coordinates, each at most the number of cells.
    pub fn corner(&self, at: [u32; 3]) -> Vec3 {
        self.origin + Vec3::from(at.map(f64::from)) * self.cell
    }

    /// Returns the centre of a cell.
    pub fn centre(&self, cell: [u32; 3]) -> Vec3 {
        self.origin + (Vec3::from(cell.map(f64::from)) + 0.5) * self.cell
    }

    /// Returns the closed box of a cell.
    pub fn cell_bounds(&self, cell: [u32; 3]) -> Aabb {
        Aabb { min: self.corner(cell), max: self.corner(cell.map(|at| at + 1)) }
    }

    /// Returns the closed box of all cells.
    pub fn bounds(&self) -> Aabb {
        Aabb { min: self.origin, max: self.corner(self.counts) }
    }

    /// Reports whether the box has a cell with these coordinates.
    pub fn has(&self, cell: [u32; 3]) -> bool {
        (0..3).all(|k| cell[k] < self.counts[k])
    }

    /// Returns the planes across an axis.
    pub(super) fn planes(&self, axis: usize) -> Vec<f64> {
        (0..=self.counts[axis]).map(|k| self.corner([k; 3])[axis]).collect()
    }

    /// Returns the coordinates of the centres along an axis.
    pub(super) fn centres(&self, axis: usize) -> Vec<f64> {
        (0..self.counts[axis]).map(|k| self.centre([k; 3])[axis]).collect()
    }

    /// Returns the number of words of a row.
    pub(super) fn row_words(&self) -> usize {
        self.counts[0].div_ceil(64) as usize
    }
}
