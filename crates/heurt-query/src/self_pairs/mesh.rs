//! Every pair of triangles of one mesh that share a point, neighbours apart.
//!
//! Method: the tree is walked against itself in its own frame, where boxes are compared as they are; leaves are filtered eight
//! triangles at a time as those of two meshes are (`leaf_pairs`). Triangles with a common vertex always touch there: which
//! these are, nine comparisons of eight vertex numbers tell.
//! Guarantees: exact on the `f64` vertices, in the frame of the mesh (touching, coplanar and degenerate triangles included),
//! sorted, each pair once. What is one vertex, the topology of the shape says: vertices at the same place are one where the mesh
//! came with such (`MeshShape::deform`), and otherwise those of one number, so that two that come to touch still count.
//! Cost: proportional to the triangles and to the pairs of boxes that meet; what is left open by the filter costs most.

use crate::algo::lane_vectors::splat;
use crate::algo::leaf_pairs::filter;
use crate::algo::pair_order;
use crate::algo::tri_pairs::Corners;
use heurt_bvh::simd::{Lanes, LanesFor, WideIsa};
use heurt_bvh::walk::{PairVisitor, walk_self};
use heurt_bvh::{Leaf, Work};
use heurt_geometry::triangles_intersect;
use heurt_mesh::meet_beyond_shared;
use heurt_shape::{MeshShape, TriBlock, VertexBlock};
use std::ops::ControlFlow;

type F8<I> = <I as LanesFor<8>>::F;

/// Local coordinates, all within [−1, 1], are rounded to `f64` three times: 2⁻⁵⁰ is above that, and above what differences
/// make of it.
const FRAME_ROUNDING: f32 = 1.0 / (1u64 << 50) as f32;

/// What becomes of triangles that have a vertex in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Neighbours {
    /// They are left out: what simulations of cloth and soft bodies ask at each step.
    #[default]
    Skip,
    /// They count where they share more than their common vertex or edge: a mesh folded flat on itself, or one that passes
    /// through itself next to a vertex. Duplicates (three vertices in common) never count.
    Examine,
}

/// Lists the pairs `[i, j]`, i < j, of triangles of `shape` that intersect, sorted.
pub fn self_pairs(shape: &MeshShape, neighbours: Neighbours) -> Vec<[u32; 2]> {
    self_pairs_counted(shape, neighbours).0
}

/// [`self_pairs`], with the work done.
pub fn self_pairs_counted(shape: &MeshShape, neighbours: Neighbours) -> (Vec<[u32; 2]>, Work) {
    let (blocks, vertices) = (shape.blocks(), shape.vertex_blocks());
    let mut visitor = SelfPairs { shape, blocks, vertices, neighbours, found: Vec::new() };
    let work = walk_self(shape.tree(), &mut visitor);
    let mut found = visitor.found;
    pair_order::sort(&mut found);
    (found, work)
}

/// Gathers the intersecting triangles of a mesh.
struct SelfPairs<'a> {
    shape: &'a MeshShape,
    blocks: &'a [TriBlock],
    vertices: &'a [VertexBlock],
    neighbours: Neighbours,
    found: Vec<[u32; 2]>,
}

/// Pairs of triangles of two leaves; bit 8·j + i is triangle i of the first and triangle j of the second.
struct Candidates {
    /// Surely meet.
    meeting: u64,
    /// Strangers that may.
    open: u64,
    /// Neighbours whose boxes meet.
    neighbours: u64,
}

impl PairVisitor for SelfPairs<'_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        0.0
    }

    #[inline(always)]
    fn leaves<I: WideIsa>(&mut self, _isa: I, leaf_a: Leaf, leaf_b: Leaf) -> ControlFlow<()> {
        let candidates = self.filtered::<I>(leaf_a, leaf_b);
        if candidates.meeting | candidates.open | candidates.neighbours != 0 {
            self.settle(&candidates, leaf_a, leaf_b);
        }
        ControlFlow::Continue(())
    }
}

