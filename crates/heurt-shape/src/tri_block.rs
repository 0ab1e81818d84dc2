//! Four triangles side by side: what a leaf of a mesh's tree holds, in `f32`, for filters that only ever dismiss.
//!
//! In: triangles in the local frame of a tree. Out: struct-of-arrays corners, rounded to nearest (an error of at most 2⁻²⁴
//! of a local unit); the exact predicates that decide what a filter lets pass work on the `f64` vertices of the mesh.

use heurt_bvh::{BoundingVolume, Bvh, TreeFrame};
use heurt_mesh::TriMesh;

/// Up to four triangles; lanes beyond the leaf's count repeat its last triangle.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(16))]
pub struct TriBlock {
    /// `corners[corner][axis][lane]`, in local units.
    pub corners: [[[f32; 4]; 3]; 3],
}

impl TriBlock {
    /// How many triangles a block has.
    pub const LANES: usize = 4;

    /// The blocks of all leaves of `tree`, by leaf ordinal. Leaves hold at most four triangles.
    pub(crate) fn of_tree<V: BoundingVolume, const W: usize>(tree: &Bvh<V, W>, mesh: &TriMesh) -> Vec<Self> {
        let blank = Self { corners: [[[0.0; 4]; 3]; 3] };
        let mut blocks = vec![blank; tree.order().len() / tree.leaf_size() as usize];
        tree.for_each_leaf(|leaf| {
            blocks[leaf.ordinal as usize] = Self::new(tree.frame(), mesh, tree.primitives(leaf));
        });
        blocks
    }

    fn new(frame: &TreeFrame, mesh: &TriMesh, triangles: &[u32]) -> Self {
        let mut block = Self { corners: [[[0.0; 4]; 3]; 3] };
        for lane in 0..Self::LANES {
            let triangle = triangles[lane.min(triangles.len() - 1)];
            for (corner, &vertex) in mesh.corners(triangle).iter().enumerate() {
                let local = frame.to_local(vertex).to_array();
                for (axis, x) in local.into_iter().enumerate() {
                    block.corners[corner][axis][lane] = x as f32;
                }
            }
        }
        block
    }
}
