//! Errors of impulses, law by law: complementarity, pull, friction cone, and what no impulse changes.
//!
//! In: a contact problem, a level, impulses or forces. Out: the largest error of each law.
//! Method: w = A f + b is evaluated from the bodies after the impulses, b as in `right_side`. The residual of a
//! solution is one number over all laws, [`Solution::residual`]; these numbers show which law is broken.
//! Guarantees: independent of the solver. Cost: linear.

use super::{ContactProblem, PointContact, ProblemError};
use crate::problem::operator::RowDirections;
use crate::solver::{Level, Solution};

/// The largest error of each law of contact.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactLawErrors {
    /// |min(a·f, w)|: a the diagonal entry of A, w the gap velocity beyond its target. In m/s, for forces in m/s².
    /// Impacts with restitution and friction follow the energetic rule, which has no target before the solve; only an
    /// approach that is left counts there.
    pub complementarity: f64,
    /// A normal impulse below 0: a contact that pulls, in N·s or N.
    pub pull: f64,
    /// The tangential impulse beyond µ times the normal one, in N·s or N.
    pub cone: f64,
    /// An approach, in a step beyond the gap, or an error of a row, that no impulse changes: between bodies that no
    /// impulse moves there. In m/s, for forces in m/s². The problem has no solution then.
    pub immovable: f64,
}

impl ContactProblem {
    /// Computes the errors of impulses or forces, law by law.
    ///
    /// # Errors
    /// [`ProblemError`] for numbers that are no contact problem, and for a solution of another one.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_rigid::{ContactProblem, Level, PointContact, RigidBody, Solution};
    /// let ball = RigidBody { inverse_mass: 1.0, velocity: -Vec3::Z, ..RigidBody::FIXED };
    /// let contact = PointContact { normal: Vec3::Z, ..PointContact::default() };
    /// let problem = ContactProblem { bodies: vec![RigidBody::FIXED, ball], contacts: vec![contact], rows: vec![] };
    /// let half = Solution { normal: vec![0.5], tangential: vec![Vec3::X * 0.1], ..Solution::default() };
    /// let errors = problem.law_errors(&half, Level::Impact)?;
    /// // The ball still approaches at 0.5 m/s, and a contact without friction pushes sideways.
    /// assert_eq!((errors.complementarity, errors.pull, errors.cone), (0.5, 0.0, 0.1));
    /// # Ok::<(), heurt_rigid::ProblemError>(())
    /// ```
    pub fn law_errors(&self, solution: &Solution, level: Level) -> Result<ContactLawErrors, ProblemError> {
        self.check()?;
        let (expected, found) = (self.unknown_count(), solution.normal.len() + solution.rows.len());
        if solution.normal.len() != self.contacts.len() || found != expected {
            return Err(ProblemError::BadStart { expected, found });
        }
        let after = Self { bodies: self.bodies_after(solution, level), ..self.clone() };
        let targets = self.right_side(level);
        let is_energetic = |contact: &PointContact| level == Level::Impact && contact.restitution > 0.0;
        let has_friction = self.contacts.iter().any(|contact| contact.friction > 0.0);
        let mut errors = ContactLawErrors::default();
        for (number, contact) in self.contacts.iter().enumerate() {
            let row = RowDirections::of_contact(contact, contact.normal);
            let weight = self.pair_entry(&row, &row);
            let normal = solution.normal[number];
            // b and the change by all impulses.
            let rest = after.impulse_rate(&row, level) - self.free_rate(&row, level) + targets[number];
            let error = match has_friction && is_energetic(contact) {
                true => (-after.impulse_rate(&row, level)).max(0.0),
                false => (weight * normal).min(rest).abs(),
            };
            match weight > 0.0 {
                true => errors.complementarity = errors.complementarity.max(error),
                // No impulse, and no rebound.
                false => {
                    let allowed = match level {
                        Level::Impact => self.free_rate(&row, level),
                        Level::Step { dt } => self.free_rate(&row, level) + contact.gap.max(0.0) / dt,
                        Level::Force => rest,
                    };
                    errors.immovable = errors.immovable.max(-allowed);
                }
            }
            errors.pull = errors.pull.max(-normal);
            let along = solution.tangential.get(number).map_or(0.0, |along| along.length());
            errors.cone = errors.cone.max(along - contact.friction * normal.max(0.0));
        }
        for (row, rest) in self.rows.iter().zip(&targets[self.contacts.len()..]) {
            let directions = RowDirections::of_row(row);
            if self.pair_entry(&directions, &directions) + row.compliance > 0.0 {
                continue;
            }
            // Bounds that do not let an impulse push in the direction in need allow the error.
            let [low, high] = row.bounds;
            let is_error = *rest > 0.0 && low < 0.0 || *rest < 0.0 && high > 0.0;
            errors.immovable = errors.immovable.max(if is_error { rest.abs() } else { 0.0 });
        }
        Ok(errors)
    }

    /// Computes J·v, or J·a for forces: the rate that impulses of the level change.
    fn impulse_rate(&self, row: &RowDirections, level: Level) -> f64 {
        row.evaluate(|index| {
            let body = &self.bodies[index as usize];
            match level {
                Level::Force => [body.acceleration, body.angular_acceleration],
                Level::Impact | Level::Step { .. } => [body.velocity, body.angular_velocity],
            }
        })
    }
}
