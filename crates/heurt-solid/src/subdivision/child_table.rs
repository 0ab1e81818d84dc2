//! Table of children of a tree: access to any child in constant time.
//!
//! In: nodes in pre-order. Out: the children of each branch.
//! Method: one pass with a stack of the open branches, one per level.
//! Cost: O(n) time; 4 bytes per node and per child of a branch.

use super::Node;
use super::builder::LEVELS;

/// A cell outside the root, which is empty.
pub(crate) const OUTSIDE: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct ChildTable<'a, const D: usize> {
    nodes: &'a [Node],
    /// The first child of each branch in `children`; 0 for leaves.
    first: Vec<u32>,
    children: Vec<u32>,
}

impl<'a, const D: usize> ChildTable<'a, D> {
    pub fn new(nodes: &'a [Node]) -> Self {
        let (mut first, mut children) = (vec![0; nodes.len()], Vec::with_capacity(nodes.len()));
        // The next child of the open branch of each level, and the end of its children.
        let (mut next, mut end, mut level) = ([0usize; LEVELS], [0usize; LEVELS], 0);
        for (number, &node) in nodes.iter().enumerate() {
            if level > 0 {
                let child: &mut u32 = &mut children[next[level]];
                *child = number as u32;
                next[level] += 1;
            }
            if node == Node::Branch {
                first[number] = children.len() as u32;
                level += 1;
                next[level] = children.len();
                children.resize(children.len() + (1 << D), 0);
                end[level] = children.len();
            }
            while level > 0 && next[level] == end[level] {
                level -= 1;
            }
        }
        Self { nodes, first, children }
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
        if self.is_branch(number) { self.children[self.first[number as usize] as usize + digit] } else { number }
    }
}
