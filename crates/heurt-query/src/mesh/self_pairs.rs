//! Every pair of triangles of one mesh that share a point, except neighbours.
//!
//! Method: the tree is walked against itself in its own frame, so boxes are compared without a transform. Leaves are
//! filtered eight triangles at a time, as leaves of two meshes are (`intersecting_pairs`). Triangles with a common
//! vertex always touch there: nine comparisons of eight vertex numbers find them. If neighbours are examined, a filter
//! dismisses most of them (`neighbour_filter`).
//! Guarantees: exact on the `f64` vertices, in the frame of the mesh (touching, coplanar and degenerate triangles
//! included), sorted, each pair once. The topology of the shape defines equal vertices: vertices at the same place are
//! one if the mesh was created with them (`MeshShape::deform`), and otherwise only vertices of one number, so that two
//! vertices that come to touch still count as intersection.
//! Cost: proportional to the triangles and to the pairs of boxes that meet; pairs that the filter cannot decide cost
//! most.

use crate::answer::budget::Answer;
use crate::answer::options::{Neighbours, SelfPairsOptions};
use crate::mesh::walk::leaf_batch::LeafBatch;
use crate::mesh::walk::pair_sort;
use crate::numeric::lane_vectors::splat;
use crate::triangle::neighbour_filter::CommonCorners;
use crate::triangle::pair_filter::CornerLanes;
use crate::triangle::pair_queue::PairId;
use heurt_bvh::simd::Lanes8;
use heurt_bvh::simd::{Kernel, WideIsa, dispatch};
use heurt_bvh::walk::{PairVisitor, walk_self};
use heurt_bvh::{Leaf, Work};
use heurt_geometry::triangles_intersect;
use heurt_mesh::meet_beyond_shared;
use heurt_shape::{MeshShape, TriBlock, VertexBlock};
use rayon::prelude::*;
use std::ops::{ControlFlow, Range};

/// Rounding bound of the tree's frame: local coordinates, all within [−1, 1], are rounded to `f64` three times. 2⁻⁵⁰ is
/// above that rounding, and above its effect on differences.
const FRAME_ROUNDING: f32 = 1.0 / (1u64 << 50) as f32;

/// Lists the pairs `[i, j]`, i < j, of triangles of `shape` that intersect, sorted.
///
/// ```
/// use heurt_mesh::{TriMesh, generate::cuboid};
/// use heurt_query::{Neighbours, self_pairs};
/// use heurt_shape::MeshShape;
/// let cube = cuboid([0.5, 0.5, 0.5])?;
/// assert!(self_pairs(&MeshShape::new(cube.clone())?, Neighbours::Skip).is_empty());
/// // A second cube in the same mesh, 0.6 m along each axis.
/// let moved: Vec<_> = cube.vertices().iter().map(|v| *v + 0.6).collect();
/// let both = TriMesh::merged([&cube, &TriMesh::new(moved, cube.triangles().to_vec())?])?;
/// assert!(!self_pairs(&MeshShape::new(both)?, Neighbours::Skip).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn self_pairs(shape: &MeshShape, neighbours: Neighbours) -> Vec<[u32; 2]> {
    self_pairs_with(shape, &SelfPairsOptions { neighbours }).value()
}

/// Computes [`self_pairs`] with the work done.
pub fn self_pairs_with(shape: &MeshShape, options: &SelfPairsOptions) -> Answer<Vec<[u32; 2]>> {
    let (found, work) = found_pairs(shape, options.neighbours, usize::MAX);
    Answer::whole(found.unwrap_or_default(), work)
}

