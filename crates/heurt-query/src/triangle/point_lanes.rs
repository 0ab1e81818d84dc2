//! Lower and upper bounds of the distances of a point from eight triangles, in `f32`.
//!
//! In: a block of triangles and a point, in local units relative to the block's centre. Out: per lane a lower bound and
//! an upper bound of the squared distance.
//! Method: any point of a triangle gives an upper bound. Any direction gives a lower bound: by the corner that extends
//! most along it. A foot computed for speed only gives the upper bound, the direction from it the lower bound. The
//! bounds are equal up to rounding, and rounding cannot invalidate them.
//!
//! # The bounds
//! Let M bound the components of the point and of the corners, and let e be the slack of the point plus 24u·M. The foot
//! is the given combination of corners (weights at least 0, their sum at most 1 + 4u), so each component of the
//! difference n is off by at most e: the distance is at most |n| + 2e. Each corner reaches n·(p − c) / |n|; differences
//! are off by e in each component and products round, so the distance is at least their least − 8e. Both bounds are
//! moved outward by 2⁻²⁰ for the rounding of root, quotient and squares. If |n|² is tiny or something is not a number,
//! the lower bound is 0, and the upper bound is infinite or, in the latter case, `NaN`.

use crate::numeric::lane_vectors::{dot, load, minus, splat};
use heurt_bvh::simd::Lanes;
use heurt_shape::TriBlock;

/// Lower and upper bounds of eight squared distances in local units.
pub(crate) struct PointDistances<F> {
    /// Lower bound of the squared distance.
    pub at_least: F,
    /// Upper bound of the squared distance.
    pub at_most: F,
}

const OUTWARD: f32 = 1.0 / (1u32 << 20) as f32;
const MIN_SQ: f32 = 1e-30;

/// Bounds the squared distances of `point`, which is relative to the block's centre and off by at most `slack`.
#[inline(always)]
pub(crate) fn distances_sq<F: Lanes<8>>(block: &TriBlock, point: [f32; 3], slack: f32) -> PointDistances<F> {
    let (zero, one) = (F::splat(0.0), F::splat(1.0));
    let far = point[0].abs().max(point[1].abs()).max(point[2].abs());
    let error = slack + (far + block.radius()) * (24.0 / (1u32 << 24) as f32);
    let [a, b, c] = &block.corners;
    let a = load::<F>(a);
    let (u, v, w) = (minus(&load(b), &a), minus(&load(c), &a), minus(&splat(&point), &a));
    let (uu, uv, vv, wu, wv) = (dot(&u, &u), dot(&u, &v), dot(&v, &v), dot(&w, &u), dot(&w, &v));
    // The feet on the edges ab, ac and bc, and the reduction of the squared distance of a by each.
    let (on_ab, on_ac) = (share(wu, uu), share(wv, vv));
    let (part_bc, whole_bc) = (wv.sub(wu).sub(uv).add(uu), uu.add(vv).sub(uv.add(uv)));
    let on_bc = share(part_bc, whole_bc);
    let (of_ab, of_ac) = (gain(on_ab, wu, uu), gain(on_ac, wv, vv));
    let of_bc = gain(on_bc, part_bc, whole_bc).add(wu.add(wu)).sub(uu);
    // The nearest of the three, unless the foot on the face is inside. If rounding chooses wrongly, the bounds are
    // wider.
    let takes_ac = of_ac.gt(of_ab);
    let takes_bc = of_bc.gt(of_ab.max(of_ac));
    let mut s = takes_bc.select(one.sub(on_bc), takes_ac.select(zero, on_ab));
    let mut t = takes_bc.select(on_bc, takes_ac.select(on_ac, zero));
    let area_sq = uu.mul(vv).sub(uv.mul(uv));
    let (along_u, along_v) = (vv.mul(wu).sub(uv.mul(wv)), uu.mul(wv).sub(uv.mul(wu)));
    let inside = along_u.min(along_v).min(area_sq.sub(along_u.add(along_v))).gt(zero);
    let per_area = one.div(area_sq);
    s = inside.select(along_u.mul(per_area).min(one), s);
    t = inside.select(along_v.mul(per_area).min(one.sub(s)), t);
    let mut n = w;
    let mut k = 0;
    while k < 3 {
        n[k] = w[k].sub(s.mul(u[k]).add(t.mul(v[k])));
        k += 1;
    }
    let least = dot(&n, &n);
    let length = least.sqrt();
    let most = length.add(F::splat(2.0 * error));
    let reach = dot(&w, &n).sub(dot(&u, &n).max(dot(&v, &n)).max(zero));
    let fewest = reach.div(length).sub(F::splat(8.0 * error)).max(zero);
    // Differences whose squares are too small to be accurate give the lower bound 0.
    let fewest = least.gt(F::splat(MIN_SQ)).select(fewest, zero);
    PointDistances {
        at_least: fewest.mul(fewest).mul(F::splat(1.0 - OUTWARD)),
        at_most: most.mul(most).mul(F::splat(1.0 + OUTWARD)),
    }
}

/// Returns the foot on an edge, as a share of its length. `max` returns its second argument if the first is not a
/// number, so an edge without length has its foot at its start.
#[inline(always)]
fn share<F: Lanes<8>>(part: F, whole: F) -> F {
    part.div(whole).max(F::splat(0.0)).min(F::splat(1.0))
}

/// Computes the reduction of the squared distance of the edge's start by the foot.
#[inline(always)]
fn gain<F: Lanes<8>>(share: F, part: F, whole: F) -> F {
    share.mul(part.add(part).sub(share.mul(whole)))
}
