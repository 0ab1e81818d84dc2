//! Vectors, poses, exact predicates and basic geometry: the foundation of all other crates of heurt.
//!
//! In: `f64` coordinates. Out: placed points, exact signs, intersections of triangles, hulls of points.
//! Method: `glam` for vectors, `robust` for adaptive predicates with its range guarded; see the modules.
//! Guarantees: predicates give the sign of the exact real value of their `f64` arguments, for any magnitude. Meshes and
//! trees are outside the scope of this crate.

mod aabb;
mod camera;
pub(crate) mod contact_interval;
mod convex_polygon;
pub(crate) mod display_number;
mod draw;
mod floor_area;
mod hull;
mod interop;
mod motion;
mod plan_area;
mod pose;
mod predicates;
mod random;
mod state_hash;
mod triangle;
mod unit;

pub use crate::contact_interval::{ContactInterval, PolygonContactInterval, PolygonFeature};
pub use crate::display_number::{Counted, DisplayNumber, ShortNumber, ShortPlace};
pub use aabb::Aabb;
pub use camera::{
    Camera, Projection, ProjectionError, ScreenPoint, Shear, View, ViewError, ViewPlane, ViewRay, ViewVolume,
    Visibility,
};
pub use convex_polygon::{AxisSeparation, ConvexPolygon};
pub use draw::{Draw, DrawSink, Meaning, PlacedSink};
pub use floor_area::{DOORSTEP, FLAT_WITHIN, FloorArea, STEEPEST_FLOOR};
pub use hull::{ConvexHull, Dimension, HullError, HullFault};
pub use motion::{Motion, MotionError};
pub use plan_area::{PlanArea, ring_edges};
pub use pose::{Pose, PoseError};
#[doc(hidden)]
pub use predicates::FilterOnly;
pub use predicates::{Exact, Predicates, Sign, insphere, orient2d, orient3d};
pub use random::SplitMix64;
pub use state_hash::StateHash;
#[doc(hidden)]
pub use triangle::triangles_intersect_by;
pub use triangle::{
    Section, SectionPoint, TriangleFeature, TriangleRelation, is_degenerate, point_on_segment, point_on_triangle,
    section, segment_intersects_triangle, segments_intersect, triangle_relation, triangles_intersect,
};
pub use unit::{power_of_two_scale, robust_length, robust_normalize, scaled_to_unit_range};

/// A vector or point of 3D space, in metres unless stated otherwise.
pub type Vec3 = glam::DVec3;
/// A vector or point of the plane.
pub type Vec2 = glam::DVec2;
/// A 3×3 matrix, column-major.
pub type Mat3 = glam::DMat3;
/// A quaternion `[x, y, z, w]`.
pub type Quat = glam::DQuat;
/// A triangle by its three corners, counter-clockwise seen from outside.
pub type Triangle = [Vec3; 3];
