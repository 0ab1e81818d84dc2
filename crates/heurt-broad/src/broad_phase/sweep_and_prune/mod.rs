//! Sweep and prune: three sorted lists of the ends of boxes, put in order again at each step.
//!
//! In: objects. Out: their pairs. Method: S0 §6.1.2 (after I-COLLIDE and V-COLLIDE): insertion along each axis; a pair can begin
//! only where a start and an end change places. S0 keeps three flags a pair, which is n²/2 pairs; here such an exchange asks
//! whether the boxes overlap on the other axes too, and pairs that do are watched ([`Candidates`]) until they do no more.
//! What is sorted are fat boxes ([`fat`]), which hold the box, or its cube, for the next 32 to 63 steps: in a step
//! nearly all ends stay where they are, and the rest go that much farther in one go, which costs much less.
//! Where many come or leave their fat boxes at once, or a list is far from sorted, all is sorted and swept from scratch.
//! Guarantees: pairs exact with dynamic boxes and with cubes. Cost: O(n + exchanges); at constant density and motion the
//! exchanges grow as n^(5/3), and so this is for thousands of objects, not for a hundred thousand.

mod axis;
mod ends;

use super::candidates::{Candidates, Judgement};
use super::fat::{self, Foresight};
use super::flat_boxes::FlatBoxes;
use super::lanes::{Corners, FAR, Frame, is_near};
use super::pair_book::PairBook;
use super::phase::Method;
use super::proxies::{KNOWN, PRESENT, Proxies, RENEWED, overlap};
use super::{BroadPhaseKind, Fault, Pair, ProxyId, StepWork};
use axis::{Cells, End, MOST_ARRIVALS, Marks, Room, mend};
pub(super) use ends::{Boxes, Cubes, Ends};
use heurt_bvh::Aabb32;
use heurt_bvh::simd::{Kernel, LanesFor, Portable, WideIsa, dispatch};

/// Exchanges an end may make on the mean before its list is sorted from scratch, beside a share of the length of the list.
const SWAPS_PER_END: u64 = 64;
/// That share.
const SWAPS_SHARE: u64 = 4096;
/// Where more than one in this many has left its fat box or just come, all lists are sorted from scratch.
const LEAVERS_SHARE: usize = 4;
/// Where fewer than one in this many objects changed, only their pairs are judged.
const FEW: usize = 8;
/// Of fat boxes: a larger one means more pairs to watch, one who leaves it six ends to put elsewhere.
const FORESIGHT: Foresight = Foresight { steps: 32, reach: 0.7 };
/// Steps between two looks whether frame and room still suit.
const LOOKS: u32 = 64;

/// What is known of an object: one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Entry {
    /// Its box.
    now: Corners,
    /// What is sorted: it holds the box, or the cube.
    fat: Corners,
}

const NOBODY: Entry = Entry { now: Corners::EMPTY, fat: Corners::EMPTY };

/// How a fat box was drawn.
#[derive(Debug, Clone, Copy)]
struct Drawn {
    /// The middle of the box, or the cube, then.
    middle: [f32; 3],
    /// The step.
    step: u32,
    /// Where it is in the room.
    cells: Cells,
}

const UNDRAWN: Drawn = Drawn { middle: [0.0; 3], step: 0, cells: Cells::NONE };

/// Three lists of the ends of fat boxes.
#[derive(Debug, Default)]
pub(super) struct SweepAndPrune<E> {
    boxes: E,
    axes: [Vec<End>; 3],
    frame: Option<Frame>,
    room: Room,
    /// The mean size of boxes.
    size: f32,
    now: u32,
    entries: Vec<Entry>,
    drawn: Vec<Drawn>,
    candidates: Candidates,
    arrivals: Vec<ProxyId>,
    /// Those whose ends have new places.
    leavers: Marks,
    /// Those whose boxes are others than before; used where they are few.
    moved: Marks,
    are_few: bool,
    /// Somebody left or changed the filter in this step.
    any_other: bool,
    order: FlatBoxes,
    /// Looks at boxes that turned out to be apart, since the last look at the room.
    wasted: u64,
}

