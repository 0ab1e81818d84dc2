//! Dense grid of bits: a set of cells of a box, packed in words along x.
//!
//! In: a box of cells and a rule. Out: a set of cells; set operations word by word.
//! Method: S3 slides 24 to 27 (exhaustive enumeration). The row (y, z) has ⌈nx / 64⌉ words; bit k of word w is the cell
//! x = 64·w + k. Rows follow each other in y, then in z.
//! Guarantees: bits beyond the end of a row are 0, so that equal sets are equal arrays.
//! Cost: one bit per cell, rows padded to words, at most 256 MiB; a set operation reads and writes each word once.

use super::{VoxelError, VoxelSpace};

/// The greatest number of cells of a dense grid, rows padded to words of 64: 2²⁵ words, 256 MiB.
pub const MAX_GRID_CELLS: u64 = 1 << 31;

/// A set of cells of a box.
#[derive(Debug, Clone, PartialEq)]
pub struct BitGrid {
    pub(super) space: VoxelSpace,
    pub(super) words: Vec<u64>,
}

impl BitGrid {
    /// Returns the set without a cell.
    ///
    /// # Errors
    /// The grid has more than [`MAX_GRID_CELLS`] cells.
    pub fn empty(space: VoxelSpace) -> Result<Self, VoxelError> {
        let [_, y, z] = space.counts();
        let words = space.row_words() as u64 * u64::from(y) * u64::from(z);
        if words > MAX_GRID_CELLS / 64 {
            return Err(VoxelError::TooManyCells { cells: words.saturating_mul(64) });
        }
        Ok(Self { space, words: vec![0; words as usize] })
    }

    /// Returns the set of all cells.
    ///
    /// # Errors
    /// As [`BitGrid::empty`].
    pub fn full(space: VoxelSpace) -> Result<Self, VoxelError> {
        Ok(Self::empty(space)?.complement())
    }

    /// Builds the set of the cells for which `is_full` holds.
    ///
    /// ```
    /// use heurt_solid::{BitGrid, VoxelSpace};
    /// let space = VoxelSpace::new([0.0; 3].into(), 1.0, [100, 3, 2])?;
    /// let slab = BitGrid::from_cells(space, |[x, _, _]| x < 70)?;
    /// assert_eq!(slab.count(), 70 * 6);
    /// assert!(slab.contains([69, 2, 1]) && !slab.contains([70, 2, 1]));
    /// # Ok::<(), heurt_solid::VoxelError>(())
    /// ```
    ///
    /// # Errors
    /// As [`BitGrid::empty`].
    pub fn from_cells(space: VoxelSpace, mut is_full: impl FnMut([u32; 3]) -> bool) -> Result<Self, VoxelError> {
        let mut grid = Self::empty(space)?;
        let [count_x, count_y, count_z] = space.counts();
        let mut rows = grid.words.chunks_exact_mut(space.row_words());
        for z in 0..count_z {
            for y in 0..count_y {
                let Some(row) = rows.next() else { continue };
                for x in (0..count_x).filter(|&x| is_full([x, y, z])) {
                    row[x as usize / 64] |= 1 << (x % 64);
                }
            }
        }
        Ok(grid)
    }

    /// Returns the box.
    pub fn space(&self) -> VoxelSpace {
        self.space
    }

    /// Reports whether a cell is in the set; cells outside the box are not.
    #[inline(always)]
    pub fn contains(&self, cell: [u32; 3]) -> bool {
        self.space.has(cell) && self.words[self.word_of(cell)] >> (cell[0] % 64) & 1 == 1
    }

    /// Adds a cell to the set, or removes it; reports whether the box has this cell.
    #[inline(always)]
    pub fn set(&mut self, cell: [u32; 3], is_full: bool) -> bool {
        let is_within = self.space.has(cell);
        if is_within {
            let (word, bit) = (self.word_of(cell), 1 << (cell[0] % 64));
            if is_full { self.words[word] |= bit } else { self.words[word] &= !bit }
        }
        is_within
    }

    #[inline(always)]
    pub(super) fn word_of(&self, [x, y, z]: [u32; 3]) -> usize {
        let row = y as usize + self.space.counts()[1] as usize * z as usize;
        row * self.space.row_words() + x as usize / 64
    }

    /// Returns the words of a row, bit k of word w for the cell x = 64·w + k; no words for a row outside the box.
    #[inline(always)]
    pub fn row(&self, y: u32, z: u32) -> &[u64] {
        if !self.space.has([0, y, z]) {
            return &[];
        }
        let first = self.word_of([0, y, z]);
        &self.words[first..first + self.space.row_words()]
    }

    /// Adds the cells of a box, which lies within the grid: `min` to `end`, without `end`.
    pub(super) fn fill(&mut self, min: [u32; 3], end: [u32; 3]) {
        for z in min[2]..end[2] {
            for y in min[1]..end[1] {
                let first = self.word_of([0, y, z]);
                let row = &mut self.words[first..first + self.space.row_words()];
                fill_bits(row, min[0] as usize, end[0] as usize);
            }
        }
    }

