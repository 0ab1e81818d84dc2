//! A contact problem with the meaning of its unknowns, as a file holds it, and its solution.
//!
//! In: bodies, contacts, rows, the level, names. Out: the bodies afterwards, impulses, and how well they obey the laws.
//! Method: the solver that the caller chooses. With the feature `serde` a stated problem is written and read as one
//! object: `level`, `dt` if the level is a step, `names`, `bodies`, `contacts`, `rows`.
//! Guarantees: with the feature `serde`, all finite numbers keep their bits if the format writes them exactly.
//! Cost: the cost of the solver.

use super::{ContactLawErrors, ContactProblem, ProblemError};
use crate::body::RigidBody;
use crate::solver::{CERTIFIED_RESIDUAL, ContactSolver, Level, Outcome, Solution, SolveOptions};

/// A contact problem with the meaning of its unknowns.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StatedProblem {
    /// Impulses of impacts, forces, or impulses of a time step.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub level: Level,
    /// The names of the bodies; none if they have no names.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub names: Vec<String>,
    /// Bodies, contacts and rows.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub problem: ContactProblem,
}

/// The solution of a stated problem.
#[derive(Debug, Clone, PartialEq)]
pub struct SolvedProblem {
    /// Impulses or forces, energies, residual, iterations.
    pub solution: Solution,
    /// The bodies with the velocities, or accelerations, that these cause.
    pub bodies: Vec<RigidBody>,
    /// By how much the impulses break the laws of contact, law by law.
    pub errors: ContactLawErrors,
}

impl StatedProblem {
    /// Solves the problem. It has no solution if bodies that no impulse moves come nearer, or if a row between them has
    /// an error: the residual is this speed at least.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_rigid::{ContactProblem, ImpulseLcp, Level, PointContact, RigidBody, SolveOptions, StatedProblem};
    /// // A ball of 2 kg lies on the floor for 10 ms.
    /// let ball = RigidBody { inverse_mass: 0.5, acceleration: Vec3::Z * -9.81, ..RigidBody::FIXED };
    /// let contact = PointContact { normal: Vec3::Z, ..PointContact::default() };
    /// let problem = ContactProblem { bodies: vec![RigidBody::FIXED, ball], contacts: vec![contact], rows: vec![] };
    /// let stated = StatedProblem { level: Level::Step { dt: 0.01 }, names: vec![], problem };
    /// let solved = stated.solve(&ImpulseLcp::default(), &SolveOptions::default())?;
    /// assert!((solved.solution.normal[0] - 0.1962).abs() < 1e-12);
    /// assert!(solved.bodies[1].velocity.length() < 1e-15);
    /// assert!(solved.errors.complementarity < 1e-12);
    /// # Ok::<(), heurt_rigid::ProblemError>(())
    /// ```
    ///
    /// # Errors
    /// [`ProblemError`] for numbers that are no contact problem.
    pub fn solve(&self, solver: &dyn ContactSolver, options: &SolveOptions) -> Result<SolvedProblem, ProblemError> {
        let Self { level, problem, .. } = self;
        let mut solution = solver.solve(problem, *level, options)?;
        let bodies = problem.bodies_after(&solution, *level);
        let errors = problem.law_errors(&solution, *level)?;
        // Speeds of bodies cancel up to their rounding.
        let fastest = problem.bodies.iter().map(|body| body.velocity.length()).fold(0.0, f64::max);
        if errors.immovable > CERTIFIED_RESIDUAL.max(64.0 * f64::EPSILON * fastest) {
            solution.outcome = Outcome::NoSolution;
            solution.residual = solution.residual.max(errors.immovable);
        }
        Ok(SolvedProblem { solution, bodies, errors })
    }
}