/// Reports whether two triangles of `shape` meet elsewhere than in a vertex or an edge of both, as [`self_pairs`] with
/// neighbours examined. Uses the threads of the current `rayon` pool, and ends soon after the first pair.
///
/// ```
/// use heurt_mesh::{TriMesh, generate::cuboid};
/// use heurt_query::self_intersects;
/// use heurt_shape::MeshShape;
/// let cube = cuboid([0.5, 0.5, 0.5])?;
/// assert!(!self_intersects(&MeshShape::new(cube.clone())?));
/// let moved: Vec<_> = cube.vertices().iter().map(|v| *v + 0.6).collect();
/// let both = TriMesh::merged([&cube, &TriMesh::new(moved, cube.triangles().to_vec())?])?;
/// assert!(self_intersects(&MeshShape::new(both)?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn self_intersects(shape: &MeshShape) -> bool {
    // The blocks are made once, not by each task.
    let _ = (shape.blocks(), shape.vertex_blocks());
    let mut runs = LeafRuns { shape, firsts: Vec::new(), others: Vec::new(), is_found: false };
    walk_self(shape.tree(), &mut runs);
    runs.search();
    runs.is_found
}

/// Runs of leaves that one task examines: some 100 µs of work for a mesh without long triangles.
const RUNS_PER_TASK: usize = 256;

/// Pairs of leaves that are collected before tasks examine them: a megabyte.
const MAX_COLLECTED: usize = 1 << 17;

/// A leaf, and the range of the leaves whose boxes meet its box.
type LeafRun = (Leaf, Range<usize>);

/// Collects the leaves that meet, and searches them in batches.
struct LeafRuns<'a> {
    shape: &'a MeshShape,
    firsts: Vec<LeafRun>,
    others: Vec<Leaf>,
    is_found: bool,
}

impl LeafRuns<'_> {
    /// Searches the collected leaves on all threads.
    fn search(&mut self) {
        let Self { shape, firsts, others, is_found } = self;
        let search = |runs: &[LeafRun]| {
            let mut visitor = SelfPairs::new(shape, Neighbours::Examine, 0);
            dispatch::<8, _>(RunsKernel { visitor: &mut visitor, runs, others });
            visitor.batch.keep();
            !visitor.found.is_empty()
        };
        *is_found |= firsts.par_chunks(RUNS_PER_TASK).any(search);
        firsts.clear();
        others.clear();
    }
}

impl PairVisitor for LeafRuns<'_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        0.0
    }

    #[inline(always)]
    fn accepts_any_order(&self) -> bool {
        true
    }

    #[inline(always)]
    fn visit_leaves<I: WideIsa>(&mut self, isa: I, leaf_a: Leaf, leaf_b: Leaf) -> ControlFlow<()> {
        self.visit_leaf_run(isa, false, leaf_a, &[leaf_b])
    }

    #[inline(always)]
    fn visit_leaf_run<I: WideIsa>(&mut self, _: I, _: bool, leaf: Leaf, others: &[Leaf]) -> ControlFlow<()> {
        let start = self.others.len();
        self.others.extend_from_slice(others);
        self.firsts.push((leaf, start..self.others.len()));
        if self.others.len() >= MAX_COLLECTED {
            self.search();
        }
        if self.is_found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Examines runs of leaves.
struct RunsKernel<'x, 'a> {
    visitor: &'x mut SelfPairs<'a>,
    runs: &'x [LeafRun],
    others: &'x [Leaf],
}

impl Kernel for RunsKernel<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: WideIsa>(self, isa: I) {
        for (leaf, range) in self.runs {
            self.visitor.add_leaves(isa, *leaf, &self.others[range.clone()]);
            if self.visitor.within_limit().is_break() {
                return;
            }
        }
        self.visitor.go_through(isa, true);
    }
}

/// Lists the pairs of [`self_pairs`] with neighbours examined, or returns `None` if there are more than `most`; ends
/// soon after that many.
///
/// ```
/// use heurt_mesh::{TriMesh, generate::cuboid};
/// use heurt_query::self_pairs_up_to;
/// use heurt_shape::MeshShape;
/// let cube = cuboid([0.5, 0.5, 0.5])?;
/// let moved: Vec<_> = cube.vertices().iter().map(|v| *v + 0.6).collect();
/// let both = TriMesh::merged([&cube, &TriMesh::new(moved, cube.triangles().to_vec())?])?;
/// let shape = MeshShape::new(both)?;
/// assert!(self_pairs_up_to(&shape, 1000).is_some());
/// assert!(self_pairs_up_to(&shape, 1).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn self_pairs_up_to(shape: &MeshShape, most: usize) -> Option<Vec<[u32; 2]>> {
    found_pairs(shape, Neighbours::Examine, most).0
}

