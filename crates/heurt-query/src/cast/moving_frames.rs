//! Relative frames of two moving trees of boxes at increasing times, for one walk over both.
//!
//! In: motions of both, their frames, a window of time. Out: [`MovingFrames`], the source of transforms for
//! `walk_pair_moving`.
//! Guarantees: the margin and the times of boxes cover rounded poses and rotations that deviate from orthonormality.

use crate::cast::conservative_advancement::TimeWindow;
use crate::motion::approach::{Moment, Mover};
use heurt_bvh::{BodyRates, PairMotion, TreeFrame};
use heurt_geometry::Pose;

/// Share by which times of boxes are shortened, for all their rounding errors.
const SHORTER: f64 = 1e-9;

/// Share of a box: trees that have moved farther are placed again.
const TURN: f32 = 0.5;

/// Both trees at one time.
pub(super) struct MovingFrames<'a> {
    movers: [Mover<'a>; 2],
    pub frames: [&'a TreeFrame; 2],
    pub time: f64,
    pub moments: [Moment; 2],
    pub places: PairMotion,
    /// The end of the window.
    until: f64,
    /// Largest distance of boxes whose primitives meet, in metres.
    pub room: f64,
    /// Factor of the times of boxes.
    pub shorter: f64,
    /// Sum of the reaches of both, in metres.
    pub across: f64,
}

impl<'a> MovingFrames<'a> {
    /// Starts at the beginning of a window; `reach` is the largest distance of the points of each from its origin.
    /// Boxes within `margin` metres count as touching.
    pub(super) fn new(
        movers: [Mover<'a>; 2],
        frames: [&'a TreeFrame; 2],
        reach: [f64; 2],
        margin: f64,
        window: &TimeWindow,
    ) -> Self {
        let TimeWindow { from, until, .. } = *window;
        let [a, b] = &movers;
        let rounding = a.rounding(reach[0], until) + b.rounding(reach[1], until);
        let moments = [a.at(from), b.at(from)];
        let parts: f64 = movers.iter().filter_map(|mover| mover.part).map(Pose::max_translation).sum();
        let across = reach[0]
            + reach[1]
            + a.start.max_translation()
            + b.start.max_translation()
            + a.flight(until)
            + b.flight(until)
            + parts;
        let defect: f64 = moments.iter().map(|at| at.pose.defect()).sum();
        let room = rounding + margin + 16.0 * defect * across;
        let shorter = 1.0 - SHORTER - 16.0 * defect;
        let places = places(frames, &moments, [from, until], until, room, shorter);
        Self { movers, frames, time: from, moments, places, until, room, shorter, across }
    }

    /// Implements `TimedVisitor::advance_to`; times after `end` are irrelevant.
    pub(super) fn advance_to(&mut self, time: f64, size: f32, end: f64) {
        if time > self.time && !self.places.are_recent(time, size * TURN) {
            self.time = time;
            self.moments = self.movers.each_ref().map(|mover| mover.at(time));
            self.places = places(self.frames, &self.moments, [time, end], self.until, self.room, self.shorter);
        }
    }
}

fn places(
    frames: [&TreeFrame; 2],
    moments: &[Moment; 2],
    window: [f64; 2],
    unit: f64,
    room: f64,
    shorter: f64,
) -> PairMotion {
    let rates = moments.each_ref().map(|at| BodyRates {
        pivot: at.pivot,
        velocity: at.velocity,
        acceleration: at.acceleration,
        spin: at.spin,
    });
    PairMotion::new(frames, moments.each_ref().map(|at| &at.pose), rates.each_ref(), window, unit, room, shorter)
}
