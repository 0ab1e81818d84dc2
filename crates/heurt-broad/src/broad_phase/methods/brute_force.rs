//! Brute-force broad phase: the reference, and the right choice for a few hundred objects.
//!
//! In: objects. Out: their pairs. Method: two lists of `f32` boxes, of moving and of static objects, compared eight at
//! a time; overlaps are decided in `f64`. If few objects changed, only these are compared with all.
//! Cost: (changed or moving)·n / 8 tests a step; no test of static against static.

use crate::broad_phase::common::box_list::FlatBoxes;
use crate::broad_phase::common::drawing::draw_list;
use crate::broad_phase::common::engine::Method;
use crate::broad_phase::common::lanes::Frame;
use crate::broad_phase::common::pair_list::PairBook;
use crate::broad_phase::common::proxies::{PRESENT, Proxies, ProxyRecord, STATIC};
use crate::broad_phase::{BroadPhaseKind, Fault, Pair, ProxyId, StepWork};
use heurt_bvh::simd::{Kernel, LanesFor, WideIsa, dispatch};
use heurt_geometry::{Aabb, DrawSink};

/// No index.
const NOWHERE: u32 = u32::MAX;

/// Two lists: moving, then static.
#[derive(Debug, Default)]
pub(crate) struct BruteForce {
    frame: Option<Frame>,
    lists: [FlatBoxes; 2],
    /// By id: its index in its list, doubled, plus the number of the list.
    places: Vec<u32>,
}

impl BruteForce {
    fn take_changes(&mut self, proxies: &Proxies) {
        let frame = *self.frame.get_or_insert_with(|| Frame::amid(proxies.ids().map(|id| &proxies.record(id).bounds)));
        self.places.resize(proxies.end(), NOWHERE);
        for &id in proxies.changed() {
            let record = proxies.record(id);
            let list = usize::from(record.has(STATIC));
            let place = self.places[id as usize];
            let stays = record.has(PRESENT) && place != NOWHERE && place as usize & 1 == list;
            if stays {
                self.lists[list].set(place as usize / 2, &frame.local(&record.bounds));
                continue;
            }
            if place != NOWHERE {
                let old = place as usize & 1;
                if let Some(moved) = self.lists[old].swap_remove(place as usize / 2) {
                    self.places[moved as usize] = place;
                }
                self.places[id as usize] = NOWHERE;
            }
            if record.has(PRESENT) {
                let place = self.lists[list].push(id, &frame.local(&record.bounds));
                self.places[id as usize] = (place * 2 + list) as u32;
            }
        }
    }
}

impl Method for BruteForce {
    const KIND: Option<BroadPhaseKind> = Some(BroadPhaseKind::BruteForce);

    fn step(&mut self, proxies: &mut Proxies, book: &mut PairBook, work: &mut StepWork) {
        self.take_changes(proxies);
        let changed = proxies.changed();
        let (lists, records) = (&self.lists, proxies.records());
        if changed.len() * 2 < lists[0].len() {
            let is_changed = |id: ProxyId| records[id as usize].has(crate::broad_phase::common::proxies::CHANGED);
            for at in 0..book.pairs().len() {
                let pair = book.pairs()[at];
                if is_changed(pair.a) || is_changed(pair.b) {
                    book.found.push(pair);
                }
            }
            let places = &self.places;
            work.box_tests =
                dispatch::<8, _>(SomeAgainstAll { lists, places, changed, records, found: &mut book.found });
            book.amend(proxies);
        } else {
            work.box_tests = dispatch::<8, _>(AllAgainstAll { lists, records, found: &mut book.found });
            book.replace(proxies.end());
        }
    }

    fn near_box(&self, _proxies: &Proxies, region: &Aabb, visit: &mut dyn FnMut(ProxyId)) {
        let region = self.frame.unwrap_or_default().local(region);
        dispatch::<8, _>(RegionScan { lists: &self.lists, region, visit });
    }

    fn draw(&self, _proxies: &Proxies, sink: &mut dyn DrawSink) {
        let frame = self.frame.unwrap_or_default();
        self.lists.iter().for_each(|list| draw_list(sink, &frame, list));
    }

    fn faults(&self, proxies: &Proxies, faults: &mut Vec<Fault>) {
        let frame = self.frame.unwrap_or_default();
        for id in proxies.ids() {
            let record = proxies.record(id);
            let place = self.places[id as usize];
            let list = &self.lists[usize::from(record.has(STATIC))];
            let is_there = list.ids().get(place as usize / 2) == Some(&id);
            if !is_there || list.get(place as usize / 2) != frame.local(&record.bounds) {
                faults.push(Fault::Misplaced { id, what: "the list of boxes holds another box in its place" });
            }
        }
    }

    fn bytes(&self) -> usize {
        self.lists.iter().map(FlatBoxes::bytes).sum::<usize>() + self.places.capacity() * 4
    }
}

struct AllAgainstAll<'a> {
    lists: &'a [FlatBoxes; 2],
    records: &'a [ProxyRecord],
    found: &'a mut Vec<Pair>,
}

impl Kernel for AllAgainstAll<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) -> u64 {
        let [moving, fixed] = self.lists;
        let mut tests = 0;
        for (place, &id) in moving.ids().iter().enumerate() {
            let (bounds, record) = (moving.get(place), &self.records[id as usize]);
            let mut judge = |other: ProxyId| {
                if record.pairs_with(&self.records[other as usize]) {
                    self.found.push(Pair::new(id, other));
                }
            };
            tests += moving.overlapping(isa, place + 1, &bounds, &mut judge);
            tests += fixed.overlapping(isa, 0, &bounds, &mut judge);
        }
        tests
    }
}

struct SomeAgainstAll<'a> {
    lists: &'a [FlatBoxes; 2],
    places: &'a [u32],
    changed: &'a [ProxyId],
    records: &'a [ProxyRecord],
    found: &'a mut Vec<Pair>,
}

impl Kernel for SomeAgainstAll<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) -> u64 {
        let mut tests = 0;
        for &id in self.changed {
            let (record, place) = (&self.records[id as usize], self.places[id as usize] as usize);
            if !record.has(PRESENT) {
                continue;
            }
            let bounds = self.lists[place & 1].get(place / 2);
            let lists = if record.has(STATIC) { &self.lists[..1] } else { &self.lists[..] };
            for list in lists {
                tests += list.overlapping(isa, 0, &bounds, |other| {
                    if other != id && record.pairs_with(&self.records[other as usize]) {
                        self.found.push(Pair::new(id, other));
                    }
                });
            }
        }
        tests
    }
}

struct RegionScan<'a> {
    lists: &'a [FlatBoxes; 2],
    region: heurt_bvh::Aabb32,
    visit: &'a mut dyn FnMut(ProxyId),
}

impl Kernel for RegionScan<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) {
        for list in self.lists {
            list.overlapping(isa, 0, &self.region, &mut *self.visit);
        }
    }
}
