//! Table of children of an octree: access to any child in constant time.
//!
//! In: nodes in pre-order. Out: the eight children of each branch.
//! Method: one pass with a stack of the open branches, one per level.
//! Cost: O(n) time; 4 bytes per node and 32 per branch.

use super::Node;
use super::builder::LEVELS;

/// A cell outside the root, which is empty.
pub(super) const OUTSIDE: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct ChildTable<'a> {
    nodes: &'a [Node],
    /// The number of the block of each branch; 0 for leaves.
    block: Vec<u32>,
    blocks: Vec<[u32; 8]>,
}

impl<'a> ChildTable<'a> {
    pub fn new(nodes: &'a [Node]) -> Self {
        let (mut block, mut blocks) = (vec![0; nodes.len()], Vec::with_capacity(nodes.len() / 9 + 1));
        // The open block of each level, and the number of its children seen.
        let (mut open, mut seen, mut level) = ([0usize; LEVELS], [0usize; LEVELS], 0);
        for (number, &node) in nodes.iter().enumerate() {
            if level > 0 {
                let children: &mut [u32; 8] = &mut blocks[open[level]];
                children[seen[level]] = number as u32;
                seen[level] += 1;
            }
            if node == Node::Branch {
                block[number] = blocks.len() as u32;
                level += 1;
                (open[level], seen[level]) = (blocks.len(), 0);
                blocks.push([0; 8]);
            }
            while level > 0 && seen[level] == 8 {
                level -= 1;
            }
        }
        Self { nodes, block, blocks }
    }

    /// Returns a node; cells outside the root are empty.
    #[inline(always)]
    pub fn node(&self, number: u32) -> Node {
        self.nodes.get(number as usize).copied().unwrap_or(Node::Empty)
    }

    /// Reports whether a node has children.
    #[inline(always)]
    pub fn is_branch(&self, number: u32) -> bool {
        self.node(number) == Node::Branch
    }

    /// Returns a child of a branch; a leaf is its own child.
    #[inline(always)]
    pub fn child(&self, number: u32, digit: usize) -> u32 {
        if self.is_branch(number) { self.blocks[self.block[number as usize] as usize][digit] } else { number }
    }
}
