//! Pairs that are watched because something larger than their boxes overlaps: fat boxes, or cubes.
//!
//! In: pairs found near each other. Out: the pairs of the book, judged by the true boxes at each step.
//! Method: one sorted list of numbers, `a`, `b` and whether they pair, read and written once a step in order, so that
//! what the book gets is sorted without sorting. Cost: O(candidates) a step, and a sort of the new ones.

use super::Pair;
use super::pair_book::PairBook;
use super::proxies::{Proxies, Record};

/// The list.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// `a` in the upper half, `b` doubled in the lower, and 1 for those that pair.
    keys: Vec<u64>,
    next: Vec<u64>,
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
        (self.keys.capacity() + self.next.capacity()) * size_of::<u64>()
    }

    /// Takes in the pairs that the book has found, which may be watched already, judges all by their boxes, and forgets
    /// those apart that `is_over` says are no longer near.
    pub fn refresh(
        &mut self,
        proxies: &Proxies,
        book: &mut PairBook,
        is_over: impl Fn(Pair, &Record, &Record) -> bool,
    ) {
        book.sort_found(proxies.end());
        book.found.dedup();
        let mut found = std::mem::take(&mut book.found);
        found.push(Pair { a: u32::MAX, b: u32::MAX });
        let room = self.keys.len() + found.len();
        self.next.resize(room, 0);
        let (pairs, begun, ended) = book.rewrite();
        pairs.resize(room, Pair::default());
        let records = proxies.records();
        let (mut kept, mut paired, mut at) = (0, 0, 0);
        let mut judge = |key: u64| {
            let pair = pair(key);
            let (a, b) = (&records[pair.a as usize], &records[pair.b as usize]);
            let is = a.pairs_with(b);
            // Written always, counted where it holds: a branch here would be mispredicted.
            self.next[kept] = key & !1 | u64::from(is);
            pairs[paired] = pair;
            paired += usize::from(is);
            if u64::from(is) != key & 1 {
                let list = if is { &mut *begun } else { &mut *ended };
                list.push(pair);
            }
            let over = !is && is_over(pair, a, b);
            kept += usize::from(!over);
        };
        for &new in &found {
            let new = key(new);
            while let Some(&old) = self.keys.get(at).filter(|&&old| old | 1 < new) {
                judge(old);
                at += 1;
            }
            if new >> 32 == u64::from(u32::MAX) {
                break;
            }
            let known = self.keys.get(at).filter(|&&old| old & !1 == new).copied();
            at += usize::from(known.is_some());
            judge(known.unwrap_or(new));
        }
        self.next.truncate(kept);
        pairs.truncate(paired);
        std::mem::swap(&mut self.keys, &mut self.next);
        found.clear();
        book.found = found;
    }

    /// Watches exactly the pairs that the book has found, each once, in any order.
    pub fn rebuild(&mut self, proxies: &Proxies, book: &mut PairBook) {
        book.sort_found(proxies.end());
        let records = proxies.records();
        self.keys.clear();
        self.keys.reserve(book.found.len());
        let mut kept = 0;
        for at in 0..book.found.len() {
            let pair = book.found[at];
            let is = records[pair.a as usize].pairs_with(&records[pair.b as usize]);
            self.keys.push(key(pair) | u64::from(is));
            book.found[kept] = pair;
            kept += usize::from(is);
        }
        book.found.truncate(kept);
        book.replace_by_sorted();
    }
}
