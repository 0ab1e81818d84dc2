//! Where two moving trees of boxes are as time goes on, for one walk over both.
//!
//! In: how both move, their frames, a window of time. Out: [`MovingFrames`], which `walk_pair_moving` is reported the
//! places by.
//! Guarantees: rounded poses and what is not quite a rotation are in the room and the times that boxes are given.

use crate::cast::conservative_advancement::TimeWindow;
use crate::motion::approach::{Moment, Mover};
use heurt_bvh::{BodyRates, PairMotion, TreeFrame};
use heurt_geometry::Pose;

/// Times of boxes are taken as much shorter, for all their roundings.
const SHORTER: f64 = 1e-9;

/// Trees are queried where they are once they have moved by this share of a box.
const TURN: f32 = 0.5;

/// Both trees at a time.
pub(super) struct MovingFrames<'a> {
    movers: [Mover<'a>; 2],
    pub frames: [&'a TreeFrame; 2],
    pub time: f64,
    pub moments: [Moment; 2],
    pub places: PairMotion,
    /// The end of the window.
    until: f64,
    /// How far boxes may be disjoint whose primitives meet.
    pub room: f64,
    /// By what times of boxes are multiplied.
    pub shorter: f64,
    /// What both reach in all, in metres.
    pub across: f64,
}

impl<'a> MovingFrames<'a> {
    /// At the beginning of a window; `reach` is how far the points of both are from their origins, boxes that come
    /// within `margin` metres touch.
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
        let parts: f64 = movers.iter().filter_map(|mover| mover.part).map(Pose::span).sum();
        let across = reach[0] + reach[1] + a.start.span() + b.start.span() + a.flight(until) + b.flight(until) + parts;
        let defect: f64 = moments.iter().map(|at| at.pose.defect()).sum();
        let room = rounding + margin + 16.0 * defect * across;
        let shorter = 1.0 - SHORTER - 16.0 * defect;
        let places = places(frames, &moments, [from, until], until, room, shorter);
        Self { movers, frames, time: from, moments, places, until, room, shorter, across }
    }

    /// As `TimedVisitor::advance_to`; what is later than `end` is of no account.
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
