//! Contact of shapes, at least one with a margin: the contact of their cores, less the margins.

use super::contact_metered;
use super::superquadric::superquadric_contact;
use crate::answer::budget::WorkMeter;
use crate::answer::contact::Contact;
use crate::answer::distance::without_margin;
use crate::answer::placed::PlacedShape;
use heurt_geometry::Vec3;
use heurt_shape::ShapeRef;

/// The contact of two shapes, from the contact of their cores.
pub(super) fn of_cores(a: PlacedShape<'_>, b: PlacedShape<'_>, margin: f64, meter: &WorkMeter<'_>) -> Option<Contact> {
    if matches!(a.shape, ShapeRef::Superquadric(_)) || matches!(b.shape, ShapeRef::Superquadric(_)) {
        return superquadric_contact(a, b, margin, meter);
    }
    let ((core_a, margin_a), (core_b, margin_b)) = (without_margin(a.shape), without_margin(b.shape));
    let found = contact_metered(a.with(core_a), b.with(core_b), margin + margin_a + margin_b, meter)?;
    Some(with_margins(found, margin_a, margin_b))
}

/// The contact of all that is within margins of what touches.
pub(super) fn with_margins(mut contact: Contact, margin_a: f64, margin_b: f64) -> Contact {
    let moved = |point: Vec3, normal: Vec3| point + normal * ((margin_a - margin_b) * 0.5);
    let rounded = margin_a + margin_b;
    if contact.separation > 0.0 && contact.separation <= rounded {
        // The least possible depth counts: then the cores are as far from each other as they can be.
        contact.separation_bound = contact.separation + contact.error;
    }
    contact.separation -= rounded;
    contact.separation_bound -= rounded;
    contact.error += 4.0 * f64::EPSILON * rounded;
    for point in &mut contact.points {
        point.point = moved(point.point, point.normal);
        point.separation -= rounded;
    }
    contact
}
