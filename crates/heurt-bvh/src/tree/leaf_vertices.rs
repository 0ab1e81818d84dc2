//! Lists of the distinct points of each leaf, which a repeatedly refitted tree reads instead of primitives and corners.
//!
//! In: a tree and the source it was built over. Out: lists of points by leaf. Eight triangles of a mesh have
//! approximately nine points for 24 corners. A refit by this list reads a third, from contiguous memory.

use crate::tree::bvh::Bvh;
use crate::tree::source::PrimitiveSource;
use crate::volume::BoundingVolume;

/// Points of the leaves of a tree. They stay valid when points move and when nodes are rotated.
#[derive(Debug, Clone)]
pub(crate) struct LeafPoints {
    /// Start of each leaf's points, in groups of four, and a last entry for the end.
    starts: Vec<u32>,
    /// The points in groups of four; a leaf's last point fills up its last group.
    points: Vec<[u32; 4]>,
    /// Number of points of the source.
    pub count: usize,
}

impl LeafPoints {
    /// Lists the points of the leaves of `tree`, which was built over `source`.
    pub fn new<V: BoundingVolume, const W: usize>(tree: &Bvh<V, W>, source: &impl PrimitiveSource) -> Self {
        // A tree read from bytes may skip some leaf numbers.
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

    /// Returns the points of leaf `ordinal` in leaf order, in groups of four, some more than once.
    #[inline(always)]
    pub fn of_leaf(&self, ordinal: u32) -> &[[u32; 4]] {
        let [start, end] = [0, 1].map(|next| self.starts[ordinal as usize + next] as usize);
        &self.points[start..end]
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.starts.as_slice()) + size_of_val(self.points.as_slice())
    }
}
