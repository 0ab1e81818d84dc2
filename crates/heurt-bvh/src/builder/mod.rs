//! Builders: from the boxes of primitives to a binary tree, then to `W` children a node.
//!
//! In: local `f32` boxes of the primitives. Out: a [`BinaryTree`] over a permutation of them.
//! Method: top-down by a split rule (S0 §4.5.2, §4.5.4), once a group fits into one wide node by a sweep along its
//! longest axis that fills the node; or bottom-up by clusters. Then [`collapse`].
//! Guarantees: the tree depends on the input only, never on the number of threads; depth is bounded.
//! Cost: O(n log n).

pub(crate) mod binary;
mod clusters;
pub(crate) mod collapse;
pub(crate) mod fit;
mod grid;
mod morton;
mod octree;
mod sah;
mod top_down;

pub(crate) use binary::BinaryTree;

use crate::volume::BoxAxes;
use top_down::{Cut, CutAcross, Direction};

/// Split rule or method of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Builder {
    /// Split the longest axis so that both sides have equally many primitives, down to what fits into one node.
    Median,
    /// Split the longest axis of the box at the mean of the primitives' centres.
    Mean,
    /// Split the longest axis of the box in its middle.
    Middle,
    /// Split across the direction in which the centres are spread most, so that both sides have equally many.
    EigenMedian,
    /// Split across the direction in which the centres are spread most, at their mean.
    EigenMean,
    /// Split across the direction in which the centres are spread most, halfway between the outermost.
    EigenMiddle,
    /// Split where the surface-area heuristic over eight bins per axis is least: the default.
    #[default]
    BinnedSah,
    /// Sort along a Morton curve, split where the codes differ: the fastest build, the loosest tree.
    Morton,
    /// Cut cubes through their middles: the octree of sphere trees.
    Octree,
    /// Merge neighbours bottom-up into clusters whose boxes have the least surface.
    Clusters,
}

impl Builder {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Median,
        Self::Mean,
        Self::Middle,
        Self::EigenMedian,
        Self::EigenMean,
        Self::EigenMiddle,
        Self::BinnedSah,
        Self::Morton,
        Self::Octree,
        Self::Clusters,
    ];

    /// Returns its name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Median => "median",
            Self::Mean => "mean",
            Self::Middle => "middle",
            Self::EigenMedian => "eigen-median",
            Self::EigenMean => "eigen-mean",
            Self::EigenMiddle => "eigen-middle",
            Self::BinnedSah => "sah",
            Self::Morton => "morton",
            Self::Octree => "octree",
            Self::Clusters => "clusters",
        }
    }
}

/// Options of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildOptions {
    /// The split rule.
    pub builder: Builder,
    /// Maximum number of primitives in a leaf, 1 to 8.
    pub leaf_size: u32,
    /// Method to choose the axes of oriented boxes.
    pub axes: BoxAxes,
    /// Build subtrees on the current `rayon` pool; the tree is the same in both cases.
    pub parallel: bool,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self { builder: Builder::default(), leaf_size: 4, axes: BoxAxes::default(), parallel: true }
    }
}

/// Past this depth every split is at the median, so that no path is longer than twice this plus log₂ n.
pub(crate) const RULED_DEPTH: usize = 48;

/// Builds the binary tree over `refs`, which end up in leaf order. A group of at most `capacity` primitives fits into
/// one wide node.
pub(crate) fn build_binary(refs: &mut Vec<binary::Reference>, options: &BuildOptions, capacity: u32) -> BinaryTree {
    let limits = binary::Limits { leaf_size: options.leaf_size, capacity };
    let parallel = options.parallel;
    let cut = |refs, direction, cut| top_down::build(refs, limits, parallel, &CutAcross(direction, cut));
    match options.builder {
        Builder::Median => cut(refs, Direction::LongestAxis, Cut::Median),
        Builder::Mean => cut(refs, Direction::LongestAxis, Cut::Mean),
        Builder::Middle => cut(refs, Direction::LongestAxis, Cut::Middle),
        Builder::EigenMedian => cut(refs, Direction::LargestEigenvalue, Cut::Median),
        Builder::EigenMean => cut(refs, Direction::LargestEigenvalue, Cut::Mean),
        Builder::EigenMiddle => cut(refs, Direction::LargestEigenvalue, Cut::Middle),
        Builder::BinnedSah => top_down::build(refs, limits, parallel, &sah::BinnedSah),
        Builder::Morton => {
            morton::sort(refs);
            top_down::build(refs, limits, parallel, &morton::HighestBit)
        }
        Builder::Octree => top_down::build(refs, limits, parallel, &octree::MiddleOfCube),
        Builder::Clusters => clusters::build(refs, limits),
    }
}
