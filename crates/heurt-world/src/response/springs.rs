//! A step by penalty: springs and dampers at contact points, integrated explicitly. The poor third of the responses.
//!
//! In: the parts of a world, the contacts at the start of the step. Out: the states of all bodies at its end, and the
//! solved contacts with the impulses of their springs.
//! Method: S1 and S0 §2.2. A point that overlaps by −d pushes with f = max(0, −k·d − c·ḋ); c makes it give back the
//! restitution of its pair ([`penalty_damping_ratio`]). Friction is a damper along the surface, limited to µ·f. Normals
//! stay over the step; points go with their bodies. A sub-step takes the gap at its middle, so that springs without
//! damping neither gain nor lose energy in the mean, and flies all bodies (`heurt_rigid::fly`). The number of sub-steps
//! follows from the stiffness: λ bounds the largest eigenvalue of A by sums over the points of each body.
//! Not guaranteed: gaps. A weight sinks by m·g/k on one spring, and a fast body sinks by v·√(m/k). Friction creeps.
//! Cost: points and touching bodies × sub-steps, in one thread.

use crate::body::{Body, BodyId, Kind};
use crate::contact::{BodyContact, ContactMotion};
use crate::error::{StepMotionError, WorldError};
use crate::response::candidates::{bodies_of, respond_to_each_other};
use crate::response::exact::impacts::{ContactForce, gap_velocity};
use crate::response::exact::motion::compute_forced_motion;
use crate::response::exact::problem::{is_dynamic, point_contact, rigid_body};
use crate::response::parts::ResponseParts;
use crate::response::soft::BodyEnd;
use crate::response::solved::SolvedPoint;
use crate::response::surface_motion::SurfaceMotions;
use crate::settings::is_near;
use crate::state::view::WorldView;
use crate::step::step_motion::compute_motion;
use crate::step::step_plan::vertices_at;
use heurt_geometry::Vec3;
use heurt_query::ContactPoint;
use heurt_rigid::{ContactState, PointContact, RigidBody, penalty_damping_ratio};
use std::collections::BTreeMap;

/// Sub-steps of the period of the stiffest mode: with 24 a ball of restitution 1 gives back its speed to 1 %.
const STEPS_PER_PERIOD: f64 = 24.0;

/// Sub-steps of a step above which springs are too stiff for it: a second of computing for ten boxes.
const MAX_SUB_STEPS: f64 = 10_000.0;

/// How far the weight of the heaviest body sinks on one point with the usual stiffness, in metres.
const USUAL_DEPTH: f64 = 1e-4;

/// Gravity of a world that has none, for the usual stiffness, in m/s².
const USUAL_GRAVITY: f64 = 9.81;

/// One side of a spring.
#[derive(Debug, Clone, Copy)]
enum SpringSide {
    /// A dynamic body by its index, and the point in its frame.
    Body { index: usize, local: Vec3 },
    /// A surface that no impulse moves, with its velocity.
    Surface { velocity: Vec3 },
}

/// The spring of a contact point.
struct Spring {
    /// The index of the contact, and of its point.
    source: [u32; 2],
    sides: [SpringSide; 2],
    normal: Vec3,
    /// The point of both sides as the step begins.
    place: Vec3,
    /// The gap then, in metres.
    gap: f64,
    stiffness: f64,
    damping: f64,
    friction: f64,
    /// The sum of the normal impulses, and that on B along the surface.
    impulse: f64,
    friction_impulse: Vec3,
}

/// The bodies that touch, in motion, and the springs between them.
struct SpringStep {
    bodies: Vec<(BodyId, Body)>,
    springs: Vec<Spring>,
}

/// Advances all bodies by springs; returns their states at the end of the step by place. No body is changed.
pub(crate) fn solve_springs(
    parts: &mut ResponseParts<'_>,
    touches: &[BodyContact],
) -> Result<Vec<Option<BodyEnd>>, WorldError> {
    let (gravity, dt, time) = (parts.settings.gravity, parts.dt, parts.view.time);
    let surfaces = SurfaceMotions::of_touches(parts.view, gravity, touches, dt);
    let stiffness = parts.settings.penalty_stiffness.unwrap_or_else(|| usual_stiffness(parts.view, gravity));
    let mut step = SpringStep::gather(parts.view, touches, &surfaces, stiffness);
    let count = step.count_sub_steps(dt)?;
    let h = dt / f64::from(count);
    for number in 0..count {
        step.advance(gravity, time + h * f64::from(number), h)?;
    }
    record(parts, touches, &step.springs);
    let touching: BTreeMap<usize, &Body> = step.bodies.iter().map(|(id, body)| (id.index(), body)).collect();
    let end = |place: usize| {
        let Some((id, body)) = parts.view.bodies.at(place as u32) else { return Ok(None) };
        let refuse = |source: StepMotionError| WorldError::Flight { id, source };
        let state = match (&body.kind, touching.get(&place)) {
            (Kind::Static, _) => return Ok(None),
            (_, Some(end)) => (end.pose, end.velocity, end.angular_velocity),
            (_, None) => compute_motion(body, gravity, time, dt).map_err(refuse)?.state_at_end(),
        };
        if !is_near(&state.0.translation()) {
            return Err(refuse(StepMotionError::Far));
        }
        Ok(Some(BodyEnd::new(state, vertices_at(id, body, time + dt)?)))
    };
    (0..parts.view.bodies.slots().len()).map(end).collect()
}

