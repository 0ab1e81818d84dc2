//! Exact moves of a set of cells: translations by whole cells, quarter turns and mirrors.
//!
//! In: a grid and a shift or an axis. Out: the moved grid.
//! Method: a move is a permutation of the axes with mirrors, or a shift. A move that keeps x along x moves whole rows
//! by words; all others move cell by cell.
//! Guarantees: exact. A quarter turn exchanges the numbers of cells of two axes, and the turned box keeps its least
//! corner; a cube turns around its centre.
//! Cost: O(words) if x stays along x, O(words + cells of the set) otherwise.

use super::bit_grid::bits;
use super::{BitGrid, VoxelError, VoxelSpace};
use crate::octree::Axis;

/// A permutation of axes with mirrors: axis k of the result is axis `axis[k]` of the source, mirrored or not.
struct Turn {
    axis: [usize; 3],
    is_mirrored: [bool; 3],
}

impl BitGrid {
    /// Shifts the cells within their box.
    ///
    /// ```
    /// use heurt_solid::{BitGrid, VoxelSpace};
    /// let space = VoxelSpace::new([0.0; 3].into(), 1.0, [4, 3, 2])?;
    /// let corner = BitGrid::from_cells(space, |cell| cell == [0; 3])?;
    /// assert!(corner.translated([3, 2, 1])?.contains([3, 2, 1]));
    /// assert!(corner.translated([0, 0, 2]).is_err());
    /// # Ok::<(), heurt_solid::VoxelError>(())
    /// ```
    ///
    /// # Errors
    /// A cell would leave the box.
    pub fn translated(&self, shift: [i32; 3]) -> Result<Self, VoxelError> {
        let Some([min, max]) = self.occupied_cells() else { return Ok(self.clone()) };
        let counts = self.space.counts();
        let leaves = |k: usize| {
            let by = i64::from(shift[k]);
            i64::from(min[k]) + by < 0 || i64::from(max[k]) + by > i64::from(counts[k])
        };
        if (0..3).any(leaves) {
            return Err(VoxelError::LeavesSpace { shift, min, max, counts });
        }
        let mut moved = Self { space: self.space, words: vec![0; self.words.len()] };
        for z in min[2]..max[2] {
            for y in min[1]..max[1] {
                let first = moved.word_of([0, y.wrapping_add_signed(shift[1]), z.wrapping_add_signed(shift[2])]);
                let target = &mut moved.words[first..first + self.space.row_words()];
                shift_bits(self.row(y, z), shift[0], target);
            }
        }
        Ok(moved)
    }

    /// Turns the cells by quarter turns around an axis, counter-clockwise seen against the axis.
    ///
    /// ```
    /// use heurt_solid::{Axis, BitGrid, VoxelSpace};
    /// let space = VoxelSpace::new([0.0; 3].into(), 1.0, [4, 3, 2])?;
    /// let low = BitGrid::from_cells(space, |cell| cell == [0; 3])?;
    /// let turned = low.turned(Axis::Z, 1)?;
    /// assert_eq!(turned.space().counts(), [3, 4, 2]);
    /// assert!(turned.contains([2, 0, 0]), "from (0, 0) to the end of the first axis");
    /// # Ok::<(), heurt_solid::VoxelError>(())
    /// ```
    ///
    /// # Errors
    /// The rows of the turned box take more words than allowed.
    pub fn turned(&self, axis: Axis, quarter_turns: i32) -> Result<Self, VoxelError> {
        let (u, v) = ((axis as usize + 1) % 3, (axis as usize + 2) % 3);
        let mut turn = Turn { axis: [0, 1, 2], is_mirrored: [false; 3] };
        // A quarter turn takes u to v and v to −u.
        match quarter_turns.rem_euclid(4) {
            1 => (turn.axis[u], turn.axis[v], turn.is_mirrored[u]) = (v, u, true),
            2 => (turn.is_mirrored[u], turn.is_mirrored[v]) = (true, true),
            3 => (turn.axis[u], turn.axis[v], turn.is_mirrored[v]) = (v, u, true),
            _ => {}
        }
        self.permuted(&turn)
    }

    /// Mirrors the cells in the plane across an axis through the centre of the box.
    ///
    /// # Errors
    /// None: the box stays.
    pub fn mirrored(&self, axis: Axis) -> Result<Self, VoxelError> {
        let mut turn = Turn { axis: [0, 1, 2], is_mirrored: [false; 3] };
        turn.is_mirrored[axis as usize] = true;
        self.permuted(&turn)
    }

    fn permuted(&self, turn: &Turn) -> Result<Self, VoxelError> {
        let old = self.space.counts();
        let counts = turn.axis.map(|axis| old[axis]);
        let space = VoxelSpace::new(self.space.origin(), self.space.cell_edge(), counts)?;
        let mut moved = Self::empty(space)?;
        let image = |cell: [u32; 3]| -> [u32; 3] {
            std::array::from_fn(|k| {
                let at = cell[turn.axis[k]];
                if turn.is_mirrored[k] { counts[k] - 1 - at } else { at }
            })
        };
        let keeps_rows = turn.axis[0] == 0 && !turn.is_mirrored[0];
        for z in 0..old[2] {
            for y in 0..old[1] {
                let row = self.row(y, z);
                if keeps_rows {
                    let first = moved.word_of(image([0, y, z]));
                    moved.words[first..first + row.len()].copy_from_slice(row);
                } else {
                    bits(row).for_each(|x| _ = moved.set(image([x, y, z]), true));
                }
            }
        }
        Ok(moved)
    }
}

/// Writes the bits of a row, shifted up by `by`, to a row of zeros; no bit that is set leaves the row.
fn shift_bits(row: &[u64], by: i32, target: &mut [u64]) {
    let (words, rest) = (by.div_euclid(64) as isize, by.rem_euclid(64) as u32);
    let word = |k: isize| usize::try_from(k).ok().and_then(|k| row.get(k)).copied().unwrap_or(0);
    for (k, target) in (0isize..).zip(target) {
        let low = word(k - words) << rest;
        *target = if rest == 0 { low } else { low | word(k - words - 1) >> (64 - rest) };
    }
}
