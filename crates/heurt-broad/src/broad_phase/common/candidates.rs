//! Pairs that are watched because something larger than their boxes overlaps: fat boxes, or cubes.
//!
//! In: pairs found near each other, and a judge of pairs. Out: those of which the judgement changed.
//! Method: one sorted list of numbers, `a`, `b` and whether they pair, read and written once a step in order, in place.
//! The numbers are ids, or whatever lets objects that are near each other lie side by side in memory: at a hundred
//! thousand objects nearly all time goes into waiting for memory. Cost: O(candidates) a step, and a sort of the new
//! ones.

use super::proxies::{empty, make_room};
use crate::broad_phase::Pair;
use crate::broad_phase::common::motion_bound::MotionBound;
use heurt_bvh::simd::{Lanes, LanesFor, WideIsa};

/// What is to become of a candidate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CandidateState {
    /// The boxes overlap and the filters meet.
    pub pairs: bool,
    /// They are still near, so that they may pair later.
    pub stays: bool,
    /// By how much the boxes are disjoint, or overlap, in metres; what is no number or not above 0 tells nothing.
    pub gap: f32,
}

/// What a refresh is to look at.
pub(crate) struct CheckPlan<'a, A, S> {
    /// Sorted pairs to take in, which may be watched already.
    pub found: &'a [Pair],
    /// Those that are sure to be as they were are looked at as well.
    pub all: bool,
    /// Is reported for those to be judged a while before.
    pub ask_for: A,
    /// Where somebody knows, which are settled.
    pub is_settled: Option<S>,
}

/// The list.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    /// `a` in the upper half, `b` doubled in the lower, and 1 for those that pair.
    keys: Vec<u64>,
    /// Until when each is sure to be as it is, by the odometer.
    until: Vec<f32>,
    odometer: MotionBound,
    /// Places of those that do not stay.
    gone: Vec<usize>,
    /// Those that are watched from this step on, and before how many of the others each goes.
    new: Vec<(u64, f32, usize)>,
}

/// Candidates that are looked at before those are judged that are open: a bit for each.
const LOOKED_AT: usize = 64;

/// How many at the beginning of a sorted list are less, which are few as a rule.
fn less_ahead(keys: &[u64], key: u64) -> usize {
    let mut reach = 1;
    while reach < keys.len() && keys[reach] < key {
        reach *= 2;
    }
    let from = reach / 2;
    from + keys[from..keys.len().min(reach + 1)].partition_point(|&other| other < key)
}

