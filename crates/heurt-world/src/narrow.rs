//! From pairs whose boxes meet to contacts.
//!
//! Guarantees: whether two bodies touch is decided exactly. In continuous detection no contact within the step is missed and no
//! time is late: bodies fly as [`crate::Flight`] says. Two half-spaces of which one turns are only looked at when the step ends.

use crate::body::{Body, BodyId};
use crate::flight::Flight;
use heurt_geometry::{Motion, Pose};
use heurt_query::contact::surface_contact;
use heurt_query::{CastOptions, Contact, Impact, PairCache, cast, contact};
use heurt_shape::{Shape, ShapeRef};

/// What is looked for in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detection {
    /// Contacts where the bodies are when the step ends.
    #[default]
    Discrete,
    /// These, and when in the step bodies that were apart came to touch.
    Continuous,
}

/// Two bodies that touch, or touched within the step.
#[derive(Debug, Clone, PartialEq)]
pub struct Touch {
    /// The one that came into the world first, by its place.
    pub a: BodyId,
    /// The other.
    pub b: BodyId,
    /// How they touch as the step ends; `None` where they touched on the way only.
    pub contact: Option<Contact>,
    /// When in the step they came to touch, in seconds from its start; `None` where they touched already, or where detection is
    /// discrete.
    pub impact: Option<Impact>,
}

/// A body in a step.
#[derive(Clone, Copy)]
pub(crate) struct Moving<'a> {
    pub body: &'a Body,
    /// Where it was as the step began.
    pub start: &'a Pose,
    pub flight: &'a Flight,
}

/// How two bodies touch as the step ends, if they come within the margin.
pub(crate) fn contact_of(a: &Body, b: &Body, margin: f64, cache: &mut PairCache) -> Option<Contact> {
    let (of_a, of_b) = (ShapeRef::from(&a.shape), ShapeRef::from(&b.shape));
    if let (Shape::Mesh(mesh_a), Shape::Mesh(mesh_b)) = (&a.shape, &b.shape) {
        // How deep two meshes are in each other takes longer to tell than a step lasts.
        return match surface_contact(mesh_a, &a.pose, mesh_b, &b.pose) {
            None if margin > 0.0 => contact(of_a, &a.pose, of_b, &b.pose, margin),
            found => found,
        };
    }
    if margin == 0.0 && !cache.overlaps(of_a, &a.pose, of_b, &b.pose) {
        return None;
    }
    contact(of_a, &a.pose, of_b, &b.pose, margin)
}

/// When two bodies that are apart as the step of `dt` begins come to touch.
pub(crate) fn impact_of(a: Moving<'_>, b: Moving<'_>, dt: f64) -> Option<Impact> {
    let (motion_a, motion_b) = (&a.flight.motion, &b.flight.motion);
    if motion_a == &Motion::STILL && motion_b == &Motion::STILL {
        return None;
    }
    let options = CastOptions { max_time: dt, tolerance: None };
    let found = cast(&a.body.shape, a.start, motion_a, &b.body.shape, b.start, motion_b, &options);
    found.ok().flatten()
}
