//! The contact problem of an island: bodies, point contacts, bilateral rows of joints.
//!
//! In: bodies, contact points with normals, arms and gaps. Out: the operator A = G M⁻¹ Gᵀ, as product and as matrix, and
//! the right-hand sides b of impacts, of resting forces and of a time step.
//! Method: S1; derivations in `docs/response.md`.

use crate::body::RigidBody;
use heurt_geometry::Vec3;
use thiserror::Error;

/// A contact at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PointContact {
    /// Indices of A and B in [`ContactProblem::bodies`].
    pub bodies: [u32; 2],
    /// Unit vector from A to B.
    pub normal: Vec3,
    /// Offsets of the contact point from the centres of mass of A and of B, in metres, world frame.
    pub arms: [Vec3; 2],
    /// Distance of the surfaces along the normal, in metres; negative if they overlap.
    pub gap: f64,
    /// Rate of change of the normal for the angular velocities of the bodies, in 1/s (Ṅ of S1).
    pub normal_rate: Vec3,
    /// Share of the approach speed that is kept, 0 to 1.
    pub restitution: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
}

/// A row of a joint: a scalar constraint J·v = target with bounds of its impulse.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ConstraintRow {
    /// Indices of A and B.
    pub bodies: [u32; 2],
    /// Direction of the impulse on B; A gets the opposite. Zero for a purely angular row.
    pub linear: Vec3,
    /// Direction of the angular impulse on A and on B (with the lever arms): J·v = linear·(v_b − v_a) + angular[0]·ω_a +
    /// angular[1]·ω_b.
    pub angular: [Vec3; 2],
    /// The value that J·v shall have, in m/s or rad/s.
    pub target: f64,
    /// Bounds of the impulse, in N·s or N·m·s; infinite for an equation.
    pub bounds: [f64; 2],
    /// Value of the constraint function, in metres or radians: 0 if it holds.
    pub error: f64,
}

/// The contact problem of an island.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactProblem {
    /// The bodies.
    pub bodies: Vec<RigidBody>,
    /// The contacts.
    pub contacts: Vec<PointContact>,
    /// The rows of joints.
    pub rows: Vec<ConstraintRow>,
}

/// Reasons why numbers are not a contact problem.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// An index beyond the bodies.
    #[error("{what} {index} names body {body}, but there are {count} bodies")]
    NoSuchBody {
        /// `"contact"` or `"row"`.
        what: &'static str,
        /// Its index.
        index: usize,
        /// The index of the body.
        body: u32,
        /// The number of bodies.
        count: usize,
    },
}
