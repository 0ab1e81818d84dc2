//! Pairs of bodies whose boxes meet, each with the cache of its last search.
//!
//! In: the pairs of the broad phase after each step, in order. Out: their states, in the same order: caches of pairs
//! that go on are kept, unless a body was removed or placed since.
//! Cost: linear in the pairs; a comparison of each where none begins or ends.

use crate::contact::BodyContact;
use crate::state::memory_report::bytes_of_list;
use heurt_broad::Pair;
use heurt_query::PairCache;

/// A pair of bodies whose boxes meet, with its cache.
#[derive(Debug, Clone)]
pub(crate) struct PairState {
    pub pair: Pair,
    pub cache: PairCache,
    /// Whether they overlapped in the last step: then the motion in between is not searched.
    pub is_overlapping: bool,
    pub search: SearchProgress,
}

/// Progress of the last step with a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchProgress {
    /// To the end.
    Whole,
    /// The time ended during its search.
    Interrupted,
    /// The time ended before its search.
    LeftOut,
}

/// Why a pair has no answer: it may touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UndecidedPair {
    /// Numbers are out of range, or a bound on iterations ended the search.
    Unable,
    /// Time was over before it was known.
    Interrupted,
}

impl PairState {
    pub(crate) fn new(pair: Pair, is_overlapping: bool) -> Self {
        Self { pair, cache: PairCache::default(), is_overlapping, search: SearchProgress::Whole }
    }
}

/// The pairs whose boxes meet, in order.
#[derive(Debug, Default)]
pub(crate) struct PairTable {
    states: Vec<PairState>,
    /// The states before the last change of pairs; their memory is reused.
    previous: Vec<PairState>,
    /// By place: the body was removed or placed since pairs were last updated, so that their caches are void. Empty if
    /// there is no such body.
    forgotten: Vec<bool>,
}

impl PairTable {
    /// Returns the states of all pairs.
    pub(crate) fn states(&self) -> &[PairState] {
        &self.states
    }

    /// Returns the states of all pairs, to be changed.
    pub(crate) fn states_mut(&mut self) -> &mut [PairState] {
        &mut self.states
    }

    /// Marks the caches of all pairs of a body as void, one of `places`. They are dropped when pairs are next updated:
    /// a search through all pairs for each body would cost too much.
    pub(crate) fn forget(&mut self, place: usize, places: usize) {
        if self.forgotten.len() <= place {
            self.forgotten.resize(places.max(place + 1), false);
        }
        self.forgotten[place] = true;
    }

    /// Keeps the caches of pairs that go on, and adds pairs that begin.
    pub(crate) fn update(&mut self, pairs: &[Pair]) {
        let Self { states, previous, forgotten } = self;
        if !forgotten.is_empty() {
            states.retain(|state| !is_forgotten(forgotten, state.pair));
            forgotten.clear();
        }
        if states.iter().map(|state| state.pair).eq(pairs.iter().copied()) {
            return;
        }
        previous.clear();
        std::mem::swap(states, previous);
        let mut before = previous.iter().peekable();
        states.extend(pairs.iter().map(|&pair| {
            while before.next_if(|state| state.pair < pair).is_some() {}
            let known = before.next_if(|state| state.pair == pair);
            known.cloned().unwrap_or_else(|| PairState::new(pair, false))
        }));
    }

    /// Lists the pairs that overlapped in the last step, of bodies that were not removed or placed since.
    pub(crate) fn overlapping(&self) -> Vec<Pair> {
        let overlapping = self.states.iter().filter(|state| state.is_overlapping);
        overlapping.map(|state| state.pair).filter(|pair| !is_forgotten(&self.forgotten, *pair)).collect()
    }

    /// Replaces all pairs by pairs that overlapped in the last step.
    pub(crate) fn restore(&mut self, overlapping: &[Pair]) {
        self.states = overlapping.iter().map(|&pair| PairState::new(pair, true)).collect();
        self.forgotten.clear();
    }

    /// Bytes of reserved memory.
    pub(crate) fn bytes(&self) -> usize {
        bytes_of_list(&self.states) + bytes_of_list(&self.previous) + bytes_of_list(&self.forgotten)
    }
}

/// Reports whether a body of a pair was removed or placed.
fn is_forgotten(forgotten: &[bool], pair: Pair) -> bool {
    let is_forgotten = |place: u32| forgotten.get(place as usize) == Some(&true);
    is_forgotten(pair.a) || is_forgotten(pair.b)
}

/// The results of some pairs, in their order.
#[derive(Debug, Default)]
pub(crate) struct PairResults {
    pub contacts: Vec<BodyContact>,
    /// Pairs with numbers out of range: they may touch.
    pub unknown: Vec<Pair>,
    /// Contact points of all contacts.
    pub points: usize,
}

impl PairResults {
    /// Takes over the results of other pairs.
    pub(crate) fn take(&mut self, other: &mut Self) {
        self.contacts.append(&mut other.contacts);
        self.unknown.append(&mut other.unknown);
        self.points += std::mem::take(&mut other.points);
    }

    /// Bytes of the lists, which are kept for the next step.
    pub(crate) fn bytes(&self) -> usize {
        bytes_of_list(&self.contacts) + bytes_of_list(&self.unknown)
    }
}