/// The stiffness at which the heaviest body sinks by [`USUAL_DEPTH`] on one point, in N/m.
fn usual_stiffness(view: &WorldView, gravity: Vec3) -> f64 {
    let mass = |body: &Body| match &body.kind {
        Kind::Dynamic(mass) => mass.mass,
        _ => 0.0,
    };
    let heaviest = view.bodies.iter().map(|(_, body)| mass(body)).fold(0.0, f64::max);
    let strength = gravity.length();
    heaviest * if strength > 0.0 { strength } else { USUAL_GRAVITY } / USUAL_DEPTH
}

impl SpringStep {
    fn gather(view: &WorldView, touches: &[BodyContact], surfaces: &SurfaceMotions, stiffness: f64) -> Self {
        let mut step = Self { bodies: Vec::new(), springs: Vec::new() };
        let mut index_of: BTreeMap<BodyId, usize> = BTreeMap::new();
        for (number, touch) in touches.iter().enumerate() {
            let bodies = bodies_of(view, touch).filter(|[a, b]| respond_to_each_other(a, b));
            let Some(([a, b], contact)) = bodies.zip(touch.contact.as_ref()) else { continue };
            let is_finite = |point: &ContactPoint| point.normal.is_finite() && point.separation.is_finite();
            for (at, point) in contact.points.iter().enumerate().filter(|(_, point)| is_finite(point)) {
                let mut side = |side: usize, id: BodyId, body: &Body| {
                    if !is_dynamic(body) {
                        let velocity = surfaces.at(id.index() as u32, body, point, side);
                        return SpringSide::Surface { velocity: velocity.map_or(Vec3::ZERO, |known| known.mean) };
                    }
                    let index = *index_of.entry(id).or_insert_with(|| {
                        step.bodies.push((id, body.clone()));
                        step.bodies.len() - 1
                    });
                    let local = body.pose.rotation().transpose() * (point.point - body.pose.translation());
                    SpringSide::Body { index, local }
                };
                let sides = [side(0, touch.a, a), side(1, touch.b, b)];
                let row = point_contact([0, 1], [a, b], point);
                let states = [a, b].map(|body| rigid_body(body, Vec3::ZERO));
                let mass = inverse_mass_along(&states, &row);
                let damping = match mass > 0.0 {
                    true => 2.0 * penalty_damping_ratio(row.restitution) * (stiffness / mass).sqrt(),
                    false => 0.0,
                };
                step.springs.push(Spring {
                    source: [number as u32, at as u32],
                    sides,
                    normal: point.normal,
                    place: point.point,
                    gap: point.separation,
                    stiffness,
                    damping,
                    friction: row.friction,
                    impulse: 0.0,
                    friction_impulse: Vec3::ZERO,
                });
            }
        }
        step
    }

    /// Returns the number of sub-steps for which the explicit integration is stable.
    fn count_sub_steps(&self, dt: f64) -> Result<u32, WorldError> {
        let inverse_mass = |side: &SpringSide, place: Vec3| match side {
            SpringSide::Body { index, .. } => {
                let body = &self.bodies[*index].1;
                let state = rigid_body(body, Vec3::ZERO);
                let rows = state.inverse_inertia.transpose().to_cols_array_2d();
                let norm = rows.map(|row| row.map(f64::abs).iter().sum::<f64>()).into_iter().fold(0.0, f64::max);
                Some((*index, state.inverse_mass + norm * (place - body.centre_of_mass()).length_squared()))
            }
            SpringSide::Surface { .. } => None,
        };
        let of_spring = |spring: &Spring| spring.sides.map(|side| inverse_mass(&side, spring.place));
        let masses: Vec<[Option<(usize, f64)>; 2]> = self.springs.iter().map(of_spring).collect();
        let mut sums = vec![0.0; self.bodies.len()];
        masses.iter().flatten().flatten().for_each(|(index, mass)| sums[*index] += mass.sqrt());
        let mut most: f64 = 1.0;
        for (spring, masses) in self.springs.iter().zip(&masses) {
            // A bound of the sum of the row of A, since |a_ij| ≤ √(a_ii·a_jj) on each body.
            let bound: f64 = masses.iter().flatten().map(|(index, mass)| mass.sqrt() * sums[*index]).sum();
            let turns = (spring.stiffness * bound).sqrt() * dt / std::f64::consts::TAU;
            most = most.max(turns * STEPS_PER_PERIOD).max(spring.damping * bound * dt);
        }
        if most <= MAX_SUB_STEPS {
            return Ok(most.ceil() as u32);
        }
        Err(WorldError::TooStiff { sub_steps: most, most: MAX_SUB_STEPS })
    }

