//! Conservative advancement: steps in time, each no longer than the gap provably stays open, until contact.
//!
//! In: a pair that computes its gap and its approach at any time, a window of time. Out: [`ContactTime`], or that they
//! provably do not meet.
//! Method: S0 §6.3 "dynamic detection" with bounds along the separating direction (`motion/approach`). Once the gap is
//! within the tolerance, the pair is tested at times when it should have closed, which gives the upper bound.
//! Guarantees: before `time` they do not meet. If they meet at all, they do no later than `upper`. Every loop is
//! bounded; if a pair uses all its steps at unresolvably small gaps, a contact that begins there is reported.

use crate::answer::budget::WorkMeter;
use crate::motion::approach::{Approach, Moment};
use heurt_geometry::Vec3;

/// The gap between two shapes at one time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CastGap {
    /// The distance, and a proven lower bound of it: not above 0 if the shapes are not provably disjoint.
    pub length: f64,
    pub at_least: f64,
    /// A unit vector from A to B, across which the gap is as wide; zero if they meet.
    pub normal: Vec3,
    pub point_a: Vec3,
    pub point_b: Vec3,
    pub primitives: Option<[u32; 2]>,
}

impl CastGap {
    /// Returns a gap without bounds, at the positions of the shapes.
    pub(crate) fn unknown(moments: &[Moment; 2]) -> Self {
        let [point_a, point_b] = moments.each_ref().map(|at| at.pose.translation());
        Self { length: 0.0, at_least: 0.0, normal: Vec3::ZERO, point_a, point_b, primitives: None }
    }
}

/// The time of contact of a pair.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactTime {
    /// Lower bound of the time.
    pub time: f64,
    /// Upper bound of the time, if they meet at all.
    pub upper: f64,
    /// Whether they provably meet, at `upper`.
    pub is_met: bool,
    /// The gap at `time`; after an interruption, the gap at some time before.
    pub gap: CastGap,
}

impl ContactTime {
    /// Combines this contact and an optional second contact of the same two shapes: the earlier time, with the earliest
    /// time of a proven contact as upper bound.
    pub(crate) fn and_maybe(self, other: Option<Self>, until: f64) -> Self {
        let Some(other) = other else { return if self.is_met { self } else { Self { upper: until, ..self } } };
        let is_met = self.is_met || other.is_met;
        let met = [self, other].into_iter().filter(|one| one.is_met).map(|one| one.upper).fold(until, f64::min);
        let earlier = if self.time < other.time { self } else { other };
        Self { upper: met, is_met, ..earlier }
    }
}

/// A pair of moving shapes. Its methods record their own work.
pub(crate) trait AdvancingPair {
    /// Computes the gap at `time`; without bounds if the budget is exhausted.
    fn gap(&mut self, time: f64, meter: &WorkMeter<'_>) -> CastGap;
    /// Bounds the approach speed at the time of the last query.
    fn approach(&self, normal: Vec3) -> Approach;
    /// Computes the approach speed of the two points of a gap.
    fn closing(&self, gap: &CastGap) -> f64;
    /// Reports whether they share a point at `time`; false if the budget is exhausted.
    fn touches_at(&mut self, time: f64, meter: &WorkMeter<'_>) -> bool;
}

/// A window of time, and the tolerance of gaps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeWindow {
    pub from: f64,
    pub until: f64,
    /// In metres.
    pub tolerance: f64,
}

/// Limits of a search: the steps left to all its pairs, and the budget of the caller.
pub(crate) struct Effort<'b> {
    pub steps: u32,
    pub meter: &'b WorkMeter<'b>,
}

impl Effort<'_> {
    fn take_step(&mut self) {
        self.steps = self.steps.saturating_sub(1);
    }

    /// Reports whether the budget is exhausted; the result is then partial.
    fn is_exhausted(&self) -> bool {
        self.meter.is_exhausted()
    }
}

/// Limit of steps while the gap is within the tolerance, and of all steps of a pair. A gap of a hundredth of a size
/// that stays open for `MAX_STEPS` steps needs some hundred turns.
const MAX_NEAR_STEPS: u32 = 96;
const MAX_STEPS: u32 = 1 << 14;
/// Limit of steps of all pairs of a search.
pub(crate) const STEPS_OF_ALL: u32 = 1 << 18;
/// Limit of successive grazes: places at which shapes come within rounding error and separate again.
const MAX_GRAZES: u32 = 4;
/// Factors of the time at which a gap should be closed, tried in order.
pub(super) const OVERSHOOTS: [f64; 3] = [1.0, 1.5, 4.0];

/// Finds the contact of the pair in the window. If the budget ends first, the contact begins with the part not
/// examined.
pub(crate) fn advance(
    pair: &mut impl AdvancingPair,
    window: TimeWindow,
    effort: &mut Effort<'_>,
) -> Option<ContactTime> {
    advance_past(pair, window, effort, MAX_GRAZES)
}

