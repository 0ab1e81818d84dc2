//! `distance`: how far two placed shapes are from each other, with the points where they are nearest.

mod compound;
pub(crate) mod convex_convex;
mod mesh_convex;
mod mesh_mesh;
mod rounded;
mod superquadric;

pub use mesh_mesh::distance_with_trees;

pub(crate) use mesh_convex::mesh_convex_distance_within;
pub(crate) use mesh_mesh::{
    OnPose, Surroundings, clearance, mesh_distance_since, mesh_distance_within, nearest_within, pairs_near,
    surfaces_within,
};
pub(crate) use rounded::without_margin;

use crate::algo::convex_pair::ConvexPair;
use compound::compound_distance_within;
use convex_convex::convex_distance_within;
use heurt_bvh::Work;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::ShapeRef;
use rounded::rounded_distance_within;
use superquadric::superquadric_distance_within;

/// How far two shapes are apart, in metres and the world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// 0 where they overlap.
    pub distance: f64,
    /// A point of A nearest to B; where they overlap a common point.
    pub point_a: Vec3,
    /// The point of B nearest to it; where they overlap the same point.
    pub point_b: Vec3,
    /// A unit vector from A to B: both lie on either side of a gap of width `distance` across it, as far as the nearest
    /// primitives are concerned. `None` where they overlap.
    pub normal: Option<Vec3>,
    /// The triangles that hold the points; `None` where one shape lies inside the other.
    pub primitives: Option<[u32; 2]>,
    /// Bounds the absolute error of `distance`; 0 where they overlap.
    pub error: f64,
}

impl Distance {
    /// What is told of shapes that have `point` in common.
    pub(crate) fn common(point: Vec3, primitives: Option<[u32; 2]>) -> Self {
        Self { distance: 0.0, point_a: point, point_b: point, normal: None, primitives, error: 0.0 }
    }

    /// The same, seen from B.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            point_a: self.point_b,
            point_b: self.point_a,
            normal: self.normal.map(|normal| -normal),
            primitives: self.primitives.map(|[a, b]| [b, a]),
            ..self
        }
    }
}

/// Finds how far two placed shapes are apart.
pub fn distance<'a>(a: impl Into<ShapeRef<'a>>, pose_a: &Pose, b: impl Into<ShapeRef<'a>>, pose_b: &Pose) -> Distance {
    distance_counted(a, pose_a, b, pose_b).0
}

/// [`distance`], with the work done.
pub fn distance_counted<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
) -> (Distance, Work) {
    let (found, work) = distance_within_counted(a, pose_a, b, pose_b, f64::INFINITY);
    (found.expect("without a limit there is a distance"), work)
}

/// [`distance`] if it is not above `max` metres: what is farther is left out at once.
pub fn distance_within<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    max: f64,
) -> Option<Distance> {
    distance_within_counted(a, pose_a, b, pose_b, max).0
}

/// [`distance_within`], with the work done.
pub fn distance_within_counted<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    max: f64,
) -> (Option<Distance>, Work) {
    // A limit that is not a number is none.
    let max = max.min(f64::INFINITY);
    match (a.into(), b.into()) {
        (ShapeRef::Mesh(a), ShapeRef::Mesh(b)) => mesh_distance_within(a, pose_a, b, pose_b, max),
        (ShapeRef::Mesh(a), ShapeRef::Convex(b)) => mesh_convex_distance_within(a, pose_a, b, pose_b, max),
        (ShapeRef::Convex(a), ShapeRef::Mesh(b)) => {
            let (found, work) = mesh_convex_distance_within(b, pose_b, a, pose_a, max);
            (found.map(Distance::swapped), work)
        }
        (ShapeRef::Convex(a), ShapeRef::Convex(b)) => {
            let found = convex_distance_within(ConvexPair { a, pose_a, b, pose_b }, max);
            (found, Work { primitives: 1, ..Work::default() })
        }
        (ShapeRef::Compound(a), b) => compound_distance_within(a, pose_a, b, pose_b, max),
        (a, ShapeRef::Compound(b)) => {
            let (found, work) = compound_distance_within(b, pose_b, a, pose_a, max);
            (found.map(Distance::swapped), work)
        }
        (ShapeRef::Superquadric(a), b) => superquadric_distance_within(a, pose_a, b, pose_b, max),
        (a, ShapeRef::Superquadric(b)) => {
            let (found, work) = superquadric_distance_within(b, pose_b, a, pose_a, max);
            (found.map(Distance::swapped), work)
        }
        (a @ ShapeRef::Rounded(_), b) | (a, b @ ShapeRef::Rounded(_)) => {
            rounded_distance_within(a, pose_a, b, pose_b, max)
        }
    }
}
