//! Sweep and prune: three sorted lists of the ends of boxes, sorted again at each step.
//!
//! In: objects. Out: their pairs. Method: S0 §6.1.2 (after I-COLLIDE and V-COLLIDE): insertion along each axis; a pair
//! can begin only if a start and an end change places. S0 keeps three flags a pair, which is n²/2 pairs. Here each such
//! exchange tests the boxes on both cross axes too; overlapping pairs are candidates ([`Candidates`]) while they
//! overlap. The sorted boxes are fat boxes ([`fat`]), which hold the box, or its cube, for the next 80 to 159 steps. In
//! a step nearly all ends stay in place, and the rest move that much farther at once, which costs much less. If many
//! objects come or leave their fat boxes at once, or a list is far from sorted, all lists are sorted and swept from
//! scratch.
//! Guarantees: pairs exact with dynamic boxes and with cubes. Cost: O(n + exchanges); at constant density and motion
//! the exchanges grow as n^(5/3), and so this is for thousands of objects, not for a hundred thousand.

mod axis;
mod ends;

use crate::broad_phase::common::box_list::FlatBoxes;
use crate::broad_phase::common::candidates::{CandidateState, Candidates, CheckPlan};
use crate::broad_phase::common::drawing::draw_intervals;
use crate::broad_phase::common::engine::Method;
use crate::broad_phase::common::fattening;
use crate::broad_phase::common::fattening::Prediction;
use crate::broad_phase::common::lanes::{Corners, FAR, Frame, is_near};
use crate::broad_phase::common::pair_list::PairBook;
use crate::broad_phase::common::proxies::{KNOWN, PRESENT, Proxies, RENEWED, make_room, overlap};
use crate::broad_phase::{BroadPhaseKind, Fault, Pair, ProxyId, StepWork};
use axis::{Axis, End, MAX_ARRIVALS, Room, Shift, keys};
pub(crate) use ends::{Boxes, Cubes, Ends};
use heurt_bvh::Aabb32;
use heurt_bvh::simd::{Baseline, Kernel, Lanes, LanesFor, WideIsa, dispatch};
use heurt_geometry::DrawSink;

/// Maximum mean number of exchanges an end before its list is sorted from scratch, in addition to a share of the length
/// of the list.
const SWAPS_PER_END: u64 = 64;
/// That share: the length divided by this.
const SWAPS_SHARE: u64 = 4096;
/// All lists are sorted from scratch if more than one object in this many has left its fat box or is new.
const LEAVERS_SHARE: usize = 4;
/// Only the pairs of changed objects are tested if fewer than one object in this many changed.
const FEW: usize = 8;
/// Prediction of fat boxes: a larger fat box adds candidates; an object that leaves it moves six ends.
const FORESIGHT: Prediction = Prediction { steps: 80, reach: 0.9, least: 4.0 };
/// Steps between two checks of the frame and the room.
const LOOKS: u32 = 64;

/// State of an object when its fat box was made.
#[derive(Debug, Clone, Copy)]
struct Drawn {
    /// The middle of the box, or the cube.
    middle: [f32; 3],
    /// The step.
    step: u32,
}

const UNDRAWN: Drawn = Drawn { middle: [0.0; 3], step: 0 };

/// An object with a new fat box.
#[derive(Debug, Clone, Copy)]
struct Leaver {
    id: ProxyId,
    /// The previous fat box; `None` for a new object.
    was: Option<Aabb32>,
}

/// A set of ids: a byte each, which is faster to read than a bit.
#[derive(Debug, Default)]
struct Marks(Vec<u8>);

impl Marks {
    /// Clears the set; ids are below `end`.
    fn clear(&mut self, end: usize) {
        self.0.clear();
        self.0.resize(end, 0);
    }

    fn set(&mut self, id: ProxyId) {
        self.0[id as usize] = 1;
    }

    #[inline(always)]
    fn has(&self, id: ProxyId) -> bool {
        self.0[id as usize] != 0
    }
}

