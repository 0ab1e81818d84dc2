//! Contact problems of the islands of bodies that contacts and joints connect.
//!
//! In: bodies, the contacts that the response solves, joints. Out: an [`ExactIsland`] for each group of dynamic bodies
//! that are connected, in the order of their first contacts. Bodies that no impulse moves do not connect islands.
//! Cost: nearly linear in the contacts and joints (union-find).

use crate::body::{Body, Kind};
use crate::contact::BodyContact;
use crate::response::assignment::Assignment;
use crate::response::joints::{JointId, JointTable, WorldJoint, joint_frame};
use crate::response::surface_motion::{SurfaceMotions, SurfacePatch};
use crate::state::bodies::Bodies;
use crate::step::step_motion::{flight_forces, flight_state};
use heurt_geometry::Vec3;
use heurt_query::ContactPoint;
use heurt_rigid::soft_step::Islands;
use heurt_rigid::{
    ConstraintRow, ContactProblem, FlightForces, FlightState, JointFrame, JointRows, PointContact, RigidBody,
    StepShare, fly,
};
use std::collections::BTreeMap;
use std::ops::Range;

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
    /// The place of each body of the problem; [`WORLD`] for the world.
    pub places: Vec<u32>,
    /// The point of each contact of the problem.
    pub points: Vec<PointRef>,
    /// The joints, each with its rows.
    pub joints: Vec<(JointId, Range<usize>)>,
}

/// Share of the forces of a step that acts on bodies with joints before their motion; the rest acts after it.
pub(crate) const SHARE_BEFORE_MOTION: f64 = 0.5;

/// The place of the world, which holds one side of some joints.
pub(crate) const WORLD: u32 = u32::MAX;

/// The rows that joints add to a problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum JointLevel {
    /// Velocities: joints hold through impacts; limits are reached at the end of `dt` seconds at the earliest.
    Velocity {
        /// In seconds.
        dt: f64,
    },
    /// Positions at the end of a step of `dt` seconds, before which forces act for half of it.
    Step {
        /// In seconds.
        dt: f64,
    },
    /// Velocities after forces have acted for `dt` seconds, without motion.
    End {
        /// In seconds.
        dt: f64,
    },
}

/// The input of the problems of islands.
pub(crate) struct IslandBuilder<'a> {
    pub bodies: &'a Bodies,
    pub gravity: Vec3,
    pub touches: &'a [BodyContact],
    /// The motions of the bodies that no impulse moves.
    pub surfaces: &'a SurfaceMotions,
    /// Length of the step, in seconds, over which surfaces change their velocity.
    pub dt: f64,
    /// `None` for contacts only.
    pub joints: Option<IslandJoints<'a>>,
}

/// The joints of the problems of islands.
#[derive(Clone, Copy)]
pub(crate) struct IslandJoints<'a> {
    pub table: &'a JointTable,
    /// Which bodies are solved.
    pub assignment: &'a Assignment,
    pub level: JointLevel,
}

/// A member of an island: a point or a joint, and the places of its bodies.
enum Member {
    Point(PointRef),
    Joint(JointId),
}

