//! Lower bounds of the contact times of triangles of two moving leaves, eight pairs at a time.
//!
//! In: the blocks of two leaves, the frames of their trees and their motion ([`PairMotion`]). Out: pairs of triangles
//! that may meet before a time, and for each a time before which they provably do not.
//! Method: along the direction between the nearest points of two triangles (`triangle/distance_lanes`) the gap closes
//! no earlier than the fastest corners close it (`heurt_bvh::volume::in_time`). Nearest points are not computed for
//! pairs that are separated long enough by their boxes, or by their gap along a direction known to separate well.
//! Rounding: as in `in_time`; the error of gaps is the error of `distance_lanes`.

use crate::mesh::walk::intersecting_pairs::{BlockFrames, placed_corners};
use crate::numeric::lane_vectors::{arrays, cross, dot, splat};
use crate::triangle::distance_lanes::distances;
use crate::triangle::pair_filter::CornerLanes;
use heurt_bvh::simd::Lanes8;
use heurt_bvh::simd::{Lanes, WideIsa};
use heurt_bvh::volume::time_to_close;
use heurt_bvh::{LocalMotion, PairMotion, Point32, RelativeMotion};
use heurt_shape::TriBlock;
use smallvec::SmallVec;

/// The triangles of a leaf and their number.
pub(crate) type Block<'a> = (&'a TriBlock, u32);

/// Times in lanes' units, and triangles by their lanes in two leaves.
pub(crate) type Times = SmallVec<[(f32, u8, u8); 64]>;

/// Lists the pairs that may meet before `until` from now, which is in lanes' units. `direction` is a unit vector or
/// zero, from A to B, along A's axes.
#[inline(never)]
pub(crate) fn first_times<I: WideIsa>(
    isa: I,
    frames: &BlockFrames,
    places: &PairMotion,
    (block_a, count_a): Block<'_>,
    (block_b, count_b): Block<'_>,
    direction: Point32,
    until: f32,
) -> Times {
    isa.enter(
        #[inline(always)]
        || {
            let mut times = Times::new();
            let (of_b, error) = placed_corners(isa, frames, block_a, block_b);
            let of_a = CornerLanes::<Lanes8<I>>::of_block(block_a);
            let (boxes_a, boxes_b) = (of_a.boxes(), of_b.boxes().to_arrays());
            let [p, q, r] = &of_b.0;
            let each_of_b = [arrays(p), arrays(q), arrays(r)];
            let used_a = (1u32 << count_a) - 1;
            let drift = &places.drifts[0];
            let [x, y, z] = block_a.half;
            // The distance of B's corners, too, is taken from the middle of A's block.
            let far_b = farthest(&each_of_b);
            let swing = LocalMotion::at(drift, block_a.centre, [(x * x + y * y + z * z).sqrt(), far_b]);
            let room = drift.room;
            // Largest gap of pairs that may meet earlier: in any direction, and along `direction`.
            let near = (swing.max_offset(until) + room) * (1.0 + 1e-5);
            let near_along = (swing.max_offset_along(&direction, until) + room) * (1.0 + 1e-5) + 8.0 * error;
            let along_a = along_all::<I>(&direction, &of_a);
            let along_b = along_all::<I>(&direction, &of_b);
            let farthest_a = along_a[0].max(along_a[1]).max(along_a[2]);
            let nearest_b = along_b[0].min(along_b[1]).min(along_b[2]).to_array();
            let mut j = 0;
            while j < count_b as usize {
                let gap = Lanes8::<I>::splat(nearest_b[j & 7]).sub(farthest_a);
                let of_boxes = boxes_a.gaps_sq(&boxes_b, j, error).sqrt().mul(Lanes8::<I>::splat(1.0 - 1e-6));
                let disjoint = gap.gt(Lanes8::<I>::splat(near_along)).or(of_boxes.gt(Lanes8::<I>::splat(near)));
                let within = !disjoint.bits() & used_a;
                if within != 0 {
                    let other = CornerLanes::all_like(&each_of_b, j);
                    let first = first_of(&swing, drift, &of_a, &other, error);
                    let mut kept = !first.gt(Lanes8::<I>::splat(until)).bits() & within;
                    let first = first.to_array();
                    while kept != 0 {
                        let i = kept.trailing_zeros() as usize & 7;
                        kept &= kept - 1;
                        times.push((first[i], i as u8, j as u8));
                    }
                }
                j += 1;
            }
            times
        },
    )
}