/// Three lists of the ends of fat boxes.
#[derive(Debug, Default)]
pub(crate) struct SweepAndPrune<E> {
    boxes: E,
    axes: [Axis; 3],
    frame: Option<Frame>,
    room: Room,
    /// Mean size of boxes.
    size: f32,
    now: u32,
    /// The given boxes, by id; the data of the tests has to fit into the L1 cache.
    exact: Vec<Corners>,
    /// The sorted boxes: each holds the box, or the cube.
    fat: Vec<Corners>,
    drawn: Vec<Drawn>,
    candidates: Candidates,
    /// The objects whose ends have new positions, unless they are too many; their number, and the number of new objects
    /// among them.
    leavers: Vec<Leaver>,
    left: usize,
    arrivals: usize,
    /// Scratch memory for their ends.
    shifts: Vec<Shift>,
    /// The objects whose boxes changed; used if they are few.
    moved: Marks,
    are_few: bool,
    /// Whether an object was removed or its filter changed in this step.
    any_other: bool,
    order: FlatBoxes,
    /// Tests of boxes that turned out to be disjoint, since the last check of the room.
    wasted: u64,
}

/// Kind of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SortMethod {
    /// No object left its fat box.
    Rest,
    Mend,
    SortAnew,
}

impl<E: Ends> SweepAndPrune<E> {
    /// Returns the box that the lists have to hold.
    #[inline(always)]
    fn outer<I: WideIsa>(&self, isa: I, frame: &Frame, proxies: &Proxies, id: ProxyId, now: &Corners) -> Corners {
        if E::ARE_LARGER { Corners::local(isa, frame, &self.boxes.of(proxies, id)) } else { *now }
    }

    /// Applies the changes.
    #[inline(always)]
    fn take_changes<I: WideIsa>(&mut self, isa: I, proxies: &Proxies, work: &mut StepWork) -> SortMethod {
        let frame = self.frame.unwrap_or_default();
        self.are_few = proxies.changed().len() * FEW < self.exact.len();
        self.make_room(proxies.end());
        self.leavers.clear();
        (self.left, self.arrivals) = (0, 0);
        if self.are_few {
            self.moved.clear(proxies.end());
        }
        self.any_other = false;
        let mut any_gone = false;
        let mut most = <I as LanesFor<8>>::F::splat(0.0);
        for &id in proxies.changed() {
            if self.are_few {
                self.moved.set(id);
            }
            let record = proxies.record(id);
            self.any_other |= record.has(RENEWED);
            if !record.has(PRESENT) {
                any_gone |= record.has(KNOWN);
                (self.exact[id as usize], self.fat[id as usize]) = (Corners::EMPTY, Corners::EMPTY);
                continue;
            }
            self.boxes.take(proxies, id);
            let now = Corners::local(isa, &frame, &record.bounds);
            let outer = self.outer(isa, &frame, proxies, id, &now);
            let before = std::mem::replace(&mut self.exact[id as usize], now);
            if record.has(KNOWN) {
                // `NaN` does not count.
                most = now.change(isa, &before).max(most);
            }
            if record.has(KNOWN) && self.fat[id as usize].holds(isa, &outer) {
                continue;
            }
            self.draw(proxies, id, &outer.bounds(), record.has(KNOWN));
        }
        self.any_other |= any_gone;
        self.candidates.advance(most.to_array().into_iter().fold(0.0, f32::max));
        work.reinserted = self.left as u64;
        if any_gone {
            let is_gone = |id: ProxyId| proxies.record(id).flags & (KNOWN | PRESENT) == KNOWN;
            self.axes.iter_mut().for_each(|ends| ends.leave_out(is_gone));
        }
        match () {
            () if self.are_too_many(proxies) || self.arrivals > MAX_ARRIVALS => SortMethod::SortAnew,
            () if self.left == 0 => SortMethod::Rest,
            () => SortMethod::Mend,
        }
    }

    /// Room for ids below `end`.
    fn make_room(&mut self, end: usize) {
        for boxes in [&mut self.exact, &mut self.fat] {
            make_room(boxes, end);
            boxes.resize(end, Corners::EMPTY);
        }
        make_room(&mut self.drawn, end);
        self.drawn.resize(end, UNDRAWN);
    }

