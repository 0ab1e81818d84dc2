//! Sparse set of cells of a box: bricks of 8³ cells in ascending order.
//!
//! In: a grid or cells. Out: the bricks that differ from the background; set operations.
//! Method: a brick has eight words of 8 × 8 cells, bit x + 8·y of word z. Its key has the coordinates of the brick, 18
//! bits per axis. Bricks that hold only the background are left out; the background is empty, or full for a complement.
//! A set operation merges the two sorted lists.
//! Guarantees: no brick equals the background, and bits beyond the box are those of the background. So two lists over
//! one background are equal if the sets are equal; `==` compares lists and backgrounds.
//! Cost: 72 bytes per brick, in proportion to the set or to its complement; a set operation is linear in the bricks.

use super::{BitGrid, VoxelError, VoxelSpace};

/// Cells along the edge of a brick.
pub(super) const EDGE: u32 = 8;

/// The words of a brick.
pub(super) type Brick = [u64; 8];

/// A sparse set of cells of a box of up to 2²¹ cells along each axis.
#[derive(Debug, Clone, PartialEq)]
pub struct BrickSet {
    space: VoxelSpace,
    /// All cells that no brick holds belong to the set.
    is_background_full: bool,
    /// Ascending by key.
    bricks: Vec<(u64, Brick)>,
}

impl BrickSet {
    /// Returns the set without a cell.
    pub fn empty(space: VoxelSpace) -> Self {
        Self { space, is_background_full: false, bricks: Vec::new() }
    }

    /// Builds the set of the listed cells, in any order; cells outside the box are left out.
    ///
    /// ```
    /// use heurt_solid::{BrickSet, VoxelSpace};
    /// // A dense grid of this box would take 2⁶³ bits.
    /// let space = VoxelSpace::new([0.0; 3].into(), 1e-3, [1 << 21; 3])?;
    /// let ends = BrickSet::from_cells(space, [[0; 3], [(1 << 21) - 1; 3]]);
    /// assert_eq!((ends.count(), ends.brick_count()), (2, 2));
    /// assert_eq!(ends.complement().complement(), ends);
    /// # Ok::<(), heurt_solid::VoxelError>(())
    /// ```
    pub fn from_cells(space: VoxelSpace, cells: impl IntoIterator<Item = [u32; 3]>) -> Self {
        let within = cells.into_iter().filter(|&cell| space.has(cell));
        let mut places: Vec<(u64, u32)> = within.map(|cell| (key_of(cell), bit_of(cell))).collect();
        places.sort_unstable();
        let bricks = places.chunk_by(|a, b| a.0 == b.0).map(|of_brick| {
            let mut brick = [0; 8];
            of_brick.iter().for_each(|&(_, bit)| brick[bit as usize / 64] |= 1 << (bit % 64));
            (of_brick[0].0, brick)
        });
        Self { space, is_background_full: false, bricks: bricks.collect() }
    }

    /// Converts a dense grid.
    pub fn of_grid(grid: &BitGrid) -> Self {
        let space = grid.space();
        let mut bricks = Vec::new();
        for brick in brick_cells(space) {
            let words = std::array::from_fn(|z| {
                (0..EDGE).fold(0, |word, y| {
                    let row = grid.row(brick[1] * EDGE + y, brick[2] * EDGE + z as u32);
                    let byte = row.get(brick[0] as usize / 8).map_or(0, |word| word >> (brick[0] % 8 * 8) & 0xff);
                    word | byte << (8 * y)
                })
            });
            if words != [0; 8] {
                bricks.push((key_of(brick.map(|at| at * EDGE)), words));
            }
        }
        Self { space, is_background_full: false, bricks }
    }

    /// Converts the set to a dense grid.
    ///
    /// # Errors
    /// The grid has too many cells.
    pub fn to_grid(&self) -> Result<BitGrid, VoxelError> {
        let mut grid = BitGrid::empty(self.space)?;
        if self.is_background_full {
            return Ok(self.complement().to_grid()?.complement());
        }
        let row_words = self.space.row_words();
        for &(key, brick) in &self.bricks {
            let min = cell_of(key);
            let [_, count_y, count_z] = self.space.counts();
            for z in 0..EDGE.min(count_z - min[2]) {
                for y in 0..EDGE.min(count_y - min[1]) {
                    let byte = brick[z as usize] >> (8 * y) & 0xff;
                    let row = ((min[1] + y) as usize + count_y as usize * (min[2] + z) as usize) * row_words;
                    grid.words[row + min[0] as usize / 64] |= byte << (min[0] % 64);
                }
            }
        }
        Ok(grid)
    }

