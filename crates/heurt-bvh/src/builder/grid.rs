//! Grid-based top of a large tree: sorts primitives into a coarse grid once, then cuts between cells.
//!
//! In: many references. Out: the nodes above sets of a few thousand, and the references in that order.
//! Method: the binned heuristic sees a large set as a handful of bins anyway; here the bins are the cells of one grid,
//! filled in a single pass, so that the levels where every pass goes through main memory are decided on a few thousand
//! cells. Cost: three passes over the references, independent of the number of levels.

use super::binary::{BinaryNode, Reference};

/// Sets of at most this many references are left to the split rule.
const LEAVE: u32 = 4096;

/// A cell with primitives in it.
#[derive(Clone, Copy)]
struct Cell {
    at: [u8; 3],
    count: u32,
    bounds: Reference,
    /// Start of its primitives, once the order of cells is known.
    start: u32,
}

/// Splits by cells until sets are small or a cell is all there is, and reorders `refs`.
pub(crate) fn split_top(refs: &mut Vec<Reference>, root: BinaryNode) -> Vec<BinaryNode> {
    let per_axis = if refs.len() > 400_000 { 32 } else { 16 };
    let grid = GridBuilder::over(refs, per_axis);
    let mut cell_of = vec![u32::MAX; per_axis * per_axis * per_axis];
    let mut cells: Vec<Cell> = Vec::new();
    for reference in refs.iter() {
        let at = grid.cell(reference);
        let slot = &mut cell_of[grid.index(at)];
        if *slot == u32::MAX {
            *slot = cells.len() as u32;
            cells.push(Cell { at, count: 0, bounds: Reference::EMPTY, start: 0 });
        }
        let cell = &mut cells[*slot as usize];
        cell.count += 1;
        cell.bounds.merge(reference);
    }
    let mut order: Vec<u32> = (0..cells.len() as u32).collect();
    let nodes = split_cells(&cells, &mut order, root);
    let mut start = 0;
    for &cell in &order {
        cells[cell as usize].start = start;
        start += cells[cell as usize].count;
    }
    let mut sorted = vec![Reference::EMPTY; refs.len()];
    for reference in refs.iter() {
        let cell = &mut cells[cell_of[grid.index(grid.cell(reference))] as usize];
        sorted[cell.start as usize] = *reference;
        cell.start += 1;
    }
    *refs = sorted;
    nodes
}

/// A set of cells still to be split: its node, and its range of the order.
struct Open {
    node: usize,
    first: usize,
    last: usize,
}

/// Splits sets of cells top down; `order` ends up with every set contiguous.
fn split_cells(cells: &[Cell], order: &mut [u32], root: BinaryNode) -> Vec<BinaryNode> {
    let mut nodes = vec![root];
    let mut stack = vec![Open { node: 0, first: 0, last: order.len() }];
    while let Some(Open { node, first, last }) = stack.pop() {
        let BinaryNode { first: first_primitive, count, .. } = nodes[node];
        if count <= LEAVE || last - first < 2 {
            continue;
        }
        let set = &mut order[first..last];
        let Some((axis, cut, left, right)) = cheapest_cut(cells, set) else { continue };
        set.sort_by_key(|&cell| cells[cell as usize].at[axis] > cut);
        let left_cells = set.partition_point(|&cell| cells[cell as usize].at[axis] <= cut);
        let left_count = set[..left_cells].iter().map(|&cell| cells[cell as usize].count).sum();
        let child = nodes.len();
        nodes[node].left = child as u32;
        let (bounds, right_bounds) = (left.to_box(), right.to_box());
        nodes.push(BinaryNode { bounds, first: first_primitive, count: left_count, left: 0 });
        nodes.push(BinaryNode {
            bounds: right_bounds,
            first: first_primitive + left_count,
            count: count - left_count,
            left: 0,
        });
        stack.push(Open { node: child + 1, first: first + left_cells, last });
        stack.push(Open { node: child, first, last: first + left_cells });
    }
    nodes
}

/// Returns the axis, the last layer on the left, and the boxes of both sides of the cheapest cut between layers of
/// cells.
fn cheapest_cut(cells: &[Cell], set: &[u32]) -> Option<(usize, u8, Reference, Reference)> {
    let (mut least, mut best) = (f32::INFINITY, None);
    for axis in 0..3 {
        let mut layers = [(Reference::EMPTY, 0u32); 32];
        for &cell in set {
            let cell = &cells[cell as usize];
            let layer = &mut layers[cell.at[axis] as usize];
            layer.0.merge(&cell.bounds);
            layer.1 += cell.count;
        }
        let mut right = [(Reference::EMPTY, 0u32); 33];
        for layer in (0..32).rev() {
            right[layer] = right[layer + 1];
            right[layer].0.merge(&layers[layer].0);
            right[layer].1 += layers[layer].1;
        }
        let (mut left, mut count) = (Reference::EMPTY, 0);
        for layer in 0..31 {
            left.merge(&layers[layer].0);
            count += layers[layer].1;
            let (right, right_count) = right[layer + 1];
            if count == 0 || right_count == 0 {
                continue;
            }
            let cost = left.half_area() * count as f32 + right.half_area() * right_count as f32;
            if cost < least {
                least = cost;
                best = Some((axis, layer as u8, left, right));
            }
        }
    }
    best
}

/// The map from centres to cells.
struct GridBuilder {
    low: [f32; 3],
    scale: [f32; 3],
    per_axis: usize,
}

impl GridBuilder {
    fn over(refs: &[Reference], per_axis: usize) -> Self {
        let mut extremes = Reference::EMPTY;
        for reference in refs {
            extremes.merge(&reference.centre_as_box());
        }
        let ends = extremes.to_box();
        let widths = [0, 1, 2].map(|k| ends.max[k] - ends.min[k]);
        let cells = per_axis as f32 * (1.0 - 1.0 / 65_536.0);
        Self { low: ends.min, scale: widths.map(|w| if w > 1e-30 { cells / w } else { 0.0 }), per_axis }
    }

    #[inline(always)]
    fn cell(&self, reference: &Reference) -> [u8; 3] {
        let layer = |k: usize| {
            let layer = ((reference.centre2(k) - self.low[k]) * self.scale[k]) as i32;
            layer.clamp(0, self.per_axis as i32 - 1) as u8
        };
        [layer(0), layer(1), layer(2)]
    }

    #[inline(always)]
    fn index(&self, at: [u8; 3]) -> usize {
        (usize::from(at[2]) * self.per_axis + usize::from(at[1])) * self.per_axis + usize::from(at[0])
    }
}