    /// Advances all bodies that touch by `h` seconds from `time` on.
    fn advance(&mut self, gravity: Vec3, time: f64, h: f64) -> Result<(), WorldError> {
        let Self { bodies, springs } = self;
        let mut forces = vec![ContactForce::default(); bodies.len()];
        for spring in springs {
            // The displacement and the velocity of both sides.
            let states = spring.sides.map(|side| match side {
                SpringSide::Surface { velocity } => [Vec3::ZERO, velocity],
                SpringSide::Body { index, local } => {
                    let body = &bodies[index].1;
                    let at = body.pose.place(local);
                    [at - spring.place, body.velocity_at(at)]
                }
            });
            let velocity = states[1][1] - states[0][1];
            let rate = spring.normal.dot(velocity);
            let gap = spring.gap + spring.normal.dot(states[1][0] - states[0][0]) + 0.5 * h * rate;
            if gap >= 0.0 {
                continue;
            }
            let force = (-spring.stiffness * gap - spring.damping * rate).max(0.0);
            let along = (velocity - spring.normal * rate) * -spring.damping;
            let (length, limit) = (along.length(), spring.friction * force);
            let along = if length > limit { along * (limit / length) } else { along };
            spring.impulse += force * h;
            spring.friction_impulse += along * h;
            let push = spring.normal * force + along;
            for (side, sign) in spring.sides.into_iter().zip([-1.0, 1.0]) {
                let SpringSide::Body { index, local } = side else { continue };
                let body = &bodies[index].1;
                let arm = body.pose.place(local) - body.centre_of_mass();
                forces[index].force += push * sign;
                forces[index].torque += arm.cross(push * sign);
            }
        }
        for ((id, body), force) in bodies.iter_mut().zip(&forces) {
            let motion = compute_forced_motion(body, force, gravity, time, h);
            let motion = motion.map_err(|source| WorldError::Flight { id: *id, source })?;
            (body.pose, body.velocity, body.angular_velocity) = motion.state_at_end();
        }
        // Surfaces go on.
        for spring in &mut self.springs {
            let moved = spring.sides.iter().zip([-1.0, 1.0]).map(|(side, sign)| match side {
                SpringSide::Surface { velocity } => spring.normal.dot(*velocity) * sign * h,
                SpringSide::Body { .. } => 0.0,
            });
            spring.gap += moved.sum::<f64>();
        }
        Ok(())
    }
}

/// The inverse mass of two bodies along the normal of a contact: the diagonal entry of A.
fn inverse_mass_along(states: &[RigidBody; 2], row: &PointContact) -> f64 {
    let of_side = |(state, arm): (&RigidBody, Vec3)| {
        let turn = arm.cross(row.normal);
        state.inverse_mass + turn.dot(state.inverse_inertia * turn)
    };
    states.iter().zip(row.arms).map(of_side).sum()
}

/// Records the impulses of the springs that pushed.
fn record(parts: &mut ResponseParts<'_>, touches: &[BodyContact], springs: &[Spring]) {
    let dt = parts.dt;
    for spring in springs.iter().filter(|spring| spring.impulse > 0.0) {
        let [number, at] = spring.source;
        let touch = &touches[number as usize];
        let Some(bodies) = bodies_of(parts.view, touch) else { continue };
        let Some(point) = touch.contact.as_ref().and_then(|contact| contact.points.get(at as usize)) else { continue };
        let states = bodies.map(|body| rigid_body(body, parts.settings.gravity));
        let row = point_contact([0, 1], bodies, point);
        parts.response.report.contacts += 1;
        let motion = ContactMotion {
            point: point.point,
            normal: point.normal,
            separation: point.separation,
            normal_velocity: gap_velocity(&states, &row).0,
            approach: ContactState::of_bodies([&states[0], &states[1]], row.normal, row.arms, dt),
            time: None,
        };
        let solved = SolvedPoint {
            motion,
            features: point.features,
            impulse: spring.impulse,
            friction_impulse: spring.friction_impulse,
            warm_normal: 0.0,
            warm_tangent: Vec3::ZERO,
        };
        parts.response.solved.push(touch.a, touch.b, solved);
    }
}
