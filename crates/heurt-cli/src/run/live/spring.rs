//! Spring by which a viewer holds a body: the force at a point and the torque that pull it to a target.

use heurt::geometry::{Mat3, Vec3};
use heurt::world::{Body, Mass};
use std::f64::consts::TAU;

/// Frequency of the spring by which a viewer holds a dynamic body, in Hz: quick, and stable at 60 steps a second.
const GRAB_FREQUENCY: f64 = 4.0;
/// Rate at which the spin of a held body decays, in 1/s: by a third in a sixtieth of a second.
const GRAB_SPIN_DECAY: f64 = 24.0;

/// Computes the force at a point and the torque by which a damped spring pulls it to a target during a step of `dt`
/// seconds.
///
/// The spring is a soft constraint, implicit in time (Catto 2011): for an effective mass matrix K⁻¹ of the point
/// the impulse is −(K + γ)⁻¹ (v + β x / dt), so that no body and no step is too light or too long for it. The spin
/// decays at [`GRAB_SPIN_DECAY`], as in a hand that holds more than a point.
pub(super) fn pull_of_spring(body: &Body, mass: &Mass, at: Vec3, target: Vec3, dt: f64) -> (Vec3, Vec3) {
    let pulsation = TAU * GRAB_FREQUENCY;
    let (stiffness, damping) = (mass.mass * pulsation * pulsation, 2.0 * mass.mass * pulsation);
    let softness = 1.0 / (dt * (damping + dt * stiffness));
    let arm = at - body.centre_of_mass();
    let inertia = *body.pose.rotation() * mass.inertia * body.pose.rotation().transpose();
    let cross = Mat3::from_cols(Vec3::X.cross(arm), Vec3::Y.cross(arm), Vec3::Z.cross(arm));
    let inverse = Mat3::from_diagonal(Vec3::splat(1.0 / mass.mass + softness));
    let mobility = inverse + cross.transpose() * inertia.inverse() * cross;
    let drift = (at - target) * (dt * stiffness * softness);
    let impulse = mobility.inverse() * -(body.velocity_at(at) + drift);
    let spin = inertia * body.angular_velocity * (libm::exp(-GRAB_SPIN_DECAY * dt) - 1.0);
    let is_number = impulse.is_finite() && spin.is_finite();
    if is_number { (impulse / dt, spin / dt) } else { (Vec3::ZERO, Vec3::ZERO) }
}
