//! The nearest point of the boundary of a union: of the parts of a compound, or of the balls about the points of a mesh.
//!
//! Method: outside, the nearest part tells. Inside, the deepest part bounds the depth from below, for its boundary is the
//! first that can be met. From above, any way out does: the ways out of the parts that hold the point, and those along the axes,
//! are followed, each in steps of the depth that is left, until they end outside.
//! Guarantees: outside as good as the parts are. Inside both bounds meet where the nearest place is on no other part, as always
//! where parts do not overlap; else `error` reaches from one to the other.

use super::closest_counted;
use crate::answer::closest::Closest;
use crate::compound::nearby_parts::PlacedCompound;
use crate::mesh::closest::mesh_closest;
use heurt_bvh::Work;
use heurt_geometry::{Aabb, Pose, Vec3, direction_of, of_middling_length};
use heurt_shape::{Compound, RoundedMesh};
use std::ops::ControlFlow;

/// Steps on a way out at most.
const MOST_STEPS: u32 = 256;
/// Ways out that are followed at most.
const MOST_WAYS: usize = 16;

/// The boundary of the union of all parts.
pub(crate) fn compound_closest(a: &Compound, pose: &Pose, point: Vec3) -> (Closest, Work) {
    let mut work = Work::default();
    let seen = look(a, pose, point, &mut work);
    let is_solid = a.parts().iter().any(|part| is_solid(&part.shape));
    if seen.around.is_empty() {
        let nearest = seen.nearest.unwrap_or_else(|| outside_of_all(point));
        let told = |value| is_solid.then_some(value);
        return (
            Closest {
                signed_distance: told(nearest.distance),
                inside: is_solid.then_some(nearest.distance == 0.0),
                ..nearest
            },
            work,
        );
    }
    let mut ways = seen.around;
    ways.sort_by(|x, y| y.distance.total_cmp(&x.distance));
    let deepest = ways[0];
    let depth_at = |at: Vec3| {
        let seen = look(a, pose, at, &mut work);
        seen.around.into_iter().map(|found| found.distance).fold(0.0, f64::max)
    };
    (within(point, deepest, &ways[..ways.len().min(MOST_WAYS)], pose, depth_at), work)
}

/// What the parts that may matter say about a point.
struct Seen {
    /// Of the parts that hold it.
    around: Vec<Closest>,
    /// Of all parts.
    nearest: Option<Closest>,
}

