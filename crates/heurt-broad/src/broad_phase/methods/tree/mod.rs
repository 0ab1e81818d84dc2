//! Tree broad phase: two trees of fat boxes, one of static and one of moving objects.
//!
//! In: objects. Out: their pairs. Method: S0 §2.6 (bounding volumes, coherence in space and time). An object that stays
//! in its fat box changes nothing. An object that leaves it gets a new fat box ([`fattening`]) in the same leaf, or is
//! reinserted if it has moved far, and both trees are searched for its neighbours. Pairs of fat boxes are candidates,
//! tested by the true boxes at each step ([`Candidates`]). If many objects leave at once, the tree is compared with
//! itself instead. A tree that has become loose is packed again: refits and packing are so much cheaper than insertions
//! that no rotations are needed. Objects have slots, numbered along the leaves whenever a tree is packed, so neighbours
//! in space are neighbours in memory for any ids. True boxes are compared as `f32`, which decides unless numbers are
//! equal; then they are compared as `f64`. Boxes that are unbounded, or beyond 10¹⁵ m, are in a separate list.
//! Cost: O(moved + pairs) a step where motion is small, O(n log n) where all is new. Guarantees: as of the trait.

mod order;
mod search;
mod slots;
mod walk;
mod wide_tree;

use crate::broad_phase::common::box_list::FlatBoxes;
use crate::broad_phase::common::candidates::{CandidateState, Candidates, CheckPlan};
use crate::broad_phase::common::drawing::{draw_bounds, draw_list};
use crate::broad_phase::common::engine::Method;
use crate::broad_phase::common::fattening;
use crate::broad_phase::common::fattening::Prediction;
use crate::broad_phase::common::lanes::{FAR, Frame, change32, gap32, holds, is_near, overlap32, surely_overlap};
use crate::broad_phase::common::pair_list::PairBook;
use crate::broad_phase::common::proxies::{CHANGED, PRESENT, Proxies, ProxyRecord, RENEWED, STATIC, overlap};
use crate::broad_phase::{BroadPhaseKind, Fault, Pair, ProxyId, Ray, StepWork};
use heurt_bvh::Aabb32;
use heurt_bvh::simd::{Isa, Kernel, LanesFor, WideIsa, dispatch};
use heurt_geometry::{Aabb, DrawSink};
use order::Keyed;
use search::{AlongRay, Fresh, Join, RegionVisitor, TreeSearch};
use slots::{Home, NO_SLOT, SlotEntry, Slots};
use wide_tree::WideTree;

/// The tree is compared with itself if more than one moving object in this many is to be searched again.
const JOIN_SHARE: usize = 3;
/// A tree is packed again if more than one object in this many is new.
const PACK_SHARE: usize = 8;
/// A tree is packed again if its measure exceeds the measure when packed by this factor.
const LOOSE: f32 = 1.4;

/// Only the pairs of changed objects are tested if fewer than one object in this many changed.
const FEW: usize = 8;
/// Prediction of fat boxes: a larger fat box costs time at each step, an object that leaves it a search.
const FORESIGHT: Prediction = Prediction { steps: 16, reach: 0.5, least: 3.0 };
/// Prefetch distance, in objects.
const AHEAD: usize = 16;

/// The trees.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    frame: Option<Frame>,
    now: u32,
    /// Mean size of boxes.
    size: f32,
    slots: Slots,
    moving: WideTree,
    fixed: WideTree,
    flat: FlatBoxes,
    candidates: Candidates,
    /// Slots of the objects to be searched again.
    fresh: Vec<u32>,
    arrivals: Vec<u32>,
    stack: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    /// Whether a filter changed in this step.
    any_renewed: bool,
    /// Maximum change of a coordinate in this step, in metres.
    change: f32,
    /// A bit for each slot whose box changed; empty if most changed.
    moved: Vec<u64>,
}

/// Applies the changes.
struct TreeChanges<'a> {
    tree: &'a mut Tree,
    proxies: &'a Proxies,
    work: &'a mut StepWork,
}

impl Kernel for TreeChanges<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) {
        self.tree.take_changes(isa, self.proxies, self.work);
    }
}

/// Tests the candidates; its only result is the changes recorded in the pair list.
struct TreeJudge<'a> {
    tree: &'a Tree,
    candidates: &'a mut Candidates,
    proxies: &'a Proxies,
    found: &'a [Pair],
    book: &'a mut PairBook,
}

