//! Iterator over the leaves of an octree, with their cells.
//!
//! In: nodes in pre-order. Out: cells and leaves, in the order of the tree.
//! Method: positions in the order of the tree (`subdivision`), with the coordinates of their cells.
//! Cost: O(1) per node, amortised; no memory.

use super::{Node, Octree, OctreeCell};
use crate::subdivision::leaves::PreOrderLeaves;

/// The leaves of an octree in the order of the tree.
#[derive(Debug, Clone)]
pub struct OctreeLeaves<'a>(PreOrderLeaves<'a, 3>);

impl Octree {
    /// Returns the leaves with their cells, in the order of the tree.
    pub fn leaves(&self) -> OctreeLeaves<'_> {
        OctreeLeaves(PreOrderLeaves::new(&self.nodes, self.root.depth()))
    }

    /// Returns the least and the greatest corner of the full and mixed cells, in deepest cells; `None` if there are no
    /// such cells.
    pub fn occupied_cells(&self) -> Option<[[u32; 3]; 2]> {
        let depth = self.root.depth();
        let occupied = self.leaves().filter(|&(_, leaf)| leaf != Node::Empty);
        occupied.map(|(cell, _)| [cell.min, cell.min.map(|at| at + cell.size(depth))]).reduce(|[min, max], [a, b]| {
            [std::array::from_fn(|k| min[k].min(a[k])), std::array::from_fn(|k| max[k].max(b[k]))]
        })
    }
}

impl Iterator for OctreeLeaves<'_> {
    type Item = (OctreeCell, Node);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(position, level, node)| (OctreeCell::at(position, level), node))
    }
}
