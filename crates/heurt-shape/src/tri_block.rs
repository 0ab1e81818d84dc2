//! Eight triangles side by side: what a leaf of a mesh's tree holds, in `f32`, for filters that decide whatever is clear.
//!
//! In: triangles in the local frame of a tree. Out: struct-of-arrays corners seen from the block's own centre. A mesh may have
//! a million triangles across; seen from their leaf they are large again, and the rounding of `f32` is a ten-millionth of the
//! *leaf*, not of the mesh. What a filter leaves open goes to exact predicates on the `f64` vertices of the mesh.

use crate::mesh_tree::Triangles;
use heurt_bvh::simd::{Kernel, Point, WideIsa, dispatch};
use heurt_bvh::{BoundingVolume, Bvh, TreeFrame};

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
        dispatch(Fill { frame, source, triangles })
    }

    /// The largest magnitude of any coordinate.
    #[inline(always)]
    pub fn radius(&self) -> f32 {
        let [x, y, z] = self.half;
        let xy = if x > y { x } else { y };
        if xy > z { xy } else { z }
    }
}

struct Fill<'a> {
    frame: &'a TreeFrame,
    source: Triangles<'a>,
    triangles: &'a [u32],
}

impl Kernel for Fill<'_> {
    type Output = TriBlock;

    #[inline(always)]
    fn run<I: WideIsa>(self, _isa: I) -> TriBlock {
        let Self { frame, source, triangles } = self;
        let (middle, inverse) = (I::Point::load(frame.centre().as_ref()), I::Point::splat(frame.inverse_scale()));
        let mut local = [[I::Point::splat(0.0); 3]; TriBlock::LANES];
        let (mut low, mut high) = (I::Point::splat(f64::INFINITY), I::Point::splat(f64::NEG_INFINITY));
        let mut lane = 0;
        while lane < TriBlock::LANES {
            if lane < triangles.len() {
                let corners = source.triangles[triangles[lane] as usize];
                let mut corner = 0;
                while corner < 3 {
                    let point = I::Point::load(source.vertices[corners[corner] as usize].as_ref());
                    let point = point.sub(middle).mul(inverse);
                    (low, high) = (point.min(low), point.max(high));
                    local[lane][corner] = point;
                    corner += 1;
                }
            } else {
                local[lane] = local[lane - 1];
            }
            lane += 1;
        }
        let zero = I::Point::splat(0.0);
        let [x, y, z, _] = high.sub(zero.sub(low)).mul(I::Point::splat(0.5)).narrow();
        let mut block = TriBlock { centre: [x, y, z], ..TriBlock::BLANK };
        let origin = I::Point::load(&[f64::from(x), f64::from(y), f64::from(z)]);
        let mut lane = 0;
        while lane < TriBlock::LANES {
            let mut corner = 0;
            while corner < 3 {
                let [x, y, z, _] = local[lane][corner].sub(origin).narrow();
                block.corners[corner][0][lane] = x;
                block.corners[corner][1][lane] = y;
                block.corners[corner][2][lane] = z;
                corner += 1;
            }
            lane += 1;
        }
        // Rounding is monotone, so that the extremes of the corners are the rounded extremes.
        let (low, high) = (low.sub(origin).narrow(), high.sub(origin).narrow());
        let mut axis = 0;
        while axis < 3 {
            let (below, above) = (-low[axis], high[axis]);
            block.half[axis] = if below > above { below } else { above };
            axis += 1;
        }
        block
    }
}
