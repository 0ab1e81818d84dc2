//! When boxes of two moving trees can meet at the earliest, eight pairs at a time.
//!
//! In: two trees on rigid motions at some time ([`PairInTime`]), a box of one, eight of the other. Out: per lane a time before which
//! they surely do not touch.
//! Method: S0 §6.3, conservative advancement along the six face axes (Mirtich 1996). Along an axis n from X to Y, a point of X comes
//! nearer by n · v, and by n · a more each second, v and a those of the middle of its box, but for what turning adds: |ω| r and
//! |ω|² r, r half the diagonal; and what a second has of its own is |ω|² ρ at the most, ρ the distance from the axis, or, up to
//! the time D, what it is now and |ω|³ ρ D / 3. A gap is closed no sooner than the parabola says. What turns far in the time
//! that is left is asked two ways more: at the speed of ρ all the time, and as what it fills when it turns all round.
//! Boxes that only fly are dropped, too, where they have passed each other along one axis before they meet along another.
//!
//! # Roundings
//! Gaps are those of `obb`, with its errors. Speeds are sums of a few products, each no larger than S = |v| + |ω| L, where L bounds
//! all arms and what they were made of; not more than forty roundings of u = 2⁻²⁴ are less than 2⁻¹⁷ S, which is added once. The
//! same holds for growth with |a| + |ω|² (1 + |ω| D) L. Axes that are not quite of unit length are asked as they are. A root or
//! quotient errs by a few u of itself: times are multiplied by 1 − 2⁻¹⁹ in the end. `NaN` tells nothing.

use super::obb::{EPSILON, Turned};
use super::{Aabb32, BoundingVolume, Obb, Wide, all_above, dot};
use crate::frame::TreeFrame;
use crate::relative::{Composed, Placement, RelativePose};
use crate::simd::{Lanes, LanesFor, WideIsa};
use heurt_geometry::{Pose, Vec3};

/// Eight numbers under the instruction set `I`.
type F8<I> = <I as LanesFor<8>>::F;

/// A volume that is a box.
pub trait BoxVolume: BoundingVolume {
    /// The box with its axes.
    fn oriented(&self) -> Obb;
    /// Eight of them seen from a box of another tree.
    fn seen_from<I: WideIsa>(asking: &Obb, place: &Placement, lanes: &Self::Wide<8>) -> Turned<F8<I>>;
}

impl BoxVolume for Obb {
    #[inline(always)]
    fn oriented(&self) -> Obb {
        *self
    }
    #[inline(always)]
    fn seen_from<I: WideIsa>(asking: &Obb, place: &Placement, lanes: &Self::Wide<8>) -> Turned<F8<I>> {
        Turned::<F8<I>>::new::<Wide<4, I>, 8>(asking, place, lanes)
    }
}

impl BoxVolume for Aabb32 {
    #[inline(always)]
    fn oriented(&self) -> Obb {
        Obb::aligned(self)
    }
    #[inline(always)]
    fn seen_from<I: WideIsa>(asking: &Obb, place: &Placement, lanes: &Self::Wide<8>) -> Turned<F8<I>> {
        Turned::<F8<I>>::aligned::<Wide<4, I>, 8>(asking, place, lanes)
    }
}

