//! The leaves of two meshes against each other: a filter over eight triangle pairs at a time, then the exact test.
//!
//! In: blocks of up to four triangles of each mesh, in the local `f32` frames of their trees. Out: the pairs of triangles
//! whose placed `f64` versions intersect.
//! Method: two triangles are apart when the corners of one lie strictly on one side of the other's plane (S0 §4.2 first
//! asks the same of an edge). The filter asks it both ways in `f32` and believes it only beyond an error bound.
//!
//! # The bound
//! Let E bound the error of a corner (both blocks' rounding, the placement of B's into A's frame, and the rounding of the
//! contract's placement: `Placement::error` covers all of them). A side is the triple product of two edges (errors ≤ 2E)
//! and a difference of corners (error ≤ E); with M the largest component plus 2E, six products of three factors err by at
//! most 6·3·2E·M² = 36E·M², and their own rounding by under 36u·M³ ≤ 6E·M² (E ≥ 16u·M by its definition). So 42E·M²
//! suffices. The axis between the centroids has components of at most 7M and is taken as given; projections of differences
//! of corners err by at most 21M·1.25E, their rounding by 16M·E: 64M·E suffices.

use heurt_bvh::relative::{Placement, RelativePose};
use heurt_bvh::simd::{Avx2, Halves, Lanes, LanesFor, WideIsa};
use heurt_bvh::walk::{PairVisitor, walk_pair};
use heurt_bvh::{Leaf, Work};
use heurt_geometry::{Pose, Triangle, triangles_intersect};
use heurt_shape::{MeshShape, MeshTree, TriBlock};
use std::ops::ControlFlow;

/// A mesh with a tree of any degree, and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a, const W: usize> {
    /// The shape whose mesh is asked.
    pub shape: &'a MeshShape,
    /// A tree over that mesh.
    pub tree: &'a MeshTree<W>,
    /// Its pose in the world.
    pub pose: &'a Pose,
}

impl<'a> Placed<'a, 8> {
    /// The shape with its own tree.
    #[inline(always)]
    pub fn new(shape: &'a MeshShape, pose: &'a Pose) -> Self {
        Self { shape, tree: shape.mesh_tree(), pose }
    }
}

/// Walks both trees and hands the intersecting pairs of triangles to `found` until it breaks.
#[inline(always)]
pub(crate) fn for_each_pair<const W: usize>(
    a: Placed<'_, W>,
    b: Placed<'_, W>,
    found: impl FnMut(u32, u32) -> ControlFlow<()>,
) -> Work
where
    Avx2: LanesFor<W>,
{
    let relative = RelativePose::new(a.tree.bvh().frame(), a.pose, b.tree.bvh().frame(), b.pose);
    let mut visitor = LeafPairs { a, b, b_in_a: relative.b_in_a, found };
    walk_pair(a.tree.bvh(), b.tree.bvh(), &relative, &mut visitor)
}

/// Finds intersecting triangles of two placed meshes and hands them to `found` until it breaks.
struct LeafPairs<'a, F, const W: usize> {
    a: Placed<'a, W>,
    b: Placed<'a, W>,
    b_in_a: Placement,
    found: F,
}

