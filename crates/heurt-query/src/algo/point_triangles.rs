//! How far a point is from four triangles: bounds from both sides, in `f32`.
//!
//! In: a block of triangles and a point, in local units from the block's centre. Out: per lane a squared distance that is surely
//! not above the true one, and one that is surely not below.
//! Method: any point of a triangle is at least as far as the nearest one, and any direction tells how far the triangle is at
//! the least: by the corner that reaches farthest along it. A foot found with care for nothing but speed gives the first, the
//! direction from it the second; they are equal but for rounding, and rounding can never make them wrong.
//!
//! # The bounds
//! Let M bound the components of the point and of the corners, and let e be the slack of the point plus 24u·M. The foot is
//! the given mixture of corners (weights at least 0, their sum at most 1 + 4u), so each component of the difference n is off by at
//! most e: the distance is at most |n| + 2e. Each corner reaches n·(p − c) / |n|; differences are off by e in each component and
//! products round, so the distance is at least their least − 8e. Both are pushed out by 2⁻²⁰ for the roundings of root,
//! quotient and squares. Where something is not a number, the lower bound is 0 and the upper one infinite or `NaN`.

use heurt_bvh::simd::Lanes;
use heurt_shape::TriBlock;

/// Four squared distances in local units, from both sides.
pub(crate) struct Distances<F> {
    /// Surely not above the true one.
    pub at_least: F,
    /// Surely not below the true one.
    pub at_most: F,
}

const OUTWARD: f32 = 1.0 / (1u32 << 20) as f32;

/// The squared distances of `point`, which is given from the block's centre and off by at most `slack`.
#[inline(always)]
pub(crate) fn distances_sq<F: Lanes<4>>(block: &TriBlock, point: [f32; 3], slack: f32) -> Distances<F> {
    let (zero, one) = (F::splat(0.0), F::splat(1.0));
    let far = point[0].abs().max(point[1].abs()).max(point[2].abs());
    let error = slack + (far + block.radius) * (24.0 / (1u32 << 24) as f32);
    let corner = |k: usize| {
        let [x, y, z] = &block.corners[k];
        [F::load(x), F::load(y), F::load(z)]
    };
    let a = corner(0);
    let (u, v) = (minus(&corner(1), &a), minus(&corner(2), &a));
    let w = minus(&[F::splat(point[0]), F::splat(point[1]), F::splat(point[2])], &a);
    let (uu, uv, vv, wu, wv) = (dot(&u, &u), dot(&u, &v), dot(&v, &v), dot(&w, &u), dot(&w, &v));
    // `max` gives its second argument where the first is not a number: an edge without length has its foot at its start.
    let share = |part: F, whole: F| part.div(whole).max(zero).min(one);
    // The foot on the face by its weights, forced into the triangle; then the feet on the edges ab, ac and bc.
    let area_sq = uu.mul(vv).sub(uv.mul(uv));
    let s = share(vv.mul(wu).sub(uv.mul(wv)), area_sq);
    let t = share(uu.mul(wv).sub(uv.mul(wu)), area_sq).min(one.sub(s));
    let on_bc = share(wv.sub(wu).sub(uv).add(uu), uu.add(vv).sub(uv.add(uv)));
    let from_foot = |s: F, t: F| {
        [0, 1, 2].map(
            #[inline(always)]
            |k| w[k].sub(s.mul(u[k]).add(t.mul(v[k]))),
        )
    };
    let mut n = from_foot(s, t);
    let mut least = dot(&n, &n);
    for (s, t) in [(share(wu, uu), zero), (zero, share(wv, vv)), (one.sub(on_bc), on_bc)] {
        let m = from_foot(s, t);
        let length_sq = dot(&m, &m);
        let nearer = least.gt(length_sq);
        least = nearer.select(length_sq, least);
        n = [nearer.select(m[0], n[0]), nearer.select(m[1], n[1]), nearer.select(m[2], n[2])];
    }
    let length = least.sqrt();
    let most = length.add(F::splat(2.0 * error));
    let reach = dot(&w, &n).sub(dot(&u, &n).max(dot(&v, &n)).max(zero));
    let fewest = reach.div(length).sub(F::splat(8.0 * error)).max(zero);
    Distances {
        at_least: fewest.mul(fewest).mul(F::splat(1.0 - OUTWARD)),
        at_most: most.mul(most).mul(F::splat(1.0 + OUTWARD)),
    }
}

#[inline(always)]
fn minus<F: Lanes<4>>(a: &[F; 3], b: &[F; 3]) -> [F; 3] {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

#[inline(always)]
fn dot<F: Lanes<4>>(a: &[F; 3], b: &[F; 3]) -> F {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}
