//! Conservative advancement: from one time to the next before which a gap is provably not closed, until it is.
//!
//! In: a pair that knows its gap and its approach at any time, a window of time. Out: [`ContactTime`], or that they
//! provably do not meet.
//! Method: S0 §6.3 "dynamic detection" done with bounds along the separating direction (`motion/approach`); once the
//! gap is within the tolerance, the pair is asked at times when it should have closed, which gives the upper bound.
//! Guarantees: before `time` they do not meet. Where they do at all, they do not later than `upper`. Every loop is
//! bounded; a pair that spends its steps so near each other that nothing can be reported is a meeting that begins
//! there.

use crate::answer::budget::WorkMeter;
use crate::motion::approach::{Approach, Moment};
use heurt_geometry::Vec3;

/// The gap between two shapes at some time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CastGap {
    /// The distance, and what it provably is at least: not above 0 where nothing proves that they are disjoint.
    pub length: f64,
    pub at_least: f64,
    /// A unit vector from A to B, across which the gap is as wide; zero where they meet.
    pub normal: Vec3,
    pub point_a: Vec3,
    pub point_b: Vec3,
    pub primitives: Option<[u32; 2]>,
}

impl CastGap {
    /// Where nothing is known but where shapes are.
    pub(crate) fn unknown(moments: &[Moment; 2]) -> Self {
        let [point_a, point_b] = moments.each_ref().map(|at| at.pose.translation());
        Self { length: 0.0, at_least: 0.0, normal: Vec3::ZERO, point_a, point_b, primitives: None }
    }
}

/// When a pair meets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactTime {
    /// Not before.
    pub time: f64,
    /// Not after, if at all.
    pub upper: f64,
    /// Whether they provably do, at `upper`.
    pub is_met: bool,
    /// As it is at `time`; of a search that was cut short, some time before.
    pub gap: CastGap,
}

impl ContactTime {
    /// Of this one and maybe another one of the same two shapes, the earlier: they meet no later than where one
    /// provably does.
    pub(crate) fn and_maybe(self, other: Option<Self>, until: f64) -> Self {
        let Some(other) = other else { return if self.is_met { self } else { Self { upper: until, ..self } } };
        let is_met = self.is_met || other.is_met;
        let met = [self, other].into_iter().filter(|one| one.is_met).map(|one| one.upper).fold(until, f64::min);
        let earlier = if self.time < other.time { self } else { other };
        Self { upper: met, is_met, ..earlier }
    }
}

/// A pair of shapes that move. What it costs to ask it, it counts itself.
pub(crate) trait AdvancingPair {
    /// How they are placed at `time`; nothing is known where nothing is left to spend.
    fn gap(&mut self, time: f64, spending: &WorkMeter<'_>) -> CastGap;
    /// How fast they come nearer at the time that was queried last.
    fn approach(&self, normal: Vec3) -> Approach;
    /// How fast two of their points do that are known.
    fn closing(&self, gap: &CastGap) -> f64;
    /// Whether they share a point at `time`; no, where nothing is left to spend.
    fn meet(&mut self, time: f64, spending: &WorkMeter<'_>) -> bool;
}

/// A window of time, and how near is near.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeWindow {
    pub from: f64,
    pub until: f64,
    /// In metres.
    pub tolerance: f64,
}

/// What the pairs of a search may cost: steps that are left to all of them, and the budget of whoever asks.
pub(crate) struct Effort<'b> {
    pub steps: u32,
    pub spending: &'b WorkMeter<'b>,
}

impl Effort<'_> {
    fn take_step(&mut self) {
        self.steps = self.steps.saturating_sub(1);
    }

    /// Whether there is neither work nor time left to the caller; then what is reported is cut short.
    fn is_exhausted(&self) -> bool {
        self.spending.is_exhausted()
    }
}

/// Steps while the gap is within the tolerance, and all steps of a pair. A gap of a hundredth of a size that stays open
/// for so long needs some hundred turns.
const MAX_NEAR_STEPS: u32 = 96;
const MAX_STEPS: u32 = 1 << 14;
/// What all pairs of a search have together.
pub(crate) const STEPS_OF_ALL: u32 = 1 << 18;
/// Places one after the other where shapes come as near as roundings and part again.
const MAX_GRAZES: u32 = 4;
/// By how much the time is overshot at which a gap should be closed, one after the other.
pub(super) const OVERSHOOTS: [f64; 3] = [1.0, 1.5, 4.0];

/// Finds when the pair meets in the window; where the budget ends first, the meeting begins with what was not looked
/// at.
pub(crate) fn advance(
    pair: &mut impl AdvancingPair,
    window: TimeWindow,
    effort: &mut Effort<'_>,
) -> Option<ContactTime> {
    advance_past(pair, window, effort, MAX_GRAZES)
}

/// [`advance`] past so many places where nothing can be reported.
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
        let gap = pair.gap(time, effort.spending);
        if effort.spending.was_interrupted() {
            return Some(ContactTime { time, upper: until, is_met: false, gap });
        }
        // What is no number proves nothing.
        if gap.at_least.is_nan() || gap.at_least <= 0.0 {
            let rest = TimeWindow { from: time, ..window };
            let (upper, is_met) =
                if pair.meet(time, effort.spending) { (time, true) } else { at_the_latest(pair, rest, effort, grazes) };
            return Some(ContactTime { time, upper, is_met, gap });
        }
        // What touches to the last bit is the hardest to tell: a gap that is left spares that.
        let left = if gap.at_least > 0.5 * tolerance { 0.25 * tolerance } else { 0.0 };
        let approach = pair.approach(gap.normal);
        let next = (time + approach.time_to_close(gap.at_least - left)).next_down();
        if next > until && (left == 0.0 || (time + approach.time_to_close(gap.at_least)).next_down() > until) {
            return None;
        }
        // A step that leads nowhere ends the search.
        let is_stuck = next.is_nan() || next <= time;
        if gap.length <= tolerance || is_stuck {
            near_steps += 1;
            let closing = pair.closing(&gap);
            // Where roundings are most of the gap, it is the width that is sure to be closed that counts.
            let width = 2.0 * gap.length - gap.at_least + 0.25 * tolerance;
            let tried = OVERSHOOTS.map(|more| (time + width / closing * more).min(until));
            let upper = tried.into_iter().find(|&at| closing > 0.0 && at.is_finite() && pair.meet(at, effort.spending));
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
    // The work is spent: what is sought now is a later time at which they provably meet.
    let gap = pair.gap(time, effort.spending);
    let (upper, is_met) = at_the_latest(pair, TimeWindow { from: time, ..window }, effort, grazes);
    Some(ContactTime { time, upper, is_met, gap })
}

/// A time before which the pair provably does not meet in the window, told by so many gaps at most; `None` where it
/// does not at all.
pub(super) fn not_before(
    pair: &mut impl AdvancingPair,
    window: TimeWindow,
    gaps: u32,
    spending: &WorkMeter<'_>,
) -> Option<f64> {
    let mut time = window.from;
    for _ in 0..gaps {
        let gap = pair.gap(time, spending);
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

/// Bounds from above when they meet first that come nearer at `window.from` than can be reported: the next time at
/// which they share a point, and that they do; or, where they part again without, the time from which on they provably
/// are disjoint.
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
        if pair.meet(at, effort.spending) {
            return (at, true);
        }
        if pair.gap(at, effort.spending).at_least > tolerance {
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
