//! State of a rigid body as solvers need it: velocities, inverse mass and inertia, free accelerations.

use heurt_geometry::{Mat3, Vec3};

/// A rigid body at one moment, in the world frame. A body that no impulse moves (static or kinematic) has an inverse
/// mass and an inverse inertia of 0.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RigidBody {
    /// In 1/kg; 0 if no impulse moves the body.
    pub inverse_mass: f64,
    /// Inverse of the inertia around the centre of mass, along the axes of the world, in 1/(kg·m²).
    pub inverse_inertia: Mat3,
    /// Velocity of the centre of mass, in m/s.
    pub velocity: Vec3,
    /// In rad/s.
    pub angular_velocity: Vec3,
    /// Acceleration of the centre of mass in free flight (gravity and other forces), in m/s².
    pub acceleration: Vec3,
    /// Angular acceleration in free flight, J⁻¹(τ − ω × Jω), in rad/s².
    pub angular_acceleration: Vec3,
}

impl RigidBody {
    /// A body that no impulse moves, at rest.
    pub const FIXED: Self = Self {
        inverse_mass: 0.0,
        inverse_inertia: Mat3::ZERO,
        velocity: Vec3::ZERO,
        angular_velocity: Vec3::ZERO,
        acceleration: Vec3::ZERO,
        angular_acceleration: Vec3::ZERO,
    };

    /// Computes the velocity of a point of the body; `arm` is the offset of the point from the centre of mass.
    pub fn velocity_at(&self, arm: Vec3) -> Vec3 {
        self.velocity + self.angular_velocity.cross(arm)
    }

    /// Computes the acceleration of a point of the body in free flight, with the centripetal term.
    pub fn acceleration_at(&self, arm: Vec3) -> Vec3 {
        let rate = self.angular_velocity;
        self.acceleration + self.angular_acceleration.cross(arm) + rate.cross(rate.cross(arm))
    }

    /// Applies an impulse, in N·s, at a point given by its offset from the centre of mass.
    pub fn apply_impulse(&mut self, impulse: Vec3, arm: Vec3) {
        self.velocity += impulse * self.inverse_mass;
        self.angular_velocity += self.inverse_inertia * arm.cross(impulse);
    }

    /// Applies an angular impulse, in N·m·s.
    pub fn apply_angular_impulse(&mut self, impulse: Vec3) {
        self.angular_velocity += self.inverse_inertia * impulse;
    }

    /// Reports whether impulses move the body.
    pub fn is_movable(&self) -> bool {
        self.inverse_mass > 0.0 || self.inverse_inertia != Mat3::ZERO
    }
}
