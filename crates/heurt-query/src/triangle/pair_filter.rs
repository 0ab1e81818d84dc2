//! Intersection filter for pairs of triangles, as many at a time as there are lanes: each pair provably meets, is
//! provably disjoint, or is undecided.
//!
//! In: corners in `f32` in one frame, and δ, a bound on the error of any component of a difference of corners. Out:
//! bits of lanes.
//! Method: Guigue and Devillers (2003), as `heurt_geometry::triangles_intersect`, with every sign certified only beyond
//! its bound.
//!
//! # The bound
//! Every sign is the sign of a triple product of differences x, y, z with largest components X, Y, Z. It has six
//! products of three factors. Errors of the data move them by at most 6δ(YZ + ZX + XY) if X, Y, Z are taken δ larger,
//! which covers the terms of higher order. Their own rounding (two products, a difference, two sums) is under 6·5u·XYZ.
//! Long thin triangles have small determinants: therefore the bound depends on the vectors and not on one size for all.

use crate::numeric::lane_vectors::{arrays, cross, dot, load, minus, size, splat};
use heurt_bvh::simd::{Halves, Lanes};
use heurt_shape::TriBlock;

/// Three corners of a triangle in each lane, axis by axis.
pub(crate) struct CornerLanes<F>(pub [[F; 3]; 3]);

/// Masks of classified pairs; bits that are in neither are provably disjoint.
pub(crate) struct PairMasks {
    /// Pairs that provably meet.
    pub meeting: u32,
    /// Undecided pairs.
    pub open: u32,
}

impl<F: Lanes<8>> CornerLanes<F> {
    /// Loads the triangles of a block.
    #[inline(always)]
    pub fn of_block(block: &TriBlock) -> Self {
        let [a, b, c] = &block.corners;
        Self([load(a), load(b), load(c)])
    }

    /// Returns the triangles translated: `shift` is added to every corner.
    #[inline(always)]
    pub fn shifted(mut self, shift: &[F; 3]) -> Self {
        let mut corner = 0;
        while corner < 3 {
            let mut axis = 0;
            while axis < 3 {
                self.0[corner][axis] = self.0[corner][axis].add(shift[axis]);
                axis += 1;
            }
            corner += 1;
        }
        self
    }

    /// Returns the triangles with every coordinate multiplied by `scale`.
    #[inline(always)]
    pub fn scaled(mut self, scale: f32) -> Self {
        let scale = F::splat(scale);
        let mut corner = 0;
        while corner < 3 {
            let mut axis = 0;
            while axis < 3 {
                self.0[corner][axis] = self.0[corner][axis].mul(scale);
                axis += 1;
            }
            corner += 1;
        }
        self
    }

    /// Copies one of eight triangles to all lanes.
    #[inline(always)]
    pub fn all_like(corners: &[[[f32; 8]; 3]; 3], lane: usize) -> Self {
        let [a, b, c] = corners;
        Self([splat(&at(a, lane)), splat(&at(b, lane)), splat(&at(c, lane))])
    }

    /// Loads the triangles from the result of [`CornerLanes::to_arrays`].
    #[inline(always)]
    pub fn of_arrays([a, b, c]: &[[[f32; 8]; 3]; 3]) -> Self {
        Self([load(a), load(b), load(c)])
    }

    /// Stores the triangles as arrays, for access by lane.
    #[inline(always)]
    pub fn to_arrays(&self) -> [[[f32; 8]; 3]; 3] {
        let [a, b, c] = &self.0;
        [arrays(a), arrays(b), arrays(c)]
    }

    /// Puts into lane k the triangle given by byte k of `from`.
    #[inline(always)]
    pub fn picked(&self, from: u64) -> Self
    where
        F: Halves,
    {
        let mut out = self.0;
        let mut corner = 0;
        while corner < 3 {
            let mut axis = 0;
            while axis < 3 {
                out[corner][axis] = self.0[corner][axis].picked(from);
                axis += 1;
            }
            corner += 1;
        }
        Self(out)
    }

    /// Computes the boxes of the triangles.
    #[inline(always)]
    pub fn boxes(&self) -> Boxes<F> {
        let [a, b, c] = &self.0;
        Boxes {
            min: [a[0].min(b[0]).min(c[0]), a[1].min(b[1]).min(c[1]), a[2].min(b[2]).min(c[2])],
            max: [a[0].max(b[0]).max(c[0]), a[1].max(b[1]).max(c[1]), a[2].max(b[2]).max(c[2])],
        }
    }
}

