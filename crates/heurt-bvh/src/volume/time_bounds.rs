//! Lower bounds of the contact times of boxes of two moving trees, eight pairs at a time.
//!
//! In: two trees on rigid motions at some time (`PairMotion`), a box of one tree, eight of the second tree.
//! Out: per lane a time before which they provably do not touch.
//! Method: S0 §6.3, conservative advancement along the six face axes (Mirtich 1996). Along an axis n from X to Y, a
//! point of X approaches at the speed n · v, with the acceleration n · a; v and a are those of the middle of its box.
//! Rotation adds at most |ω| r and |ω|² r, r half the diagonal. The own acceleration of a point is at most |ω|² ρ, ρ
//! the distance from the axis, or, up to the time D, its value now and |ω|³ ρ D / 3. A gap is closed no earlier than
//! the parabola reaches it. For a box that rotates far in the remaining time two more bounds apply: the speed of ρ all
//! the time, and the volume that the box fills in a full turn. Boxes that only translate are also dropped if they have
//! passed each other along one axis before they meet along another.
//!
//! # Roundings
//! Gaps are those of `obb`, with its errors. Speeds are sums of a few products, each no larger than S = |v| + |ω| L,
//! where L bounds all arms and what they were made of; not more than forty roundings of u = 2⁻²⁴ are less than 2⁻¹⁷ S,
//! which is added once. The same holds for growth with |a| + |ω|² (1 + |ω| D) L. Axes that are not quite of unit length
//! are used as stored. A root or quotient errs by a few u of itself: times are multiplied by 1 − 2⁻¹⁹ in the end. `NaN`
//! bounds nothing.

use super::obb::{EPSILON, RotatedObb};
use super::{Aabb32, BoundingVolume, Obb, Wide, all_above, dot};
use crate::frame::relative::Placement;
use crate::frame::relative_motion::{Errors, RelativeMotion, cross, each, length};
use crate::simd::Lanes8;
use crate::simd::{Lanes, WideIsa};

/// A volume that is a box.
pub trait BoxVolume: BoundingVolume {
    /// Returns the box with its axes.
    fn oriented(&self) -> Obb;
    /// Returns eight boxes seen from a box of another tree.
    fn seen_from<I: WideIsa>(query: &Obb, place: &Placement, lanes: &Self::Wide<8>) -> RotatedObb<Lanes8<I>>;
}

impl BoxVolume for Obb {
    #[inline(always)]
    fn oriented(&self) -> Obb {
        *self
    }
    #[inline(always)]
    fn seen_from<I: WideIsa>(query: &Obb, place: &Placement, lanes: &Self::Wide<8>) -> RotatedObb<Lanes8<I>> {
        RotatedObb::<Lanes8<I>>::new::<Wide<4, I>, 8>(query, place, lanes)
    }
}

impl BoxVolume for Aabb32 {
    #[inline(always)]
    fn oriented(&self) -> Obb {
        Obb::aligned(self)
    }
    #[inline(always)]
    fn seen_from<I: WideIsa>(query: &Obb, place: &Placement, lanes: &Self::Wide<8>) -> RotatedObb<Lanes8<I>> {
        RotatedObb::<Lanes8<I>>::aligned::<Wide<4, I>, 8>(query, place, lanes)
    }
}

/// Quantities of the query box that do not depend on the lanes, along its axes.
struct QueryBox {
    half: [f32; 3],
    /// From the pivot of the lanes' tree to the middle of the query box.
    from_other: [f32; 3],
    spin_other: [f32; 3],
    /// Velocity of its middle relative to the lanes' tree at that point, and its acceleration.
    velocity: [f32; 3],
    acceleration: [f32; 3],
    /// Velocity that the rotation of the lanes' tree gives to a point at its middle.
    swing_other: [f32; 3],
    /// Half its diagonal, and the speed of its middle due to its rotation.
    radius: f32,
    swing: f32,
    /// From its pivot to its middle, and its angular velocity.
    arm: [f32; 3],
    spin: [f32; 3],
    /// Velocity of its pivot relative to the second pivot, and its acceleration.
    flown: [f32; 3],
    pull: [f32; 3],
}

