//! `cast`: when do two shapes that move touch first?
//!
//! In: shapes, their poses at time 0, their [`Motion`]s, how long to look. Out: [`Impact`], `None` where they provably
//! do not touch.
//! Method: S0 §2.5 and §6.3. Conservative advancement (`conservative_advancement`): of convex shapes as they are
//! (`convex_convex`), of meshes in one walk over both trees in which each pair of volumes has its own clock
//! (`mesh_mesh`); compounds by a walk over their parts (`compound`), superquadrics by branch and bound over their
//! patches (`superquadric`).
//! Guarantees: no contact is missed and no time is late, for all rotations at any speed. Early by no more than the
//! tolerance, unless the bound of work runs out (what turns hundreds of times while it passes by, superquadrics that
//! come near others all along a curve); then `time_upper` is a later time at which they meet, or the end.
//! Not guaranteed: that shapes touch which come as near as roundings without.

mod compound;
mod conservative_advancement;
mod convex_convex;
mod convex_translation;
mod hull_slabs;
mod mesh_hull;
mod mesh_hull_reject;
mod mesh_mesh;
mod moving_frames;
mod sampled;
mod separating_axes;
mod superquadric;
mod triangle_convex;
mod triangle_time_bounds;
mod triangle_triangle;

pub use crate::answer::cast::{CastError, CastLimit, CastOptions, Impact};
pub use sampled::{Swept, SweptError, cast_by_samples, swept_overlap};
pub use separating_axes::{Passing, cast_by_separating_axes, passage_by_separating_axes};

use crate::answer::budget::{Answer, Budget, Budgeted, WorkMeter};
use crate::answer::distance::without_margin;
use crate::answer::placed::Placed;
use crate::distance::distance_metered;
use crate::motion::approach::Mover;
use crate::overlap::overlap_metered;
use compound::{meeting_of_parts, parts_on_half_space};
use conservative_advancement::{CastGap, ContactTime, Effort, STEPS_OF_ALL, TimeWindow, advance};
use convex_convex::{CastOperand, ConvexCast};
use convex_translation::{TranslationResult, straight};
use heurt_bvh::Work;
use heurt_geometry::{Motion, Pose, Vec3};
use heurt_shape::ShapeRef;
use mesh_hull::{HullCastPlan, straight_through};
use mesh_mesh::{Moving, Pieces, first_meeting};
use superquadric::meeting_of_patches;

/// Squares of what is farther overflow.
const FARTHEST: f64 = 1e150;

/// A moving shape.
#[derive(Clone, Copy)]
struct MovingShape<'a> {
    shape: ShapeRef<'a>,
    mover: Mover<'a>,
}

impl<'a> MovingShape<'a> {
    /// A whole shape, from where it starts.
    fn new(shape: ShapeRef<'a>, start: &'a Pose, motion: &'a Motion) -> Self {
        Self { shape, mover: Mover { start, motion, part: None } }
    }
}

/// Finds when two shapes touch first that start at their poses and move: at time 0 if they overlap at the start, never
/// if they are disjoint and at rest.
///
/// ```
/// use heurt_geometry::{Motion, Pose, Vec3};
/// use heurt_query::{CastOptions, cast};
/// use heurt_shape::Convex;
/// let (bullet, plate) = (Convex::sphere(0.005)?, Convex::cuboid(Vec3::new(1.0, 1.0, 0.001))?);
/// let above = Pose::from_translation(Vec3::new(0.0, 0.0, 1.0))?;
/// let shot = Motion::linear(Vec3::new(0.0, 0.0, -900.0))?;
/// let hit = cast(&bullet, &above, &shot, &plate, &Pose::IDENTITY, &Motion::STILL, &CastOptions::default())?;
/// assert!((hit.expect("it does not pass through").time - 0.994 / 900.0).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`CastError`] for times and tolerances that are none, and motions that leave the range of numbers.
pub fn cast<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    motion_a: &Motion,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    motion_b: &Motion,
    options: &CastOptions,
) -> Result<Option<Impact>, CastError> {
    let (a, b) = (MovingShape::new(a.into(), pose_a, motion_a), MovingShape::new(b.into(), pose_b, motion_b));
    Ok(cast_metered(a, b, window(&a, &b, options)?, &WorkMeter::default()))
}

