//! Simple motion queries (S0 §6.3), for comparison and if only the existence of a contact matters: the hull of start
//! and end, and samples.
//!
//! Guarantees: the hull contains the swept volume if it is grown by the curvature of paths, so [`Swept::Free`] is
//! certain. It equals the swept volume only if a convex shape translates along a straight line; then
//! [`Swept::Touched`] is certain, too. Samples miss contacts between them, by at most half a step in depth.

use super::check;
use crate::answer::cast::CastError;
use crate::cast::convex_convex::CastOperand;
use crate::motion::approach::Mover;
use crate::overlap::overlap;
use heurt_geometry::{Motion, Pose, Vec3};
use heurt_shape::{Convex, ConvexError, Core, ShapeRef};
use thiserror::Error;

/// The result of a test of the swept volume of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swept {
    /// The shapes do not touch at any time.
    Free,
    /// The shapes touch.
    Touched,
    /// They may touch: the second shape meets the hull of the swept volume.
    Unproven,
}

/// Errors of a swept volume.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SweptError {
    /// A motion that is rejected.
    #[error(transparent)]
    Motion(#[from] CastError),
    /// A shape without corners: only corners span a hull.
    #[error("a curved shape or a half-space has no corners to sweep: ask `cast`")]
    NoCorners,
    /// A hull that leaves the range of numbers.
    #[error(transparent)]
    Hull(#[from] ConvexError),
}

/// Reports whether a polyhedron that moves for `duration` seconds, rounded or not, may touch a shape at rest: by the
/// hull of its corners at the start and at the end, grown by the curvature of their paths (S0 §6.3).
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

/// Finds the first sampled time at which two shapes overlap. Between samples no point moves farther than `step` metres
/// relative to the second shape. Not certain: contacts between two samples are missed ([`crate::cast()`] misses
/// nothing).
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
