//! How contacts of meshes are told, whatever the other shape is.

use super::{Contact, ContactPoint, Feature};
use crate::algo::mesh_depth::MeshDepth;
use crate::distance::Distance;
use heurt_geometry::Vec3;

/// What is told of shapes that are apart, `normal` the direction of the gap.
pub(super) fn apart(found: &Distance, normal: Vec3, points: Vec<ContactPoint>) -> Contact {
    let middle = (found.point_a + found.point_b) * 0.5;
    Contact {
        separation: found.distance,
        separation_bound: (found.distance - found.error).max(0.0),
        error: found.error,
        normal,
        points: or_one(points, middle, normal, found.distance, found.primitives),
    }
}

/// What is told of shapes that overlap; `common` is a point of both, and its primitives.
pub(super) fn overlapping(
    depth: &MeshDepth,
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
