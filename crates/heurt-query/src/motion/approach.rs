//! Upper bounds of the approach speed of two moving shapes along a direction.
//!
//! In: shapes on their [`Motion`]s, a time, a unit vector from A to B. Out: [`Approach`], and from it a time before
//! which a gap across that vector is provably not closed.
//! Method: conservative advancement with bounds along the direction (S0 §6.3; Mirtich 1996, Zhang et al. 2007). A point
//! at offset r from the axis of a shape that rotates by ω moves along n at n · v + (n × ω) · r. At first the support
//! point along n × ω bounds this speed; the bound changes by no more than |n × ω| |ω| r⊥ a second, and never exceeds |n
//! × ω| r⊥. The rotation as a whole brings the point no farther along n than to the height of its own axis and |n⊥| r⊥
//! beyond. These three bounds give three times, roots of quadratic polynomials; a gap does not close before the latest
//! of them.
//! Guarantees: no gap closes earlier, rounding included. If nothing rotates, the time is exact up to rounding.

use heurt_geometry::{Motion, Pose, Vec3};

/// Rounding error of speeds, as a share of the sum of magnitudes.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// A moving shape.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mover<'a> {
    pub start: &'a Pose,
    pub motion: &'a Motion,
    /// For a part of a compound, its pose in the moving shape.
    pub part: Option<&'a Pose>,
}

/// The pose of a moving shape at one time, and its velocities there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub pose: Pose,
    /// The pivot of the rotation, and its velocity.
    pub pivot: Vec3,
    pub velocity: Vec3,
    pub acceleration: Vec3,
    pub spin: Vec3,
    /// Angular speed in radians per second, and a bound of the linear rates, for rounding errors.
    pub spin_rate: f64,
    pub rates: f64,
}

impl Mover<'_> {
    /// Computes the state at a time; the caller has checked that the motion stays within the range of numbers.
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

    /// Returns the pivot of the rotation, in the frame of the part.
    pub(crate) fn pivot(&self) -> Vec3 {
        let pivot = self.motion.pivot();
        // Rotations may deviate from orthonormality.
        self.part.map_or(pivot, |part| part.rotation().inverse() * (pivot - part.translation()))
    }

    /// Bounds the error of a placed coordinate relative to the true motion up to `time`, for points at a distance of at
    /// most `reach` from the origin of the shape.
    pub(crate) fn rounding(&self, reach: f64, time: f64) -> f64 {
        let motion = self.motion;
        let reach = reach + motion.pivot().length() + self.part.map_or(0.0, Pose::max_translation);
        let turned = 1.0 + motion.angular_velocity().length() * time;
        ROUNDING * (self.start.max_translation() + self.flight(time) + reach * turned)
    }

    /// Returns [`Mover::flight`] or slightly more, for a shape that neither rotates nor accelerates.
    #[inline(always)]
    pub(crate) fn straight_flight(&self, time: f64) -> f64 {
        // The sum of magnitudes bounds the length, and is cheaper.
        self.motion.velocity().abs().element_sum() * time
    }

    /// Returns [`Mover::rounding`] or slightly more, for a shape that neither rotates nor accelerates.
    #[inline(always)]
    pub(crate) fn straight_rounding(&self, reach: f64, time: f64) -> f64 {
        let reach = reach + self.motion.pivot().abs().element_sum() + self.part.map_or(0.0, Pose::max_translation);
        ROUNDING * (self.start.max_translation() + self.straight_flight(time) + reach)
    }

    /// Bounds the distance travelled by the pivot until `time`, in metres.
    pub(crate) fn flight(&self, time: f64) -> f64 {
        (self.motion.velocity().length() + 0.5 * self.motion.acceleration().length() * time) * time
    }
}

impl Moment {
    /// Computes the velocity of a point of the shape.
    pub(crate) fn velocity_of(&self, point: Vec3) -> Vec3 {
        self.velocity + self.spin.cross(point - self.pivot)
    }

    /// Reports whether the shape neither rotates nor accelerates.
    pub(crate) fn is_straight(&self) -> bool {
        self.spin == Vec3::ZERO && self.acceleration == Vec3::ZERO
    }
}

/// Computes the speed at which a point of A and a point of B approach each other along a unit vector from A to B.
pub(crate) fn closing([a, b]: &[Moment; 2], normal: Vec3, [on_a, on_b]: [Vec3; 2]) -> f64 {
    normal.dot(a.velocity_of(on_a) - b.velocity_of(on_b))
}

/// Bounds on the points of a rotating shape: the largest offset along a direction from its pivot, and the distance from
/// its axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MotionReach {
    pub along: f64,
    pub from_axis: f64,
    /// Whether a point of the shape attains `along`.
    pub is_met: bool,
    /// Bound on the rounding error of `along`.
    pub rounding: f64,
}

/// Bounds on the closing speed of a gap: at first `speed`, growing by `growth` each second; at any time at most `top`,
/// growing by `pull` each second.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Approach {
    pub speed: f64,
    pub growth: f64,
    pub top: f64,
    pub pull: f64,
    /// The closing speed by translation alone, and the largest approach by rotation, in metres.
    pub flown: f64,
    pub turned: f64,
    /// The sum of all magnitudes, for its rounding error.
    pub summed: f64,
}

impl Approach {
    /// Computes the bounds of two shapes along a unit vector from A to B; a reach is computed along a vector of the
    /// world.
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

    /// Computes the bounds of any points of two shapes at the given distances from their pivots.
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
            // Rotation does not change the coordinate along the axis; across it no point gets farther than its distance
            // from the axis.
            let axis = shape.spin / shape.spin_rate;
            let (axial, now) = (reach(axis * axis.dot(towards)), reach(towards));
            let farthest = axial.along + rate / shape.spin_rate * from_axis;
            let roundings = ROUNDING * (from_axis + now.along.abs()) + axial.rounding + now.rounding;
            let more = (farthest - now.along).max(0.0) + roundings;
            self.turned += if now.is_met { more } else { f64::INFINITY };
        }
    }

    /// Returns the time before which a gap is provably not closed; infinite if it never is.
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

/// Computes the least t ≥ 0 with speed t + pull t²/2 = gap, which is above 0; infinite if there is none.
#[inline(always)]
pub(crate) fn time_to_close(gap: f64, speed: f64, pull: f64) -> f64 {
    // If squares underflow, deceleration is neglected.
    let pull = if speed.abs() < 1e-140 && pull < 0.0 { 0.0 } else { pull };
    let root = (speed * speed + 2.0 * pull * gap).sqrt();
    let root = if pull >= 0.0 && root < speed.abs() { speed.abs() } else { root };
    let denominator = speed + root;
    // Written so that the root of a negative number gives infinity.
    if denominator > 0.0 { 2.0 * gap / denominator } else { f64::INFINITY }
}
