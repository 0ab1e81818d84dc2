//! First contacts along a path: every moved part against every part that stays.
//!
//! Method: `cast` on each segment, which misses no contact and never reports one late. Pairs that meet as they are
//! placed are separated first. The search for impacts begins at the first of the times duration/2^k, shortest first, at
//! which the parts are separated by more than the rounding error. Before that time the pair is sampled at steps of at
//! most a quarter of the smaller part's least extent, at most [`MAX_LOOKS`] or [`MAX_DEPTHS`] times. Each sample tests
//! whether parts that touched now clash, or parts that clashed are deeper ([`sampled_depth`]).
//! Guarantees: pairs in part order, for any number of threads. Not guaranteed for parts that meet at the start: events
//! between two samples before the separation, and that a greater depth is found.

use super::interference::{Interference, InterferenceKind, PlacedPart, classify_pair, decide};
use super::path::{JourneyPath, PathSegment};
use super::{Assembly, JourneyError};
use heurt_geometry::{Motion, Pose, Vec3};
use heurt_query::contact_kind::sampled_depth;
use heurt_query::{CastOptions, Impact, cast, overlap};
use heurt_shape::{MeshShape, ShapeRef};
use rayon::prelude::*;
use std::cmp::Ordering;

/// Largest k of the times duration/2^k at which the separation of parts that meet as they are placed is tested.
const HALVINGS: i32 = 40;

/// Largest step between samples of parts that meet, in least extents of the smaller part. At most [`MAX_LOOKS`] samples
/// are taken of parts that touch, and [`MAX_DEPTHS`] of parts that clash, whose depth costs more to compute.
const LOOK: f64 = 0.25;
const MAX_LOOKS: f64 = 1024.0;
const MAX_DEPTHS: f64 = 128.0;

/// Allowed increase in depth of parts that clash at the start, in least extents of the smaller part: more than the
/// depth of parts that are drawn into each other changes as they slide out.
const DEEPER: f64 = 0.1;

/// A moved part and a part that stays which meet at the start or on the path.
#[derive(Debug, Clone)]
pub struct Encounter {
    /// The moved part.
    pub moved: usize,
    /// The part that stays.
    pub still: usize,
    /// Interference at the start, if they meet there.
    pub start: Option<Interference>,
    /// Time at which parts that meet at the start separate, in seconds.
    pub separated_at: Option<f64>,
    /// First impact on the path, from its start.
    pub impact: Option<Impact>,
    /// Length of the path of the moved part's origin until the path ends there.
    pub travel: Option<f64>,
}

impl Encounter {
    /// Reports whether the path is blocked: the parts meet on it, or never separate.
    pub fn bars(&self) -> bool {
        self.impact.is_some() || self.separated_at.is_none()
    }

    /// Returns the time at which the path ends because of this encounter, in seconds.
    pub fn time(&self) -> Option<f64> {
        let never_parts = || (self.separated_at.is_none() && self.start.is_some()).then_some(0.0);
        self.impact.map(|impact| impact.time).or_else(never_parts)
    }

    /// Returns a point at which they meet.
    pub fn place(&self) -> Option<Vec3> {
        let at_start = || self.start.as_ref().map(Interference::place);
        self.impact.map(|impact| impact.point).or_else(at_start)
    }

    /// Returns how they are placed at the start, in a word.
    pub fn start_word(&self) -> &'static str {
        self.start.as_ref().map_or("clear", |start| start.kind.word())
    }

    /// Orders encounters by the time at which they end the path, then by part.
    fn order(&self, other: &Self) -> Ordering {
        let key = |encounter: &Self| encounter.time().unwrap_or(f64::INFINITY);
        key(self).total_cmp(&key(other)).then((self.moved, self.still).cmp(&(other.moved, other.still)))
    }
}

/// The result of moving parts along a path.
pub struct Journey {
    /// The encounters, earliest end of the path first.
    pub encounters: Vec<Encounter>,
    /// Number of parts that move.
    pub moved: usize,
    /// Number of parts that stay.
    pub still: usize,
    /// Duration of the path, in seconds.
    pub duration: f64,
    /// Number of touching pairs that separate and were left out.
    pub ignored: usize,
}