/// How a step has to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Nobody left a fat box.
    Rest,
    Mend,
    SortAnew,
}

impl<E: Ends> SweepAndPrune<E> {
    /// The box that the lists have to hold.
    #[inline(always)]
    fn outer<I: WideIsa>(&self, isa: I, frame: &Frame, proxies: &Proxies, id: ProxyId, now: &Corners) -> Corners {
        if E::ARE_LARGER { Corners::local(isa, frame, self.boxes.of(proxies, id)) } else { *now }
    }

    /// Takes in what changed.
    #[inline(always)]
    fn take_changes<I: WideIsa>(&mut self, isa: I, proxies: &Proxies, work: &mut StepWork) -> Way {
        let frame = self.frame.unwrap_or_default();
        self.are_few = proxies.changed().len() * FEW < self.entries.len();
        self.entries.resize(proxies.end(), NOBODY);
        self.drawn.resize(proxies.end(), UNDRAWN);
        self.leavers.clear(proxies.end());
        self.moved.clear(proxies.end());
        self.arrivals.clear();
        self.any_other = false;
        let mut any_gone = false;
        for &id in proxies.changed() {
            if self.are_few {
                self.moved.set(id);
            }
            let record = proxies.record(id);
            self.any_other |= record.has(RENEWED);
            if !record.has(PRESENT) {
                any_gone |= record.has(KNOWN);
                self.entries[id as usize] = NOBODY;
                continue;
            }
            self.boxes.take(proxies, id);
            let now = Corners::local(isa, &frame, &record.bounds);
            let outer = self.outer(isa, &frame, proxies, id, &now);
            let entry = &mut self.entries[id as usize];
            entry.now = now;
            if record.has(KNOWN) && entry.fat.holds(isa, &outer) {
                continue;
            }
            self.draw(id, &outer.bounds(), record.has(KNOWN));
        }
        self.any_other |= any_gone;
        work.reinserted = self.leavers.count as u64;
        if any_gone {
            let is_gone = |id: ProxyId| proxies.record(id).flags & (KNOWN | PRESENT) == KNOWN;
            self.axes.iter_mut().for_each(|ends| ends.retain(|end| !is_gone(end.id())));
        }
        let leavers = self.leavers.count;
        match () {
            () if leavers * LEAVERS_SHARE > proxies.len() || self.arrivals.len() > MOST_ARRIVALS => Way::SortAnew,
            () if leavers == 0 => Way::Rest,
            () => Way::Mend,
        }
    }

    /// Draws another fat box about `outer`.
    #[inline(never)]
    fn draw(&mut self, id: ProxyId, outer: &Aabb32, is_known: bool) {
        let drawn = &mut self.drawn[id as usize];
        let fat = if is_known {
            fat::ahead(id, outer, drawn.middle, self.now.wrapping_sub(drawn.step), self.size, FORESIGHT)
        } else {
            self.arrivals.push(id);
            fat::first(outer, self.size)
        };
        *drawn = Drawn { middle: fat::middle(outer), step: self.now, cells: self.room.cells(&fat) };
        self.entries[id as usize].fat = Corners::of(&fat);
        self.leavers.set(id);
    }

