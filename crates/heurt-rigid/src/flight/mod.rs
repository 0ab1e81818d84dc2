//! Free flight of a rigid body: the Lie midpoint rule, which keeps energy and angular momentum.
//!
//! In: the rotation, inertia and velocities of a body; its acceleration and torque, constant over the step, and its
//! damping. Out: [`Flight`], a motion at constant rates over the step and the velocities at its end.
//! Method: S1 (the loop). In body axes with m = (Lₙ + Lₙ₊₁)/2 and Ω = I⁻¹m, the step is
//! Lₙ₊₁ = Lₙ + h′·m × Ω, Rₙ₊₁ = Rₙ·cay(h′Ω): a rotation around the fixed axis Ω by 2·atan(h′|Ω|/2). See
//! `free_rotation.rs` for h′ and the solution. Torque and damping act before and after the rotation, half a step each.
//! Both are exact for the momentum: π′ = τ − cπ. Velocity with damping follows v′ = a − cv exactly; the parabola of the
//! centre matches the exact position and velocity at the end of the step.
//! Locked axes: a translation along a locked axis of the world is 0. With locked rotations the momentum along each free
//! axis of the world is kept, and the rate comes from the inertia half a step ahead. The end rate is scaled so that the
//! energy is kept.
//! Guarantees: without torque and damping, energy and the vector R·L are kept to rounding for any rate (without locked
//! rotations). Damping never raises the energy. The end rotation equals [`Motion`]'s for `rate`, bit for bit. No
//! NaN: an error, or finite numbers. The same bits on every machine.
//! Not guaranteed: the path in space between the ends of a step, for rates above a radian per step (see
//! [`RotationMethod`]). With locked rotations the momentum along free axes is kept to second order.
//! Cost: one to three Newton iterations in 3D for each piece of a sixteenth of a radian, at most 64 pieces.

mod free_rotation;

use crate::inertia::{invert_inertia, is_inertia};
use free_rotation::{angular_momentum_rate, orthonormalize};
use heurt_geometry::{DisplayNumber, Mat3, Motion, MotionError, Pose, PoseError, Vec3};
use thiserror::Error;

pub use free_rotation::RotationMethod;

/// The axes of the world along which and around which a body does not move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LockedAxes {
    /// Translations along x, y and z.
    pub translation: [bool; 3],
    /// Rotations around x, y and z.
    pub rotation: [bool; 3],
}

impl LockedAxes {
    /// No locked axis.
    pub const NONE: Self = Self { translation: [false; 3], rotation: [false; 3] };

    /// Sets the components of a velocity along locked axes to 0.
    pub fn clear_translation(&self, velocity: Vec3) -> Vec3 {
        clear(velocity, self.translation)
    }

    /// Sets the components of an angular velocity along locked axes to 0.
    pub fn clear_rotation(&self, angular_velocity: Vec3) -> Vec3 {
        clear(angular_velocity, self.rotation)
    }
}

/// The state of a body at the start of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlightState {
    /// Rotation from body axes to axes of the world.
    pub rotation: Mat3,
    /// Inertia around the centre of mass in body axes, in kg·m².
    pub inertia: Mat3,
    /// Velocity of the centre of mass, in m/s.
    pub velocity: Vec3,
    /// Angular velocity in the world frame, in rad/s.
    pub angular_velocity: Vec3,
}

/// Forces on a body, constant over a step, in the world frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FlightForces {
    /// Sum of gravity and of the forces divided by the mass, in m/s².
    pub acceleration: Vec3,
    /// Torque around the centre of mass, in N·m.
    pub torque: Vec3,
    /// Rate at which the velocity falls, in 1/s.
    pub linear_damping: f64,
    /// Rate at which the angular momentum falls, in 1/s.
    pub angular_damping: f64,
    /// Axes without motion.
    pub locked: LockedAxes,
}

