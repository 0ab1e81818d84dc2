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
use crate::state::bodies::Bodies;
use crate::state::view::WorldView;
use crate::step::events::ContactSet;
use crate::step::narrow::NarrowPhase;
use crate::step::pairs::{PairResults, PairState, PairTable, SearchProgress};
use heurt_broad::Pair;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Options of [`World::step_with`] and [`World::detect_with`]: a clock, and when the step has to end.
///
/// [`World::step_with`]: crate::World::step_with
/// [`World::detect_with`]: crate::World::detect_with
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

impl StepOptions<'_> {
    /// Reads the clock; 0 without one.
    pub(crate) fn read_clock(&self) -> f64 {
        self.clock.map_or(0.0, |clock| clock())
    }
}

/// When the search of a step has to end.
#[derive(Clone, Copy)]
pub(crate) struct Deadline<'a> {
    clock: &'a (dyn Fn() -> f64 + Sync),
    /// The end of the step, by the clock.
    end: f64,
    /// Seconds a pair that the last step under a deadline took from the end of its search to its own.
    closing: Option<f64>,
}

impl<'a> Deadline<'a> {
    /// Makes the deadline of a step that began at `begun`; `None` without a clock and without a deadline.
    pub(crate) fn of_step(options: &StepOptions<'a>, begun: f64, closing: Option<f64>) -> Option<Self> {
        let (Some(clock), Some(deadline)) = (options.clock, options.deadline) else { return None };
        Some(Self { clock, end: begun + deadline, closing })
    }
}

/// Finds the contacts of all pairs, until the deadline if there is one; `shares` are the results of each thread, whose
/// memory is reused. Returns when a search with a deadline ended.
pub(crate) fn find_contacts(
    phase: &NarrowPhase<'_>,
    deadline: Option<Deadline<'_>>,
    pairs: &mut PairTable,
    shares: &mut Vec<PairResults>,
    contacts: &mut ContactSet,
) -> Option<f64> {
    let (bodies, states) = (&phase.view.bodies, pairs.states_mut());
    contacts.clear_results();
    let Some(Deadline { clock, end, closing }) = deadline else {
        phase.find_contacts(states, shares, &mut contacts.found);
        contacts.update_unproven(bodies);
        return None;
    };
    let waiting = rank_pairs(phase.view, states, &|| clock() < end);
    let ranked = clock();
    let left = (end - ranked).max(0.0);
    let reserve = closing.map_or(FIRST_RESERVE * left, |each| RESERVE * each * states.len() as f64);
    // Some pairs are decided, even if the end of a step takes long.
    let end = end - reserve.min(MAX_RESERVE * left);
    decide_in_time(phase, states, waiting, &|| clock() < end, shares, &mut contacts.found);
    contacts.interrupted.extend(list_interrupted(bodies, states));
    contacts.update_unproven(bodies);
    // Pairs in progress as the time ran out count as a part of the end of the step.
    Some(clock().min(end).max(ranked))
}

/// Decides pairs until the time is over.
fn decide_in_time(
    phase: &NarrowPhase<'_>,
    states: &mut [PairState],
    mut waiting: BinaryHeap<WaitingPair>,
    goes_on: &(dyn Fn() -> bool + Sync),
    shares: &mut Vec<PairResults>,
    into: &mut PairResults,
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
            block.iter_mut().for_each(|(_, state)| phase.decide(state, Some(goes_on), into));
        };
        block.par_chunks_mut(SHARE).zip(&mut shares[..count]).for_each(decide);
        shares[..count].iter_mut().for_each(|one| into.take(one));
        block.drain(..).for_each(|(number, state)| states[number as usize] = state);
    }
    // Contacts are large: each is moved once.
    into.contacts.sort_by_cached_key(|touch| (touch.a, touch.b));
}

/// Lists the pairs that were left out or cut short, in the order of pairs, which is the order of ids.
fn list_interrupted(bodies: &Bodies, states: &mut [PairState]) -> impl Iterator<Item = [BodyId; 2]> {
    states.iter_mut().filter(|state| state.search != SearchProgress::Whole).filter_map(|state| {
        // The next step searches the motion of pairs that were left out, also if they overlapped before.
        state.is_overlapping &= state.search == SearchProgress::Interrupted;
        bodies.ids(state.pair)
    })
}

/// Ranks pairs: first pairs that overlapped, then pairs by the depth of their boxes in each other. Empty if no time is
/// left.
fn rank_pairs(view: &WorldView, states: &[PairState], goes_on: &dyn Fn() -> bool) -> BinaryHeap<WaitingPair> {
    let depth = |pair: Pair| {
        let ((a, _), (b, _)) = view.boxes.proxy(pair.a).zip(view.boxes.proxy(pair.b))?;
        Some((a.max.min(b.max) - a.min.max(b.min)).min_element())
    };
    let rank = |state: &PairState| match state.is_overlapping {
        true => f64::INFINITY,
        false => depth(state.pair).unwrap_or(0.0).max(0.0),
    };
    let mut waiting = Vec::with_capacity(states.len());
    let mut number = 0;
    for some in states.chunks(RANKED) {
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