impl Kernel for TreeJudge<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) {
        let Self { tree, candidates, proxies, found, book } = self;
        let entries = tree.slots.entries.as_slice();
        let ids = |pair: Pair| Pair::new(entries[pair.a as usize].id, entries[pair.b as usize].id);
        let prefetch = |pair: Pair| {
            for slot in [pair.a, pair.b] {
                isa.prefetch(&entries[slot as usize]);
            }
        };
        // Used if few objects moved, to skip the prefetches and tests of all other pairs.
        let moved = |slot: u32| tree.moved[slot as usize / 64] >> (slot % 64) & 1 == 1;
        let is_settled = |pair: Pair| !(moved(pair.a) | moved(pair.b));
        let look = CheckPlan {
            found,
            all: tree.any_renewed || !tree.slots.leaving().is_empty(),
            prefetch,
            is_settled: (!tree.moved.is_empty()).then_some(is_settled),
        };
        candidates.refresh(
            isa,
            look,
            #[inline(always)]
            |pair| tree.judge(proxies, pair),
            |pair, begins| book.note(ids(pair), begins),
        );
    }
}

impl Tree {
    /// Classifies the changed objects: they stay in their fat boxes, leave them, come, or go.
    #[inline(always)]
    fn take_changes<I: Isa>(&mut self, isa: I, proxies: &Proxies, work: &mut StepWork) {
        let old = self.slots.entries.len();
        self.change = 0.0;
        for &id in proxies.changed() {
            if self.slots.of(id) == NO_SLOT && proxies.record(id).has(PRESENT) {
                let slot = self.slots.give(id, proxies.end());
                self.arrivals.push(slot);
            }
        }
        if proxies.changed().len() * 2 > old {
            // In the order of slots, and each record prefetched before it is needed: memory latency dominates here.
            for slot in 0..old {
                if let Some(ahead) =
                    self.slots.entries.get(slot + AHEAD).and_then(|ahead| proxies.records().get(ahead.id as usize))
                {
                    isa.prefetch(ahead);
                }
                let entry = &self.slots.entries[slot];
                let record = proxies.record(entry.id);
                if record.has(CHANGED) && entry.home != Home::Nowhere {
                    self.take_change(slot as u32, record, work);
                }
            }
        } else {
            for &id in proxies.changed() {
                let slot = self.slots.of(id);
                if slot != NO_SLOT && self.slots.entries[slot as usize].home != Home::Nowhere {
                    self.take_change(slot, proxies.record(id), work);
                }
            }
        }
        self.moving.refit();
        self.fixed.refit();
        self.candidates.advance(self.change);
    }

    #[inline(always)]
    fn take_change(&mut self, slot: u32, record: &ProxyRecord, work: &mut StepWork) {
        let entry = &mut self.slots.entries[slot as usize];
        if !record.has(PRESENT) {
            self.take_out(slot);
            self.slots.leave(slot);
            return;
        }
        let before = std::mem::replace(&mut entry.now, self.frame.unwrap_or_default().local(&record.bounds));
        self.change = self.change.max(change32(&entry.now, &before));
        if record.has(RENEWED) || entry.home == Home::Flat {
            self.any_renewed |= record.has(RENEWED);
            entry.fat = Aabb32::EMPTY;
            self.take_out(slot);
            self.arrivals.push(slot);
        } else if !holds(&entry.fat, &entry.now) {
            self.take_leaver(slot, work);
        }
    }

    /// Gives an object that left its fat box a new one, in the same leaf if it has not moved far.
    fn take_leaver(&mut self, slot: u32, work: &mut StepWork) {
        let (entry, rest) = (&mut self.slots.entries[slot as usize], &mut self.slots.rests[slot as usize]);
        let steps = self.now.wrapping_sub(entry.drawn);
        entry.fat = fattening::ahead(entry.id, &entry.now, rest.middle, steps, self.size, FORESIGHT);
        rest.middle = fattening::middle(&entry.now);
        let tree = if entry.home == Home::Moving { &mut self.moving } else { &mut self.fixed };
        if is_near(&entry.fat) && tree.is_at_home(entry.place, &entry.fat) {
            entry.drawn = self.now;
            tree.set(entry.place, &entry.fat);
            self.fresh.push(slot);
        } else {
            work.reinserted += 1;
            self.take_out(slot);
            self.arrivals.push(slot);
        }
    }

