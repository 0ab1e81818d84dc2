//! Steps that end in time.
//!
//! In: pairs whose boxes meet, a clock, a deadline. Out: the results of the pairs that were decided; all other pairs
//! are reported as left out: their boxes meet, so they may touch, and no further pair can.
//! Method: S4 §1.1. Pairs that overlapped come first, then pairs by the depth of their boxes in each other. The clock
//! is read between blocks of pairs, while two bodies are compared, and during the search of a motion (`cast`, `ccd`); a
//! pair that is cut there reports the contacts found by then. The work after the last pair (contacts, pairs left out,
//! events, views for readers) grows with the number of pairs: the clock measures it in one step, and the next step ends
//! its search earlier by as much.
//! Not guaranteed: motions and pairs of boxes are computed completely: a step without them would leave bodies where
//! they are or pairs unnamed, and could not report what it missed. A deadline before their end is missed.

use crate::body::BodyId;
use crate::step::narrow::BodyContact;
use crate::step::step_plan::MovedBodies;
use crate::step::{PairResults, PairState, SearchProgress};
use crate::world::World;
use heurt_broad::Pair;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Options of [`World::step_with`] and [`World::detect_with`]: a clock, and when the step has to end.
#[derive(Clone, Copy, Default)]
pub struct StepOptions<'a> {
    /// Returns the seconds since some moment. Without a clock no time is measured and no deadline kept.
    pub clock: Option<&'a (dyn Fn() -> f64 + Sync)>,
    /// Seconds that a step may take by the clock; none by default.
    pub deadline: Option<f64>,
}

impl std::fmt::Debug for StepOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StepOptions").field("clock", &self.clock.is_some()).field("deadline", &self.deadline).finish()
    }
}

/// A pair to be decided: its likelihood of a contact, as bits in the order of the numbers, and its index. The likeliest
/// pair is the greatest.
type WaitingPair = (u64, Reverse<u32>);

/// Pairs to be decided, and a test whether time is left.
pub(crate) struct DeadlineQueue<'a> {
    waiting: BinaryHeap<WaitingPair>,
    goes_on: &'a (dyn Fn() -> bool + Sync),
}

/// Pairs that one thread takes at a time.
const SHARE: usize = 2;
/// Pairs between two readings of the clock.
const BLOCK: usize = 32;
/// Pairs that are ranked between two readings of the clock.
const RANKED: usize = 1024;
/// Reserve for the end of a step, as a multiple of its last duration: durations differ from step to step.
const RESERVE: f64 = 1.25;
/// Reserve of a first step, as a share of the time left for pairs.
const FIRST_RESERVE: f64 = 0.125;
/// The largest reserve, as a share of the same time.
const MAX_RESERVE: f64 = 0.9;

impl World {
    /// Decides pairs, until the deadline if there is one. Returns the number of contact points and, with a deadline,
    /// when the search ended.
    pub(crate) fn narrow_with(
        &mut self,
        way: Option<MovedBodies<'_>>,
        options: &StepOptions<'_>,
        begun: f64,
    ) -> (usize, Option<f64>) {
        let (Some(clock), Some(deadline)) = (options.clock, options.deadline) else {
            return (self.narrow(way, None), None);
        };
        let end = begun + deadline;
        let waiting = self.likeliest_first(&|| clock() < end);
        let ranked = clock();
        let left = (end - ranked).max(0.0);
        let reserve = self.closing.map_or(FIRST_RESERVE * left, |each| RESERVE * each * self.states.len() as f64);
        // Some pairs are decided, even if the end of a step takes long.
        let end = end - reserve.min(MAX_RESERVE * left);
        let points = self.narrow(way, Some(DeadlineQueue { waiting, goes_on: &|| clock() < end }));
        // Pairs in progress as the time ran out count as a part of the end of the step.
        (points, Some(clock().min(end).max(ranked)))
    }

    /// Stores how long the end of a step took, after its search.
    pub(crate) fn note_closing(&mut self, searched: Option<f64>, end: f64) {
        if let Some(searched) = searched {
            self.closing = Some((end - searched) / self.states.len().max(1) as f64);
        }
    }

    /// Decides pairs until the time is over.
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
        // Contacts are large: each is moved once.
        told.touches.sort_by_cached_key(|touch: &BodyContact| (touch.a, touch.b));
    }

    /// Adds the pairs that were left out or cut short to `names`, in the order of pairs, which is the order of names.
    pub(crate) fn list_left_out(&self, states: &mut [PairState], names: &mut Vec<[BodyId; 2]>) {
        names.extend(states.iter_mut().filter(|state| state.search != SearchProgress::Whole).filter_map(|state| {
            // The next step searches the motion of pairs that were left out, also if they overlapped before.
            state.is_overlapping &= state.search == SearchProgress::Cut;
            self.now.names(state.pair)
        }));
    }

    /// Ranks pairs: first pairs that overlapped, then pairs by the depth of their boxes in each other. Empty if no time
    /// is left.
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
