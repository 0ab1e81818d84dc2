//! Candidate pairs: pairs whose enlarged boxes (fat boxes or cubes) overlap.
//!
//! In: pairs found near each other, and a pair test. Out: pairs whose state changed.
//! Method: one sorted list of keys, made of `a`, `b` and whether they pair, read and written once a step in order, in
//! place. The numbers `a` and `b` are ids, or slots that place nearby objects next to each other in memory: at a
//! hundred thousand objects memory latency dominates. Cost: O(candidates) a step, and a sort of the new candidates.

use super::proxies::{empty, make_room};
use crate::broad_phase::Pair;
use crate::broad_phase::common::motion_bound::MotionBound;
use heurt_bvh::simd::{Lanes, LanesFor, WideIsa};

/// State of a candidate after a test.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CandidateState {
    /// Whether the boxes overlap and the filters meet.
    pub pairs: bool,
    /// Whether they are still near, so that they may pair later.
    pub stays: bool,
    /// Distance or overlap of the boxes, in metres; `NaN` or a value not above 0 gives no information.
    pub gap: f32,
}

/// Plan of a refresh.
pub(crate) struct CheckPlan<'a, A, S> {
    /// Sorted pairs to add, which may be candidates already.
    pub found: &'a [Pair],
    /// Whether candidates that are provably unchanged are tested as well.
    pub all: bool,
    /// Prefetches the data of a pair some time before its test.
    pub prefetch: A,
    /// Reports that a pair is settled, if this is known.
    pub is_settled: Option<S>,
}

/// The sorted list of candidates.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    /// `a` in the upper half, `b` doubled in the lower half, plus 1 if they pair.
    keys: Vec<u64>,
    /// Value of the motion bound up to which each candidate is provably unchanged.
    until: Vec<f32>,
    odometer: MotionBound,
    /// Indices of the candidates to remove.
    gone: Vec<usize>,
    /// New candidates of this step, each with its validity and its index among the old ones.
    new: Vec<(u64, f32, usize)>,
}

/// Candidates examined in a batch before the open ones are tested: a bit for each.
const LOOKED_AT: usize = 64;

/// Counts the keys at the beginning of a sorted list that are less, usually few.
fn less_ahead(keys: &[u64], key: u64) -> usize {
    let mut reach = 1;
    while reach < keys.len() && keys[reach] < key {
        reach *= 2;
    }
    let from = reach / 2;
    from + keys[from..keys.len().min(reach + 1)].partition_point(|&other| other < key)
}

/// Calls `each` with the positions of the set bits.
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

    /// Sets the mean size of boxes, in metres, which scales the motion bound.
    pub fn measure(&mut self, size: f32) {
        self.odometer = MotionBound::new(size);
        self.until.fill(0.0);
    }

    /// Records a step in which no coordinate of any box changed by more than `most` metres.
    pub fn advance(&mut self, most: f32) {
        if !self.odometer.advance(most) {
            self.until.fill(0.0);
        }
    }

    /// Adds the found pairs and tests the candidates, except settled ones and, unless `all` is set, provably unchanged
    /// ones. Removes candidates that do not stay, and reports pairs that begin (true) or end (false).
    #[inline(always)]
    pub fn refresh<I: WideIsa>(
        &mut self,
        isa: I,
        look: CheckPlan<'_, impl Fn(Pair), impl Fn(Pair) -> bool>,
        judge: impl Fn(Pair) -> CandidateState,
        mut emit: impl FnMut(Pair, bool),
    ) {
        let CheckPlan { found, all, prefetch, is_settled } = look;
        let gone = self.gone.len();
        empty(&mut self.gone, gone);
        let mut from = 0;
        while from < self.keys.len() {
            let count = (self.keys.len() - from).min(LOOKED_AT);
            // Which candidates are open is unpredictable: their bits are gathered to avoid a branch on each.
            let mut open = if all { u64::MAX >> (LOOKED_AT - count) } else { self.unsure(isa, from, count) };
            if let Some(is_settled) = &is_settled {
                for (bit, &key) in self.keys[from..from + count].iter().enumerate() {
                    open &= !(u64::from(is_settled(pair(key))) << bit);
                }
            }
            ones(open, |bit| prefetch(pair(self.keys[from + bit])));
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
                        emit(pair, pairs);
                    }
                },
            );
            from += count;
        }
        self.forget_gone();
        self.take_found(found, judge, emit);
    }

    /// Adds the sorted pairs that are not candidates yet.
    #[inline(always)]
    fn take_found(&mut self, found: &[Pair], judge: impl Fn(Pair) -> CandidateState, mut emit: impl FnMut(Pair, bool)) {
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
                emit(pair, true);
            }
        }
        self.merge();
    }

    /// Returns a bit for each of `count` candidates that is not provably unchanged.
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

    /// Closes the gaps of removed candidates.
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

    /// Inserts the new candidates at their indices, the last one first: later entries make room.
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

    /// Sets the candidates to exactly the given sorted pairs, and reports all that pair.
    pub fn replace(&mut self, found: &[Pair], pairs: impl Fn(Pair) -> bool, mut emit: impl FnMut(Pair)) {
        self.resize(found.len());
        self.until.fill(0.0);
        for (&pair, place) in found.iter().zip(&mut self.keys) {
            let is = pairs(pair);
            *place = key(pair) | u64::from(is);
            if is {
                emit(pair);
            }
        }
    }

    /// Renumbers the objects.
    pub fn renumber(&mut self, new: &[u32]) {
        for old in &mut self.keys {
            let Pair { a, b } = pair(*old);
            *old = key(Pair::new(new[a as usize], new[b as usize])) | *old & 1;
        }
        self.keys.sort_unstable();
        self.until.fill(0.0);
    }
}
