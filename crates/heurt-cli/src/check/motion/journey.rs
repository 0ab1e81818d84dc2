//! Every moved part against every part that stays: when do they meet first?
//!
//! Method: `cast` on each leg, which misses nothing and is never late. Parts that meet as they are placed are taken out
//! first: the first of the times duration/2^k, shortest first, at which they are apart by more than roundings hide is
//! where the search begins. Until then they are looked at again and again, no farther on than a quarter of the smaller
//! one's least extent, nor more often than [`MAX_LOOKS`] and [`MAX_DEPTHS`]: have parts that touched come to clash,
//! and is a part that clashed deeper in the other ([`sampled_depth`])?
//! Guarantees: pairs in part order, whatever the number of threads. Not guaranteed: of parts that meet at the start,
//! what happens between two looks until they are found apart, and that what is deeper is found.

use super::path::{Leg, Path};
use crate::Failure;
use crate::check::Assembly;
use crate::check::interference::{Interference, Kind, PlacedPart, decide, met};
use crate::progress::Progress;
use heurt::geometry::{Motion, Pose, Vec3};
use heurt::query::contact_kind::sampled_depth;
use heurt::query::{CastOptions, Impact, cast, overlap};
use heurt::shape::{MeshShape, ShapeRef};
use rayon::prelude::*;
use std::cmp::Ordering;

/// Parts that meet as they are placed are looked for apart after the duration of a leg over two to this and lesser
/// powers.
const HALVINGS: i32 = 40;

/// Parts that meet are looked at so far from each other on their way, in least extents of the smaller one, but no more
/// often than this; those that clash, whose depth takes longer to tell, than that.
const LOOK: f64 = 0.25;
const MAX_LOOKS: f64 = 1024.0;
const MAX_DEPTHS: f64 = 128.0;

/// A part that clashed is deeper in the other by so much of the least extent of the smaller one: beyond what parts that
/// are drawn into each other change as they slide out.
const DEEPER: f64 = 0.1;

/// A moved part and one that stays which meet at the start, or on the way.
#[derive(Debug, Clone)]
pub(crate) struct Encounter {
    /// The moved part.
    pub(crate) moved: usize,
    /// The other.
    pub(crate) still: usize,
    /// How they are placed at the start, where they meet there.
    pub(crate) start: Option<Interference>,
    /// When parts that meet at the start separate, in seconds.
    pub(crate) apart: Option<f64>,
    /// When they meet on the path, from its start.
    pub(crate) impact: Option<Impact>,
    /// The length of the path of the moved part's origin until it ends there.
    pub(crate) travel: Option<f64>,
}

impl Encounter {
    /// Reports whether the way is barred: they meet on it, or never part.
    pub(crate) fn bars(&self) -> bool {
        self.impact.is_some() || self.apart.is_none()
    }

    /// When the way ends because of this, in seconds.
    pub(crate) fn time(&self) -> Option<f64> {
        let never_parts = || (self.apart.is_none() && self.start.is_some()).then_some(0.0);
        self.impact.map(|impact| impact.time).or_else(never_parts)
    }

    /// Where they meet.
    pub(crate) fn place(&self) -> Option<Vec3> {
        let at_start = || self.start.as_ref().map(Interference::place);
        self.impact.map(|impact| impact.point).or_else(at_start)
    }

    /// How they are placed at the start, in a word.
    pub(crate) fn start_word(&self) -> &'static str {
        self.start.as_ref().map_or("clear", |start| start.kind.word())
    }

    /// What ends the way first comes first.
    fn order(&self, other: &Self) -> Ordering {
        let key = |encounter: &Self| encounter.time().unwrap_or(f64::INFINITY);
        key(self).total_cmp(&key(other)).then((self.moved, self.still).cmp(&(other.moved, other.still)))
    }
}

/// What becomes of the parts on their way.
pub(crate) struct Journey {
    /// First what ends the way first.
    pub(crate) encounters: Vec<Encounter>,
    /// How many parts move.
    pub(crate) moved: usize,
    /// How many stay.
    pub(crate) still: usize,
    /// In seconds.
    pub(crate) duration: f64,
    /// Touching pairs that part and were left out.
    pub(crate) ignored: usize,
}