/// Computes [`cast()`] within a budget, with the work done. [`Budgeted::Partial`] has a time in seconds, at least 0,
/// before which the shapes provably do not touch; it is not known whether they touch later.
///
/// The budget is tested between pairs of volumes, steps of a pair of primitives, parts of compounds and patches of
/// superquadrics.
///
/// ```
/// use heurt_geometry::{Motion, Pose, Vec3};
/// use heurt_query::{Budget, Budgeted, CastOptions, cast_with};
/// use heurt_shape::MeshShape;
/// let ball = MeshShape::new(heurt_mesh::generate::octasphere(1.0, 40)?)?;
/// let (here, far) = (Pose::IDENTITY, Pose::from_translation(Vec3::X * 3.0)?);
/// let (still, thrown) = (Motion::STILL, Motion::screw(Vec3::X * -2.0, Vec3::Y * 3.0)?);
/// let few = Budget { work: Some(200), ..Budget::default() };
/// let found = cast_with(&ball, &here, &still, &ball, &far, &thrown, &CastOptions::default(), &few)?;
/// assert!(matches!(found.outcome, Budgeted::Partial(free) if free > 0.1 && free < 0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`cast()`].
#[allow(clippy::too_many_arguments, reason = "two shapes that move, for how long, at what cost")]
pub fn cast_with<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    motion_a: &Motion,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    motion_b: &Motion,
    options: &CastOptions,
    budget: &Budget<'_>,
) -> Result<Answer<Option<Impact>, f64>, CastError> {
    let (a, b) = (MovingShape::new(a.into(), pose_a, motion_a), MovingShape::new(b.into(), pose_b, motion_b));
    let (window, meter) = (window(&a, &b, options)?, WorkMeter::of(budget));
    if meter.is_exhausted() {
        return Ok(Answer { outcome: Budgeted::Partial(0.0), work: Work::default() });
    }
    let found = cast_metered(a, b, window, &meter);
    let outcome = match meter.was_interrupted() {
        true => Budgeted::Partial(found.map_or(0.0, |impact| impact.time)),
        false => Budgeted::Complete(found),
    };
    Ok(Answer { outcome, work: meter.done() })
}

/// When two shapes touch first; where nothing is left to spend before that is reported, until when they provably do
/// not.
fn cast_metered(a: MovingShape<'_>, b: MovingShape<'_>, window: TimeWindow, meter: &WorkMeter<'_>) -> Option<Impact> {
    // Convex shapes decide by their first gap.
    let are_convex = matches!((a.shape, b.shape), (ShapeRef::Convex(_), ShapeRef::Convex(_)));
    let sight = straight_through(&a, &b, window, meter);
    if let HullCastPlan::Disjoint = sight {
        return None;
    }
    let may_overlap = if let HullCastPlan::Near(straight) = &sight { straight.is_near() } else { !are_convex };
    if may_overlap {
        let witness = overlap_metered(Placed::new(a.shape, a.mover.start), Placed::new(b.shape, b.mover.start), meter);
        if witness.is_some() {
            return at_the_start(&a, &b, meter);
        }
        if meter.was_interrupted() {
            return None;
        }
    }
    let (met, is_proved) = match sight {
        HullCastPlan::Near(straight) => straight.walked(),
        _ => (meeting(a, b, window, meter), are_convex),
    };
    let confirm = |met: ContactTime| {
        let upper = if met.is_met { met.upper } else { sooner(&a, &b, &met, meter) };
        ContactTime { upper: confirmed(&a, &b, upper, window.until, meter), ..met }
    };
    let met = met.map(|met| if is_proved || meter.was_interrupted() { met } else { confirm(met) });
    met.map(|met| impact(&met))
}

/// Whether the shapes share a point at some time.
fn overlap_at(a: &MovingShape<'_>, b: &MovingShape<'_>, time: f64, meter: &WorkMeter<'_>) -> bool {
    let poses = [a, b].map(|side| side.mover.at(time).pose);
    overlap_metered(Placed::new(a.shape, &poses[0]), Placed::new(b.shape, &poses[1]), meter).is_some()
}

