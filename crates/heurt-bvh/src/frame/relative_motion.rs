//! How two trees move at some time, in `f32`, and how fast what they hold comes nearer.
//!
//! In: frames, poses and rates of two bodies in `f64`. Out: [`PairMotion`], for the boxes of the trees
//! (`volume::in_time`), and [`LocalMotion`], for what is in a leaf of either.
//! Method: Taylor's with a bound for the rest. A point of a body that turns by ω, r from its axis, has the velocity v +
//! ω × r, the acceleration a + ω × (ω × r), and whatever it does later differs from that by |ω|³ r t²/2 and at most
//! 2|ω|² r.
//! Guarantees: the bounds of `volume::in_time`, roundings included.

use crate::frame::relative::{Placement, RelativeFrame, RelativePose};
use crate::frame::tree_frame::{TreeFrame, round_up};
use crate::volume::dot;
use heurt_geometry::{Pose, Vec3};

/// How a rigid body moves at some time, in the world.
#[derive(Debug, Clone, Copy)]
pub struct BodyRates {
    /// The point that it turns about.
    pub pivot: Vec3,
    /// Of that point.
    pub velocity: Vec3,
    /// Of that point.
    pub acceleration: Vec3,
    /// In radians a second.
    pub spin: Vec3,
}

/// What turns, along the axes of a tree, in its units.
#[derive(Debug, Clone, Copy)]
pub struct Rotation32 {
    /// About this point, seen from the centre of the tree.
    pub pivot: [f32; 3],
    /// By so much.
    pub spin: [f32; 3],
    /// Its length.
    pub rate: f32,
}

/// How a tree comes nearer to another one, along its axes, in its units.
#[derive(Debug, Clone, Copy)]
pub struct RelativeMotion {
    /// Of its pivot towards the other's.
    pub velocity: [f32; 3],
    /// Likewise.
    pub acceleration: [f32; 3],
    /// The tree itself, and the other.
    pub turning: [Rotation32; 2],
    /// How far boxes may be disjoint that touch.
    pub room: f32,
    /// About how fast things come nearer at the most.
    pub speed: f32,
    /// What roundings add to sums of all speeds and growths, of those of pivots, and of arms.
    pub(crate) errors: Errors,
    /// The time that is left.
    pub left: f32,
    /// Nothing turns or speeds up.
    pub is_straight: bool,
    /// Something turns far in the time left.
    pub turns_far: bool,
}

/// What roundings add.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Errors {
    pub(crate) speed: f32,
    pub(crate) growth: f32,
    pub(crate) flown: f32,
    pub(crate) pull: f32,
    pub(crate) arm: f32,
}

/// Two trees on their ways at some time.
#[derive(Debug, Clone, Copy)]
pub struct PairMotion {
    /// That time, in seconds.
    pub time: f64,
    /// The seconds in a unit of time.
    pub unit: f64,
    /// By what times are multiplied, for roundings.
    pub shorter: f64,
    /// How they are placed.
    pub composed: RelativeFrame,
    /// The same in `f32`.
    pub pose: RelativePose,
    /// How A moves as A sees it, how B does as B sees it.
    pub drifts: [RelativeMotion; 2],
}

/// Roundings of sums of speeds, growths and arms, as a share of all summands.
const ERROR: f64 = 1.0 / (1u32 << 17) as f64;
/// Roundings of times.
const SHORTER: f64 = 1.0 - 1.0 / (1u32 << 19) as f64;
/// In radians: what turns farther in the time that is left is queried in all ways.
const FAR: f64 = 6.0;