/// How a rigid body moves at some time, in the world.
#[derive(Debug, Clone, Copy)]
pub struct Rates {
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
pub struct Turning {
    /// About this point, seen from the centre of the tree.
    pub pivot: [f32; 3],
    /// By so much.
    pub spin: [f32; 3],
    /// Its length.
    pub rate: f32,
}

/// How a tree comes nearer to another one, along its axes, in its units.
#[derive(Debug, Clone, Copy)]
pub struct Drift {
    /// Of its pivot towards the other's.
    pub velocity: [f32; 3],
    /// Likewise.
    pub acceleration: [f32; 3],
    /// The tree itself, and the other.
    pub turning: [Turning; 2],
    /// How far boxes may be apart that touch.
    pub room: f32,
    /// What roundings add to sums of all speeds and growths, of those of pivots, and of arms.
    errors: Errors,
    /// The time that is left.
    pub left: f32,
    /// Nothing turns or speeds up.
    pub is_straight: bool,
    /// Something turns far in the time left.
    pub turns_far: bool,
}

#[derive(Debug, Clone, Copy)]
struct Errors {
    speed: f32,
    growth: f32,
    flown: f32,
    pull: f32,
    arm: f32,
}

/// Two trees on their ways at some time.
#[derive(Debug, Clone, Copy)]
pub struct PairInTime {
    /// That time, in seconds.
    pub time: f64,
    /// The seconds in a unit of time.
    pub unit: f64,
    /// By what times are multiplied, for roundings.
    pub shorter: f64,
    /// How they stand.
    pub composed: Composed,
    /// The same in `f32`.
    pub pose: RelativePose,
    /// How A moves as A sees it, how B does as B sees it.
    pub drifts: [Drift; 2],
}

/// Roundings of sums of speeds, growths and arms, as a share of all summands.
const ERROR: f64 = 1.0 / (1u32 << 17) as f64;
/// Roundings of times.
const SHORTER: f64 = 1.0 - 1.0 / (1u32 << 19) as f64;
/// In radians: what turns farther in the time that is left is asked in all ways.
const FAR: f32 = 0.5;

impl PairInTime {
    /// Places of the trees at `time` of motions that end at `until`; boxes that come within `room` metres touch. `shorter` is what
    /// times are multiplied by for the roundings of the poses.
    #[inline(always)]
    pub fn new(
        frames: [&TreeFrame; 2],
        poses: [&Pose; 2],
        rates: [&Rates; 2],
        [time, until]: [f64; 2],
        room: f64,
        shorter: f64,
    ) -> Self {
        let composed = Composed::new(frames[0], poses[0], frames[1], poses[1]);
        let pose = RelativePose::of(&composed, frames[0], frames[1]);
        let unit = until;
        let left = (until - time) / unit;
        let drift = |x: usize, y: usize, other: &Placement| {
            Drift::new([frames[x], frames[y]], poses[x], [rates[x], rates[y]], [unit, left], room, other)
        };
        let drifts = [drift(0, 1, &pose.b_in_a), drift(1, 0, &pose.a_in_b)];
        Self { time, unit, shorter: shorter * SHORTER, composed, pose, drifts }
    }

    /// In seconds from now, what lanes tell.
    #[inline(always)]
    pub fn at(&self, pause: f32) -> f64 {
        self.time + f64::from(pause) * self.unit * self.shorter
    }

