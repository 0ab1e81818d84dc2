//! Eight triangles side by side: what a leaf of a mesh's tree holds, in `f32`, for filters that decide whatever is clear.
//!
//! In: triangles in the local frame of a tree. Out: struct-of-arrays corners seen from the block's own centre. A mesh may have
//! a million triangles across; seen from their leaf they are large again, and the rounding of `f32` is a ten-millionth of the
//! *leaf*, not of the mesh. What a filter leaves open goes to exact predicates on the `f64` vertices of the mesh.

use crate::mesh_tree::Triangles;
use heurt_bvh::{BoundingVolume, Bvh, TreeFrame};
use heurt_geometry::{Aabb, Vec3};

/// Up to eight triangles; lanes beyond the leaf's count repeat its last triangle.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub struct TriBlock {
    /// `corners[corner][axis][lane]` from the centre, in local units of the tree, rounded to nearest: off by at most
    /// 2⁻²⁴ of the half extents, beside what `f64` rounds.
    pub corners: [[[f32; 8]; 3]; 3],
    /// The origin of the corners, in the tree's frame and units: exactly these numbers.
    pub centre: [f32; 3],
    /// By axis, the largest magnitude of a corner's coordinate.
    pub half: [f32; 3],
}

impl TriBlock {
    /// How many triangles a block has.
    pub const LANES: usize = 8;

    const BLANK: Self = Self { corners: [[[0.0; 8]; 3]; 3], centre: [0.0; 3], half: [0.0; 3] };

    /// The blocks of all leaves of `tree`, by leaf ordinal. Leaves hold at most eight triangles.
    pub(crate) fn of_tree<V: BoundingVolume, const W: usize>(tree: &Bvh<V, W>, source: Triangles<'_>) -> Vec<Self> {
        let mut blocks = vec![Self::BLANK; tree.order().len() / tree.leaf_size() as usize];
        Self::refill(&mut blocks, tree, source);
        blocks
    }

    /// The same into `blocks`, one for each leaf.
    pub(crate) fn refill<V: BoundingVolume, const W: usize>(
        blocks: &mut [Self],
        tree: &Bvh<V, W>,
        source: Triangles<'_>,
    ) {
        tree.for_each_leaf(|leaf| {
            blocks[leaf.ordinal as usize] = Self::new(tree.frame(), source, tree.primitives(leaf));
        });
    }

    /// The same for the leaves that hold `triangles`, or for all where the frame is no longer `before`.
    pub(crate) fn refill_above<V: BoundingVolume, const W: usize>(
        blocks: &mut [Self],
        tree: &mut Bvh<V, W>,
        before: &TreeFrame,
        source: Triangles<'_>,
        triangles: &[u32],
    ) {
        if (tree.frame().centre(), tree.frame().scale()) != (before.centre(), before.scale()) {
            return Self::refill(blocks, tree, source);
        }
        for leaf in tree.leaves_of(triangles) {
            blocks[leaf.ordinal as usize] = Self::new(tree.frame(), source, tree.primitives(leaf));
        }
    }

    /// The block of `triangles`, one to eight.
    pub(crate) fn new(frame: &TreeFrame, source: Triangles<'_>, triangles: &[u32]) -> Self {
        let mut local = [[Vec3::ZERO; Self::LANES]; 3];
        let mut bounds = Aabb::EMPTY;
        for lane in 0..Self::LANES {
            let triangle = triangles[lane.min(triangles.len() - 1)];
            for (corner, vertex) in source.triangles[triangle as usize].into_iter().enumerate() {
                local[corner][lane] = frame.to_local(source.vertices[vertex as usize]);
                bounds = bounds.union(Aabb { min: local[corner][lane], max: local[corner][lane] });
            }
        }
        let centre = bounds.centre().to_array().map(|x| x as f32);
        let origin = Vec3::from_array(centre.map(f64::from));
        let mut block = Self { centre, ..Self::BLANK };
        for (corner, lanes) in local.iter().enumerate() {
            for (lane, &point) in lanes.iter().enumerate() {
                for (axis, x) in (point - origin).to_array().into_iter().enumerate() {
                    block.corners[corner][axis][lane] = x as f32;
                    block.half[axis] = block.half[axis].max((x as f32).abs());
                }
            }
        }
        block
    }

    /// The largest magnitude of any coordinate.
    #[inline(always)]
    pub fn radius(&self) -> f32 {
        let [x, y, z] = self.half;
        let xy = if x > y { x } else { y };
        if xy > z { xy } else { z }
    }
}
