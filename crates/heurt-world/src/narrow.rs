//! From pairs whose boxes meet to contacts.
//!
//! Guarantees: whether two bodies touch is decided exactly. In continuous detection no contact of rigid bodies within the step is
//! missed and no time is late: they fly as `flight` says.
//! Not guaranteed: soft bodies, and two half-spaces of which one turns, are looked at only where they are when the step ends.

use crate::body::{Body, BodyId, Kind};
use crate::flight::Flight;
use heurt_geometry::Motion;
use heurt_query::{CastError, CastOptions, Contact, Impact, PairCache, cast};
use smallvec::SmallVec;

/// What is looked for in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detection {
    /// Contacts where the bodies are when the step ends.
    #[default]
    Discrete,
    /// These, and when in the step rigid bodies that were apart came to touch. Soft bodies are looked at when it ends.
    Continuous,
}

/// Two bodies that touch, or touched within the step.
#[derive(Debug, Clone, PartialEq)]
pub struct Touch {
    /// The one that came into the world first, by its place.
    pub a: BodyId,
    /// The other.
    pub b: BodyId,
    /// How they touch as the step ends; `None` where they touched on the way only. Where one of them is a mesh, whether is exact, and
    /// how deep is an estimate along the normals: `heurt_query::contact` tells it from both sides.
    pub contact: Option<Contact>,
    /// When in the step they came to touch, in seconds from its start; `None` where they touched already, or where detection is
    /// discrete.
    pub impact: Option<Impact>,
}

/// How two bodies touch as the step ends, if they come within the margin.
pub(crate) fn contact_of(a: &Body, b: &Body, margin: f64, cache: &mut PairCache) -> Option<Contact> {
    cache.contact(&a.shape, &a.pose, &b.shape, &b.pose, margin)
}

/// When two bodies that are apart as the step of `dt` begins come to touch: leg by leg.
pub(crate) fn impact_of(
    (a, of_a): (&Body, &Flight),
    (b, of_b): (&Body, &Flight),
    dt: f64,
) -> Result<Option<Impact>, CastError> {
    if [a, b].iter().any(|body| matches!(body.kind, Kind::Soft(_))) {
        return Ok(None);
    }
    let mut begins: SmallVec<[f64; 4]> = of_a.legs.iter().chain(&of_b.legs).map(|leg| leg.begun).collect();
    begins.sort_by(f64::total_cmp);
    begins.dedup();
    begins.push(dt);
    for ends in begins.windows(2) {
        let ((pose_a, motion_a), (pose_b, motion_b)) = (of_a.at(ends[0]), of_b.at(ends[0]));
        if motion_a == Motion::STILL && motion_b == Motion::STILL || ends[0] >= dt {
            continue;
        }
        let options = CastOptions { max_time: ends[1] - ends[0], tolerance: None };
        let found = cast(&a.shape, &pose_a, &motion_a, &b.shape, &pose_b, &motion_b, &options);
        match found {
            Ok(None) | Err(CastError::TurningHalfSpaces) => {}
            Ok(Some(impact)) if ends[0] == 0.0 => return Ok(Some(impact)),
            Ok(Some(impact)) => {
                let time = (ends[0] + impact.time).next_down();
                return Ok(Some(Impact { time, time_upper: (ends[0] + impact.time_upper).next_up(), ..impact }));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}