    /// The time left in lanes' units, a little more.
    #[inline(always)]
    pub fn until(&self, time: f64) -> f32 {
        ((time - self.time) / (self.unit * self.shorter) * (1.0 + 1e-6)) as f32
    }
}

impl Drift {
    #[inline(always)]
    fn new(
        frames: [&TreeFrame; 2],
        pose: &Pose,
        rates: [&Rates; 2],
        [unit, left]: [f64; 2],
        room: f64,
        other: &Placement,
    ) -> Self {
        let inverse = frames[0].inverse_scale();
        let back = pose.rotation().transpose();
        let centre = pose.place(frames[0].centre());
        let local = |v: Vec3| (back * v).to_array();
        let narrow = |v: [f64; 3]| v.map(|x| x as f32);
        let turning = |rates: &Rates| Turning {
            pivot: narrow(local((rates.pivot - centre) * inverse)),
            spin: narrow(local(rates.spin * unit)),
            rate: ((rates.spin.length() * unit) as f32).next_up(),
        };
        let [x, y] = rates;
        let speed = [(x.velocity - y.velocity) * (inverse * unit), (x.acceleration - y.acceleration) * (inverse * unit * unit)];
        let size = |v: Vec3| v.abs().element_sum();
        // All arms, and what they are made of.
        let [t0, t1, t2, _] = other.translation.map(|x| f64::from(x.abs()));
        let pivots = (size(x.pivot - centre) + size(y.pivot - centre)) * inverse;
        let arms = 4.0 + 4.0 * f64::from(other.ratio) + t0 + t1 + t2 + pivots;
        let turns = [x, y].map(|rates| rates.spin.length() * unit);
        let spin = turns[0] + turns[1];
        let flown = (size(x.velocity) + size(y.velocity)) * (inverse * unit);
        let pull = (size(x.acceleration) + size(y.acceleration)) * (inverse * unit * unit);
        let up = |x: f64| (x as f32).next_up();
        let error = |x: f64| up(x * ERROR + 1e-15);
        Self {
            velocity: narrow(local(speed[0])),
            acceleration: narrow(local(speed[1])),
            turning: [turning(x), turning(y)],
            room: up(room * inverse),
            errors: Errors {
                speed: error(flown + spin * arms),
                growth: error(pull + spin * spin * (1.0 + spin * left) * arms),
                flown: error(flown),
                pull: error(pull),
                arm: error(arms),
            },
            left: up(left),
            is_straight: spin == 0.0 && x.acceleration == Vec3::ZERO && y.acceleration == Vec3::ZERO,
            turns_far: spin * left > f64::from(FAR),
        }
    }
}

/// A vector along the axes of a tree, in its units.
pub type Point32 = [f32; 3];

/// How two bodies move about a place where both have something.
#[derive(Debug, Clone, Copy)]
pub struct Swing {
    /// Of the asking one there, less that of the other; how that changes.
    pub velocity: Point32,
    /// Likewise.
    pub acceleration: Point32,
    /// What turning adds to speeds for points beside that place, roundings included, and roundings alone.
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

impl Swing {
    /// About `place` of the asking tree; points of it and of the other are no farther from there than `radii`.
    #[inline(always)]
    pub fn at(drift: &Drift, place: Point32, radii: [f32; 2]) -> Self {
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

/// A box that asks: what does not depend on the lanes, along its axes.
struct Asking {
    half: [f32; 3],
    /// From the pivot of the lanes' tree to its middle.
    from_other: [f32; 3],
    spin_other: [f32; 3],
    /// Its middle's velocity less what the lanes' tree has there, and how that changes.
    velocity: [f32; 3],
    acceleration: [f32; 3],
    /// What turning the lanes' tree does to a point at its middle.
    swing_other: [f32; 3],
    /// Half its diagonal, and how fast its middle moves for turning.
    radius: f32,
    swing: f32,
    /// From its pivot to its middle, and what it turns by.
    arm: [f32; 3],
    spin: [f32; 3],
    /// How fast its pivot comes towards the other's, and how that changes.
    flown: [f32; 3],
    pull: [f32; 3],
}

#[inline(always)]
fn cross(a: &[f32; 3], b: &[f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn each(a: &[f32; 3], b: &[f32; 3], f: impl Fn(f32, f32) -> f32) -> [f32; 3] {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])]
}

#[inline(always)]
fn length(a: &[f32; 3]) -> f32 {
    dot(a, a).sqrt()
}

impl Asking {
    #[inline(always)]
    fn new(box_: &Obb, drift: &Drift) -> Self {
        let [own, other] = &drift.turning;
        let minus = |a: &[f32; 3], b: &[f32; 3]| each(a, b, |x, y| x - y);
        let own_axes = |v: &[f32; 3]| [dot(&box_.axes[0], v), dot(&box_.axes[1], v), dot(&box_.axes[2], v)];
        let (arm, from_other) = (minus(&box_.centre, &own.pivot), minus(&box_.centre, &other.pivot));
        let (swing, swing_other) = (cross(&own.spin, &arm), cross(&other.spin, &from_other));
        let (pulled, pulled_other) = (cross(&own.spin, &swing), cross(&other.spin, &swing_other));
        let velocity = each(&drift.velocity, &minus(&swing, &swing_other), |x, y| x + y);
        let acceleration = each(&drift.acceleration, &minus(&pulled, &pulled_other), |x, y| x + y);
        Self {
            half: box_.half,
            from_other: own_axes(&from_other),
            spin_other: own_axes(&other.spin),
            velocity: own_axes(&velocity),
            acceleration: own_axes(&acceleration),
            swing_other: own_axes(&swing_other),
            radius: length(&box_.half),
            swing: length(&swing),
            arm: own_axes(&arm),
            spin: own_axes(&own.spin),
            flown: own_axes(&drift.velocity),
            pull: own_axes(&drift.acceleration),
        }
    }
}

/// What all axes have in common, lane by lane.
struct Speeds<F> {
    velocity: [F; 3],
    acceleration: [F; 3],
    /// What turning adds for points beside the middles.
    spread: F,
    /// The growth in any direction; what is beyond the acceleration now.
    growth: F,
    beyond: F,
    /// How fast a point may be for all turning; half the diagonals of the lanes.
    top: F,
    radius: F,
}

impl<F> Speeds<F> {
    #[inline(always)]
    fn new(asking: &Asking, lanes: &Turned<F>, drift: &Drift) -> Self
    where
        F: Lanes<8>,
    {
        let splat = F::splat;
        let [own, other] = &drift.turning;
        let swing = spun(&asking.spin_other, &lanes.between);
        let pulled = spun(&asking.spin_other, &swing);
        let (mut velocity, mut acceleration, mut whole) = (swing, pulled, swing);
        let mut k = 0;
        while k < 3 {
            velocity[k] = splat(asking.velocity[k]).sub(swing[k]);
            acceleration[k] = splat(asking.acceleration[k]).sub(pulled[k]);
            whole[k] = swing[k].add(splat(asking.swing_other[k]));
            k += 1;
        }
        let [x, y, z] = &lanes.half;
        let radius = x.mul(*x).add(y.mul(*y)).add(z.mul(*z)).sqrt();
        let [x, y, z] = &whole;
        let speed = x.mul(*x).add(y.mul(*y)).add(z.mul(*z)).sqrt();
        let (rate_own, rate_other) = (own.rate, splat(other.rate));
        let of_own = rate_own * asking.radius;
        let of_other = rate_other.mul(radius);
        let spread = of_other.add(splat(of_own + drift.errors.speed));
        // The centripetal accelerations at the most.
        let most_own = rate_own * (asking.swing + of_own);
        let most_other = rate_other.mul(speed.add(of_other));
        let top = speed.add(of_other).add(splat(asking.swing + of_own));
        let pull = length(&drift.acceleration);
        let growth = most_other.add(splat(most_own + pull + drift.errors.growth));
        let jerk = most_other.mul(rate_other).add(splat(most_own * rate_own)).mul(splat(drift.left * (1.0 / 3.0)));
        let beside = rate_other.mul(of_other).add(splat(rate_own * of_own + drift.errors.growth));
        Self { velocity, acceleration, spread, growth, beyond: jerk.add(beside), top, radius }
    }

