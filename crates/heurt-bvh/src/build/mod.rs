//! Builders: from the boxes of primitives to a binary tree, then to `W` children a node.
//!
//! In: local `f32` boxes of the primitives. Out: a [`BinaryTree`] over a permutation of them.
//! Method: top-down by a split rule (S0 §4.5.2, §4.5.4), or bottom-up along a Morton curve; once a group fits into one
//! wide node, it is halved at the median of its longest axis so that the node is filled. Then [`collapse`].
//! Guarantees: the tree depends on the input only, never on the number of threads; depth is bounded.
//! Cost: O(n log n).

pub(crate) mod binary;
pub(crate) mod collapse;
mod grid;
mod morton;
mod sah;
mod top_down;

pub(crate) use binary::BinaryTree;

/// How a tree is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Builder {
    /// Split the longest axis of the box so that both sides have equally many primitives.
    Median,
    /// Split the longest axis of the box at the mean of the primitives' centres.
    Mean,
    /// Split where the surface-area heuristic over eight bins per axis is least: the default.
    #[default]
    BinnedSah,
    /// Sort along a Morton curve, split where the codes differ: the fastest build, the loosest tree.
    Morton,
}

/// What a build may choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildOptions {
    /// The split rule.
    pub builder: Builder,
    /// The most primitives in a leaf, 1 to 8.
    pub leaf_size: u32,
    /// Build subtrees on the current `rayon` pool; the tree is the same either way.
    pub parallel: bool,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self { builder: Builder::default(), leaf_size: 4, parallel: true }
    }
}

/// Past this depth every split is at the median, so that no path is longer than twice this plus log₂ n.
pub(crate) const RULED_DEPTH: usize = 48;

/// Builds the binary tree over `refs`, which end up in leaf order. A group of at most `capacity` primitives fits into one
/// wide node.
pub(crate) fn build_binary(refs: &mut Vec<binary::Reference>, options: &BuildOptions, capacity: u32) -> BinaryTree {
    let limits = binary::Limits { leaf_size: options.leaf_size, capacity };
    match options.builder {
        Builder::Median => top_down::build(refs, limits, options.parallel, &top_down::Median),
        Builder::Mean => top_down::build(refs, limits, options.parallel, &top_down::Mean),
        Builder::BinnedSah => top_down::build(refs, limits, options.parallel, &sah::BinnedSah),
        Builder::Morton => {
            morton::sort(refs);
            top_down::build(refs, limits, options.parallel, &morton::HighestBit)
        }
    }
}