/// Runs [`advance`] past at most `grazes` places at which no contact can be decided.
fn advance_past(
    pair: &mut impl AdvancingPair,
    window: TimeWindow,
    effort: &mut Effort<'_>,
    grazes: u32,
) -> Option<ContactTime> {
    let TimeWindow { from: mut time, until, tolerance } = window;
    let mut near_steps = 0;
    for _ in 0..MAX_STEPS.min(effort.steps) {
        effort.take_step();
        let gap = pair.gap(time, effort.meter);
        if effort.meter.was_interrupted() {
            return Some(ContactTime { time, upper: until, is_met: false, gap });
        }
        // A gap that is not a number proves nothing.
        if gap.at_least.is_nan() || gap.at_least <= 0.0 {
            let rest = TimeWindow { from: time, ..window };
            let (upper, is_met) = if pair.touches_at(time, effort.meter) {
                (time, true)
            } else {
                at_the_latest(pair, rest, effort, grazes)
            };
            return Some(ContactTime { time, upper, is_met, gap });
        }
        // Contact to the last bit is the hardest case: steps therefore leave a small gap.
        let left = if gap.at_least > 0.5 * tolerance { 0.25 * tolerance } else { 0.0 };
        let approach = pair.approach(gap.normal);
        let next = (time + approach.time_to_close(gap.at_least - left)).next_down();
        if next > until && (left == 0.0 || (time + approach.time_to_close(gap.at_least)).next_down() > until) {
            return None;
        }
        // A step without progress ends the search.
        let is_stuck = next.is_nan() || next <= time;
        if gap.length <= tolerance || is_stuck {
            near_steps += 1;
            let closing = pair.closing(&gap);
            // If rounding is most of the gap, the width that provably closes counts.
            let width = 2.0 * gap.length - gap.at_least + 0.25 * tolerance;
            let tried = OVERSHOOTS.map(|more| (time + width / closing * more).min(until));
            let upper =
                tried.into_iter().find(|&at| closing > 0.0 && at.is_finite() && pair.touches_at(at, effort.meter));
            if upper.is_some() || is_stuck || near_steps == MAX_NEAR_STEPS {
                let rest = TimeWindow { from: time, ..window };
                let (upper, is_met) =
                    upper.map_or_else(|| at_the_latest(pair, rest, effort, grazes), |upper| (upper, true));
                return Some(ContactTime { time, upper, is_met, gap });
            }
        }
        time = next.min(until);
        if effort.is_exhausted() {
            return Some(ContactTime { time, upper: until, is_met: false, gap });
        }
    }
    // The steps are exhausted: the search is for a later time at which they provably meet.
    let gap = pair.gap(time, effort.meter);
    let (upper, is_met) = at_the_latest(pair, TimeWindow { from: time, ..window }, effort, grazes);
    Some(ContactTime { time, upper, is_met, gap })
}

/// Finds a time before which the pair provably does not meet in the window, with at most `gaps` gaps; `None` if they do
/// not meet at all.
pub(super) fn not_before(
    pair: &mut impl AdvancingPair,
    window: TimeWindow,
    gaps: u32,
    meter: &WorkMeter<'_>,
) -> Option<f64> {
    let mut time = window.from;
    for _ in 0..gaps {
        let gap = pair.gap(time, meter);
        let is_near = gap.at_least.is_nan() || gap.at_least <= window.tolerance;
        let next =
            if is_near { time } else { (time + pair.approach(gap.normal).time_to_close(gap.at_least)).next_down() };
        if next > window.until {
            return None;
        }
        if next.is_nan() || next <= time {
            break;
        }
        time = next;
    }
    Some(time)
}

/// Bounds from above the first contact of a pair whose gap at `window.from` is too small to decide. Returns the next
/// time at which they share a point, and true. If they separate again without one, returns the time from which they
/// provably are disjoint, and false.
fn at_the_latest(
    pair: &mut impl AdvancingPair,
    window: TimeWindow,
    effort: &mut Effort<'_>,
    grazes: u32,
) -> (f64, bool) {
    let TimeWindow { from, until, tolerance } = window;
    let mut pause = ((until - from) * (0.25 * f64::EPSILON)).max(f64::MIN_POSITIVE);
    while from + pause < until && !effort.is_exhausted() {
        let at = from + pause;
        if pair.touches_at(at, effort.meter) {
            return (at, true);
        }
        if pair.gap(at, effort.meter).at_least > tolerance {
            if grazes == 0 {
                return (until, false);
            }
            let later = advance_past(pair, TimeWindow { from: at, ..window }, effort, grazes - 1);
            return later.map_or((at, false), |later| (later.upper, later.is_met));
        }
        pause *= 2.0;
    }
    (until, false)
}
