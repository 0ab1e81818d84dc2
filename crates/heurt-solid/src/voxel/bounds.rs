//! Voxel bounds of a solid: an inner and an outer grid of cells, hence three classes full, mixed and empty.
//!
//! In: two grids over one box. Out: bounds of volumes; set operations on bounds.
//! Method: a full cell is inner and outer, a mixed cell is outer only, an empty cell is neither. Set operations follow
//! Kleene's logic of three values, which is word by word: the inner cells of a difference are those of the first solid
//! that are not outer cells of the second.
//! Guarantees: the bounds of a result hold if the bounds of the operands do. They do not see that two operands are the
//! same solid: the symmetric difference of a solid and itself is mixed where the solid is.
//! Cost: two dense grids; each operation reads and writes each word once or twice.

use super::{BitGrid, VoxelError, VoxelSpace};

/// A solid between two sets of cells.
#[derive(Debug, Clone, PartialEq)]
pub struct VoxelBounds {
    inner: BitGrid,
    outer: BitGrid,
}

impl VoxelBounds {
    /// Creates bounds from the cells within the solid and the cells that meet it.
    ///
    /// # Errors
    /// The boxes differ, or an inner cell is not an outer cell.
    pub fn new(inner: BitGrid, outer: BitGrid) -> Result<Self, VoxelError> {
        match inner.difference(&outer)?.count() {
            0 => Ok(Self { inner, outer }),
            cells => Err(VoxelError::BoundsCross { cells }),
        }
    }

    /// Creates bounds of a solid of whole cells, without mixed cells.
    pub fn of_cells(cells: BitGrid) -> Self {
        Self { inner: cells.clone(), outer: cells }
    }

    /// Creates bounds whose inner cells are outer cells.
    pub(super) fn from_valid(inner: BitGrid, outer: BitGrid) -> Self {
        Self { inner, outer }
    }

    /// Returns the cells within the solid: the full cells.
    pub fn inner(&self) -> &BitGrid {
        &self.inner
    }

    /// Returns the cells that meet the solid: the full and the mixed cells.
    pub fn outer(&self) -> &BitGrid {
        &self.outer
    }

    /// Returns the mixed cells.
    pub fn mixed(&self) -> BitGrid {
        let words = self.outer.words.iter().zip(&self.inner.words).map(|(&outer, &inner)| outer & !inner).collect();
        BitGrid { space: self.space(), words }
    }

    /// Returns the box.
    pub fn space(&self) -> VoxelSpace {
        self.inner.space()
    }

    /// Returns bounds of the volume in m³: of the inner and of the outer cells, rounded.
    pub fn volume(&self) -> [f64; 2] {
        let edge = self.space().cell_edge();
        [&self.inner, &self.outer].map(|grid| grid.count() as f64 * edge * edge * edge)
    }

    /// Returns bounds of the complement within the box.
    #[must_use]
    pub fn complement(&self) -> Self {
        Self { inner: self.outer.complement(), outer: self.inner.complement() }
    }

    /// Computes bounds of the union.
    ///
    /// # Errors
    /// The boxes differ.
    pub fn union(&self, b: &Self) -> Result<Self, VoxelError> {
        Ok(Self { inner: self.inner.union(&b.inner)?, outer: self.outer.union(&b.outer)? })
    }

    /// Computes bounds of the intersection.
    ///
    /// # Errors
    /// The boxes differ.
    pub fn intersection(&self, b: &Self) -> Result<Self, VoxelError> {
        Ok(Self { inner: self.inner.intersection(&b.inner)?, outer: self.outer.intersection(&b.outer)? })
    }

    /// Computes bounds of the difference.
    ///
    /// # Errors
    /// The boxes differ.
    pub fn difference(&self, b: &Self) -> Result<Self, VoxelError> {
        Ok(Self { inner: self.inner.difference(&b.outer)?, outer: self.outer.difference(&b.inner)? })
    }

    /// Computes bounds of the symmetric difference.
    ///
    /// # Errors
    /// The boxes differ.
    pub fn xor(&self, b: &Self) -> Result<Self, VoxelError> {
        self.difference(b)?.union(&b.difference(self)?)
    }
}