impl QueryBox {
    #[inline(always)]
    fn new(box_: &Obb, drift: &RelativeMotion) -> Self {
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

/// Quantities common to all axes, lane by lane.
struct Speeds<F> {
    velocity: [F; 3],
    acceleration: [F; 3],
    /// Speed that rotation adds for points next to the middles.
    spread: F,
    /// Bound of the growth in any direction; bound of its excess over the acceleration now.
    growth: F,
    beyond: F,
    /// How fast a point may be for all turning; half the diagonals of the lanes.
    top: F,
    radius: F,
}

impl<F> Speeds<F> {
    #[inline(always)]
    fn new(query: &QueryBox, lanes: &RotatedObb<F>, drift: &RelativeMotion) -> Self
    where
        F: Lanes<8>,
    {
        let splat = F::splat;
        let [own, other] = &drift.turning;
        let swing = spun(&query.spin_other, &lanes.between);
        let pulled = spun(&query.spin_other, &swing);
        let (mut velocity, mut acceleration, mut whole) = (swing, pulled, swing);
        let mut k = 0;
        while k < 3 {
            velocity[k] = splat(query.velocity[k]).sub(swing[k]);
            acceleration[k] = splat(query.acceleration[k]).sub(pulled[k]);
            whole[k] = swing[k].add(splat(query.swing_other[k]));
            k += 1;
        }
        let [x, y, z] = &lanes.half;
        let radius = x.mul(*x).add(y.mul(*y)).add(z.mul(*z)).sqrt();
        let [x, y, z] = &whole;
        let speed = x.mul(*x).add(y.mul(*y)).add(z.mul(*z)).sqrt();
        let (rate_own, rate_other) = (own.rate, splat(other.rate));
        let of_own = rate_own * query.radius;
        let of_other = rate_other.mul(radius);
        let spread = of_other.add(splat(of_own + drift.errors.speed));
        // Maximum centripetal accelerations.
        let most_own = rate_own * (query.swing + of_own);
        let most_other = rate_other.mul(speed.add(of_other));
        let top = speed.add(of_other).add(splat(query.swing + of_own));
        let pull = length(&drift.acceleration);
        let growth = most_other.add(splat(most_own + pull + drift.errors.growth));
        let jerk = most_other.mul(rate_other).add(splat(most_own * rate_own)).mul(splat(drift.left * (1.0 / 3.0)));
        let sideways = rate_other.mul(of_other).add(splat(rate_own * of_own + drift.errors.growth));
        Self { velocity, acceleration, spread, growth, beyond: jerk.add(sideways), top, radius }
    }

    /// Returns the time to close a gap along an axis with the given velocity and acceleration along it.
    #[inline(always)]
    fn time(&self, gap: F, velocity: F, acceleration: F, floor: F) -> F
    where
        F: Lanes<8>,
    {
        let growth = acceleration.add(self.beyond).min(self.growth).max(floor);
        time_to_close(gap, velocity.add(self.spread), growth)
    }
}

/// Returns ω × r.
#[inline(always)]
fn spun<F: Lanes<8>>(spin: &[f32; 3], [x, y, z]: &[F; 3]) -> [F; 3] {
    let [a, b, c] = [F::splat(spin[0]), F::splat(spin[1]), F::splat(spin[2])];
    [b.mul(*z).sub(c.mul(*y)), c.mul(*x).sub(a.mul(*z)), a.mul(*y).sub(b.mul(*x))]
}

/// Returns the least t ≥ 0 with speed t + growth t²/2 = gap if the gap is above 0, else 0; `growth` is above 0.
#[inline(always)]
pub fn time_to_close<F: Lanes<8>>(gap: F, speed: F, growth: F) -> F {
    let zero = F::splat(0.0);
    let twice = gap.add(gap);
    // If squares underflow, the root is the speed.
    let root = speed.mul(speed).add(growth.mul(twice)).sqrt().max(speed.abs());
    let comes = speed.gt(zero);
    let time = comes.select(twice, root.sub(speed)).div(comes.select(speed.add(root), growth));
    gap.gt(zero).select(time, zero)
}

/// Returns for each lane the time, in units of the motion, before which it provably does not meet `query`; stops early
/// once every lane is above `cutoff`.
#[inline(always)]
pub(crate) fn contact_time_bounds<V: BoxVolume, I: WideIsa>(
    query: &Obb,
    place: &Placement,
    drift: &RelativeMotion,
    lanes: &V::Wide<8>,
    cutoff: f32,
) -> Lanes8<I> {
    let seen = V::seen_from::<I>(query, place, lanes);
    let query = QueryBox::new(query, drift);
    let splat = Lanes8::<I>::splat;
    let error = 2.0 * place.error + drift.room;
    let half_a = [query.half[0] + error, query.half[1] + error, query.half[2] + error];
    let sizes = seen.half[0].add(seen.half[1]).add(seen.half[2]).add(splat(half_a[0] + half_a[1] + half_a[2]));
    let axes = Axes { seen: &seen, half: &query.half, half_a, room: sizes.mul(splat(EPSILON + place.product_defect)) };
    let speeds = Speeds::new(&query, &seen, drift);
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
        first = far_turns(&axes, &speeds, &query, drift).max(first);
    }
    first
}

/// Returns the sum of a column, each entry times a number.
#[inline(always)]
fn columns<F: Lanes<8>>(m: &[[F; 3]; 3], j: usize, by: &[f32; 3]) -> F {
    m[0][j].mul(F::splat(by[0])).add(m[1][j].mul(F::splat(by[1]))).add(m[2][j].mul(F::splat(by[2])))
}

/// The six face axes.
struct Axes<'a, F> {
    seen: &'a RotatedObb<F>,
    half: &'a [f32; 3],
    /// The half sizes, enlarged for roundings.
    half_a: [f32; 3],
    room: F,
}

