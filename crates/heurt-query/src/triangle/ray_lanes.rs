//! Filter of a line against eight triangles: the triangles provably missed, the triangles provably pierced, and bounds
//! of the parameter.
//!
//! In: a block of triangles and a line, in local units relative to the block's centre, in `f32`. Out: bits of lanes,
//! and bounds of the parameter.
//! Method: the line's sides relative to the three edges (triple products of its direction and two corners relative to a
//! point of it).
//!
//! # The bounds
//! The direction's components are at most 1 (and one of them is), off by u. Let M bound the components of the corners
//! relative to the line's point, and let e be their error: the slack of the line plus 24u·M, two roundings and a
//! difference. A side has six products, each off by 2M·e and a few roundings, so 16M·e suffices. If the line meets a
//! triangle, its parameter lies between the parameters of the corners, which are off by at most 4e: |d|² ≥ 1 and |d|₁ ≤
//! √3·|d|.

use crate::numeric::lane_vectors::{cross, dot, load, minus, splat};
use heurt_bvh::simd::Lanes;
use heurt_shape::TriBlock;

/// Results of the filter for eight triangles.
pub(crate) struct RayCrossingLanes<F> {
    /// Lanes that the line provably misses.
    pub missed: u32,
    /// Lanes that the line provably passes through, away from the edges.
    pub pierced: u32,
    /// Lower bound of the parameter from the line's point.
    pub earliest: F,
    /// Upper bound of the parameter.
    pub latest: F,
}

/// Tests the line `point + t · direction`; `point` is relative to the block's centre and off by at most `slack`.
#[inline(always)]
pub(crate) fn crossings<F: Lanes<8>>(
    block: &TriBlock,
    point: [f32; 3],
    direction: [f32; 3],
    slack: f32,
) -> RayCrossingLanes<F> {
    let zero = F::splat(0.0);
    let far = point[0].abs().max(point[1].abs()).max(point[2].abs());
    let error = slack + (far + block.radius()) * (24.0 / (1u32 << 24) as f32);
    let bound = F::splat((far + block.radius() + error) * 16.0 * error);
    let (d, from) = (splat::<F>(&direction), splat::<F>(&point));
    let [a, b, c] = &block.corners;
    let (a, b, c) = (minus(&load(a), &from), minus(&load(b), &from), minus(&load(c), &from));
    let (ab, bc, ca) = (dot(&d, &cross(&a, &b)), dot(&d, &cross(&b, &c)), dot(&d, &cross(&c, &a)));
    let (least, greatest) = (ab.min(bc).min(ca), ab.max(bc).max(ca));
    let minus_bound = zero.sub(bound);
    let missed = greatest.gt(bound).and(minus_bound.gt(least)).bits();
    let pierced = least.gt(bound).or(minus_bound.gt(greatest)).bits();
    let (of_a, of_b, of_c) = (dot(&d, &a), dot(&d, &b), dot(&d, &c));
    let length_sq = direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2];
    let (per_unit, doubt) = (F::splat(1.0 / length_sq), F::splat(4.0 * error));
    RayCrossingLanes {
        missed,
        pierced,
        earliest: of_a.min(of_b).min(of_c).mul(per_unit).sub(doubt),
        latest: of_a.max(of_b).max(of_c).mul(per_unit).add(doubt),
    }
}
