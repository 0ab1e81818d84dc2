//! The octree as a split rule (S0 §4.5.5): a cube is cut through its middle, across x, y and z in turn.
//!
//! A cut with nothing on one side is no cut: the highest binary digit in which the centres of a set differ names the
//! first that is one, so that empty levels cost nothing and coincident centres end.

use super::binary::Reference;
use super::top_down::{Split, SplitRule, partition, split_at};
use crate::simd::WideIsa;
use crate::volume::Aabb32;

/// The rule.
pub(crate) struct MiddleOfCube;

/// Digits of a coordinate: doubled centres lie in [−2, 2].
const DIGITS: i32 = 30;

fn cell(reference: &Reference, axis: usize) -> u32 {
    ((f64::from(reference.centre2(axis)) + 2.0) * f64::from(1 << (DIGITS - 2))) as u32
}

impl SplitRule for MiddleOfCube {
    #[inline(always)]
    fn split<I: WideIsa>(&self, _isa: I, refs: &mut [Reference], _bounds: &Aabb32) -> Option<Split> {
        let differing = [0, 1, 2].map(|axis| {
            let first = cell(&refs[0], axis);
            refs.iter().fold(0, |bits, r| bits | (cell(r, axis) ^ first))
        });
        // The cube's x is cut before its y, and y before z.
        let axis = (0..3).max_by_key(|&axis| (u32::BITS - differing[axis].leading_zeros(), 3 - axis))?;
        let digit = 1 << differing[axis].checked_ilog2()?;
        let left_count = partition(refs, |r| cell(r, axis) & digit == 0);
        Some(split_at(refs, left_count))
    }
}
