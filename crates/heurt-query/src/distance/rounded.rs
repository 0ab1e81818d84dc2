//! Shapes of which one at least is a mesh with a margin: the distance of their cores less the margins.

use super::{Distance, DistanceInTime, distance_asked};
use crate::budget::Spending;
use heurt_geometry::Pose;
use heurt_shape::ShapeRef;

/// The mesh within a margin, and the margin; a superquadric, which is asked for its surface, with its margin; other shapes as they
/// are.
pub(crate) fn without_margin(shape: ShapeRef<'_>) -> (ShapeRef<'_>, f64) {
    match shape {
        ShapeRef::Rounded(rounded) => (ShapeRef::Mesh(rounded.mesh()), rounded.margin()),
        ShapeRef::Superquadric(exact) => (shape, exact.margin()),
        other => (other, 0.0),
    }
}

/// Finds how far they are apart if that is not above `max` metres.
pub(crate) fn rounded_distance(
    (a, pose_a): (ShapeRef<'_>, &Pose),
    (b, pose_b): (ShapeRef<'_>, &Pose),
    max: f64,
    spending: &Spending<'_>,
) -> DistanceInTime {
    let ((a, margin_a), (b, margin_b)) = (without_margin(a), without_margin(b));
    let found = distance_asked((a, pose_a), (b, pose_b), max + margin_a + margin_b, spending);
    found.less_margins([margin_a, margin_b], max)
}

/// The distance to all points within a margin of A and of all within one of B.
pub(crate) fn less_margins(found: Distance, [margin_a, margin_b]: [f64; 2]) -> Distance {
    let margin = margin_a + margin_b;
    let Some(normal) = found.normal.filter(|_| margin > 0.0 && found.distance > 0.0) else { return found };
    if found.distance <= margin {
        let common = found.point_a + (found.point_b - found.point_a) * (margin_a / margin);
        let gap_at_most = found.distance - margin + found.error + 4.0 * f64::EPSILON * margin;
        return Distance::common_within(gap_at_most, common, found.primitives);
    }
    Distance {
        distance: found.distance - margin,
        point_a: found.point_a + normal * margin_a,
        point_b: found.point_b - normal * margin_b,
        error: found.error + 4.0 * f64::EPSILON * margin,
        ..found
    }
}
