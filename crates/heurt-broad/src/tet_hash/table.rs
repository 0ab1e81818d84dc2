//! Hash table of grid cells.
//!
//! In: points. Out: the points whose cell has the slot of a given cell: the points of the cell, and possibly others.
//! Method: three large primes, exclusive or, remainder (Teschner et al. 2003). A slot whose stamp is older than the
//! last filling is empty. Points are sorted by slot, by counting, so the points of a slot are contiguous; only slots in
//! use are touched.
//! Guarantees: the cell of a point is a monotone function of each coordinate, so that a point in a box has a cell in
//! the box's range. Coordinates beyond ±2⁶² cells are clamped there.

use super::TetHashError;
use heurt_geometry::{Aabb, Vec3};

/// Maximum number of slots: 12 bytes each, 768 MiB.
pub(super) const MAX_SLOTS: usize = 1 << 26;

const PRIMES: [u32; 3] = [73_856_093, 19_349_663, 83_492_791];

/// Coordinates of cells are clamped to this power of two, which leaves room for counting.
const LAST_CELL: f64 = (1u64 << 62) as f64;

/// Start and end of the points of a slot, with the stamp of the filling.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    stamp: u32,
    begin: u32,
    end: u32,
}

/// A point and its number, side by side: 32 bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TableEntry {
    pub at: Vec3,
    pub point: u32,
}

/// Slots and the points in them.
#[derive(Debug, Clone)]
pub(super) struct Table {
    inverse: f64,
    slots: Vec<Slot>,
    /// Points, slot by slot.
    entries: Vec<TableEntry>,
    /// The slot of each point.
    slot_of: Vec<u32>,
    /// Slots in use, as they came.
    used: Vec<u32>,
    stamp: u32,
}

impl Table {
    const EMPTY: Self =
        Self { inverse: 0.0, slots: Vec::new(), entries: Vec::new(), slot_of: Vec::new(), used: Vec::new(), stamp: 0 };

    pub fn new(cell_size: f64, table_size: usize) -> Result<Self, TetHashError> {
        let inverse = 1.0 / cell_size;
        if !(cell_size.is_finite() && cell_size > 0.0 && inverse.is_finite()) {
            return Err(TetHashError::BadCellSize { cell_size });
        }
        if !(1..=MAX_SLOTS).contains(&table_size) {
            return Err(TetHashError::BadTableSize { table_size, max: MAX_SLOTS });
        }
        Ok(Self { inverse, slots: vec![Slot::default(); table_size], ..Self::EMPTY })
    }

    /// Returns the edge of a cell, in metres, up to rounding.
    pub fn cell_size(&self) -> f64 {
        1.0 / self.inverse
    }

    /// Replaces the contents by `points`, fewer than 2³².
    pub fn fill(&mut self, points: &[Vec3]) {
        if self.stamp == u32::MAX {
            self.slots.iter_mut().for_each(|slot| slot.stamp = 0);
            self.stamp = 0;
        }
        self.stamp += 1;
        self.slot_of.clear();
        self.used.clear();
        for &point in points {
            let index = self.slot(self.cell(point));
            let slot = &mut self.slots[index];
            if slot.stamp != self.stamp {
                *slot = Slot { stamp: self.stamp, begin: 0, end: 0 };
                self.used.push(index as u32);
            }
            slot.end += 1;
            self.slot_of.push(index as u32);
        }
        let mut begin = 0;
        for &index in &self.used {
            let slot = &mut self.slots[index as usize];
            let count = slot.end;
            (slot.begin, slot.end) = (begin, begin);
            begin += count;
        }
        self.entries.resize(points.len(), TableEntry::default());
        for (point, (&at, &index)) in points.iter().zip(&self.slot_of).enumerate() {
            let slot = &mut self.slots[index as usize];
            self.entries[slot.end as usize] = TableEntry { at, point: point as u32 };
            slot.end += 1;
        }
    }

    /// Returns the cell of a point.
    #[inline(always)]
    pub fn cell(&self, point: Vec3) -> [i64; 3] {
        // Rounded down explicitly: `floor` is a function call if the instruction may not be used.
        let cell = |x: f64| {
            let scaled = (x * self.inverse).clamp(-LAST_CELL, LAST_CELL);
            let towards_zero = scaled as i64;
            towards_zero - i64::from(towards_zero as f64 > scaled)
        };
        [cell(point.x), cell(point.y), cell(point.z)]
    }

    /// Returns the cells of a box.
    #[inline(always)]
    pub fn range(&self, bounds: &Aabb) -> CellRange {
        CellRange { low: self.cell(bounds.min), high: self.cell(bounds.max) }
    }

    #[inline(always)]
    fn slot(&self, cell: [i64; 3]) -> usize {
        let part = |axis: usize| (cell[axis] as u32).wrapping_mul(PRIMES[axis]);
        ((part(0) ^ part(1) ^ part(2)) % self.slots.len() as u32) as usize
    }

    /// Returns the points in the slot of a cell.
    #[inline(always)]
    pub fn list(&self, cell: [i64; 3]) -> &[TableEntry] {
        let slot = self.slots[self.slot(cell)];
        if slot.stamp == self.stamp { &self.entries[slot.begin as usize..slot.end as usize] } else { &[] }
    }

    /// Returns all points.
    pub fn entries(&self) -> &[TableEntry] {
        &self.entries
    }
}

/// A range of cells, both ends included.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellRange {
    low: [i64; 3],
    high: [i64; 3],
}

impl CellRange {
    /// Returns the number of cells, saturated.
    #[inline(always)]
    pub fn count(&self) -> u64 {
        let side = |axis: usize| self.high[axis].abs_diff(self.low[axis]).saturating_add(1);
        side(0).saturating_mul(side(1)).saturating_mul(side(2))
    }

    /// Reports whether there is exactly one cell.
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
