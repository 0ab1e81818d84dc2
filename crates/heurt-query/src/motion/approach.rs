//! How fast two moving shapes can come nearer to each other along a direction.
//!
//! In: shapes on their [`Motion`]s, a time, a unit vector from A to B. Out: [`Approach`], and from it a time before
//! which a gap across that vector is provably not closed.
//! Method: conservative advancement with bounds along the direction (S0 §6.3; Mirtich 1996, Zhang et al. 2007). A point
//! at r from the axis of a shape that turns by ω moves along n with n · v + (n × ω) · r, which at first is what the
//! support point along n × ω has, and changes by no more than |n × ω| |ω| r⊥ a second; nor is it ever more than |n × ω|
//! r⊥. And all turning together brings it no farther along n than to the height of its own axis and |n⊥| r⊥ beyond. A
//! gap is closed no sooner than the latest of the three times that follow, parabolas all.
//! Guarantees: no gap closes sooner, roundings included. Exact, but for roundings, where nothing turns.

use heurt_geometry::{Motion, Pose, Vec3};

/// Roundings of speeds, as a share of all that is summed.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// A shape on its way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mover<'a> {
    pub start: &'a Pose,
    pub motion: &'a Motion,
    /// Where it is in the shape that moves, for a part of a compound.
    pub part: Option<&'a Pose>,
}

/// Where a moving shape is at some time, and how it moves there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub pose: Pose,
    /// The point that it turns about, and its velocity.
    pub pivot: Vec3,
    pub velocity: Vec3,
    pub acceleration: Vec3,
    pub spin: Vec3,
    /// How fast it turns, and what it moves by otherwise, for roundings.
    pub spin_rate: f64,
    pub rates: f64,
}

impl Mover<'_> {
    /// The shape at a time for which the motion is known not to leave the range of numbers.
    pub(crate) fn at(&self, time: f64) -> Moment {
        let body = self.motion.pose_at(self.start, time).expect("checked for all times before the search");
        Moment {
            pose: self.part.map_or(body, |part| body.compose(part)),
            pivot: body.place(self.motion.pivot()),
            velocity: self.motion.velocity_at(time),
            acceleration: self.motion.acceleration(),
            spin: self.motion.angular_velocity(),
            spin_rate: self.motion.angular_velocity().length(),
            rates: self.motion.velocity().length() + self.motion.acceleration().length() * (1.0 + time),
        }
    }

    /// The point that it turns about, in the frame of the part.
    pub(crate) fn pivot(&self) -> Vec3 {
        let pivot = self.motion.pivot();
        // Rotations may be not quite such.
        self.part.map_or(pivot, |part| part.rotation().inverse() * (pivot - part.translation()))
    }

    /// Bounds how far a placed coordinate is off the true motion up to `time`, for points as far from the origin of the
    /// shape as `reach`.
    pub(crate) fn rounding(&self, reach: f64, time: f64) -> f64 {
        let motion = self.motion;
        let reach = reach + motion.pivot().length() + self.part.map_or(0.0, Pose::span);
        let turned = 1.0 + motion.angular_velocity().length() * time;
        ROUNDING * (self.start.span() + self.flight(time) + reach * turned)
    }

    /// [`Mover::flight`], a little more, of what neither turns nor speeds up.
    #[inline(always)]
    pub(crate) fn straight_flight(&self, time: f64) -> f64 {
        // Sums of magnitudes are above lengths, and found sooner.
        self.motion.velocity().abs().element_sum() * time
    }

    /// [`Mover::rounding`], a little more, of what neither turns nor speeds up.
    #[inline(always)]
    pub(crate) fn straight_rounding(&self, reach: f64, time: f64) -> f64 {
        let reach = reach + self.motion.pivot().abs().element_sum() + self.part.map_or(0.0, Pose::span);
        ROUNDING * (self.start.span() + self.straight_flight(time) + reach)
    }

    /// Bounds how far the pivot gets until `time`.
    pub(crate) fn flight(&self, time: f64) -> f64 {
        (self.motion.velocity().length() + 0.5 * self.motion.acceleration().length() * time) * time
    }
}

impl Moment {
    /// How fast a point of the shape moves.
    pub(crate) fn velocity_of(&self, point: Vec3) -> Vec3 {
        self.velocity + self.spin.cross(point - self.pivot)
    }

    /// Whether the shape neither turns nor speeds up.
    pub(crate) fn is_straight(&self) -> bool {
        self.spin == Vec3::ZERO && self.acceleration == Vec3::ZERO
    }
}

/// How fast a point of A and one of B come nearer to each other along a unit vector from A to B.
pub(crate) fn closing([a, b]: &[Moment; 2], normal: Vec3, [on_a, on_b]: [Vec3; 2]) -> f64 {
    normal.dot(a.velocity_of(on_a) - b.velocity_of(on_b))
}

