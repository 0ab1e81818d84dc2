//! `closest`: the point of a shape's boundary nearest to a given one, and on which side that one lies.

mod compound;
mod superquadric;

pub(crate) use crate::convex::closest::convex_closest;
pub(crate) use crate::mesh::closest::{mesh_closest, mesh_closest_within, share_edge};

use compound::{compound_closest, rounded_closest};
use heurt_bvh::Work;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::ShapeRef;
use superquadric::superquadric_closest;

/// The nearest point of a boundary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// On the boundary, in the world frame.
    pub point: Vec3,
    /// From the given point, in metres.
    pub distance: f64,
    /// Negative inside; `None` when the shape is not solid.
    pub signed_distance: Option<f64>,
    /// Whether the given point is inside or on the boundary; `None` when the shape is not solid.
    pub inside: Option<bool>,
    /// The triangle that holds `point`; 0 for a convex shape, for a compound counted through its parts.
    pub primitive: u32,
    /// Bounds the absolute error of the distance, in metres.
    pub error: f64,
}

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

/// Finds the nearest point if it is not farther than `max` metres.
pub fn closest_within<'a>(a: impl Into<ShapeRef<'a>>, pose: &Pose, point: Vec3, max: f64) -> Option<Closest> {
    match a.into() {
        ShapeRef::Mesh(mesh) => mesh_closest_within(mesh, pose, point, max).0,
        other => Some(closest(other, pose, point)).filter(|found| found.distance <= max),
    }
}