    /// Puts the ends of all who left their fat boxes to their new places, and leaves pairs of fat boxes that may have begun to
    /// overlap in `found`. False if that takes too long.
    fn mend(&mut self, proxies: &Proxies, found: &mut Vec<Pair>, work: &mut StepWork) -> bool {
        self.arrivals.sort_unstable();
        let (entries, drawn, leavers) = (self.entries.as_slice(), self.drawn.as_slice(), &self.leavers);
        for (axis, ends) in self.axes.iter_mut().enumerate() {
            ends.extend(self.arrivals.iter().enumerate().flat_map(|(n, &id)| End::arriving(id, n)));
            let length = ends.len() as u64;
            let limit = length * (SWAPS_PER_END + length / SWAPS_SHARE);
            let place = |id: ProxyId, is_greater| {
                let (fat, cells) = (entries[id as usize].fat.bounds(), drawn[id as usize].cells);
                // Written out, so that no index has to be computed.
                match axis {
                    0 => cells.end(&fat, 0, id, is_greater),
                    1 => cells.end(&fat, 1, id, is_greater),
                    _ => cells.end(&fat, 2, id, is_greater),
                }
            };
            if mend(ends, leavers, limit, &mut work.swaps, place, found).is_err() {
                return false;
            }
        }
        work.box_tests = found.len() as u64;
        // Of one's own ends, too, the start may have been ahead of the end for a while.
        found.retain(|&Pair { a, b }| {
            let near = a != b && entries[a as usize].fat.overlaps(Portable, &entries[b as usize].fat);
            near && proxies.record(a).meets(proxies.record(b))
        });
        self.wasted += work.box_tests - found.len() as u64;
        true
    }

    /// Chooses a frame, and takes in all objects as if they had just come.
    fn start_anew(&mut self, proxies: &Proxies) {
        let frame = Frame::amid(proxies.ids().map(|id| &proxies.record(id).bounds));
        self.frame = Some(frame);
        self.now = 1;
        proxies
            .changed()
            .iter()
            .filter(|&&id| proxies.record(id).has(PRESENT))
            .for_each(|&id| self.boxes.take(proxies, id));
        self.entries.clear();
        self.entries.resize(proxies.end(), NOBODY);
        self.drawn.resize(proxies.end(), UNDRAWN);
        for id in proxies.ids() {
            let now = Corners::local(Portable, &frame, &proxies.record(id).bounds);
            let outer = self.outer(Portable, &frame, proxies, id, &now);
            self.entries[id as usize] = Entry { now, fat: outer };
        }
        self.measure(proxies);
        for id in proxies.ids() {
            let (entry, drawn) = (&mut self.entries[id as usize], &mut self.drawn[id as usize]);
            let outer = entry.fat.bounds();
            let fat = fat::first(&outer, self.size);
            entry.fat = Corners::of(&fat);
            *drawn = Drawn { middle: fat::middle(&outer), step: self.now, cells: self.room.cells(&fat) };
        }
    }

    /// Finds the mean size of boxes, and the room that they are in.
    fn measure(&mut self, proxies: &Proxies) {
        let (mut sum, mut count, mut all) = (0.0f64, 0.0, Aabb32::EMPTY);
        for Entry { now, fat } in proxies.ids().map(|id| &self.entries[id as usize]) {
            let (now, fat) = (now.bounds(), fat.bounds());
            if is_near(&fat) {
                sum += (0..3).map(|k| f64::from(now.max[k] - now.min[k])).sum::<f64>() / 3.0;
                count += 1.0;
                all = all.merged(&fat);
            }
        }
        self.size = if count > 0.0 { (sum / count) as f32 } else { 0.0 };
        self.room = Room::new(&all);
    }

    /// Sorts all three lists from scratch, and leaves all pairs of fat boxes that overlap in `found`.
    fn sort_anew(&mut self, proxies: &Proxies, found: &mut Vec<Pair>, work: &mut StepWork) {
        work.rebuilds += 1;
        self.measure(proxies);
        for id in proxies.ids() {
            self.drawn[id as usize].cells = self.room.cells(&self.entries[id as usize].fat.bounds());
        }
        for (axis, ends) in self.axes.iter_mut().enumerate() {
            ends.clear();
            for id in proxies.ids() {
                let (fat, cells) = (self.entries[id as usize].fat.bounds(), self.drawn[id as usize].cells);
                ends.extend([false, true].map(|is_greater| cells.end(&fat, axis, id, is_greater)));
            }
            ends.sort_unstable_by_key(|end| end.key);
        }
        self.order.clear();
        for end in self.axes[0].iter().filter(|end| !end.is_greater()) {
            self.order.push(end.id(), &self.entries[end.id() as usize].fat.bounds());
        }
        found.clear();
        work.box_tests += dispatch::<8, _>(Sweep { order: &self.order, found });
        found.retain(|pair| proxies.record(pair.a).meets(proxies.record(pair.b)));
    }