impl PairMotion {
    /// Places of the trees at `time`, for what is asked up to `end`; boxes that come within `room` metres touch.
    /// `shorter` is what times are multiplied by for the roundings of the poses.
    #[inline(always)]
    pub fn new(
        frames: [&TreeFrame; 2],
        poses: [&Pose; 2],
        rates: [&BodyRates; 2],
        [time, end]: [f64; 2],
        unit: f64,
        room: f64,
        shorter: f64,
    ) -> Self {
        let composed = RelativeFrame::new(frames[0], poses[0], frames[1], poses[1]);
        let pose = RelativePose::of(&composed, frames[0], frames[1]);
        let left = (end - time) / unit;
        let drift = |x: usize, y: usize, other: &Placement| {
            RelativeMotion::new([frames[x], frames[y]], poses[x], [rates[x], rates[y]], [unit, left], room, other)
        };
        let drifts = [drift(0, 1, &pose.b_in_a), drift(1, 0, &pose.a_in_b)];
        Self { time, unit, shorter: shorter * SHORTER, composed, pose, drifts }
    }

    /// In seconds from now, what lanes tell.
    #[inline(always)]
    pub fn at(&self, pause: f32) -> f64 {
        self.time + f64::from(pause) * self.unit * self.shorter
    }

    /// Whether trees have moved less since than a share of so large a box, in units of A.
    #[inline(always)]
    pub fn are_recent(&self, time: f64, size: f32) -> bool {
        (time - self.time) / self.unit * f64::from(self.drifts[0].speed) <= f64::from(size)
    }

    /// The time left in lanes' units, a little more.
    #[inline(always)]
    pub fn until(&self, time: f64) -> f32 {
        ((time - self.time) / (self.unit * self.shorter) * (1.0 + 1e-6)) as f32
    }
}

impl RelativeMotion {
    #[inline(always)]
    fn new(
        frames: [&TreeFrame; 2],
        pose: &Pose,
        rates: [&BodyRates; 2],
        [unit, left]: [f64; 2],
        room: f64,
        other: &Placement,
    ) -> Self {
        let inverse = frames[0].inverse_scale();
        let back = pose.rotation().transpose();
        let centre = pose.place(frames[0].centre());
        let local = |v: Vec3| (back * v).to_array();
        let narrow = |v: [f64; 3]| v.map(|x| x as f32);
        let turning = |rates: &BodyRates| Rotation32 {
            pivot: narrow(local((rates.pivot - centre) * inverse)),
            spin: narrow(local(rates.spin * unit)),
            rate: round_up(rates.spin.length() * unit),
        };
        let [x, y] = rates;
        let speed =
            [(x.velocity - y.velocity) * (inverse * unit), (x.acceleration - y.acceleration) * (inverse * unit * unit)];
        let size = |v: Vec3| v.abs().element_sum();
        // All arms, and what they are made of.
        let [t0, t1, t2, _] = other.translation.map(|x| f64::from(x.abs()));
        let pivots = (size(x.pivot - centre) + size(y.pivot - centre)) * inverse;
        let arms = 4.0 + 4.0 * f64::from(other.ratio) + t0 + t1 + t2 + pivots;
        let turns = [x, y].map(|rates| rates.spin.length() * unit);
        let spin = turns[0] + turns[1];
        let [t0, t1, t2, _] = other.translation.map(f64::from);
        let from_own = back * (y.pivot - centre) * inverse - Vec3::new(t0, t1, t2);
        let reach = [1.0 + size(x.pivot - centre) * inverse, f64::from(other.ratio) + size(from_own)];
        let flown = (size(x.velocity) + size(y.velocity)) * (inverse * unit);
        let pull = (size(x.acceleration) + size(y.acceleration)) * (inverse * unit * unit);
        let error = |x: f64| round_up(x * ERROR + 1e-15);
        Self {
            velocity: narrow(local(speed[0])),
            acceleration: narrow(local(speed[1])),
            turning: [turning(x), turning(y)],
            room: round_up(room * inverse),
            speed: round_up(flown + turns[0] * reach[0] + turns[1] * reach[1]),
            errors: Errors {
                speed: error(flown + spin * arms),
                growth: error(pull + spin * spin * (1.0 + spin * left) * arms),
                flown: error(flown),
                pull: error(pull),
                arm: error(arms),
            },
            left: round_up(left),
            is_straight: spin == 0.0 && x.acceleration == Vec3::ZERO && y.acceleration == Vec3::ZERO,
            turns_far: spin * left > FAR,
        }
    }
}