    /// Makes a new fat box around `outer`.
    #[inline(never)]
    fn draw(&mut self, proxies: &Proxies, id: ProxyId, outer: &Aabb32, is_known: bool) {
        let drawn = &mut self.drawn[id as usize];
        let fat = if is_known {
            fattening::ahead(id, outer, drawn.middle, self.now.wrapping_sub(drawn.step), self.size, FORESIGHT)
        } else {
            self.arrivals += 1;
            fattening::first(outer, self.size)
        };
        *drawn = Drawn { middle: fattening::middle(outer), step: self.now };
        let was = std::mem::replace(&mut self.fat[id as usize], Corners::of(&fat));
        self.left += 1;
        if !self.are_too_many(proxies) {
            self.leavers.push(Leaver { id, was: is_known.then(|| was.bounds()) });
        }
    }

    /// Reports whether too many objects left their fat boxes, so that all lists are sorted from scratch.
    fn are_too_many(&self, proxies: &Proxies) -> bool {
        self.left * LEAVERS_SHARE > proxies.len()
    }

    /// Moves the ends of all objects that left their fat boxes, and appends to `found` pairs of fat boxes that may have
    /// begun to overlap. Returns false if that takes too long.
    #[inline(always)]
    fn mend<I: WideIsa>(&mut self, isa: I, proxies: &Proxies, found: &mut Vec<Pair>, work: &mut StepWork) -> bool {
        let (fat, leavers, room) = (self.fat.as_slice(), self.leavers.as_slice(), &self.room);
        for (axis, ends) in self.axes.iter_mut().enumerate() {
            let mut arrivals = 0;
            self.shifts.clear();
            for &Leaver { id, was } in leavers {
                let fat = fat[id as usize].bounds();
                let was = was.map_or_else(
                    || {
                        arrivals += 1;
                        End::arriving(id, arrivals)
                    },
                    |was| keys(&was, axis, id),
                );
                let cells = room.cells(&fat);
                let shift = |is_greater: bool| {
                    let end = cells.end(&fat, axis, id, is_greater);
                    Shift { was: was[usize::from(is_greater)], end, at: 0 }
                };
                self.shifts.extend([false, true].map(shift));
            }
            if arrivals > 0 {
                let keys = leavers.iter().zip(self.shifts.chunks_exact(2)).filter(|(leaver, _)| leaver.was.is_none());
                ends.extend(arrivals, keys.flat_map(|(_, two)| [two[0].was, two[1].was]));
            }
            let length = ends.len() as u64;
            let limit = length * (SWAPS_PER_END + length / SWAPS_SHARE);
            if ends.mend(&mut self.shifts, limit, &mut work.swaps, found).is_err() {
                return false;
            }
        }
        work.box_tests = found.len() as u64;
        // An object's own start may have been past its own end for a while, which gives a pair with itself.
        let mut kept = 0;
        for at in 0..found.len() {
            let Pair { a, b } = found[at];
            let near = a != b && fat[a as usize].overlaps(isa, &fat[b as usize]);
            if near && proxies.record(a).meets(proxies.record(b)) {
                found[kept] = found[at];
                kept += 1;
            }
        }
        found.truncate(kept);
        self.wasted += work.box_tests - found.len() as u64;
        true
    }

    /// Chooses a frame, and treats all objects as new.
    fn start_anew(&mut self, proxies: &Proxies) {
        let frame = Frame::amid(proxies.ids().map(|id| &proxies.record(id).bounds));
        self.frame = Some(frame);
        self.now = 1;
        proxies
            .changed()
            .iter()
            .filter(|&&id| proxies.record(id).has(PRESENT))
            .for_each(|&id| self.boxes.take(proxies, id));
        self.exact.clear();
        self.fat.clear();
        self.make_room(proxies.end());
        for id in proxies.ids() {
            let now = Corners::local(Baseline, &frame, &proxies.record(id).bounds);
            let outer = self.outer(Baseline, &frame, proxies, id, &now);
            (self.exact[id as usize], self.fat[id as usize]) = (now, outer);
        }
        self.measure(proxies);
        for id in proxies.ids() {
            let outer = self.fat[id as usize].bounds();
            self.fat[id as usize] = Corners::of(&fattening::first(&outer, self.size));
            self.drawn[id as usize] = Drawn { middle: fattening::middle(&outer), step: self.now };
        }
    }