impl<F> Axes<'_, F> {
    /// Returns the distance of the middles along an axis, and the distance at which boxes touch along it.
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
            let reach = columns(m, j, &self.half_a).add(b.half[j]);
            (self.along(k, &b.between), reach.add(self.room))
        }
    }

    /// Returns the half sizes of the query box and of the lanes along an axis, without a rounding margin.
    #[inline(always)]
    fn halves(&self, k: usize) -> (F, F)
    where
        F: Lanes<8>,
    {
        let (m, b, half) = (&self.seen.magnitude, self.seen, self.half);
        if k < 3 {
            (F::splat(half[k]), m[k][0].mul(b.half[0]).add(m[k][1].mul(b.half[1])).add(m[k][2].mul(b.half[2])))
        } else {
            (columns(m, k - 3, half), b.half[k - 3])
        }
    }

    /// Returns the component of a vector along an axis.
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

    /// Returns the component along an axis of a vector that is the same in all lanes.
    #[inline(always)]
    fn along_same(&self, k: usize, v: &[f32; 3]) -> F
    where
        F: Lanes<8>,
    {
        self.along(k, &[F::splat(v[0]), F::splat(v[1]), F::splat(v[2])])
    }

    /// Returns the length of a unit vector's component across an axis.
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

/// Computes the bounds of boxes that only translate: infinite if they pass each other along one axis before they meet
/// along another.
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
        // `NaN` bounds nothing.
        let never = zero.gt(fast).or(zero.eq(fast));
        let meets = never.select(infinite, gap.div(fast));
        first = gap.gt(zero).select(meets, zero).max(first);
        // They separate beyond each other, or back on the side of entry.
        let beyond = between.abs().add(reach).div(slow);
        let back = gap.div(fast);
        let back = zero.gt(fast).and(zero.gt(gap)).select(back, infinite);
        last = slow.gt(zero).select(beyond, back).min(last);
        k += 1;
    }
    // Factor for the rounding of times.
    first.gt(last.mul(F::splat(1.0 + 1.0 / (1u32 << 18) as f32))).select(infinite, first)
}

/// Computes two bounds for far rotations: by the highest speed, and by the volume of a full turn, which moves as its
/// pivot does.
#[inline(always)]
fn far_turns<F: Lanes<8>>(axes: &Axes<'_, F>, speeds: &Speeds<F>, query: &QueryBox, drift: &RelativeMotion) -> F {
    let splat = F::splat;
    let Errors { speed, flown, pull, arm: error, .. } = drift.errors;
    let [own, other] = &drift.turning;
    let (axis_x, axis_y) = (axis_of(&query.spin, own.rate), axis_of(&query.spin_other, other.rate));
    let mut arm_y = axes.seen.between;
    let mut k = 0;
    while k < 3 {
        arm_y[k] = arm_y[k].add(splat(query.from_other[k]));
        k += 1;
    }
    let [p, q, r] = [splat(axis_y[0]).mul(arm_y[0]), splat(axis_y[1]).mul(arm_y[1]), splat(axis_y[2]).mul(arm_y[2])];
    let (height_x, height_y) = (dot(&axis_x, &query.arm), p.add(q).add(r));
    let sideways = each(&axis_x, &query.half, |x, y| x.abs() * y);
    let half_x = sideways[0] + sideways[1] + sideways[2];
    // Distances from the axis at which points have the full speed of rotation.
    let across_x = if own.rate > 0.0 { query.swing / own.rate + query.radius } else { 0.0 };
    let across_y = speeds.top.sub(splat(query.swing + own.rate * query.radius)).max(splat(0.0));
    let across_y = across_y.add(splat(speed)).div(splat(other.rate));
    let mut first = splat(0.0);
    let mut k = 0;
    while k < 6 {
        let (between, reach) = axes.gap(k);
        let sign = between.and(splat(-0.0));
        let gap = between.abs().sub(reach);
        let comes = axes.along_same(k, &query.flown).xor(sign).add(splat(flown));
        let pulled = axes.along_same(k, &query.pull).xor(sign).add(splat(pull));
        let pulled = pulled.max(splat(pull));
        first = time_to_close(gap, comes.add(speeds.top).add(splat(speed)), pulled).max(first);
        let (half_own, half_other) = axes.halves(k);
        let mut rest = gap;
        if own.rate > 0.0 {
            let axial = axes.along_same(k, &axis_x).xor(sign);
            let fills = axial.mul(splat(height_x)).add(axial.abs().mul(splat(half_x)));
            let fills = fills.add(axes.across(k, &axis_x).mul(splat(across_x)));
            let now = axes.along_same(k, &query.arm).xor(sign).add(half_own);
            rest = rest.sub(fills.sub(now).max(splat(0.0)));
        }
        if other.rate > 0.0 {
            let axial = axes.along_same(k, &axis_y).xor(sign);
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

/// Returns a unit vector along the axis, or zero.
#[inline(always)]
fn axis_of(spin: &[f32; 3], rate: f32) -> [f32; 3] {
    let inverse = if rate > 0.0 { 1.0 / rate } else { 0.0 };
    [spin[0] * inverse, spin[1] * inverse, spin[2] * inverse]
}
