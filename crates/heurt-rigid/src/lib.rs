//! Response of rigid bodies to contacts: free flight, contact problems, solvers, joints.
//!
//! In: velocities, masses and inertias of bodies in the world frame; contact points with normals and gaps. Out:
//! impulses and forces, the velocities after them, and how well each problem was solved.
//! Method: S1 (impulses, resting contact, complementarity), S0 §2.2; see the modules. `docs/response.md` lists the slips
//! of the course and the derived formulas.
//! Guarantees: no NaN in a state; the same bits for any number of threads; each solution carries its residual. Shapes
//! and detection are outside the scope of this crate.
//!
//! Conventions: SI units. A normal points from body A to body B. The gap velocity is ḋ = n · (v_b − v_a), negative if
//! the bodies come nearer. An impulse f ≥ 0 along the normal adds +f·n to the momentum of B and −f·n to that of A.

pub mod body;
pub mod problem;
pub mod soft_step;
pub mod solver;

pub use body::RigidBody;
pub use problem::{ConstraintRow, ContactProblem, PointContact, ProblemError};
pub use soft_step::{Islands, SoftStep, SoftStepSettings, StepBody, StepError, StepManifold, StepPoint};
pub use solver::{ContactSolver, FrictionModel, Level, Solution, SolveOptions};
