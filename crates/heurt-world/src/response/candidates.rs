//! Contacts found at the end of a step for the response of the next one, within a margin that covers its motion.
//!
//! In: the contacts of the narrow phase, in the order of pairs. Out: the same, until a body is changed by the caller:
//! then they are stale.

use crate::body::{Body, BodyId, Kind};
use crate::contact::BodyContact;
use crate::state::view::WorldView;
use heurt_geometry::Vec3;
use heurt_query::Contact;

/// Gap up to which bodies touch for the response, as a share of the coordinates around the contact: impacts end within
/// the tolerance of continuous detection, which is a quarter of it.
const TOUCHING: f64 = 1e-9;

/// The contacts, and whether they still hold.
#[derive(Debug, Clone, Default)]
pub(crate) struct Candidates {
    pub contacts: Vec<BodyContact>,
    /// Whether they are those of the bodies as they are placed.
    pub are_current: bool,
    /// The length of the step whose motion they cover, in seconds.
    pub dt: f64,
}

impl Candidates {
    /// Reports whether they hold for a step of `dt` seconds.
    pub(crate) fn cover(&self, dt: f64) -> bool {
        self.are_current && dt <= self.dt
    }
}

/// Rotation in radians up to which an open gap is a linear function of time: the sagitta of an arc is an eighth of its
/// square, 3 % of the radius.
const LARGEST_ROTATION: f64 = 0.5;

/// The gap up to which two bodies touch for the response, in metres.
pub(crate) fn touching_gap(a: &Body, b: &Body) -> f64 {
    let scale = |body: &Body| {
        let bounds = body.shape.bounds();
        let extent = (bounds.max - bounds.min).max_element();
        // A half-space has no extent.
        (if extent.is_finite() { extent } else { 0.0 }, body.pose.max_translation())
    };
    let ((extent_a, from_a), (extent_b, from_b)) = (scale(a), scale(b));
    let extent = match (extent_a > 0.0, extent_b > 0.0) {
        (true, true) => extent_a.min(extent_b),
        _ => extent_a.max(extent_b),
    };
    let rounding = 64.0 * f64::EPSILON * from_a.max(from_b).max(extent_a.max(extent_b));
    (TOUCHING * extent).max(rounding).max(f64::MIN_POSITIVE)
}

/// Reports whether the response acts between two bodies: one of them is moved by impulses, and none is a sensor.
pub(crate) fn respond_to_each_other(a: &Body, b: &Body) -> bool {
    let is_dynamic = |body: &Body| matches!(body.kind, Kind::Dynamic(_));
    (is_dynamic(a) || is_dynamic(b)) && !a.is_sensor && !b.is_sensor
}

/// The distance by which two bodies may come nearer to each other in a step of `dt` seconds, at their velocities and
/// under gravity, in metres.
pub(crate) fn approach_bound(a: &Body, b: &Body, gravity: Vec3, dt: f64) -> f64 {
    approach_of(a, gravity, dt) + approach_of(b, gravity, dt)
}

/// The distance by which a body may come nearer to another one in a step of `dt` seconds, in metres.
pub(crate) fn approach_of(body: &Body, gravity: Vec3, dt: f64) -> f64 {
    if matches!(body.kind, Kind::Static) {
        return 0.0;
    }
    let spin = body.angular_velocity.length();
    let radius = radius_of(body);
    // A rotation moves no point by more than a diameter.
    let turning = if spin > 0.0 && radius.is_finite() { (spin * dt).min(2.0) * radius } else { 0.0 };
    dt * (body.velocity.length() + body.free_acceleration(gravity).length() * dt) + turning
}

/// The radius of a ball around the origin of a body that contains its shape, in metres; infinite for a half-space.
pub(crate) fn radius_of(body: &Body) -> f64 {
    let bounds = body.shape.bounds();
    bounds.min.abs().max(bounds.max.abs()).length()
}

/// Reports whether the gaps of two bodies change almost linearly in `dt` seconds: neither rotates by much.
pub(crate) fn are_gaps_linear(a: &Body, b: &Body, dt: f64) -> bool {
    a.angular_velocity.length().max(b.angular_velocity.length()) * dt <= LARGEST_ROTATION
}

/// Returns how deep two surfaces overlap where they meet, in metres, 0 for bodies that do not: the depth at the points
/// of a contact. Two meshes that are linked, as a ring and a pin, would have to move much farther to be disjoint.
pub(crate) fn local_overlap(contact: &Contact) -> f64 {
    let least = contact.points.iter().map(|point| point.separation).reduce(f64::min);
    (-least.unwrap_or(contact.separation)).max(0.0)
}

/// The bodies of a contact.
pub(crate) fn bodies_of<'a>(view: &'a WorldView, touch: &BodyContact) -> Option<[&'a Body; 2]> {
    let body = |id: BodyId| view.bodies.get(id);
    Some([body(touch.a)?, body(touch.b)?])
}

/// The gap up to which two bodies touch; below all gaps if the response does not act between them.
pub(crate) fn gap_of(view: &WorldView, touch: &BodyContact) -> f64 {
    let bodies = bodies_of(view, touch).filter(|[a, b]| respond_to_each_other(a, b));
    bodies.map_or(f64::NEG_INFINITY, |[a, b]| touching_gap(a, b))
}

/// Reports whether two bodies touch for the response.
pub(crate) fn is_touching(view: &WorldView, touch: &BodyContact) -> bool {
    touch.contact.as_ref().is_some_and(|contact| contact.separation <= gap_of(view, touch))
}
