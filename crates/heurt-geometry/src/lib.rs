//! Vectors, poses, exact predicates and the small geometry that everything else in heurt stands on.
//!
//! In: `f64` coordinates. Out: placed points, exact signs, intersections of triangles, hulls of points.
//! Method: `glam` for vectors, `robust` for adaptive predicates with its range guarded; see the modules.
//! Guarantees: predicates give the sign of the exact real value of their `f64` arguments, whatever their
//! magnitude. Nothing here knows meshes or trees.

mod aabb;
mod pose;
mod predicates;

pub use aabb::Aabb;
pub use pose::{Pose, PoseError};
pub use predicates::*;

/// A vector or point of 3D space, in metres unless said otherwise.
pub type Vec3 = glam::DVec3;
/// A vector or point of the plane.
pub type Vec2 = glam::DVec2;
/// A 3×3 matrix, column-major.
pub type Mat3 = glam::DMat3;
/// A quaternion `[x, y, z, w]`.
pub type Quat = glam::DQuat;
/// A triangle by its three corners, counter-clockwise seen from outside.
pub type Triangle = [Vec3; 3];
