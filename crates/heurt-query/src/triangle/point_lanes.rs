//! How far a point is from eight triangles: bounds from both sides, in `f32`.
//!
//! In: a block of triangles and a point, in local units from the block's centre. Out: per lane a squared distance that
//! is provably not above the true one, and one that is provably not below.
//! Method: any point of a triangle is at least as far as the nearest one, and any direction tells how far the triangle
//! is at the least: by the corner that extends most along it. A foot found with care for nothing but speed gives the
//! first, the direction from it the second; they are equal but for rounding, and rounding can never make them wrong.
//!
//! # The bounds
//! Let M bound the components of the point and of the corners, and let e be the slack of the point plus 24u·M. The foot
//! is the given mixture of corners (weights at least 0, their sum at most 1 + 4u), so each component of the difference
//! n is off by at most e: the distance is at most |n| + 2e. Each corner reaches n·(p − c) / |n|; differences are off by
//! e in each component and products round, so the distance is at least their least − 8e. Both are pushed out by 2⁻²⁰
//! for the roundings of root, quotient and squares. Where |n|² is tiny or something not a number, the lower bound is 0,
//! and the upper one infinite or `NaN` in the latter case.

use crate::numeric::lane_vectors::{dot, load, minus, splat};
use heurt_bvh::simd::Lanes;
use heurt_shape::TriBlock;

/// Eight squared distances in local units, from both sides.
pub(crate) struct PointDistances<F> {
    /// Provably not above the true one.
    pub at_least: F,
    /// Provably not below the true one.
    pub at_most: F,
}

const OUTWARD: f32 = 1.0 / (1u32 << 20) as f32;
const MIN_SQ: f32 = 1e-30;

/// The squared distances of `point`, which is given from the block's centre and off by at most `slack`.
#[inline(always)]
pub(crate) fn distances_sq<F: Lanes<8>>(block: &TriBlock, point: [f32; 3], slack: f32) -> PointDistances<F> {
    let (zero, one) = (F::splat(0.0), F::splat(1.0));
    let far = point[0].abs().max(point[1].abs()).max(point[2].abs());
    let error = slack + (far + block.radius()) * (24.0 / (1u32 << 24) as f32);
    let [a, b, c] = &block.corners;
    let a = load::<F>(a);
    let (u, v, w) = (minus(&load(b), &a), minus(&load(c), &a), minus(&splat(&point), &a));
    let (uu, uv, vv, wu, wv) = (dot(&u, &u), dot(&u, &v), dot(&v, &v), dot(&w, &u), dot(&w, &v));
    // The feet on the edges ab, ac and bc, and what each takes off the squared distance of a.
    let (on_ab, on_ac) = (share(wu, uu), share(wv, vv));
    let (part_bc, whole_bc) = (wv.sub(wu).sub(uv).add(uu), uu.add(vv).sub(uv.add(uv)));
    let on_bc = share(part_bc, whole_bc);
    let (of_ab, of_ac) = (gain(on_ab, wu, uu), gain(on_ac, wv, vv));
    let of_bc = gain(on_bc, part_bc, whole_bc).add(wu.add(wu)).sub(uu);
    // The nearest of the three, unless the foot on the face falls inside. Where rounding chooses amiss, the bounds are
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
    // Differences so small that their squares lose digits tell nothing.
    let fewest = least.gt(F::splat(MIN_SQ)).select(fewest, zero);
    PointDistances {
        at_least: fewest.mul(fewest).mul(F::splat(1.0 - OUTWARD)),
        at_most: most.mul(most).mul(F::splat(1.0 + OUTWARD)),
    }
}

/// The foot on an edge, as a share of it; `max` gives its second argument where the first is not a number, so that an
/// edge without length has its foot at its start.
#[inline(always)]
fn share<F: Lanes<8>>(part: F, whole: F) -> F {
    part.div(whole).max(F::splat(0.0)).min(F::splat(1.0))
}

/// What the foot takes off the squared distance of the edge's start.
#[inline(always)]
fn gain<F: Lanes<8>>(share: F, part: F, whole: F) -> F {
    share.mul(part.add(part).sub(share.mul(whole)))
}
