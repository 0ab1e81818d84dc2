//! Nearest point of the boundary of a compound, the union of its parts.
//!
//! Method: outside, the nearest part decides. Inside, the deepest part bounds the depth from below, for its boundary is
//! the first that can be met. From above, any path out does: the paths out of the parts that hold the point, and paths
//! along the axes, are followed, each in steps of the depth that is left, until they end outside.
//! Guarantees: outside as good as the parts are. Inside both bounds meet where the nearest place is on no other part,
//! as always where parts do not overlap; else `error` covers both.

use super::closest_counted;
use super::escape::within;
use crate::answer::closest::Closest;
use crate::compound::nearby_parts::PlacedCompound;
use heurt_bvh::Work;
use heurt_geometry::{Aabb, Pose, Vec3};
use heurt_shape::Compound;
use std::ops::ControlFlow;

/// Paths out that are followed at most.
const MAX_PATHS: usize = 16;

/// The boundary of the union of all parts.
pub(crate) fn compound_closest(a: &Compound, pose: &Pose, point: Vec3) -> (Closest, Work) {
    let mut work = Work::default();
    let seen = nearby_parts(a, pose, point, &mut work);
    let is_solid = a.parts().iter().any(|part| is_solid(&part.shape));
    if seen.around.is_empty() {
        let nearest = seen.nearest.unwrap_or_else(|| outside_of_all(point));
        let result = |value| is_solid.then_some(value);
        return (
            Closest {
                signed_distance: result(nearest.distance),
                inside: is_solid.then_some(nearest.distance == 0.0),
                ..nearest
            },
            work,
        );
    }
    let mut paths = seen.around;
    paths.sort_by(|x, y| y.distance.total_cmp(&x.distance));
    let deepest = paths[0];
    let depth_at = |at: Vec3| {
        let seen = nearby_parts(a, pose, at, &mut work);
        seen.around.into_iter().map(|found| found.distance).fold(0.0, f64::max)
    };
    (within(point, deepest, &paths[..paths.len().min(MAX_PATHS)], pose, depth_at), work)
}

/// Closest points of the parts near a point.
struct NearbyParts {
    /// Closest points of the parts that hold it.
    around: Vec<Closest>,
    /// The closest point of all parts.
    nearest: Option<Closest>,
}

fn nearby_parts(a: &Compound, pose: &Pose, point: Vec3, work: &mut Work) -> NearbyParts {
    let mut seen = NearbyParts { around: Vec::new(), nearest: None };
    // The least lower bound of all parts: a larger part has a larger error.
    let mut least = f64::INFINITY;
    let placed = PlacedCompound::new(a, pose);
    let mut done = Work::default();
    let here = Aabb { min: point, max: point };
    let walked = placed.near_box(&here, &Pose::IDENTITY, f64::INFINITY, |part| {
        let (found, counted) = closest_counted(part.placed.shape, part.placed.pose, point);
        done += counted;
        let found = Closest { primitive: part.first_primitive + found.primitive, ..found };
        if found.inside == Some(true) {
            seen.around.push(found);
            return ControlFlow::Continue(0.0);
        }
        least = least.min(found.distance - found.error);
        if seen.nearest.as_ref().is_none_or(|nearest| found.distance < nearest.distance) {
            seen.nearest = Some(found);
        }
        ControlFlow::Continue(seen.nearest.map_or(f64::INFINITY, |nearest| nearest.distance))
    });
    *work += done;
    *work += walked;
    if let Some(nearest) = &mut seen.nearest {
        nearest.error = nearest.error.max(nearest.distance - least);
    }
    seen
}

fn is_solid(shape: &heurt_shape::Shape) -> bool {
    match shape {
        heurt_shape::Shape::Mesh(mesh) => mesh.is_solid(),
        heurt_shape::Shape::Convex(convex) => crate::convex::boundary::has_inside(convex),
        heurt_shape::Shape::Compound(_) | heurt_shape::Shape::Superquadric(_) => true,
        heurt_shape::Shape::Rounded(rounded) => rounded.margin() > 0.0 || rounded.mesh().is_solid(),
    }
}

/// The result if numbers overflow.
fn outside_of_all(point: Vec3) -> Closest {
    let distance = f64::INFINITY;
    Closest { point, distance, signed_distance: None, inside: None, primitive: 0, error: f64::INFINITY }
}
