//! Hierarchical spatial hash: cells of many sizes in a hash table, for an unbounded space and boxes of all sizes.
//!
//! In: objects. Out: their pairs. Method: levels of cells, each twice as large as the level below. A box lies in one
//! cell of the level whose cells are just large enough. Cells are hashed into a table of twice as many slots as
//! objects, filled again at each step by counting. A box is compared with its own cell and its 13 forward neighbours.
//! On each coarser non-empty level it is compared with the cells whose boxes may reach it. Boxes beyond the coarsest
//! level are in a list.
//! Guarantees: the cell number distinguishes cells that share a slot, so no pair comes twice. Cost: O(n·levels +
//! pairs). Memory depends on the number of objects only.

use crate::broad_phase::common::box_list::FlatBoxes;
use crate::broad_phase::common::cells::{CellJudge, Item, ROOM, against_large, collect, extent, sort_by_cell};
use crate::broad_phase::common::drawing::{draw_bounds, draw_list};
use crate::broad_phase::common::engine::Method;
use crate::broad_phase::common::lanes::Frame;
use crate::broad_phase::common::pair_list::PairBook;
use crate::broad_phase::common::proxies::Proxies;
use crate::broad_phase::{BroadPhaseKind, Fault, Pair, StepWork};
use heurt_bvh::Aabb32;
use heurt_bvh::simd::{Kernel, LanesFor, WideIsa, dispatch};
use heurt_geometry::DrawSink;
use std::array::from_fn;

/// Number of levels.
const LEVELS: u32 = 24;
/// Number of cells to either side of the frame's origin; more distant boxes lie in the last cell.
const REACH: i32 = 1 << 18;

/// The table.
#[derive(Debug, Default)]
pub(crate) struct SpatialHash {
    frame: Frame,
    /// The edge of the finest cells.
    finest: f32,
    items: Vec<Item>,
    sorted: Vec<Item>,
    /// The cell numbers of sorted items.
    cells: Vec<u64>,
    starts: Vec<u32>,
    slots: u32,
    /// Number of objects on each level.
    counts: [u32; LEVELS as usize],
    large: FlatBoxes,
}

/// A cell: its level and its coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
struct HashCell {
    level: u32,
    at: [i32; 3],
}

impl HashCell {
    /// Returns a unique number for each cell: 5 bits of level, 19 an axis.
    #[inline(always)]
    fn number(self) -> u64 {
        let [x, y, z] = self.at.map(|x| (x + REACH) as u64);
        u64::from(self.level) << 57 | x << 38 | y << 19 | z
    }
}

impl SpatialHash {
    #[inline(always)]
    fn edge(&self, level: u32) -> f32 {
        self.finest * (1u32 << level) as f32
    }

    #[inline(always)]
    fn cell(&self, level: u32, corner: &[f32; 3]) -> HashCell {
        let inverse = 1.0 / self.edge(level);
        let at = [0, 1, 2].map(|k| ((corner[k] * inverse).floor() as i32).clamp(1 - REACH, REACH - 2));
        HashCell { level, at }
    }

    /// Returns the finest level with cells large enough for a box; `None` beyond the coarsest.
    #[inline(always)]
    fn level(&self, bounds: &Aabb32) -> Option<u32> {
        let parts = extent(bounds) / (self.finest * ROOM);
        let level = if parts <= 1.0 { 0 } else { ((parts.to_bits() - 1) >> 23) - 126 };
        (level < LEVELS).then_some(level)
    }

