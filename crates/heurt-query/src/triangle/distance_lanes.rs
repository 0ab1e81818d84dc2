//! Lower and upper bounds of the distances of eight pairs of triangles, in `f32`.
//!
//! In: corners in one frame, and δ, a bound on the error of any component of a difference of corners. Out: per lane a
//! lower bound and an upper bound of the distance, and the offset from the first triangle to the second.
//! Method: any two points of two triangles are at least as far from each other as the nearest ones: they give an upper
//! bound. Along any direction the gap of the triangles is at most their distance: it gives a lower bound. Fast
//! approximations of the nearest points (of two edges each, and of each corner and the opposite face) give the upper
//! bound, the direction between them the lower bound. The bounds are equal up to rounding, and rounding cannot
//! invalidate them.
//!
//! # The bounds
//! δ, as computed in `intersecting_pairs`, is at least 3u times every coordinate and difference here. The points are
//! combinations of corners, with weights from 0 to 1 whose sum is off by 4u at most. So each component of the
//! difference n is off by at most e = 9δ, and the distance is at most |n| + 2e. Along n / |n| each corner is off by
//! √3·e and the rounding of products and differences, less than 8e in all. Both bounds are moved outward by 2⁻²⁰ for
//! the rounding of root and quotient. If |n|² is tiny or something is not a number, the lower bound is 0, and the upper
//! bound is infinite or, in the latter case, `NaN`.

use crate::numeric::lane_vectors::{cross, dot, minus};
use crate::triangle::pair_filter::CornerLanes;
use heurt_bvh::simd::Lanes;

/// Lower and upper bounds of eight distances.
pub(crate) struct TriangleDistances<F> {
    /// Lower bound of the distance.
    pub at_least: F,
    /// Upper bound of the distance.
    pub at_most: F,
    /// Offset from a point of the first triangle to a point of the second, if they are disjoint.
    pub offset: [F; 3],
}

const OUTWARD: f32 = 1.0 / (1u32 << 20) as f32;
const MIN_SQ: f32 = 1e-30;

/// The shortest offset found.
struct Shortest<F> {
    offset: [F; 3],
    length_sq: F,
}

impl<F: Lanes<8>> Shortest<F> {
    /// Takes another offset if it is shorter and `counts` is true (its sign bit is set).
    #[inline(always)]
    fn offer_where(&mut self, counts: F, offset: &[F; 3]) {
        let length_sq = dot(offset, offset);
        let takes = self.length_sq.gt(length_sq).and(counts);
        let mut axis = 0;
        while axis < 3 {
            self.offset[axis] = takes.select(offset[axis], self.offset[axis]);
            axis += 1;
        }
        self.length_sq = takes.select(length_sq, self.length_sq);
    }
}

