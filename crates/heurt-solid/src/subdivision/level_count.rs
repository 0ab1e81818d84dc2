//! Numbers of nodes of a tree by level, and its full and mixed deepest cells.
//!
//! In: nodes in pre-order. Out: counts.
//! Method: one pass over the leaves; the nodes of a level are the children of the branches above it.
//! Cost: O(n).

use super::Node;
use super::leaves::PreOrderLeaves;

/// Numbers of nodes of one level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LevelCount {
    /// The number of empty leaves.
    pub empty: u64,
    /// The number of full leaves.
    pub full: u64,
    /// The number of mixed leaves.
    pub mixed_leaf: u64,
    /// The number of branches.
    pub branch: u64,
}

impl LevelCount {
    /// Returns the number of all nodes.
    pub fn total(&self) -> u64 {
        self.empty + self.full + self.mixed_leaf + self.branch
    }

    /// Returns the number of cells that the boundary meets: branches and mixed leaves.
    pub fn mixed(&self) -> u64 {
        self.mixed_leaf + self.branch
    }

    /// Returns the sum of several levels.
    pub fn sum<'a>(levels: impl IntoIterator<Item = &'a Self>) -> Self {
        levels.into_iter().fold(Self::default(), |sum, level| Self {
            empty: sum.empty + level.empty,
            full: sum.full + level.full,
            mixed_leaf: sum.mixed_leaf + level.mixed_leaf,
            branch: sum.branch + level.branch,
        })
    }
}

/// The numbers of nodes per level, and the numbers of full and of mixed deepest cells.
pub(crate) struct NodeCounts {
    pub levels: Vec<LevelCount>,
    pub full_cells: u64,
    pub mixed_cells: u64,
}

pub(crate) fn count_nodes<const D: usize>(nodes: &[Node], depth: u8) -> NodeCounts {
    let mut levels = vec![LevelCount::default(); usize::from(depth) + 1];
    let (mut full_cells, mut mixed_cells) = (0, 0);
    for (_, level, leaf) in PreOrderLeaves::<D>::new(nodes, depth) {
        let count = &mut levels[usize::from(level)];
        match leaf {
            Node::Full => {
                count.full += 1;
                full_cells += 1u64 << (D * usize::from(depth - level));
            }
            Node::MixedLeaf => {
                count.mixed_leaf += 1;
                mixed_cells += 1;
            }
            Node::Empty | Node::Branch => count.empty += 1,
        }
    }
    for k in (1..levels.len()).rev() {
        levels[k - 1].branch = levels[k].total() >> D;
    }
    NodeCounts { levels, full_cells, mixed_cells }
}
