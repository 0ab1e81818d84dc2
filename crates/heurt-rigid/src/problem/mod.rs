//! The contact problem of an island: bodies, point contacts, bilateral rows of joints.
//!
//! In: bodies, contact points with normals, arms and gaps. Out: the operator A = G M⁻¹ Gᵀ, as product and as matrix,
//! and the right-hand sides b of impacts, of resting forces and of a time step.
//! Method: S1; derivations in `docs/response.md`. The unknowns of `A` are the normal impulses of the contacts, in their
//! order, then the impulses of the rows. Friction adds two unknowns per contact inside the solvers.
//! Guarantees: `check` reports each number that no solver can use. `apply` never builds `A`; `matrix` is symmetric.
//! Not guaranteed: `A` is regular; more contacts than degrees of freedom make it singular.
//! Cost: linear in the contacts, except `matrix`, which is quadratic.

use crate::body::RigidBody;
use heurt_geometry::Vec3;

pub(crate) mod apply;
#[cfg(feature = "serde")]
mod bounds_format;
mod check;
mod error;
mod law_errors;
pub(crate) mod operator;
pub(crate) mod right_side;
mod stated;

pub use error::ProblemError;
pub use law_errors::ContactLawErrors;
pub use right_side::REST_SPEED;
pub use stated::{SolvedProblem, StatedProblem};

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

impl Default for PointContact {
    /// A contact of bodies 0 and 1 along X without friction, restitution, gap and arms.
    fn default() -> Self {
        Self {
            bodies: [0, 1],
            normal: Vec3::X,
            arms: [Vec3::ZERO; 2],
            gap: 0.0,
            normal_rate: Vec3::ZERO,
            restitution: 0.0,
            friction: 0.0,
        }
    }
}

/// A row of a joint: a scalar constraint J·v = target with bounds of its impulse, or a spring.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ConstraintRow {
    /// Indices of A and B.
    pub bodies: [u32; 2],
    /// Direction of the impulse on B; A gets the opposite. Zero for a purely angular row.
    pub linear: Vec3,
    /// Directions of the angular impulses on A and on B, with the lever arms: `J·v = linear·(v_b − v_a) +
    /// angular[0]·ω_a + angular[1]·ω_b`.
    pub angular: [Vec3; 2],
    /// The value that J·v shall have, in m/s or rad/s.
    pub target: f64,
    /// Bounds of the impulse, in N·s or N·m·s; infinite for an equation. A file holds `null` for an infinite bound.
    #[cfg_attr(feature = "serde", serde(with = "bounds_format"))]
    pub bounds: [f64; 2],
    /// Value of the constraint function, in metres or radians: 0 if it holds.
    pub error: f64,
    /// Rate that a unit of impulse leaves, γ in `J·v + γ·impulse = target`, in 1/kg or 1/(kg·m²): 0 for a rigid row,
    /// above 0 for a spring. It is a diagonal entry that A has in addition.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_rigid"))]
    pub compliance: f64,
}

/// Reports whether a row has no compliance: files of problems leave it out then.
#[cfg(feature = "serde")]
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_rigid(compliance: &f64) -> bool {
    *compliance == 0.0
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