impl IslandBuilder<'_> {
    /// Builds the problems of all islands. `is_solved` chooses the points.
    pub(crate) fn build(&self, is_solved: impl Fn(usize, &BodyContact, &ContactPoint) -> bool) -> Vec<ExactIsland> {
        let mut members = self.list_points(is_solved);
        self.list_joints(&mut members);
        let dynamic: Vec<bool> =
            self.bodies.slots().iter().map(|slot| slot.body.as_ref().is_some_and(is_dynamic)).collect();
        let sets = Islands::find(&dynamic, members.iter().map(|(_, places)| *places));
        let mut islands: Vec<ExactIsland> = Vec::new();
        let mut island_of: BTreeMap<u32, usize> = BTreeMap::new();
        let mut indices: Vec<BTreeMap<u32, u32>> = Vec::new();
        for (member, places) in members {
            let Some(place) = places.into_iter().find(|place| self.is_dynamic_at(*place)) else { continue };
            let number = *island_of.entry(sets.of_body[place as usize]).or_insert_with(|| {
                islands.push(ExactIsland::default());
                indices.push(BTreeMap::new());
                islands.len() - 1
            });
            let island = &mut islands[number];
            let local = places.map(|place| {
                *indices[number].entry(place).or_insert_with(|| {
                    island.places.push(place);
                    let body = self.bodies.at(place).map(|(_, body)| rigid_body(body, self.gravity));
                    island.problem.bodies.push(body.unwrap_or(RigidBody::FIXED));
                    island.places.len() as u32 - 1
                })
            });
            match member {
                Member::Point(point) => self.add_point(island, point, local),
                Member::Joint(id) => self.add_joint(island, id, local),
            }
        }
        match self.joints {
            Some(IslandJoints { level: JointLevel::Step { .. }, .. }) => {
                let jointed = islands.iter_mut().filter(|island| !island.joints.is_empty());
                jointed.for_each(|island| self.set_forces_of_coasting(island, SHARE_BEFORE_MOTION));
            }
            // The bodies of an island need not have joints to have coasted with one that has.
            Some(IslandJoints { level: JointLevel::End { .. }, .. }) => {
                islands.iter_mut().for_each(|island| self.set_forces_of_coasting(island, 1.0));
            }
            _ => {}
        }
        islands
    }

    /// Leaves the change of the angular velocity of tumbling bodies out of the problem, as bodies of an island with
    /// joints coast, and tumble on their flight. A share of all further forces acts. Bodies that no impulse moves have
    /// the mean velocity of the motion before it, and its last velocity after it.
    fn set_forces_of_coasting(&self, island: &mut ExactIsland, share: f64) {
        for (place, state) in island.places.iter().zip(&mut island.problem.bodies) {
            match self.bodies.at(*place).filter(|(_, body)| is_dynamic(body)) {
                Some((_, body)) => {
                    state.acceleration *= share;
                    state.angular_acceleration = state.inverse_inertia * body.wrench().torque * share;
                }
                None => {
                    let of_surface = if share < 1.0 { 0.5 } else { 0.0 };
                    state.acceleration *= of_surface;
                    state.angular_acceleration *= of_surface;
                }
            }
        }
    }

    /// Computes the rows of a joint for a step that its bodies begin at the given velocities of the centre and angular
    /// velocities, and whether they have targets: not if the bodies turn too far for an estimate.
    fn aimed_rows(
        &self,
        joint: &WorldJoint,
        local: [u32; 2],
        velocities: [[Vec3; 2]; 2],
        dt: f64,
    ) -> (JointRows, bool) {
        let sides = [Some(joint.a), joint.b].map(|id| id.and_then(|id| self.bodies.get(id)));
        let frames = [0, 1].map(|side| {
            let [velocity, angular_velocity] = velocities[side];
            let at = sides[side].map_or(JointFrame::WORLD, joint_frame);
            JointFrame { velocity, angular_velocity, ..at }
        });
        let ends = [0, 1].map(|side| sides[side].map_or(frames[side], |body| coasting_end(body, &frames[side], dt)));
        let frames = [&frames[0], &frames[1]];
        let rows = joint.joint.step_rows_to(local, frames, [&ends[0], &ends[1]], dt);
        (rows, !joint.joint.turns_far(frames, dt))
    }

    /// Sets the targets of the equations of joints so that they hold at the end of a step which the bodies of an island
    /// begin at `velocities`. Returns the largest error of an equation with the earlier targets, in metres or radians.
    pub(crate) fn aim_joints(&self, island: &mut ExactIsland, velocities: &[RigidBody], dt: f64) -> f64 {
        let Some(IslandJoints { table, .. }) = self.joints else { return 0.0 };
        let mut error: f64 = 0.0;
        for (id, range) in &island.joints {
            let Some(joint) = table.get(*id) else { continue };
            let known = &mut island.problem.rows[range.clone()];
            let Some(first) = known.first() else { continue };
            let local = first.bodies;
            let at = |index: u32| [velocities[index as usize].velocity, velocities[index as usize].angular_velocity];
            let (aimed, true) = self.aimed_rows(joint, local, local.map(at), dt) else { continue };
            let is_equation = |row: &ConstraintRow| row.bounds == [f64::NEG_INFINITY, f64::INFINITY];
            let both = known.iter_mut().zip(aimed);
            for (row, next) in both.take_while(|(row, next)| is_equation(row) && is_equation(next)) {
                error = error.max((row.target - next.target).abs() * dt);
                row.target = next.target;
            }
        }
        error
    }

    fn is_dynamic_at(&self, place: u32) -> bool {
        self.bodies.at(place).is_some_and(|(_, body)| is_dynamic(body))
    }

    fn list_points(&self, is_solved: impl Fn(usize, &BodyContact, &ContactPoint) -> bool) -> Vec<(Member, [u32; 2])> {
        let mut members: Vec<(Member, [u32; 2])> = Vec::new();
        for (number, touch) in self.touches.iter().enumerate() {
            let Some(contact) = &touch.contact else { continue };
            let places = [touch.a.index, touch.b.index];
            let chosen = contact.points.iter().enumerate().filter(|(_, point)| is_solved(number, touch, point));
            members.extend(
                chosen.map(|(at, _)| (Member::Point(PointRef { touch: number as u32, point: at as u32 }), places)),
            );
        }
        members
    }

    fn list_joints(&self, members: &mut Vec<(Member, [u32; 2])>) {
        let Some(IslandJoints { table, assignment, .. }) = self.joints else { return };
        for (id, joint) in table.iter() {
            let places = joint.places();
            if !assignment.is_exact_pair(places[0], places[1]) {
                continue;
            }
            members.push((Member::Joint(id), places));
        }
    }

    fn add_point(&self, island: &mut ExactIsland, point: PointRef, local: [u32; 2]) {
        let touch = &self.touches[point.touch as usize];
        let bodies = self.bodies.get(touch.a).zip(self.bodies.get(touch.b));
        let (Some((a, b)), Some(contact)) = (bodies, &touch.contact) else { return };
        let at = &contact.points[point.point as usize];
        let mut row = point_contact(local, [a, b], at);
        for (side, body) in [a, b].into_iter().enumerate() {
            let place = [touch.a, touch.b][side].index;
            let deforms = self.surfaces.deforms(place);
            let is_alike = |other: &&ContactPoint| other.normal == at.normal && (!deforms || other.point == at.point);
            let Some(patch) = self.surfaces.patch(place, body, contact.points.iter().filter(is_alike), side) else {
                continue;
            };
            let known = surface_body(&patch, self.dt);
            // Points of one patch follow each other.
            let last = island.problem.contacts.last().map(|last| last.bodies[side] as usize);
            let last = last.filter(|last| island.places[*last] == place && island.problem.bodies[*last] == known);
            row.bodies[side] = last.unwrap_or(island.places.len()) as u32;
            row.arms[side] = at.point - patch.centre;
            if last.is_none() {
                island.places.push(place);
                island.problem.bodies.push(known);
            }
        }
        island.problem.contacts.push(row);
        island.points.push(point);
    }

    /// Adds the springs of a joint, of which half acts before the motion of a step of `dt` seconds and half after it.
    fn add_springs(island: &mut ExactIsland, joint: &WorldJoint, local: [u32; 2], frames: [&JointFrame; 2], dt: f64) {
        // They take the velocities before the forces: those after the free acceleration would soften them.
        let masses = local.map(|index| &island.problem.bodies[index as usize]);
        let springs = joint.joint.spring_rows(local, frames, masses, dt, StepShare::Half);
        island.problem.rows.extend(springs);
    }

    fn add_joint(&self, island: &mut ExactIsland, id: JointId, local: [u32; 2]) {
        let Some(IslandJoints { table, level, .. }) = self.joints else { return };
        let Some(joint) = table.get(id) else { return };
        let frames = joint.frames(self.bodies);
        let first = island.problem.rows.len();
        match level {
            JointLevel::Velocity { dt } => {
                let rows = joint.joint.rows(local, [&frames[0], &frames[1]], dt);
                // Motors act over the step, not at impacts; errors of positions are left to the step.
                let lasting = rows.into_iter().filter(|row| row.bounds[1] == f64::INFINITY);
                island.problem.rows.extend(lasting.map(|row| ConstraintRow { error: 0.0, ..row }));
            }
            JointLevel::Step { dt } => {
                let velocities = local.map(|index| {
                    let body = &island.problem.bodies[index as usize];
                    let acting = SHARE_BEFORE_MOTION * dt;
                    let rate = body.angular_velocity + body.angular_acceleration * acting;
                    [body.velocity + body.acceleration * acting, rate]
                });
                // Errors of positions are projected after the step: as velocities they would stay as energy.
                let (rows, _) = self.aimed_rows(joint, local, velocities, dt);
                let bounds = |row: &ConstraintRow| row.bounds.map(|bound| bound * SHARE_BEFORE_MOTION);
                let rows = rows.into_iter().map(|row| ConstraintRow { error: 0.0, bounds: bounds(&row), ..row });
                island.problem.rows.extend(rows);
                Self::add_springs(island, joint, local, [&frames[0], &frames[1]], dt);
            }
            JointLevel::End { dt } => {
                let rows = joint.joint.rows(local, [&frames[0], &frames[1]], dt);
                island.problem.rows.extend(rows.into_iter().map(|row| ConstraintRow { error: 0.0, ..row }));
                Self::add_springs(island, joint, local, [&frames[0], &frames[1]], dt / (1.0 - SHARE_BEFORE_MOTION));
            }
        }
        island.joints.push((id, first..island.problem.rows.len()));
    }
}

