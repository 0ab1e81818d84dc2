//! Hash of the state that steps change: bodies and their contacts, bit for bit.

use crate::body::Kind;
use crate::contact::BodyContact;
use crate::state::view::WorldView;
use heurt_geometry::StateHash;
use heurt_shape::Shape;

/// Computes the hash of the bodies at one moment and of the contacts of the last step.
pub(crate) fn hash_state(view: &WorldView, contacts: &[BodyContact]) -> u64 {
    let mut hash = StateHash::new().bits(view.step).number(view.time);
    for (id, body) in view.bodies() {
        hash = hash.bits(id.bits());
        hash = hash.pose(&body.pose).vector(body.velocity).vector(body.angular_velocity);
        if let (Kind::Soft(_), Shape::Mesh(mesh)) = (&body.kind, &body.shape) {
            hash = mesh.mesh().vertices().iter().copied().fold(hash, StateHash::vector);
        }
    }
    for touch in contacts {
        hash = [touch.a, touch.b].into_iter().fold(hash, |hash, id| hash.bits(id.bits()));
        let points = touch.contact.as_ref().map(|contact| &contact.points);
        hash = hash.bits(points.map_or(u64::MAX, |points| points.len() as u64));
        hash = points
            .into_iter()
            .flatten()
            .fold(hash, |hash, point| hash.vector(point.point).vector(point.normal).number(point.separation));
        hash = hash.number(touch.impact.map_or(-1.0, |impact| impact.time));
    }
    hash.finish()
}