impl Journey {
    /// Leaves out pairs that only touch at the start and separate.
    pub fn without_touching(mut self) -> Self {
        let before = self.encounters.len();
        self.encounters.retain(|found| found.bars() || found.start_word() != "touching");
        self.ignored = before - self.encounters.len();
        self
    }

    /// Returns the encounter that ends the path first.
    pub fn first(&self) -> Option<&Encounter> {
        self.encounters.first().filter(|found| found.bars())
    }
}

/// Moves the parts `moved` of the assembly along `path`, together. Calls `on_pair` after each pair of a
/// moved part and one that stays, from any thread.
///
/// # Errors
/// [`JourneyError`] for a number of no part, and for a path that leads beyond the range of motions.
pub fn travel(
    assembly: &Assembly,
    moved: &[usize],
    path: &JourneyPath,
    on_pair: impl Fn() + Sync,
) -> Result<Journey, JourneyError> {
    let mut moved = moved.to_vec();
    moved.sort_unstable();
    moved.dedup();
    let parts = assembly.parts.len();
    if let Some(&part) = moved.last().filter(|part| **part >= parts) {
        return Err(JourneyError::NoSuchPart { part, parts });
    }
    let still: Vec<usize> = (0..parts).filter(|part| moved.binary_search(part).is_err()).collect();
    let first = moved.first().map_or(Pose::IDENTITY, |&part| assembly.parts[part].pose);
    let (segments, origin) = (path.segments(&first)?, first.translation());
    let follow_all = |&part: &usize| -> Result<Vec<Encounter>, JourneyError> {
        let poses = poses(&segments, &assembly.parts[part].pose, origin)?;
        let follow_one = |&other: &usize| {
            let found = follow(assembly, [part, other], &segments, &poses);
            on_pair();
            let with_travel = |found: Encounter| {
                let travel = found.time().map(|time| travel_until(&segments, &poses, time));
                Encounter { travel, ..found }
            };
            found.map(|found| found.map(with_travel))
        };
        // If several parts fail, the error of the first part in part order is reported, for any order of completion.
        let found: Vec<Result<_, JourneyError>> = still.par_iter().map(follow_one).collect();
        Ok(found.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    };
    let found: Vec<Result<_, JourneyError>> = moved.par_iter().map(follow_all).collect();
    let found = found.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut encounters: Vec<Encounter> = found.into_iter().flatten().collect();
    encounters.sort_by(Encounter::order);
    Ok(Journey { encounters, moved: moved.len(), still: still.len(), duration: path.duration(), ignored: 0 })
}

/// Returns the poses of the parts `moved` at a time on the path, in seconds from its start; a later time is its end.
///
/// ```
/// use heurt_assembly::{Assembly, JourneyPath, poses_at};
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_mesh::generate;
/// use heurt_shape::MeshShape;
/// let shapes = vec![MeshShape::new(generate::cuboid([1.0; 3])?)?];
/// let assembly = Assembly::new(shapes, [("cube", 0, Pose::IDENTITY)])?;
/// let path = JourneyPath::straight(Vec3::X * 4.0)?;
/// let poses = poses_at(&assembly, &[0], &path, 0.25)?;
/// assert_eq!(poses[0].1.translation(), Vec3::X);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`JourneyError`] for a number of no part, and for a path that leads beyond the range of motions.
pub fn poses_at(
    assembly: &Assembly,
    moved: &[usize],
    path: &JourneyPath,
    time: f64,
) -> Result<Vec<(usize, Pose)>, JourneyError> {
    let parts = assembly.parts.len();
    if let Some(&part) = moved.iter().find(|part| **part >= parts) {
        return Err(JourneyError::NoSuchPart { part, parts });
    }
    let first = moved.iter().min().map_or(Pose::IDENTITY, |&part| assembly.parts[part].pose);
    let segments = path.segments(&first)?;
    let pose_of = |&part: &usize| -> Result<(usize, Pose), JourneyError> {
        let poses = poses(&segments, &assembly.parts[part].pose, first.translation())?;
        let (mut at, mut left) = (assembly.parts[part].pose, time.max(0.0));
        for (segment, (pose, motion)) in segments.iter().zip(&poses) {
            at = motion.pose_at(pose, segment.duration.min(left))?;
            left -= segment.duration;
            if left <= 0.0 {
                break;
            }
        }
        Ok((part, at))
    };
    moved.iter().map(pose_of).collect()
}

/// Computes the pose of a part at the beginning of each segment, and its motion during the segment.
fn poses(path: &[PathSegment], start: &Pose, origin: Vec3) -> Result<Vec<(Pose, Motion)>, JourneyError> {
    let (mut pose, mut frame) = (*start, Pose::from_translation(origin)?);
    let mut segments = Vec::with_capacity(path.len());
    for segment in path {
        let motion = segment.motion(&pose, frame.translation())?;
        let of_frame = segment.motion(&frame, frame.translation())?;
        segments.push((pose, motion));
        pose = motion.pose_at(&pose, segment.duration)?;
        frame = of_frame.pose_at(&frame, segment.duration)?;
    }
    Ok(segments)
}

/// Intervals of Simpson's rule for each segment: its error falls with the fourth power, here below 1e-9 of a helix of
/// one turn.
const INTERVALS: u32 = 64;

/// Computes the length of the path of the part's origin until `time`.
fn travel_until(segments: &[PathSegment], poses: &[(Pose, Motion)], time: f64) -> f64 {
    let (mut travel, mut left) = (0.0, time);
    for (segment, (pose, motion)) in segments.iter().zip(poses) {
        let duration = segment.duration.min(left);
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

/// Finds the encounter of a moved part with a part that stays.
fn follow(
    assembly: &Assembly,
    [moved, still]: [usize; 2],
    path: &[PathSegment],
    poses: &[(Pose, Motion)],
) -> Result<Option<Encounter>, JourneyError> {
    let start = decide(assembly, [moved.min(still), moved.max(still)]);
    let (shapes, there) = ([moved, still].map(|part| assembly.shape(part)), &assembly.parts[still].pose);
    let (mut is_clear, mut separated_at, mut begun) = (start.is_none(), None, 0.0);
    let mut allowed = None;
    for (segment, (pose, motion)) in path.iter().zip(poses) {
        let pair = SegmentPair { shapes, pose, motion, there, duration: segment.duration };
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
            && let Some(clash) = pair.clashes_before(followed.map_or(segment.duration, |found| found.clear), allowed)?
        {
            let impact = Impact { time: begun + clash.time, time_upper: begun + clash.time_upper, ..clash };
            return Ok(Some(Encounter { moved, still, start, separated_at, impact: Some(impact), travel: None }));
        }
        if let Some(Separation { moment, clear: from, impact }) = followed {
            if !is_clear {
                (is_clear, separated_at) = (true, Some(begun + moment));
            }
            if let Some(impact) = impact {
                // Two sums are rounded; two steps down keep the time a lower bound.
                let earliest = (begun + from + impact.time).next_down().next_down().max(0.0);
                let time = if begun + from == 0.0 { impact.time } else { earliest };
                let time_upper = (begun + from + impact.time_upper).next_up().next_up();
                let impact = Impact { time, time_upper, ..impact };
                return Ok(Some(Encounter { moved, still, start, separated_at, impact: Some(impact), travel: None }));
            }
        }
        begun += segment.duration;
    }
    Ok(start.is_some().then_some(Encounter { moved, still, start, separated_at, impact: None, travel: None }))
}

/// A part on a segment of its path, and a part that stays.
struct SegmentPair<'a> {
    /// The moved shape first.
    shapes: [&'a MeshShape; 2],
    pose: &'a Pose,
    motion: &'a Motion,
    there: &'a Pose,
    /// Duration of the segment, in seconds.
    duration: f64,
}

impl SegmentPair<'_> {
    /// Finds the first impact after `time`, at which the parts are disjoint. Its times are counted from `time`.
    fn meets_after(&self, time: f64) -> Result<Option<Impact>, JourneyError> {
        let left = self.duration - time;
        if left <= 0.0 {
            return Ok(None);
        }
        let pose = self.motion.pose_at(self.pose, time)?;
        let motion = self.motion.after(time)?;
        let options = CastOptions { max_time: left, tolerance: None };
        let found = cast(self.shapes[0], &pose, &motion, self.shapes[1], self.there, &Motion::STILL, &options);
        Ok(found?)
    }

    /// Returns the greatest contact that parts may have on the path if they meet like this at the start.
    fn allowed(&self, start: InterferenceKind) -> Allowed {
        match start {
            InterferenceKind::Touching => Allowed::Touching,
            _ => Allowed::Depth(depth(&self.placed(self.pose), f64::INFINITY).0 + DEEPER * self.least_extent()),
        }
    }

    /// Returns the least extent of the smaller part.
    fn least_extent(&self) -> f64 {
        let least = self.shapes.map(|shape| (shape.bounds().max - shape.bounds().min).min_element());
        least[0].min(least[1])
    }

    /// Finds a sample before `end` at which the parts exceed the allowed contact. `end` is when they are disjoint, or
    /// the end of the segment. The impact lies between this sample and the previous sample.
    fn clashes_before(&self, end: f64, allowed: Allowed) -> Result<Option<Impact>, JourneyError> {
        let from_pivot = ShapeRef::Mesh(self.shapes[0]).max_coordinate() + self.motion.pivot().length();
        let speed = self.motion.velocity().length() + self.motion.acceleration().length() * end;
        let path_length = (speed + self.motion.angular_velocity().length() * from_pivot) * end;
        let most = if allowed == Allowed::Touching { MAX_LOOKS } else { MAX_DEPTHS };
        // A part without thickness makes this quotient infinite: `clamp` then takes `most`.
        let looks = (path_length / (LOOK * self.least_extent())).ceil().clamp(1.0, most) as u32;
        let mut before = 0.0;
        for look in 1..=looks {
            let time = end * (f64::from(look) / f64::from(looks));
            let pose = self.motion.pose_at(self.pose, time)?;
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

    /// Finds when parts that meet at the start separate, and their first impact after that.
    ///
    /// Takes the first of the times duration/2^k, shortest first, at which the parts share no point, and bisects the
    /// moment before it. If the separation is within the rounding error, so that `cast` reports an impact at once, the
    /// next time is tried, unless the parts meet again by then.
    fn find_separation(&self) -> Result<Option<Separation>, JourneyError> {
        let (mut hidden, mut before) = (None, 0.0);
        for time in (0..=HALVINGS).rev().map(|k| self.duration * 2f64.powi(-k)) {
            if !self.is_separated_at(time) {
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

    fn is_separated_at(&self, time: f64) -> bool {
        let pose = self.motion.pose_at(self.pose, time);
        pose.is_ok_and(|pose| overlap(self.shapes[0], &pose, self.shapes[1], self.there).is_none())
    }

    /// Bisects for the moment at which parts that meet at `before` and are disjoint at `after` separate. Returns the
    /// end of an interval of at most 2^-[`HALVINGS`] of the given one; any of several such moments.
    fn bisect_separation(&self, mut before: f64, mut after: f64) -> f64 {
        for _ in 0..HALVINGS {
            let middle = before + 0.5 * (after - before);
            if middle <= before || middle >= after {
                break;
            }
            match self.is_separated_at(middle) {
                true => after = middle,
                false => before = middle,
            }
        }
        after
    }
}

/// The separation of parts that met.
#[derive(Clone, Copy)]
struct Separation {
    /// The bisected moment of separation; not before it.
    moment: f64,
    /// A time at which the parts are separated by more than the rounding error; the search for impacts starts here.
    clear: f64,
    /// The first impact after `clear`; its times are counted from there.
    impact: Option<Impact>,
}

/// The greatest contact that parts which meet at the start may have on the path.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Allowed {
    /// Touching.
    Touching,
    /// This depth, in metres.
    Depth(f64),
}

impl Allowed {
    /// Returns a point of the parts if they exceed the allowed contact.
    fn exceeded(self, placed: &[PlacedPart<'_>; 2]) -> Option<Vec3> {
        match self {
            Self::Touching => classify_pair(placed)
                .filter(|met| met.kind != InterferenceKind::Touching)
                .map(|met| met.region.centre()),
            Self::Depth(most) => Some(depth(placed, most)).filter(|(depth, _)| *depth > most).map(|(_, place)| place),
        }
    }
}

/// Computes the depth of the parts that sampling finds, and its point.
fn depth([a, b]: &[PlacedPart<'_>; 2], enough: f64) -> (f64, Vec3) {
    sampled_depth((a.shape, a.pose), (b.shape, b.pose), enough)
}
