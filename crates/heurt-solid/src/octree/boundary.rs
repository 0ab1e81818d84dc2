//! Boundary of the full cells of an octree: its area and its edges where four cells alternate.
//!
//! In: an octree. Out: numbers of faces and of edges of the deepest cells.
//! Method: dual traversal of cells, faces and edges (Ju, Losasso, Schaefer and Warren 2002): a branch yields its
//! children, the 12 faces between them and the 6 edges at its centre; a face between two cells yields four faces and
//! four edges; an edge of four cells yields two edges. A cell that is a leaf takes the place of its children. Cells
//! outside the root are empty.
//! Guarantees: each face and each edge of the subdivision is counted once.
//! Cost: O(n) for n nodes; the stack holds O(depth) items.

use super::{Node, Octree};
use crate::subdivision::child_table::{ChildTable, OUTSIDE};

/// A place to be visited. Levels are the levels of the cells that meet there.
#[derive(Debug, Clone, Copy)]
enum Place {
    Cell {
        cell: u32,
        level: u8,
    },
    /// The face of two cells, the lower first.
    Face {
        cells: [u32; 2],
        axis: usize,
        level: u8,
    },
    /// The edge of four cells around it: (low, low), (high, low), (high, high), (low, high) on the axes `across`.
    Edge {
        cells: [u32; 4],
        across: [usize; 2],
        level: u8,
    },
}

/// The cells around an edge: low or high on both axes across.
const AROUND: [[usize; 2]; 4] = [[0, 0], [1, 0], [1, 1], [0, 1]];

/// Numbers of the boundary, in faces and edges of the deepest cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct BoundaryCount {
    pub faces: u64,
    pub alternating_edges: u64,
}

pub(super) fn count_boundary(octree: &Octree) -> BoundaryCount {
    let mut walk =
        BoundaryWalk { table: ChildTable::new(octree.nodes()), open: Vec::new(), count: BoundaryCount::default() };
    let depth = octree.root().depth();
    walk.open.push(Place::Cell { cell: 0, level: 0 });
    for axis in 0..3 {
        walk.open.push(Place::Face { cells: [OUTSIDE, 0], axis, level: 0 });
        walk.open.push(Place::Face { cells: [0, OUTSIDE], axis, level: 0 });
    }
    while let Some(place) = walk.open.pop() {
        match place {
            Place::Cell { cell, level } => walk.visit_cell(cell, level),
            Place::Face { cells, axis, level } => walk.visit_face(cells, axis, level, depth),
            Place::Edge { cells, across, level } => walk.visit_edge(cells, across, level, depth),
        }
    }
    walk.count
}

struct BoundaryWalk<'a> {
    table: ChildTable<'a, 3>,
    open: Vec<Place>,
    count: BoundaryCount,
}

impl BoundaryWalk<'_> {
    fn visit_cell(&mut self, cell: u32, level: u8) {
        if !self.table.is_branch(cell) {
            return;
        }
        let level = level + 1;
        let child = |digit| self.table.child(cell, digit);
        self.open.extend((0..8).map(|digit| Place::Cell { cell: child(digit), level }));
        for axis in 0..3 {
            let low = (0..8usize).filter(|digit| digit >> axis & 1 == 0);
            self.open.extend(low.map(|digit| Place::Face {
                cells: [child(digit), child(digit | 1 << axis)],
                axis,
                level,
            }));
            let across = [(axis + 1) % 3, (axis + 2) % 3];
            self.open.extend((0..2).map(|along| Place::Edge {
                cells: AROUND.map(|[u, v]| child(along << axis | u << across[0] | v << across[1])),
                across,
                level,
            }));
        }
    }

    fn visit_face(&mut self, cells: [u32; 2], axis: usize, level: u8, depth: u8) {
        let Self { table, open, count } = self;
        if !cells.iter().any(|&cell| table.is_branch(cell)) {
            let [a, b] = cells.map(|cell| table.node(cell) == Node::Full);
            count.faces += u64::from(a != b) << (2 * (depth - level));
            return;
        }
        let level = level + 1;
        // The child of the lower (0) or the higher (1) cell that touches the face.
        let child = |side: usize, digit: usize| table.child(cells[side], digit | (1 - side) << axis);
        let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
        for (at_u, at_v) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let digit = at_u << u | at_v << v;
            open.push(Place::Face { cells: [child(0, digit), child(1, digit)], axis, level });
        }
        for (along, across) in [(u, v), (v, u)] {
            open.extend((0..2).map(|at| Place::Edge {
                cells: AROUND.map(|[side, high]| child(side, at << along | high << across)),
                across: [axis, across],
                level,
            }));
        }
    }

    fn visit_edge(&mut self, cells: [u32; 4], across: [usize; 2], level: u8, depth: u8) {
        let Self { table, open, count } = self;
        let is_leaf = cells.map(|cell| !table.is_branch(cell));
        let is_full = cells.map(|cell| table.node(cell) == Node::Full);
        // Neighbours that agree, or opposite cells that differ, rule out that the four alternate.
        let agrees = |a: usize, b: usize| is_leaf[a] && is_leaf[b] && is_full[a] == is_full[b];
        let differs = |a: usize, b: usize| is_leaf[a] && is_leaf[b] && is_full[a] != is_full[b];
        if (0..4).any(|k| agrees(k, (k + 1) % 4)) || differs(0, 2) || differs(1, 3) {
            return;
        }
        if is_leaf == [true; 4] {
            count.alternating_edges += 1 << (depth - level);
            return;
        }
        let axis = 3 - across[0] - across[1];
        open.extend((0..2).map(|at| Place::Edge {
            cells: std::array::from_fn(|k| {
                let [u, v] = AROUND[k];
                table.child(cells[k], at << axis | (1 - u) << across[0] | (1 - v) << across[1])
            }),
            across,
            level: level + 1,
        }));
    }
}
