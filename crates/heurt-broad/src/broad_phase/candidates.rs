//! Pairs that are watched because something larger than their boxes overlaps: fat boxes, or cubes.
//!
//! In: pairs found near each other, and a judge of pairs. Out: those of which the judgement changed.
//! Method: one sorted list of numbers, `a`, `b` and whether they pair, read and written once a step in order, in place. The numbers are
//! ids, or whatever lets objects that are near each other lie side by side in memory: at a hundred thousand objects
//! nearly all time goes into waiting for memory. Cost: O(candidates) a step, and a sort of the new ones.

use super::Pair;
use super::proxies::{empty, make_room};

/// What is to become of a candidate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judgement {
    /// The boxes overlap and the filters meet.
    pub pairs: bool,
    /// They are still near, so that they may pair later.
    pub stays: bool,
}

/// The list.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// `a` in the upper half, `b` doubled in the lower, and 1 for those that pair.
    keys: Vec<u64>,
    /// Places of those that do not stay.
    gone: Vec<usize>,
    /// Those that are watched from this step on, and before how many of the others each goes.
    new: Vec<(u64, usize)>,
}

/// How many candidates ahead memory is asked for.
const AHEAD: usize = 12;
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
            + self.gone.capacity() * size_of::<usize>()
            + self.new.capacity() * size_of::<(u64, usize)>()
    }

    /// Takes in sorted pairs, which may be watched already, and judges all but those that are settled as they were: `is_settled` is told
    /// whether they paired before. Forgets those that do not stay, and tells of those that begin (true) or cease (false) to pair.
    /// `ask_for` is told of most a while before.
    #[inline(always)]
    pub fn refresh(
        &mut self,
        found: &[Pair],
        ask_for: impl Fn(Pair),
        is_settled: impl Fn(Pair, bool) -> bool,
        judge: impl Fn(Pair) -> Judgement,
        mut tell: impl FnMut(Pair, bool),
    ) {
        let (gone, new) = (self.gone.len(), self.new.len());
        empty(&mut self.gone, gone);
        let mut from = 0;
        while from < self.keys.len() {
            let count = (self.keys.len() - from).min(LOOKED_AT);
            let mut open = 0u64;
            // Few are open, and nobody can predict which: bits are gathered, so that there is no branch on each.
            for (bit, &key) in self.keys[from..from + count].iter().enumerate() {
                if let Some(&ahead) = self.keys.get(from + bit + AHEAD) {
                    ask_for(pair(ahead));
                }
                open |= u64::from(!is_settled(pair(key), key & 1 == 1)) << bit;
            }
            while open != 0 {
                let at = from + open.trailing_zeros() as usize;
                open &= open - 1;
                let (pair, was) = (pair(self.keys[at]), self.keys[at] & 1 == 1);
                let Judgement { pairs, stays } = judge(pair);
                self.keys[at] = key(pair) | u64::from(pairs);
                if !stays {
                    self.gone.push(at);
                }
                if pairs != was {
                    tell(pair, pairs);
                }
            }
            from += count;
        }
        self.forget_gone();
        empty(&mut self.new, new);
        let mut place = 0;
        for &pair in found {
            let wanted = key(pair);
            place += less_ahead(&self.keys[place..], wanted);
            if self.keys.get(place).is_some_and(|&old| old & !1 == wanted) {
                continue;
            }
            let Judgement { pairs, stays } = judge(pair);
            if stays {
                self.new.push((wanted | u64::from(pairs), place));
            }
            if pairs {
                tell(pair, true);
            }
        }
        self.merge();
    }

    /// Closes up where somebody is gone.
    fn forget_gone(&mut self) {
        let mut kept = self.gone.first().copied().unwrap_or(self.keys.len());
        for (number, &gone) in self.gone.iter().enumerate() {
            let until = self.gone.get(number + 1).copied().unwrap_or(self.keys.len());
            self.keys.copy_within(gone + 1..until, kept);
            kept += until - gone - 1;
        }
        self.keys.truncate(kept);
    }

    /// Puts the new ones to their places, the last one first: those behind make room.
    fn merge(&mut self) {
        let mut end = self.keys.len();
        make_room(&mut self.keys, end + self.new.len());
        self.keys.resize(end + self.new.len(), 0);
        for (before, &(key, place)) in self.new.iter().enumerate().rev() {
            self.keys.copy_within(place..end, place + before + 1);
            self.keys[place + before] = key;
            end = place;
        }
    }

    /// Watches exactly the sorted pairs given, and tells of all that pair.
    pub fn replace(&mut self, found: &[Pair], pairs: impl Fn(Pair) -> bool, mut tell: impl FnMut(Pair)) {
        self.keys.clear();
        make_room(&mut self.keys, found.len());
        for &pair in found {
            let is = pairs(pair);
            self.keys.push(key(pair) | u64::from(is));
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
    }
}
