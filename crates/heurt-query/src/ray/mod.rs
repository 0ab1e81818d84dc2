//! `ray`: where a half-line first meets a shape, and everywhere it does.

mod all;
mod compound;
mod rounded;
mod superquadric;

use crate::answer::budget::Answer;
pub use crate::answer::options::RayOptions;
pub(crate) use crate::answer::ray::normalised;
pub use crate::answer::ray::{Ray, RayError, RayHit};
pub use all::{RayCrossing, RayHits, RayPassage, ray_all, ray_all_with};

use crate::convex::ray::convex_ray;
use crate::mesh::ray::mesh_ray;
use compound::compound_ray;
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::ShapeRef;
use rounded::rounded_ray;
use superquadric::{as_superquadric, superquadric_ray};

/// Finds the first point of a placed shape on the ray; a ray that [`Ray::new`] refuses meets nothing.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::{Ray, ray};
/// use heurt_shape::MeshShape;
/// let floor = MeshShape::new(heurt_mesh::generate::cuboid([5.0, 5.0, 0.1])?)?;
/// // From a height of 2.1, in steps of half a metre downwards.
/// let down = Ray::new(Vec3::new(1.0, 2.0, 2.1), Vec3::Z * -0.5, 10.0)?;
/// let hit = ray(&floor, &Pose::IDENTITY, &down).expect("the floor is below");
/// assert_eq!((hit.t, hit.normal), (4.0, Vec3::Z));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ray<'a>(a: impl Into<ShapeRef<'a>>, pose: &Pose, ray: &Ray) -> Option<RayHit> {
    ray_with(a, pose, ray, &RayOptions::default()).value()
}

/// Computes [`ray()`] up to a limit, with the work done.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::{Ray, RayOptions, ray_with};
/// use heurt_shape::Convex;
/// let (ball, sight) = (Convex::sphere(1.0)?, Ray::new(Vec3::ZERO, Vec3::X, f64::INFINITY)?);
/// let mut options = RayOptions::default();
/// for x in [9.0, 4.0, 7.0] {
///     let at = Pose::from_translation(Vec3::X * x)?;
///     options.max_t = ray_with(&ball, &at, &sight, &options).value().map_or(options.max_t, |hit| hit.t);
/// }
/// assert!((options.max_t - 3.0).abs() < 1e-12, "the nearest of the three");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ray_with<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose: &Pose,
    ray: &Ray,
    options: &RayOptions,
) -> Answer<Option<RayHit>> {
    let mut work = Work::default();
    let ray = Ray { max_t: ray.max_t.min(options.max_t), ..*ray };
    let Some((ray, stretch)) = normalised(&ray) else { return Answer::whole(None, work) };
    let hit = hit_of(a.into(), pose, &ray, &mut work);
    Answer::whole(hit.map(|hit| hit.stretched(stretch)), work)
}

/// The first point of a shape on a ray of normalised direction.
#[inline(always)]
fn hit_of(a: ShapeRef<'_>, pose: &Pose, ray: &Ray, work: &mut Work) -> Option<RayHit> {
    match a {
        ShapeRef::Mesh(mesh) => mesh_ray(mesh, pose, ray, work),
        ShapeRef::Convex(convex) => match as_superquadric(convex) {
            Some(shape) => superquadric_ray(&shape, pose, ray, work),
            None => convex_ray(convex, pose, ray, work),
        },
        ShapeRef::Compound(compound) => compound_ray(compound, pose, ray, work),
        ShapeRef::Rounded(rounded) => rounded_ray(rounded, pose, ray, work),
        ShapeRef::Superquadric(shape) => superquadric_ray(shape, pose, ray, work),
    }
}
