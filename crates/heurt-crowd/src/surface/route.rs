//! Routes: the shortest paths to all targets, and the direction in which an agent sets out.
//!
//! In: ground, targets. Out: fields of distances, shared by agents with one target; for an agent a plane of velocities
//! and a direction in it.
//! Method: a direction is in the plane of the agent's face. On an edge the path may lead into the next face: the
//! direction is turned round the edge. In a vertex the plane of the next face takes the place of the own one.
//! A path bends at corners of walls, which a disc passes at its radius: near a bend the direction is the tangent to the
//! circle of a radius round it, on the outside of the bend.
//! Cost: a field roughly n^1.5 (`geodesic`); a direction O(windows of a face).

use super::walls::SurfaceWalls;
use super::{Roamer, SurfaceGround};
use heurt_geometry::Vec3;
use heurt_map::geodesic::{GeodesicError, GeodesicField, GeodesicGoal};
use heurt_map::track::CellPlace;
use rayon::prelude::*;

/// Unit vectors with no larger component across a face are in its plane.
const IN_PLANE: f64 = 1e-9;

/// Discs pass corners at their radius and this share of it, so that they need not touch them.
const CLEARANCE: f64 = 0.1;

/// Paths whose pieces before and after a corner have a smaller sine of the angle between them do not bend there.
const LEAST_BEND: f64 = 1e-9;

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
    /// The ground of its paths: for agents of one radius, or of all.
    pub wide: Option<u32>,
}

/// Computes the distances to each target.
pub(super) fn fields_to<'g>(
    ground: &'g SurfaceGround,
    targets: &[Target],
) -> Vec<Result<GeodesicField<'g>, GeodesicError>> {
    let field = |target: &Target| {
        let goal = GeodesicGoal { points: vec![(target.face, target.place)], ..GeodesicGoal::default() };
        ground.paths(target.wide).field(&goal)
    };
    targets.par_iter().map(field).collect()
}

/// Finds the plane and the direction of an agent.
pub(super) fn bearing(
    ground: &SurfaceGround,
    walls: &SurfaceWalls,
    agent: &Roamer,
    field: Option<&GeodesicField<'_>>,
) -> Bearing {
    let normal = ground.normal_of(agent.face);
    let Some((field, direction)) =
        field.and_then(|field| Some((field, field.direction_at(agent.face, agent.position)?)))
    else {
        return Bearing { normal, direction: None };
    };
    let (normal, direction) = in_plane(ground, agent, direction);
    let around = |direction: Vec3| match bend_ahead(walls, agent, field, normal) {
        Some((sine, side)) => direction * (1.0 - sine * sine).sqrt() - normal.cross(direction) * (side * sine),
        None => direction,
    };
    Bearing { normal, direction: direction.try_normalize().map(around) }
}

/// Finds the plane of a direction, and the direction in it.
fn in_plane(ground: &SurfaceGround, agent: &Roamer, direction: Vec3) -> (Vec3, Vec3) {
    let normal = ground.normal_of(agent.face);
    let across = |normal: Vec3| direction.dot(normal);
    if across(normal).abs() <= IN_PLANE {
        return (normal, direction - normal * across(normal));
    }
    let around = ground.around(agent.face).iter().map(|&face| ground.normal_of(face));
    let next = around.min_by(|a, b| across(*a).abs().total_cmp(&across(*b).abs())).unwrap_or(normal);
    let there = direction - next * across(next);
    if agent.place == CellPlace::Vertex { (next, there) } else { (normal, turn(there, next, normal)) }
}

/// Finds the next corner of a wall at which the path bends, if it is near: the sine of the angle between the path and
/// the tangent to a circle round it, and 1 for a bend to the left, else -1.
fn bend_ahead(walls: &SurfaceWalls, agent: &Roamer, field: &GeodesicField<'_>, normal: Vec3) -> Option<(f64, f64)> {
    let clearance = agent.radius * (1.0 + CLEARANCE);
    if agent.radius == 0.0 || !walls.are_near(agent.face) {
        return None;
    }
    let path = field.path_from(agent.face, agent.position)?;
    let mut length = 0.0;
    for places in path.windows(3) {
        let [before, corner, after] = [places[0], places[1], places[2]];
        length += before.distance(corner);
        if length > walls.reach() {
            return None;
        }
        if walls.is_corner(corner) {
            let [before, after] = [corner - before, after - corner].map(Vec3::normalize_or_zero);
            let bend = normal.dot(before.cross(after));
            let sine = if length > 0.0 { (clearance / length).min(1.0) } else { 1.0 };
            return (bend.abs() > LEAST_BEND).then_some((sine, bend.signum()));
        }
    }
    None
}

/// Turns a vector of one plane into another by the least rotation of their normals.
pub(super) fn turn(vector: Vec3, from: Vec3, to: Vec3) -> Vec3 {
    let sum = from + to;
    let whole = 1.0 + from.dot(to);
    let turned = if whole > 1e-9 { vector - sum * (to.dot(vector) / whole) } else { vector };
    turned - to * to.dot(turned)
}
