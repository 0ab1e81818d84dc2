//! From pairs whose boxes meet to contacts.
//!
//! Guarantees: whether two bodies touch is decided exactly. In continuous detection no contact within the step is
//! missed and no time is late: bodies fly as `flight` states, vertices of soft ones straight (`soft_impact`,
//! `soft_advance`).
//! Not guaranteed: two half-spaces of which one turns are looked at only where they are when the step ends.

use crate::body::{Body, BodyId};
use crate::step::soft_impact::UndecidedPair;
use crate::step::step_motion::{StepMotion, pieces};
use heurt_geometry::{Motion, Vec3};
use heurt_query::{Budget, Budgeted, CastError, CastOptions, Contact, ContactOptions, Impact, PairCache, cast_with};
use std::cell::Cell;

/// What is looked for in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detection {
    /// Contacts where the bodies are when the step ends.
    #[default]
    Discrete,
    /// These, and when in the step bodies that were disjoint came to touch.
    Continuous,
}

/// Two bodies that touch, or touched within the step.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyContact {
    /// The one that came into the world first, by its place.
    pub a: BodyId,
    /// The other.
    pub b: BodyId,
    /// How they touch as the step ends; `None` where they touched on the way only. Where one of them is a mesh, whether
    /// is exact, and how deep is an estimate along the normals: `heurt_query::contact` tells it from both sides.
    pub contact: Option<Contact>,
    /// When in the step they came to touch, in seconds from its start; `None` where they touched already, or where
    /// detection is discrete.
    pub impact: Option<Impact>,
    /// The velocity of B as A sees it where they came to touch, in m/s; nothing without an impact.
    pub impact_velocity: Vec3,
}

/// Between two looks at a clock, which takes as long as some pairs of volumes do.
const LOOKS: u32 = 16;

/// How two bodies touch as the step ends, if they come within the margin. Cut where time is over, and then with what
/// was found so far.
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

/// Whether time is over, as a clock tells that is seldom looked at.
pub(crate) fn now_and_then(goes_on: &dyn Fn() -> bool) -> impl Fn() -> bool {
    let looks = Cell::new(0u32);
    move || {
        looks.set(looks.get() + 1);
        looks.get().is_multiple_of(LOOKS) && !goes_on()
    }
}

/// Reports whether a step has time left, if it has to end in time.
pub(crate) type SearchEnd<'a> = Option<&'a (dyn Fn() -> bool + Sync)>;

/// When two rigid bodies that are apart as the step of `dt` begins come to touch: leg by leg, as long as time is not
/// over.
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
