//! Frontier of a walk: a stack for depth-first, a heap for best-first traversal.
//!
//! In: entries with bounds, several at a time. Out: the next entry. Method: the stack has a fixed number of slots in
//! place, initialised for each walk. Entries that do not fit spill to a heap-allocated list, the most distant first,
//! and return when the stack is empty.
//! Guarantees: the same order for any number of slots. Cost: O(1) an entry depth-first, O(log n) best-first.

use crate::simd::Lanes;
use std::collections::BinaryHeap;

/// An entry still to be opened, with its bound.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Entry<T> {
    pub bound: f32,
    pub at: T,
}

/// Queue of entries. The type of the frontier determines the order of the walk.
pub(crate) trait Frontier<T> {
    /// Begins a walk with its first entry.
    fn begin(first: Entry<T>) -> Self;
    /// Takes the next entry.
    fn pop(&mut self) -> Option<Entry<T>>;
    /// Adds the lanes in `kept` of one opened node; no bound is `NaN`. Lanes need not be `in_order` if all will be
    /// taken.
    fn push<F: Lanes<W>, const W: usize>(&mut self, bounds: F, kept: u32, in_order: bool, at: impl FnMut(usize) -> T);
    /// Returns the least bound of the remaining entries.
    fn least(&self) -> f32;
}

/// The order of a walk that is compiled once for both orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    DepthFirst,
    BestFirst,
}

/// The frontier of such a walk.
#[derive(Debug)]
pub(crate) enum FrontierInOrder<T> {
    DepthFirst(DepthFirst<T>),
    BestFirst(BestFirst<T>),
}

impl<T: Copy + Default> FrontierInOrder<T> {
    /// [`Frontier::begin`].
    #[inline(always)]
    pub fn begin(order: Order, first: Entry<T>) -> Self {
        match order {
            Order::DepthFirst => Self::DepthFirst(DepthFirst::begin(first)),
            Order::BestFirst => Self::BestFirst(BestFirst::begin(first)),
        }
    }

    /// [`Frontier::pop`].
    #[inline(always)]
    pub fn pop(&mut self) -> Option<Entry<T>> {
        match self {
            Self::DepthFirst(stack) => stack.pop(),
            Self::BestFirst(heap) => heap.pop(),
        }
    }

    /// [`Frontier::push`].
    #[inline(always)]
    pub fn push<F: Lanes<W>, const W: usize>(
        &mut self,
        bounds: F,
        kept: u32,
        in_order: bool,
        at: impl FnMut(usize) -> T,
    ) {
        match self {
            Self::DepthFirst(stack) => stack.push(bounds, kept, in_order, at),
            Self::BestFirst(heap) => heap.push(bounds, kept, in_order, at),
        }
    }
}

/// Number of stack slots in place. They are zeroed for each walk, which takes longer for more slots.
const ROOM: usize = 40;

/// Depth-first: the nearest child of the last opened node comes next.
#[derive(Debug)]
pub(crate) struct DepthFirst<T> {
    /// The next entries, the last one first. Entries above the top are meaningless.
    next: [Entry<T>; ROOM],
    top: usize,
    /// The spilled entries, the last one first.
    later: Vec<Entry<T>>,
}

/// Best-first: the entry with the least bound comes next; ties go to the entry added first.
#[derive(Debug)]
pub(crate) struct BestFirst<T> {
    heap: BinaryHeap<Ranked<T>>,
    pushed: u64,
}

#[derive(Debug)]
struct Ranked<T> {
    entry: Entry<T>,
    age: u64,
}

impl<T> PartialEq for Ranked<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl<T> Eq for Ranked<T> {}
impl<T> PartialOrd for Ranked<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Ranked<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.entry.bound.total_cmp(&self.entry.bound).then(other.age.cmp(&self.age))
    }
}

impl<T: Copy + Default> Frontier<T> for DepthFirst<T> {
    #[inline(always)]
    fn begin(first: Entry<T>) -> Self {
        // Zeros are written faster than copies of the first entry.
        let mut next = [Entry::default(); ROOM];
        next[0] = first;
        Self { next, top: 1, later: Vec::new() }
    }
    #[inline(always)]
    fn pop(&mut self) -> Option<Entry<T>> {
        if self.top == 0 {
            if self.later.is_empty() {
                return None;
            }
            self.refill();
        }
        self.top -= 1;
        Some(self.next[self.top])
    }
    /// Each lane counts the more distant lanes and goes above them, so the nearest comes out first, and of equals the
    /// first lane. Sorting by exchanges would branch unpredictably.
    #[inline(always)]
    fn push<F: Lanes<W>, const W: usize>(
        &mut self,
        bounds: F,
        kept: u32,
        in_order: bool,
        mut at: impl FnMut(usize) -> T,
    ) {
        const { assert!(2 * W <= ROOM, "half of the room stays filled") };
        if self.top + W > ROOM {
            self.spill();
        }
        let slots = &mut self.next[self.top..self.top + W];
        let each = bounds.to_array();
        let mut rest = kept;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize % W;
            let this = rest & rest.wrapping_neg();
            rest ^= this;
            let farther = if in_order {
                let bound = F::splat(each[lane]);
                (bounds.gt(bound).bits() | !bound.gt(bounds).bits() & rest) & kept & !this
            } else {
                rest
            };
            slots[farther.count_ones() as usize % W] = Entry { bound: each[lane], at: at(lane) };
        }
        self.top += kept.count_ones() as usize;
    }
    #[cold]
    fn least(&self) -> f32 {
        let entries = self.later.iter().chain(&self.next[..self.top]);
        entries.fold(f32::INFINITY, |least, entry| least.min(entry.bound))
    }
}

