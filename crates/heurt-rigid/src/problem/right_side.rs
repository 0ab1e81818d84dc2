//! Right-hand sides of the contact problem: gap velocities, gap accelerations, targets of a time step.
//!
//! In: velocities and free accelerations. Out: the vector b of each level, over the contacts, then the rows.
//! Method: S1. Impact: b′ = ḋ⁻ + ε·min(ḋ⁻, 0). Force: b = n·(a_b − a_a) + 2ṅ·(v_b − v_a), where a is the acceleration
//! of the material point with α×r + ω×(ω×r). Step: b = J·(v⁻ + dt·a) + min(gap/dt, ε·ḋ⁻ of a contact that bounces).
//! A step keeps the directions of its start: the velocity after the step obeys J·v⁺ ≥ max(−gap/dt, −ε·ḋ⁻). The gap is
//! at least 0 at the end, to first order in dt. A contact bounces if it approaches faster than gravity explains in one
//! step (|ḋ⁻| > dt·|ä| + `REST_SPEED`) and if its gap closes within the step; a resting contact never bounces.
//! Rows: Impact J·v − target; Step J·(v⁻ + dt·a) − target + error/dt; Force J·a.
//! Not guaranteed: a Force row has no term in J̇·v, because a row does not store its rate. Cost: linear.

use super::operator::RowDirections;
use super::{ContactProblem, PointContact};
use crate::solver::Level;
use heurt_geometry::Vec3;

/// Approach speed, in m/s, below which a contact of a step never bounces: far above rounding of speeds up to 100 km/s,
/// far below what an eye or a sensor resolves.
pub const REST_SPEED: f64 = 1e-9;

impl ContactProblem {
    /// Computes the gap velocities ḋ = n·(v_b − v_a), negative where bodies come nearer.
    ///
    /// # Panics
    /// If an index is out of range; call [`check`](Self::check) first.
    pub fn gap_velocities(&self) -> Vec<f64> {
        self.contacts.iter().map(|contact| contact.normal.dot(self.relative_velocity(contact))).collect()
    }

    /// Computes the accelerations b of the gaps in free flight, with centripetal terms and the rate of the normal.
    ///
    /// # Panics
    /// If an index is out of range; call [`check`](Self::check) first.
    pub fn gap_accelerations(&self) -> Vec<f64> {
        self.contacts.iter().map(|contact| self.gap_acceleration(contact)).collect()
    }

    /// Computes the right-hand side b of a level, over the contacts, then the rows.
    ///
    /// # Panics
    /// If an index is out of range; call [`check`](Self::check) first.
    pub fn right_side(&self, level: Level) -> Vec<f64> {
        let contacts = self.contacts.iter().map(|contact| self.contact_target(contact, level));
        let rows = self.rows.iter().map(|row| {
            let free = self.free_rate(&RowDirections::of_row(row), level);
            match level {
                Level::Impact => free - row.target,
                Level::Force => free,
                Level::Step { dt } => free - row.target + row.error / dt,
            }
        });
        contacts.chain(rows).collect()
    }

    /// Computes v_b − v_a at the contact point.
    pub(crate) fn relative_velocity(&self, contact: &PointContact) -> Vec3 {
        let [a, b] = contact.bodies.map(|body| &self.bodies[body as usize]);
        b.velocity_at(contact.arms[1]) - a.velocity_at(contact.arms[0])
    }

    /// Computes the relative acceleration a_b − a_a of the material points at the contact, in free flight.
    pub(crate) fn relative_acceleration(&self, contact: &PointContact) -> Vec3 {
        let [a, b] = contact.bodies.map(|body| &self.bodies[body as usize]);
        b.acceleration_at(contact.arms[1]) - a.acceleration_at(contact.arms[0])
    }

    /// Computes the free rate of a row: J·v, J·a, or J·(v + dt·a).
    pub(crate) fn free_rate(&self, row: &RowDirections, level: Level) -> f64 {
        row.evaluate(|index| {
            let body = &self.bodies[index as usize];
            match level {
                Level::Impact => [body.velocity, body.angular_velocity],
                Level::Force => [body.acceleration, body.angular_acceleration],
                Level::Step { dt } => {
                    [body.velocity + body.acceleration * dt, body.angular_velocity + body.angular_acceleration * dt]
                }
            }
        })
    }

    fn gap_acceleration(&self, contact: &PointContact) -> f64 {
        contact.normal.dot(self.relative_acceleration(contact))
            + 2.0 * contact.normal_rate.dot(self.relative_velocity(contact))
    }

    fn contact_target(&self, contact: &PointContact, level: Level) -> f64 {
        let rate = contact.normal.dot(self.relative_velocity(contact));
        match level {
            Level::Impact => rate + contact.restitution * rate.min(0.0),
            Level::Force => self.gap_acceleration(contact),
            Level::Step { dt } => {
                let free = self.free_rate(&RowDirections::of_contact(contact, contact.normal), level);
                let gap_rate = contact.gap / dt;
                let approach = -rate;
                let threshold = (free - rate).abs() + REST_SPEED;
                let closes = gap_rate + free.min(rate) <= 0.0;
                let bounces = contact.restitution > 0.0 && approach > threshold && closes;
                free + if bounces { gap_rate.min(contact.restitution * rate) } else { gap_rate }
            }
        }
    }
}
