//! Containment test of a point in a placed convex shape.
//!
//! Guarantees: exact for hulls without a margin; curved and rounded shapes are right beyond 16 ulp of the largest
//! coordinate.

use crate::convex::boundary::{ORIGIN, boundary};
use crate::convex::overlap::convex_overlap;
use crate::convex::pair::ConvexPair;
use heurt_bvh::Work;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, Core};

/// Tests whether `point` (world frame, finite) belongs to the shape, its boundary included.
pub(crate) fn convex_contains(convex: &Convex, pose: &Pose, point: Vec3) -> bool {
    match (convex.core(), Pose::from_translation(point)) {
        (Core::Hull(_), Ok(at)) if convex.margin() == 0.0 => {
            convex_overlap(ConvexPair { a: convex, pose_a: pose, b: &ORIGIN, pose_b: &at })
        }
        _ => boundary(convex, pose, point, &mut Work::default()).signed <= 0.0,
    }
}