fn found_pairs(shape: &MeshShape, neighbours: Neighbours, most: usize) -> (Option<Vec<[u32; 2]>>, Work) {
    let mut visitor = SelfPairs::new(shape, neighbours, most);
    let work = walk_self(shape.tree(), &mut visitor);
    if visitor.found.len() <= most {
        dispatch::<8, _>(SelfFlushKernel(&mut visitor));
    }
    visitor.batch.keep();
    let mut found = visitor.found;
    if found.len() > most {
        return (None, work);
    }
    pair_sort::sort(&mut found);
    (Some(found), work)
}

/// Collects the intersecting triangles of a mesh.
struct SelfPairs<'a> {
    shape: &'a MeshShape,
    blocks: &'a [TriBlock],
    vertices: &'a [VertexBlock],
    neighbours: Neighbours,
    /// Neighbours that the filter left undecided, if neighbours are examined: leaves, and lanes in them.
    adjacent: Vec<([u32; 2], [u8; 2])>,
    found: Vec<[u32; 2]>,
    /// Limit of pairs: more end the walk.
    most: usize,
    batch: Box<LeafBatch>,
}

impl PairVisitor for SelfPairs<'_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        0.0
    }

    #[inline(always)]
    fn accepts_any_order(&self) -> bool {
        true
    }

    #[inline(always)]
    fn visit_leaves<I: WideIsa>(&mut self, isa: I, leaf_a: Leaf, leaf_b: Leaf) -> ControlFlow<()> {
        self.add_leaves(isa, leaf_a, &[leaf_b]);
        self.within_limit()
    }

    #[inline(always)]
    fn visit_leaf_run<I: WideIsa>(&mut self, isa: I, _: bool, leaf: Leaf, others: &[Leaf]) -> ControlFlow<()> {
        self.add_leaves(isa, leaf, others);
        self.within_limit()
    }
}

impl<'a> SelfPairs<'a> {
    fn new(shape: &'a MeshShape, neighbours: Neighbours, most: usize) -> Self {
        Self {
            shape,
            blocks: shape.blocks(),
            vertices: shape.vertex_blocks(),
            neighbours,
            adjacent: Vec::new(),
            found: Vec::new(),
            most,
            batch: LeafBatch::take(),
        }
    }
}

