//! Contacts of meshes that hold each other, as a pin in an eye: a body that moves freely touches with the wall of a
//! hollow of its own.
//!
//! In: a contact of two bodies. Out: whether it is such a contact. Soft steps, which let bodies overlap a little, would
//! let their parts pass through each other.
//! Method: a body touches with the wall of a hollow if it has vertices beyond its side of the contact, in the direction
//! of the normal.
//! Not guaranteed: a bowl counts, too, though nothing holds what lies in it. A hollow of a fixed or scripted body does
//! not count: the ground would be one.
//! Cost: linear in the vertices of a mesh for each normal, which ends at the first vertex beyond.

use crate::body::Body;
use crate::response::exact::problem::is_dynamic;
use crate::response::piece_length::thickness_of;
use heurt_geometry::Vec3;
use heurt_query::{Contact, ContactPoint};
use heurt_shape::Shape;

/// Height of vertices over a point of contact from which it lies in a hollow, as a share of the smallest half extent:
/// more than the dents of a mesh that is nearly convex.
const LEAST_HEIGHT: f64 = 0.5;

/// Reports whether two bodies are meshes, and one that moves freely touches with the wall of a hollow.
pub(crate) fn are_interlocked(bodies: [&Body; 2], contact: &Contact) -> bool {
    let are_meshes = bodies.iter().all(|body| matches!(body.shape, Shape::Mesh(_)));
    if !are_meshes {
        return false;
    }
    let mut last = Vec3::ZERO;
    contact.points.iter().any(|point| {
        let is_known = std::mem::replace(&mut last, point.normal) == point.normal;
        !is_known && (0..2).any(|side| is_in_hollow(bodies[side], side, point))
    })
}

fn is_in_hollow(body: &Body, side: usize, point: &ContactPoint) -> bool {
    let Shape::Mesh(mesh) = &body.shape else { return false };
    let Some(least) = thickness_of(body).filter(|_| is_dynamic(body)).map(|half| LEAST_HEIGHT * half) else {
        return false;
    };
    let outward = point.normal * [1.0, -1.0][side];
    // The point lies in the middle between both surfaces.
    let own = outward.dot(point.point - body.pose.translation()) - 0.5 * point.separation;
    let outward = body.pose.rotation().transpose() * outward;
    mesh.mesh().vertices().iter().any(|vertex| outward.dot(*vertex) > own + least)
}
