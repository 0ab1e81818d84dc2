//! Contacts of pairs whose boxes meet.
//!
//! Guarantees: whether two bodies touch is decided exactly. In continuous detection no contact within the step is
//! missed and no time is late: bodies fly as `flight` states, vertices of soft ones straight (`soft_impact`,
//! `soft_advance`).
//! Not guaranteed: two half-spaces, one of which turns, are only tested as the step ends.

use crate::body::{Body, BodyId};
use crate::step::soft_impact::UndecidedPair;
use crate::step::step_motion::{StepMotion, pieces};
use heurt_geometry::{Motion, Vec3};
use heurt_query::{Budget, Budgeted, CastError, CastOptions, Contact, ContactOptions, Impact, PairCache, cast_with};
use std::cell::Cell;

/// The contacts that a step finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detection {
    /// Contacts of the bodies as the step ends.
    #[default]
    Discrete,
    /// These, and the times within the step at which disjoint bodies came to touch.
    Continuous,
}

/// Two bodies that touch, or touched within the step.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyContact {
    /// The body with the lower place.
    pub a: BodyId,
    /// The body with the higher place.
    pub b: BodyId,
    /// The contact as the step ends; `None` if they touched only within the step. For meshes the existence is exact,
    /// and the depth is an estimate along the normals: `heurt_query::contact` bounds it from both sides.
    pub contact: Option<Contact>,
    /// The first impact within the step, in seconds from its start; `None` if they touched before, or if detection is
    /// discrete.
    pub impact: Option<Impact>,
    /// The velocity of B relative to A at the impact, in m/s; zero without an impact.
    pub impact_velocity: Vec3,
}

/// Calls between two readings of a clock: a reading takes as long as some pairs of volumes.
const LOOKS: u32 = 16;

/// Finds the contact of two bodies as the step ends, if they come within the margin. Cut if the time is over, with the
/// contacts found by then.
pub(crate) fn contact_of(
    a: &Body,
    b: &Body,
    margin: f64,
    cache: &mut PairCache,
    until: SearchEnd<'_>,
) -> Budgeted<Option<Contact>, Option<Contact>> {
    let Some(goes_on) = until else {
        return Budgeted::Complete(cache.contact_manifold(&a.shape, &a.pose, &b.shape, &b.pose, margin));
    };
    let is_over = now_and_then(goes_on);
    let budget = Budget { work: None, is_over: Some(&is_over) };
    let options = ContactOptions { max_distance: margin, budget };
    cache.contact_manifold_with(&a.shape, &a.pose, &b.shape, &b.pose, &options).outcome
}

/// Tests whether the time is over, by a clock that is read at every 16th call.
pub(crate) fn now_and_then(goes_on: &dyn Fn() -> bool) -> impl Fn() -> bool {
    let looks = Cell::new(0u32);
    move || {
        looks.set(looks.get() + 1);
        looks.get().is_multiple_of(LOOKS) && !goes_on()
    }
}

/// Reports whether a step has time left, if it has to end in time.
pub(crate) type SearchEnd<'a> = Option<&'a (dyn Fn() -> bool + Sync)>;

/// Finds when two rigid bodies come to touch that are disjoint as the step of `dt` begins: segment by segment, until
/// the time is over.
pub(crate) fn impact_of(
    (a, of_a): (&Body, &StepMotion),
    (b, of_b): (&Body, &StepMotion),
    dt: f64,
    until: SearchEnd<'_>,
) -> Result<Option<Impact>, UndecidedPair> {
    let over = until.map(|goes_on| move || !goes_on());
    let budget = Budget { work: None, is_over: over.as_ref().map(|over| over as &dyn Fn() -> bool) };
    for [begun, until] in pieces([of_a, of_b], dt) {
        let ((pose_a, motion_a), (pose_b, motion_b)) = (of_a.at(begun), of_b.at(begun));
        if motion_a == Motion::STILL && motion_b == Motion::STILL {
            continue;
        }
        let options = CastOptions { max_time: until - begun, tolerance: None };
        let found = cast_with(&a.shape, &pose_a, &motion_a, &b.shape, &pose_b, &motion_b, &options, &budget);
        match found.map(|answer| answer.outcome) {
            Ok(Budgeted::Complete(None)) | Err(CastError::TurningHalfSpaces) => {}
            Ok(Budgeted::Complete(Some(impact))) if begun == 0.0 => return Ok(Some(impact)),
            Ok(Budgeted::Cut(_)) => return Err(UndecidedPair::Cut),
            Ok(Budgeted::Complete(Some(impact))) => {
                let time = (begun + impact.time).next_down();
                return Ok(Some(Impact { time, time_upper: (begun + impact.time_upper).next_up(), ..impact }));
            }
            Err(_) => return Err(UndecidedPair::Unable),
        }
    }
    Ok(None)
}
