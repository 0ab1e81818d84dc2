//! How bodies move in a step: at constant rates, as `Motion` says, so that continuous detection sees what happens.
//!
//! Method: the centre of mass flies along the chord of its parabola, which is exact at both ends of the step; angular momentum
//! is kept, the rate is that of half a step ahead (explicit midpoint), so that what tumbles goes on tumbling: second order in
//! the step for the direction, exact for the momentum.

use crate::body::{Body, Kind};
use crate::mass::Mass;
use heurt_geometry::{Mat3, Motion, MotionError, Pose, PoseError, Vec3};
use thiserror::Error;

/// What a body does in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flight {
    /// From the start of the step, at constant rates.
    pub motion: Motion,
    /// Where it leads.
    pub end: Pose,
    /// Of the origin at the end.
    pub velocity: Vec3,
    /// At the end.
    pub angular_velocity: Vec3,
}

/// A body that leaves the range of numbers.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FlightError {
    /// It is too fast.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// It is too far away.
    #[error(transparent)]
    Pose(#[from] PoseError),
}

/// What `body` does in the step of `dt` seconds that begins at `time`.
pub(crate) fn flight(body: &Body, gravity: Vec3, time: f64, dt: f64) -> Result<Flight, FlightError> {
    let still = Flight {
        motion: Motion::STILL,
        end: body.pose,
        velocity: body.velocity,
        angular_velocity: body.angular_velocity,
    };
    match &body.kind {
        Kind::Static => Ok(still),
        Kind::Kinematic(Some(script)) => {
            let end = script.pose_at(time + dt);
            if end == body.pose {
                return Ok(Flight { velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO, ..still });
            }
            let motion = Motion::between(&body.pose, &end, dt)?;
            Ok(Flight { motion, end, velocity: motion.velocity(), angular_velocity: motion.angular_velocity() })
        }
        Kind::Kinematic(None) | Kind::Soft(_) => {
            let motion = Motion::screw(body.velocity, body.angular_velocity)?;
            Ok(Flight { motion, end: motion.pose_at(&body.pose, dt)?, ..still })
        }
        Kind::Dynamic(mass) => free_flight(body, mass, gravity, dt),
    }
}

fn free_flight(body: &Body, mass: &Mass, gravity: Vec3, dt: f64) -> Result<Flight, FlightError> {
    let centre = body.pose.place(mass.centre);
    let velocity = body.velocity_at(centre);
    let momentum = inertia_at(&body.pose, mass) * body.angular_velocity;
    // Half a step ahead the body is turned, and the same momentum turns it elsewhere.
    let half = Motion::screw(Vec3::ZERO, body.angular_velocity)?.pose_at(&body.pose, 0.5 * dt)?;
    let rate = rate_of(&half, mass, momentum);
    let motion = Motion::screw(velocity + gravity * (0.5 * dt), rate)?.about(mass.centre)?;
    let end = motion.pose_at(&body.pose, dt)?;
    let angular_velocity = rate_of(&end, mass, momentum);
    let (velocity, centre) = (velocity + gravity * dt, end.place(mass.centre));
    let velocity = velocity - angular_velocity.cross(centre - end.translation());
    Ok(Flight { motion, end, velocity, angular_velocity })
}

/// The inertia about the centre of mass, along the axes of the world.
pub(crate) fn inertia_at(pose: &Pose, mass: &Mass) -> Mat3 {
    let rotation = pose.rotation();
    *rotation * mass.inertia * rotation.transpose()
}

fn rate_of(pose: &Pose, mass: &Mass, momentum: Vec3) -> Vec3 {
    // Slower than this nothing turns in a lifetime, and motions refuse it.
    const SLOWEST: f64 = 1e-100;
    let rate = inertia_at(pose, mass).inverse() * momentum;
    if rate.length() < SLOWEST { Vec3::ZERO } else { rate }
}
