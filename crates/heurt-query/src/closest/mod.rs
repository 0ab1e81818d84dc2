//! `closest`: the point of a shape's boundary nearest to a given one, and on which side that one lies.

mod compound;
mod escape;
mod rounded;
mod superquadric;

pub(crate) use crate::convex::closest::convex_closest;
pub(crate) use crate::mesh::closest::{mesh_closest, mesh_closest_within};

use crate::answer::budget::Answer;
pub use crate::answer::closest::Closest;
pub use crate::answer::options::ClosestOptions;
use compound::compound_closest;
use heurt_bvh::Work;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::ShapeRef;
use rounded::rounded_closest;
use superquadric::superquadric_closest;

/// Finds the point of the boundary of a placed shape nearest to `point` (world frame, finite).
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::closest;
/// use heurt_shape::Convex;
/// let tank = Convex::cylinder(1.0, 2.0)?;
/// let probe = closest(&tank, &Pose::IDENTITY, Vec3::new(0.75, 0.0, 0.0));
/// assert_eq!((probe.inside, probe.point), (Some(true), Vec3::X));
/// assert_eq!(probe.signed_distance, Some(-0.25), "negative inside");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn closest<'a>(a: impl Into<ShapeRef<'a>>, pose: &Pose, point: Vec3) -> Closest {
    closest_counted(a, pose, point).0
}

/// Computes [`closest`] within a limit, with the work done; `None` if the boundary is farther than the limit.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::{ClosestOptions, closest_with};
/// use heurt_shape::MeshShape;
/// let ball = MeshShape::new(heurt_mesh::generate::icosphere(1.0, 4)?)?;
/// let near = |max_distance| {
///     closest_with(&ball, &Pose::IDENTITY, Vec3::X * 1.5, &ClosestOptions { max_distance }).value()
/// };
/// assert!(near(0.4).is_none() && near(0.6).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn closest_with<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose: &Pose,
    point: Vec3,
    options: &ClosestOptions,
) -> Answer<Option<Closest>> {
    let max = options.max_distance;
    let (found, work) = match a.into() {
        ShapeRef::Mesh(mesh) if max < f64::INFINITY => mesh_closest_within(mesh, pose, point, max),
        other => {
            let (found, work) = closest_counted(other, pose, point);
            (Some(found).filter(|found| found.distance <= max), work)
        }
    };
    Answer::whole(found, work)
}

/// [`closest`] of a query that is a part of another, with the work done.
pub(crate) fn closest_counted<'a>(a: impl Into<ShapeRef<'a>>, pose: &Pose, point: Vec3) -> (Closest, Work) {
    match a.into() {
        ShapeRef::Mesh(mesh) => mesh_closest(mesh, pose, point),
        ShapeRef::Convex(convex) => convex_closest(convex, pose, point),
        ShapeRef::Compound(compound) => compound_closest(compound, pose, point),
        ShapeRef::Rounded(rounded) => rounded_closest(rounded, pose, point),
        ShapeRef::Superquadric(shape) => superquadric_closest(shape, pose, point),
    }
}