/// Computes the times before which eight triangles and another triangle do not meet, along the directions between their
/// nearest points.
#[inline(always)]
fn first_of<F: Lanes<8>>(
    swing: &LocalMotion,
    drift: &RelativeMotion,
    of_a: &CornerLanes<F>,
    of_b: &CornerLanes<F>,
    error: f32,
) -> F {
    let zero = F::splat(0.0);
    let bounds = distances(of_a, of_b, error);
    let inverse = F::splat(1.0).div(dot(&bounds.offset, &bounds.offset).sqrt());
    let direction = [bounds.offset[0].mul(inverse), bounds.offset[1].mul(inverse), bounds.offset[2].mul(inverse)];
    let turns = [splat::<F>(&drift.turning[0].spin), splat::<F>(&drift.turning[1].spin)];
    let (turn_a, turn_b) = (cross(&direction, &turns[0]), cross(&direction, &turns[1]));
    let [a, b, c] = &of_a.0;
    let of_turning = dot(&turn_a, a).max(dot(&turn_a, b)).max(dot(&turn_a, c));
    let [a, b, c] = &of_b.0;
    let of_turning = of_turning.sub(dot(&turn_b, a).min(dot(&turn_b, b)).min(dot(&turn_b, c)));
    let gap = bounds.at_least.sub(F::splat(drift.room));
    let speed = dot(&direction, &splat::<F>(&swing.velocity)).add(of_turning).add(F::splat(swing.speed_error));
    let pulled = dot(&direction, &splat::<F>(&swing.acceleration)).add(F::splat(swing.beyond));
    let growth = pulled.min(F::splat(swing.growth)).max(F::splat(swing.least_growth));
    // `max` returns its second argument if the first is not a number.
    let first = time_to_close(gap, speed, growth).max(zero);
    if !drift.turns_far {
        return first;
    }
    let flown = dot(&direction, &splat::<F>(&drift.velocity)).add(F::splat(swing.top));
    let pulled = dot(&direction, &splat::<F>(&drift.acceleration)).max(zero).add(F::splat(swing.least_growth));
    time_to_close(gap, flown, pulled).max(first)
}

/// Returns the largest distance of the corners from the origin.
#[inline(always)]
fn farthest(corners: &[[[f32; 8]; 3]; 3]) -> f32 {
    let mut most = [0.0f32; 8];
    let mut corner = 0;
    while corner < 3 {
        let [x, y, z] = &corners[corner];
        let mut lane = 0;
        while lane < 8 {
            let square = x[lane] * x[lane] + y[lane] * y[lane] + z[lane] * z[lane];
            // A value that is not a number counts as the largest.
            most[lane] = if square <= most[lane] { most[lane] } else { square };
            lane += 1;
        }
        corner += 1;
    }
    let mut square = 0.0;
    let mut lane = 0;
    while lane < 8 {
        square = if most[lane] <= square { square } else { most[lane] };
        lane += 1;
    }
    square.sqrt()
}

/// Computes the coordinates of the corners along a direction.
#[inline(always)]
fn along_all<I: WideIsa>(direction: &Point32, CornerLanes(corners): &CornerLanes<Lanes8<I>>) -> [Lanes8<I>; 3] {
    let direction = splat::<Lanes8<I>>(direction);
    [dot(&direction, &corners[0]), dot(&direction, &corners[1]), dot(&direction, &corners[2])]
}