/// Bounds the distances of the triangles `p` and `q`, lane by lane.
#[inline(always)]
pub(crate) fn distances<F: Lanes<8>>(
    CornerLanes(p): &CornerLanes<F>,
    CornerLanes(q): &CornerLanes<F>,
    delta: f32,
) -> TriangleDistances<F> {
    let (zero, always) = (F::splat(0.0), F::splat(-0.0));
    let (along_p, along_q) = (edges(p), edges(q));
    let mut best = Shortest { offset: [zero; 3], length_sq: F::splat(f32::INFINITY) };
    let mut i = 0;
    while i < 3 {
        let of_p = &along_p[i];
        let whole_p = dot(of_p, of_p);
        let mut j = 0;
        while j < 3 {
            let of_q = &along_q[j];
            let between = minus(&q[j], &p[i]);
            let (whole_q, both) = (dot(of_q, of_q), dot(of_p, of_q));
            let (on_p, on_q) = (dot(of_p, &between), dot(of_q, &between));
            // The common perpendicular, then the foot of its end on the second edge, and back.
            let sine_sq = whole_p.mul(whole_q).sub(both.mul(both));
            let s = share(on_p.mul(whole_q).sub(on_q.mul(both)), sine_sq);
            let t = share(both.mul(s).sub(on_q), whole_q);
            let s = share(both.mul(t).add(on_p), whole_p);
            let mut offset = between;
            let mut axis = 0;
            while axis < 3 {
                offset[axis] = between[axis].add(t.mul(of_q[axis])).sub(s.mul(of_p[axis]));
                axis += 1;
            }
            best.offer_where(always, &offset);
            j += 1;
        }
        i += 1;
    }
    corners_over_face(p, &along_p, q, F::splat(1.0), &mut best);
    corners_over_face(q, &along_q, p, F::splat(-1.0), &mut best);
    let Shortest { offset, length_sq } = best;
    let (length, error) = (length_sq.sqrt(), F::splat(9.0 * delta));
    // Relative to a corner of the first triangle.
    let reach_p = dot(&offset, &along_p[0]).max(zero.sub(dot(&offset, &along_p[2]))).max(zero);
    let [a, b, c] = [minus(&q[0], &p[0]), minus(&q[1], &p[0]), minus(&q[2], &p[0])];
    let reach_q = dot(&offset, &a).min(dot(&offset, &b)).min(dot(&offset, &c));
    let gap = reach_q.sub(reach_p).div(length).sub(error.mul(F::splat(8.0))).max(zero);
    // Differences whose squares are too small to be accurate give the lower bound 0.
    let gap = length_sq.gt(F::splat(MIN_SQ)).select(gap, zero);
    TriangleDistances {
        at_least: gap.mul(F::splat(1.0 - OUTWARD)),
        at_most: length.add(error.add(error)).mul(F::splat(1.0 + OUTWARD)),
        offset,
    }
}

/// Returns the edges, each from one corner to the next.
#[inline(always)]
fn edges<F: Lanes<8>>(t: &[[F; 3]; 3]) -> [[F; 3]; 3] {
    [minus(&t[1], &t[0]), minus(&t[2], &t[1]), minus(&t[0], &t[2])]
}

/// Offers the offsets between the face `t`, which has `edges`, and each corner of `of` that is over it; `sign` is one
/// if the offset begins on the face, else minus one.
#[inline(always)]
fn corners_over_face<F: Lanes<8>>(
    t: &[[F; 3]; 3],
    edges: &[[F; 3]; 3],
    of: &[[F; 3]; 3],
    sign: F,
    best: &mut Shortest<F>,
) {
    let (zero, one) = (F::splat(0.0), F::splat(1.0));
    let normal = cross(&edges[0], &edges[1]);
    let per_area = one.div(dot(&normal, &normal));
    let inward = [cross(&normal, &edges[0]), cross(&normal, &edges[1]), cross(&normal, &edges[2])];
    let mut corner = 0;
    while corner < 3 {
        let from = [minus(&of[corner], &t[0]), minus(&of[corner], &t[1]), minus(&of[corner], &t[2])];
        // The distance inside an edge is the weight of the opposite corner times the square of the normal.
        let sides = [dot(&inward[0], &from[0]), dot(&inward[1], &from[1]), dot(&inward[2], &from[2])];
        let is_over = sides[0].min(sides[1]).min(sides[2]).gt(zero);
        let of_second = sides[2].mul(per_area).max(zero).min(one);
        let of_third = sides[0].mul(per_area).max(zero).min(one.sub(of_second));
        let mut offset = from[0];
        let mut axis = 0;
        while axis < 3 {
            let foot = of_second.mul(edges[0][axis]).sub(of_third.mul(edges[2][axis]));
            offset[axis] = offset[axis].sub(foot).mul(sign);
            axis += 1;
        }
        best.offer_where(is_over, &offset);
        corner += 1;
    }
}

/// Returns a point of an edge, as a share of its length. `max` returns its second argument if the first is not a
/// number, so an edge without length gives its start.
#[inline(always)]
fn share<F: Lanes<8>>(part: F, whole: F) -> F {
    part.div(whole).max(F::splat(0.0)).min(F::splat(1.0))
}