impl<T: Copy> DepthFirst<T> {
    /// Half of the slots stay filled, so the next entries neither refill nor spill at once.
    const KEPT: usize = ROOM / 2;

    /// Moves the most distant entries to the spilled list.
    #[cold]
    #[inline(never)]
    fn spill(&mut self) {
        let surplus = self.top - Self::KEPT.min(self.top);
        self.later.extend_from_slice(&self.next[..surplus]);
        self.next.copy_within(surplus..self.top, 0);
        self.top -= surplus;
    }

    /// Moves spilled entries back to the stack.
    #[cold]
    #[inline(never)]
    fn refill(&mut self) {
        let rest = self.later.len() - Self::KEPT.min(self.later.len());
        let back = &self.later[rest..];
        self.next[..back.len()].copy_from_slice(back);
        self.top = back.len();
        self.later.truncate(rest);
    }
}

impl<T: Copy> Frontier<T> for BestFirst<T> {
    fn begin(first: Entry<T>) -> Self {
        let mut heap = BinaryHeap::with_capacity(128);
        heap.push(Ranked { entry: first, age: 0 });
        Self { heap, pushed: 1 }
    }
    fn pop(&mut self) -> Option<Entry<T>> {
        self.heap.pop().map(|ranked| ranked.entry)
    }
    #[inline(always)]
    fn push<F: Lanes<W>, const W: usize>(
        &mut self,
        bounds: F,
        kept: u32,
        _in_order: bool,
        mut at: impl FnMut(usize) -> T,
    ) {
        self.push_each(&bounds.to_array(), kept, &mut at);
    }
    #[cold]
    fn least(&self) -> f32 {
        self.heap.peek().map_or(f32::INFINITY, |ranked| ranked.entry.bound)
    }
}

impl<T> BestFirst<T> {
    /// Not inlined: the heap costs more than these calls, and all walks share the code.
    #[inline(never)]
    fn push_each(&mut self, bounds: &[f32], kept: u32, at: &mut dyn FnMut(usize) -> T) {
        for (lane, &bound) in bounds.iter().enumerate().filter(|(lane, _)| kept >> lane & 1 != 0) {
            self.heap.push(Ranked { entry: Entry { bound, at: at(lane) }, age: self.pushed });
            self.pushed += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DepthFirst, Entry, Frontier};
    use crate::simd::{Array, Lanes};

    #[test]
    fn the_stack_gives_what_a_list_gives_however_deep() {
        let mut state = 11u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for rise in [2, 5, 9] {
            let mut list = vec![(f32::NEG_INFINITY, 0u32)];
            let mut stack = DepthFirst::begin(Entry { bound: f32::NEG_INFINITY, at: 0u32 });
            let mut deepest = 0;
            for step in 1..3000u32 {
                // Rising in the first third, approximately level in the second, then falling to empty and beyond.
                let pushes = match step {
                    0..1000 => next(10) < rise,
                    1000..2000 => next(10) < 3,
                    _ => false,
                };
                if pushes {
                    let bounds: [f32; 8] = std::array::from_fn(|_| next(6) as f32);
                    let kept = next(256) as u32;
                    stack.push(<Array<8> as Lanes<8>>::load(&bounds), kept, true, |lane| step * 8 + lane as u32);
                    let mut lanes: Vec<usize> = (0..8).filter(|lane| kept >> lane & 1 != 0).collect();
                    // The nearest last, of equals the first lane.
                    lanes.sort_by(|&i, &j| bounds[j].total_cmp(&bounds[i]).then(j.cmp(&i)));
                    list.extend(lanes.into_iter().map(|lane| (bounds[lane], step * 8 + lane as u32)));
                }
                deepest = deepest.max(list.len());
                let least = list.iter().fold(f32::INFINITY, |least, entry| least.min(entry.0));
                assert_eq!(stack.least(), least);
                if next(2) == 0 || step >= 2000 {
                    assert_eq!(stack.pop().map(|entry| (entry.bound, entry.at)), list.pop());
                }
            }
            while let Some(last) = list.pop() {
                assert_eq!(stack.pop().map(|entry| (entry.bound, entry.at)), Some(last));
            }
            assert!(stack.pop().is_none());
            assert!(rise < 9 || deepest > 1000, "{deepest} entries at most");
        }
    }
}