impl Journey {
    /// Leaves out pairs that only touch at the start, and part.
    pub(crate) fn without_touching(mut self) -> Self {
        let before = self.encounters.len();
        self.encounters.retain(|found| found.bars() || found.start_word() != "touching");
        self.ignored = before - self.encounters.len();
        self
    }

    /// What ends the way.
    pub(crate) fn first(&self) -> Option<&Encounter> {
        self.encounters.first().filter(|found| found.bars())
    }
}

/// Moves the parts `moved` of the assembly along `path`, together.
pub(crate) fn travel(assembly: &Assembly, moved: &[usize], path: &Path, quiet: bool) -> Result<Journey, Failure> {
    let still: Vec<usize> = (0..assembly.parts.len()).filter(|part| moved.binary_search(part).is_err()).collect();
    let first = moved.first().map_or(Pose::IDENTITY, |&part| assembly.parts[part].pose);
    let (legs, origin) = (path.legs(&first)?, first.translation());
    let progress = Progress::new("following parts", (moved.len() * still.len()) as u64, quiet);
    let follow_all = |&part: &usize| -> Result<Vec<Encounter>, Failure> {
        let poses = poses(&legs, &assembly.parts[part].pose, origin)?;
        let follow_one = |&other: &usize| {
            let found = follow(assembly, [part, other], &legs, &poses);
            progress.step();
            let with_travel = |found: Encounter| {
                let travel = found.time().map(|time| travel_until(&legs, &poses, time));
                Encounter { travel, ..found }
            };
            found.map(|found| found.map(with_travel))
        };
        // Of several faults the first by part is reported, whichever was found first.
        let found: Vec<Result<_, Failure>> = still.par_iter().map(follow_one).collect();
        Ok(found.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    };
    let found: Vec<Result<_, Failure>> = moved.par_iter().map(follow_all).collect();
    let found = found.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut encounters: Vec<Encounter> = found.into_iter().flatten().collect();
    encounters.sort_by(Encounter::order);
    Ok(Journey { encounters, moved: moved.len(), still: still.len(), duration: path.duration(), ignored: 0 })
}

/// The pose of a part as each leg begins, and its motion during the leg.
fn poses(path: &[Leg], start: &Pose, origin: Vec3) -> Result<Vec<(Pose, Motion)>, Failure> {
    let refuse = |error: &dyn std::error::Error| Failure::NoMotion { reason: error.to_string() };
    let (mut pose, mut frame) = (*start, Pose::from_translation(origin).map_err(|error| refuse(&error))?);
    let mut legs = Vec::with_capacity(path.len());
    for leg in path {
        let motion = leg.motion(&pose, frame.translation()).map_err(|error| refuse(&error))?;
        let of_frame = leg.motion(&frame, frame.translation()).map_err(|error| refuse(&error))?;
        legs.push((pose, motion));
        pose = motion.pose_at(&pose, leg.duration).map_err(|error| refuse(&error))?;
        frame = of_frame.pose_at(&frame, leg.duration).map_err(|error| refuse(&error))?;
    }
    Ok(legs)
}

/// Intervals of Simpson's rule a leg: its error falls with the fourth power, here below 1e-9 of a helix of one turn.
const INTERVALS: u32 = 64;

/// The length of the path of the part's origin until `time`.
fn travel_until(legs: &[Leg], poses: &[(Pose, Motion)], time: f64) -> f64 {
    let (mut travel, mut left) = (0.0, time);
    for (leg, (pose, motion)) in legs.iter().zip(poses) {
        let duration = leg.duration.min(left);
        if duration <= 0.0 {
            break;
        }
        let speed = |time: f64| {
            // The origin rotates around the pivot.
            let arm = motion.pose_at(pose, time).map_or(Vec3::ZERO, |pose| -(*pose.rotation() * motion.pivot()));
            (motion.velocity_at(time) + motion.angular_velocity().cross(arm)).length()
        };
        let width = duration / f64::from(INTERVALS);
        let weighted = |k: u32| {
            let weight = if k == 0 || k == INTERVALS {
                1.0
            } else if k % 2 == 1 {
                4.0
            } else {
                2.0
            };
            weight * speed(width * f64::from(k))
        };
        travel += (0..=INTERVALS).map(weighted).sum::<f64>() * width / 3.0;
        left -= duration;
    }
    travel
}

/// Follows one part past another.
fn follow(
    assembly: &Assembly,
    [moved, still]: [usize; 2],
    path: &[Leg],
    poses: &[(Pose, Motion)],
) -> Result<Option<Encounter>, Failure> {
    let start = decide(assembly, [moved.min(still), moved.max(still)]);
    let (shapes, there) = ([moved, still].map(|part| assembly.shape(part)), &assembly.parts[still].pose);
    let (mut is_clear, mut apart, mut begun) = (start.is_none(), None, 0.0);
    let mut allowed = None;
    for (leg, (pose, motion)) in path.iter().zip(poses) {
        let pair = OnLeg { shapes, pose, motion, there, duration: leg.duration };
        if allowed.is_none()
            && let Some(start) = &start
        {
            allowed = Some(pair.allowed(start.kind));
        }
        let followed = match is_clear {
            true => Some(Separation { moment: 0.0, clear: 0.0, impact: pair.meets_after(0.0)? }),
            false => pair.find_separation()?,
        };
        if !is_clear
            && let Some(allowed) = allowed
            && let Some(clash) = pair.clashes_before(followed.map_or(leg.duration, |found| found.clear), allowed)?
        {
            let impact = Impact { time: begun + clash.time, time_upper: begun + clash.time_upper, ..clash };
            return Ok(Some(Encounter { moved, still, start, apart, impact: Some(impact), travel: None }));
        }
        if let Some(Separation { moment, clear: from, impact }) = followed {
            if !is_clear {
                (is_clear, apart) = (true, Some(begun + moment));
            }
            if let Some(impact) = impact {
                // Never late: two sums are rounded.
                let earliest = (begun + from + impact.time).next_down().next_down().max(0.0);
                let time = if begun + from == 0.0 { impact.time } else { earliest };
                let time_upper = (begun + from + impact.time_upper).next_up().next_up();
                let impact = Impact { time, time_upper, ..impact };
                return Ok(Some(Encounter { moved, still, start, apart, impact: Some(impact), travel: None }));
            }
        }
        begun += leg.duration;
    }
    Ok(start.is_some().then_some(Encounter { moved, still, start, apart, impact: None, travel: None }))
}

/// A part on a leg of its way, and one that stays.
struct OnLeg<'a> {
    /// The moved one first.
    shapes: [&'a MeshShape; 2],
    pose: &'a Pose,
    motion: &'a Motion,
    there: &'a Pose,
    /// In seconds.
    duration: f64,
}

impl OnLeg<'_> {
    /// What they meet from `time` on, at which they are disjoint; its times are counted from then.
    fn meets_after(&self, time: f64) -> Result<Option<Impact>, Failure> {
        let left = self.duration - time;
        if left <= 0.0 {
            return Ok(None);
        }
        let refuse = |reason: String| Failure::NoMotion { reason };
        let pose = self.motion.pose_at(self.pose, time).map_err(|error| refuse(error.to_string()))?;
        let motion = self.motion.after(time).map_err(|error| refuse(error.to_string()))?;
        let options = CastOptions { max_time: left, tolerance: None };
        let found = cast(self.shapes[0], &pose, &motion, self.shapes[1], self.there, &Motion::STILL, &options);
        found.map_err(|error| refuse(error.to_string()))
    }

    /// What parts may come to that meet so at the start.
    fn allowed(&self, start: Kind) -> Allowed {
        match start {
            Kind::Touching => Allowed::Touching,
            _ => Allowed::Depth(depth(&self.placed(self.pose), f64::INFINITY).0 + DEEPER * self.least_extent()),
        }
    }

    /// Of the smaller part.
    fn least_extent(&self) -> f64 {
        let least = self.shapes.map(|shape| (shape.bounds().max - shape.bounds().min).min_element());
        least[0].min(least[1])
    }

    /// Where parts come to more than is allowed before `end`, when they are disjoint or the leg is over, if they do at
    /// any of the places looked at: between that place and the one before.
    fn clashes_before(&self, end: f64, allowed: Allowed) -> Result<Option<Impact>, Failure> {
        let from_pivot = ShapeRef::Mesh(self.shapes[0]).reach() + self.motion.pivot().length();
        let speed = self.motion.velocity().length() + self.motion.acceleration().length() * end;
        let way = (speed + self.motion.angular_velocity().length() * from_pivot) * end;
        let most = if allowed == Allowed::Touching { MAX_LOOKS } else { MAX_DEPTHS };
        // A part without thickness is looked at as often as any.
        let looks = (way / (LOOK * self.least_extent())).ceil().clamp(1.0, most) as u32;
        let mut before = 0.0;
        for look in 1..=looks {
            let time = end * (f64::from(look) / f64::from(looks));
            let pose = self.motion.pose_at(self.pose, time);
            let pose = pose.map_err(|error| Failure::NoMotion { reason: error.to_string() })?;
            if let Some(point) = allowed.exceeded(&self.placed(&pose)) {
                return Ok(Some(Impact { time: before, time_upper: time, point, normal: None, primitives: None }));
            }
            before = time;
        }
        Ok(None)
    }

    fn placed<'a>(&'a self, pose: &'a Pose) -> [PlacedPart<'a>; 2] {
        [(self.shapes[0], pose), (self.shapes[1], self.there)].map(|(shape, pose)| PlacedPart {
            shape,
            pose,
            bounds: ShapeRef::Mesh(shape).bounds_at(pose),
        })
    }

    /// Finds when parts that meet at the start separate, and what they meet after that.
    ///
    /// The first of the times duration/2^k, shortest first, at which they share no point; the moment before it is
    /// bisected. Where they are apart by less than roundings hide, so that they may as well meet at once, a later time
    /// is tried, unless they meet again by then.
    fn find_separation(&self) -> Result<Option<Separation>, Failure> {
        let (mut hidden, mut before) = (None, 0.0);
        for time in (0..=HALVINGS).rev().map(|k| self.duration * 2f64.powi(-k)) {
            if !self.is_apart_at(time) {
                if hidden.is_some() {
                    break;
                }
                before = time;
                continue;
            }
            let impact = self.meets_after(time)?;
            let moment = self.bisect_separation(before, time);
            let found = Separation { moment, clear: time, impact };
            if !impact.is_some_and(|impact| impact.time == 0.0) {
                return Ok(Some(found));
            }
            hidden = hidden.or(Some(found));
        }
        Ok(hidden)
    }

    fn is_apart_at(&self, time: f64) -> bool {
        let pose = self.motion.pose_at(self.pose, time);
        pose.is_ok_and(|pose| overlap(self.shapes[0], &pose, self.shapes[1], self.there).is_none())
    }

    /// The end of the interval, at most 2^-[`HALVINGS`] of it long, in which parts that meet at `before` and are
    /// disjoint at `after` separate; of several such moments, one.
    fn bisect_separation(&self, mut before: f64, mut after: f64) -> f64 {
        for _ in 0..HALVINGS {
            let middle = before + 0.5 * (after - before);
            if middle <= before || middle >= after {
                break;
            }
            match self.is_apart_at(middle) {
                true => after = middle,
                false => before = middle,
            }
        }
        after
    }
}

/// When parts that met separate.
#[derive(Clone, Copy)]
struct Separation {
    /// The moment, bisected; not before it.
    moment: f64,
    /// A time at which they are apart by more than roundings, from which the search for impacts goes on.
    clear: f64,
    /// What they meet after that; its times are counted from there.
    impact: Option<Impact>,
}

/// What parts may come to on their way that meet at the start.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Allowed {
    /// To touch.
    Touching,
    /// To be so deep in each other, in metres.
    Depth(f64),
}

impl Allowed {
    /// Where parts come to more.
    fn exceeded(self, placed: &[PlacedPart<'_>; 2]) -> Option<Vec3> {
        match self {
            Self::Touching => met(placed).filter(|met| met.kind != Kind::Touching).map(|met| met.region.centre()),
            Self::Depth(most) => Some(depth(placed, most)).filter(|(depth, _)| *depth > most).map(|(_, place)| place),
        }
    }
}

/// How deep one is found in the other, and where.
fn depth([a, b]: &[PlacedPart<'_>; 2], enough: f64) -> (f64, Vec3) {
    sampled_depth((a.shape, a.pose), (b.shape, b.pose), enough)
}
