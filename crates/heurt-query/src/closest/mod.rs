//! `closest`: the point of a shape's boundary nearest to a given one, and on which side that one lies.

mod compound;
mod escape;
mod rounded;
mod superquadric;

pub(crate) use crate::convex::closest::convex_closest;
pub(crate) use crate::mesh::closest::{mesh_closest, mesh_closest_within};

pub use crate::answer::closest::Closest;
use compound::compound_closest;
use heurt_bvh::Work;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::ShapeRef;
use rounded::rounded_closest;
use superquadric::superquadric_closest;

/// Finds the point of the boundary of a placed shape nearest to `point` (world frame, finite).
pub fn closest<'a>(a: impl Into<ShapeRef<'a>>, pose: &Pose, point: Vec3) -> Closest {
    closest_counted(a, pose, point).0
}

/// [`closest`], with the work done.
pub fn closest_counted<'a>(a: impl Into<ShapeRef<'a>>, pose: &Pose, point: Vec3) -> (Closest, Work) {
    match a.into() {
        ShapeRef::Mesh(mesh) => mesh_closest(mesh, pose, point),
        ShapeRef::Convex(convex) => convex_closest(convex, pose, point),
        ShapeRef::Compound(compound) => compound_closest(compound, pose, point),
        ShapeRef::Rounded(rounded) => rounded_closest(rounded, pose, point),
        ShapeRef::Superquadric(shape) => superquadric_closest(shape, pose, point),
    }
}

/// Finds the nearest point if it is not farther than `max_distance` metres.
pub fn closest_within<'a>(a: impl Into<ShapeRef<'a>>, pose: &Pose, point: Vec3, max_distance: f64) -> Option<Closest> {
    match a.into() {
        ShapeRef::Mesh(mesh) => mesh_closest_within(mesh, pose, point, max_distance).0,
        other => Some(closest(other, pose, point)).filter(|found| found.distance <= max_distance),
    }
}
