//! Kinetic energy, momentum and angular momentum of rigid bodies.
//!
//! In: bodies, and the positions of their centres of mass. Out: sums in J, N·s and N·m·s.
//! Method: ½mv² + ½ω·Jω, m·v, c × m·v + Jω. Bodies that no impulse moves count as 0.
//! Guarantees: the sums run in the order of the list, so that the bits are the same for any number of threads.
//! Cost: linear.

use crate::body::RigidBody;
use crate::inertia::{invert_inertia, largest_entry};
use heurt_geometry::{Mat3, Vec3};

impl RigidBody {
    /// Returns the mass in kg; 0 if no impulse moves the centre.
    pub fn mass(&self) -> f64 {
        if self.inverse_mass > 0.0 { 1.0 / self.inverse_mass } else { 0.0 }
    }

    /// Computes the inertia along the axes of the world, in kg·m². Rows and columns of locked axes are 0; all of them
    /// if the inverse inertia is not one of a body.
    pub fn inertia(&self) -> Mat3 {
        let inverse = &self.inverse_inertia;
        if *inverse == Mat3::ZERO || largest_entry(inverse).is_nan() {
            return Mat3::ZERO;
        }
        let locked = [0, 1, 2].map(|axis| inverse.col(axis) == Vec3::ZERO);
        invert_inertia(inverse, locked).unwrap_or(Mat3::ZERO)
    }

    /// Computes the kinetic energy, in J.
    ///
    /// ```
    /// use heurt_geometry::{Mat3, Vec3};
    /// use heurt_rigid::RigidBody;
    /// let wheel = RigidBody {
    ///     inverse_mass: 0.5,
    ///     inverse_inertia: Mat3::IDENTITY,
    ///     velocity: Vec3::X * 3.0,
    ///     angular_velocity: Vec3::Z * 2.0,
    ///     ..RigidBody::FIXED
    /// };
    /// assert_eq!(wheel.kinetic_energy(), 9.0 + 2.0);
    /// ```
    pub fn kinetic_energy(&self) -> f64 {
        let spin = self.angular_velocity;
        0.5 * self.mass() * self.velocity.length_squared() + 0.5 * spin.dot(self.inertia() * spin)
    }

    /// Computes the momentum, in N·s.
    pub fn momentum(&self) -> Vec3 {
        self.velocity * self.mass()
    }

    /// Computes the angular momentum around the origin of the world, in N·m·s; `centre` is the position of the centre
    /// of mass.
    pub fn angular_momentum(&self, centre: Vec3) -> Vec3 {
        centre.cross(self.momentum()) + self.inertia() * self.angular_velocity
    }
}

/// Computes the kinetic energy of bodies, in J.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_rigid::{RigidBody, kinetic_energy, total_momentum};
/// let ball = |v| RigidBody { inverse_mass: 1.0, velocity: Vec3::X * v, ..RigidBody::FIXED };
/// assert_eq!(kinetic_energy(&[ball(1.0), ball(-1.0)]), 1.0);
/// assert_eq!(total_momentum(&[ball(1.0), ball(-1.0)]), Vec3::ZERO);
/// ```
pub fn kinetic_energy(bodies: &[RigidBody]) -> f64 {
    bodies.iter().map(RigidBody::kinetic_energy).sum()
}

/// Computes the momentum of bodies, in N·s.
pub fn total_momentum(bodies: &[RigidBody]) -> Vec3 {
    bodies.iter().map(RigidBody::momentum).sum()
}

/// Computes the angular momentum of bodies around the origin of the world, in N·m·s; `centres` are the positions of
/// their centres of mass, in the same order. Bodies without a centre are left out.
pub fn total_angular_momentum(bodies: &[RigidBody], centres: &[Vec3]) -> Vec3 {
    bodies.iter().zip(centres).map(|(body, centre)| body.angular_momentum(*centre)).sum()
}
