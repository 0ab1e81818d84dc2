//! Words of cells around the corners of the lattice of a grid.
//!
//! In: a grid and a row of corners. Out: for each word of 64 corners, eight words: bit k of word d is the cell at digit
//! d = bx + 2·by + 4·bz around corner k, low (0) or high (1) on each axis.
//! Method: the high cell of a corner along x has the number of the corner, the low cell one less: the same row of bits,
//! shifted by one. Cells outside the box are empty.
//! Cost: four words read and four shifts per 64 corners.

use super::BitGrid;

impl BitGrid {
    /// Visits the words of corners around which some cell is in the set, as the number of the first corner of the word,
    /// the row, the layer, and the eight words of cells.
    #[inline(always)]
    pub(super) fn for_each_corner_word(&self, z: u32, mut visit: impl FnMut([u32; 3], &[u64; 8])) {
        let [count_x, count_y, _] = self.space.counts();
        for y in 0..=count_y {
            // Below 0 is beyond the last row of `u32`, and has no words.
            let row = |by: u32, bz: u32| self.row((y + by).wrapping_sub(1), (z + bz).wrapping_sub(1));
            let rows = [row(0, 0), row(1, 0), row(0, 1), row(1, 1)];
            for number in 0..=count_x as usize / 64 {
                let mut cells = [0; 8];
                for (k, row) in rows.iter().enumerate() {
                    let high = row.get(number).copied().unwrap_or(0);
                    let carry = number.checked_sub(1).and_then(|before| row.get(before)).map_or(0, |word| word >> 63);
                    cells[2 * k] = high << 1 | carry;
                    cells[2 * k + 1] = high;
                }
                if cells != [0; 8] {
                    visit([number as u32 * 64, y, z], &cells);
                }
            }
        }
    }
}
