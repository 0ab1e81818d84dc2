//! Two trees of fat boxes, one of what is static and one of what moves.
//!
//! In: objects. Out: their pairs. Method: S0 §2.6 (bounding volumes, coherence in space and time). An object that stays in
//! its fat box changes nothing. One that leaves it gets a new one ([`fat`]) in the same leaf, or is put elsewhere if it has
//! gone far, and asks both trees who is near; pairs of fat boxes are watched and judged by the true boxes at each step
//! ([`Candidates`]). Where many leave at once the tree is compared with itself instead. A tree that has become loose is
//! packed anew: refits and packing are so much cheaper than insertions that no rotations are needed.
//! What is unbounded, or beyond 10¹⁵ m, is in a list of its own.
//! Cost: O(moved + pairs) a step where motion is small, O(n log n) where all is new. Guarantees: as of the trait.

mod fat;
mod order;
mod walk;
mod wide_tree;

use super::candidates::Candidates;
use super::flat_boxes::FlatBoxes;
use super::lanes::{FAR, Frame, holds, is_near, overlap32};
use super::pair_book::PairBook;
use super::phase::Method;
use super::proxies::{PRESENT, Proxies, RENEWED, Record, STATIC};
use super::{BroadPhaseKind, Fault, Pair, ProxyId, Ray, StepWork};
use heurt_bvh::simd::{Kernel, LanesFor, WideIsa, dispatch};
use heurt_bvh::{Aabb32, RayQuery};
use heurt_geometry::Aabb;
use order::Keyed;
use wide_tree::WideTree;

/// What the tree knows of an object.
#[derive(Debug, Clone, Copy)]
struct Entry {
    fat: Aabb32,
    /// Where it is in its home.
    place: u32,
    /// The step that its fat box was drawn in.
    drawn: u32,
    /// The middle of its box then.
    middle: [f32; 3],
    home: Home,
}

/// Where an object is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Home {
    Nowhere,
    Moving,
    Static,
    Flat,
}

const NOBODY: Entry = Entry { fat: Aabb32::EMPTY, place: 0, drawn: 0, middle: [0.0; 3], home: Home::Nowhere };

/// Where more than this share of the moving objects is to be searched anew, the tree is compared with itself.
const JOIN_SHARE: usize = 3;
/// Where more than this share of a tree has just come, it is packed anew.
const PACK_SHARE: usize = 8;
/// A tree this many times as large in measure as when it was packed is packed anew.
const LOOSE: f32 = 1.4;
/// Coordinates this many times the mean size leave `f32` too few digits: a new frame is due.
const BLURRED: f32 = 1e5;

/// The trees.
#[derive(Debug, Default)]
pub(super) struct Tree {
    frame: Option<Frame>,
    now: u32,
    /// The mean size of boxes.
    size: f32,
    entries: Vec<Entry>,
    moving: WideTree,
    fixed: WideTree,
    flat: FlatBoxes,
    candidates: Candidates,
    /// Those to be searched anew.
    fresh: Vec<ProxyId>,
    arrivals: Vec<ProxyId>,
    keyed: Vec<Keyed>,
    spare: Vec<Keyed>,
    stack: Vec<u32>,
    pairs: Vec<(u32, u32)>,
}

impl Tree {
    /// Sorts the changed into those who stay in their fat boxes, those who leave them, come, or go.
    fn take_changes(&mut self, proxies: &Proxies, work: &mut StepWork) {
        let frame = self.frame.unwrap_or_default();
        self.fresh.clear();
        self.arrivals.clear();
        for &id in proxies.changed() {
            let record = proxies.record(id);
            let entry = &mut self.entries[id as usize];
            let is_new = entry.home == Home::Nowhere;
            if !record.has(PRESENT) || record.has(RENEWED) || is_new || entry.home == Home::Flat {
                entry.fat = Aabb32::EMPTY;
                self.take_out(id);
                if record.has(PRESENT) {
                    self.arrivals.push(id);
                }
                continue;
            }
            let bounds = frame.local(&record.bounds);
            if holds(&entry.fat, &bounds) {
                continue;
            }
            let steps = self.now.wrapping_sub(entry.drawn);
            entry.fat = fat::ahead(id, &bounds, entry.middle, steps, self.size);
            entry.middle = fat::middle(&bounds);
            let tree = if entry.home == Home::Moving { &mut self.moving } else { &mut self.fixed };
            if !is_near(&entry.fat) || !tree.is_at_home(entry.place, &entry.fat) {
                work.reinserted += 1;
                self.take_out(id);
                self.arrivals.push(id);
            } else {
                entry.drawn = self.now;
                tree.set(entry.place, &entry.fat);
                self.fresh.push(id);
            }
        }
        self.moving.refit();
        self.fixed.refit();
    }

