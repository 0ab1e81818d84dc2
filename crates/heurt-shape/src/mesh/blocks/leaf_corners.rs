//! Which corners of each leaf are at which of its vertices: blocks of a mesh that moves are made from these.
//!
//! In: a mesh and the tree over its triangles, which lists the vertices of each leaf once vertices have moved
//! ([`Bvh::points_of`]). Out: places in these lists, which stay right when vertices move again. Eight triangles of a
//! mesh have some nine vertices for 24 corners: a block is made in little more than half the time.

use crate::TriBlock;
use crate::mesh::trees::mesh_tree::Triangles;
use heurt_bvh::{Aabb32, Bvh};

/// By leaf ordinal, corner and lane: the place of a corner among the vertices of its leaf.
#[derive(Debug, Clone)]
pub(crate) struct LeafCorners(Vec<[[u8; TriBlock::LANES]; 3]>);

impl LeafCorners {
    /// Finds the corners of the leaves of `tree`, which is over the triangles of `source`; `None` where it does not
    /// list its vertices.
    pub fn new(tree: &Bvh<Aabb32, 8>, source: Triangles<'_>) -> Option<Self> {
        let mut places = vec![[[0; TriBlock::LANES]; 3]; tree.order().len() / tree.leaf_size() as usize];
        let mut are_listed = true;
        tree.for_each_leaf(|leaf| {
            let Some(vertices) = tree.points_of(leaf.ordinal) else {
                are_listed = false;
                return;
            };
            let triangles = tree.primitives(leaf);
            places[leaf.ordinal as usize] = [0, 1, 2].map(|corner| {
                std::array::from_fn(|lane| {
                    let triangle = triangles[lane.min(triangles.len() - 1)];
                    let vertex = source.triangles[triangle as usize][corner];
                    vertices.as_flattened().partition_point(|&listed| listed < vertex) as u8
                })
            });
        });
        are_listed.then_some(Self(places))
    }

    /// The places of the corners of a leaf.
    #[inline(always)]
    pub fn of_leaf(&self, ordinal: u32) -> &[[u8; TriBlock::LANES]; 3] {
        &self.0[ordinal as usize]
    }

    /// Bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.0.as_slice())
    }
}
