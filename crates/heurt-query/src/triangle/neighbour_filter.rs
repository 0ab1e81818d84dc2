//! Filter of neighbouring triangles, eight at a time: a triangle provably meets each of eight others in their common
//! corner or edge only, or the case is undecided.
//!
//! In: two leaf blocks in `f32` and the numbers of their corners. Out: masks of lanes.
//! Method: a plane through the common corner or edge that has both triangles strictly on its two sides. For a corner
//! its normal is the difference of the directions of the triangles. For an edge the plane contains the sum of the
//! normals of the two triangles, each of length 1 and turned so that they agree where the surface is flat.
//!
//! # The bound
//! Corners are relative to a common corner *of the same block*, so the distance of the blocks adds no error. With u =
//! 2⁻²⁴, the radius r of a block and the rounding f of the frame, a difference of corners is off by e ≤ 4ur + 2f, and
//! is at most 2r. Any numbers n make a valid plane. Corner: n·a is off by |n|₁ e and rounds by 6ur |n|₁. Edge E and
//! vector w: det(E, w, a) is off by 18 r e |w|₁ and rounds by 168 u r² |w|₁, with r the greater radius.
//! Underflow: a power of two brings the greater radius between 1 and 2, so that products of the larger block do not
//! underflow. A product that does is off by the least normal number, since some processors flush smaller ones to zero:
//! a determinant by 28 of them.

use crate::numeric::lane_vectors::{absolute_sum, cross, dot, minus, plus, scaled, selected, size, splat};
use crate::triangle::pair_filter::CornerLanes;
use heurt_bvh::simd::Lanes;
use heurt_shape::{TriBlock, VertexBlock};

/// The rounding of `f32`.
const UNIT: f32 = 1.0 / (1u32 << 24) as f32;

/// The error of a determinant whose products underflow.
const UNDERFLOW: f32 = 32.0 * f32::MIN_POSITIVE;

/// The corners that each of eight triangles has in common with a single one.
pub(crate) struct CommonCorners<'a, F> {
    /// `equal[i][j]`: corner i of the eight is corner j of the single one.
    equal: [[F; 3]; 3],
    eight: &'a VertexBlock,
    single: &'a VertexBlock,
    /// The lane of the single one.
    lane: usize,
}

impl<'a, F: Lanes<8>> CommonCorners<'a, F> {
    #[inline(always)]
    pub fn new(eight: &'a VertexBlock, single: &'a VertexBlock, lane: usize) -> Self {
        let mut equal = [[F::splat(0.0); 3]; 3];
        let mut i = 0;
        while i < 3 {
            let of_eight = F::load(&eight.vertices[i]);
            let mut j = 0;
            while j < 3 {
                equal[i][j] = of_eight.eq(F::splat(single.vertices[j][lane & 7]));
                j += 1;
            }
            i += 1;
        }
        Self { equal, eight, single, lane }
    }

    /// Returns a mask of the triangles with a common corner.
    #[inline(always)]
    pub fn bits(&self) -> u32 {
        let [a, b, c] = self.by_corner_of_eight();
        a.or(b).or(c).bits()
    }

    #[inline(always)]
    fn by_corner_of_eight(&self) -> [F; 3] {
        let [a, b, c] = &self.equal;
        [a[0].or(a[1]).or(a[2]), b[0].or(b[1]).or(b[2]), c[0].or(c[1]).or(c[2])]
    }

    #[inline(always)]
    fn by_corner_of_single(&self) -> [F; 3] {
        let [a, b, c] = &self.equal;
        [a[0].or(b[0]).or(c[0]), a[1].or(b[1]).or(c[1]), a[2].or(b[2]).or(c[2])]
    }

