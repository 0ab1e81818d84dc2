//! Sorted pairs of a broad phase, and the changes of the last step.
//!
//! In: all pairs found again ([`PairBook::replace`]), or only the pairs that may have changed ([`PairBook::amend`]).
//! Out: sorted lists of all pairs, of begun pairs and of ended pairs. Cost: O(pairs + ids) and O(pairs + changes·log).

use super::proxies::{CHANGED, PRESENT, Proxies, empty, make_room};
use crate::broad_phase::{Pair, PairChanges};

/// Pairs now, and the changes since the previous step.
#[derive(Debug, Default)]
pub(crate) struct PairBook {
    pairs: Vec<Pair>,
    begun: Vec<Pair>,
    ended: Vec<Pair>,
    /// Pairs found by the method, in any order, each once for `replace`.
    pub found: Vec<Pair>,
    /// Scratch memory of sorting and amending.
    spare: Vec<Pair>,
    starts: Vec<u32>,
}

impl PairBook {
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    pub fn changes(&self) -> PairChanges<'_> {
        PairChanges { begun: &self.begun, ended: &self.ended }
    }

    pub fn bytes(&self) -> usize {
        let lists = [&self.pairs, &self.begun, &self.ended, &self.found, &self.spare];
        lists.iter().map(|list| list.capacity() * size_of::<Pair>()).sum::<usize>() + self.starts.capacity() * 4
    }

    pub fn begin_step(&mut self) {
        let found = self.found.len();
        empty(&mut self.spare, found);
        for list in [&mut self.begun, &mut self.ended, &mut self.found] {
            let taken = list.len();
            empty(list, taken);
        }
    }

    /// Sorts the found pairs; ids are below `end`.
    pub fn sort_found(&mut self, end: usize) {
        sort_pairs(&mut self.found, &mut self.spare, &mut self.starts, end);
    }

    /// Frees the scratch memory of sorting, for use after a peak in the number of pairs.
    pub fn free_room(&mut self) {
        self.spare = Vec::new();
    }

    /// Replaces the pairs by `found`, and records the changes. Ids are below `end`.
    pub fn replace(&mut self, end: usize) {
        self.sort_found(end);
        self.replace_by_sorted();
    }

    /// Performs [`PairBook::replace`] for a sorted `found`.
    pub fn replace_by_sorted(&mut self) {
        std::mem::swap(&mut self.pairs, &mut self.found);
        self.note_changes_from_found();
        // The capacity is oversized if pairs were found among many more, or one by one.
        if self.pairs.capacity() > self.pairs.len() + self.pairs.len() / 2 {
            self.pairs.shrink_to(self.pairs.len() + self.pairs.len() / 8);
        }
    }

    /// Compares the pairs with the previous pairs, which are in `found`.
    fn note_changes_from_found(&mut self) {
        let (mut old, mut new) = (self.found.iter().peekable(), self.pairs.iter().peekable());
        loop {
            match (old.peek(), new.peek()) {
                (Some(before), Some(now)) if before == now => {
                    old.next();
                    new.next();
                }
                (Some(before), now) if now.is_none_or(|now| *before < *now) => {
                    self.ended.push(**before);
                    old.next();
                }
                (_, Some(now)) => {
                    self.begun.push(**now);
                    new.next();
                }
                (_, None) => break,
            }
        }
    }

    /// Tests again the pairs in `found`, which may contain duplicates, and the pairs of removed objects; all other
    /// pairs stay.
    pub fn amend(&mut self, proxies: &Proxies) {
        self.found.sort_unstable();
        self.found.dedup();
        self.spare.clear();
        let records = proxies.records();
        let mut old = self.pairs.iter().copied().peekable();
        let left = |pair: &Pair| {
            let is_gone = |id: u32| records[id as usize].flags & (CHANGED | PRESENT) == CHANGED;
            is_gone(pair.a) || is_gone(pair.b)
        };
        for &pair in self.found.iter().chain(&[Pair { a: u32::MAX, b: u32::MAX }]) {
            while let Some(untouched) = old.next_if(|&before| before < pair) {
                let list = if left(&untouched) { &mut self.ended } else { &mut self.spare };
                list.push(untouched);
            }
            if pair.a == u32::MAX {
                break;
            }
            let was = old.next_if_eq(&pair).is_some();
            let is = records[pair.a as usize].pairs_with(&records[pair.b as usize]);
            if is {
                self.spare.push(pair);
            }
            match (was, is) {
                (true, false) => self.ended.push(pair),
                (false, true) => self.begun.push(pair),
                _ => {}
            }
        }
        std::mem::swap(&mut self.pairs, &mut self.spare);
    }

    /// Records that a pair begins or ends; [`PairBook::apply`] must follow.
    pub fn note(&mut self, pair: Pair, begins: bool) {
        let list = if begins { &mut self.begun } else { &mut self.ended };
        list.push(pair);
    }

    /// Applies the recorded changes to the pairs.
    pub fn apply(&mut self) {
        self.begun.sort_unstable();
        self.ended.sort_unstable();
        if self.begun.is_empty() && self.ended.is_empty() {
            return;
        }
        self.take_out_ended();
        self.put_in_begun();
    }

    /// Closes the gaps of ended pairs.
    fn take_out_ended(&mut self) {
        let (mut kept, mut from) = (0, 0);
        for &gone in &self.ended {
            let at = from + self.pairs[from..].partition_point(|&pair| pair < gone);
            if kept < from {
                self.pairs.copy_within(from..at, kept);
            }
            kept += at - from;
            from = at + 1;
        }
        if kept < from {
            self.pairs.copy_within(from.., kept);
        }
        self.pairs.truncate(self.pairs.len() - self.ended.len());
    }

    /// Inserts new pairs at their indices, the last one first: later entries make room.
    fn put_in_begun(&mut self) {
        let mut end = self.pairs.len();
        make_room(&mut self.pairs, end + self.begun.len());
        self.pairs.resize(end + self.begun.len(), Pair::default());
        for (before, &new) in self.begun.iter().enumerate().rev() {
            let at = self.pairs[..end].partition_point(|&pair| pair < new);
            self.pairs.copy_within(at..end, at + before + 1);
            self.pairs[at + before] = new;
            end = at;
        }
    }
}

/// Sorts pairs of ids below `end`: by counting on the first, then each short list of seconds.
fn sort_pairs(pairs: &mut Vec<Pair>, spare: &mut Vec<Pair>, starts: &mut Vec<u32>, end: usize) {
    if pairs.len() < end / 8 || pairs.len() < 64 {
        pairs.sort_unstable();
        return;
    }
    starts.clear();
    starts.resize(end + 1, 0);
    for pair in pairs.iter() {
        starts[pair.a as usize + 1] += 1;
    }
    for id in 0..end {
        starts[id + 1] += starts[id];
    }
    spare.clear();
    spare.resize(pairs.len(), Pair::default());
    for pair in pairs.iter() {
        let place = &mut starts[pair.a as usize];
        spare[*place as usize] = *pair;
        *place += 1;
    }
    // Each start has moved to the end of its list.
    let mut from = 0;
    for &to in &starts[..end] {
        let to = to as usize;
        if to - from > 1 {
            spare[from..to].sort_unstable_by_key(|pair| pair.b);
        }
        from = to;
    }
    std::mem::swap(pairs, spare);
}
