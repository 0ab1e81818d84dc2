//! Sweep and prune: three sorted lists of the ends of boxes, put in order again at each step.
//!
//! In: objects. Out: their pairs. Method: S0 §6.1.2 (after I-COLLIDE and V-COLLIDE): insertion sort along each axis; a pair
//! changes only where a start and an end change places. S0 keeps three flags a pair, which is n²/2 pairs; here an exchange on
//! one axis asks whether the boxes, swept from before to now, overlap on the others too, which leaves a handful of pairs,
//! and these are judged once at the end of the step. Many arrivals, or a list far from sorted, sort from scratch.
//! Guarantees: pairs exact with dynamic boxes and with cubes. Cost: O(n + exchanges); at constant density and motion the
//! exchanges grow as n^(5/3), and so this is for thousands of objects, not for a hundred thousand.

mod axis;
mod ends;

use super::candidates::{Candidates, Judgement};
use super::flat_boxes::FlatBoxes;
use super::lanes::{Frame, overlap32};
use super::pair_book::PairBook;
use super::phase::Method;
use super::proxies::{CHANGED, KNOWN, PRESENT, Proxies, RENEWED, overlap};
use super::{BroadPhaseKind, Fault, Pair, ProxyId, StepWork};
use axis::{End, insertion_sort, sort};
pub(super) use ends::{Boxes, Cubes, Ends};
use heurt_bvh::Aabb32;
use heurt_bvh::simd::{Kernel, LanesFor, WideIsa, dispatch};

/// Exchanges an end may make on the mean before its list is sorted from scratch, beside a share of the length of the list.
const SWAPS_PER_END: u64 = 64;
/// That share.
const SWAPS_SHARE: u64 = 128;

/// Three lists and what each object swept in the last step.
#[derive(Debug, Default)]
pub(super) struct SweepAndPrune<E> {
    boxes: E,
    axes: [Vec<End>; 3],
    frame: Option<Frame>,
    swept: Vec<Aabb32>,
    candidates: Candidates,
    order: FlatBoxes,
}

impl<E: Ends> SweepAndPrune<E> {
    /// Takes in what changed; tells whether lists are worth mending.
    fn take_changes(&mut self, proxies: &Proxies) -> bool {
        let frame = *self.frame.get_or_insert_with(|| Frame::amid(proxies.ids().map(|id| &proxies.record(id).bounds)));
        self.swept.resize(proxies.end(), Aabb32::EMPTY);
        let is_gone = |id: ProxyId| proxies.record(id).flags & (KNOWN | PRESENT) == KNOWN;
        if proxies.changed().iter().any(|&id| is_gone(id)) {
            self.axes.iter_mut().for_each(|ends| ends.retain(|end| !is_gone(end.id())));
        }
        let mut arrivals = 0;
        for &id in proxies.changed() {
            let record = proxies.record(id);
            if !record.has(PRESENT) {
                continue;
            }
            self.boxes.take(proxies, id);
            let now = frame.local(self.boxes.of(proxies, id));
            let swept = &mut self.swept[id as usize];
            *swept = if record.has(KNOWN) { swept.merged(&now) } else { now };
            if !record.has(KNOWN) {
                arrivals += 1;
                self.axes
                    .iter_mut()
                    .for_each(|ends| ends.extend([0, 1].map(|side| End { value: 0.0, tag: id << 1 | side })));
            }
        }
        for (k, ends) in self.axes.iter_mut().enumerate() {
            for end in ends {
                let id = end.id();
                if proxies.record(id).has(CHANGED) {
                    let bounds = self.boxes.of(proxies, id);
                    end.value = if end.tag & 1 == 0 { bounds.min[k] } else { bounds.max[k] };
                }
            }
        }
        arrivals * 8 <= proxies.len()
    }

    /// Sorts all three lists by insertion; leaves pairs that may have changed in `found`. False if that takes too long.
    fn mend(&mut self, found: &mut Vec<Pair>, work: &mut StepWork) -> bool {
        let swept = &self.swept;
        for ends in &mut self.axes {
            let length = ends.len() as u64;
            let limit = length * (SWAPS_PER_END + length / SWAPS_SHARE);
            let mut tests = 0;
            let met = |one: ProxyId, other: ProxyId| {
                tests += 1;
                if overlap32(&swept[one as usize], &swept[other as usize]) {
                    found.push(Pair::new(one, other));
                }
            };
            let mended = insertion_sort(ends, limit, &mut work.swaps, met);
            work.box_tests += tests;
            if mended.is_err() {
                return false;
            }
        }
        true
    }

    /// Sorts all three lists from scratch, and leaves all pairs of boxes that may overlap in `found`.
    fn sort_anew(&mut self, proxies: &Proxies, found: &mut Vec<Pair>, work: &mut StepWork) {
        work.rebuilds += 1;
        self.axes.iter_mut().for_each(|ends| sort(ends));
        self.order.clear();
        let frame = self.frame.unwrap_or_default();
        for end in self.axes[0].iter().filter(|end| end.tag & 1 == 0) {
            self.order.push(end.id(), &frame.local(self.boxes.of(proxies, end.id())));
        }
        found.clear();
        work.box_tests += dispatch::<8, _>(Sweep { order: &self.order, found });
    }