impl SelfPairs<'_> {
    /// What is left of two leaves. With u = 2⁻²⁴ and r the radii of the blocks: corners are off by u·r, the shift t between
    /// the centres is rounded, and so are sums (u·(|t| + r)) and differences, which double all that but their own rounding:
    /// within either leaf at most 4u·r + 2u·(|t| + r), between them less. The tree's frame rounds in `f64`, far below.
    #[inline(always)]
    fn filtered<I: WideIsa>(&self, leaf_a: Leaf, leaf_b: Leaf) -> Candidates {
        let (a, b) = (leaf_a.ordinal as usize, leaf_b.ordinal as usize);
        let (block_a, block_b) = (&self.blocks[a], &self.blocks[b]);
        let mut shift = [0.0f32; 3];
        let mut farthest = 0.0f32;
        let mut axis = 0;
        while axis < 3 {
            shift[axis] = block_b.centre[axis] - block_a.centre[axis];
            farthest = farthest.max(shift[axis].abs());
            axis += 1;
        }
        let error = (6.0 * (block_a.radius() + block_b.radius()) + 4.0 * farthest) * (1.0 / (1u32 << 24) as f32)
            + FRAME_ROUNDING;
        let shift = splat::<F8<I>>(&shift);
        let of_b = Corners::<F8<I>>::of_block(block_b).shifted(&shift);
        let of_a = Vertices::<F8<I>>::of(&self.vertices[a]);
        let mut neighbours = 0;
        let (meeting, open) = filter::<I>(
            (block_a, leaf_a.count),
            (&of_b, leaf_b.count),
            error,
            #[inline(always)]
            |j, near| {
                // Of a leaf with itself, each pair once.
                let near = if a == b { near & ((1 << j) - 1) } else { near };
                let akin = near & of_a.shared_with(&self.vertices[b], j);
                neighbours |= u64::from(akin) << (8 * j);
                near & !akin
            },
        );
        Candidates { meeting, open, neighbours: if self.neighbours == Neighbours::Skip { 0 } else { neighbours } }
    }

    fn settle(&mut self, candidates: &Candidates, leaf_a: Leaf, leaf_b: Leaf) {
        let Candidates { meeting, open, neighbours } = *candidates;
        let (of_a, of_b) = (self.shape.tree().primitives(leaf_a), self.shape.tree().primitives(leaf_b));
        let (ids_a, ids_b) = (&self.vertices[leaf_a.ordinal as usize], &self.vertices[leaf_b.ordinal as usize]);
        let mesh = self.shape.mesh();
        let mut rest = meeting | open | neighbours;
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let (lane_a, lane_b) = (bit as usize & 7, bit as usize >> 3);
            let (i, j) = (of_a[lane_a], of_b[lane_b]);
            let (a, b) = (mesh.corners(i), mesh.corners(j));
            let is = |bits: u64| bits >> bit & 1 != 0;
            if is(meeting)
                || is(open) && triangles_intersect(&a, &b)
                || is(neighbours) && meet_beyond_shared((&ids_a.triangle(lane_a), &a), (&ids_b.triangle(lane_b), &b))
            {
                self.found.push([i.min(j), i.max(j)]);
            }
        }
    }
}

/// The vertices of eight triangles.
struct Vertices<F>([F; 3]);

impl<F: Lanes<8>> Vertices<F> {
    #[inline(always)]
    fn of(block: &VertexBlock) -> Self {
        let [a, b, c] = &block.vertices;
        Self([F::load(a), F::load(b), F::load(c)])
    }

    /// Bits of the triangles that have a vertex in common with triangle `lane` of `other`.
    #[inline(always)]
    fn shared_with(&self, other: &VertexBlock, lane: usize) -> u32 {
        let [a, b, c] = &self.0;
        let mut shared = F::splat(0.0);
        let mut corner = 0;
        while corner < 3 {
            let vertex = F::splat(other.vertices[corner][lane & 7]);
            shared = shared.or(a.same(vertex)).or(b.same(vertex)).or(c.same(vertex));
            corner += 1;
        }
        shared.bits()
    }
}
