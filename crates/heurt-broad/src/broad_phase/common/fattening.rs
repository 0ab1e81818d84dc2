//! Fattening: the margin between an object's box and its fat box.
//!
//! In: the box now, its position when its fat box was last made, and the number of steps since. Out: a new fat box.
//! Method: extrapolates the mean motion of these steps for a number of steps that differs between objects, so that not
//! all leave their fat boxes in the same step. It also adds one step's motion to every side. An object that moves by a
//! large fraction of the size of boxes at each step gets no fat box: its neighbourhood changes each time.

use crate::broad_phase::ProxyId;
use heurt_bvh::Aabb32;
use std::array::from_fn;

/// Extrapolation of a fat box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prediction {
    /// Minimum number of steps; the maximum is twice as many.
    pub steps: u32,
    /// Maximum distance, in mean sizes of boxes.
    pub reach: f32,
    /// Minimum number of steps that justifies the larger box.
    pub least: f32,
}

/// Margin of a new object, in mean sizes.
const FIRST: f32 = 1.0 / 64.0;

/// Returns the middle of a box.
#[inline(always)]
pub(crate) fn middle(bounds: &Aabb32) -> [f32; 3] {
    from_fn(|k| bounds.min[k] * 0.5 + bounds.max[k] * 0.5)
}

/// Returns the fat box of a new object among boxes of mean size `size`.
pub(crate) fn first(bounds: &Aabb32, size: f32) -> Aabb32 {
    grown(bounds, [0.0; 3], size * FIRST)
}

/// Returns the fat box of an object that was at `before`, `steps` steps ago, among boxes of mean size `size`.
#[inline(always)]
pub(crate) fn ahead(
    id: ProxyId,
    bounds: &Aabb32,
    before: [f32; 3],
    steps: u32,
    size: f32,
    foresight: Prediction,
) -> Aabb32 {
    let now = middle(bounds);
    let part = 1.0 / steps.max(1) as f32;
    let motion: [f32; 3] = from_fn(|k| (now[k] - before[k]) * part);
    let speed = motion.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    // Different for neighbours in any order of ids.
    let wanted = foresight.steps + (id.wrapping_mul(0x9e37_79b9) >> 16) % foresight.steps;
    let most = foresight.reach * size / speed;
    let ahead = (wanted as f32).min(most);
    if ahead < foresight.least {
        return *bounds;
    }
    grown(bounds, motion.map(|x| x * ahead), speed)
}

#[inline(always)]
fn grown(bounds: &Aabb32, ahead: [f32; 3], margin: f32) -> Aabb32 {
    Aabb32 {
        min: from_fn(|k| bounds.min[k] - margin + ahead[k].min(0.0)),
        max: from_fn(|k| bounds.max[k] + margin + ahead[k].max(0.0)),
    }
}