    /// Those whose filter changed are looked for among all.
    fn look_again(&self, proxies: &Proxies, book: &mut PairBook) {
        let is_renewed = |id: ProxyId| proxies.record(id).flags & (RENEWED | PRESENT) == RENEWED | PRESENT;
        for &id in proxies.changed().iter().filter(|&&id| is_renewed(id)) {
            let bounds = self.boxes.of(proxies, id);
            let others = proxies.ids().filter(|&other| other != id && overlap(bounds, self.boxes.of(proxies, other)));
            book.found.extend(others.map(|other| Pair::new(id, other)));
            let old = book.pairs().iter().copied().filter(|pair| pair.a == id || pair.b == id).collect::<Vec<_>>();
            book.found.extend(old);
        }
    }
}

impl<E: Ends> Method for SweepAndPrune<E> {
    const KIND: BroadPhaseKind =
        if E::ARE_LARGER { BroadPhaseKind::SweepAndPruneCubes } else { BroadPhaseKind::SweepAndPrune };

    fn step(&mut self, proxies: &mut Proxies, book: &mut PairBook, work: &mut StepWork) {
        let is_mended = self.take_changes(proxies) && self.mend(&mut book.found, work);
        if !is_mended {
            self.sort_anew(proxies, &mut book.found, work);
        }
        let judge = |pair: &Pair| {
            let (a, b) = (self.boxes.of(proxies, pair.a), self.boxes.of(proxies, pair.b));
            proxies.record(pair.a).meets(proxies.record(pair.b)) && overlap(a, b)
        };
        match (E::ARE_LARGER, is_mended) {
            (false, true) => {
                self.look_again(proxies, book);
                book.amend(proxies);
            }
            (false, false) => {
                book.found.retain(judge);
                book.replace(proxies.end());
            }
            (true, true) => {
                self.look_again(proxies, book);
                book.found.retain(judge);
                book.sort_found(proxies.end());
                book.found.dedup();
                let found = std::mem::take(&mut book.found);
                let boxes = &self.boxes;
                self.candidates.refresh(
                    &found,
                    |_| {},
                    |pair, _| judge_cubes(proxies, boxes, pair),
                    |pair, is| book.note(pair, is),
                );
                book.found = found;
                book.apply();
            }
            (true, false) => {
                book.found.retain(judge);
                book.sort_found(proxies.end());
                let found = std::mem::take(&mut book.found);
                let boxes = &self.boxes;
                let tell = |pair| book.found.push(pair);
                self.candidates.replace(&found, |pair| judge_cubes(proxies, boxes, pair), tell);
                book.replace_by_sorted();
            }
        }
        let frame = self.frame.unwrap_or_default();
        for &id in proxies.changed() {
            if proxies.record(id).has(PRESENT) {
                self.swept[id as usize] = frame.local(self.boxes.of(proxies, id));
            }
        }
    }

    fn faults(&self, proxies: &Proxies, faults: &mut Vec<Fault>) {
        for (k, ends) in self.axes.iter().enumerate() {
            if let Some(at) = ends.windows(2).position(|two| two[0].is_after(two[1])) {
                faults.push(Fault::Structure { at: at as u32, what: "the list is not sorted" });
            }
            if ends.len() != 2 * proxies.len() {
                faults.push(Fault::Structure { at: k as u32, what: "the list does not hold two ends an object" });
            }
            for end in ends {
                let bounds = self.boxes.of(proxies, end.id());
                let value = if end.tag & 1 == 0 { bounds.min[k] } else { bounds.max[k] };
                if proxies.get(end.id()).is_none() || value != end.value {
                    faults.push(Fault::Misplaced { id: end.id(), what: "an end is not that of the box" });
                }
            }
        }
        for id in proxies.ids() {
            let (outer, inner) = (self.boxes.of(proxies, id), &proxies.record(id).bounds);
            if outer.union(*inner) != *outer {
                faults.push(Fault::Misplaced { id, what: "the cube does not hold the box" });
            }
        }
    }

    fn bytes(&self) -> usize {
        let ends: usize = self.axes.iter().map(Vec::capacity).sum();
        let swept = self.swept.capacity() * size_of::<Aabb32>();
        ends * size_of::<End>() + swept + self.boxes.bytes() + self.candidates.bytes() + self.order.bytes()
    }

    fn candidates(&self) -> Option<usize> {
        E::ARE_LARGER.then(|| self.candidates.len())
    }
}

/// Whether two whose cubes met still do, and whether their boxes do.
#[inline(always)]
fn judge_cubes<E: Ends>(proxies: &Proxies, boxes: &E, pair: Pair) -> Judgement {
    let (a, b) = (proxies.record(pair.a), proxies.record(pair.b));
    let pairs = a.pairs_with(b);
    let is_over = || {
        let may_be = (a.flags | b.flags) & CHANGED != 0;
        may_be && !(a.meets(b) && overlap(boxes.of(proxies, pair.a), boxes.of(proxies, pair.b)))
    };
    Judgement { pairs, stays: pairs || !is_over() }
}

struct Sweep<'a> {
    order: &'a FlatBoxes,
    found: &'a mut Vec<Pair>,
}

impl Kernel for Sweep<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) -> u64 {
        let mut tests = 0;
        for (place, &id) in self.order.ids().iter().enumerate() {
            let bounds = self.order.get(place);
            tests +=
                self.order.overlapping_until(isa, place + 1, &bounds, |other| self.found.push(Pair::new(id, other)));
        }
        tests
    }
}