    /// Computes the mean size of boxes, and the room around them.
    fn measure(&mut self, proxies: &Proxies) {
        let (mut sum, mut count, mut all) = (0.0f64, 0.0, Aabb32::EMPTY);
        for id in proxies.ids() {
            let (now, fat) = (self.exact[id as usize].bounds(), self.fat[id as usize].bounds());
            if is_near(&fat) {
                sum += (0..3).map(|k| f64::from(now.max[k] - now.min[k])).sum::<f64>() / 3.0;
                count += 1.0;
                all = all.merged(&fat);
            }
        }
        self.size = if count > 0.0 { (sum / count) as f32 } else { 0.0 };
        self.room = Room::new(&all);
        self.candidates.measure(self.size);
    }

    /// Sorts all three lists from scratch, and writes all pairs of fat boxes that overlap to `found`.
    fn sort_anew(&mut self, proxies: &Proxies, found: &mut Vec<Pair>, work: &mut StepWork) {
        work.rebuilds += 1;
        self.measure(proxies);
        let (boxes, room) = (&self.fat, &self.room);
        let fat = |id: ProxyId| boxes[id as usize].bounds();
        for (axis, ends) in self.axes.iter_mut().enumerate() {
            let keys = proxies.ids().map(|id| keys(&fat(id), axis, id));
            ends.sort_anew(proxies.len(), keys, |id| room.cells(&fat(id)).across(axis));
        }
        self.order.clear();
        for end in self.axes[0].ends().filter(|end| !end.is_greater()) {
            self.order.push(end.id(), &fat(end.id()));
        }
        found.clear();
        work.box_tests += dispatch::<8, _>(Sweep { order: &self.order, found });
        found.retain(|pair| proxies.record(pair.a).meets(proxies.record(pair.b)));
    }

    /// Searches all objects for the pairs of objects whose filter changed.
    fn look_again(&self, proxies: &Proxies, found: &mut Vec<Pair>) {
        let is_renewed = |id: ProxyId| proxies.record(id).flags & (RENEWED | PRESENT) == RENEWED | PRESENT;
        for &id in proxies.changed().iter().filter(|&&id| is_renewed(id)) {
            let (fat, record) = (&self.fat[id as usize], proxies.record(id));
            let meets = |other: ProxyId| {
                other != id && fat.overlaps(Baseline, &self.fat[other as usize]) && record.meets(proxies.record(other))
            };
            found.extend(proxies.ids().filter(|&other| meets(other)).map(|other| Pair::new(id, other)));
        }
    }

    /// Tests whether two objects with overlapping fat boxes pair, and whether they are still near.
    #[inline(always)]
    fn judge<I: WideIsa>(&self, isa: I, proxies: &Proxies, pair: Pair) -> CandidateState {
        let [a, b] = [pair.a, pair.b].map(|id| id as usize);
        let meet = (!self.any_other || proxies.record(pair.a).meets(proxies.record(pair.b)))
            & self.fat[a].overlaps(isa, &self.fat[b]);
        let (pairs, gap) = self.compare(isa, proxies, pair);
        CandidateState { pairs: meet & pairs, stays: meet, gap }
    }

    /// Tests whether the boxes of two objects overlap, and returns their overlap or distance.
    #[inline(always)]
    fn compare<I: WideIsa>(&self, isa: I, proxies: &Proxies, pair: Pair) -> (bool, f32) {
        let standing = self.exact[pair.a as usize].standing(isa, &self.exact[pair.b as usize]);
        // A rare branch: a branch on the overlap itself would be unpredictable.
        let pairs = if standing.may_overlap ^ standing.overlap {
            overlap(&proxies.record(pair.a).bounds, &proxies.record(pair.b).bounds)
        } else {
            standing.overlap
        };
        (pairs, standing.gap)
    }

