//! Contact problems of the islands of touching bodies.
//!
//! In: bodies, the contacts that the response solves. Out: an [`ExactIsland`] for each group of dynamic bodies that
//! contacts connect, in the order of their first bodies. Bodies that no impulse moves do not connect islands.
//! Cost: nearly linear in the contacts (union-find).

use crate::body::{Body, Kind};
use crate::contact::BodyContact;
use crate::state::bodies::Bodies;
use heurt_geometry::Vec3;
use heurt_query::ContactPoint;
use heurt_rigid::{ContactProblem, PointContact, RigidBody};
use std::collections::BTreeMap;

/// A contact point of the response: the index of its contact, and its index there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PointRef {
    pub touch: u32,
    pub point: u32,
}

/// The contact problem of an island.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExactIsland {
    pub problem: ContactProblem,
    /// The place of each body of the problem.
    pub places: Vec<u32>,
    /// The point of each contact of the problem.
    pub points: Vec<PointRef>,
}

/// Builds the problems of all islands. `is_solved` chooses the points.
pub(crate) fn build_islands(
    bodies: &Bodies,
    gravity: Vec3,
    touches: &[BodyContact],
    is_solved: impl Fn(usize, &BodyContact, &ContactPoint) -> bool,
) -> Vec<ExactIsland> {
    let mut points: Vec<(PointRef, [u32; 2])> = Vec::new();
    let mut union = Union::new(bodies.slots().len());
    for (number, touch) in touches.iter().enumerate() {
        let Some(contact) = &touch.contact else { continue };
        let places = [touch.a.index, touch.b.index];
        let is_moved = places.map(|place| bodies.at(place).is_some_and(|(_, body)| is_dynamic(body)));
        let chosen = contact.points.iter().enumerate().filter(|(_, point)| is_solved(number, touch, point));
        let before = points.len();
        points.extend(chosen.map(|(at, _)| (PointRef { touch: number as u32, point: at as u32 }, places)));
        if is_moved == [true, true] && points.len() > before {
            union.join(places[0], places[1]);
        }
    }
    let mut islands: Vec<ExactIsland> = Vec::new();
    let mut island_of: BTreeMap<u32, usize> = BTreeMap::new();
    let mut indices: Vec<BTreeMap<u32, u32>> = Vec::new();
    for (point, places) in points {
        let [a, b] = places.map(|place| bodies.at(place).map(|(_, body)| body));
        let (Some(a), Some(b)) = (a, b) else { continue };
        let Some(root) = [(places[0], a), (places[1], b)].into_iter().find(|(_, body)| is_dynamic(body)) else {
            continue;
        };
        let root = union.root(root.0);
        let number = *island_of.entry(root).or_insert_with(|| {
            islands.push(ExactIsland::default());
            indices.push(BTreeMap::new());
            islands.len() - 1
        });
        let island = &mut islands[number];
        let local = [(places[0], a), (places[1], b)].map(|(place, body)| {
            *indices[number].entry(place).or_insert_with(|| {
                island.places.push(place);
                island.problem.bodies.push(rigid_body(body, gravity));
                island.places.len() as u32 - 1
            })
        });
        let Some(contact) = &touches[point.touch as usize].contact else { continue };
        island.problem.contacts.push(point_contact(local, [a, b], &contact.points[point.point as usize]));
        island.points.push(point);
    }
    islands
}

/// Reports whether impulses move a body.
pub(crate) fn is_dynamic(body: &Body) -> bool {
    matches!(body.kind, Kind::Dynamic(_))
}

/// The state of a body as solvers need it.
pub(crate) fn rigid_body(body: &Body, gravity: Vec3) -> RigidBody {
    let centre = body.centre_of_mass();
    let (velocity, rate) = (body.velocity_at(centre), body.angular_velocity);
    let Kind::Dynamic(mass) = &body.kind else {
        return RigidBody { velocity, angular_velocity: rate, ..RigidBody::FIXED };
    };
    let inertia = mass.inertia_at(&body.pose);
    let inverse_inertia = inertia.inverse();
    RigidBody {
        inverse_mass: 1.0 / mass.mass,
        inverse_inertia,
        velocity,
        angular_velocity: rate,
        acceleration: body.free_acceleration(gravity),
        angular_acceleration: inverse_inertia * (body.torque - rate.cross(inertia * rate)),
    }
}

/// Writes the velocities of a solved body back.
pub(crate) fn set_velocities(body: &mut Body, state: &RigidBody) {
    let arm = body.centre_of_mass() - body.pose.translation();
    body.angular_velocity = state.angular_velocity;
    body.velocity = state.velocity - state.angular_velocity.cross(arm);
}

/// The contact of two bodies at a point.
pub(crate) fn point_contact(bodies: [u32; 2], [a, b]: [&Body; 2], at: &ContactPoint) -> PointContact {
    PointContact {
        bodies,
        normal: at.normal,
        arms: [a, b].map(|body| at.point - body.centre_of_mass()),
        gap: at.separation,
        normal_rate: Vec3::ZERO,
        restitution: a.restitution.max(b.restitution),
        friction: (a.friction * b.friction).sqrt(),
    }
}

/// Union-find with path halving; the root of a set is its lowest member.
struct Union {
    parents: Vec<u32>,
}

impl Union {
    fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    fn root(&mut self, mut of: u32) -> u32 {
        while self.parents[of as usize] != of {
            let above = self.parents[self.parents[of as usize] as usize];
            self.parents[of as usize] = above;
            of = above;
        }
        of
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }
}