    /// Returns a mask of the triangles that have exactly one corner, or two, in common with the single one, and
    /// provably nothing beyond that corner or that edge. `rounding` bounds the error of coordinates of the frame.
    #[inline(always)]
    pub fn provably_disjoint_elsewhere(&self, eight: &TriBlock, single: &TriBlock, rounding: f32) -> u32 {
        let (common_a, common_b) = (self.by_corner_of_single(), self.by_corner_of_eight());
        let (count_a, count_b) = (count(&common_a), count(&common_b));
        let (one, two) = (F::splat(1.0), F::splat(2.0));
        let is_corner = count_a.eq(one).and(count_b.eq(one));
        let is_edge = count_a.eq(two).and(count_b.eq(two));
        // The common corner, or the corner off the common edge, and the corners after it.
        let lane = self.lane & 7;
        let corners = &single.corners;
        let Some(scale) = scale_of(single.radius(), eight.radius()) else { return 0 };
        let (a, b) = (CornerLanes::<F>::all_like(corners, lane), CornerLanes::<F>::of_block(eight));
        let (a, b) = (a.scaled(scale).0, b.scaled(scale).0);
        let (radius_a, radius_b, rounding) = (scale * single.radius(), scale * eight.radius(), scale * rounding);
        let (order_a, order_b) = (CornerOrder::new(&common_a, is_edge), CornerOrder::new(&common_b, is_edge));
        let (a, b) = (order_a.vectors(&a), order_b.vectors(&b));
        let [x, y, z] = &self.single.vertices;
        let ids_a = order_a.numbers(&splat(&[x[lane], y[lane], z[lane]]));
        let [x, y, z] = &self.eight.vertices;
        let ids_b = order_b.numbers(&[F::load(x), F::load(y), F::load(z)]);

        let mut sure = 0;
        if is_corner.bits() != 0 {
            let a = [minus(&a[1], &a[0]), minus(&a[2], &a[0])];
            let b = [minus(&b[1], &b[0]), minus(&b[2], &b[0])];
            let normal = difference_of_directions(&plus(&a[0], &a[1]), &plus(&b[0], &b[1]));
            let error = absolute_sum(&normal);
            let error_a = error.mul(F::splat(16.0 * UNIT * radius_a + 4.0 * rounding)).add(F::splat(UNDERFLOW));
            let error_b = error.mul(F::splat(16.0 * UNIT * radius_b + 4.0 * rounding)).add(F::splat(UNDERFLOW));
            let least_a = dot(&normal, &a[0]).min(dot(&normal, &a[1]));
            let most_b = dot(&normal, &b[0]).max(dot(&normal, &b[1]));
            let is_separate = least_a.gt(error_a).and(F::splat(0.0).sub(error_b).gt(most_b));
            sure |= is_separate.and(is_corner).bits();
        }
        if is_edge.bits() != 0 {
            let [apex_a, from_a, to_a] = &a;
            let [apex_b, from_b, to_b] = &b;
            let is_same_direction = ids_a[1].eq(ids_b[1]);
            let from_b = selected(is_same_direction, from_b, to_b);
            let (edge, a, b) = (minus(to_a, from_a), minus(apex_a, from_a), minus(apex_b, &from_b));
            let normals = [cross(&edge, &a), cross(&b, &edge)];
            let [size_a, size_b] = [size(&normals[0]), size(&normals[1])];
            let within = plus(&scaled(&normals[0], size_b), &scaled(&normals[1], size_a));
            let side = cross(&edge, &within);
            let radius = if radius_a > radius_b { radius_a } else { radius_b };
            let error = F::splat(radius * (512.0 * UNIT * radius + 64.0 * rounding)).mul(absolute_sum(&within));
            let error = error.add(F::splat(UNDERFLOW));
            let is_separate = F::splat(0.0).sub(error).gt(dot(&side, &a)).and(dot(&side, &b).gt(error));
            sure |= is_separate.and(is_edge).bits();
        }
        sure
    }
}

/// Returns the power of two that brings the greater radius between 1 and 2; `None` if that is no normal number.
#[inline(always)]
fn scale_of(a: f32, b: f32) -> Option<f32> {
    let exponent = (if a > b { a } else { b }).to_bits() >> 23;
    // The exponent of 1 is 127.
    if exponent > 0 && exponent < 254 { Some(f32::from_bits((254 - exponent) << 23)) } else { None }
}

/// Order of the corners of triangles from a chosen one.
struct CornerOrder<F> {
    is_first: F,
    is_second: F,
}

impl<F: Lanes<8>> CornerOrder<F> {
    /// Chooses the only common corner, or in lanes of `is_edge` the only corner that is not common.
    #[inline(always)]
    fn new(common: &[F; 3], is_edge: F) -> Self {
        Self { is_first: common[0].xor(is_edge), is_second: common[1].xor(is_edge) }
    }

    #[inline(always)]
    fn numbers(&self, [x, y, z]: &[F; 3]) -> [F; 3] {
        [self.pick(*x, *y, *z), self.pick(*y, *z, *x), self.pick(*z, *x, *y)]
    }

    #[inline(always)]
    fn pick(&self, first: F, second: F, third: F) -> F {
        self.is_first.select(first, self.is_second.select(second, third))
    }

    #[inline(always)]
    fn vectors(&self, [a, b, c]: &[[F; 3]; 3]) -> [[F; 3]; 3] {
        let [x, y, z] =
            [self.numbers(&[a[0], b[0], c[0]]), self.numbers(&[a[1], b[1], c[1]]), self.numbers(&[a[2], b[2], c[2]])];
        [[x[0], y[0], z[0]], [x[1], y[1], z[1]], [x[2], y[2], z[2]]]
    }
}

/// Counts the true masks of each lane.
#[inline(always)]
fn count<F: Lanes<8>>(masks: &[F; 3]) -> F {
    let one = F::splat(1.0);
    masks[0].and(one).add(masks[1].and(one)).add(masks[2].and(one))
}

/// Returns a positive multiple of the difference of two directions, each divided by its largest component.
#[inline(always)]
fn difference_of_directions<F: Lanes<8>>(a: &[F; 3], b: &[F; 3]) -> [F; 3] {
    minus(&scaled(a, size(b)), &scaled(b, size(a)))
}
