//! Answers of rays and of points: the first hit or all of them, the intervals inside a solid, and which points it
//! contains.

use super::answer::{Body, beyond};
use crate::describe::display::point_row;
use crate::describe::fields::FieldError;
use crate::describe::resolved_shape::ResolvedShape;
use heurt_bvh::Work;
use heurt_geometry::Vec3;
use heurt_query::{Ray, RayCrossing, RayHit, RayOptions, RayPassage};
use serde::Serialize;

/// A place where a ray meets a shape.
#[derive(Serialize)]
pub(super) struct HitJson {
    distance: f64,
    error: f64,
    point: [f64; 3],
    normal: [f64; 3],
    primitive: u32,
    crossing: &'static str,
}

/// The first hit.
pub(super) fn first_hit(a: &ResolvedShape, ray: &Ray, work: &mut Work) -> Result<Body, FieldError> {
    let (shape, pose) = a.any()?;
    let answer = heurt_query::ray_with(shape, pose, ray, &RayOptions::default());
    *work += answer.work;
    let Some(hit) = answer.value() else { return Ok(Body::Miss { hit: false }) };
    check_range(&hit, ray)?;
    Ok(Body::Hit {
        hit: true,
        distance: hit.t,
        error: hit.error,
        point: hit.point.to_array(),
        normal: point_row(hit.normal),
        primitive: a.primitive(hit.primitive),
    })
}

/// All hits, and the intervals inside. An interval without an end has `null` for it.
pub(super) fn all_hits(a: &ResolvedShape, ray: &Ray, work: &mut Work) -> Result<Body, FieldError> {
    let (shape, pose) = a.any()?;
    let answer = heurt_query::ray_all_with(shape, pose, ray, &RayOptions::default());
    *work += answer.work;
    let found = answer.value();
    let hit = |RayPassage { hit, crossing }: &RayPassage| {
        check_range(hit, ray)?;
        Ok(HitJson {
            distance: hit.t,
            error: hit.error,
            point: hit.point.to_array(),
            normal: point_row(hit.normal),
            primitive: a.primitive(hit.primitive),
            crossing: match crossing {
                RayCrossing::Enter => "enter",
                RayCrossing::Exit => "exit",
                RayCrossing::Touch => "touch",
            },
        })
    };
    let hits = found.hits.iter().map(hit).collect::<Result<_, FieldError>>()?;
    Ok(Body::Hits { hits, intervals: found.intervals })
}

/// JSON has no infinity.
fn check_range(hit: &RayHit, ray: &Ray) -> Result<(), FieldError> {
    if hit.t.is_finite() && hit.error.is_finite() {
        return Ok(());
    }
    Err(beyond("direction", format!("{:?}", ray.direction.to_array()), "the distance"))
}

/// Which points belong to a shape, its boundary included.
pub(super) fn contains(a: &ResolvedShape, points: &[Vec3], work: &mut Work) -> Body {
    let (shape, pose) = a.described();
    work.primitives += points.len() as u64;
    Body::Contains { inside: points.iter().map(|&point| heurt_query::contains(shape, pose, point)).collect() }
}
