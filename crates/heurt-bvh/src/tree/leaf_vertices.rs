//! The points of each leaf, each once: what a tree that is refitted again and again reads instead of primitives and
//! corners.
//!
//! In: a tree, the source it was built over. Out: lists of points by leaf. Eight triangles of a mesh have some nine
//! points for 24 corners, so that a refit by this list reads a third, and what it reads lies in a row.

use crate::tree::bvh::Bvh;
use crate::tree::source::PrimitiveSource;
use crate::volume::BoundingVolume;

/// The points of the leaves of a tree. They stay right when points move and when nodes are rotated.
#[derive(Debug, Clone)]
pub(crate) struct LeafPoints {
    /// Where those of each leaf begin, and a last entry where they end, four by four.
    starts: Vec<u32>,
    /// The last of a leaf is repeated to fill up its four.
    points: Vec<[u32; 4]>,
    /// Points that the source has.
    pub count: usize,
}

impl LeafPoints {
    /// Lists the points of the leaves of `tree`, which was built over `source`.
    pub fn new<V: BoundingVolume, const W: usize>(tree: &Bvh<V, W>, source: &impl PrimitiveSource) -> Self {
        // A tree that was read may leave numbers of leaves out.
        let mut leaves = vec![None; tree.order.len() / tree.leaf_size as usize];
        tree.for_each_leaf(|leaf| leaves[leaf.ordinal as usize] = Some(leaf));
        let (mut starts, mut points) = (Vec::with_capacity(leaves.len() + 1), Vec::with_capacity(source.len() / 2));
        let mut of_leaf = Vec::new();
        for leaf in leaves {
            starts.push(points.len() as u32);
            let Some(leaf) = leaf else { continue };
            of_leaf.clear();
            of_leaf.extend(tree.primitives(leaf).iter().flat_map(|&primitive| source.corners(primitive)));
            of_leaf.sort_unstable();
            of_leaf.dedup();
            points.extend(of_leaf.chunks(4).map(|some| std::array::from_fn(|k| some[k.min(some.len() - 1)])));
        }
        starts.push(points.len() as u32);
        points.shrink_to_fit();
        Self { starts, points, count: source.points().len() }
    }

    /// The points of the leaf that is number `ordinal` in leaf order, four by four, some more than once.
    #[inline(always)]
    pub fn of_leaf(&self, ordinal: u32) -> &[[u32; 4]] {
        let [start, end] = [0, 1].map(|next| self.starts[ordinal as usize + next] as usize);
        &self.points[start..end]
    }

    /// Bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.starts.as_slice()) + size_of_val(self.points.as_slice())
    }
}