/// Returns one lane of a corner.
#[inline(always)]
fn at(corner: &[[f32; 8]; 3], lane: usize) -> [f32; 3] {
    [corner[0][lane & 7], corner[1][lane & 7], corner[2][lane & 7]]
}

/// The boxes of eight triangles.
pub(crate) struct Boxes<F> {
    min: [F; 3],
    max: [F; 3],
}

impl<F: Lanes<8>> Boxes<F> {
    /// Loads the boxes from the result of [`Boxes::to_arrays`].
    #[inline(always)]
    pub fn of_arrays([min, max]: &[[[f32; 8]; 3]; 2]) -> Self {
        Self { min: load(min), max: load(max) }
    }

    /// Stores the boxes as arrays, for access by lane.
    #[inline(always)]
    pub fn to_arrays(&self) -> [[[f32; 8]; 3]; 2] {
        [arrays(&self.min), arrays(&self.max)]
    }

    /// Returns a mask of the lanes whose boxes come within `error` of the box of half extents `half` around `centre`.
    #[inline(always)]
    pub fn meet_box(&self, centre: &[f32; 3], half: &[f32; 3], error: f32) -> u32 {
        let mut gap = F::splat(f32::NEG_INFINITY);
        let mut axis = 0;
        while axis < 3 {
            let under = self.min[axis].sub(F::splat(centre[axis] + half[axis]));
            let over = F::splat(centre[axis] - half[axis]).sub(self.max[axis]);
            gap = under.max(over).max(gap);
            axis += 1;
        }
        !gap.gt(F::splat(error)).bits() & 0xff
    }

    /// Computes the squared gaps to one of eight boxes, each component reduced by `error`.
    #[inline(always)]
    pub fn gaps_sq(&self, [min, max]: &[[[f32; 8]; 3]; 2], lane: usize, error: f32) -> F {
        let (zero, error) = (F::splat(0.0), F::splat(error));
        let mut sum = zero;
        let mut axis = 0;
        while axis < 3 {
            let under = F::splat(min[axis][lane & 7]).sub(self.max[axis]);
            let over = self.min[axis].sub(F::splat(max[axis][lane & 7]));
            // `max` returns its second argument if the first is not a number.
            let gap = under.max(over).sub(error).max(zero);
            sum = gap.mul(gap).add(sum);
            axis += 1;
        }
        sum
    }

    /// Returns a mask of the lanes whose boxes come within `error` of one of eight boxes.
    #[inline(always)]
    pub fn meet(&self, [min, max]: &[[[f32; 8]; 3]; 2], lane: usize, error: f32) -> u32 {
        let mut gap = F::splat(f32::NEG_INFINITY);
        let mut axis = 0;
        while axis < 3 {
            let under = F::splat(min[axis][lane & 7]).sub(self.max[axis]);
            let over = self.min[axis].sub(F::splat(max[axis][lane & 7]));
            gap = under.max(over).max(gap);
            axis += 1;
        }
        !gap.gt(F::splat(error)).bits() & 0xff
    }
}

/// Classifies the lanes in the mask `valid`; `error` is the δ of the module's bound, of each lane (infinite: no sign is
/// certified).
#[inline(always)]
pub(crate) fn classify<F: Lanes<W>, const W: usize>(
    CornerLanes(p): &CornerLanes<F>,
    CornerLanes(q): &CornerLanes<F>,
    error: F,
    valid: u32,
) -> PairMasks {
    let zero = F::splat(0.0);
    let (u, v) = (minus(&q[1], &q[0]), minus(&q[2], &q[0]));
    let between = minus(&p[0], &q[0]);
    // Corners of P relative to Q's first.
    let (p1, p2) = (minus(&p[1], &q[0]), minus(&p[2], &q[0]));
    let gap = size(&between);
    let over_q = cross(&u, &v);
    let of_p = [dot(&over_q, &between), dot(&over_q, &p1), dot(&over_q, &p2)];
    let bound_p = doubt(size(&u), size(&v), gap.max(size(&p1)).max(size(&p2)), error);
    let open = valid & !one_sided(&of_p, bound_p).bits();
    if open == 0 {
        return PairMasks { meeting: 0, open: 0 };
    }
    // Corners of Q relative to P's first.
    let (r, s) = (minus(&p[1], &p[0]), minus(&p[2], &p[0]));
    let (q1, q2) = (minus(&q[1], &p[0]), minus(&q[2], &p[0]));
    let over_p = cross(&r, &s);
    let of_q = [zero.sub(dot(&over_p, &between)), dot(&over_p, &q1), dot(&over_p, &q2)];
    let bound_q = doubt(size(&r), size(&s), gap.max(size(&q1)).max(size(&q2)), error);
    let open = open & !one_sided(&of_q, bound_q).bits();
    if open == 0 {
        return PairMasks { meeting: 0, open: 0 };
    }
    let known = beyond(&of_p, bound_p).and(beyond(&of_q, bound_q)).bits();
    if open & known == 0 {
        return PairMasks { meeting: 0, open };
    }
    let (lone_p, lone_q) = (Lone::new(&of_p, zero), Lone::new(&of_q, zero));
    let (p, q) = (lone_p.first(p, lone_q.below), lone_q.first(q, lone_p.below));
    // The intervals on the common line of both planes overlap if each begins before the end of its counterpart.
    let (p1, p2) = (minus(&p[1], &p[0]), minus(&p[2], &p[0]));
    let (q0, q1, q2) = (minus(&q[0], &p[0]), minus(&q[1], &p[0]), minus(&q[2], &p[0]));
    let (begins, ends) = (dot(&cross(&p1, &q0), &q1), dot(&cross(&p2, &q2), &q0));
    let bound_begins = doubt(size(&p1), size(&q0), size(&q1), error);
    let bound_ends = doubt(size(&p2), size(&q2), size(&q0), error);
    let missing = begins.gt(bound_begins).or(ends.gt(bound_ends)).bits() & known;
    let meets = zero.sub(bound_begins).gt(begins).and(zero.sub(bound_ends).gt(ends));
    let meeting = meets.bits() & known & open;
    PairMasks { meeting, open: open & !meeting & !missing }
}

