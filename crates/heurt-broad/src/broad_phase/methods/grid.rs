//! Uniform-grid broad phase over a bounded block of cells: the fastest full pass over boxes of similar size.
//!
//! In: objects. Out: their pairs. Method: the block holds the least corners of all boxes. The cell size minimises an
//! estimated cost from a histogram of sizes. Boxes are sorted by cell, x fastest, so the cells to compare with are five
//! runs of consecutive memory. Boxes larger than a cell are in a list that is compared with all boxes.
//! Cost: O(n + pairs) for similar sizes at even density; n·(large ones) for mixed sizes; n² if all boxes cluster in one
//! region of a vast block. Memory: at most four cells an object.

use crate::broad_phase::common::box_list::FlatBoxes;
use crate::broad_phase::common::cells::{CellJudge, Item, ROOM, against_large, collect, extent, sort_by_cell};
use crate::broad_phase::common::drawing::{draw_bounds, draw_list};
use crate::broad_phase::common::engine::Method;
use crate::broad_phase::common::lanes::{Frame, overlap32};
use crate::broad_phase::common::pair_list::PairBook;
use crate::broad_phase::common::proxies::Proxies;
use crate::broad_phase::{BroadPhaseKind, Fault, Pair, ProxyId, StepWork};
use heurt_bvh::Aabb32;
use heurt_bvh::simd::{Kernel, LanesFor, WideIsa, dispatch};
use heurt_geometry::{Aabb, DrawSink};
use std::array::from_fn;

/// Maximum number of cells an object.
const CELLS: usize = 4;
/// Maximum number of cells along an axis.
const MAX_ALONG: u32 = 1 << 16;
/// Number of bins of the histogram: the eight bits of the exponent and two more.
const BINS: usize = 1 << 10;
/// Cost of testing eight large boxes, relative to testing a neighbour.
const LARGE_COST: f64 = 0.3;

/// The block of cells.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    frame: Frame,
    block: Block,
    items: Vec<Item>,
    sorted: Vec<Item>,
    starts: Vec<u32>,
    large: FlatBoxes,
}

/// Layout of the cells.
#[derive(Debug, Default, Clone, Copy)]
struct Block {
    corner: [f32; 3],
    cell: f32,
    counts: [u32; 3],
}

impl Block {
    #[inline(always)]
    fn along(&self, k: usize, x: f32) -> u32 {
        // Below the corner, and NaN, give 0.
        (((x - self.corner[k]) / self.cell) as u32).min(self.counts[k].saturating_sub(1))
    }

    #[inline(always)]
    fn cell_of(&self, corner: &[f32; 3]) -> u32 {
        let at = [0, 1, 2].map(|k| self.along(k, corner[k]));
        (at[2] * self.counts[1] + at[1]) * self.counts[0] + at[0]
    }

    fn cells(&self) -> usize {
        self.counts.iter().map(|&count| count as usize).product()
    }

    /// Creates the block over least corners with the smallest cells, at least `cell` large, of which `most` suffice.
    fn new(corners: &Aabb32, cell: f32, most: usize) -> Self {
        let mut block = Self { corner: corners.min, cell: cell.max(f32::MIN_POSITIVE), counts: [1; 3] };
        // 2^(1/3) an iteration: from the least number to the greatest is less than 800 iterations.
        for _ in 0..800 {
            let along: [f32; 3] = from_fn(|k| (corners.max[k] - corners.min[k]) / block.cell);
            let cells: f64 = along.iter().map(|&x| f64::from(x) + 1.0).product();
            if cells <= most as f64 && along.iter().all(|&x| x < MAX_ALONG as f32) {
                block.counts = along.map(|x| x as u32 + 1);
                break;
            }
            block.cell *= 1.26;
        }
        block
    }
}

impl Grid {
    /// Returns the cell size with the least estimated cost for the given sizes.
    fn choose_cell(&self, corners: &Aabb32) -> f32 {
        let mut bins = [0u32; BINS];
        for item in &self.items {
            bins[(extent(&item.bounds).to_bits() >> 21) as usize % BINS] += 1;
        }
        let n = self.items.len() as f64;
        let span = (0..3).map(|k| f64::from(corners.max[k] - corners.min[k])).fold(0.0, f64::max);
        // A flat scene counts as one cell thick.
        let density = |cell: f64| {
            let room: f64 = (0..3).map(|k| f64::from(corners.max[k] - corners.min[k]).max(cell)).product();
            14.0 * (cell * cell * cell / room).min(1.0)
        };
        let (mut best, mut small) = ((f64::INFINITY, span.max(1e-30)), 0.0);
        for (bin, &count) in bins.iter().enumerate().filter(|(_, count)| **count > 0) {
            small += f64::from(count);
            let cell = f64::from(f32::from_bits((bin as u32 + 1) << 21) / ROOM);
            // Cells much fewer than objects cost nothing more; without this limit points would make cells vanish.
            let cell = cell.max(span * 0.25 / n.cbrt()).max(1e-30);
            let cost = (n - small) * n / 8.0 * LARGE_COST + small * small * density(cell);
            if cost < best.0 {
                best = (cost, cell);
            }
        }
        best.1 as f32
    }

