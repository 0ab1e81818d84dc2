//! The operator A = G M⁻¹ Gᵀ of a contact problem, matrix-free and as a dense matrix.
//!
//! In: impulses of the normals, then of the rows. Out: the changes of the gap velocities and of J·v that they cause.
//! Method: S1, resting contact: a_ij = σ(n_i·n_j/m + (r_i×n_i)·J⁻¹(r_j×n_j)) summed over the common bodies. The product
//! first adds the impulses up per body, then evaluates all rows.
//! Guarantees: `matrix` is symmetric; `apply` and `matrix` agree up to rounding. Cost: `apply` linear, `matrix`
//! quadratic.

use super::{ConstraintRow, ContactProblem, PointContact};
use crate::lcp::SquareMatrix;
use heurt_geometry::Vec3;

/// Directions of one row of G on the two bodies: linear and angular.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowDirections {
    pub bodies: [u32; 2],
    pub linear: [Vec3; 2],
    pub angular: [Vec3; 2],
}

impl RowDirections {
    /// Creates the row of a direction at the contact point: `direction · (v_b − v_a)`.
    pub fn of_contact(contact: &PointContact, direction: Vec3) -> Self {
        let [arm_a, arm_b] = contact.arms;
        Self {
            bodies: contact.bodies,
            linear: [-direction, direction],
            angular: [-arm_a.cross(direction), arm_b.cross(direction)],
        }
    }

    /// Creates the row of a joint.
    pub fn of_row(row: &ConstraintRow) -> Self {
        Self { bodies: row.bodies, linear: [-row.linear, row.linear], angular: row.angular }
    }

    /// Evaluates the row for linear and angular vectors of the bodies.
    pub fn evaluate(&self, motion: impl Fn(u32) -> [Vec3; 2]) -> f64 {
        (0..2).fold(0.0, |sum, side| {
            let [linear, angular] = motion(self.bodies[side]);
            sum + self.linear[side].dot(linear) + self.angular[side].dot(angular)
        })
    }
}

impl ContactProblem {
    /// Returns the number of unknowns of A: contacts and rows.
    pub fn unknown_count(&self) -> usize {
        self.contacts.len() + self.rows.len()
    }

    /// Returns all rows of G: normals of contacts, then rows of joints.
    pub(crate) fn row_directions(&self) -> impl Iterator<Item = RowDirections> {
        let contacts = self.contacts.iter().map(|contact| RowDirections::of_contact(contact, contact.normal));
        contacts.chain(self.rows.iter().map(RowDirections::of_row))
    }

    /// Computes A·f for impulses `f` of the contacts, then of the rows. Missing impulses are 0.
    ///
    /// ```
    /// use heurt_geometry::{Mat3, Vec3};
    /// use heurt_rigid::{ContactProblem, PointContact, RigidBody};
    /// let ball = RigidBody { inverse_mass: 0.5, ..RigidBody::FIXED };
    /// let contact = PointContact { bodies: [0, 1], normal: Vec3::X, ..PointContact::default() };
    /// let problem = ContactProblem { bodies: vec![ball, ball], contacts: vec![contact], rows: vec![] };
    /// assert_eq!(problem.apply(&[3.0]), [3.0]); // K = ½ + ½
    /// assert_eq!(problem.matrix().get(0, 0), 1.0);
    /// ```
    ///
    /// # Panics
    /// If an index is out of range; call [`check`](Self::check) first.
    pub fn apply(&self, impulses: &[f64]) -> Vec<f64> {
        let mut changes = vec![[Vec3::ZERO; 2]; self.bodies.len()];
        for (row, &impulse) in self.row_directions().zip(impulses) {
            for side in 0..2 {
                let change = &mut changes[row.bodies[side] as usize];
                change[0] += row.linear[side] * impulse;
                change[1] += row.angular[side] * impulse;
            }
        }
        for (change, body) in changes.iter_mut().zip(&self.bodies) {
            *change = [change[0] * body.inverse_mass, body.inverse_inertia * change[1]];
        }
        let mut rates: Vec<f64> =
            self.row_directions().map(|row| row.evaluate(|body| changes[body as usize])).collect();
        let soft = rates.iter_mut().zip(impulses).skip(self.contacts.len());
        for ((rate, impulse), row) in soft.zip(&self.rows) {
            *rate += row.compliance * impulse;
        }
        rates
    }

    /// Computes the dense matrix A over the contacts, then the rows.
    ///
    /// # Panics
    /// If an index is out of range; call [`check`](Self::check) first.
    pub fn matrix(&self) -> SquareMatrix {
        let rows: Vec<RowDirections> = self.row_directions().collect();
        let mut matrix = SquareMatrix::zero(rows.len());
        for (i, row) in rows.iter().enumerate() {
            for (j, column) in rows.iter().enumerate().take(i + 1) {
                let entry = self.pair_entry(row, column);
                matrix.set(i, j, entry);
                matrix.set(j, i, entry);
            }
        }
        for (index, row) in self.rows.iter().enumerate().filter(|(_, row)| row.compliance > 0.0) {
            let at = self.contacts.len() + index;
            matrix.set(at, at, matrix.get(at, at) + row.compliance);
        }
        matrix
    }

    /// Computes one entry of A from the bodies that both rows move.
    pub(crate) fn pair_entry(&self, row: &RowDirections, column: &RowDirections) -> f64 {
        let mut entry = 0.0;
        for i in 0..2 {
            for j in 0..2 {
                if row.bodies[i] == column.bodies[j] {
                    let body = &self.bodies[row.bodies[i] as usize];
                    entry += row.linear[i].dot(column.linear[j]) * body.inverse_mass;
                    entry += row.angular[i].dot(body.inverse_inertia * column.angular[j]);
                }
            }
        }
        entry
    }
}