    fn take_out(&mut self, id: ProxyId) {
        let Entry { home, place, .. } = self.entries[id as usize];
        self.entries[id as usize].home = Home::Nowhere;
        match home {
            Home::Nowhere => {}
            Home::Moving => self.moving.remove(place, &mut self.entries),
            Home::Static => self.fixed.remove(place, &mut self.entries),
            Home::Flat => {
                if let Some(moved) = self.flat.swap_remove(place as usize) {
                    self.entries[moved as usize].place = place;
                }
            }
        }
    }

    /// Gives all who come a home.
    fn take_arrivals(&mut self, proxies: &Proxies, work: &mut StepWork) {
        let frame = self.frame.unwrap_or_default();
        let mut counts = [0usize; 2];
        for &id in &self.arrivals {
            let record = proxies.record(id);
            let bounds = frame.local(&record.bounds);
            let entry = &mut self.entries[id as usize];
            // Who has only been moved elsewhere has a new fat box already.
            if !holds(&entry.fat, &bounds) {
                entry.fat = fat::first(&bounds, if record.has(STATIC) { 0.0 } else { self.size });
            }
            (entry.drawn, entry.middle) = (self.now, fat::middle(&bounds));
            if is_near(&entry.fat) {
                entry.home = if record.has(STATIC) { Home::Static } else { Home::Moving };
                counts[usize::from(record.has(STATIC))] += 1;
            } else {
                (entry.home, entry.fat) = (Home::Flat, bounds);
                entry.place = self.flat.push(id, &bounds) as u32;
            }
        }
        for (home, tree, count) in
            [(Home::Moving, &mut self.moving, counts[0]), (Home::Static, &mut self.fixed, counts[1])]
        {
            if count == 0 {
                continue;
            }
            if count * PACK_SHARE > tree.len() {
                pack(tree, home, &mut self.entries, &mut self.keyed, &mut self.spare);
                work.rebuilds += 1;
                continue;
            }
            for &id in &self.arrivals {
                if self.entries[id as usize].home == home {
                    tree.insert(id, &mut self.entries);
                }
            }
        }
        self.fresh.append(&mut self.arrivals);
    }

    /// Packs trees that have become loose.
    fn tighten(&mut self, work: &mut StepWork) {
        for (home, tree) in [(Home::Moving, &mut self.moving), (Home::Static, &mut self.fixed)] {
            // A look at all nodes is dear beside a handful of changes.
            let is_due = self.fresh.len() * 16 > tree.len() || self.now.is_multiple_of(16);
            if is_due && tree.measure() > LOOSE * tree.built_measure {
                pack(tree, home, &mut self.entries, &mut self.keyed, &mut self.spare);
                work.rebuilds += 1;
            }
        }
    }

    /// Forgets all places: everything is to come again, in a new frame.
    fn start_anew(&mut self, proxies: &Proxies) {
        let frame = Frame::amid(proxies.ids().map(|id| &proxies.record(id).bounds));
        self.frame = Some(frame);
        self.now = 1;
        self.moving.clear();
        self.fixed.clear();
        self.flat.clear();
        self.entries.clear();
        self.entries.resize(proxies.end(), NOBODY);
        self.arrivals.clear();
        self.arrivals.extend(proxies.ids());
        self.fresh.clear();
        let (mut sum, mut count) = (0.0f64, 0.0);
        for id in proxies.ids() {
            let bounds = frame.local(&proxies.record(id).bounds);
            if is_near(&bounds) {
                sum += (0..3).map(|k| f64::from(bounds.max[k] - bounds.min[k])).sum::<f64>() / 3.0;
                count += 1.0;
            }
        }
        self.size = if count > 0.0 { (sum / count) as f32 } else { 0.0 };
    }

    /// Tells whether the frame, chosen for what was there at first, does not suit what is there now.
    fn is_blurred(&self, proxies: &Proxies) -> bool {
        let bounds = self.moving.bounds().merged(&self.fixed.bounds());
        let reach = bounds.min.iter().chain(&bounds.max).fold(0.0f32, |most, x| most.max(x.abs()));
        if !(reach > BLURRED * self.size && reach < FAR) {
            return false;
        }
        // Only a frame that lies elsewhere would help.
        let better = Frame::amid(proxies.ids().map(|id| &proxies.record(id).bounds));
        (better.origin - self.frame.unwrap_or_default().origin).abs().max_element() > f64::from(reach) * 0.5
    }
}