    /// Reports whether the frame, chosen for earlier boxes, does not suit the present boxes.
    fn is_blurred(&self, proxies: &Proxies) -> bool {
        let place = |end: End| {
            let fat = self.fat[end.id() as usize].bounds();
            if is_near(&fat) { fat.min.iter().chain(&fat.max).fold(0.0f32, |most, x| most.max(x.abs())) } else { 0.0 }
        };
        let outermost = self.axes.iter().flat_map(|ends| [ends.ends().next(), ends.ends().next_back()]);
        let reach = outermost.flatten().map(place).fold(0.0, f32::max);
        let boxes = proxies.ids().map(|id| &proxies.record(id).bounds);
        self.frame.unwrap_or_default().is_blurred(reach.min(FAR), self.size, boxes)
    }
}

/// Applies the changes.
struct SweepChanges<'a, E> {
    lists: &'a mut SweepAndPrune<E>,
    proxies: &'a Proxies,
    work: &'a mut StepWork,
}

impl<E: Ends> Kernel for SweepChanges<'_, E> {
    type Output = SortMethod;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) -> SortMethod {
        self.lists.take_changes(isa, self.proxies, self.work)
    }
}

/// Moves ends to their new positions.
struct Mend<'a, E> {
    lists: &'a mut SweepAndPrune<E>,
    proxies: &'a Proxies,
    found: &'a mut Vec<Pair>,
    work: &'a mut StepWork,
}

impl<E: Ends> Kernel for Mend<'_, E> {
    type Output = bool;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) -> bool {
        self.lists.mend(isa, self.proxies, self.found, self.work)
    }
}

/// Tests the candidates.
struct SweepJudge<'a, E> {
    lists: &'a SweepAndPrune<E>,
    candidates: &'a mut Candidates,
    proxies: &'a Proxies,
    found: &'a [Pair],
    book: &'a mut PairBook,
}

impl<E: Ends> Kernel for SweepJudge<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) {
        let Self { lists, candidates, proxies, found, book } = self;
        let (exact, moved) = (lists.exact.as_slice(), &lists.moved);
        let prefetch = |pair: Pair| {
            isa.prefetch(&exact[pair.a as usize]);
            isa.prefetch(&exact[pair.b as usize]);
        };
        let is_settled = |pair: Pair| !(moved.has(pair.a) | moved.has(pair.b));
        let look = CheckPlan {
            found,
            all: lists.any_other,
            prefetch,
            is_settled: (lists.are_few && !lists.any_other).then_some(is_settled),
        };
        candidates.refresh(
            isa,
            look,
            #[inline(always)]
            |pair| lists.judge(isa, proxies, pair),
            |pair, begins| book.note(pair, begins),
        );
    }
}

impl<E: Ends> Method for SweepAndPrune<E> {
    const KIND: Option<BroadPhaseKind> =
        Some(if E::ARE_LARGER { BroadPhaseKind::SweepAndPruneCubes } else { BroadPhaseKind::SweepAndPrune });

