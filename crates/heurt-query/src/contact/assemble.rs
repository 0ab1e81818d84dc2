//! Contacts of a mesh and any second shape, assembled from distance, depth and points.

use crate::answer::contact::DepthBounds;
use crate::answer::contact::{Contact, ContactPoint};
use crate::answer::distance::Distance;
use crate::answer::feature::Feature;
use crate::depth::lengthen_until_separated;
use heurt_geometry::Vec3;

/// The contact of shapes that are disjoint, `normal` the direction of the gap. In a gap that is not wider than its
/// error, the direction between the nearest points is rounding error: the contact points have a better one, if they
/// have one.
pub(super) fn disjoint_contact(found: &Distance, normal: Vec3, points: Vec<ContactPoint>) -> Contact {
    let middle = (found.point_a + found.point_b) * 0.5;
    let of_points = common_normal(&points).filter(|_| found.distance <= found.error);
    let normal = of_points.unwrap_or(normal);
    Contact {
        separation: found.distance,
        separation_bound: (found.distance - found.error).max(0.0),
        error: found.error,
        normal,
        points: or_one(points, middle, normal, found.distance, found.primitives),
    }
}

/// The contact of shapes that overlap; `common` is a point of both, and its primitives.
pub(super) fn overlapping(
    depth: &DepthBounds,
    points: Vec<ContactPoint>,
    (common, primitives): (Vec3, Option<[u32; 2]>),
) -> Contact {
    Contact {
        separation: -depth.at_most,
        // A zero has no sign.
        separation_bound: 0.0 - depth.at_least,
        error: depth.at_most - depth.at_least,
        normal: depth.normal,
        points: or_one(points, common, depth.normal, -depth.at_most, primitives),
    }
}

/// The depth of shapes that only touch, along the normal of their contact points: any direction on the outer side leads
/// out of a touch, and a translation of some ulp proves little of it. `is_separated` returns whether a
/// translation of B separates.
pub(super) fn along_points(
    depth: DepthBounds,
    points: &[ContactPoint],
    rounding: f64,
    is_separated: impl Fn(Vec3) -> bool,
) -> DepthBounds {
    let Some(normal) = common_normal(points).filter(|_| depth.at_most <= rounding) else { return depth };
    let along = lengthen_until_separated(DepthBounds { normal, ..depth }, rounding * (1.0 / 64.0), is_separated);
    if along.at_most <= 2.0 * rounding { along } else { depth }
}

/// The normal of all points; `None` where they have several, as at an edge or a corner.
fn common_normal(points: &[ContactPoint]) -> Option<Vec3> {
    /// One less the cosine of normals that are equal up to rounding.
    const SAME: f64 = 1e-9;
    let first = points.first()?.normal;
    points.iter().all(|point| point.normal.dot(first) >= 1.0 - SAME).then_some(first)
}

/// The points, or one where none was found.
fn or_one(
    points: Vec<ContactPoint>,
    point: Vec3,
    normal: Vec3,
    separation: f64,
    primitives: Option<[u32; 2]>,
) -> smallvec::SmallVec<[ContactPoint; 4]> {
    if !points.is_empty() {
        return points.into();
    }
    let features = primitives.map_or([Feature::Curved; 2], |both| both.map(Feature::Face));
    smallvec::smallvec![ContactPoint {
        point,
        normal,
        separation,
        features,
        primitives: primitives.unwrap_or_default()
    }]
}