    /// The time to close a gap along an axis with such a velocity and acceleration along it.
    #[inline(always)]
    fn time(&self, gap: F, velocity: F, acceleration: F, floor: F) -> F
    where
        F: Lanes<8>,
    {
        let growth = acceleration.add(self.beyond).min(self.growth).max(floor);
        time_to_close(gap, velocity.add(self.spread), growth)
    }
}

/// ω × r.
#[inline(always)]
fn spun<F: Lanes<8>>(spin: &[f32; 3], [x, y, z]: &[F; 3]) -> [F; 3] {
    let [a, b, c] = [F::splat(spin[0]), F::splat(spin[1]), F::splat(spin[2])];
    [b.mul(*z).sub(c.mul(*y)), c.mul(*x).sub(a.mul(*z)), a.mul(*y).sub(b.mul(*x))]
}

/// The least t ≥ 0 with speed t + growth t²/2 = gap where that is above 0, else 0; `growth` is above 0.
#[inline(always)]
pub fn time_to_close<F: Lanes<8>>(gap: F, speed: F, growth: F) -> F {
    let zero = F::splat(0.0);
    let twice = gap.add(gap);
    // Where squares are lost, the root is the speed.
    let root = speed.mul(speed).add(growth.mul(twice)).sqrt().max(speed.abs());
    let comes = speed.gt(zero);
    let time = comes.select(twice, root.sub(speed)).div(comes.select(speed.add(root), growth));
    gap.gt(zero).select(time, zero)
}

/// For each lane the time, in units of the drift, before which it surely does not meet `asking`; looks no closer once every lane
/// is above `cutoff`.
#[inline(always)]
pub(crate) fn first_meetings<V: BoxVolume, I: WideIsa>(
    asking: &Obb,
    place: &Placement,
    drift: &Drift,
    lanes: &V::Wide<8>,
    cutoff: f32,
) -> F8<I> {
    let seen = V::seen_from::<I>(asking, place, lanes);
    let asking = Asking::new(asking, drift);
    let splat = F8::<I>::splat;
    let error = 2.0 * place.error + drift.room;
    let half_a = [asking.half[0] + error, asking.half[1] + error, asking.half[2] + error];
    let sizes = seen.half[0].add(seen.half[1]).add(seen.half[2]).add(splat(half_a[0] + half_a[1] + half_a[2]));
    let axes = Axes { seen: &seen, half: &asking.half, half_a, room: sizes.mul(splat(EPSILON + place.tilt)) };
    let speeds = Speeds::new(&asking, &seen, drift);
    if drift.is_straight {
        return passing(&axes, &speeds, drift.errors.speed);
    }
    let floor = splat(drift.errors.growth);
    let mut first = splat(0.0);
    let mut k = 0;
    while k < 6 {
        let (between, reach) = axes.gap(k);
        let sign = between.and(splat(-0.0));
        let gap = between.abs().sub(reach);
        let (velocity, acceleration) = (axes.along(k, &speeds.velocity), axes.along(k, &speeds.acceleration));
        first = speeds.time(gap, velocity.xor(sign), acceleration.xor(sign), floor).max(first);
        k += 1;
        if k == 3 && all_above(first, cutoff) {
            return first;
        }
    }
    if drift.turns_far && !all_above(first, cutoff) {
        first = far_turns(&axes, &speeds, &asking, drift).max(first);
    }
    first
}

/// The six face axes.
struct Axes<'a, F> {
    seen: &'a Turned<F>,
    half: &'a [f32; 3],
    /// The same for roundings.
    half_a: [f32; 3],
    room: F,
}

impl<F> Axes<'_, F> {
    /// How far the middles are apart along an axis, and at what distance boxes touch along it.
    #[inline(always)]
    fn gap(&self, k: usize) -> (F, F)
    where
        F: Lanes<8>,
    {
        let (m, b) = (&self.seen.magnitude, self.seen);
        if k < 3 {
            let reach = m[k][0].mul(b.half[0]).add(m[k][1].mul(b.half[1])).add(m[k][2].mul(b.half[2]));
            (b.between[k], reach.add(F::splat(self.half_a[k])).add(self.room))
        } else {
            let j = k - 3;
            let of_a = |i: usize| m[i][j].mul(F::splat(self.half_a[i]));
            (self.along(k, &b.between), of_a(0).add(of_a(1)).add(of_a(2)).add(b.half[j]).add(self.room))
        }
    }

