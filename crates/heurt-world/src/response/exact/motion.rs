//! Motions of bodies under contact forces over the rest of a step, and their state at any time of it.
//!
//! Method: the centre of mass flies along a parabola, the body turns at a constant rate (`heurt_rigid::fly`), as
//! continuous detection needs. At an earlier time the angular velocity follows from the angular momentum there.

use crate::body::{Body, Kind};
use crate::error::StepMotionError;
use crate::response::exact::impacts::{CoastStart, ContactForce};
use crate::step::step_motion::{MotionSegment, StepMotion, compute_motion, flight_forces, flight_state};
use heurt_geometry::{Pose, Vec3};
use heurt_rigid::{FlightForces, LockedAxes, fly};
use smallvec::smallvec;

/// Computes the motion of a body over `dt` seconds from `time` on. Contact forces act on dynamic bodies only.
pub(crate) fn compute_forced_motion(
    body: &Body,
    force: &ContactForce,
    gravity: Vec3,
    time: f64,
    dt: f64,
) -> Result<StepMotion, StepMotionError> {
    let Kind::Dynamic(mass) = &body.kind else { return compute_motion(body, gravity, time, dt) };
    let forces = if force.coasts_from.is_some() {
        FlightForces { acceleration: Vec3::ZERO, torque: Vec3::ZERO, ..flight_forces(body, gravity, [Vec3::ZERO; 2]) }
    } else {
        flight_forces(body, gravity, [force.force / mass.mass, force.torque])
    };
    let flight = fly(&flight_state(body, mass), &forces, dt)?;
    let motion = flight.motion(mass.centre)?;
    let end = motion.pose_at(&body.pose, dt)?;
    let arm = end.place(mass.centre) - end.translation();
    let angular_velocity = flight.end_angular_velocity;
    let velocity = flight.end_velocity - angular_velocity.cross(arm);
    let segments = smallvec![MotionSegment { begun: 0.0, pose: body.pose, motion }];
    Ok(StepMotion { segments, end, velocity, angular_velocity })
}

/// Returns pose, velocity of the origin and angular velocity at a time of a motion of `dt` seconds that a body begins.
pub(crate) fn state_at(
    body: &Body,
    motion: &StepMotion,
    force: &ContactForce,
    time: f64,
    dt: f64,
) -> (Pose, Vec3, Vec3) {
    let coasts_from = force.coasts_from.filter(|start| time < start.acting);
    if time >= dt && coasts_from.is_none() {
        return motion.state_at_end();
    }
    let (pose, segment) = motion.at(time);
    let Kind::Dynamic(mass) = &body.kind else { return (pose, segment.velocity(), segment.angular_velocity()) };
    let arm = pose.place(mass.centre) - pose.translation();
    if let Some(CoastStart { velocities: [velocity, rate], acting }) = coasts_from {
        // The share of the change of velocity that belongs to this time.
        let share = time / acting;
        let rate = rate.lerp(body.angular_velocity, share);
        return (pose, velocity.lerp(segment.velocity(), share) - rate.cross(arm), rate);
    }
    let is_free = body.angular_damping == 0.0 && body.locked == LockedAxes::NONE;
    let rate = if motion.angular_velocity == Vec3::ZERO && body.angular_velocity == Vec3::ZERO {
        Vec3::ZERO
    } else if is_free {
        // A body that coasts has had its torques.
        let torque = if force.coasts_from.is_some() { Vec3::ZERO } else { body.wrench().torque + force.torque };
        let momentum = mass.inertia_at(&body.pose) * body.angular_velocity + torque * time;
        mass.inertia_at(&pose).inverse() * momentum
    } else {
        body.angular_velocity.lerp(motion.angular_velocity, time / dt)
    };
    (pose, segment.velocity() - rate.cross(arm), rate)
}