/// Gives `each` the places of ones.
#[inline(always)]
fn ones(mut bits: u64, mut each: impl FnMut(usize)) {
    while bits != 0 {
        each(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

#[inline(always)]
fn key(pair: Pair) -> u64 {
    u64::from(pair.a) << 32 | u64::from(pair.b) << 1
}

#[inline(always)]
fn pair(key: u64) -> Pair {
    Pair { a: (key >> 32) as u32, b: key as u32 >> 1 }
}

impl Candidates {
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<u64>()
            + self.until.capacity() * size_of::<f32>()
            + self.gone.capacity() * size_of::<usize>()
            + self.new.capacity() * size_of::<(u64, f32, usize)>()
    }

    /// Boxes have the mean size `size`, in metres: what tells for how long candidates need no look.
    pub fn measure(&mut self, size: f32) {
        self.odometer = MotionBound::new(size);
        self.until.fill(0.0);
    }

    /// No coordinate of any box changed by more than `most`, in metres, in this step.
    pub fn advance(&mut self, most: f32) {
        if !self.odometer.advance(most) {
            self.until.fill(0.0);
        }
    }

    /// Takes in what was found, and judges all but those that are settled or, unless `all` are looked at, sure to be as
    /// they were. Forgets those that do not stay, and reports those that begin (true) or cease (false) to pair.
    #[inline(always)]
    pub fn refresh<I: WideIsa>(
        &mut self,
        isa: I,
        look: CheckPlan<'_, impl Fn(Pair), impl Fn(Pair) -> bool>,
        judge: impl Fn(Pair) -> CandidateState,
        mut tell: impl FnMut(Pair, bool),
    ) {
        let CheckPlan { found, all, ask_for, is_settled } = look;
        let gone = self.gone.len();
        empty(&mut self.gone, gone);
        let mut from = 0;
        while from < self.keys.len() {
            let count = (self.keys.len() - from).min(LOOKED_AT);
            // Nobody can predict which are open: bits are gathered, so that there is no branch on each.
            let mut open = if all { u64::MAX >> (LOOKED_AT - count) } else { self.unsure(isa, from, count) };
            if let Some(is_settled) = &is_settled {
                for (bit, &key) in self.keys[from..from + count].iter().enumerate() {
                    open &= !(u64::from(is_settled(pair(key))) << bit);
                }
            }
            ones(open, |bit| ask_for(pair(self.keys[from + bit])));
            ones(
                open,
                #[inline(always)]
                |bit| {
                    let at = from + bit;
                    let (pair, was) = (pair(self.keys[at]), self.keys[at] & 1 == 1);
                    let CandidateState { pairs, stays, gap } = judge(pair);
                    self.keys[at] = key(pair) | u64::from(pairs);
                    self.until[at] = self.odometer.until(gap);
                    if !stays {
                        self.gone.push(at);
                    }
                    if pairs != was {
                        tell(pair, pairs);
                    }
                },
            );
            from += count;
        }
        self.forget_gone();
        self.take_found(found, judge, tell);
    }

    /// Takes in those of sorted pairs that are not watched yet.
    #[inline(always)]
    fn take_found(&mut self, found: &[Pair], judge: impl Fn(Pair) -> CandidateState, mut tell: impl FnMut(Pair, bool)) {
        let new = self.new.len();
        empty(&mut self.new, new);
        let mut place = 0;
        for &pair in found {
            let wanted = key(pair);
            place += less_ahead(&self.keys[place..], wanted);
            if self.keys.get(place).is_some_and(|&old| old & !1 == wanted) {
                continue;
            }
            let CandidateState { pairs, stays, gap } = judge(pair);
            if stays {
                self.new.push((wanted | u64::from(pairs), self.odometer.until(gap), place));
            }
            if pairs {
                tell(pair, true);
            }
        }
        self.merge();
    }

    /// A bit for each of `count` candidates that is not sure to be as it was.
    #[inline(always)]
    fn unsure<I: WideIsa>(&self, _isa: I, from: usize, count: usize) -> u64 {
        let now = self.odometer.now();
        let (eights, rest) = self.until[from..from + count].as_chunks::<8>();
        let mut open = 0;
        for (k, eight) in eights.iter().enumerate() {
            let sure = <I as LanesFor<8>>::F::load(eight).gt(<I as LanesFor<8>>::F::splat(now)).bits();
            open |= u64::from(!sure & 0xff) << (8 * k);
        }
        for (k, &until) in rest.iter().enumerate() {
            open |= u64::from(until <= now) << (8 * eights.len() + k);
        }
        open
    }

    /// Closes up where somebody is gone.
    fn forget_gone(&mut self) {
        let mut kept = self.gone.first().copied().unwrap_or(self.keys.len());
        for (number, &gone) in self.gone.iter().enumerate() {
            let stay = gone + 1..self.gone.get(number + 1).copied().unwrap_or(self.keys.len());
            self.keys.copy_within(stay.clone(), kept);
            self.until.copy_within(stay.clone(), kept);
            kept += stay.len();
        }
        self.keys.truncate(kept);
        self.until.truncate(kept);
    }

    /// Puts the new ones to their places, the last one first: those behind make room.
    fn merge(&mut self) {
        let mut end = self.keys.len();
        self.resize(end + self.new.len());
        for (before, &(key, until, place)) in self.new.iter().enumerate().rev() {
            let to = place + before;
            self.keys.copy_within(place..end, to + 1);
            self.until.copy_within(place..end, to + 1);
            (self.keys[to], self.until[to]) = (key, until);
            end = place;
        }
    }

    fn resize(&mut self, count: usize) {
        make_room(&mut self.keys, count);
        make_room(&mut self.until, count);
        self.keys.resize(count, 0);
        self.until.resize(count, 0.0);
    }

    /// Watches exactly the sorted pairs given, and reports all that pair.
    pub fn replace(&mut self, found: &[Pair], pairs: impl Fn(Pair) -> bool, mut tell: impl FnMut(Pair)) {
        self.resize(found.len());
        self.until.fill(0.0);
        for (&pair, place) in found.iter().zip(&mut self.keys) {
            let is = pairs(pair);
            *place = key(pair) | u64::from(is);
            if is {
                tell(pair);
            }
        }
    }

    /// Gives the objects other numbers.
    pub fn renumber(&mut self, new: &[u32]) {
        for old in &mut self.keys {
            let Pair { a, b } = pair(*old);
            *old = key(Pair::new(new[a as usize], new[b as usize])) | *old & 1;
        }
        self.keys.sort_unstable();
        self.until.fill(0.0);
    }
}
