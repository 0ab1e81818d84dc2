//! Routes: the shortest paths to all targets, and the direction in which an agent sets out.
//!
//! In: ground, targets. Out: fields of distances, shared by agents with one target; for an agent a plane of velocities
//! and a direction in it.
//! Method: a direction is in the plane of the agent's face. On an edge the path may lead into the next face: the
//! direction is turned round the edge. In a vertex the plane of the next face takes the place of the own one.
//! Cost: a field about n^1.5 (`geodesic`); a direction O(windows of a face).

use super::{Roamer, SurfaceGround};
use heurt_geometry::Vec3;
use heurt_map::geodesic::{GeodesicError, GeodesicField, GeodesicGoal};
use heurt_map::track::CellPlace;
use rayon::prelude::*;

/// Unit vectors with no larger component across a face are in its plane.
const IN_PLANE: f64 = 1e-9;

/// The plane in which an agent chooses its velocity, and its direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bearing {
    /// Unit normal of the plane.
    pub normal: Vec3,
    /// Unit vector to the target; `None` at the target, and without one.
    pub direction: Option<Vec3>,
}

/// A target on the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Target {
    pub face: u32,
    pub place: Vec3,
}

/// Computes the distances to each target.
pub(super) fn fields_to<'g>(
    ground: &'g SurfaceGround,
    targets: &[Target],
) -> Vec<Result<GeodesicField<'g>, GeodesicError>> {
    let field = |target: &Target| {
        let goal = GeodesicGoal { points: vec![(target.face, target.place)], ..GeodesicGoal::default() };
        ground.geodesic.field(&goal)
    };
    targets.par_iter().map(field).collect()
}

/// Finds the plane and the direction of an agent.
pub(super) fn bearing(ground: &SurfaceGround, agent: &Roamer, field: Option<&GeodesicField<'_>>) -> Bearing {
    let normal = ground.normal_of(agent.face);
    let Some(direction) = field.and_then(|field| field.direction_at(agent.face, agent.position)) else {
        return Bearing { normal, direction: None };
    };
    let across = |normal: Vec3| direction.dot(normal);
    if across(normal).abs() <= IN_PLANE {
        let direction = (direction - normal * across(normal)).try_normalize();
        return Bearing { normal, direction };
    }
    let around = ground.around(agent.face).iter().map(|&face| ground.normal_of(face));
    let Some(next) = around.min_by(|a, b| across(*a).abs().total_cmp(&across(*b).abs())) else {
        return Bearing { normal, direction: None };
    };
    if agent.place == CellPlace::Vertex {
        return Bearing { normal: next, direction: (direction - next * across(next)).try_normalize() };
    }
    let turned = turn(direction - next * across(next), next, normal);
    Bearing { normal, direction: turned.try_normalize() }
}

/// Turns a vector of one plane into another by the least rotation of their normals.
pub(super) fn turn(vector: Vec3, from: Vec3, to: Vec3) -> Vec3 {
    let sum = from + to;
    let whole = 1.0 + from.dot(to);
    let turned = if whole > 1e-9 { vector - sum * (to.dot(vector) / whole) } else { vector };
    turned - to * to.dot(turned)
}
