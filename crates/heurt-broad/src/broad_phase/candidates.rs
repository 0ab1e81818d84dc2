//! Pairs that are watched because something larger than their boxes overlaps: fat boxes, or cubes.
//!
//! In: pairs found near each other, and a judge of pairs. Out: those of which the judgement changed.
//! Method: one sorted list of numbers, `a`, `b` and whether they pair, read and written once a step in order. The numbers are
//! ids, or whatever lets objects that are near each other lie side by side in memory: at a hundred thousand objects
//! nearly all time goes into waiting for memory. Cost: O(candidates) a step, and a sort of the new ones.

use super::Pair;

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
    next: Vec<u64>,
}

/// How many candidates ahead memory is asked for.
const AHEAD: usize = 12;
/// After all candidates.
const END: u64 = u64::MAX;

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
        (self.keys.capacity() + self.next.capacity()) * size_of::<u64>()
    }

    /// Takes in sorted pairs, which may be watched already, judges all, told whether they paired before, forgets those that do not stay, and tells of those
    /// that begin (true) or cease (false) to pair. `ask_for` is told of most a while before.
    #[inline(always)]
    pub fn refresh(
        &mut self,
        found: &[Pair],
        ask_for: impl Fn(Pair),
        judge: impl Fn(Pair, bool) -> Judgement,
        mut tell: impl FnMut(Pair, bool),
    ) {
        self.next.resize(self.keys.len() + found.len(), 0);
        let (mut kept, mut at) = (0, 0);
        let mut found = found.iter().map(|&pair| key(pair));
        let mut new = found.next().unwrap_or(END);
        loop {
            let old = self.keys.get(at).copied().unwrap_or(END);
            if old & new == END {
                break;
            }
            let (is_old, is_new) = (old & !1 <= new, new <= old & !1);
            let key = if is_old { old } else { new };
            at += usize::from(is_old);
            if is_new {
                new = found.next().unwrap_or(END);
            }
            if let Some(&ahead) = self.keys.get(at + AHEAD) {
                ask_for(pair(ahead));
            }
            let pair = pair(key);
            let Judgement { pairs, stays } = judge(pair, key & 1 == 1);
            // Written always, counted where it stays: a branch here would be mispredicted.
            self.next[kept] = key & !1 | u64::from(pairs);
            kept += usize::from(stays);
            if u64::from(pairs) != key & 1 {
                tell(pair, pairs);
            }
        }
        self.next.truncate(kept);
        std::mem::swap(&mut self.keys, &mut self.next);
    }

    /// Watches exactly the sorted pairs given, and tells of all that pair.
    pub fn replace(&mut self, found: &[Pair], judge: impl Fn(Pair) -> Judgement, mut tell: impl FnMut(Pair)) {
        self.keys.clear();
        for &pair in found {
            let is = judge(pair).pairs;
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