/// Packs all whose home a tree is.
fn pack(tree: &mut WideTree, home: Home, entries: &mut [Entry], keyed: &mut Vec<Keyed>, spare: &mut Vec<Keyed>) {
    keyed.clear();
    let all = entries.iter().enumerate().filter(|(_, entry)| entry.home == home);
    keyed.extend(all.map(|(id, _)| (0, id as ProxyId)));
    order::order(keyed, spare, entries);
    tree.pack(keyed.iter().map(|&(_, id)| id), entries);
}

impl Method for Tree {
    const KIND: BroadPhaseKind = BroadPhaseKind::Tree;

    fn step(&mut self, proxies: &mut Proxies, book: &mut PairBook, work: &mut StepWork) {
        let proxies = &*proxies;
        self.entries.resize(proxies.end(), NOBODY);
        self.now = self.now.wrapping_add(1);
        if self.frame.is_none() || self.now == 0 || (self.now.is_multiple_of(64) && self.is_blurred(proxies)) {
            self.start_anew(proxies);
        } else {
            self.take_changes(proxies, work);
        }
        self.take_arrivals(proxies, work);
        self.tighten(work);
        work.reinserted += self.fresh.len() as u64;
        let is_join = self.fresh.len() * JOIN_SHARE > self.moving.len();
        let records = proxies.records();
        let search = Search {
            moving: &self.moving,
            fixed: &self.fixed,
            flat: &self.flat,
            entries: &self.entries,
            records,
            now: self.now,
            stack: &mut self.stack,
            found: &mut book.found,
            nodes: 0,
        };
        if is_join {
            work.nodes = dispatch::<8, _>(Join { search, pairs: &mut self.pairs });
            self.candidates.rebuild(proxies, book);
        } else {
            work.nodes = dispatch::<8, _>(Fresh { search, fresh: &self.fresh });
            let (now, entries) = (self.now, &self.entries);
            self.candidates.refresh(proxies, book, |pair, a, b| {
                let (one, other) = (&entries[pair.a as usize], &entries[pair.b as usize]);
                let is_new = one.drawn == now || other.drawn == now || a.flags & b.flags & PRESENT == 0;
                is_new && !(a.meets(b) && overlap32(&one.fat, &other.fat))
            });
        }
        work.box_tests = self.candidates.len() as u64;
    }

    fn near_box(&self, _proxies: &Proxies, region: &Aabb, visit: &mut dyn FnMut(ProxyId)) {
        let region = self.frame.unwrap_or_default().local(region);
        dispatch::<8, _>(InRegion { tree: self, region, visit });
    }

    fn near_ray(&self, _proxies: &Proxies, ray: &Ray, visit: &mut dyn FnMut(ProxyId)) {
        let bounds = self.moving.bounds().merged(&self.fixed.bounds());
        let reach = bounds.min.iter().chain(&bounds.max).fold(0.0f32, |most, x| most.max(x.abs()));
        let reach = if reach < FAR { reach } else { 0.0 };
        let ray = self.frame.unwrap_or_default().ray(ray, reach);
        dispatch::<8, _>(AlongRay { tree: self, ray, visit });
    }

    fn faults(&self, proxies: &Proxies, faults: &mut Vec<Fault>) {
        self.moving.faults(&self.entries, faults);
        self.fixed.faults(&self.entries, faults);
        let frame = self.frame.unwrap_or_default();
        for id in proxies.ids() {
            let (entry, record) = (&self.entries[id as usize], proxies.record(id));
            if !holds(&entry.fat, &frame.local(&record.bounds)) {
                faults.push(Fault::Misplaced { id, what: "the fat box does not hold the box" });
            }
            let home = if record.has(STATIC) { Home::Static } else { Home::Moving };
            let is_flat = entry.home == Home::Flat && self.flat.ids().get(entry.place as usize) == Some(&id);
            if entry.home != home && !is_flat {
                faults.push(Fault::Misplaced { id, what: "it is in the wrong tree" });
            }
        }
        if self.moving.len() + self.fixed.len() + self.flat.len() != proxies.len() {
            faults.push(Fault::Structure { at: 0, what: "the trees hold more or fewer objects than there are" });
        }
    }

    fn bytes(&self) -> usize {
        let ids = self.fresh.capacity() + self.arrivals.capacity() + self.stack.capacity() + 2 * self.pairs.capacity();
        let keyed = (self.keyed.capacity() + self.spare.capacity()) * size_of::<Keyed>();
        let trees = self.moving.bytes() + self.fixed.bytes() + self.flat.bytes();
        trees + self.candidates.bytes() + self.entries.capacity() * size_of::<Entry>() + keyed + ids * 4
    }