    /// Those whose filter changed are looked for among all.
    fn look_again(&self, proxies: &Proxies, found: &mut Vec<Pair>) {
        let is_renewed = |id: ProxyId| proxies.record(id).flags & (RENEWED | PRESENT) == RENEWED | PRESENT;
        for &id in proxies.changed().iter().filter(|&&id| is_renewed(id)) {
            let (fat, record) = (&self.entries[id as usize].fat, proxies.record(id));
            let meets = |other: ProxyId| {
                other != id
                    && fat.overlaps(Portable, &self.entries[other as usize].fat)
                    && record.meets(proxies.record(other))
            };
            found.extend(proxies.ids().filter(|&other| meets(other)).map(|other| Pair::new(id, other)));
        }
    }

    /// Whether two whose fat boxes met pair, and whether they are still near.
    #[inline(always)]
    fn judge<I: WideIsa>(&self, isa: I, proxies: &Proxies, pair: Pair) -> Judgement {
        let (a, b) = (&self.entries[pair.a as usize], &self.entries[pair.b as usize]);
        let mut pairs = a.now.overlaps(isa, &b.now);
        // As good as never: not a branch on `pairs`, which nobody could predict.
        if pairs ^ a.now.surely_overlaps(isa, &b.now) {
            pairs = overlap(&proxies.record(pair.a).bounds, &proxies.record(pair.b).bounds);
        }
        let meet = !self.any_other || proxies.record(pair.a).meets(proxies.record(pair.b));
        Judgement { pairs: pairs & meet, stays: meet & a.fat.overlaps(isa, &b.fat) }
    }

    /// Tells whether the frame, chosen for what was there then, does not suit what is there now.
    fn is_blurred(&self, proxies: &Proxies) -> bool {
        let place = |end: &End| {
            let fat = self.entries[end.id() as usize].fat.bounds();
            if is_near(&fat) { fat.min.iter().chain(&fat.max).fold(0.0f32, |most, x| most.max(x.abs())) } else { 0.0 }
        };
        let reach =
            self.axes.iter().flat_map(|ends| [ends.first(), ends.last()]).flatten().map(place).fold(0.0, f32::max);
        let boxes = proxies.ids().map(|id| &proxies.record(id).bounds);
        self.frame.unwrap_or_default().is_blurred(reach.min(FAR), self.size, boxes)
    }
}

/// Takes in what changed.
struct Changes<'a, E> {
    lists: &'a mut SweepAndPrune<E>,
    proxies: &'a Proxies,
    work: &'a mut StepWork,
}

impl<E: Ends> Kernel for Changes<'_, E> {
    type Output = Way;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) -> Way {
        self.lists.take_changes(isa, self.proxies, self.work)
    }
}

/// Judges all that is watched.
struct Judge<'a, E> {
    lists: &'a SweepAndPrune<E>,
    candidates: &'a mut Candidates,
    proxies: &'a Proxies,
    found: &'a [Pair],
    book: &'a mut PairBook,
}

impl<E: Ends> Kernel for Judge<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) {
        let Self { lists, candidates, proxies, found, book } = self;
        if lists.are_few {
            let judge = |pair: Pair, was: bool| match lists.moved.has(pair.a) | lists.moved.has(pair.b) {
                true => lists.judge(isa, proxies, pair),
                false => Judgement { pairs: was, stays: true },
            };
            candidates.refresh(found, |_| {}, judge, |pair, begins| book.note(pair, begins));
            return;
        }
        let ask_for = |pair: Pair| isa.expect(&lists.entries[pair.b as usize]);
        let judge = |pair: Pair, _was: bool| lists.judge(isa, proxies, pair);
        candidates.refresh(found, ask_for, judge, |pair, begins| book.note(pair, begins));
    }
}

impl<E: Ends> Method for SweepAndPrune<E> {
    const KIND: BroadPhaseKind =
        if E::ARE_LARGER { BroadPhaseKind::SweepAndPruneCubes } else { BroadPhaseKind::SweepAndPrune };

