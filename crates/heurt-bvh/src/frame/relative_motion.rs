//! Relative motion of two trees at some time, in `f32`, and bounds of the approach speed of their contents.
//!
//! In: frames, poses and rates of two bodies in `f64`. Out: [`PairMotion`], for the boxes of the trees
//! (`volume::time_bounds`), and [`LocalMotion`], for the contents of a leaf of either.
//! Method: Taylor expansion with a bound of the remainder. A point of a body that rotates by ω, r from its axis, has
//! the velocity v + ω × r and the acceleration a + ω × (ω × r). Its later velocity differs from the linear prediction
//! by at most |ω|³ r t²/2, its later acceleration by at most 2|ω|² r.
//! Guarantees: the bounds of `volume::time_bounds`, roundings included.

use crate::frame::relative::{Placement, RelativeFrame, RelativePose};
use crate::frame::tree_frame::{TreeFrame, round_up};
use crate::volume::dot;
use heurt_geometry::{Pose, Vec3};

/// Motion of a rigid body at some time, in the world.
#[derive(Debug, Clone, Copy)]
pub struct BodyRates {
    /// The pivot of the rotation.
    pub pivot: Vec3,
    /// Velocity of the pivot, m/s.
    pub velocity: Vec3,
    /// Acceleration of the pivot, m/s².
    pub acceleration: Vec3,
    /// Angular velocity, in radians a second.
    pub spin: Vec3,
}

/// A rotation, along the axes of a tree, in its units.
#[derive(Debug, Clone, Copy)]
pub struct Rotation32 {
    /// The pivot, seen from the centre of the tree.
    pub pivot: [f32; 3],
    /// Angular velocity, in radians a unit of time.
    pub spin: [f32; 3],
    /// Its length, rounded up.
    pub rate: f32,
}

/// Motion of a tree relative to another tree, along its axes, in its units.
#[derive(Debug, Clone, Copy)]
pub struct RelativeMotion {
    /// Velocity of its pivot relative to the second tree's pivot.
    pub velocity: [f32; 3],
    /// Acceleration of its pivot relative to the second tree's pivot.
    pub acceleration: [f32; 3],
    /// Rotations of the tree itself and of the second tree.
    pub turning: [Rotation32; 2],
    /// Distance at which boxes count as touching.
    pub room: f32,
    /// Approximate maximum approach speed of any two points.
    pub speed: f32,
    /// Rounding errors of sums of all speeds and growths, of the speeds and growths of pivots, and of arms.
    pub(crate) errors: Errors,
    /// The remaining time.
    pub left: f32,
    /// Whether nothing rotates or accelerates.
    pub is_straight: bool,
    /// Whether the rotation in the remaining time exceeds 6 rad.
    pub turns_far: bool,
}

/// Bounds of rounding errors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Errors {
    pub(crate) speed: f32,
    pub(crate) growth: f32,
    pub(crate) flown: f32,
    pub(crate) pull: f32,
    pub(crate) arm: f32,
}

/// Relative placement and motion of two trees at some time.
#[derive(Debug, Clone, Copy)]
pub struct PairMotion {
    /// That time, in seconds.
    pub time: f64,
    /// Length of a unit of time, in seconds.
    pub unit: f64,
    /// Factor of all times, below 1, that covers roundings.
    pub shorter: f64,
    /// The placement in `f64`.
    pub composed: RelativeFrame,
    /// The placement in `f32`.
    pub pose: RelativePose,
    /// The motion of A seen from A, and the motion of B seen from B.
    pub drifts: [RelativeMotion; 2],
}

/// Rounding error of sums of speeds, growths and arms, as a share of all summands.
const ERROR: f64 = 1.0 / (1u32 << 17) as f64;
/// Factor of times that covers their rounding error.
const SHORTER: f64 = 1.0 - 1.0 / (1u32 << 19) as f64;
/// In radians: all bounds are evaluated for rotations that exceed this angle in the remaining time.
const FAR: f64 = 6.0;

impl PairMotion {
    /// Computes the placement and motion of the trees at `time`, for bounds up to `end`; boxes that come within `room`
    /// metres touch. `shorter` is the factor of times that covers the roundings of the poses.
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

    /// Converts a time that the lanes report, relative to [`PairMotion::time`], to an absolute time in seconds.
    #[inline(always)]
    pub fn at(&self, pause: f32) -> f64 {
        self.time + f64::from(pause) * self.unit * self.shorter
    }

    /// Reports whether the trees move by at most `size` until `time`, in units of A.
    #[inline(always)]
    pub fn are_recent(&self, time: f64, size: f32) -> bool {
        (time - self.time) / self.unit * f64::from(self.drifts[0].speed) <= f64::from(size)
    }

    /// Returns the remaining time up to `time` in the lanes' units, rounded up.
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
        // All arms and their summands.
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

/// Relative motion of two bodies near a point.
#[derive(Debug, Clone, Copy)]
pub struct LocalMotion {
    /// Velocity of the query body there relative to the second body.
    pub velocity: Point32,
    /// Acceleration of the query body there relative to the second body.
    pub acceleration: Point32,
    /// Speed that rotation adds for points next to that point, roundings included.
    pub spread: f32,
    /// The share of roundings in `spread`.
    pub speed_error: f32,
    /// Bound of the growth of speeds in any direction.
    pub growth: f32,
    /// Bound of the difference between the growth and the acceleration now.
    pub beyond: f32,
    /// The least growth: its rounding error.
    pub least_growth: f32,
    /// Maximum speed of a point due to rotation.
    pub top: f32,
}

impl LocalMotion {
    /// Computes the motion around `place` of the query tree; points of both trees are at most `radii` from there.
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

    /// Returns the maximum approach of two points up to a time, in any direction.
    #[inline(always)]
    pub fn max_offset(&self, time: f32) -> f32 {
        (length(&self.velocity) + self.spread) * time + 0.5 * self.growth * time * time
    }

    /// Returns the maximum approach up to a time along a unit vector from the query body to the second body.
    #[inline(always)]
    pub fn max_offset_along(&self, direction: &Point32, time: f32) -> f32 {
        let pulled = dot(direction, &self.acceleration) + self.beyond;
        // With this comparison, `NaN` falls back to the bound `growth`.
        let growth = if pulled < self.growth { pulled } else { self.growth };
        let growth = if growth < self.least_growth { self.least_growth } else { growth };
        let direction = (dot(direction, &self.velocity) + self.spread) * time + 0.5 * growth * time * time;
        if direction < 0.0 { 0.0 } else { direction }
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
