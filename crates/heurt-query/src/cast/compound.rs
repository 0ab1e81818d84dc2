//! Cast of moving compounds: one walk over the trees of boxes of their parts, earliest possible contact first.
//!
//! In: two moving shapes of which at least one is a compound; a window of time. Out: the earliest [`ContactTime`] of
//! their parts.
//! Method: boxes of parts are queued by the time at which gaps between them can close (`heurt_bvh::volume`); a shape
//! that is no compound is one box. A pair of parts is cast as any two shapes are, up to the earliest contact found. A
//! half-space, which no box contains, is tested against the box of the compound and then all parts.
//! Guarantees: the guarantees of the casts of the parts. Cost: approximately the logarithm of the number of parts, for
//! parts that are far from each other.

use super::{MovingShape, meeting, whole};
use crate::answer::budget::WorkMeter;
use crate::cast::conservative_advancement::{CastGap, ContactTime, TimeWindow};
use crate::cast::moving_frames::MovingFrames;
use crate::motion::approach::Mover;
use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Aabb32, Boxes, Bvh, Leaf, MovingPairVisitor, PairMotion, Work, walk_pair_moving};
use heurt_geometry::Pose;
use heurt_shape::{Compound, Convex, ShapeRef};
use std::cell::Cell;
use std::ops::ControlFlow;

/// Finds the time of the first contact of two shapes, by their parts; after an interruption, a time from which contact
/// is possible.
pub(super) fn meeting_of_parts(
    a: &MovingShape<'_>,
    b: &MovingShape<'_>,
    window: TimeWindow,
    meter: &WorkMeter<'_>,
) -> Option<ContactTime> {
    let (mut of_a, mut of_b) = (None, None);
    let trees = [tree(a, &mut of_a), tree(b, &mut of_b)];
    let movers = [a.mover, b.mover];
    let reach = [a.shape.max_coordinate(), b.shape.max_coordinate()];
    let clock = MovingFrames::new(movers, trees.map(Bvh::frame), reach, 0.0, &window);
    let mut search =
        CompoundCastSearch { sides: [*a, *b], trees, clock, window, meter, found: None, counted: Cell::new(0) };
    let walked = walk_pair_moving(trees[0], trees[1], window.from, &mut search);
    search.count(&walked);
    meter.add(Work { updates: walked.updates, ..Work::default() });
    search.found
}

/// Finds the time of the first contact of a compound, which is A (0) or B (1), and a half-space.
pub(super) fn parts_on_half_space(
    compound: &Compound,
    k: usize,
    sides: [MovingShape<'_>; 2],
    window: TimeWindow,
    meter: &WorkMeter<'_>,
) -> Option<ContactTime> {
    let with = |mine| if k == 0 { [mine, sides[1]] } else { [sides[0], mine] };
    let bounds = compound.bounds();
    let box_ = Convex::cuboid(bounds.half_extents()).expect("compounds have finite boxes");
    let middle = Pose::from_translation(bounds.centre()).expect("compounds have finite boxes");
    let about = MovingShape { shape: (&box_).into(), mover: Mover { part: Some(&middle), ..sides[k].mover } };
    let [a, b] = with(about);
    let of_box = whole(&a, &b, window, meter)?;
    let window = TimeWindow { from: of_box.time.clamp(window.from, window.until), ..window };
    let mut first: Option<ContactTime> = None;
    for part in compound.parts() {
        if meter.is_exhausted() {
            let cut = ContactTime { time: window.from, upper: window.until, is_met: false, gap: of_box.gap };
            return Some(cut.and_maybe(first, window.until));
        }
        let until = first.map_or(window.until, |first| first.time);
        let mover = Mover { part: Some(&part.pose), ..sides[k].mover };
        let [a, b] = with(MovingShape { shape: (&part.shape).into(), mover });
        if let Some(mut found) = meeting(a, b, TimeWindow { until, ..window }, meter) {
            if let Some(primitives) = &mut found.gap.primitives {
                primitives[k] += part.first;
            }
            first = Some(found.and_maybe(first, window.until));
        }
    }
    first
}

/// Returns the tree over the parts; for a single shape the tree is built.
fn tree<'a>(flying: &MovingShape<'a>, made: &'a mut Option<Bvh<Aabb32, 8>>) -> &'a Bvh<Aabb32, 8> {
    match flying.shape {
        ShapeRef::Compound(compound) => compound.tree(),
        shape => {
            let boxes = Boxes::new([shape.bounds()]);
            made.insert(Bvh::new(&boxes).expect("the box of a bounded shape is finite"))
        }
    }
}

struct CompoundCastSearch<'a> {
    sides: [MovingShape<'a>; 2],
    trees: [&'a Bvh<Aabb32, 8>; 2],
    clock: MovingFrames<'a>,
    window: TimeWindow,
    meter: &'a WorkMeter<'a>,
    found: Option<ContactTime>,
    /// The part of the walk's work that is recorded already, so that casts of parts include it in the budget.
    counted: Cell<u64>,
}

impl<'a> CompoundCastSearch<'a> {
    /// Records the boxes of the walk; primitives are recorded by the casts of the parts.
    fn count(&self, done: &Work) {
        let new = done.volumes - self.counted.replace(done.volumes);
        self.meter.add(Work { volumes: new, ..Work::default() });
    }

    /// Returns the time from which contacts are irrelevant.
    fn end(&self) -> f64 {
        self.found.map_or(self.window.until.next_up(), |found| found.time)
    }

    /// Returns a part of side `k`, or all of it, and the number of its first primitive.
    fn part(&self, k: usize, leaf: Leaf) -> (MovingShape<'a>, u32) {
        let side = self.sides[k];
        match side.shape {
            ShapeRef::Compound(compound) => {
                let part = &compound.parts()[self.trees[k].primitives(leaf)[0] as usize];
                let mover = Mover { part: Some(&part.pose), ..side.mover };
                (MovingShape { shape: (&part.shape).into(), mover }, part.first)
            }
            _ => (side, 0),
        }
    }

    fn offer(&mut self, meeting: ContactTime) {
        self.found = Some(meeting.and_maybe(self.found, self.window.until));
    }
}

impl MovingPairVisitor for CompoundCastSearch<'_> {
    fn cutoff(&self) -> f64 {
        self.end()
    }

    fn advance_to(&mut self, time: f64, size: f32) {
        let end = self.end();
        self.clock.advance_to(time, size, end);
    }

    fn transforms(&self) -> &PairMotion {
        &self.clock.places
    }

    fn should_continue(&self, done: &Work) -> bool {
        self.count(done);
        !self.meter.is_exhausted()
    }

    fn on_interrupted(&mut self, time: f64) {
        let gap = CastGap::unknown(&self.clock.moments);
        self.offer(ContactTime { time, upper: self.window.until, is_met: false, gap });
    }

    fn visit_leaves<I: WideIsa>(
        &mut self,
        _isa: I,
        a: Leaf,
        b: Leaf,
        time: f64,
        _: bool,
    ) -> ControlFlow<(), Option<f64>> {
        let ((a, first_a), (b, first_b)) = (self.part(0, a), self.part(1, b));
        let until = self.found.map_or(self.window.until, |found| found.time);
        if let Some(mut found) = meeting(a, b, TimeWindow { until, ..self.window }, self.meter) {
            if let Some([i, j]) = &mut found.gap.primitives {
                (*i, *j) = (*i + first_a, *j + first_b);
            }
            if self.meter.was_interrupted() {
                // The bound of the boxes may be later than the bound of an interrupted cast.
                found.time = found.time.max(time);
            }
            self.offer(found);
        }
        ControlFlow::Continue(None)
    }
}