fn look(a: &Compound, pose: &Pose, point: Vec3, work: &mut Work) -> Seen {
    let mut seen = Seen { around: Vec::new(), nearest: None };
    // Of all parts: a larger one may be nearer by what it is known less well.
    let mut least = f64::INFINITY;
    let placed = PlacedCompound { compound: a, pose };
    let mut done = Work::default();
    let here = Aabb { min: point, max: point };
    let walked = placed.near_box(&here, &Pose::IDENTITY, f64::INFINITY, |number, pose| {
        let part = &a.parts()[number as usize];
        let (found, counted) = closest_counted(&part.shape, pose, point);
        done += counted;
        let found = Closest { primitive: part.first + found.primitive, ..found };
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

/// Where numbers overflow.
fn outside_of_all(point: Vec3) -> Closest {
    let distance = f64::INFINITY;
    Closest { point, distance, signed_distance: None, inside: None, primitive: 0, error: f64::INFINITY }
}

/// The boundary of all points within the margin of a mesh.
pub(crate) fn rounded_closest(a: &RoundedMesh, pose: &Pose, point: Vec3) -> (Closest, Work) {
    let normal = |core: &Closest| normal_of(a, pose, core.primitive);
    grown_closest(a.margin(), pose, point, |at| mesh_closest(a.mesh(), pose, at), normal)
}

/// The boundary of all points within a margin of what `core` tells; `normal` leads out where a point lies on that.
pub(super) fn grown_closest(
    margin: f64,
    pose: &Pose,
    point: Vec3,
    of_core: impl Fn(Vec3) -> (Closest, Work),
    normal: impl FnOnce(&Closest) -> Vec3,
) -> (Closest, Work) {
    let (core, mut work) = of_core(point);
    if margin == 0.0 {
        return (core, work);
    }
    let signed = core.signed_distance.unwrap_or(core.distance);
    let way = if signed < 0.0 { core.point - point } else { point - core.point };
    let normal = direction_of(way).unwrap_or_else(|| normal(&core));
    let error = core.error + 4.0 * f64::EPSILON * margin;
    let distance = (signed - margin).abs();
    let found = Closest { point: core.point + normal * margin, distance, error, ..core };
    if signed > margin {
        return (Closest { signed_distance: Some(distance), inside: Some(false), ..found }, work);
    }
    let depth_at = |at: Vec3| {
        let (core, done) = of_core(at);
        work += done;
        (margin - core.signed_distance.unwrap_or(core.distance)).max(0.0)
    };
    (within(point, found, &[found], pose, depth_at), work)
}

/// Out of the triangle, for a point on it.
fn normal_of(a: &RoundedMesh, pose: &Pose, triangle: u32) -> Vec3 {
    let [p, q, r] = crate::mesh::walk::pair_walk::place(a.mesh(), pose, triangle);
    let normal = of_middling_length(q - p).cross(of_middling_length(r - p));
    direction_of(normal).or_else(|| direction_of((q - p).any_orthogonal_vector())).unwrap_or(Vec3::Z)
}

/// Inside, where nothing of the boundary is nearer than `least` says: the shortest of the ways out, or of those along an axis.
fn within(
    point: Vec3,
    least: Closest,
    ways: &[Closest],
    pose: &Pose,
    mut depth_at: impl FnMut(Vec3) -> f64,
) -> Closest {
    let room = 4.0 * least.error;
    let mut best: Option<(f64, Vec3, u32)> = None;
    let mut follow = |towards: Vec3, first: f64, primitive: u32| {
        let shortest = best.map_or(f64::INFINITY, |(shortest, ..)| shortest);
        if let Some(length) = way_out(point, towards, first, shortest, room, &mut depth_at) {
            best = Some((length, towards, primitive));
        }
        best.is_some_and(|(shortest, ..)| shortest <= least.distance + room)
    };
    let own =
        ways.iter().map(|way| (direction_of(way.point - point).unwrap_or(Vec3::ZERO), way.distance, way.primitive));
    let rotation = pose.rotation();
    let axes = [rotation.x_axis, rotation.y_axis, rotation.z_axis].into_iter().flat_map(|axis| [axis, -axis]);
    let along_axes = axes.map(|axis| (axis.normalize_or_zero(), least.distance, least.primitive));
    for (towards, first, primitive) in own.chain(along_axes) {
        if follow(towards, first, primitive) {
            break;
        }
    }
    let Some((length, towards, primitive)) = best else {
        // No way was followed to its end.
        return Closest { signed_distance: Some(-least.distance), inside: Some(true), error: f64::INFINITY, ..least };
    };
    let end = point + towards * length;
    let own_end = ways.iter().find(|way| (way.point - end).length() <= room).map_or(end, |way| way.point);
    let is_proved = length <= least.distance + room;
    let distance = if is_proved { least.distance } else { length };
    Closest {
        point: own_end,
        distance,
        signed_distance: Some(-distance),
        inside: Some(true),
        primitive,
        error: if is_proved { least.error + room } else { length - least.distance + room },
    }
}

/// How far it is out of the union along a direction, if that is shorter than `shortest`: from `first` on, where it is not before,
/// in steps that stay inside.
fn way_out(
    point: Vec3,
    towards: Vec3,
    first: f64,
    shortest: f64,
    room: f64,
    depth_at: &mut impl FnMut(Vec3) -> f64,
) -> Option<f64> {
    let mut length = first;
    for _ in 0..MOST_STEPS {
        if length >= shortest {
            return None;
        }
        let left = depth_at(point + towards * length);
        if left <= room {
            return Some(length);
        }
        length += left;
    }
    None
}
