//! Builder of a tree in pre-order, with its current cell.
//!
//! In: nodes in pre-order. Out: the canonical array.
//! Method: the builder keeps the open branches, at most one per level, with their first node and the number of children
//! to come. When the last child of a branch closes it, equal children that are full or empty become one leaf.
//! Cost: O(1) per node, amortised.

use super::{MAX_NODES, Node, NodeLimit};

/// One more than the deepest level: 63 halvings number all deepest cells in 64 bits.
pub(crate) const LEVELS: usize = 64;

#[derive(Debug)]
pub(crate) struct PreOrderBuilder<const D: usize> {
    depth: u8,
    nodes: Vec<Node>,
    /// The level of the next node; its branch is open at the level above.
    level: usize,
    /// The node of the open branch whose children have this level.
    first: [usize; LEVELS],
    /// The number of its children to come.
    to_come: [u8; LEVELS],
    /// The number of deepest cells before the next node.
    position: u64,
}

impl<const D: usize> PreOrderBuilder<D> {
    pub fn new(depth: u8) -> Self {
        let (first, mut to_come) = ([0; LEVELS], [0; LEVELS]);
        to_come[0] = 1; // The root.
        Self { depth, nodes: Vec::new(), level: 0, first, to_come, position: 0 }
    }

    /// Reports whether the root is complete.
    pub fn is_complete(&self) -> bool {
        self.level == 0 && self.to_come[0] == 0
    }

    /// Returns position and level of the next node, unless the root is complete.
    pub fn next_cell(&self) -> Option<(u64, u8)> {
        (!self.is_complete()).then_some((self.position, self.level as u8))
    }

    /// Opens a branch above the deepest level.
    ///
    /// # Errors
    /// There are too many nodes.
    pub fn open_branch(&mut self) -> Result<(), NodeLimit> {
        if self.nodes.len() + 1 + (1 << D) > MAX_NODES {
            return Err(NodeLimit);
        }
        self.open();
        Ok(())
    }

    /// Opens a branch above the deepest level of a tree that has no more nodes than its source.
    #[inline(always)]
    pub fn open(&mut self) {
        debug_assert!(self.level < usize::from(self.depth) && !self.is_complete());
        let first = self.nodes.len();
        self.nodes.push(Node::Branch);
        self.level += 1;
        self.first[self.level] = first;
        self.to_come[self.level] = 1 << D;
    }

    /// Appends a leaf.
    #[inline(always)]
    pub fn push_leaf(&mut self, leaf: Node) {
        self.nodes.push(leaf);
        self.close();
    }

    /// Appends a canonical subtree.
    ///
    /// # Errors
    /// There are too many nodes.
    pub fn push_subtree(&mut self, nodes: impl ExactSizeIterator<Item = Node>) -> Result<(), NodeLimit> {
        if self.nodes.len() + nodes.len() > MAX_NODES {
            return Err(NodeLimit);
        }
        self.nodes.extend(nodes);
        self.close();
        Ok(())
    }

    /// Accounts for a complete node, and completes the branches that it ends.
    fn close(&mut self) {
        self.position += 1 << (D * (usize::from(self.depth) - self.level));
        self.to_come[self.level] -= 1;
        while self.level > 0 && self.to_come[self.level] == 0 {
            self.merge(self.first[self.level]);
            self.level -= 1;
            self.to_come[self.level] -= 1;
        }
    }

    /// Replaces a complete branch by a leaf if its children are all full, or all empty.
    fn merge(&mut self, first: usize) {
        if let [_, children @ ..] = &self.nodes[first..]
            && let &[leaf @ (Node::Empty | Node::Full), ref rest @ ..] = children
            && rest.len() == (1 << D) - 1
            && rest.iter().all(|&node| node == leaf)
        {
            self.nodes.truncate(first);
            self.nodes.push(leaf);
        }
    }

    /// Returns the nodes of the complete root.
    pub fn finish(mut self) -> Vec<Node> {
        debug_assert!(self.is_complete());
        self.nodes.shrink_to_fit();
        self.nodes
    }
}
