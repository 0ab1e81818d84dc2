//! Iterator over the leaves of an octree, with their cells.
//!
//! In: nodes in pre-order. Out: cells and leaves, in the order of the tree.
//! Method: a count of the children to come, per level, and the number of deepest cells passed.
//! Cost: O(1) per node, amortised; no memory.

use super::builder::LEVELS;
use super::{Node, Octree, OctreeCell};

/// The leaves of an octree in the order of the tree.
#[derive(Debug, Clone)]
pub struct OctreeLeaves<'a> {
    nodes: std::slice::Iter<'a, Node>,
    depth: usize,
    level: usize,
    to_come: [u8; LEVELS],
    position: u64,
}

impl Octree {
    /// Returns the leaves with their cells, in the order of the tree.
    pub fn leaves(&self) -> OctreeLeaves<'_> {
        let depth = usize::from(self.root.depth());
        OctreeLeaves { nodes: self.nodes.iter(), depth, level: 0, to_come: [0; LEVELS], position: 0 }
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

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let &node = self.nodes.next()?;
            if node == Node::Branch {
                self.level += 1;
                self.to_come[self.level] = 8;
                continue;
            }
            let cell = OctreeCell::at(self.position, self.level as u8);
            self.position += 1 << (3 * (self.depth - self.level));
            while self.level > 0 {
                self.to_come[self.level] -= 1;
                if self.to_come[self.level] > 0 {
                    break;
                }
                self.level -= 1;
            }
            return Some((cell, node));
        }
    }
}
