//! First impact of two rigid bodies within a step, and the velocity at an impact.
//!
//! In: two bodies, disjoint as the step begins, with their motions. Out: the first [`Impact`], in seconds from the
//! start of the step.
//! Method: `heurt_query::cast`, segment by segment of both motions.
//! Guarantees: no impact is missed and no time is late.
//! Not guaranteed: two half-spaces, one of which turns, are only tested as the step ends.

use crate::body::Body;
use crate::contact::interpolate_at;
use crate::step::pairs::UndecidedPair;
use crate::step::step_motion::{StepMotion, pieces};
use crate::step::swept::SweptSurfaces;
use heurt_geometry::{Motion, Vec3};
use heurt_query::{Budget, Budgeted, CastError, CastOptions, Impact, cast_with};
use std::cell::Cell;

/// Reports whether a step has time left, if it has to end in time.
pub(crate) type SearchEnd<'a> = Option<&'a (dyn Fn() -> bool + Sync)>;

/// Calls between two readings of a clock: a reading takes as long as some pairs of volumes.
const LOOKS: u32 = 16;

/// Tests whether the time is over, by a clock that is read at every 16th call.
pub(crate) fn poll_rarely(goes_on: &dyn Fn() -> bool) -> impl Fn() -> bool {
    let looks = Cell::new(0u32);
    move || {
        looks.set(looks.get() + 1);
        looks.get().is_multiple_of(LOOKS) && !goes_on()
    }
}

/// A body in a step.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    pub body: &'a Body,
    pub flight: &'a StepMotion,
    /// Over the whole step.
    pub swept: Option<&'a SweptSurfaces>,
}

/// Finds when two rigid bodies come to touch that are disjoint as a window of the step begins, in seconds from the
/// start of the step: segment by segment, until the time is over. `tolerance` as in [`CastOptions`].
pub(crate) fn rigid_impact(
    Side { body: a, flight: of_a, .. }: Side<'_>,
    Side { body: b, flight: of_b, .. }: Side<'_>,
    [from, dt]: [f64; 2],
    tolerance: Option<f64>,
    until: SearchEnd<'_>,
) -> Result<Option<Impact>, UndecidedPair> {
    let over = until.map(|goes_on| move || !goes_on());
    let budget = Budget { work: None, is_over: over.as_ref().map(|over| over as &dyn Fn() -> bool) };
    for [begun, until] in pieces([of_a, of_b], dt) {
        let begun = begun.max(from);
        if begun >= until {
            continue;
        }
        let ((pose_a, motion_a), (pose_b, motion_b)) = (of_a.at(begun), of_b.at(begun));
        if motion_a == Motion::STILL && motion_b == Motion::STILL {
            continue;
        }
        let options = CastOptions { max_time: until - begun, tolerance };
        let found = cast_with(&a.shape, &pose_a, &motion_a, &b.shape, &pose_b, &motion_b, &options, &budget);
        match found.map(|answer| answer.outcome) {
            Ok(Budgeted::Complete(None)) | Err(CastError::TurningHalfSpaces) => {}
            Ok(Budgeted::Complete(Some(impact))) if begun == 0.0 => return Ok(Some(impact)),
            Ok(Budgeted::Partial(_)) => return Err(UndecidedPair::Interrupted),
            Ok(Budgeted::Complete(Some(impact))) => {
                let time = (begun + impact.time).next_down();
                return Ok(Some(Impact { time, time_upper: (begun + impact.time_upper).next_up(), ..impact }));
            }
            Err(_) => return Err(UndecidedPair::Unable),
        }
    }
    Ok(None)
}

/// The velocity of B relative to A at their first impact.
pub(crate) fn velocity_at_impact(sides: [Side<'_>; 2], impact: &Impact, dt: f64) -> Vec3 {
    let velocity = |side: usize| {
        let Side { body, flight, swept } = sides[side];
        let triangle = impact.primitives.map(|primitives| primitives[side]);
        let soft = swept.zip(triangle).filter(|_| body.is_soft());
        if let Some([start, end]) = soft.and_then(|(swept, triangle)| swept.triangle(triangle)) {
            // Vertices go straight.
            let places = [0, 1, 2].map(|k| start[k].lerp(end[k], impact.time / dt));
            return interpolate_at(places, [0, 1, 2].map(|k| (end[k] - start[k]) / dt), impact.point);
        }
        flight.velocity_of(impact.point, impact.time)
    };
    velocity(1) - velocity(0)
}
