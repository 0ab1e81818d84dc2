//! `ray`: where a half-line first meets a shape, and everywhere it does.

mod all;
mod compound;
mod rounded;
mod superquadric;

pub(crate) use crate::answer::ray::normalised;
pub use crate::answer::ray::{Ray, RayError, RayHit};
pub use all::{RayCrossing, RayHits, RayPassage, ray_all, ray_all_counted};

use crate::convex::ray::convex_ray;
use crate::mesh::ray::mesh_ray;
use compound::compound_ray;
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::ShapeRef;
use rounded::rounded_ray;
use superquadric::superquadric_ray;

/// Finds the first point of a placed shape on the ray; a ray that [`Ray::new`] refuses meets nothing.
pub fn ray<'a>(a: impl Into<ShapeRef<'a>>, pose: &Pose, ray: &Ray) -> Option<RayHit> {
    ray_counted(a, pose, ray).0
}

/// [`ray`], with the work done.
pub fn ray_counted<'a>(a: impl Into<ShapeRef<'a>>, pose: &Pose, ray: &Ray) -> (Option<RayHit>, Work) {
    let mut work = Work::default();
    let Some((ray, stretch)) = normalised(ray) else { return (None, work) };
    let hit = hit_of(a.into(), pose, &ray, &mut work);
    (hit.map(|hit| hit.stretched(stretch)), work)
}

/// The first point of a shape on a ray of normalised direction.
#[inline(always)]
fn hit_of(a: ShapeRef<'_>, pose: &Pose, ray: &Ray, work: &mut Work) -> Option<RayHit> {
    match a {
        ShapeRef::Mesh(mesh) => mesh_ray(mesh, pose, ray, work),
        ShapeRef::Convex(convex) => convex_ray(convex, pose, ray, work),
        ShapeRef::Compound(compound) => compound_ray(compound, pose, ray, work),
        ShapeRef::Rounded(rounded) => rounded_ray(rounded, pose, ray, work),
        ShapeRef::Superquadric(shape) => superquadric_ray(shape, pose, ray, work),
    }
}