    fn step(&mut self, proxies: &mut Proxies, book: &mut PairBook, work: &mut StepWork) {
        self.now = self.now.wrapping_add(1);
        let starts = self.frame.is_none() || self.now == 0;
        let is_look = self.now.is_multiple_of(LOOKS);
        let way = if starts || (is_look && self.is_blurred(proxies)) {
            self.start_anew(proxies);
            Way::SortAnew
        } else {
            dispatch::<8, _>(Changes { lists: self, proxies, work })
        };
        let wasted = if is_look { std::mem::take(&mut self.wasted) } else { 0 };
        // Boxes have gathered in a few cells of the room.
        let way = if wasted > u64::from(LOOKS) * proxies.len() as u64 { Way::SortAnew } else { way };
        let mut found = std::mem::take(&mut book.found);
        let is_mended = way == Way::Rest || way == Way::Mend && self.mend(proxies, &mut found, work);
        if !is_mended {
            self.sort_anew(proxies, &mut found, work);
        } else if self.any_other {
            self.look_again(proxies, &mut found);
        }
        let mut candidates = std::mem::take(&mut self.candidates);
        if is_mended {
            found.sort_unstable();
            found.dedup();
            dispatch::<8, _>(Judge { lists: self, candidates: &mut candidates, proxies, found: &found, book });
            found.clear();
            book.found = found;
            book.apply();
        } else {
            std::mem::swap(&mut book.found, &mut found);
            book.sort_found(proxies.end());
            std::mem::swap(&mut book.found, &mut found);
            candidates.replace(&found, |pair| self.judge(Portable, proxies, pair), |pair| book.found.push(pair));
            book.replace_by_sorted();
        }
        self.candidates = candidates;
    }

    fn faults(&self, proxies: &Proxies, faults: &mut Vec<Fault>) {
        for (axis, ends) in self.axes.iter().enumerate() {
            if let Some(at) = ends.windows(2).position(|two| two[0].key >= two[1].key) {
                faults.push(Fault::Structure { at: at as u32, what: "the list is not sorted" });
            }
            if ends.len() != 2 * proxies.len() {
                faults.push(Fault::Structure { at: axis as u32, what: "the list does not hold two ends an object" });
            }
            for end in ends {
                let fat = self.entries.get(end.id() as usize).unwrap_or(&NOBODY).fat.bounds();
                let right = self.room.cells(&fat).end(&fat, axis, end.id(), end.is_greater());
                if proxies.get(end.id()).is_none() || *end != right {
                    faults.push(Fault::Misplaced { id: end.id(), what: "an end is not that of the box" });
                }
            }
        }
        let frame = self.frame.unwrap_or_default();
        for id in proxies.ids() {
            let entry = self.entries.get(id as usize).unwrap_or(&NOBODY);
            let now = Corners::local(Portable, &frame, &proxies.record(id).bounds);
            if entry.now != now || !entry.fat.holds(Portable, &self.outer(Portable, &frame, proxies, id, &now)) {
                faults.push(Fault::Misplaced { id, what: "the fat box does not hold the box" });
            }
            let (outer, inner) = (self.boxes.of(proxies, id), &proxies.record(id).bounds);
            if outer.union(*inner) != *outer {
                faults.push(Fault::Misplaced { id, what: "the cube does not hold the box" });
            }
        }
    }

    fn bytes(&self) -> usize {
        let ends: usize = self.axes.iter().map(Vec::capacity).sum();
        let drawn = self.drawn.capacity() * size_of::<Drawn>();
        let entries = self.entries.capacity() * size_of::<Entry>() + drawn + self.arrivals.capacity() * 4;
        let marks = self.leavers.bytes() + self.moved.bytes();
        ends * size_of::<End>() + entries + marks + self.boxes.bytes() + self.candidates.bytes() + self.order.bytes()
    }

    fn candidates(&self) -> Option<usize> {
        Some(self.candidates.len())
    }
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
