//! The simple ways to ask about a motion (S0 §6.3), for comparison and where an answer to "at all?" is enough: the hull
//! of the start and the end, and samples.
//!
//! Guarantees: the hull holds all that is swept over, if it is grown by what paths bend, so that [`Swept::Free`] is
//! certain; it is no more than what is swept over only where a convex shape translates straight on, and then
//! [`Swept::Touched`] is certain, too. Samples miss what is touched between them, by no more than half a step deep.

use super::check;
use crate::answer::cast::CastError;
use crate::cast::convex_convex::CastOperand;
use crate::motion::approach::Mover;
use crate::overlap::overlap;
use heurt_geometry::{Motion, Pose, Vec3};
use heurt_shape::{Convex, ConvexError, Core, ShapeRef};
use thiserror::Error;

/// What the volume that a shape sweeps over tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swept {
    /// The shapes do not touch at any time.
    Free,
    /// They do.
    Touched,
    /// They may: the other shape lies in the hull of what is swept over.
    Unproven,
}

/// Why a volume cannot be swept over.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SweptError {
    /// The motion is refused.
    #[error(transparent)]
    Motion(#[from] CastError),
    /// Only corners span a hull.
    #[error("a curved shape or a half-space has no corners to sweep: ask `cast`")]
    NoCorners,
    /// The hull leaves the range of numbers.
    #[error(transparent)]
    Hull(#[from] ConvexError),
}

/// Reports whether a polyhedron that moves for `duration` seconds, rounded or not, may touch a shape that stands still:
/// by the hull of its corners at the start and at the end, grown by what their paths bend (S0 §6.3).
///
/// ```
/// use heurt_geometry::{Motion, Pose, Vec3};
/// use heurt_query::{Swept, swept_overlap};
/// use heurt_shape::Convex;
/// let (needle, sheet) = (Convex::segment([Vec3::ZERO, Vec3::Z])?, Convex::cuboid(Vec3::new(1.0, 1.0, 0.0))?);
/// let down = Motion::linear(-5.0 * Vec3::Z)?;
/// let above = Pose::from_translation(2.0 * Vec3::Z)?;
/// assert_eq!(swept_overlap(&needle, &above, &down, 1.0, &sheet, &Pose::IDENTITY)?, Swept::Touched);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SweptError`] for shapes without corners, and as [`crate::cast()`].
pub fn swept_overlap<'b>(
    a: &Convex,
    pose_a: &Pose,
    motion: &Motion,
    duration: f64,
    b: impl Into<ShapeRef<'b>>,
    pose_b: &Pose,
) -> Result<Swept, SweptError> {
    let Core::Hull(hull) = a.core() else { return Err(SweptError::NoCorners) };
    let side = side('A', a.into(), pose_a, motion, duration)?;
    let end = side.mover.at(duration).pose;
    let points = || hull.corners().iter().chain(hull.loose());
    let places: Vec<Vec3> = [*pose_a, end].iter().flat_map(|pose| points().map(|&point| pose.place(point))).collect();
    let bend = motion.bend(side.from_axis, duration);
    let swept = Convex::hull(&places)?.with_margin(a.margin())?.with_margin(bend)?;
    let b: ShapeRef<'_> = b.into();
    Ok(match overlap(ShapeRef::Convex(&swept), &Pose::IDENTITY, b, pose_b) {
        None => Swept::Free,
        Some(_) if bend == 0.0 => Swept::Touched,
        Some(_) => Swept::Unproven,
    })
}

/// Finds the first of many times at which two shapes overlap; no point moves farther than `step` metres against the
/// other shape from one to the next. Not certain: what is touched between two of them is missed ([`crate::cast()`]
/// misses nothing).
///
/// # Errors
/// As [`crate::cast()`], with the step as tolerance; [`CastError::TooManySamples`] for a step that takes more than a
/// billion.
#[allow(clippy::too_many_arguments, reason = "two shapes that move, for how long, how closely")]
pub fn cast_by_samples<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    motion_a: &Motion,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    motion_b: &Motion,
    max_time: f64,
    step: f64,
) -> Result<Option<f64>, CastError> {
    let sides = [side('A', a.into(), pose_a, motion_a, max_time)?, side('B', b.into(), pose_b, motion_b, max_time)?];
    let fastest = |side: &CastOperand<'_>| {
        let motion = side.mover.motion;
        let flown = motion.velocity().length() + motion.acceleration().length() * max_time;
        flown + motion.angular_velocity().length() * side.from_axis
    };
    let samples = (sides.iter().map(fastest).sum::<f64>() * max_time / step).ceil().max(1.0);
    if !(step > 0.0 && step.is_finite()) {
        return Err(CastError::Tolerance(step));
    }
    if samples.is_nan() || samples > 1e9 {
        return Err(CastError::TooManySamples { step, samples });
    }
    let overlap_at = |time: &f64| {
        let [a, b] = sides.each_ref().map(|side| (side.shape, side.mover.at(*time).pose));
        overlap(a.0, &a.1, b.0, &b.1).is_some()
    };
    Ok((0..=samples as u64).map(|k| max_time * (k as f64 / samples)).find(overlap_at))
}

fn side<'a>(
    name: char,
    shape: ShapeRef<'a>,
    start: &'a Pose,
    motion: &'a Motion,
    duration: f64,
) -> Result<CastOperand<'a>, CastError> {
    if !(duration > 0.0 && duration.is_finite()) {
        return Err(CastError::MaxTime(duration));
    }
    let mover = Mover { start, motion, part: None };
    check(name, &mover, shape, duration)?;
    Ok(CastOperand::new(shape, mover))
}