    fn take_out(&mut self, slot: u32) {
        let SlotEntry { home, place, .. } = self.slots.entries[slot as usize];
        self.slots.entries[slot as usize].home = Home::Nowhere;
        let entries = &mut self.slots.entries;
        match home {
            Home::Nowhere => {}
            Home::Moving => self.moving.remove(place, entries),
            Home::Static => self.fixed.remove(place, entries),
            Home::Flat => {
                if let Some(moved) = self.flat.swap_remove(place as usize) {
                    entries[moved as usize].place = place;
                }
            }
        }
    }

    /// Inserts all new objects; reports whether a tree was packed.
    fn take_arrivals(&mut self, proxies: &Proxies, work: &mut StepWork) -> bool {
        let frame = self.frame.unwrap_or_default();
        let mut counts = [0usize; 2];
        for &slot in &self.arrivals {
            let (entry, rest) = (&mut self.slots.entries[slot as usize], &mut self.slots.rests[slot as usize]);
            let record = proxies.record(entry.id);
            rest.take_filter(record);
            entry.now = frame.local(&record.bounds);
            // A reinserted object has a new fat box already.
            if !holds(&entry.fat, &entry.now) {
                entry.fat = fattening::first(&entry.now, if rest.is_static { 0.0 } else { self.size });
            }
            (entry.drawn, rest.middle) = (self.now, fattening::middle(&entry.now));
            if is_near(&entry.fat) {
                entry.home = if rest.is_static { Home::Static } else { Home::Moving };
                counts[usize::from(rest.is_static)] += 1;
            } else {
                (entry.home, entry.fat) = (Home::Flat, entry.now);
                entry.place = self.flat.push(slot, &entry.now) as u32;
            }
        }
        let mut packed = false;
        for (home, tree, count) in
            [(Home::Moving, &mut self.moving, counts[0]), (Home::Static, &mut self.fixed, counts[1])]
        {
            if count > 0 && count * PACK_SHARE > tree.len() {
                pack(tree, home, &mut self.slots, work);
                packed = true;
                continue;
            }
            for &slot in self.arrivals.iter().take(if count > 0 { usize::MAX } else { 0 }) {
                if self.slots.entries[slot as usize].home == home {
                    tree.insert(slot, &mut self.slots.entries);
                }
            }
        }
        self.fresh.append(&mut self.arrivals);
        packed
    }

    /// Packs trees that have become loose; reports whether any was packed.
    fn tighten(&mut self, work: &mut StepWork) -> bool {
        let mut packed = false;
        for (home, tree) in [(Home::Moving, &mut self.moving), (Home::Static, &mut self.fixed)] {
            // Visiting all nodes is expensive relative to a handful of changes.
            let is_due = self.fresh.len() * 16 > tree.len() || self.now.is_multiple_of(16);
            if is_due && tree.measure() > LOOSE * tree.built_measure {
                pack(tree, home, &mut self.slots, work);
                packed = true;
            }
        }
        packed
    }

    /// Numbers slots along the leaves. Candidates that are to be found again need no new numbers.
    fn renumber(&mut self, with_candidates: bool) {
        let order = self.moving.slots().chain(self.fixed.slots()).chain(self.flat.ids().iter().copied());
        let order: Vec<u32> = order.collect();
        let new = &self.slots.renumber(order.into_iter());
        self.moving.renumber(new);
        self.fixed.renumber(new);
        self.flat.renumber(new);
        self.fresh.iter_mut().for_each(|slot| *slot = new[*slot as usize]);
        if with_candidates {
            self.candidates.renumber(new);
        }
    }

    /// Sets the bits of the objects whose boxes changed, and of new and removed objects.
    fn note_moved(&mut self, proxies: &Proxies) {
        self.moved.resize(self.slots.entries.len().div_ceil(64), 0);
        let present = proxies.changed().iter().map(|&id| self.slots.of(id)).filter(|&slot| slot != NO_SLOT);
        for slot in present.chain(self.slots.leaving().iter().copied()) {
            self.moved[slot as usize / 64] |= 1 << (slot % 64);
        }
    }

