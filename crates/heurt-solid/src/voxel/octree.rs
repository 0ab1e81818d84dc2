//! Conversions between voxel grids and octrees.
//!
//! In: a grid or bounds over a box, or an octree. Out: the octree over the least root that holds the box, or the bounds
//! over the box of the deepest cells.
//! Method: a cell of the octree is full or empty if all its bits agree, row by row of words; the octree is built from
//! the top, so that a region of one kind is read once per level above it. An octree becomes bounds by filling the cells
//! of its leaves.
//! Guarantees: exact. Both directions are inverse for an octree, and for a grid up to the empty cells that fill its box
//! up to a cube.
//! Cost: O(depth · words) to an octree, O(rows of leaves) from one.

use super::{BitGrid, VoxelBounds, VoxelError, VoxelSpace};
use crate::octree::{CellClass, Node, Octree, OctreeCell};

impl BitGrid {
    /// Builds the octree of the cells over [`VoxelSpace::octree_root`].
    ///
    /// ```
    /// use heurt_solid::{BitGrid, VoxelSpace};
    /// let space = VoxelSpace::new([0.0; 3].into(), 1.0, [3, 2, 1])?;
    /// let octree = BitGrid::full(space)?.to_octree()?;
    /// assert_eq!((octree.root().depth(), octree.measures().full_cells), (2, 6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The root is out of range, or the octree has too many nodes.
    pub fn to_octree(&self) -> Result<Octree, VoxelError> {
        let root = self.space.octree_root()?;
        Ok(Octree::from_cells(root, |cell| match self.class_of(cell, cell.size(root.depth())) {
            Some(true) => CellClass::Full,
            Some(false) => CellClass::Empty,
            None => CellClass::Mixed,
        })?)
    }

    /// Returns whether all cells of a cube are in the set, or none; `None` if some are.
    fn class_of(&self, cell: &OctreeCell, size: u32) -> Option<bool> {
        let counts = self.space.counts();
        let end: [u32; 3] = std::array::from_fn(|k| (cell.min[k] + size).min(counts[k]));
        if (0..3).any(|k| cell.min[k] >= end[k]) {
            return Some(false);
        }
        let is_cut = (0..3).any(|k| end[k] < cell.min[k] + size);
        let is_full = !is_cut && self.contains(cell.min);
        let (first, last) = (cell.min[0] as usize / 64, (end[0] - 1) as usize / 64);
        let (low, high) = (u64::MAX << (cell.min[0] % 64), u64::MAX >> (63 - (end[0] - 1) % 64));
        let expected = if is_full { u64::MAX } else { 0 };
        for z in cell.min[2]..end[2] {
            for y in cell.min[1]..end[1] {
                let differs = |(number, word): (usize, &u64)| {
                    let mask = if number == first { low } else { u64::MAX };
                    let mask = if number == last { mask & high } else { mask };
                    (word ^ expected) & mask != 0
                };
                if (first..).zip(&self.row(y, z)[first..=last]).any(differs) {
                    return None;
                }
            }
        }
        Some(is_full)
    }
}

impl VoxelBounds {
    /// Builds the octree of the bounds over [`VoxelSpace::octree_root`], with a mixed leaf per mixed cell.
    ///
    /// # Errors
    /// The root is out of range, or the octree has too many nodes.
    pub fn to_octree(&self) -> Result<Octree, VoxelError> {
        let root = self.space().octree_root()?;
        Ok(Octree::from_cells(root, |cell| {
            let size = cell.size(root.depth());
            match (self.inner().class_of(cell, size), self.outer().class_of(cell, size)) {
                (Some(true), _) => CellClass::Full,
                (_, Some(false)) => CellClass::Empty,
                _ => CellClass::Mixed,
            }
        })?)
    }

    /// Converts an octree to bounds over the box of its deepest cells.
    ///
    /// # Errors
    /// The box has too many cells: the octree is deeper than 10.
    pub fn of_octree(octree: &Octree) -> Result<Self, VoxelError> {
        let space = VoxelSpace::of_root(octree.root());
        let (mut inner, mut outer) = (BitGrid::empty(space)?, BitGrid::empty(space)?);
        for (cell, leaf) in octree.leaves().filter(|&(_, leaf)| leaf != Node::Empty) {
            let end = cell.min.map(|at| at + cell.size(octree.root().depth()));
            outer.fill(cell.min, end);
            if leaf == Node::Full {
                inner.fill(cell.min, end);
            }
        }
        Ok(Self::from_valid(inner, outer))
    }
}
