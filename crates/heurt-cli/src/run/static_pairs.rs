//! Static bodies that touch static ones: they never move, so one test at the start serves the whole run.

use super::contact_log::LoggedContacts;
use crate::Failure;
use heurt::assembly::{MAX_PAIRS, meeting_pairs};
use heurt::geometry::Aabb;
use heurt::query::contact;
use heurt::shape::ShapeRef;
use heurt::world::{Body, BodyId, Kind, World};

/// Adds the pairs of static bodies that touch, as far as their groups let them.
pub(super) fn add(world: &World, names: &[String], contacts: &mut LoggedContacts) -> Result<(), Failure> {
    let is_static = |(_, body): &(BodyId, &Body)| matches!(body.kind, Kind::Static);
    let bodies: Vec<(BodyId, &Body)> = world.bodies().filter(is_static).collect();
    let boxes: Vec<Aabb> = bodies.iter().map(|(_, body)| ShapeRef::from(&body.shape).bounds_at(&body.pose)).collect();
    let pairs = meeting_pairs(&boxes).ok_or(Failure::TooManyPairs { parts: boxes.len(), most: MAX_PAIRS })?;
    for [i, j] in pairs {
        let ((id_a, a), (id_b, b)) = (bodies[i], bodies[j]);
        if a.group & b.mask == 0 || b.group & a.mask == 0 {
            continue;
        }
        if let Some(found) = contact(&a.shape, &a.pose, &b.shape, &b.pose, 0.0) {
            let place = found.points.first().map(|met| (met.point, met.normal));
            let begin = contacts.log.add_static([id_a, id_b], -found.separation, place);
            contacts.write(world, names, &begin)?;
        }
    }
    Ok(())
}