/// The part of the time that is left which is waited first for shapes to overlap.
const SOON: f64 = 1.0 / (1u64 << 40) as f64;

/// The upper bound where no pair of primitives is known to meet, as a point that passes through a triangle never does
/// by numbers: earlier if the shapes overlap, as solids do behind their surfaces.
fn sooner(a: &MovingShape<'_>, b: &MovingShape<'_>, met: &ContactTime, meter: &WorkMeter<'_>) -> f64 {
    let left = met.upper - met.time;
    let mut pause = left * SOON;
    while pause < left && !meter.was_interrupted() {
        let at = met.time + pause;
        if overlap_at(a, b, at, meter) {
            return at;
        }
        pause *= 2.0;
    }
    met.upper
}

/// The upper bound, or a little later, where `overlap` states so, too: of pieces with margins or curved ones the shapes
/// may round otherwise.
fn confirmed(a: &MovingShape<'_>, b: &MovingShape<'_>, upper: f64, until: f64, meter: &WorkMeter<'_>) -> f64 {
    let mut at = upper;
    let mut pause = (f64::EPSILON * until).max(f64::MIN_POSITIVE);
    while at < until && !meter.was_interrupted() && !overlap_at(a, b, at, meter) {
        at = upper + pause;
        pause *= 2.0;
    }
    at.min(until)
}

/// The impact of shapes that overlap before they move; `None` if nothing is left to spend.
fn at_the_start(a: &MovingShape<'_>, b: &MovingShape<'_>, meter: &WorkMeter<'_>) -> Option<Impact> {
    let found = distance_metered(
        Placed::new(a.shape, a.mover.start),
        Placed::new(b.shape, b.mover.start),
        f64::INFINITY,
        meter,
    );
    let Budgeted::Complete(Some(found)) = found else { return None };
    Some(Impact { time: 0.0, time_upper: 0.0, point: found.point_a, normal: None, primitives: found.primitives })
}

fn impact(met: &ContactTime) -> Impact {
    let CastGap { normal, point_a, point_b, primitives, .. } = met.gap;
    let normal = Some(normal).filter(|&normal| normal != Vec3::ZERO);
    Impact { time: met.time, time_upper: met.upper, point: (point_a + point_b) * 0.5, normal, primitives }
}

fn window(a: &MovingShape<'_>, b: &MovingShape<'_>, options: &CastOptions) -> Result<TimeWindow, CastError> {
    let CastOptions { max_time, tolerance } = *options;
    if !(max_time > 0.0 && max_time <= FARTHEST) {
        return Err(CastError::MaxTime(max_time));
    }
    for (flying, name) in [(a, 'A'), (b, 'B')] {
        check(name, &flying.mover, flying.shape, max_time)?;
    }
    let turns = a.mover.motion.turns() || b.mover.motion.turns();
    if a.shape.is_half_space() && b.shape.is_half_space() && turns {
        return Err(CastError::TurningHalfSpaces);
    }
    let size = |shape: ShapeRef<'_>| {
        let size = shape.bounds().half_extents().max_element();
        if size.is_finite() { 2.0 * size } else { 0.0 }
    };
    // Two points have no size; then the spacing of numbers there is taken.
    let least = f64::EPSILON * (a.mover.start.max_translation() + b.mover.start.max_translation()) + f64::MIN_POSITIVE;
    let tolerance = tolerance.unwrap_or_else(|| (1e-6 * size(a.shape).max(size(b.shape))).max(least));
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return Err(CastError::Tolerance(tolerance));
    }
    Ok(TimeWindow { from: 0.0, until: max_time, tolerance })
}