    /// How far the box that asks and the lanes reach along an axis from their middles, not a bit more.
    #[inline(always)]
    fn halves(&self, k: usize) -> (F, F)
    where
        F: Lanes<8>,
    {
        let (m, b, half) = (&self.seen.magnitude, self.seen, self.half);
        if k < 3 {
            (F::splat(half[k]), m[k][0].mul(b.half[0]).add(m[k][1].mul(b.half[1])).add(m[k][2].mul(b.half[2])))
        } else {
            let of_a = |i: usize| m[i][k - 3].mul(F::splat(half[i]));
            (of_a(0).add(of_a(1)).add(of_a(2)), b.half[k - 3])
        }
    }

    /// What a vector is along an axis.
    #[inline(always)]
    fn along(&self, k: usize, v: &[F; 3]) -> F
    where
        F: Lanes<8>,
    {
        if k < 3 {
            v[k]
        } else {
            let (r, j) = (&self.seen.rotation, k - 3);
            r[0][j].mul(v[0]).add(r[1][j].mul(v[1])).add(r[2][j].mul(v[2]))
        }
    }

    /// What a vector that is the same in all lanes is along an axis.
    #[inline(always)]
    fn along_same(&self, k: usize, v: &[f32; 3]) -> F
    where
        F: Lanes<8>,
    {
        self.along(k, &[F::splat(v[0]), F::splat(v[1]), F::splat(v[2])])
    }

