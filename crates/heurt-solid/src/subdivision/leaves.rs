//! Iterator over the leaves of a tree, with their positions and levels.
//!
//! In: nodes in pre-order. Out: position, level and node of each leaf, in the order of the tree.
//! Method: a count of the children to come, per level, and the number of deepest cells passed.
//! Cost: O(1) per node, amortised; no memory.

use super::Node;
use super::builder::LEVELS;

/// The leaves of a tree in its order.
#[derive(Debug, Clone)]
pub(crate) struct PreOrderLeaves<'a, const D: usize> {
    nodes: std::slice::Iter<'a, Node>,
    depth: usize,
    level: usize,
    to_come: [u8; LEVELS],
    position: u64,
}

impl<'a, const D: usize> PreOrderLeaves<'a, D> {
    pub fn new(nodes: &'a [Node], depth: u8) -> Self {
        Self { nodes: nodes.iter(), depth: usize::from(depth), level: 0, to_come: [0; LEVELS], position: 0 }
    }
}

impl<const D: usize> Iterator for PreOrderLeaves<'_, D> {
    type Item = (u64, u8, Node);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let &node = self.nodes.next()?;
            if node == Node::Branch {
                self.level += 1;
                self.to_come[self.level] = 1 << D;
                continue;
            }
            let leaf = (self.position, self.level as u8, node);
            self.position = self.position.wrapping_add(1 << (D * (self.depth - self.level)));
            while self.level > 0 {
                self.to_come[self.level] -= 1;
                if self.to_come[self.level] > 0 {
                    break;
                }
                self.level -= 1;
            }
            return Some(leaf);
        }
    }
}