    #[inline(always)]
    fn slot(&self, number: u64) -> u32 {
        ((number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32) & (self.slots - 1)
    }

    /// Returns the edge of the finest cells, which fits a box of the common size, if there is one.
    fn choose_finest(items: &[Item], corners: &Aabb32) -> f32 {
        let n = items.len() as f64;
        let span = (0..3).map(|k| corners.max[k] - corners.min[k]).fold(0.0, f32::max);
        // The mean of logarithms follows the many boxes, not the vast ones; points have no logarithm.
        let solid = items.iter().map(|item| extent(&item.bounds)).filter(|&size| size > 0.0);
        let (count, logs) = solid.fold((0.0, 0.0), |(n, sum), size| (n + 1.0, sum + f64::from(size.to_bits() >> 21)));
        let common = if count > 0.0 { f32::from_bits(((logs / count) as u32 + 2) << 21) / ROOM } else { 0.0 };
        let spread = (f64::from(span) / n.cbrt()) as f32;
        let least = if common > 0.0 { common } else { spread };
        least.max(span / (REACH / 2) as f32).max(1e-30)
    }

    fn fill(&mut self, proxies: &Proxies) {
        self.frame = Frame::amid(proxies.ids().map(|id| &proxies.record(id).bounds));
        self.large.clear();
        let mut large = std::mem::take(&mut self.large);
        let mut items = std::mem::take(&mut self.items);
        let corners = collect(proxies, &self.frame, &mut items, |id, bounds| {
            large.push(id, bounds);
        });
        self.finest = Self::choose_finest(&items, &corners);
        self.slots = (2 * items.len().max(1)).next_power_of_two() as u32;
        self.counts = [0; LEVELS as usize];
        items.retain_mut(|item| {
            let Some(level) = self.level(&item.bounds) else {
                large.push(item.id, &item.bounds);
                return false;
            };
            self.counts[level as usize] += 1;
            item.cell = self.slot(self.cell(level, &item.bounds.min).number());
            true
        });
        sort_by_cell(&items, self.slots as usize, &mut self.starts, &mut self.sorted);
        let mut cells = std::mem::take(&mut self.cells);
        cells.clear();
        cells.extend(self.sorted.iter().map(|item| self.cell_of(item).number()));
        (self.cells, self.large, self.items) = (cells, large, items);
    }

    #[inline(always)]
    fn cell_of(&self, item: &Item) -> HashCell {
        self.cell(self.level(&item.bounds).unwrap_or(0), &item.bounds.min)
    }

    /// Visits all items in a cell, from index `from` on; returns the number of indices examined.
    #[inline(always)]
    fn look_into(&self, cell: HashCell, from: usize, mut visit: impl FnMut(&Item)) -> u64 {
        let number = cell.number();
        let slot = self.slot(number) as usize;
        let (first, last) = (self.starts[slot] as usize, self.starts[slot + 1] as usize);
        for at in first.max(from)..last {
            if self.cells[at] == number {
                visit(&self.sorted[at]);
            }
        }
        (last - first) as u64
    }

    /// Visits all items on `level` that may overlap `bounds`, which fits into a cell there.
    #[inline(always)]
    fn look_around(&self, level: u32, bounds: &Aabb32, mut visit: impl FnMut(&Item)) -> u64 {
        let (low, high) = (self.cell(level, &bounds.min).at, self.cell(level, &bounds.max).at);
        let mut looks = 0;
        for x in low[0] - 1..=high[0] {
            for y in low[1] - 1..=high[1] {
                for z in low[2] - 1..=high[2] {
                    looks += self.look_into(HashCell { level, at: [x, y, z] }, 0, &mut visit);
                }
            }
        }
        looks
    }
}

/// Offsets to the 13 neighbours that come after a cell.
const FORWARD: [[i32; 3]; 13] = [
    [0, 0, 1],
    [0, 1, -1],
    [0, 1, 0],
    [0, 1, 1],
    [1, -1, -1],
    [1, -1, 0],
    [1, -1, 1],
    [1, 0, -1],
    [1, 0, 0],
    [1, 0, 1],
    [1, 1, -1],
    [1, 1, 0],
    [1, 1, 1],
];

impl Method for SpatialHash {
    const KIND: Option<BroadPhaseKind> = Some(BroadPhaseKind::Hash);

    fn step(&mut self, proxies: &mut Proxies, book: &mut PairBook, work: &mut StepWork) {
        self.fill(proxies);
        work.rebuilds = 1;
        work.nodes = u64::from(self.slots);
        work.box_tests =
            dispatch::<8, _>(HashPass { table: self, judge: CellJudge::new(proxies), found: &mut book.found });
        book.replace(proxies.end());
    }

    fn draw(&self, _proxies: &Proxies, sink: &mut dyn DrawSink) {
        let mut cells: Vec<HashCell> = self.sorted.iter().map(|item| self.cell_of(item)).collect();
        cells.sort_unstable_by_key(|cell| cell.number());
        cells.dedup();
        for HashCell { level, at } in cells {
            let min = at.map(|x| x as f32 * self.edge(level));
            let max = at.map(|x| (x + 1) as f32 * self.edge(level));
            draw_bounds(sink, &self.frame.world(&Aabb32 { min, max }));
        }
        draw_list(sink, &self.frame, &self.large);
    }

    fn faults(&self, proxies: &Proxies, faults: &mut Vec<Fault>) {
        for (item, &number) in self.sorted.iter().zip(&self.cells) {
            let bounds = proxies.get(item.id).map(|record| self.frame.local(&record.bounds));
            if bounds != Some(item.bounds) || self.slot(number) != item.cell {
                faults.push(Fault::Misplaced { id: item.id, what: "its slot is not that of its box" });
            }
        }
        if self.sorted.len() + self.large.len() != proxies.len() {
            faults.push(Fault::Structure { at: 0, what: "the table holds more or fewer objects than there are" });
        }
    }

    fn bytes(&self) -> usize {
        let items = (self.items.capacity() + self.sorted.capacity()) * size_of::<Item>();
        items + self.starts.capacity() * 4 + self.cells.capacity() * 8 + self.large.bytes()
    }
}

struct HashPass<'a> {
    table: &'a SpatialHash,
    judge: CellJudge<'a>,
    found: &'a mut Vec<Pair>,
}

impl Kernel for HashPass<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) -> u64 {
        let Self { table, judge, found } = self;
        let mut tests = 0;
        for (at, item) in table.sorted.iter().enumerate() {
            let mut visit = |other: &Item| {
                if judge.items(item, other) {
                    found.push(Pair::new(item.id, other.id));
                }
            };
            let cell = table.cell_of(item);
            tests += table.look_into(cell, at + 1, &mut visit);
            for offset in FORWARD {
                let at = from_fn(|k| cell.at[k] + offset[k]);
                tests += table.look_into(HashCell { level: cell.level, at }, 0, &mut visit);
            }
            for level in cell.level + 1..LEVELS {
                if table.counts[level as usize] > 0 {
                    tests += table.look_around(level, &item.bounds, &mut visit);
                }
            }
        }
        tests + against_large(isa, &table.sorted, &table.large, judge, found)
    }
}