    fn candidates(&self) -> Option<usize> {
        Some(self.candidates.len())
    }
}

/// A search for those near.
struct Search<'a> {
    moving: &'a WideTree,
    fixed: &'a WideTree,
    flat: &'a FlatBoxes,
    entries: &'a [Entry],
    records: &'a [Record],
    now: u32,
    stack: &'a mut Vec<u32>,
    found: &'a mut Vec<Pair>,
    nodes: u64,
}

/// Where to search.
#[derive(Clone, Copy)]
struct Where {
    moving: bool,
    fixed: bool,
    flat: bool,
    /// Of two that both search the greater leaves the pair to the lesser.
    all_search: bool,
}

impl Search<'_> {
    #[inline(always)]
    fn of<I: LanesFor<8>>(&mut self, isa: I, id: ProxyId, places: Where) {
        let entry = &self.entries[id as usize];
        let record = &self.records[id as usize];
        let found = &mut *self.found;
        let mut visit = |other: ProxyId| {
            let searches = places.all_search && self.entries[other as usize].drawn == self.now;
            if other != id && !(searches && other < id) && record.meets(&self.records[other as usize]) {
                found.push(Pair::new(id, other));
            }
        };
        if places.moving {
            self.nodes += walk::overlapping(isa, self.moving, &entry.fat, self.stack, &mut visit);
        }
        if places.fixed {
            self.nodes += walk::overlapping(isa, self.fixed, &entry.fat, self.stack, &mut visit);
        }
        if places.flat {
            self.nodes += self.flat.overlapping(isa, 0, &entry.fat, &mut visit);
        }
    }
}

/// Those who are fresh against all.
struct Fresh<'a> {
    search: Search<'a>,
    fresh: &'a [ProxyId],
}

impl Kernel for Fresh<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(mut self, isa: I) -> u64 {
        for &id in self.fresh {
            let fixed = self.search.entries[id as usize].home != Home::Static;
            self.search.of(isa, id, Where { moving: true, fixed, flat: true, all_search: true });
        }
        self.search.nodes
    }
}

/// All against all: the moving tree with itself, moving objects in the static tree, the list with everything.
struct Join<'a> {
    search: Search<'a>,
    pairs: &'a mut Vec<(u32, u32)>,
}

impl Kernel for Join<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) -> u64 {
        let Self { mut search, pairs } = self;
        let (records, found) = (search.records, &mut *search.found);
        search.nodes += walk::join_self(isa, search.moving, pairs, |one, other| {
            if records[one as usize].meets(&records[other as usize]) {
                found.push(Pair::new(one, other));
            }
        });
        if search.fixed.len() > 0 {
            for id in 0..search.entries.len() {
                if search.entries[id].home == Home::Moving {
                    let places = Where { moving: false, fixed: true, flat: false, all_search: false };
                    search.of(isa, id as ProxyId, places);
                }
            }
        }
        let flat = search.flat;
        for (place, &id) in flat.ids().iter().enumerate() {
            search.of(isa, id, Where { moving: true, fixed: true, flat: false, all_search: false });
            let (bounds, records, found) = (flat.get(place), search.records, &mut *search.found);
            search.nodes += flat.overlapping(isa, place + 1, &bounds, |other| {
                if records[id as usize].meets(&records[other as usize]) {
                    found.push(Pair::new(id, other));
                }
            });
        }
        search.nodes
    }
}

struct InRegion<'a> {
    tree: &'a Tree,
    region: Aabb32,
    visit: &'a mut dyn FnMut(ProxyId),
}

impl Kernel for InRegion<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) {
        let mut stack = vec![];
        for tree in [&self.tree.moving, &self.tree.fixed] {
            walk::overlapping(isa, tree, &self.region, &mut stack, &mut *self.visit);
        }
        self.tree.flat.overlapping(isa, 0, &self.region, &mut *self.visit);
    }
}

struct AlongRay<'a> {
    tree: &'a Tree,
    ray: RayQuery,
    visit: &'a mut dyn FnMut(ProxyId),
}

impl Kernel for AlongRay<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) {
        for tree in [&self.tree.moving, &self.tree.fixed] {
            walk::along(isa, tree, &self.ray, &mut *self.visit);
        }
        // What is unbounded is for the exact test.
        self.tree.flat.ids().iter().for_each(|&id| (self.visit)(id));
    }
}
