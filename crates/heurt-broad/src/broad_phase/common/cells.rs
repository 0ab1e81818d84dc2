//! Boxes sorted by cell, and the choice of the cell size from the sizes of the boxes: shared by grid and hash.
//!
//! In: objects. Out: items in cells. Method: a box lies in the cell of its least corner only. Cells are larger than
//! boxes, so overlapping boxes lie in the same or neighbouring cells. The cell is larger than the boxes by [`ROOM`],
//! which covers the rounding of cell numbers up to 2^18.

use super::lanes::{Frame, is_near, overlap32, surely_overlap};
use super::proxies::{Proxies, ProxyRecord};
use crate::broad_phase::common::box_list::FlatBoxes;
use crate::broad_phase::{Pair, ProxyId};
use heurt_bvh::Aabb32;
use heurt_bvh::simd::LanesFor;

/// Maximum size of a box, as a fraction of its cell.
pub(crate) const ROOM: f32 = 0.9;

/// A box that lies in a cell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    pub bounds: Aabb32,
    pub id: ProxyId,
    pub cell: u32,
}

/// Pair test of items: `f32` decides nearly always, so the records of objects are rarely read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CellJudge<'a> {
    records: &'a [ProxyRecord],
    all_meet: bool,
}

impl<'a> CellJudge<'a> {
    pub fn new(proxies: &'a Proxies) -> Self {
        Self { records: proxies.records(), all_meet: proxies.all_meet() }
    }

    /// Reports whether two items pair.
    #[inline(always)]
    pub fn items(&self, a: &Item, b: &Item) -> bool {
        overlap32(&a.bounds, &b.bounds)
            && (self.all_meet & surely_overlap(&a.bounds, &b.bounds) || self.ids(a.id, b.id))
    }

    /// Reports whether two objects pair.
    #[inline(always)]
    pub fn ids(&self, a: ProxyId, b: ProxyId) -> bool {
        self.records[a as usize].pairs_with(&self.records[b as usize])
    }
}

/// Returns the longest edge.
#[inline(always)]
pub(crate) fn extent(bounds: &Aabb32) -> f32 {
    let edge = |k: usize| bounds.max[k] - bounds.min[k];
    let (x, y, z) = (edge(0), edge(1), edge(2));
    let xy = if x > y { x } else { y };
    if xy > z { xy } else { z }
}

/// Collects all boxes as items without a cell; reports vast or distant boxes to `far`. Returns the box of the least
/// corners.
pub(crate) fn collect(
    proxies: &Proxies,
    frame: &Frame,
    items: &mut Vec<Item>,
    mut far: impl FnMut(ProxyId, &Aabb32),
) -> Aabb32 {
    items.clear();
    let mut corners = Aabb32::EMPTY;
    for id in proxies.ids() {
        let bounds = frame.local(&proxies.record(id).bounds);
        if is_near(&bounds) {
            corners = corners.merged(&Aabb32 { min: bounds.min, max: bounds.min });
            items.push(Item { bounds, id, cell: 0 });
        } else {
            far(id, &bounds);
        }
    }
    corners
}

/// Sorts items by cell, of `count` cells, into `sorted`; `starts` then holds the start of each cell, and the end.
pub(crate) fn sort_by_cell(items: &[Item], count: usize, starts: &mut Vec<u32>, sorted: &mut Vec<Item>) {
    starts.clear();
    starts.resize(count + 2, 0);
    // Shifted by two, so that counts become starts in place.
    for item in items {
        starts[item.cell as usize + 2] += 1;
    }
    for cell in 2..starts.len() {
        starts[cell] += starts[cell - 1];
    }
    sorted.clear();
    sorted.extend_from_slice(items);
    for item in items {
        let place = &mut starts[item.cell as usize + 1];
        sorted[*place as usize] = *item;
        *place += 1;
    }
    starts.pop();
}

/// Compares all items with a list of large boxes, and these with each other; returns the number of tests.
#[inline(always)]
pub(crate) fn against_large<I: LanesFor<8>>(
    isa: I,
    items: &[Item],
    large: &FlatBoxes,
    judge: CellJudge<'_>,
    found: &mut Vec<Pair>,
) -> u64 {
    let mut tests = 0;
    let all = if large.len() > 0 { items.len() + large.len() } else { 0 };
    // A loop, not adapters: called functions are not compiled for the instruction set.
    for at in 0..all {
        let (id, bounds, from) = match at.checked_sub(items.len()) {
            None => (items[at].id, items[at].bounds, 0),
            Some(place) => (large.ids()[place], large.get(place), place + 1),
        };
        tests += large.overlapping(isa, from, &bounds, |other| {
            if judge.ids(id, other) {
                found.push(Pair::new(id, other));
            }
        });
    }
    tests
}
