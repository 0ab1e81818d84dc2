//! Response of rigid bodies to contacts: free flight, contact problems, solvers, joints.
//!
//! In: velocities, masses and inertias of bodies in the world frame; contact points with normals and gaps. Out:
//! impulses and forces, the velocities after them, and how well each problem was solved.
//! Method: S1 (impulses, resting contact, complementarity), S0 §2.2; see the modules. `docs/response.md` lists the
//! slips of the course and the derived formulas.
//! Guarantees: no NaN in a state; the same bits for any number of threads; each solution carries its residual. Shapes
//! and detection are outside the scope of this crate.
//!
//! Conventions: SI units. A normal points from body A to body B. The gap velocity is ḋ = n · (v_b − v_a), negative if
//! the bodies come nearer. An impulse f ≥ 0 along the normal adds +f·n to the momentum of B and −f·n to the momentum of
//! A.

pub mod body;
pub mod contact_state;
pub mod energy;
pub mod flight;
#[allow(clippy::needless_range_loop, reason = "loops over the unknowns of a block index several arrays in step")]
mod impulse;
pub mod inertia;
pub mod joint;
mod lcp;
mod normal_rate;
mod penalty;
pub mod problem;
pub mod soft_step;
pub mod solver;
mod spectrum;
mod tangent;

pub use body::RigidBody;
pub use contact_state::{ContactKind, ContactState, FeatureKind};
pub use energy::{kinetic_energy, total_angular_momentum, total_momentum};
pub use flight::{Flight, FlightError, FlightForces, FlightState, LockedAxes, RotationMethod, fly};
pub use impulse::{DENSE_LIMIT, ImpulseLcp, SequentialImpacts, evaluate_residual};
pub use inertia::{free_angular_acceleration, invert_inertia};
pub use joint::{
    Joint, JointBodies, JointError, JointFrame, JointKind, JointLoad, JointProjection, JointRows, JointSpring, Motor,
    PositionMotor, StepShare, project_joints,
};
pub use lcp::{BoundedUnknown, BoxedOutcome, LemkeOutcome, SquareMatrix, solve_boxed, solve_lemke};
pub use normal_rate::{edge_edge_normal_rate, vertex_face_normal_rate};
pub use penalty::{Penalty, penalty_damping_ratio};
pub use problem::{
    ConstraintRow, ContactLawErrors, ContactProblem, PointContact, ProblemError, SolvedProblem, StatedProblem,
};
pub use soft_step::{
    Islands, JointWarmStart, SoftStep, SoftStepSettings, StepBody, StepError, StepJoint, StepManifold, StepPoint,
};
pub use solver::{CERTIFIED_RESIDUAL, Outcome, SolveMethod};
pub use solver::{ContactSolver, FrictionModel, Level, Solution, SolveOptions, all_solvers};
pub use tangent::tangent_basis;
