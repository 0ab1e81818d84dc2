//! Steps that end in time.
//!
//! In: pairs whose boxes meet, a clock, a deadline. Out: what came of those that were decided; the others are reported
//! as left out: their boxes meet, so they may touch, and nobody else can.
//! Method: S4 §1.1. Pairs that overlapped come first, then those whose boxes are deepest in each other. The clock is
//! looked at between blocks of pairs, while two bodies are compared, and while a pair is searched for on its way
//! (`cast`, `ccd`); of a pair that is cut there, what was found to touch is reported. What follows the last pair (who
//! touches, who was left out, what changed, views for readers) takes the longer the more pairs there are: the given
//! clock tells how long it took in a step, and the next one ends its search by so much sooner.
//! Not guaranteed: how bodies fly, and which boxes meet, is done whole: a step that left it out would leave bodies
//! where they are or pairs unnamed, and could not tell what it had missed. A deadline before its end is missed.

use crate::body::BodyId;
use crate::step::narrow::BodyContact;
use crate::step::step_plan::MovedBodies;
use crate::step::{PairResults, PairState, SearchProgress};
use crate::world::World;
use heurt_broad::Pair;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Who measures time, and when it is over.
#[derive(Clone, Copy, Default)]
pub struct TimeLimit<'a> {
    /// Seconds since some moment; without it no time is measured and no deadline kept.
    pub clock: Option<&'a (dyn Fn() -> f64 + Sync)>,
    /// Seconds that a step may take; nothing without a clock.
    pub deadline: Option<f64>,
}

impl std::fmt::Debug for TimeLimit<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TimeLimit").field("clock", &self.clock.is_some()).field("deadline", &self.deadline).finish()
    }
}

/// A pair that is still to be decided: the likeliest is the greatest. How likely, in bits whose order is that of the
/// numbers, and which.
type WaitingPair = (u64, Reverse<u32>);

/// Pairs that wait, and whether there is time left.
pub(crate) struct DeadlineQueue<'a> {
    waiting: BinaryHeap<WaitingPair>,
    goes_on: &'a (dyn Fn() -> bool + Sync),
}

/// Pairs that one thread takes at a time.
const SHARE: usize = 2;
/// Pairs between two looks at the clock.
const BLOCK: usize = 32;
/// Pairs that are ranked between two looks at the clock.
const RANKED: usize = 1024;
/// What is kept in reserve for the end of a step, of what it took last: times differ from step to step.
const RESERVE: f64 = 1.25;
/// The same of a first step, of the time that is left for pairs.
const FIRST_RESERVE: f64 = 0.125;
/// The most that is kept, of that time.
const MAX_RESERVE: f64 = 0.9;

impl World {
    /// Decides pairs, under a deadline as long as time is not over. Gives how many points there are and, under a
    /// deadline, when the search was to be over.
    pub(crate) fn narrow_watched(
        &mut self,
        way: Option<MovedBodies<'_>>,
        watch: &TimeLimit<'_>,
        begun: f64,
    ) -> (usize, Option<f64>) {
        let (Some(clock), Some(deadline)) = (watch.clock, watch.deadline) else {
            return (self.narrow(way, None), None);
        };
        let end = begun + deadline;
        let waiting = self.likeliest_first(&|| clock() < end);
        let ranked = clock();
        let left = (end - ranked).max(0.0);
        let reserve = self.closing.map_or(FIRST_RESERVE * left, |each| RESERVE * each * self.states.len() as f64);
        // However long the end of a step took, some pairs are decided.
        let end = end - reserve.min(MAX_RESERVE * left);
        let points = self.narrow(way, Some(DeadlineQueue { waiting, goes_on: &|| clock() < end }));
        // Pairs that were under way as time ran out are a part of what came after.
        (points, Some(clock().min(end).max(ranked)))
    }

    /// Takes note of how long a step took from the end of its search to its own.
    pub(crate) fn note_closing(&mut self, searched: Option<f64>, end: f64) {
        if let Some(searched) = searched {
            self.closing = Some((end - searched) / self.states.len().max(1) as f64);
        }
    }

    /// Decides pairs as long as time is not over.
    pub(crate) fn decide_in_time(
        &self,
        states: &mut [PairState],
        way: Option<MovedBodies<'_>>,
        DeadlineQueue { mut waiting, goes_on }: DeadlineQueue<'_>,
        shares: &mut Vec<PairResults>,
        told: &mut PairResults,
    ) {
        states.iter_mut().for_each(|state| state.search = SearchProgress::LeftOut);
        let mut block: Vec<(u32, PairState)> = Vec::with_capacity(BLOCK);
        while !waiting.is_empty() && goes_on() {
            while let Some((_, Reverse(number))) = (block.len() < BLOCK).then(|| waiting.pop()).flatten() {
                let state = &mut states[number as usize];
                let blank = PairState::new(state.pair, false);
                block.push((number, std::mem::replace(state, blank)));
            }
            let count = block.len().div_ceil(SHARE);
            shares.resize_with(shares.len().max(count), PairResults::default);
            let decide = |(block, into): (&mut [(u32, PairState)], &mut PairResults)| {
                block.iter_mut().for_each(|(_, state)| self.decide(state, way, Some(goes_on), into));
            };
            block.par_chunks_mut(SHARE).zip(&mut shares[..count]).for_each(decide);
            shares[..count].iter_mut().for_each(|one| told.take(one));
            block.drain(..).for_each(|(number, state)| states[number as usize] = state);
        }
        // Touches are large: each is moved once.
        told.touches.sort_by_cached_key(|touch: &BodyContact| (touch.a, touch.b));
    }

    /// Adds the pairs that were left out or cut short to `names`: in the order of pairs, which is that of names.
    pub(crate) fn list_left_out(&self, states: &mut [PairState], names: &mut Vec<[BodyId; 2]>) {
        names.extend(states.iter_mut().filter(|state| state.search != SearchProgress::Whole).filter_map(|state| {
            // What those do next that were left out is looked at, however they stood.
            state.is_overlapping &= state.search == SearchProgress::Cut;
            self.now.names(state.pair)
        }));
    }

    /// Pairs, those on top that overlapped, then those whose boxes are deepest in each other. None where no time is
    /// left for that.
    fn likeliest_first(&self, goes_on: &(dyn Fn() -> bool + Sync)) -> BinaryHeap<WaitingPair> {
        let depth = |pair: Pair| {
            let ((a, _), (b, _)) = self.now.boxes.proxy(pair.a).zip(self.now.boxes.proxy(pair.b))?;
            Some((a.max.min(b.max) - a.min.max(b.min)).min_element())
        };
        let rank = |state: &PairState| match state.is_overlapping {
            true => f64::INFINITY,
            false => depth(state.pair).unwrap_or(0.0).max(0.0),
        };
        let mut waiting = Vec::with_capacity(self.states.len());
        let mut number = 0;
        for some in self.states.chunks(RANKED) {
            if !goes_on() {
                return BinaryHeap::new();
            }
            for state in some {
                waiting.push((rank(state).to_bits(), Reverse(number)));
                number += 1;
            }
        }
        waiting.into()
    }
}