impl SelfPairs<'_> {
    #[inline(always)]
    fn within_limit(&self) -> ControlFlow<()> {
        if self.found.len() > self.most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Queues a leaf and candidate leaves that meet it. Error bound, with u = 2⁻²⁴ and r the radii of the blocks:
    /// corners are off by u·r; the shift t between the centres is rounded; sums are rounded (u·(|t| + r)); differences
    /// double all of these except their own rounding. Within either leaf the error is at most 4u·r + 2u·(|t| + r),
    /// between leaves less. The tree's frame rounds in `f64`, far below.
    #[inline(never)]
    fn add_leaves<I: WideIsa>(&mut self, isa: I, leaf: Leaf, others: &[Leaf]) {
        isa.enter_wide(
            #[inline(always)]
            || {
                let block = &self.blocks[leaf.ordinal as usize];
                let corners = CornerLanes::<Lanes8<I>>::of_block(block);
                let boxes = corners.boxes();
                self.batch.add_one(&corners, &boxes, leaf.ordinal);
                for other in others {
                    let of_other = &self.blocks[other.ordinal as usize];
                    let (mut offset, mut farthest) = ([0.0f32; 3], 0.0f32);
                    let mut axis = 0;
                    while axis < 3 {
                        offset[axis] = of_other.centre[axis] - block.centre[axis];
                        farthest = farthest.max(offset[axis].abs());
                        axis += 1;
                    }
                    let span = 6.0 * (block.radius() + of_other.radius()) + 4.0 * farthest;
                    let error = span * (1.0 / (1u32 << 24) as f32) + FRAME_ROUNDING;
                    let rows = boxes.meet_box(&offset, &of_other.half, error) & ((1 << leaf.count) - 1);
                    self.batch.add_other::<Lanes8<I>>(
                        (of_other, &splat(&offset)),
                        rows,
                        error,
                        other.count,
                        other.ordinal,
                    );
                }
            },
        );
        if self.batch.is_full() {
            self.go_through(isa, false);
        }
    }

    /// Processes the queued leaves and, with `to_the_end`, all queued pairs of triangles, and keeps the pairs that
    /// intersect.
    #[inline(never)]
    fn go_through<I: WideIsa>(&mut self, isa: I, to_the_end: bool) {
        let Self { shape, blocks, vertices, neighbours, adjacent, found, batch, .. } = self;
        let _ = batch.go_through(
            isa,
            to_the_end,
            #[inline(always)]
            |[other, one], row, near| {
                // For a leaf against itself, each pair counts once.
                let near = if one == other { near & ((1 << row) - 1) } else { near };
                let [of_other, of_one] = [&vertices[other as usize], &vertices[one as usize]];
                let common = CommonCorners::<Lanes8<I>>::new(of_other, of_one, row);
                let shared = near & common.bits();
                if *neighbours == Neighbours::Examine && shared != 0 {
                    let [of_other, of_one] = [&blocks[other as usize], &blocks[one as usize]];
                    let mut open = shared & !common.provably_disjoint_elsewhere(of_other, of_one, FRAME_ROUNDING);
                    while open != 0 {
                        adjacent.push(([other, one], [open.trailing_zeros() as u8, row as u8]));
                        open &= open - 1;
                    }
                }
                near & !shared
            },
            |PairId { leaves, lanes }, is_sure| {
                let triangles = triangles(shape, leaves, lanes);
                let meet = || {
                    let [i, j] = triangles.map(|triangle| shape.mesh().corners(triangle));
                    triangles_intersect(&i, &j)
                };
                if is_sure || meet() {
                    found.push(ordered(triangles));
                }
                ControlFlow::Continue(())
            },
        );
        self.examine();
    }

    /// Tests the collected neighbours.
    fn examine(&mut self) {
        let Self { shape, vertices, adjacent, found, .. } = self;
        for (leaves, lanes) in adjacent.drain(..) {
            let triangles = triangles(shape, leaves, lanes);
            let [(ids_i, i), (ids_j, j)] = [0, 1].map(|side| {
                let ids = vertices[leaves[side] as usize].triangle(usize::from(lanes[side]));
                (ids, shape.mesh().corners(triangles[side]))
            });
            if meet_beyond_shared((&ids_i, &i), (&ids_j, &j)) {
                found.push(ordered(triangles));
            }
        }
    }
}

/// Returns two triangles by leaf and lane.
#[inline(always)]
fn triangles(shape: &MeshShape, leaves: [u32; 2], lanes: [u8; 2]) -> [u32; 2] {
    let (order, leaf_size) = (shape.tree().order(), shape.tree().leaf_size() as usize);
    [0, 1].map(|side| order[leaves[side] as usize * leaf_size + usize::from(lanes[side])])
}

/// Returns the pair with the lesser number first.
#[inline(always)]
fn ordered([i, j]: [u32; 2]) -> [u32; 2] {
    [i.min(j), i.max(j)]
}

/// Processes the pairs that remain queued after the walk.
struct SelfFlushKernel<'x, 'a>(&'x mut SelfPairs<'a>);

impl Kernel for SelfFlushKernel<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: WideIsa>(self, isa: I) {
        self.0.go_through(isa, true);
    }
}
