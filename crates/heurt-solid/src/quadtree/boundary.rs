//! Boundary of the full cells of a quadtree: its length and its corners where four cells alternate.
//!
//! In: a quadtree. Out: numbers of edges and corners of the deepest cells.
//! Method: dual traversal as in the octree, of cells, edges between two cells, and corners of four cells. A branch
//! yields its children, the 4 edges between them and the corner at its centre; an edge yields two edges and a corner.
//! Cells outside the root are empty.
//! Guarantees: each edge and each corner of the subdivision is counted once.
//! Cost: O(n · depth) at most; the stack holds O(depth) items.

use super::Quadtree;
use crate::subdivision::Node;
use crate::subdivision::child_table::{ChildTable, OUTSIDE};

/// A cell, or the edge of two cells across an axis, the lower first.
enum OutlinePlace {
    Cell(u32, u8),
    Edge([u32; 2], usize, u8),
}

/// Numbers of the boundary, in edges of the deepest cells and in corners.
#[derive(Default)]
pub(super) struct OutlineCount {
    pub edges: u64,
    pub alternating_corners: u64,
}

pub(super) fn count_outline(quadtree: &Quadtree) -> OutlineCount {
    let (table, depth) = (ChildTable::<2>::new(quadtree.nodes()), quadtree.root().depth());
    let mut count = OutlineCount::default();
    let mut open = vec![OutlinePlace::Cell(0, 0)];
    open.extend(
        (0..2).flat_map(|axis| [OutlinePlace::Edge([OUTSIDE, 0], axis, 0), OutlinePlace::Edge([0, OUTSIDE], axis, 0)]),
    );
    while let Some(place) = open.pop() {
        match place {
            OutlinePlace::Cell(cell, level) if table.is_branch(cell) => {
                let child = |digit| table.child(cell, digit);
                open.extend((0..4).map(|digit| OutlinePlace::Cell(child(digit), level + 1)));
                for (low, high, axis) in [(0, 1, 0), (2, 3, 0), (0, 2, 1), (1, 3, 1)] {
                    open.push(OutlinePlace::Edge([child(low), child(high)], axis, level + 1));
                }
                count.alternating_corners += u64::from(alternates(&table, [0, 1, 2, 3].map(child)));
            }
            OutlinePlace::Cell(..) => {}
            OutlinePlace::Edge(cells, axis, level) if cells.iter().any(|&cell| table.is_branch(cell)) => {
                let along = 1 - axis;
                // The child of the lower (0) or higher (1) cell that touches the edge.
                let child = |side: usize, at: usize| table.child(cells[side], (1 - side) << axis | at << along);
                open.extend((0..2).map(|at| OutlinePlace::Edge([child(0, at), child(1, at)], axis, level + 1)));
                let around = [0, 1, 2, 3].map(|digit| child(digit >> axis & 1, digit >> along & 1));
                count.alternating_corners += u64::from(alternates(&table, around));
            }
            OutlinePlace::Edge(cells, _, level) => {
                let [a, b] = cells.map(|cell| table.node(cell) == Node::Full);
                count.edges += u64::from(a != b) << (depth - level);
            }
        }
    }
    count
}

/// Reports whether full cells and others alternate around a corner of four cells, given by their digits.
fn alternates(table: &ChildTable<2>, mut cells: [u32; 4]) -> bool {
    while cells.iter().any(|&cell| table.is_branch(cell)) {
        // The child next to the corner has the opposite digit.
        cells = std::array::from_fn(|digit| table.child(cells[digit], 3 - digit));
    }
    let [a, b, c, d] = cells.map(|cell| table.node(cell) == Node::Full);
    a == d && b == c && a != b
}