/// Returns the frame of a body after a step of `dt` seconds at the velocities of a frame, on which no force acts.
fn coasting_end(body: &Body, frame: &JointFrame, dt: f64) -> JointFrame {
    let Kind::Dynamic(mass) = &body.kind else { return frame.after(dt) };
    let state =
        FlightState { velocity: frame.velocity, angular_velocity: frame.angular_velocity, ..flight_state(body, mass) };
    let forces = FlightForces {
        acceleration: Vec3::ZERO,
        torque: Vec3::ZERO,
        ..flight_forces(body, Vec3::ZERO, [Vec3::ZERO; 2])
    };
    fly(&state, &forces, dt).map_or_else(
        |_| frame.after(dt),
        |flight| JointFrame {
            centre: frame.centre + (flight.velocity + flight.acceleration * (0.5 * dt)) * dt,
            rotation: flight.end_rotation,
            ..*frame
        },
    )
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
        angular_acceleration: inverse_inertia * (body.wrench().torque - rate.cross(inertia * rate)),
    }
}

/// A body that no impulse moves and that goes as a part of a surface in `dt` seconds.
fn surface_body(patch: &SurfacePatch, dt: f64) -> RigidBody {
    let SurfacePatch { velocity, rate, .. } = patch;
    RigidBody {
        velocity: velocity.start,
        angular_velocity: rate.start,
        acceleration: (velocity.end - velocity.start) / dt,
        angular_acceleration: (rate.end - rate.start) / dt,
        ..RigidBody::FIXED
    }
}

/// Writes the velocities of a solved body back.
pub(crate) fn set_velocities(body: &mut Body, state: &RigidBody) {
    let arm = body.centre_of_mass() - body.pose.translation();
    body.angular_velocity = body.locked.clear_rotation(state.angular_velocity);
    body.velocity = body.locked.clear_translation(state.velocity) - body.angular_velocity.cross(arm);
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
