//! Conversions between sparse bricks and octrees.
//!
//! In: bricks, or an octree. Out: the octree over the least root that holds the box, or the bricks of the box of the
//! deepest cells.
//! Method: a cell of the octree that no brick meets is of the kind of the background. The cells of each level that
//! bricks meet are listed before, so that the octree is built from the top by searches in sorted lists. Leaves of a
//! brick are next to each other in the order of an octree, so that each brick is made once.
//! Guarantees: exact. Both directions are inverse, up to the empty cells that fill a box up to a cube.
//! Cost: O(bricks · depth · log bricks), without a dense grid.

use super::bricks::{Brick, EDGE, bit_of, cell_of, key_of};
use super::{BrickSet, MAX_GRID_CELLS, VoxelError, VoxelSpace};
use crate::octree::{CellClass, Node, Octree, OctreeCell};

/// The cells of a brick.
const BRICK_CELLS: u64 = (EDGE as u64).pow(3);

impl BrickSet {
    /// Builds the octree of the cells over [`VoxelSpace::octree_root`].
    ///
    /// ```
    /// use heurt_solid::{BrickSet, VoxelSpace};
    /// let space = VoxelSpace::new([0.0; 3].into(), 1e-3, [1 << 21; 3])?;
    /// let ends = BrickSet::from_cells(space, [[0; 3], [(1 << 21) - 1; 3]]);
    /// let octree = ends.to_octree()?;
    /// assert_eq!((octree.root().depth(), octree.measures().full_cells), (21, 2));
    /// assert_eq!(BrickSet::of_octree(&octree)?, ends);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The root is out of range, or the octree has too many nodes.
    pub fn to_octree(&self) -> Result<Octree, VoxelError> {
        let space = self.space();
        let (root, counts) = (space.octree_root()?, space.counts());
        let levels = self.met_cells(root.depth());
        let classify = |cell: &OctreeCell| {
            let size = cell.size(root.depth());
            if (0..3).any(|k| cell.min[k] >= counts[k]) {
                return CellClass::Empty;
            }
            let is_cut = (0..3).any(|k| cell.min[k] + size > counts[k]);
            let is_met =
                levels[(size / EDGE).max(1).trailing_zeros() as usize].binary_search(&key_of(cell.min)).is_ok();
            match self.kind_of(cell.min, size, is_met) {
                Some(true) if !is_cut => CellClass::Full,
                Some(false) => CellClass::Empty,
                _ => CellClass::Mixed,
            }
        };
        Ok(Octree::from_cells(root, classify)?)
    }

    /// Lists for each size of a cell from a brick on, doubled each time, the keys of the cells that bricks meet,
    /// ascending.
    fn met_cells(&self, depth: u8) -> Vec<Vec<u64>> {
        let least = |k: u8| {
            let size = EDGE << k;
            let mut keys: Vec<u64> =
                self.bricks().iter().map(|(key, _)| key_of(cell_of(*key).map(|at| at / size * size))).collect();
            keys.sort_unstable();
            keys.dedup();
            keys
        };
        (0..=depth.saturating_sub(EDGE.trailing_zeros() as u8)).map(least).collect()
    }

    /// Returns whether the cells of a cube are in the set; `None` if some are, or if bricks have to decide.
    fn kind_of(&self, min: [u32; 3], size: u32, is_met: bool) -> Option<bool> {
        if !is_met {
            return Some(self.is_background_full());
        }
        if size > EDGE {
            return None;
        }
        let Ok(found) = self.bricks().binary_search_by_key(&key_of(min), |brick| brick.0) else {
            return Some(self.is_background_full());
        };
        let brick = &self.bricks()[found].1;
        let mut kinds = cube(size).map(|at| {
            let bit = bit_of(std::array::from_fn(|k| min[k] + at[k]));
            brick[bit as usize / 64] >> (bit % 64) & 1 == 1
        });
        let first = kinds.next()?;
        kinds.all(|kind| kind == first).then_some(first)
    }

    /// Converts the full cells of an octree; mixed leaves are left out. [`Octree::upper`] turns them into full cells.
    ///
    /// # Errors
    /// [`VoxelError::TooManyCells`] if the bricks would have more cells than a dense grid may have.
    pub fn of_octree(octree: &Octree) -> Result<Self, VoxelError> {
        let depth = octree.root().depth();
        let space = VoxelSpace::of_root(octree.root());
        let mut bricks: Vec<(u64, Brick)> = Vec::new();
        for (cell, _) in octree.leaves().filter(|(_, leaf)| *leaf == Node::Full) {
            let size = cell.size(depth);
            let (of_leaf, of_brick) = (size.div_ceil(EDGE), size.min(EDGE));
            let cells = (bricks.len() as u64 + u64::from(of_leaf).pow(3)).saturating_mul(BRICK_CELLS);
            // A leaf may lie in the brick of the leaf before.
            if cells > MAX_GRID_CELLS + BRICK_CELLS {
                return Err(VoxelError::TooManyCells { cells });
            }
            for start in cube(of_leaf) {
                let min: [u32; 3] = std::array::from_fn(|k| cell.min[k] + EDGE * start[k]);
                let key = key_of(min);
                if bricks.last().is_none_or(|last| last.0 != key) {
                    bricks.push((key, [0; 8]));
                }
                let Some((_, words)) = bricks.last_mut() else { continue };
                for at in cube(of_brick) {
                    let bit = bit_of(std::array::from_fn(|k| min[k] + at[k]));
                    words[bit as usize / 64] |= 1 << (bit % 64);
                }
            }
        }
        Ok(Self::from_bricks(space, bricks))
    }
}

/// Lists the points of a cube of `size` points along each axis.
fn cube(size: u32) -> impl Iterator<Item = [u32; 3]> {
    (0..size).flat_map(move |z| (0..size).flat_map(move |y| (0..size).map(move |x| [x, y, z])))
}
