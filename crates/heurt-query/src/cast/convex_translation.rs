//! Cast of two hulls in uniform translation, by one ray through their Minkowski difference.
//!
//! In: moving shapes, a window of time. Out: the [`ContactTime`], that there is none, or a time from which other casts
//! must continue.
//! Method: `convex/portal`, in a frame along the path of B relative to A.
//! Guarantees: as `conservative_advancement`. Undecided: margins and curved cores, hulls that are near at the start or
//! meet at the very end, and hulls too flat or too distant for a decision within rounding.

use super::MovingShape;
use crate::cast::conservative_advancement::{CastGap, ContactTime, TimeWindow};
use crate::convex::portal::{Entry, Passage, PortalDirection, TurnedHull, VelocityFrame, passage};
use crate::motion::approach::{Moment, Mover};
use heurt_bvh::simd::{Kernel, WideIsa, dispatch};
use heurt_geometry::{Vec3, power_of_two_scale};
use heurt_shape::{Convex, Core, Hull, ShapeRef};

/// The result for two shapes in a window.
pub(crate) enum TranslationResult {
    /// The contact, or that there is none.
    Decided(Option<ContactTime>),
    /// A time before which they do not meet.
    Open(f64),
}

/// Casts two shapes, if they are such hulls.
pub(crate) fn straight(a: &MovingShape<'_>, b: &MovingShape<'_>, window: &TimeWindow) -> TranslationResult {
    let open = TranslationResult::Open(window.from);
    let (Some(x), Some(y)) = (sharp_hull(a.shape), sharp_hull(b.shape)) else { return open };
    if !is_straight(&a.mover) || !is_straight(&b.mover) {
        return open;
    }
    dispatch(HullTranslationCast { flying: [a, b], hulls: [x, y], window })
}

/// Reports whether a shape neither rotates nor accelerates.
pub(crate) fn is_straight(mover: &Mover<'_>) -> bool {
    !mover.motion.turns() && mover.motion.acceleration() == Vec3::ZERO
}

fn sharp_hull(shape: ShapeRef<'_>) -> Option<&Hull> {
    match shape {
        ShapeRef::Convex(convex) => sharp(convex),
        _ => None,
    }
}

/// Returns the corners of a convex shape without margin and without a curved face.
pub(crate) fn sharp(convex: &Convex) -> Option<&Hull> {
    match convex.core() {
        Core::Hull(hull) if convex.margin() == 0.0 => Some(hull),
        _ => None,
    }
}

struct HullTranslationCast<'x, 'a> {
    flying: [&'x MovingShape<'a>; 2],
    hulls: [&'x Hull; 2],
    window: &'x TimeWindow,
}

impl Kernel for HullTranslationCast<'_, '_> {
    type Output = TranslationResult;

    #[inline(always)]
    fn run<I: WideIsa>(self, _isa: I) -> TranslationResult {
        let Self { flying: [a, b], hulls: [x, y], window } = self;
        let TimeWindow { from, until, tolerance } = *window;
        let moments = [a.mover.at(0.0), b.mover.at(0.0)];
        let [at_a, at_b] = &moments;
        let across = |side: &MovingShape<'_>, hull: &Hull| {
            hull.max_coordinate() + side.mover.start.max_translation() + side.mover.flight(until)
        };
        let unit = power_of_two_scale(across(a, x) + across(b, y));
        let Some(frame) = VelocityFrame::new((at_b.velocity - at_a.velocity) * unit) else {
            return TranslationResult::Open(from);
        };
        let between = frame.of_world((at_b.pose.translation() - at_a.pose.translation()) * unit);
        let turned = |hull, at: &Moment, place| TurnedHull { hull, turn: frame.turned(&at.pose), at: place, unit };
        let (of_a, of_b) = (turned(x, at_a, Vec3::ZERO), turned(y, at_b, between));
        let rounding = a.mover.rounding(x.max_coordinate(), until) + b.mover.rounding(y.max_coordinate(), until);
        let stretch = 1.0 + 1e-9 + 4.0 * (at_a.pose.defect() + at_b.pose.defect());
        let radius = (x.radius() + y.radius()) * stretch;
        let ray = PortalDirection {
            from: from * frame.speed,
            until: later(until * frame.speed),
            end: later(until * frame.speed),
            tolerance: tolerance * unit,
            // Twice the rounding: of the poses, and of the frame and the products here.
            room: 2.0 * rounding * unit,
            radius: radius * unit,
            first: None,
        };
        match passage(&of_a, &of_b, &ray) {
            Passage::Never(_) => TranslationResult::Decided(None),
            Passage::Open(place) => TranslationResult::Open(earlier(place / frame.speed).clamp(from, until)),
            Passage::Meets(entry) => TranslationResult::Decided(Some(contact_time(&entry, &frame, at_a, unit, until))),
        }
    }
}

/// Rounds a time down by more than its rounding error.
pub(crate) fn earlier(time: f64) -> f64 {
    (time * (1.0 - 4.0 * f64::EPSILON)).next_down()
}

/// Rounds a position or time up by more than its rounding error.
pub(crate) fn later(place: f64) -> f64 {
    (place * (1.0 + 4.0 * f64::EPSILON)).next_up()
}

/// Builds the contact of two shapes of which A is the first.
pub(crate) fn contact_time(entry: &Entry, frame: &VelocityFrame, at_a: &Moment, unit: f64, until: f64) -> ContactTime {
    let time = earlier(entry.least / frame.speed);
    let place = |point: Vec3| frame.to_world(point) / unit + at_a.pose.translation() + at_a.velocity * time;
    let [point_a, point_b] = [entry.on_a, entry.on_b].map(place);
    let normal = frame.to_world(entry.normal);
    let length = (point_b - point_a).dot(normal);
    let gap = CastGap { length, at_least: 0.0, normal, point_a, point_b, primitives: Some([0, 0]) };
    ContactTime { time, upper: (entry.most / frame.speed).min(until), is_met: true, gap }
}
