//! How bodies move in a step: at constant rates, as `Motion` states, so that continuous detection sees what happens.
//!
//! Method: `heurt_rigid::fly`: the Lie midpoint rule keeps energy and angular momentum to rounding.

use crate::body::keyframes::Keyframes;
use crate::body::mass::Mass;
use crate::body::{Body, Kind};
use crate::error::StepMotionError;
use heurt_geometry::{Motion, Pose, Vec3};
use heurt_rigid::{FlightForces, FlightState, fly};
use smallvec::{SmallVec, smallvec};

/// A piece of a step in which a body moves at constant rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MotionSegment {
    /// When it begins, in seconds from the start of the step.
    pub begun: f64,
    /// The pose of the body then.
    pub pose: Pose,
    /// From there.
    pub motion: Motion,
}

/// The motion of a body in a step.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StepMotion {
    /// At least one; more where a script has keys within the step.
    pub segments: SmallVec<[MotionSegment; 1]>,
    /// The pose at the end.
    pub end: Pose,
    /// Velocity of the origin at the end.
    pub velocity: Vec3,
    /// At the end.
    pub angular_velocity: Vec3,
}

/// A key of a script within this share of a step is now: times of steps are rounded sums.
pub(crate) const KEY_ROUNDING: f64 = 1e-9;

/// The most that a body may turn in a step of continuous detection, in radians: of more turns, roundings of the angle
/// are lengths that count.
pub const MAX_TURN: f64 = 1e9;

/// Computes the motion of `body` in the step of `dt` seconds that begins at `time`.
pub(crate) fn compute_motion(body: &Body, gravity: Vec3, time: f64, dt: f64) -> Result<StepMotion, StepMotionError> {
    match &body.kind {
        Kind::Static => Ok(StepMotion::still(body.pose)),
        Kind::Kinematic(Some(script)) => Ok(scripted(body, script, time, dt)),
        Kind::Kinematic(None) | Kind::Soft(_) => {
            let motion = Motion::screw(body.velocity, body.angular_velocity)?;
            let (segments, end) =
                (smallvec![MotionSegment { begun: 0.0, pose: body.pose, motion }], motion.pose_at(&body.pose, dt)?);
            Ok(StepMotion { segments, end, velocity: body.velocity, angular_velocity: body.angular_velocity })
        }
        Kind::Dynamic(mass) => free_flight(body, mass, gravity, dt),
    }
}

/// Computes the motion of a body again, which is known to be within range.
pub(crate) fn recompute_motion(body: &Body, gravity: Vec3, time: f64, dt: f64) -> StepMotion {
    compute_motion(body, gravity, time, dt).expect("it was worked out before")
}

impl StepMotion {
    /// The motion of a body at rest.
    pub(crate) fn still(pose: Pose) -> Self {
        let segments = smallvec![MotionSegment { begun: 0.0, pose, motion: Motion::STILL }];
        Self { segments, end: pose, velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO }
    }

    /// Pose, velocity and angular velocity at the end of the step.
    pub(crate) fn state_at_end(&self) -> (Pose, Vec3, Vec3) {
        (self.end, self.velocity, self.angular_velocity)
    }

    /// Returns the velocity of the point of the body that is at `point` at a time of the step.
    pub(crate) fn velocity_of(&self, point: Vec3, time: f64) -> Vec3 {
        let (pose, motion) = self.at(time);
        motion.velocity() + motion.angular_velocity().cross(point - pose.place(motion.pivot()))
    }

    /// Returns the pose at a time of the step, and the motion from then on until the next segment.
    pub(crate) fn at(&self, time: f64) -> (Pose, Motion) {
        let segment = self.segments.iter().rev().find(|segment| segment.begun <= time).unwrap_or(&self.segments[0]);
        let time = time - segment.begun;
        // Both ends of the segment are in the range of numbers.
        let pose = segment.motion.pose_at(&segment.pose, time).unwrap_or(segment.pose);
        let is_steady = segment.motion.acceleration() == Vec3::ZERO;
        (pose, if is_steady { segment.motion } else { segment.motion.after(time).unwrap_or(segment.motion) })
    }
}

/// The pieces of a step of `dt` in which neither of two motions begins another segment: from when to when.
pub(crate) fn pieces(motions: [&StepMotion; 2], dt: f64) -> SmallVec<[[f64; 2]; 2]> {
    let mut ends: SmallVec<[f64; 4]> =
        motions.iter().flat_map(|flight| &flight.segments).map(|segment| segment.begun).collect();
    ends.retain(|begun| *begun < dt);
    ends.sort_by(f64::total_cmp);
    ends.dedup();
    ends.push(dt);
    ends.windows(2).map(|ends| [ends[0], ends[1]]).collect()
}

/// From key to key. A body that was put elsewhere is where its script states from the first segment on.
fn scripted(body: &Body, script: &Keyframes, time: f64, dt: f64) -> StepMotion {
    let soonest = dt * KEY_ROUNDING;
    let keys = script.keys_between(time + soonest, time + dt).map(|key| key - time);
    // A key that is rounded up to the end belongs to the next step.
    let keys = keys.filter(|begun| *begun < dt);
    let segment = |begun: f64| MotionSegment {
        begun,
        pose: script.pose_at(time + begun),
        motion: script.motion_at(time + begun.max(soonest)),
    };
    let mut segments: SmallVec<[MotionSegment; 1]> = std::iter::once(0.0).chain(keys).map(segment).collect();
    segments[0].pose = body.pose;
    let last = segments[segments.len() - 1].motion;
    let is_over = script.end() < time + dt;
    let (velocity, angular_velocity) =
        if is_over { (Vec3::ZERO, Vec3::ZERO) } else { (last.velocity(), last.angular_velocity()) };
    StepMotion { segments, end: script.pose_at(time + dt), velocity, angular_velocity }
}

/// The motion of a body on which only free forces act. The centre of mass flies along the chord of its parabola, which
/// is exact at both ends of the step.
fn free_flight(body: &Body, mass: &Mass, gravity: Vec3, dt: f64) -> Result<StepMotion, StepMotionError> {
    let flight = fly(&flight_state(body, mass), &flight_forces(body, gravity, [Vec3::ZERO; 2]), dt)?;
    let chord = flight.velocity + flight.acceleration * (0.5 * dt);
    let motion = Motion::screw(chord, flight.rate)?.about(mass.centre)?;
    let end = motion.pose_at(&body.pose, dt)?;
    let angular_velocity = flight.end_angular_velocity;
    let arm = end.place(mass.centre) - end.translation();
    let velocity = flight.end_velocity - angular_velocity.cross(arm);
    let segments = smallvec![MotionSegment { begun: 0.0, pose: body.pose, motion }];
    Ok(StepMotion { segments, end, velocity, angular_velocity })
}

/// The state of a dynamic body at the start of its flight.
pub(crate) fn flight_state(body: &Body, mass: &Mass) -> FlightState {
    FlightState {
        rotation: *body.pose.rotation(),
        inertia: mass.inertia,
        velocity: body.velocity_at(body.pose.place(mass.centre)),
        angular_velocity: body.angular_velocity,
    }
}

/// The forces on a body; the contacts add an acceleration, in m/s², and a torque, in N·m.
pub(crate) fn flight_forces(body: &Body, gravity: Vec3, [acceleration, torque]: [Vec3; 2]) -> FlightForces {
    FlightForces {
        acceleration: body.free_acceleration(gravity) + acceleration,
        torque: body.wrench().torque + torque,
        linear_damping: body.linear_damping,
        angular_damping: body.angular_damping,
        locked: body.locked,
    }
}