    /// Clears all structures: all objects are inserted again, in a new frame.
    fn start_anew(&mut self, proxies: &Proxies) {
        let frame = Frame::amid(proxies.ids().map(|id| &proxies.record(id).bounds));
        self.frame = Some(frame);
        self.now = 1;
        self.moving.clear();
        self.fixed.clear();
        self.flat.clear();
        self.slots.clear();
        proxies.ids().for_each(|id| self.arrivals.push(self.slots.give(id, proxies.end())));
        self.size = mean_size(proxies.ids().map(|id| frame.local(&proxies.record(id).bounds)));
        self.candidates.measure(self.size);
    }

    /// Computes the mean size of boxes again.
    fn measure(&mut self) {
        let is_in_tree = |entry: &&SlotEntry| matches!(entry.home, Home::Moving | Home::Static);
        self.size = mean_size(self.slots.entries.iter().filter(is_in_tree).map(|entry| entry.now));
        self.candidates.measure(self.size);
    }

    /// Returns the largest coordinate of the boxes in the trees.
    fn reach(&self) -> f32 {
        let bounds = self.moving.bounds().merged(&self.fixed.bounds());
        let reach = bounds.min.iter().chain(&bounds.max).fold(0.0f32, |most, x| most.max(x.abs()));
        if reach < FAR { reach } else { 0.0 }
    }

    /// Reports whether the frame, chosen for the first boxes, does not suit the present boxes.
    fn is_blurred(&self, proxies: &Proxies) -> bool {
        let boxes = proxies.ids().map(|id| &proxies.record(id).bounds);
        self.frame.unwrap_or_default().is_blurred(self.reach(), self.size, boxes)
    }

    /// Tests whether two objects with overlapping fat boxes pair, and whether they are still near.
    #[inline(always)]
    fn judge(&self, proxies: &Proxies, pair: Pair) -> CandidateState {
        let (a, b) = (&self.slots.entries[pair.a as usize], &self.slots.entries[pair.b as usize]);
        let mut pairs = overlap32(&a.now, &b.now);
        // A rare branch: a branch on `pairs` itself would be unpredictable.
        if pairs ^ surely_overlap(&a.now, &b.now) {
            pairs = overlap(&proxies.record(a.id).bounds, &proxies.record(b.id).bounds);
        }
        let mut near = (a.home != Home::Nowhere) & (b.home != Home::Nowhere);
        if self.any_renewed && near {
            near = self.slots.rests[pair.a as usize].meets(&self.slots.rests[pair.b as usize]);
        }
        CandidateState { pairs: pairs & near, stays: near & overlap32(&a.fat, &b.fat), gap: gap32(&a.now, &b.now) }
    }
}

/// Returns the mean edge of boxes that are neither unbounded nor vast, in metres.
fn mean_size(boxes: impl Iterator<Item = Aabb32>) -> f32 {
    let (mut sum, mut count) = (0.0f64, 0.0);
    for bounds in boxes.filter(is_near) {
        sum += (0..3).map(|k| f64::from(bounds.max[k] - bounds.min[k])).sum::<f64>() / 3.0;
        count += 1.0;
    }
    if count > 0.0 { (sum / count) as f32 } else { 0.0 }
}

/// Packs all objects of a tree.
fn pack(tree: &mut WideTree, home: Home, slots: &mut Slots, work: &mut StepWork) {
    let all = slots.entries.iter().enumerate().filter(|(_, entry)| entry.home == home);
    let keyed = all.map(|(slot, entry)| Keyed { middle: fattening::middle(&entry.fat), slot: slot as u32 });
    let mut keyed: Vec<Keyed> = keyed.collect();
    order::order(&mut keyed, &slots.entries);
    tree.pack(keyed.iter().map(|one| one.slot), &mut slots.entries);
    work.rebuilds += 1;
}

impl Method for Tree {
    const KIND: Option<BroadPhaseKind> = Some(BroadPhaseKind::Tree);