    /// How much of a unit vector is across an axis.
    #[inline(always)]
    fn across(&self, k: usize, v: &[f32; 3]) -> F
    where
        F: Lanes<8>,
    {
        if k < 3 {
            let (x, y) = (v[(k + 1) % 3], v[(k + 2) % 3]);
            return F::splat((x * x + y * y).sqrt());
        }
        let (r, j) = (&self.seen.rotation, k - 3);
        let [x, y, z] = spun(v, &[r[0][j], r[1][j], r[2][j]]);
        x.mul(x).add(y.mul(y)).add(z.mul(z)).sqrt()
    }
}

/// Boxes that only fly: infinite where they are past each other along one axis before they meet along another.
#[inline(always)]
fn passing<F: Lanes<8>>(axes: &Axes<'_, F>, speeds: &Speeds<F>, error: f32) -> F {
    let (zero, infinite, error) = (F::splat(0.0), F::splat(f32::INFINITY), F::splat(error));
    let (mut first, mut last) = (zero, infinite);
    let mut k = 0;
    while k < 6 {
        let (between, reach) = axes.gap(k);
        let speed = axes.along(k, &speeds.velocity).xor(between.and(F::splat(-0.0)));
        let gap = between.abs().sub(reach);
        let (fast, slow) = (speed.add(error), speed.sub(error));
        // What is no number tells nothing.
        let never = zero.gt(fast).or(zero.same(fast));
        let meets = never.select(infinite, gap.div(fast));
        first = gap.gt(zero).select(meets, zero).max(first);
        // Past each other going on, or back out where they came in.
        let beyond = between.abs().add(reach).div(slow);
        let back = gap.div(fast);
        let back = zero.gt(fast).and(zero.gt(gap)).select(back, infinite);
        last = slow.gt(zero).select(beyond, back).min(last);
        k += 1;
    }
    // As much later as times are rounded.
    first.gt(last.mul(F::splat(1.0 + 1.0 / (1u32 << 18) as f32))).select(infinite, first)
}

/// What turns far: at its highest speed, and as all that it fills, which comes nearer as its pivot does.
#[inline(always)]
fn far_turns<F: Lanes<8>>(
    axes: &Axes<'_, F>,
    speeds: &Speeds<F>,
    asking: &Asking,
    drift: &Drift,
) -> F {
    let splat = F::splat;
    let Errors { speed, flown, pull, arm: error, .. } = drift.errors;
    let [own, other] = &drift.turning;
    let (axis_x, axis_y) = (axis_of(&asking.spin, own.rate), axis_of(&asking.spin_other, other.rate));
    let mut arm_y = axes.seen.between;
    let mut k = 0;
    while k < 3 {
        arm_y[k] = arm_y[k].add(splat(asking.from_other[k]));
        k += 1;
    }
    let [p, q, r] = [splat(axis_y[0]).mul(arm_y[0]), splat(axis_y[1]).mul(arm_y[1]), splat(axis_y[2]).mul(arm_y[2])];
    let (height_x, height_y) = (dot(&axis_x, &asking.arm), p.add(q).add(r));
    let beside = each(&axis_x, &asking.half, |x, y| x.abs() * y);
    let half_x = beside[0] + beside[1] + beside[2];
    // Across the axis: what turns with all of its speed.
    let across_x = if own.rate > 0.0 { asking.swing / own.rate + asking.radius } else { 0.0 };
    let across_y = speeds.top.sub(splat(asking.swing + own.rate * asking.radius)).max(splat(0.0));
    let across_y = across_y.add(splat(speed)).div(splat(other.rate));
    let mut first = splat(0.0);
    let mut k = 0;
    while k < 6 {
        let (between, reach) = axes.gap(k);
        let sign = between.and(splat(-0.0));
        let gap = between.abs().sub(reach);
        let along = |v: &[f32; 3]| axes.along_same(k, v).xor(sign);
        let (comes, pulled) = (along(&asking.flown).add(splat(flown)), along(&asking.pull).add(splat(pull)));
        let pulled = pulled.max(splat(pull));
        first = time_to_close(gap, comes.add(speeds.top).add(splat(speed)), pulled).max(first);
        let (half_own, half_other) = axes.halves(k);
        let mut rest = gap;
        if own.rate > 0.0 {
            let axial = along(&axis_x);
            let fills = axial.mul(splat(height_x)).add(axial.abs().mul(splat(half_x)));
            let fills = fills.add(axes.across(k, &axis_x).mul(splat(across_x)));
            let now = along(&asking.arm).add(half_own);
            rest = rest.sub(fills.sub(now).max(splat(0.0)));
        }
        if other.rate > 0.0 {
            let axial = along(&axis_y);
            let fills = axial.abs().mul(speeds.radius).sub(axial.mul(height_y));
            let fills = fills.add(axes.across(k, &axis_y).mul(across_y));
            let now = half_other.sub(axes.along(k, &arm_y).xor(sign));
            rest = rest.sub(fills.sub(now).max(splat(0.0)));
        }
        first = time_to_close(rest.sub(splat(error)), comes, pulled).max(first);
        k += 1;
    }
    first
}

/// A unit vector along the axis, or zero.
#[inline(always)]
fn axis_of(spin: &[f32; 3], rate: f32) -> [f32; 3] {
    let inverse = if rate > 0.0 { 1.0 / rate } else { 0.0 };
    [spin[0] * inverse, spin[1] * inverse, spin[2] * inverse]
}
