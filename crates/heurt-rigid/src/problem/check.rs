//! Validation of a contact problem: indices, finite numbers, ranges.
//!
//! In: a contact problem. Out: the first number that no solver can use, as a typed error.
//! Method: bodies, contacts and rows in their order. Guarantees: a problem that passes has finite numbers, unit
//! normals, inverse inertias without negative eigenvalues, and ordered bounds.
//! Not guaranteed: a solution; see `Outcome`. Cost: linear.

use super::{ConstraintRow, ContactProblem, PointContact, ProblemError};
use crate::body::RigidBody;
use crate::spectrum::symmetric_spectrum;
use heurt_geometry::{Mat3, Vec3};

/// Largest deviation of a normal's length from 1: rotations and normalizations in `f64` stay far below it.
const UNIT_TOLERANCE: f64 = 1e-6;

/// Largest asymmetry, and largest negative eigenvalue, relative to the largest entry of an inverse inertia. Rotations
/// of a diagonal matrix stay below 1e-14.
const INERTIA_TOLERANCE: f64 = 1e-9;

impl ContactProblem {
    /// Tests all numbers of the problem.
    ///
    /// # Errors
    /// The first fault in the order bodies, contacts, rows.
    ///
    /// ```
    /// use heurt_rigid::{ContactProblem, ProblemError, RigidBody};
    /// let light = RigidBody { inverse_mass: -1.0, ..RigidBody::FIXED };
    /// let problem = ContactProblem { bodies: vec![light], ..ContactProblem::default() };
    /// assert_eq!(problem.check(), Err(ProblemError::NegativeMass { index: 0, value: -1.0 }));
    /// ```
    pub fn check(&self) -> Result<(), ProblemError> {
        for (index, body) in self.bodies.iter().enumerate() {
            check_body(index, body)?;
        }
        for (index, contact) in self.contacts.iter().enumerate() {
            check_pair("contact", index, contact.bodies, self.bodies.len())?;
            check_contact(index, contact)?;
        }
        for (index, row) in self.rows.iter().enumerate() {
            check_pair("row", index, row.bodies, self.bodies.len())?;
            check_row(index, row)?;
        }
        Ok(())
    }
}

/// Tests whether a matrix is symmetric and without negative eigenvalues, up to rounding.
pub(crate) fn is_symmetric_psd(matrix: &Mat3) -> bool {
    let size = matrix.to_cols_array().iter().fold(0.0f64, |size, entry| size.max(entry.abs()));
    let skew = *matrix - matrix.transpose();
    if skew.to_cols_array().iter().any(|entry| entry.abs() > INERTIA_TOLERANCE * size) {
        return false;
    }
    let (values, _) = symmetric_spectrum(matrix);
    values.iter().all(|&value| value >= -INERTIA_TOLERANCE * size)
}

/// Returns the error of a field that is not finite.
fn require_finite(what: &'static str, index: usize, fields: &[(&'static str, bool)]) -> Result<(), ProblemError> {
    match fields.iter().find(|(_, finite)| !finite) {
        Some(&(field, _)) => Err(ProblemError::NotFinite { what, index, field }),
        None => Ok(()),
    }
}

fn check_pair(what: &'static str, index: usize, bodies: [u32; 2], count: usize) -> Result<(), ProblemError> {
    for body in bodies {
        if body as usize >= count {
            return Err(ProblemError::NoSuchBody { what, index, body, count });
        }
    }
    if bodies[0] == bodies[1] {
        return Err(ProblemError::SameBody { what, index, body: bodies[0] });
    }
    Ok(())
}

fn check_body(index: usize, body: &RigidBody) -> Result<(), ProblemError> {
    let fields = [
        ("inverse mass", body.inverse_mass.is_finite()),
        ("inverse inertia", body.inverse_inertia.is_finite()),
        ("velocity", body.velocity.is_finite()),
        ("angular velocity", body.angular_velocity.is_finite()),
        ("acceleration", body.acceleration.is_finite()),
        ("angular acceleration", body.angular_acceleration.is_finite()),
    ];
    require_finite("body", index, &fields)?;
    if body.inverse_mass < 0.0 {
        return Err(ProblemError::NegativeMass { index, value: body.inverse_mass });
    }
    if !is_symmetric_psd(&body.inverse_inertia) {
        return Err(ProblemError::BadInertia { index });
    }
    Ok(())
}

fn check_contact(index: usize, contact: &PointContact) -> Result<(), ProblemError> {
    let finite = |vectors: &[Vec3]| vectors.iter().all(|vector| vector.is_finite());
    let fields = [
        ("normal", contact.normal.is_finite()),
        ("arms", finite(&contact.arms)),
        ("gap", contact.gap.is_finite()),
        ("normal rate", contact.normal_rate.is_finite()),
        ("restitution", contact.restitution.is_finite()),
        ("friction", contact.friction.is_finite()),
    ];
    require_finite("contact", index, &fields)?;
    let length = contact.normal.length();
    if (length - 1.0).abs() > UNIT_TOLERANCE {
        return Err(ProblemError::NormalNotUnit { index, length });
    }
    if !(0.0..=1.0).contains(&contact.restitution) {
        return Err(ProblemError::BadRestitution { index, value: contact.restitution });
    }
    if contact.friction < 0.0 {
        return Err(ProblemError::NegativeFriction { index, value: contact.friction });
    }
    Ok(())
}

fn check_row(index: usize, row: &ConstraintRow) -> Result<(), ProblemError> {
    let fields = [
        ("linear direction", row.linear.is_finite()),
        ("angular directions", row.angular[0].is_finite() && row.angular[1].is_finite()),
        ("target", row.target.is_finite()),
        ("error", row.error.is_finite()),
        ("compliance", row.compliance.is_finite()),
    ];
    require_finite("row", index, &fields)?;
    if row.compliance < 0.0 {
        return Err(ProblemError::NegativeCompliance { index, value: row.compliance });
    }
    let [low, high] = row.bounds;
    // A lower bound of +∞ or an upper bound of −∞ leaves no impulse.
    let empty = low == f64::INFINITY || high == f64::NEG_INFINITY;
    if low.is_nan() || high.is_nan() || low > high || empty {
        return Err(ProblemError::CrossedBounds { index, low, high });
    }
    Ok(())
}