    fn step(&mut self, proxies: &mut Proxies, book: &mut PairBook, work: &mut StepWork) {
        self.now = self.now.wrapping_add(1);
        self.fresh.clear();
        self.arrivals.clear();
        self.any_renewed = false;
        self.moved.clear();
        let starts = self.frame.is_none() || self.now == 0;
        let starts = starts || (self.now.is_multiple_of(64) && self.is_blurred(proxies));
        if starts {
            self.start_anew(proxies);
        } else {
            dispatch::<8, _>(TreeChanges { tree: self, proxies, work });
        }
        let packed = self.take_arrivals(proxies, work) | self.tighten(work);
        let is_join = starts || self.fresh.len() * JOIN_SHARE > self.moving.len();
        if packed {
            self.measure();
            self.renumber(!is_join);
        } else if proxies.changed().len() * FEW < self.slots.entries.len() {
            self.note_moved(proxies);
        }
        work.reinserted += self.fresh.len() as u64;
        let mut found = std::mem::take(&mut book.found);
        let search = TreeSearch {
            moving: &self.moving,
            fixed: &self.fixed,
            flat: &self.flat,
            slots: &self.slots,
            now: self.now,
            stack: &mut self.stack,
            found: &mut found,
        };
        work.nodes = if is_join {
            dispatch::<8, _>(Join { search, pairs: &mut self.pairs })
        } else {
            // In the order of space, for memory locality.
            self.fresh.sort_unstable();
            dispatch::<8, _>(Fresh { search, fresh: &self.fresh })
        };
        std::mem::swap(&mut book.found, &mut found);
        book.sort_found(self.slots.entries.len());
        std::mem::swap(&mut book.found, &mut found);
        let mut candidates = std::mem::take(&mut self.candidates);
        if is_join {
            let entries = &self.slots.entries;
            let ids = |pair: Pair| Pair::new(entries[pair.a as usize].id, entries[pair.b as usize].id);
            candidates.replace(&found, |pair| self.judge(proxies, pair).pairs, |pair| book.found.push(ids(pair)));
            book.replace(proxies.end());
        } else {
            let candidates = &mut candidates;
            dispatch::<8, _>(TreeJudge { tree: self, candidates, proxies, found: &found, book });
            book.found = found;
            book.apply();
        }
        self.candidates = candidates;
        self.slots.end_step();
        work.box_tests = self.candidates.len() as u64;
    }

    fn near_box(&self, _proxies: &Proxies, region: &Aabb, visit: &mut dyn FnMut(ProxyId)) {
        let region = self.frame.unwrap_or_default().local(region);
        dispatch::<8, _>(RegionVisitor { tree: self, region, visit });
    }

    fn near_ray(&self, _proxies: &Proxies, ray: &Ray, visit: &mut dyn FnMut(ProxyId)) {
        let ray = self.frame.unwrap_or_default().ray(ray, self.reach());
        dispatch::<8, _>(AlongRay { tree: self, ray, visit });
    }

    fn draw(&self, _proxies: &Proxies, sink: &mut dyn DrawSink) {
        let frame = self.frame.unwrap_or_default();
        for tree in [&self.fixed, &self.moving] {
            tree.for_each_box(|bounds| draw_bounds(sink, &frame.world(bounds)));
        }
        draw_list(sink, &frame, &self.flat);
    }

    fn faults(&self, proxies: &Proxies, faults: &mut Vec<Fault>) {
        self.moving.faults(&self.slots.entries, faults);
        self.fixed.faults(&self.slots.entries, faults);
        let frame = self.frame.unwrap_or_default();
        for id in proxies.ids() {
            let (slot, record) = (self.slots.of(id), proxies.record(id));
            let Some(entry) = self.slots.entries.get(slot as usize).filter(|entry| entry.id == id) else {
                faults.push(Fault::Misplaced { id, what: "it has no slot" });
                continue;
            };
            if entry.now != frame.local(&record.bounds) || !holds(&entry.fat, &entry.now) {
                faults.push(Fault::Misplaced { id, what: "the fat box does not hold the box" });
            }
            let home = if record.has(STATIC) { Home::Static } else { Home::Moving };
            let is_flat = entry.home == Home::Flat && self.flat.ids().get(entry.place as usize) == Some(&slot);
            if entry.home != home && !is_flat {
                faults.push(Fault::Misplaced { id, what: "it is in the wrong tree" });
            }
        }
        if self.moving.len() + self.fixed.len() + self.flat.len() != proxies.len() {
            faults.push(Fault::Structure { at: 0, what: "the trees hold more or fewer objects than there are" });
        }
    }

    fn bytes(&self) -> usize {
        let ids = self.fresh.capacity()
            + self.arrivals.capacity()
            + self.stack.capacity()
            + 2 * self.pairs.capacity()
            + 2 * self.moved.capacity();
        let trees = self.moving.bytes() + self.fixed.bytes() + self.flat.bytes() + self.slots.bytes();
        trees + self.candidates.bytes() + ids * 4
    }

    fn candidates(&self) -> Option<usize> {
        Some(self.candidates.len())
    }
}