    /// Returns the box.
    pub fn space(&self) -> VoxelSpace {
        self.space
    }

    /// Returns the number of bricks in memory.
    pub fn brick_count(&self) -> usize {
        self.bricks.len()
    }

    /// Reports whether a cell is in the set, by binary search; cells outside the box are not.
    pub fn contains(&self, cell: [u32; 3]) -> bool {
        let bit = bit_of(cell);
        self.space.has(cell)
            && match self.bricks.binary_search_by_key(&key_of(cell), |brick| brick.0) {
                Ok(found) => self.bricks[found].1[bit as usize / 64] >> (bit % 64) & 1 == 1,
                Err(_) => self.is_background_full,
            }
    }

    /// Returns the number of cells.
    pub fn count(&self) -> u64 {
        let background = self.background();
        let ones = |brick: Brick| brick.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        let differ = self.bricks.iter().map(|&(_, brick)| ones(std::array::from_fn(|z| brick[z] ^ background))).sum();
        if self.is_background_full { self.space.cell_count() - differ } else { differ }
    }

    /// Returns the complement within the box, without new bricks.
    #[must_use]
    pub fn complement(&self) -> Self {
        let bricks = self.bricks.iter().map(|&(key, brick)| (key, brick.map(|word| !word))).collect();
        Self { space: self.space, is_background_full: !self.is_background_full, bricks }
    }

    /// Computes the union.
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

    pub(super) fn bricks(&self) -> &[(u64, Brick)] {
        &self.bricks
    }

    pub(super) fn is_background_full(&self) -> bool {
        self.is_background_full
    }

    /// Makes a set of bricks with different keys, in any order, none of which is empty.
    pub(super) fn from_bricks(space: VoxelSpace, mut bricks: Vec<(u64, Brick)>) -> Self {
        bricks.sort_unstable_by_key(|brick| brick.0);
        Self { space, is_background_full: false, bricks }
    }

    fn background(&self) -> u64 {
        if self.is_background_full { u64::MAX } else { 0 }
    }

    fn combine(&self, other: &Self, operation: impl Fn(u64, u64) -> u64) -> Result<Self, VoxelError> {
        if self.space != other.space {
            return Err(VoxelError::SpacesDiffer { a: self.space, b: other.space });
        }
        let defaults = [self.background(), other.background()];
        let background = operation(defaults[0], defaults[1]);
        let (mut a, mut b) = (self.bricks.as_slice(), other.bricks.as_slice());
        let mut bricks = Vec::new();
        while let Some(key) = [a.first(), b.first()].into_iter().flatten().map(|brick| brick.0).min() {
            let take = |list: &mut &[(u64, Brick)], default: u64| match **list {
                [(first, brick), ref rest @ ..] if first == key => {
                    *list = rest;
                    brick
                }
                _ => [default; 8],
            };
            let (x, y) = (take(&mut a, defaults[0]), take(&mut b, defaults[1]));
            let brick: Brick = std::array::from_fn(|z| operation(x[z], y[z]));
            if brick != [background; 8] {
                bricks.push((key, brick));
            }
        }
        Ok(Self { space: self.space, is_background_full: background != 0, bricks })
    }
}

/// Returns the coordinates of all bricks of a box, ascending by key.
fn brick_cells(space: VoxelSpace) -> impl Iterator<Item = [u32; 3]> {
    let [x, y, z] = space.counts().map(|count| count.div_ceil(EDGE));
    (0..z).flat_map(move |z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])))
}

/// Returns the key of the brick of a cell: ascending in x, then y, then z.
pub(super) fn key_of(cell: [u32; 3]) -> u64 {
    let [x, y, z] = cell.map(|at| u64::from(at / EDGE));
    x | y << 18 | z << 36
}

/// Returns the least cell of a brick.
pub(super) fn cell_of(key: u64) -> [u32; 3] {
    [key, key >> 18, key >> 36].map(|at| (at & 0x3_ffff) as u32 * EDGE)
}

/// Returns the bit of a cell in its brick.
pub(super) fn bit_of(cell: [u32; 3]) -> u32 {
    let [x, y, z] = cell.map(|at| at % EDGE);
    x + 8 * y + 64 * z
}