    fn fill(&mut self, proxies: &Proxies) {
        self.frame = Frame::amid(proxies.ids().map(|id| &proxies.record(id).bounds));
        let mut large = std::mem::take(&mut self.large);
        large.clear();
        let corners = collect(proxies, &self.frame, &mut self.items, |id, bounds| {
            large.push(id, bounds);
        });
        if self.items.is_empty() {
            self.block = Block::default();
        } else {
            self.block = Block::new(&corners, self.choose_cell(&corners), CELLS * self.items.len() + 64);
        }
        let (block, most) = (self.block, self.block.cell * ROOM);
        self.items.retain_mut(|item| {
            item.cell = block.cell_of(&item.bounds.min);
            let fits = extent(&item.bounds) <= most;
            if !fits {
                large.push(item.id, &item.bounds);
            }
            fits
        });
        self.large = large;
        sort_by_cell(&self.items, block.cells(), &mut self.starts, &mut self.sorted);
    }
}

impl Method for Grid {
    const KIND: Option<BroadPhaseKind> = Some(BroadPhaseKind::Grid);

    fn step(&mut self, proxies: &mut Proxies, book: &mut PairBook, work: &mut StepWork) {
        self.fill(proxies);
        work.rebuilds = 1;
        work.nodes = self.block.cells() as u64;
        work.box_tests =
            dispatch::<8, _>(GridPass { grid: self, judge: CellJudge::new(proxies), found: &mut book.found });
        book.replace(proxies.end());
    }

    fn near_box(&self, _proxies: &Proxies, region: &Aabb, visit: &mut dyn FnMut(ProxyId)) {
        let region = self.frame.local(region);
        let large = (0..self.large.len()).filter(|&at| overlap32(&self.large.get(at), &region));
        large.for_each(|at| visit(self.large.ids()[at]));
        if self.sorted.is_empty() {
            return;
        }
        let from: [u32; 3] = from_fn(|k| self.block.along(k, region.min[k]).saturating_sub(1));
        let to: [u32; 3] = from_fn(|k| self.block.along(k, region.max[k]));
        let [nx, ny, _] = self.block.counts;
        for z in from[2]..=to[2] {
            for y in from[1]..=to[1] {
                let row = (z * ny + y) * nx;
                let run =
                    self.starts[(row + from[0]) as usize] as usize..self.starts[(row + to[0]) as usize + 1] as usize;
                self.sorted[run].iter().filter(|item| overlap32(&item.bounds, &region)).for_each(|item| visit(item.id));
            }
        }
    }

    fn draw(&self, _proxies: &Proxies, sink: &mut dyn DrawSink) {
        let Block { corner, cell, counts: [nx, ny, _] } = self.block;
        for items in self.sorted.chunk_by(|a, b| a.cell == b.cell) {
            let (x, row) = (items[0].cell % nx, items[0].cell / nx);
            let at = [x, row % ny, row / ny];
            let min: [f32; 3] = from_fn(|k| corner[k] + at[k] as f32 * cell);
            draw_bounds(sink, &self.frame.world(&Aabb32 { min, max: min.map(|x| x + cell) }));
        }
        draw_list(sink, &self.frame, &self.large);
    }

    fn faults(&self, proxies: &Proxies, faults: &mut Vec<Fault>) {
        for item in &self.sorted {
            let bounds = proxies.get(item.id).map(|record| self.frame.local(&record.bounds));
            let is_in_cell = self.block.cell_of(&item.bounds.min) == item.cell;
            if bounds != Some(item.bounds) || !is_in_cell {
                faults.push(Fault::Misplaced { id: item.id, what: "its cell is not that of its box" });
            }
        }
        if self.sorted.len() + self.large.len() != proxies.len() {
            faults.push(Fault::Structure { at: 0, what: "the cells hold more or fewer objects than there are" });
        }
    }

    fn bytes(&self) -> usize {
        let items = (self.items.capacity() + self.sorted.capacity()) * size_of::<Item>();
        items + self.starts.capacity() * 4 + self.large.bytes()
    }
}

struct GridPass<'a> {
    grid: &'a Grid,
    judge: CellJudge<'a>,
    found: &'a mut Vec<Pair>,
}

impl Kernel for GridPass<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) -> u64 {
        let Self { grid, judge, found } = self;
        let (sorted, starts) = (grid.sorted.as_slice(), grid.starts.as_slice());
        let [nx, ny, nz] = grid.block.counts;
        let mut tests = 0;
        for (at, item) in sorted.iter().enumerate() {
            let mut scan = |from: usize, to: usize| {
                tests += (to - from) as u64;
                for other in &sorted[from..to] {
                    if judge.items(item, other) {
                        found.push(Pair::new(item.id, other.id));
                    }
                }
            };
            let (x, row) = (item.cell % nx, item.cell / nx);
            let (y, z) = (row % ny, row / ny);
            let (left, right) = (x.saturating_sub(1), (x + 1).min(nx - 1));
            scan(at + 1, starts[(row * nx + right) as usize + 1] as usize);
            let mut scan_row = |row: u32| {
                let first = (row * nx) as usize;
                scan(starts[first + left as usize] as usize, starts[first + right as usize + 1] as usize);
            };
            if y + 1 < ny {
                scan_row(row + 1);
            }
            if z + 1 < nz {
                let above = row + ny;
                (above - u32::from(y > 0)..=above + u32::from(y + 1 < ny)).for_each(&mut scan_row);
            }
        }
        tests + against_large(isa, sorted, &grid.large, judge, found)
    }
}
