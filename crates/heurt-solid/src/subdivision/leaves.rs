//! Iterator over the leaves of a tree, with their positions and levels.
//!
//! In: nodes in pre-order, and a level. Out: position, level and node of each leaf, in the order of the tree; branches
//! of the given level take the place of their leaves.
//! Method: a count of the children to come, per level, and the number of deepest cells passed.
//! Cost: O(1) per node, amortised; no memory.

use super::Node;
use super::builder::LEVELS;
use super::set_operation::count_subtree;

/// The leaves of a tree in its order.
#[derive(Debug, Clone)]
pub(crate) struct PreOrderLeaves<'a, const D: usize> {
    nodes: std::slice::Iter<'a, Node>,
    depth: usize,
    /// The level at which branches are not divided.
    last: usize,
    level: usize,
    to_come: [u8; LEVELS],
    position: u64,
}

impl<'a, const D: usize> PreOrderLeaves<'a, D> {
    pub fn new(nodes: &'a [Node], depth: u8) -> Self {
        Self::to_level(nodes, depth, depth)
    }

    /// Returns the leaves down to a level, and the branches of that level.
    pub fn to_level(nodes: &'a [Node], depth: u8, last: u8) -> Self {
        let (depth, last) = (usize::from(depth), usize::from(last));
        Self { nodes: nodes.iter(), depth, last, level: 0, to_come: [0; LEVELS], position: 0 }
    }
}

impl<const D: usize> Iterator for PreOrderLeaves<'_, D> {
    type Item = (u64, u8, Node);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = self.nodes.as_slice();
            let &node = self.nodes.next()?;
            if node == Node::Branch && self.level == self.last {
                self.nodes = rest[count_subtree::<D>(rest)..].iter();
            } else if node == Node::Branch {
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