/// What the points of a shape do at most that turns: the farthest along a direction from its pivot, and from its axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MotionReach {
    pub along: f64,
    pub from_axis: f64,
    /// Whether a point of the shape is really as far along.
    pub is_met: bool,
    /// Bounds how far `along` is off by rounding.
    pub rounding: f64,
}

/// Bounds how fast a gap is closed: by `speed` and soon by `growth` more each second, and never by more than `top` and
/// `pull` more each second.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Approach {
    pub speed: f64,
    pub growth: f64,
    pub top: f64,
    pub pull: f64,
    /// What is flown alone, and how much nearer turning can ever bring both.
    pub flown: f64,
    pub turned: f64,
    /// What all was summed, for its rounding.
    pub summed: f64,
}

impl Approach {
    /// Of two shapes along a unit vector from A to B; a reach is requested along a vector of the world.
    pub(crate) fn of(
        [a, b]: [&Moment; 2],
        normal: Vec3,
        reach_a: impl Fn(Vec3) -> MotionReach,
        reach_b: impl Fn(Vec3) -> MotionReach,
    ) -> Self {
        let mut sum = Self::default();
        sum.add(a, normal, reach_a);
        sum.add(b, -normal, reach_b);
        sum
    }

    /// Of any points of two shapes, as far as those are from what they turn about.
    pub(crate) fn of_any_points([a, b]: [&Moment; 2], from_pivot: [f64; 2]) -> Self {
        let [turned_a, turned_b] = [a.spin_rate * from_pivot[0], b.spin_rate * from_pivot[1]];
        let speed = (b.velocity - a.velocity).length() + turned_a + turned_b;
        let growth = (b.acceleration - a.acceleration).length();
        let summed = a.rates + b.rates + turned_a + turned_b;
        Self { speed, growth, top: speed, pull: growth, flown: 0.0, turned: f64::INFINITY, summed }
    }

    fn add(&mut self, shape: &Moment, towards: Vec3, reach: impl Fn(Vec3) -> MotionReach) {
        let (flown, pulled) = (towards.dot(shape.velocity), towards.dot(shape.acceleration));
        self.speed += flown;
        self.flown += flown;
        self.top += flown;
        self.growth += pulled;
        self.pull += pulled;
        self.summed += shape.rates;
        if shape.spin != Vec3::ZERO {
            let turn = towards.cross(shape.spin);
            let (rate, MotionReach { along, from_axis, rounding, .. }) = (turn.length(), reach(turn));
            self.speed += along + rounding;
            self.growth += rate * shape.spin_rate * from_axis;
            self.top += rate * from_axis;
            self.summed += shape.spin_rate * from_axis;
            // Along the axis nothing changes, across it no point gets farther than it is from the axis.
            let axis = shape.spin / shape.spin_rate;
            let (axial, now) = (reach(axis * axis.dot(towards)), reach(towards));
            let farthest = axial.along + rate / shape.spin_rate * from_axis;
            let roundings = ROUNDING * (from_axis + now.along.abs()) + axial.rounding + now.rounding;
            let more = (farthest - now.along).max(0.0) + roundings;
            self.turned += if now.is_met { more } else { f64::INFINITY };
        }
    }

    /// The time before which a gap is provably not closed; infinite where it never is.
    pub(crate) fn time_to_close(&self, gap: f64) -> f64 {
        let more = ROUNDING * self.summed;
        let soon = time_to_close(gap, self.speed + more, self.growth + more);
        let at_top = time_to_close(gap, self.top + more, self.pull + more);
        let larger = if soon > at_top { soon } else { at_top };
        let rest = gap - self.turned;
        let flown = if rest > 0.0 { time_to_close(rest, self.flown + more, self.pull + more) } else { 0.0 };
        (if larger > flown { larger } else { flown }) * (1.0 - 1e-13)
    }
}

/// The least t ≥ 0 with speed t + pull t²/2 = gap, which is above 0; infinite where there is none.
#[inline(always)]
pub(crate) fn time_to_close(gap: f64, speed: f64, pull: f64) -> f64 {
    // Where squares are lost, what slows down is of no account.
    let pull = if speed.abs() < 1e-140 && pull < 0.0 { 0.0 } else { pull };
    let root = (speed * speed + 2.0 * pull * gap).sqrt();
    let root = if pull >= 0.0 && root < speed.abs() { speed.abs() } else { root };
    let denominator = speed + root;
    // Written so that the root of what is negative is never.
    if denominator > 0.0 { 2.0 * gap / denominator } else { f64::INFINITY }
}