/// A vector along the axes of a tree, in its units.
pub type Point32 = [f32; 3];

/// How two bodies move around a place where both have something.
#[derive(Debug, Clone, Copy)]
pub struct LocalMotion {
    /// Of the asking one there, less that of the other; how that changes.
    pub velocity: Point32,
    /// Likewise.
    pub acceleration: Point32,
    /// What turning adds to speeds for points next to that place, roundings included, and roundings alone.
    pub spread: f32,
    /// Likewise.
    pub speed_error: f32,
    /// Bounds how speeds grow in any direction, and what is beyond the acceleration now.
    pub growth: f32,
    /// Likewise.
    pub beyond: f32,
    /// The least growth that roundings leave.
    pub least_growth: f32,
    /// How fast points may be for all turning.
    pub top: f32,
}

impl LocalMotion {
    /// About `place` of the asking tree; points of it and of the other are no farther from there than `radii`.
    #[inline(always)]
    pub fn at(drift: &RelativeMotion, place: Point32, radii: [f32; 2]) -> Self {
        let [own, other] = &drift.turning;
        let minus = |a: &Point32, b: &Point32| each(a, b, |x, y| x - y);
        let swing = [cross(&own.spin, &minus(&place, &own.pivot)), cross(&other.spin, &minus(&place, &other.pivot))];
        let pulled = [cross(&own.spin, &swing[0]), cross(&other.spin, &swing[1])];
        let spread = [own.rate * radii[0], other.rate * radii[1]];
        let most = [own.rate * (length(&swing[0]) + spread[0]), other.rate * (length(&swing[1]) + spread[1])];
        let jerk = (most[0] * own.rate + most[1] * other.rate) * (drift.left * (1.0 / 3.0));
        let Errors { speed, growth, .. } = drift.errors;
        Self {
            velocity: each(&drift.velocity, &minus(&swing[0], &swing[1]), |x, y| x + y),
            acceleration: each(&drift.acceleration, &minus(&pulled[0], &pulled[1]), |x, y| x + y),
            spread: spread[0] + spread[1] + speed,
            speed_error: speed,
            growth: most[0] + most[1] + length(&drift.acceleration) + growth,
            beyond: jerk + own.rate * spread[0] + other.rate * spread[1] + growth,
            least_growth: growth,
            top: length(&swing[0]) + length(&swing[1]) + spread[0] + spread[1] + speed,
        }
    }

    /// How far things come nearer up to a time, at the most.
    #[inline(always)]
    pub fn way_in_any_direction(&self, time: f32) -> f32 {
        (length(&self.velocity) + self.spread) * time + 0.5 * self.growth * time * time
    }

    /// The same along a unit vector from the asking one to the other.
    #[inline(always)]
    pub fn way_along(&self, way: &Point32, time: f32) -> f32 {
        let pulled = dot(way, &self.acceleration) + self.beyond;
        // Written so that what is no number bounds nothing.
        let growth = if pulled < self.growth { pulled } else { self.growth };
        let growth = if growth < self.least_growth { self.least_growth } else { growth };
        let way = (dot(way, &self.velocity) + self.spread) * time + 0.5 * growth * time * time;
        if way < 0.0 { 0.0 } else { way }
    }
}

#[inline(always)]
pub(crate) fn cross(a: &[f32; 3], b: &[f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
pub(crate) fn each(a: &[f32; 3], b: &[f32; 3], f: impl Fn(f32, f32) -> f32) -> [f32; 3] {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])]
}

#[inline(always)]
pub(crate) fn length(a: &[f32; 3]) -> f32 {
    dot(a, a).sqrt()
}
