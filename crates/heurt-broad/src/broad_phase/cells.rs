//! What grid and hash share: boxes sorted by cell, and the choice of the cell from the sizes there are.
//!
//! In: objects. Out: items in cells. Method: a box lies in the cell of its least corner only, and cells are larger than
//! boxes, so that boxes that overlap lie in the same or neighbouring cells. The cell is made larger than the boxes by
//! [`ROOM`], which swallows the rounding of cell numbers up to 2^18.

use super::ProxyId;
use super::lanes::{Frame, is_near};
use super::proxies::Proxies;
use heurt_bvh::Aabb32;

/// Boxes are at most this part of their cell.
pub(super) const ROOM: f32 = 0.9;

/// A box that lies in a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub bounds: Aabb32,
    pub id: ProxyId,
    pub cell: u32,
}

/// The longest edge.
#[inline(always)]
pub(super) fn extent(bounds: &Aabb32) -> f32 {
    let edge = |k: usize| bounds.max[k] - bounds.min[k];
    let (x, y, z) = (edge(0), edge(1), edge(2));
    let xy = if x > y { x } else { y };
    if xy > z { xy } else { z }
}

/// All boxes as items without a cell; who is vast or far is told to `far`. Gives the box of the least corners.
pub(super) fn collect(
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

/// Sorts items by cell, of which there are `count`, into `sorted`; `starts` then holds where each cell begins, and the end.
pub(super) fn sort_by_cell(items: &[Item], count: usize, starts: &mut Vec<u32>, sorted: &mut Vec<Item>) {
    starts.clear();
    starts.resize(count + 2, 0);
    // Shifted by two, so that what starts as counts ends as starts.
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
