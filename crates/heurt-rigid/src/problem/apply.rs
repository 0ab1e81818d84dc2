//! State of the bodies after a solution, kinetic energy, and the change of the total momentum.
//!
//! In: a contact problem and impulses or forces. Out: bodies with new velocities (or accelerations), joules, N·s.
//! Method: sums of impulses. The energy uses the eigenvalues of the inverse inertia; an axis that no impulse turns has
//! no share in it, like a body of infinite mass. Guarantees: no division by 0. Cost: linear.

use super::ContactProblem;
use super::operator::RowDirections;
use crate::body::RigidBody;
use crate::solver::{Level, Solution};
use crate::spectrum::symmetric_spectrum;
use heurt_geometry::Vec3;

impl ContactProblem {
    /// Returns the bodies after the impulses or forces of a solution: new velocities at [`Level::Impact`], velocities
    /// at the end of the step at [`Level::Step`], new accelerations at [`Level::Force`].
    ///
    /// # Panics
    /// If an index is out of range; call [`check`](Self::check) first.
    pub fn bodies_after(&self, solution: &Solution, level: Level) -> Vec<RigidBody> {
        let mut changes = vec![[Vec3::ZERO; 2]; self.bodies.len()];
        for (index, contact) in self.contacts.iter().enumerate() {
            let normal = solution.normal.get(index).copied().unwrap_or(0.0);
            let tangential = solution.tangential.get(index).copied().unwrap_or(Vec3::ZERO);
            let impulse = contact.normal * normal + tangential;
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let change = &mut changes[contact.bodies[side] as usize];
                change[0] += impulse * sign;
                change[1] += contact.arms[side].cross(impulse * sign);
            }
        }
        for (row, &impulse) in self.rows.iter().zip(&solution.rows) {
            let row = RowDirections::of_row(row);
            for side in 0..2 {
                let change = &mut changes[row.bodies[side] as usize];
                change[0] += row.linear[side] * impulse;
                change[1] += row.angular[side] * impulse;
            }
        }
        self.bodies.iter().zip(&changes).map(|(body, change)| changed_body(body, change, level)).collect()
    }
}

/// Adds an impulse and an angular impulse to a body, by the meaning of the level.
fn changed_body(body: &RigidBody, [linear, angular]: &[Vec3; 2], level: Level) -> RigidBody {
    let mut body = *body;
    let (linear, angular) = (*linear * body.inverse_mass, body.inverse_inertia * *angular);
    match level {
        Level::Impact => {
            body.velocity += linear;
            body.angular_velocity += angular;
        }
        Level::Force => {
            body.acceleration += linear;
            body.angular_acceleration += angular;
        }
        Level::Step { dt } => {
            body.velocity += body.acceleration * dt + linear;
            body.angular_velocity += body.angular_acceleration * dt + angular;
        }
    }
    body
}

/// Computes the kinetic energy of bodies, in J. Bodies and axes that no impulse moves are left out.
pub(crate) fn kinetic_energy(bodies: &[RigidBody]) -> f64 {
    let mut energy = 0.0;
    for body in bodies {
        if body.inverse_mass > 0.0 {
            energy += 0.5 * body.velocity.length_squared() / body.inverse_mass;
        }
        let (values, axes) = symmetric_spectrum(&body.inverse_inertia);
        let largest = values.iter().fold(0.0f64, |largest, &value| largest.max(value));
        for (value, axis) in values.iter().zip(axes) {
            // Rounding of a rotated matrix leaves 1e-16 of the largest eigenvalue in place of 0.
            if *value > 1e-14 * largest {
                let rate = axis.dot(body.angular_velocity);
                energy += 0.5 * rate * rate / value;
            }
        }
    }
    energy
}

/// Computes the length of the change of the total linear momentum; 0 if the bodies include a fixed body.
pub(crate) fn momentum_change(before: &[RigidBody], after: &[RigidBody], level: Level) -> f64 {
    if before.iter().any(|body| body.inverse_mass == 0.0) {
        return 0.0;
    }
    let mut sum = Vec3::ZERO;
    for (old, new) in before.iter().zip(after) {
        let change = match level {
            Level::Impact => new.velocity - old.velocity,
            Level::Force => new.acceleration - old.acceleration,
            Level::Step { dt } => new.velocity - (old.velocity + old.acceleration * dt),
        };
        sum += change / old.inverse_mass;
    }
    sum.length()
}
