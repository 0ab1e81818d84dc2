//! The hash table of cells.
//!
//! In: points. Out: the points whose cell has the slot of a given cell: those of the cell, and by chance others.
//! Method: three large primes, exclusive or, remainder (Teschner et al. 2003). Lists in index form; a slot whose stamp is
//! older than the last filling is empty.
//! Guarantees: the cell of a point is a monotone function of each coordinate, so that a point in a box has a cell in the
//! box's range. Coordinates beyond ±2⁶² cells are clamped there.

use super::TetHashError;
use heurt_geometry::{Aabb, Vec3};

/// The most slots: 8 bytes each, 512 MiB.
pub(super) const MAX_SLOTS: usize = 1 << 26;

const PRIMES: [u32; 3] = [73_856_093, 19_349_663, 83_492_791];

/// Cells beyond are taken for the last ones: a power of two that leaves room for counting.
const LAST_CELL: f64 = (1u64 << 62) as f64;

/// The end of a list.
const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    stamp: u32,
    head: u32,
}

/// Slots and the lists that hang from them.
#[derive(Debug, Clone)]
pub(super) struct Table {
    inverse: f64,
    slots: Vec<Slot>,
    /// The point after each point in its list.
    next: Vec<u32>,
    stamp: u32,
}

impl Table {
    pub fn new(cell_size: f64, table_size: usize) -> Result<Self, TetHashError> {
        let inverse = 1.0 / cell_size;
        if !(cell_size.is_finite() && cell_size > 0.0 && inverse.is_finite()) {
            return Err(TetHashError::BadCellSize { cell_size });
        }
        if !(1..=MAX_SLOTS).contains(&table_size) {
            return Err(TetHashError::BadTableSize { table_size, max: MAX_SLOTS });
        }
        Ok(Self { inverse, slots: vec![Slot::default(); table_size], next: Vec::new(), stamp: 0 })
    }

    /// Forgets what was there and takes `points`.
    pub fn fill(&mut self, points: &[Vec3]) {
        if self.stamp == u32::MAX {
            self.slots.iter_mut().for_each(|slot| slot.stamp = 0);
            self.stamp = 0;
        }
        self.stamp += 1;
        self.next.clear();
        for (index, &point) in points.iter().enumerate() {
            let slot = self.slot(self.cell(point));
            let slot = &mut self.slots[slot];
            self.next.push(if slot.stamp == self.stamp { slot.head } else { NONE });
            *slot = Slot { stamp: self.stamp, head: index as u32 };
        }
    }

    /// The cell of a point.
    #[inline(always)]
    pub fn cell(&self, point: Vec3) -> [i64; 3] {
        // Rounded down by hand: `floor` is a call where the processor's own may not be used.
        let cell = |x: f64| {
            let scaled = (x * self.inverse).clamp(-LAST_CELL, LAST_CELL);
            let towards_zero = scaled as i64;
            towards_zero - i64::from(towards_zero as f64 > scaled)
        };
        [cell(point.x), cell(point.y), cell(point.z)]
    }

    /// The cells of a box.
    #[inline(always)]
    pub fn range(&self, bounds: &Aabb) -> CellRange {
        CellRange { low: self.cell(bounds.min), high: self.cell(bounds.max) }
    }

    #[inline(always)]
    fn slot(&self, cell: [i64; 3]) -> usize {
        let part = |axis: usize| (cell[axis] as u32).wrapping_mul(PRIMES[axis]);
        ((part(0) ^ part(1) ^ part(2)) % self.slots.len() as u32) as usize
    }

    /// The points in the slot of a cell.
    #[inline(always)]
    pub fn list(&self, cell: [i64; 3]) -> impl Iterator<Item = u32> {
        let slot = self.slots[self.slot(cell)];
        let first = if slot.stamp == self.stamp { slot.head } else { NONE };
        let some = |entry: u32| (entry != NONE).then_some(entry);
        std::iter::successors(some(first), move |&entry| some(self.next[entry as usize]))
    }
}

/// A range of cells, both ends included.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellRange {
    low: [i64; 3],
    high: [i64; 3],
}

impl CellRange {
    /// How many cells, or as many as can be counted.
    #[inline(always)]
    pub fn count(&self) -> u64 {
        let side = |axis: usize| self.high[axis].abs_diff(self.low[axis]).saturating_add(1);
        side(0).saturating_mul(side(1)).saturating_mul(side(2))
    }

    /// Tells whether there is one cell only.
    #[inline(always)]
    pub fn is_one(&self) -> bool {
        self.low == self.high
    }

    /// Visits every cell.
    #[inline(always)]
    pub fn for_each(&self, mut visit: impl FnMut([i64; 3])) {
        for z in self.low[2]..=self.high[2] {
            for y in self.low[1]..=self.high[1] {
                for x in self.low[0]..=self.high[0] {
                    visit([x, y, z]);
                }
            }
        }
    }
}