/// Refuses motions that leave the range of numbers.
fn check(name: char, mover: &Mover<'_>, shape: ShapeRef<'_>, time: f64) -> Result<(), CastError> {
    let (motion, reach) = (mover.motion, shape.max_coordinate());
    // Sums of magnitudes are above lengths, and cheaper.
    let [velocity, acceleration, pivot, spin] =
        [motion.velocity(), motion.acceleration(), motion.pivot(), motion.angular_velocity()]
            .map(|v| v.abs().element_sum());
    if (velocity + acceleration * time + spin) * time + pivot + mover.start.max_translation() + reach <= FARTHEST {
        return Ok(());
    }
    let (pivot, spin) = (motion.pivot().length(), motion.angular_velocity().length());
    let extents = [
        (CastLimit::Flight, mover.flight(time)),
        (CastLimit::Pivot, pivot),
        (CastLimit::Turn, spin * time),
        (CastLimit::Start, mover.start.max_translation()),
        (CastLimit::Reach, reach),
    ];
    match extents.into_iter().find(|(_, value)| value.is_nan() || *value > FARTHEST) {
        Some((what, value)) => Err(CastError::TooFar { shape: name, what, value, time }),
        None => Ok(()),
    }
}

/// Finds when two shapes meet first that do not at the beginning of the window.
fn meeting(a: MovingShape<'_>, b: MovingShape<'_>, window: TimeWindow, meter: &WorkMeter<'_>) -> Option<ContactTime> {
    match (a.shape, b.shape) {
        (ShapeRef::Compound(compound), _) if b.shape.is_half_space() => {
            parts_on_half_space(compound, 0, [a, b], window, meter)
        }
        (_, ShapeRef::Compound(compound)) if a.shape.is_half_space() => {
            parts_on_half_space(compound, 1, [a, b], window, meter)
        }
        (ShapeRef::Compound(_), _) | (_, ShapeRef::Compound(_)) => meeting_of_parts(&a, &b, window, meter),
        (ShapeRef::Convex(_), ShapeRef::Convex(_)) => whole(&a, &b, window, meter),
        _ if a.shape.is_half_space() || b.shape.is_half_space() => whole(&a, &b, window, meter),
        (ShapeRef::Superquadric(_), _) | (_, ShapeRef::Superquadric(_)) => meeting_of_patches(&a, &b, window, meter),
        _ => match straight_through(&a, &b, window, meter) {
            HullCastPlan::Near(straight) => straight.walked().0,
            HullCastPlan::Disjoint => None,
            HullCastPlan::Other => first_meeting(moving(a), moving(b), window, meter),
        },
    }
}

fn whole(a: &MovingShape<'_>, b: &MovingShape<'_>, window: TimeWindow, meter: &WorkMeter<'_>) -> Option<ContactTime> {
    let window = match straight(a, b, &window) {
        TranslationResult::Decided(met) => {
            meter.add_pair();
            return met;
        }
        TranslationResult::Open(from) => TimeWindow { from, ..window },
    };
    let mut sides = [CastOperand::new(a.shape, a.mover), CastOperand::new(b.shape, b.mover)];
    for k in 0..2 {
        if sides[k].shape.is_half_space() {
            // No point counts that is farther away than the second shape ever gets.
            let [own, other] = [&sides[k], &sides[1 - k]];
            let between = own.mover.at(0.0).pivot - other.mover.at(0.0).pivot;
            let distances = own.mover.flight(window.until) + other.mover.flight(window.until);
            sides[k].from_axis = (between.length() + distances + other.from_axis) * (1.0 + 1e-9);
        }
    }
    let mut pair = ConvexCast::new(sides);
    let from = pair.begin_straight(&window).unwrap_or(Some(window.from))?;
    advance(&mut pair, TimeWindow { from, ..window }, &mut Effort { steps: STEPS_OF_ALL, meter })
}

/// A bounded shape that is no compound, as a tree is walked over it.
fn moving(flying: MovingShape<'_>) -> Moving<'_> {
    let (shape, margin) = without_margin(flying.shape);
    let (pieces, margin) = match shape {
        ShapeRef::Mesh(mesh) => (Pieces::Triangles(mesh), margin),
        ShapeRef::Convex(convex) => (Pieces::One(convex), convex.margin()),
        ShapeRef::Compound(_) | ShapeRef::Rounded(_) => unreachable!("taken apart before"),
        ShapeRef::Superquadric(_) => unreachable!("asked patch by patch"),
    };
    Moving { pieces, mover: flying.mover, margin }
}