    fn step(&mut self, proxies: &mut Proxies, book: &mut PairBook, work: &mut StepWork) {
        self.now = self.now.wrapping_add(1);
        let starts = self.frame.is_none() || self.now == 0;
        let is_look = self.now.is_multiple_of(LOOKS);
        let method = if starts || (is_look && self.is_blurred(proxies)) {
            self.start_anew(proxies);
            SortMethod::SortAnew
        } else {
            dispatch::<8, _>(SweepChanges { lists: self, proxies, work })
        };
        let wasted = if is_look { std::mem::take(&mut self.wasted) } else { 0 };
        // Boxes have gathered in a few cells of the room.
        let method = if wasted > u64::from(LOOKS) * proxies.len() as u64 { SortMethod::SortAnew } else { method };
        let mut found = std::mem::take(&mut book.found);
        let is_mended = match method {
            SortMethod::Rest => true,
            SortMethod::Mend => dispatch::<8, _>(Mend { lists: self, proxies, found: &mut found, work }),
            SortMethod::SortAnew => false,
        };
        if !is_mended {
            self.sort_anew(proxies, &mut found, work);
        } else if self.any_other {
            self.look_again(proxies, &mut found);
        }
        let mut candidates = std::mem::take(&mut self.candidates);
        if is_mended {
            // Needed again only when all lists are sorted from scratch, which is rare: its memory is freed until then.
            self.order = FlatBoxes::default();
            found.sort_unstable();
            found.dedup();
            dispatch::<8, _>(SweepJudge { lists: self, candidates: &mut candidates, proxies, found: &found, book });
            book.found = found;
            book.apply();
        } else {
            std::mem::swap(&mut book.found, &mut found);
            book.sort_found(proxies.end());
            book.free_room();
            std::mem::swap(&mut book.found, &mut found);
            candidates.replace(&found, |pair| self.compare(Baseline, proxies, pair).0, |pair| book.found.push(pair));
            book.replace_by_sorted();
        }
        self.candidates = candidates;
    }

    fn draw(&self, _proxies: &Proxies, sink: &mut dyn DrawSink) {
        let frame = self.frame.unwrap_or_default();
        let fat = |end: End| frame.world(&self.fat.get(end.id() as usize).unwrap_or(&Corners::EMPTY).bounds());
        let starts = self.axes.each_ref().map(|ends| ends.ends().filter(|end| !end.is_greater()).map(fat).collect());
        draw_intervals(sink, &starts);
    }

    fn faults(&self, proxies: &Proxies, faults: &mut Vec<Fault>) {
        for (axis, ends) in self.axes.iter().enumerate() {
            if let Some(at) = ends.ends().zip(ends.ends().skip(1)).position(|(one, next)| one.key >= next.key) {
                faults.push(Fault::Structure { at: at as u32, what: "the list is not sorted" });
            }
            if ends.len() != 2 * proxies.len() {
                faults.push(Fault::Structure { at: axis as u32, what: "the list does not hold two ends an object" });
            }
            for end in ends.ends() {
                let fat = self.fat.get(end.id() as usize).unwrap_or(&Corners::EMPTY).bounds();
                let right = self.room.cells(&fat).end(&fat, axis, end.id(), end.is_greater());
                if proxies.get(end.id()).is_none() || end != right {
                    faults.push(Fault::Misplaced { id: end.id(), what: "an end is not that of the box" });
                }
            }
        }
        let frame = self.frame.unwrap_or_default();
        for id in proxies.ids() {
            let kept = |boxes: &[Corners]| *boxes.get(id as usize).unwrap_or(&Corners::EMPTY);
            let now = Corners::local(Baseline, &frame, &proxies.record(id).bounds);
            if kept(&self.exact).bounds() != now.bounds()
                || !kept(&self.fat).holds(Baseline, &self.outer(Baseline, &frame, proxies, id, &now))
            {
                faults.push(Fault::Misplaced { id, what: "the fat box does not hold the box" });
            }
            let (outer, inner) = (self.boxes.of(proxies, id), &proxies.record(id).bounds);
            if outer.union(*inner) != outer {
                faults.push(Fault::Misplaced { id, what: "the cube does not hold the box" });
            }
        }
    }

    fn bytes(&self) -> usize {
        let ends = self.axes.iter().map(Axis::bytes).sum::<usize>();
        let boxes = (self.exact.capacity() + self.fat.capacity()) * size_of::<Corners>();
        let drawn = self.drawn.capacity() * size_of::<Drawn>();
        let leavers = self.leavers.capacity() * size_of::<Leaver>() + self.shifts.capacity() * size_of::<Shift>();
        let others = self.moved.0.capacity() + self.boxes.bytes() + self.candidates.bytes() + self.order.bytes();
        ends + boxes + drawn + leavers + others
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