/// The motion of a body during a step, and its velocities at the end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flight {
    /// Start velocity of the parabola of the centre, in m/s: centre(t) = c + velocity·t + ½·acceleration·t². It differs
    /// from the velocity of the body only with damping.
    pub velocity: Vec3,
    /// Acceleration of the parabola, in m/s².
    pub acceleration: Vec3,
    /// The constant angular velocity over the step in the world frame: rotation vector / dt, in rad/s.
    pub rate: Vec3,
    /// Rotation at the end, as [`Motion`] gives it for `rate`.
    pub end_rotation: Mat3,
    /// Velocity of the centre at the end, in m/s.
    pub end_velocity: Vec3,
    /// Angular velocity at the end, in rad/s. It differs from `rate` if the body tumbles.
    pub end_angular_velocity: Vec3,
    /// How the rotation was computed.
    pub method: RotationMethod,
}

/// Reasons why numbers give no flight.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FlightError {
    /// A number is NaN or infinite.
    #[error("the {field} holds {value}: give finite numbers")]
    NotFinite {
        /// The field of [`FlightState`] or [`FlightForces`].
        field: &'static str,
        /// The offending number.
        value: f64,
    },
    /// A damping below 0, which would add energy.
    #[error("the {field} is {}: give a number of at least 0", DisplayNumber(*value))]
    Damping {
        /// `"linear_damping"` or `"angular_damping"`.
        field: &'static str,
        /// The offending number.
        value: f64,
    },
    /// A step that is not above 0.
    #[error("a step of {} s: give a duration above 0", DisplayNumber(*_0))]
    Duration(f64),
    /// A matrix that no body has as inertia.
    #[error("the inertia {:?} has no inverse: give a symmetric and positive definite matrix", _0.transpose().to_cols_array_2d())]
    Inertia(Mat3),
    /// A result beyond the range of `f64`.
    #[error("the {field} after the step is beyond the range of f64: choose other units or shorter steps")]
    OutOfRange {
        /// The field of [`Flight`].
        field: &'static str,
    },
    /// A matrix that is not a rotation.
    #[error(transparent)]
    Rotation(#[from] PoseError),
    /// Rates beyond the range of [`Motion`].
    #[error(transparent)]
    Motion(#[from] MotionError),
}

impl Flight {
    /// Creates the motion of the step for a shape whose centre of mass is at `centre`, in the frame of the shape.
    ///
    /// # Errors
    /// [`MotionError`] for rates beyond the range of [`Motion`].
    pub fn motion(&self, centre: Vec3) -> Result<Motion, MotionError> {
        Motion::screw(self.velocity, self.rate)?.accelerated(self.acceleration)?.about(centre)
    }
}

/// Computes the free flight of a body over a step of `dt` seconds.
///
/// ```
/// use heurt_geometry::{Mat3, Vec3};
/// use heurt_rigid::{FlightForces, FlightState, fly};
/// let wing_nut = FlightState {
///     rotation: Mat3::IDENTITY,
///     inertia: Mat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0)),
///     velocity: Vec3::X,
///     angular_velocity: Vec3::new(0.5, 5.0, 0.5),
/// };
/// let forces = FlightForces { acceleration: Vec3::Z * -9.81, ..FlightForces::default() };
/// let flight = fly(&wing_nut, &forces, 1.0 / 60.0)?;
/// // The energy ½ ω·Jω is kept while the angular velocity changes.
/// let inertia = flight.end_rotation * wing_nut.inertia * flight.end_rotation.transpose();
/// let energy = 0.5 * flight.end_angular_velocity.dot(inertia * flight.end_angular_velocity);
/// assert!((energy - 25.5).abs() < 1e-12);
/// assert!((flight.end_angular_velocity - wing_nut.angular_velocity).length() > 1e-3);
/// # Ok::<(), heurt_rigid::FlightError>(())
/// ```
///
/// # Errors
/// [`FlightError`] for numbers out of range. Rates up to 1e100 rad/s are within range.
pub fn fly(state: &FlightState, forces: &FlightForces, dt: f64) -> Result<Flight, FlightError> {
    check(state, forces, dt)?;
    let start = Pose::from_matrix(state.rotation, Vec3::ZERO)?;
    let [velocity, acceleration, end_velocity] = fly_centre(state.velocity, forces, dt);
    let spin = if forces.locked.rotation == [false; 3] {
        rotate_free(state, forces, &start, dt)?
    } else {
        rotate_locked(state, forces, &start, dt)?
    };
    let flight = Flight { velocity: flush(velocity), acceleration: flush(acceleration), end_velocity, ..spin };
    flight.check()?;
    Ok(flight)
}

/// Computes start velocity and acceleration of the parabola of the centre, and the end velocity.
fn fly_centre(velocity: Vec3, forces: &FlightForces, dt: f64) -> [Vec3; 3] {
    let velocity = forces.locked.clear_translation(velocity);
    let acceleration = forces.locked.clear_translation(forces.acceleration);
    if forces.linear_damping == 0.0 {
        return [velocity, acceleration, velocity + acceleration * dt];
    }
    let damping = forces.linear_damping;
    let [kept, gain, drift] = decay(damping, dt);
    let end = velocity * kept + acceleration * gain;
    let displacement = velocity * gain + acceleration * drift;
    let mean = (end - displacement / dt) * (2.0 / dt);
    [end - mean * dt, mean, end]
}

/// Solves x′ = f − c·x over `dt`: returns e^(−c·dt) and the integrals g = ∫e^(−ct) and ∫g, so that
/// x(dt) = x·e^(−c·dt) + f·g.
fn decay(damping: f64, dt: f64) -> [f64; 3] {
    // Below 1e-3 four terms of the series are exact to rounding; the closed form of the last integral cancels.
    const SMALL: f64 = 1e-3;
    let x = damping * dt;
    if x < SMALL {
        let gain = dt * (1.0 - x * (0.5 - x * (1.0 / 6.0 - x * (1.0 / 24.0 - x / 120.0))));
        let drift = dt * dt * (0.5 - x * (1.0 / 6.0 - x * (1.0 / 24.0 - x * (1.0 / 120.0 - x / 720.0))));
        return [libm::exp(-x), gain, drift];
    }
    let gain = -libm::expm1(-x) / damping;
    [libm::exp(-x), gain, (dt - gain) / damping]
}

/// Applies torque and damping to an angular momentum for half a step.
fn kick(momentum: Vec3, forces: &FlightForces, dt: f64) -> Vec3 {
    if forces.angular_damping == 0.0 && forces.torque == Vec3::ZERO {
        return momentum;
    }
    let [kept, gain, _] = decay(forces.angular_damping, 0.5 * dt);
    momentum * kept + forces.torque * gain
}

/// Rotates a body without locked rotations. The linear fields of the result are 0.
fn rotate_free(state: &FlightState, forces: &FlightForces, start: &Pose, dt: f64) -> Result<Flight, FlightError> {
    let inverse = invert_inertia(&state.inertia, [false; 3]).ok_or(FlightError::Inertia(state.inertia))?;
    let frame = orthonormalize(&state.rotation);
    let momentum = frame * (state.inertia * (frame.transpose() * state.angular_velocity));
    let momentum = kick(momentum, forces, dt);
    let body_momentum = frame.transpose() * momentum;
    let (rate, method) = angular_momentum_rate(&state.inertia, &inverse, body_momentum, dt);
    let (rate, end_rotation) = rotate(start, frame * rate, dt)?;
    let end_frame = orthonormalize(&end_rotation);
    let momentum = kick(momentum, forces, dt);
    let end = end_frame.transpose() * momentum;
    let spin = inverse * end;
    // One step of iterative refinement: without it the rounding of the inverse adds up over a million steps.
    let spin = spin + inverse * (end - state.inertia * spin);
    Ok(Flight { rate, end_rotation, end_angular_velocity: end_frame * spin, method, ..Flight::REST })
}

/// Rotates a body with one to three locked rotations. The linear fields of the result are 0.
fn rotate_locked(state: &FlightState, forces: &FlightForces, start: &Pose, dt: f64) -> Result<Flight, FlightError> {
    // Each iteration of a fixed point gains a factor of the angle per step; 8 are enough below a tenth of a radian.
    const ITERATIONS: usize = 8;
    /// Radians per step above which the fixed point may diverge.
    const CONVERGENT: f64 = 0.5;
    let locked = forces.locked;
    let inertia_at = |rotation: &Mat3| *rotation * state.inertia * rotation.transpose();
    let inverse_at = |rotation: &Mat3| {
        invert_inertia(&inertia_at(rotation), locked.rotation).ok_or(FlightError::Inertia(state.inertia))
    };
    let angular_velocity = locked.clear_rotation(state.angular_velocity);
    let momentum = locked.clear_rotation(inertia_at(&state.rotation) * angular_velocity);
    let momentum = locked.clear_rotation(kick(momentum, forces, dt));
    let first = inverse_at(&state.rotation)? * momentum;
    let mut rate = first;
    if first.length() * dt <= CONVERGENT {
        for _ in 0..ITERATIONS {
            let (_, halfway) = rotate(start, rate, 0.5 * dt)?;
            rate = inverse_at(&halfway)? * momentum;
        }
    }
    let (rate, end_rotation) = rotate(start, rate, dt)?;
    let end = inverse_at(&end_rotation)? * momentum;
    let [before, after] = [first.dot(momentum), end.dot(momentum)];
    let scale = if after > 0.0 && before > 0.0 { (before / after).sqrt() } else { 1.0 };
    // The second half of torque and damping, as a change of the angular velocity.
    let kicked = locked.clear_rotation(kick(momentum * scale, forces, dt));
    let end_angular_velocity = inverse_at(&end_rotation)? * kicked;
    Ok(Flight { rate, end_rotation, end_angular_velocity, method: RotationMethod::Locked, ..Flight::REST })
}

/// Returns 0 for a vector so short that motions refuse it, as a velocity that friction ends may be.
fn flush(vector: Vec3) -> Vec3 {
    /// In m/s or m/s²: nothing moves so by a rounding error in the age of the universe.
    const SLOWEST: f64 = 1e-100;
    if vector.abs().max_element() < SLOWEST { Vec3::ZERO } else { vector }
}

/// Returns the rate that [`Motion`] accepts and the rotation after `dt` at this rate.
fn rotate(start: &Pose, rate: Vec3, dt: f64) -> Result<(Vec3, Mat3), FlightError> {
    // A body at a lower rate does not rotate by a rounding error in the age of the universe; motions refuse 1e-140.
    const SLOWEST: f64 = 1e-100;
    let rate = if rate.abs().max_element() < SLOWEST { Vec3::ZERO } else { rate };
    let end = Motion::screw(Vec3::ZERO, rate)?.pose_at(start, dt)?;
    Ok((rate, *end.rotation()))
}

impl Flight {
    /// A body at rest.
    const REST: Self = Self {
        velocity: Vec3::ZERO,
        acceleration: Vec3::ZERO,
        rate: Vec3::ZERO,
        end_rotation: Mat3::IDENTITY,
        end_velocity: Vec3::ZERO,
        end_angular_velocity: Vec3::ZERO,
        method: RotationMethod::Steady,
    };

    fn check(&self) -> Result<(), FlightError> {
        let fields = [
            ("velocity", self.velocity),
            ("acceleration", self.acceleration),
            ("rate", self.rate),
            ("end_velocity", self.end_velocity),
            ("end_angular_velocity", self.end_angular_velocity),
        ];
        match fields.iter().find(|(_, value)| !value.is_finite()) {
            Some(&(field, _)) => Err(FlightError::OutOfRange { field }),
            None => Ok(()),
        }
    }
}

fn check(state: &FlightState, forces: &FlightForces, dt: f64) -> Result<(), FlightError> {
    let vectors = [
        ("velocity", state.velocity),
        ("angular_velocity", state.angular_velocity),
        ("acceleration", forces.acceleration),
        ("torque", forces.torque),
    ];
    for (field, vector) in vectors {
        if let Some(&value) = vector.to_array().iter().find(|value| !value.is_finite()) {
            return Err(FlightError::NotFinite { field, value });
        }
    }
    for (field, value) in [("linear_damping", forces.linear_damping), ("angular_damping", forces.angular_damping)] {
        if !value.is_finite() {
            return Err(FlightError::NotFinite { field, value });
        }
        if value < 0.0 {
            return Err(FlightError::Damping { field, value });
        }
    }
    if !(dt > 0.0 && dt.is_finite()) {
        return Err(FlightError::Duration(dt));
    }
    if is_inertia(&state.inertia) { Ok(()) } else { Err(FlightError::Inertia(state.inertia)) }
}

fn clear(vector: Vec3, locked: [bool; 3]) -> Vec3 {
    let keep = |value: f64, locked: bool| if locked { 0.0 } else { value };
    Vec3::new(keep(vector.x, locked[0]), keep(vector.y, locked[1]), keep(vector.z, locked[2]))
}