/// Computes the error bound of a triple product of vectors of sizes `x`, `y` and `z`.
#[inline(always)]
fn doubt<F: Lanes<W>, const W: usize>(x: F, y: F, z: F, delta: F) -> F {
    let (x, y, z) = (x.add(delta), y.add(delta), z.add(delta));
    let (xy, sum) = (x.mul(y), x.add(y));
    // 6 and 30, rounded up to cover the rounding of the bound itself.
    let of_data = xy.add(sum.mul(z)).mul(F::splat(6.1).mul(delta));
    xy.mul(z).mul(F::splat(31.0 / (1u32 << 24) as f32)).add(of_data)
}

/// In each lane, the corner alone on its side of the second triangle's plane.
struct Lone<F> {
    is_second: F,
    is_third: F,
    below: F,
}

impl<F> Lone<F> {
    /// Finds the corner from the signs of the three corners, which are neither zero nor all equal.
    #[inline(always)]
    fn new<const W: usize>(sides: &[F; 3], zero: F) -> Self
    where
        F: Lanes<W>,
    {
        let [a, b, c] = [sides[0].gt(zero), sides[1].gt(zero), sides[2].gt(zero)];
        // The second differs from both others, or the third does.
        let (is_second, is_third) = (a.xor(b).and(b.xor(c)), a.xor(c).and(b.xor(c)));
        let above = is_third.select(c, is_second.select(b, a));
        // The sign bit represents truth.
        Self { is_second, is_third, below: above.xor(F::splat(-0.0)) }
    }

    /// Returns the corners starting from the lone one, in reverse order if `turned` is set.
    #[inline(always)]
    fn first<const W: usize>(&self, t: &[[F; 3]; 3], turned: F) -> [[F; 3]; 3]
    where
        F: Lanes<W>,
    {
        let mut out = *t;
        let mut axis = 0;
        while axis < 3 {
            let [a, b, c] = [t[0][axis], t[1][axis], t[2][axis]];
            let next = self.is_third.select(a, self.is_second.select(c, b));
            let last = self.is_third.select(b, self.is_second.select(a, c));
            out[0][axis] = self.is_third.select(c, self.is_second.select(b, a));
            out[1][axis] = turned.select(last, next);
            out[2][axis] = turned.select(next, last);
            axis += 1;
        }
        out
    }
}

/// Returns true if all three sides are beyond the bound on the same side.
#[inline(always)]
fn one_sided<F: Lanes<W>, const W: usize>(sides: &[F; 3], bound: F) -> F {
    let least = sides[0].min(sides[1]).min(sides[2]);
    let greatest = sides[0].max(sides[1]).max(sides[2]);
    least.gt(bound).or(F::splat(0.0).sub(bound).gt(greatest))
}

/// Returns true if none of the three is within the bound.
#[inline(always)]
fn beyond<F: Lanes<W>, const W: usize>(sides: &[F; 3], bound: F) -> F {
    sides[0].abs().min(sides[1].abs()).min(sides[2].abs()).gt(bound)
}
