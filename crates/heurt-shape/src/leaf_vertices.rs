//! The vertices of each leaf, each once, and which of its corners are where: blocks of a mesh that moves are made from these.
//!
//! In: a mesh and the tree over its triangles. Out: lists by leaf, which stay right when vertices move. Eight triangles of a mesh have some nine
//! vertices for 24 corners: a block is made in little more than half the time.

use crate::TriBlock;
use crate::mesh_tree::Triangles;
use heurt_bvh::{Aabb32, Bvh, TreeFrame};
use heurt_geometry::Vec3;

/// The vertices of the leaves of a tree.
#[derive(Debug, Clone)]
pub(crate) struct LeafVertices {
    leaves: Vec<Places>,
    /// Of all leaves, one after the other.
    vertices: Vec<u32>,
}

/// Where the vertices of a leaf are in the list, and where in these its corners.
#[derive(Debug, Clone, Copy, Default)]
struct Places {
    start: u32,
    count: u32,
    corners: [[u8; TriBlock::LANES]; 3],
}

impl LeafVertices {
    /// Lists the vertices of the leaves of `tree`, which is over the triangles of `source`.
    pub fn new(tree: &Bvh<Aabb32, 8>, source: Triangles<'_>) -> Self {
        let mut leaves = vec![Places::default(); tree.order().len() / tree.leaf_size() as usize];
        let mut vertices = Vec::with_capacity(2 * source.triangles.len());
        let mut of_leaf = Vec::new();
        tree.for_each_leaf(|leaf| {
            let triangles = tree.primitives(leaf);
            of_leaf.clear();
            of_leaf.extend(triangles.iter().flat_map(|&triangle| source.triangles[triangle as usize]));
            of_leaf.sort_unstable();
            of_leaf.dedup();
            let corners = [0, 1, 2].map(|corner| {
                std::array::from_fn(|lane| {
                    let triangle = triangles[lane.min(triangles.len() - 1)];
                    let vertex = source.triangles[triangle as usize][corner];
                    of_leaf.binary_search(&vertex).expect("a vertex of this very leaf") as u8
                })
            });
            // Two by two: a last one by itself comes twice.
            if of_leaf.len() % 2 == 1 {
                of_leaf.extend_from_within(of_leaf.len() - 1..);
            }
            leaves[leaf.ordinal as usize] =
                Places { start: vertices.len() as u32, count: of_leaf.len() as u32, corners };
            vertices.extend_from_slice(&of_leaf);
        });
        vertices.shrink_to_fit();
        Self { leaves, vertices }
    }

    /// Fills the block of a leaf; `points` are the vertices of the mesh as they are now.
    #[inline(always)]
    pub fn fill(&self, ordinal: u32, frame: &TreeFrame, points: &[Vec3], block: &mut TriBlock) {
        let Places { start, count, corners } = &self.leaves[ordinal as usize];
        block.fill(frame, points, &self.vertices[*start as usize..][..*count as usize], corners);
    }

    /// Bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.leaves.as_slice()) + size_of_val(self.vertices.as_slice())
    }
}