impl<F: FnMut(u32, u32) -> ControlFlow<()>, const W: usize> LeafPairs<'_, F, W> {
    /// Decides the pairs of lanes named in `candidates`: bit 4·j + i is triangle i of A and triangle j of B.
    fn decide(&mut self, mut candidates: u32, leaf_a: Leaf, leaf_b: Leaf) -> ControlFlow<()> {
        let (of_a, of_b) = (self.a.tree.bvh().primitives(leaf_a), self.b.tree.bvh().primitives(leaf_b));
        let mut placed_a: [Option<Triangle>; 4] = [None; 4];
        let (mut current, mut placed_b) = (usize::MAX, None);
        while candidates != 0 {
            let bit = candidates.trailing_zeros() as usize;
            candidates &= candidates - 1;
            let (i, j) = (bit & 3, bit >> 2);
            if j != current {
                (current, placed_b) = (j, Some(place(self.b.shape, self.b.pose, of_b[j])));
            }
            let x = *placed_a[i].get_or_insert_with(|| place(self.a.shape, self.a.pose, of_a[i]));
            if let Some(y) = placed_b
                && triangles_intersect(&x, &y)
            {
                (self.found)(of_a[i], of_b[j])?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// The triangle as the contract places it.
#[inline(always)]
pub(crate) fn place(shape: &MeshShape, pose: &Pose, triangle: u32) -> Triangle {
    let [a, b, c] = shape.mesh().corners(triangle);
    [pose.place(a), pose.place(b), pose.place(c)]
}

impl<F: FnMut(u32, u32) -> ControlFlow<()>, const W: usize> PairVisitor for LeafPairs<'_, F, W> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        0.0
    }

    #[inline(always)]
    fn leaves<I: WideIsa>(&mut self, isa: I, leaf_a: Leaf, leaf_b: Leaf) -> ControlFlow<()> {
        let block_a = &self.a.tree.blocks()[leaf_a.ordinal as usize];
        let block_b = &self.b.tree.blocks()[leaf_b.ordinal as usize];
        let error = self.b_in_a.error;
        let placed = placed_corners(isa, &self.b_in_a, block_b);
        let corners_a = Corners::<I>::twice(block_a);
        let (boxes_a, boxes_b) = (Boxes::new(&corners_a), lane_boxes(isa, &placed));
        let used_a = ((1u32 << leaf_a.count) - 1) * 0x11;
        let mut candidates = 0;
        let mut j = 0;
        while j < leaf_b.count as usize {
            // Lanes 0 to 3 are triangle j of B, lanes 4 to 7 the next one (or j again, masked out, behind the last).
            let next = (j + 1).min(leaf_b.count as usize - 1);
            let used = if next > j { used_a } else { used_a & 0xf };
            let mut near = boxes_a.meet(&boxes_b, j, next, error) & used;
            if near != 0 {
                near &= may_meet(&corners_a, &Corners::<I>::halves(&placed, j, next), error);
            }
            candidates |= near << (4 * j);
            j += 2;
        }
        if candidates == 0 { ControlFlow::Continue(()) } else { self.decide(candidates, leaf_a, leaf_b) }
    }
}

type F8<I> = <I as LanesFor<8>>::F;
type F4<I> = <I as LanesFor<4>>::F;

/// Three corners of eight triangles, axis by axis.
struct Corners<I: LanesFor<8>>([[F8<I>; 3]; 3]);

impl<I: WideIsa> Corners<I> {
    /// The four triangles of a block, twice.
    #[inline(always)]
    fn twice(block: &TriBlock) -> Self {
        let mut out = [[F8::<I>::splat(0.0); 3]; 3];
        let mut k = 0;
        while k < 9 {
            out[k / 3][k % 3] = F8::<I>::twice(&block.corners[k / 3][k % 3]);
            k += 1;
        }
        Self(out)
    }

    /// Triangle `low` four times, then triangle `high` four times.
    #[inline(always)]
    fn halves(corners: &[[[f32; 4]; 3]; 3], low: usize, high: usize) -> Self {
        let mut out = [[F8::<I>::splat(0.0); 3]; 3];
        let mut k = 0;
        while k < 9 {
            let lanes = &corners[k / 3][k % 3];
            out[k / 3][k % 3] = F8::<I>::halves(lanes[low & 3], lanes[high & 3]);
            k += 1;
        }
        Self(out)
    }
}

/// The boxes of eight triangles.
struct Boxes<I: LanesFor<8>> {
    min: [F8<I>; 3],
    max: [F8<I>; 3],
}

impl<I: WideIsa> Boxes<I> {
    #[inline(always)]
    fn new(corners: &Corners<I>) -> Self {
        let [a, b, c] = &corners.0;
        Self {
            min: [a[0].min(b[0]).min(c[0]), a[1].min(b[1]).min(c[1]), a[2].min(b[2]).min(c[2])],
            max: [a[0].max(b[0]).max(c[0]), a[1].max(b[1]).max(c[1]), a[2].max(b[2]).max(c[2])],
        }
    }

    /// Bits of the lanes whose boxes meet those of B's triangles `low` (first half) and `high` (second half).
    #[inline(always)]
    fn meet(&self, b: &[[[f32; 4]; 3]; 2], low: usize, high: usize, error: f32) -> u32 {
        let mut gap = F8::<I>::splat(f32::NEG_INFINITY);
        let mut axis = 0;
        while axis < 3 {
            let (min, max) = (&b[0][axis], &b[1][axis]);
            let under = F8::<I>::halves(min[low & 3], min[high & 3]).sub(self.max[axis]);
            let over = self.min[axis].sub(F8::<I>::halves(max[low & 3], max[high & 3]));
            gap = under.max(over).max(gap);
            axis += 1;
        }
        !gap.gt(F8::<I>::splat(error)).bits() & 0xff
    }
}

/// Least and greatest coordinates of four triangles.
#[inline(always)]
fn lane_boxes<I: WideIsa>(_isa: I, corners: &[[[f32; 4]; 3]; 3]) -> [[[f32; 4]; 3]; 2] {
    let mut out = [[[0.0; 4]; 3]; 2];
    let mut axis = 0;
    while axis < 3 {
        let a = F4::<I>::load(&corners[0][axis]);
        let b = F4::<I>::load(&corners[1][axis]);
        let c = F4::<I>::load(&corners[2][axis]);
        out[0][axis] = a.min(b).min(c).to_array();
        out[1][axis] = a.max(b).max(c).to_array();
        axis += 1;
    }
    out
}

/// The corners of a block of B in A's local frame.
#[inline(always)]
fn placed_corners<I: WideIsa>(_isa: I, place: &Placement, block: &TriBlock) -> [[[f32; 4]; 3]; 3] {
    let splat = F4::<I>::splat;
    let mut out = [[[0.0; 4]; 3]; 3];
    let mut corner = 0;
    while corner < 3 {
        let [x, y, z] = &block.corners[corner];
        let (x, y, z) = (F4::<I>::load(x), F4::<I>::load(y), F4::<I>::load(z));
        let mut axis = 0;
        while axis < 3 {
            let turn = &place.turn;
            let turned = splat(turn[0][axis]).mul(x).add(splat(turn[1][axis]).mul(y)).add(splat(turn[2][axis]).mul(z));
            out[corner][axis] = turned.add(splat(place.translation[axis])).to_array();
            axis += 1;
        }
        corner += 1;
    }
    out
}

/// Bit k is clear only where triangles k are surely apart.
#[inline(always)]
fn may_meet<I: WideIsa>(p: &Corners<I>, q: &Corners<I>, error: f32) -> u32 {
    let (p, q) = (&p.0, &q.0);
    let (u, v) = (minus(&q[1], &q[0]), minus(&q[2], &q[0]));
    let (r, s) = (minus(&p[1], &p[0]), minus(&p[2], &p[0]));
    let between = minus(&p[0], &q[0]);
    // Corners of P from Q's first, and corners of Q from P's first.
    let (p1, p2) = (plus(&between, &r), plus(&between, &s));
    let (q1, q2) = (minus(&u, &between), minus(&v, &between));
    let mut largest = F8::<I>::splat(0.0);
    for vector in [&u, &v, &r, &s, &between, &p1, &p2, &q1, &q2] {
        for axis in vector {
            largest = axis.abs().max(largest);
        }
    }
    let two_errors = F8::<I>::splat(error + error);
    let reach = largest.add(two_errors);
    let bound = reach.mul(reach).mul(F8::<I>::splat(42.0 * error));
    let none = F8::<I>::splat(0.0);
    let normal = cross(&u, &v);
    let sides = [dot(&normal, &between), dot(&normal, &p1), dot(&normal, &p2)];
    let apart = one_sided(&sides, bound, none);
    let normal = cross(&r, &s);
    let sides = [none.sub(dot(&normal, &between)), dot(&normal, &q1), dot(&normal, &q2)];
    let apart = apart.or(one_sided(&sides, bound, none));
    // Along the line between the centroids, seen from P's first corner: three times P − Q.
    let axis = minus(&plus(&plus(&r, &s), &scaled(&between, F8::<I>::splat(3.0))), &plus(&u, &v));
    let of_p = extremes(none, dot(&axis, &r), dot(&axis, &s));
    let of_q = extremes(none.sub(dot(&axis, &between)), dot(&axis, &q1), dot(&axis, &q2));
    let bound = reach.mul(F8::<I>::splat(64.0 * error));
    !apart.or(of_p.0.sub(of_q.1).gt(bound)).bits() & 0xff
}

/// Least and greatest of three.
#[inline(always)]
fn extremes<F: Lanes<8>>(a: F, b: F, c: F) -> (F, F) {
    (a.min(b).min(c), a.max(b).max(c))
}

#[inline(always)]
fn scaled<F: Lanes<8>>(a: &[F; 3], by: F) -> [F; 3] {
    [a[0].mul(by), a[1].mul(by), a[2].mul(by)]
}

/// Truth where all three sides are beyond the bound on the same side.
#[inline(always)]
fn one_sided<F: Lanes<8>>(sides: &[F; 3], bound: F, zero: F) -> F {
    let least = sides[0].min(sides[1]).min(sides[2]);
    let greatest = sides[0].max(sides[1]).max(sides[2]);
    least.gt(bound).or(zero.sub(bound).gt(greatest))
}

#[inline(always)]
fn minus<F: Lanes<8>>(a: &[F; 3], b: &[F; 3]) -> [F; 3] {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

#[inline(always)]
fn plus<F: Lanes<8>>(a: &[F; 3], b: &[F; 3]) -> [F; 3] {
    [a[0].add(b[0]), a[1].add(b[1]), a[2].add(b[2])]
}

#[inline(always)]
fn cross<F: Lanes<8>>(a: &[F; 3], b: &[F; 3]) -> [F; 3] {
    [a[1].mul(b[2]).sub(a[2].mul(b[1])), a[2].mul(b[0]).sub(a[0].mul(b[2])), a[0].mul(b[1]).sub(a[1].mul(b[0]))]
}

#[inline(always)]
fn dot<F: Lanes<8>>(a: &[F; 3], b: &[F; 3]) -> F {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}
