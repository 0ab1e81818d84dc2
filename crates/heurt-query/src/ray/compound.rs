//! Ray against a compound: the first of its parts that the ray meets.

use super::hit_of;
use crate::answer::ray::{Ray, RayHit};
use crate::compound::nearby_parts::PlacedCompound;
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::Compound;
use std::ops::ControlFlow;

/// The first point of a part on a ray of normalised direction.
pub(super) fn compound_ray(a: &Compound, pose: &Pose, ray: &Ray, work: &mut Work) -> Option<RayHit> {
    let mut first: Option<RayHit> = None;
    let mut done = Work::default();
    let walked = PlacedCompound::new(a, pose).on_ray(ray, |part| {
        let limit = first.as_ref().map_or(ray.max_t, |first| first.t);
        let hit = hit_of(part.placed.shape, part.placed.pose, &Ray { max_t: limit, ..*ray }, &mut done);
        keep_first(&mut first, hit.map(|hit| RayHit { primitive: part.first_primitive + hit.primitive, ..hit }));
        match first.as_ref().map(|first| first.t) {
            Some(0.0) => ControlFlow::Break(()),
            limit => ControlFlow::Continue(limit.unwrap_or(f64::INFINITY)),
        }
    });
    *work += done;
    *work += walked;
    first
}

pub(super) fn keep_first(first: &mut Option<RayHit>, hit: Option<RayHit>) {
    let Some(hit) = hit else { return };
    let is_before = |first: &RayHit| (hit.t, hit.primitive) < (first.t, first.primitive);
    if first.as_ref().is_none_or(is_before) {
        *first = Some(hit);
    }
}