    /// Returns the number of cells.
    pub fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Returns the cells, x fastest.
    pub fn cells(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        let rows = self.words.chunks_exact(self.space.row_words());
        let count_y = self.space.counts()[1];
        (0u32..)
            .zip(rows)
            .flat_map(move |(number, row)| bits(row).map(move |x| [x, number % count_y, number / count_y]))
    }

    /// Returns the least and the greatest corner of the cells of the set; `None` for the empty set.
    pub fn occupied_cells(&self) -> Option<[[u32; 3]; 2]> {
        let mut found: Option<[[u32; 3]; 2]> = None;
        let count_y = self.space.counts()[1];
        for (number, row) in (0u32..).zip(self.words.chunks_exact(self.space.row_words())) {
            let (Some(first), Some(last)) = (row.iter().position(|&w| w != 0), row.iter().rposition(|&w| w != 0))
            else {
                continue;
            };
            let x = [first as u32 * 64 + row[first].trailing_zeros(), last as u32 * 64 + row[last].ilog2()];
            let cells = x.map(|x| [x, number % count_y, number / count_y]);
            let [min, max] = found.unwrap_or([cells[0], [0; 3]]);
            found = Some([
                std::array::from_fn(|k| min[k].min(cells[0][k])),
                std::array::from_fn(|k| max[k].max(cells[1][k] + 1)),
            ]);
        }
        found
    }

    /// Returns the cells of the box that are not in the set.
    #[must_use]
    pub fn complement(&self) -> Self {
        let mut words: Vec<u64> = self.words.iter().map(|word| !word).collect();
        let used = self.space.counts()[0] % 64;
        if used > 0 {
            let last = self.space.row_words() - 1;
            words.iter_mut().skip(last).step_by(last + 1).for_each(|word| *word &= (1 << used) - 1);
        }
        Self { space: self.space, words }
    }

    /// Computes the union.
    ///
    /// ```
    /// use heurt_solid::{BitGrid, VoxelSpace};
    /// let space = VoxelSpace::new([0.0; 3].into(), 1.0, [8; 3])?;
    /// let left = BitGrid::from_cells(space, |[x, _, _]| x < 5)?;
    /// let low = BitGrid::from_cells(space, |[_, _, z]| z < 2)?;
    /// assert_eq!(left.union(&low)?.count() + left.intersection(&low)?.count(), left.count() + low.count());
    /// # Ok::<(), heurt_solid::VoxelError>(())
    /// ```
    ///
    /// # Errors
    /// The boxes differ.
    pub fn union(&self, b: &Self) -> Result<Self, VoxelError> {
        self.combine(b, |a, b| a | b)
    }

    /// Computes the intersection.
    ///
    /// # Errors
    /// The boxes differ.
    pub fn intersection(&self, b: &Self) -> Result<Self, VoxelError> {
        self.combine(b, |a, b| a & b)
    }

    /// Computes the difference: the cells of this set that are not in `b`.
    ///
    /// # Errors
    /// The boxes differ.
    pub fn difference(&self, b: &Self) -> Result<Self, VoxelError> {
        self.combine(b, |a, b| a & !b)
    }

    /// Computes the symmetric difference: the cells of exactly one set.
    ///
    /// # Errors
    /// The boxes differ.
    pub fn xor(&self, b: &Self) -> Result<Self, VoxelError> {
        self.combine(b, |a, b| a ^ b)
    }

    #[inline(always)]
    fn combine(&self, b: &Self, operation: impl Fn(u64, u64) -> u64) -> Result<Self, VoxelError> {
        if self.space != b.space {
            return Err(VoxelError::SpacesDiffer { a: self.space, b: b.space });
        }
        let words = self.words.iter().zip(&b.words).map(|(&a, &b)| operation(a, b)).collect();
        Ok(Self { space: self.space, words })
    }
}

/// Returns the numbers of the bits that are set, ascending.
pub(super) fn bits(row: &[u64]) -> impl Iterator<Item = u32> + '_ {
    (0u32..).zip(row).flat_map(|(number, &word)| word_bits(word).map(move |bit| 64 * number + bit))
}

/// Returns the numbers of the bits of a word that are set, ascending.
#[inline(always)]
pub(super) fn word_bits(word: u64) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(word), |&rest| Some(rest & rest.wrapping_sub(1)))
        .take_while(|&rest| rest != 0)
        .map(u64::trailing_zeros)
}

/// Sets the bits `start` to `end`, without `end`, of a row.
#[inline(always)]
pub(super) fn fill_bits(row: &mut [u64], start: usize, end: usize) {
    if start >= end {
        return;
    }
    let (first, last) = (start / 64, (end - 1) / 64);
    let (low, high) = (u64::MAX << (start % 64), u64::MAX >> (63 - (end - 1) % 64));
    if first == last {
        row[first] |= low & high;
        return;
    }
    row[first] |= low;
    row[first + 1..last].fill(u64::MAX);
    row[last] |= high;
}
