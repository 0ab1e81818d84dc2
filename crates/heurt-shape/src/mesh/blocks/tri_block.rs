//! Block of eight triangles in struct-of-arrays form: the leaf of a mesh's tree, in `f32`, for filters that decide
//! clear cases.
//!
//! In: triangles in the local frame of a tree. Out: struct-of-arrays corners relative to the block's own centre. A mesh
//! may have a million triangles across; relative to their leaf they are large again, and the rounding of `f32` is a
//! ten-millionth of the *leaf*, not of the mesh. Cases undecided by a filter go to exact predicates on the `f64`
//! vertices of the mesh.

use crate::mesh::trees::mesh_tree::Triangles;
use heurt_bvh::simd::{Halves, Kernel, Lanes, LanesFor, Point, WideIsa, dispatch};
use heurt_bvh::{BoundingVolume, Bvh, TreeFrame};
use heurt_geometry::Vec3;

/// Up to eight triangles; lanes beyond the leaf's count repeat its last triangle.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub struct TriBlock {
    /// `corners[corner][axis][lane]` from the centre, in local units of the tree, rounded to nearest: off by at most
    /// 2⁻²⁴ of the half extents, in addition to the rounding of `f64`.
    pub corners: [[[f32; 8]; 3]; 3],
    /// The origin of the corners, in the tree's frame and units: exactly these numbers.
    pub centre: [f32; 3],
    /// By axis, the largest magnitude of a corner's coordinate.
    pub half: [f32; 3],
}

impl TriBlock {
    /// Number of triangles of a block.
    pub const LANES: usize = 8;

    pub(crate) const BLANK: Self = Self { corners: [[[0.0; 8]; 3]; 3], centre: [0.0; 3], half: [0.0; 3] };

    /// Makes the blocks of all leaves of `tree`, by leaf ordinal. Leaves hold at most eight triangles.
    pub(crate) fn of_tree<V: BoundingVolume, const W: usize>(tree: &Bvh<V, W>, source: Triangles<'_>) -> Vec<Self> {
        let mut blocks = vec![Self::BLANK; tree.order().len() / tree.leaf_size() as usize];
        Self::refill(&mut blocks, tree, source);
        blocks
    }

    /// Refills `blocks`, one for each leaf.
    pub(crate) fn refill<V: BoundingVolume, const W: usize>(
        blocks: &mut [Self],
        tree: &Bvh<V, W>,
        source: Triangles<'_>,
    ) {
        tree.for_each_leaf(|leaf| {
            blocks[leaf.ordinal as usize] = Self::new(tree.frame(), source, tree.primitives(leaf));
        });
    }

    /// Refills the blocks of the leaves that hold `triangles`, or all if the frame is no longer `before`.
    pub(crate) fn refill_above<V: BoundingVolume, const W: usize>(
        blocks: &mut [Self],
        tree: &mut Bvh<V, W>,
        before: &TreeFrame,
        source: Triangles<'_>,
        triangles: &[u32],
    ) {
        if !tree.frame().is_as_placed(before) {
            return Self::refill(blocks, tree, source);
        }
        for leaf in tree.leaves_of(triangles) {
            blocks[leaf.ordinal as usize] = Self::new(tree.frame(), source, tree.primitives(leaf));
        }
    }

    /// Makes the block of `triangles`, one to eight.
    pub(crate) fn new(frame: &TreeFrame, source: Triangles<'_>, triangles: &[u32]) -> Self {
        let last = triangles.len() - 1;
        let mut corners = [0; 3 * Self::LANES];
        for lane in 0..Self::LANES {
            let triangle = source.triangles[triangles[lane.min(last)] as usize];
            (0..3).for_each(|corner| corners[corner * Self::LANES + lane] = triangle[corner]);
        }
        let mut block = Self::BLANK;
        block.fill(frame, source.vertices, &corners, &EACH_BY_ITSELF);
        block
    }

    /// Fills the block with triangles of `vertices`, an even number up to 24; `places[corner][lane]` is the index of a
    /// corner in that list.
    pub(crate) fn fill(
        &mut self,
        frame: &TreeFrame,
        points: &[Vec3],
        vertices: &[u32],
        places: &[[u8; Self::LANES]; 3],
    ) {
        dispatch(Fill { block: self, frame, points, vertices, places });
    }

    /// Returns the largest magnitude of any coordinate.
    #[inline(always)]
    pub fn radius(&self) -> f32 {
        let [x, y, z] = self.half;
        let xy = if x > y { x } else { y };
        if xy > z { xy } else { z }
    }
}

/// Indices for a block without shared vertices.
const EACH_BY_ITSELF: [[u8; TriBlock::LANES]; 3] = {
    let mut places = [[0; TriBlock::LANES]; 3];
    let mut k = 0;
    while k < 3 * TriBlock::LANES {
        places[k / TriBlock::LANES][k % TriBlock::LANES] = k as u8;
        k += 1;
    }
    places
};

/// Capacity for the vertices of a block, a power of two.
const ROOM: usize = 32;

struct Fill<'a> {
    block: &'a mut TriBlock,
    frame: &'a TreeFrame,
    points: &'a [Vec3],
    vertices: &'a [u32],
    places: &'a [[u8; TriBlock::LANES]; 3],
}

impl Kernel for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: WideIsa>(self, _isa: I) {
        let Self { block, frame, points, vertices, places } = self;
        let (middle, inverse) = (I::Point::load(frame.centre().as_ref()), I::Point::splat(frame.inverse_scale()));
        // Two interleaved extremes: halves the chain of dependent comparisons.
        let (mut lows, mut highs) = ([I::Point::splat(f64::INFINITY); 2], [I::Point::splat(f64::NEG_INFINITY); 2]);
        for &[one, other] in vertices.as_chunks().0 {
            let (one, other) = (local::<I>(points, one, middle, inverse), local::<I>(points, other, middle, inverse));
            (lows, highs) = ([one.min(lows[0]), other.min(lows[1])], [one.max(highs[0]), other.max(highs[1])]);
        }
        let (low, high) = (lows[0].min(lows[1]), highs[0].max(highs[1]));
        let zero = I::Point::splat(0.0);
        let [x, y, z, _] = high.sub(zero.sub(low)).mul(I::Point::splat(0.5)).narrow();
        block.centre = [x, y, z];
        let origin = I::Point::load(&[f64::from(x), f64::from(y), f64::from(z)]);
        let mut seen = [[0.0f32; 4]; ROOM];
        for (seen, &vertex) in seen.iter_mut().zip(vertices) {
            *seen = local::<I>(points, vertex, middle, inverse).sub(origin).narrow();
        }
        let mut corner = 0;
        while corner < 3 {
            let corners = places[corner].map(
                #[inline(always)]
                |place| seen[usize::from(place) % ROOM],
            );
            let [x, y, z] = <I as LanesFor<8>>::F::transposed(&corners);
            block.corners[corner] = [x.to_array(), y.to_array(), z.to_array()];
            corner += 1;
        }
        // Rounding is monotone, so the extremes of the rounded corners are the rounded extremes.
        let (low, high) = (low.sub(origin).narrow(), high.sub(origin).narrow());
        let mut axis = 0;
        while axis < 3 {
            let (below, above) = (-low[axis], high[axis]);
            block.half[axis] = if below > above { below } else { above };
            axis += 1;
        }
    }
}

/// Returns a point in the frame of a tree.
#[inline(always)]
fn local<I: WideIsa>(points: &[Vec3], vertex: u32, middle: I::Point, inverse: I::Point) -> I::Point {
    I::Point::load(points[vertex as usize].as_ref()).sub(middle).mul(inverse)
}
