//! The solver `impulse-lcp`: exact pivoting for small islands, certified Newton iterations for all others.
//!
//! In: a contact problem, a level, options, optional initial impulses. Out: impulses or forces with residual, energies,
//! momentum error, iterations, outcome and method.
//! Method: see `core` for the choice of the method and `restitution` for the rules of restitution.
//! Guarantees: no NaN in a solution; typed errors for bad numbers; the residual belongs to the impulses returned; the
//! same bits on every machine. Cost: see `core`.

use super::island::ScaledIsland;
use super::restitution::ImpactRule;
use crate::problem::apply::{kinetic_energy, momentum_change};
use crate::problem::{ContactProblem, ProblemError};
use crate::solver::{ContactSolver, FrictionModel, Level, Solution, SolveOptions};

/// Largest number of unknowns that goes to dense pivoting: a pivot of Lemke's method on 40 rows costs 3,200
/// multiplications, less than one sparse factorization with its assembly.
pub const DENSE_LIMIT: usize = 40;

/// The solver `impulse-lcp`.
///
/// Restitution at [`Level::Impact`]: Newton's rule if no contact has friction; else the energetic rule (Stronge) of
/// compression and restitution, in which the normal impulse of each contact gives back ε² of the work of its
/// compression. At [`Level::Step`] a contact that bounces follows Newton's rule. In both cases restitution is reduced
/// if the contacts would do positive work in sum.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_rigid::{ContactProblem, ContactSolver, ImpulseLcp, Level, PointContact, RigidBody, SolveOptions};
/// let ball = |mass: f64, speed: f64| RigidBody {
///     inverse_mass: 1.0 / mass,
///     velocity: Vec3::X * speed,
///     ..RigidBody::FIXED
/// };
/// let contact = PointContact { bodies: [0, 1], normal: Vec3::X, restitution: 0.5, ..PointContact::default() };
/// let bodies = vec![ball(1.0, 2.0), ball(3.0, -1.0)];
/// let problem = ContactProblem { bodies, contacts: vec![contact], rows: vec![] };
/// let solution = ImpulseLcp::default().solve(&problem, Level::Impact, &SolveOptions::default()).unwrap();
/// let after = problem.bodies_after(&solution, Level::Impact);
/// assert!((after[0].velocity.x - -1.375).abs() < 1e-15);
/// assert!((after[1].velocity.x - 0.125).abs() < 1e-15);
/// assert!(solution.residual <= 1e-10);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImpulseLcp {
    /// Largest number of unknowns for dense pivoting; 0 always iterates.
    pub dense_limit: usize,
}

impl Default for ImpulseLcp {
    fn default() -> Self {
        Self { dense_limit: DENSE_LIMIT }
    }
}

impl ImpulseLcp {
    /// Solves a problem from initial impulses, for example those of the previous step.
    ///
    /// # Errors
    /// As [`ContactSolver::solve`]; [`ProblemError::BadStart`] if the start has another number of contacts or rows.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_rigid::{ContactProblem, ContactSolver, ImpulseLcp, Level, PointContact, RigidBody, SolveOptions};
    /// let ball = RigidBody { inverse_mass: 1.0, velocity: -Vec3::Z, ..RigidBody::FIXED };
    /// let contact = PointContact { normal: Vec3::Z, friction: 0.4, ..PointContact::default() };
    /// let problem = ContactProblem { bodies: vec![RigidBody::FIXED, ball], contacts: vec![contact], rows: vec![] };
    /// let options = SolveOptions::default();
    /// let first = ImpulseLcp::default().solve(&problem, Level::Impact, &options).unwrap();
    /// let again = ImpulseLcp::default().solve_from(&problem, Level::Impact, &options, &first).unwrap();
    /// assert!((again.normal[0] - 1.0).abs() < 1e-12 && again.iterations <= first.iterations);
    /// ```
    pub fn solve_from(
        &self,
        problem: &ContactProblem,
        level: Level,
        options: &SolveOptions,
        start: &Solution,
    ) -> Result<Solution, ProblemError> {
        let expected = problem.unknown_count();
        let found = start.normal.len() + start.rows.len();
        if start.normal.len() != problem.contacts.len() || found != expected {
            return Err(ProblemError::BadStart { expected, found });
        }
        self.solve_with(problem, level, options, Some(start))
    }

    fn solve_with(
        &self,
        problem: &ContactProblem,
        level: Level,
        options: &SolveOptions,
        start: Option<&Solution>,
    ) -> Result<Solution, ProblemError> {
        check_request(problem, level, options)?;
        let start = start.map(|start| {
            let impulses = ScaledIsland::new(problem, level, Some(options.friction)).read(problem, start);
            impulses.iter().map(|impulse| if impulse.is_finite() { *impulse } else { 0.0 }).collect::<Vec<f64>>()
        });
        let rule = ImpactRule { problem, level, options, dense_limit: self.dense_limit };
        let (island, core) = rule.solve(start.as_deref());
        let mut solution = Solution {
            residual: core.residual,
            iterations: core.iterations,
            outcome: core.outcome,
            method: core.method,
            ..Solution::default()
        };
        island.write(problem, &core.impulses, &mut solution);
        complete(problem, level, solution)
    }
}

impl ContactSolver for ImpulseLcp {
    fn name(&self) -> &'static str {
        "impulse-lcp"
    }

    fn solve(&self, problem: &ContactProblem, level: Level, options: &SolveOptions) -> Result<Solution, ProblemError> {
        self.solve_with(problem, level, options, None)
    }
}

/// Tests the problem, the level and the options.
pub(crate) fn check_request(
    problem: &ContactProblem,
    level: Level,
    options: &SolveOptions,
) -> Result<(), ProblemError> {
    problem.check()?;
    if let Level::Step { dt } = level
        && (!dt.is_finite() || dt <= 0.0)
    {
        return Err(ProblemError::BadTimeStep { value: dt });
    }
    if options.tolerance.is_nan() || options.tolerance < 0.0 {
        return Err(ProblemError::BadTolerance { value: options.tolerance });
    }
    Ok(())
}

/// Adds energies and the momentum error, and tests that all numbers are finite.
pub(crate) fn complete(
    problem: &ContactProblem,
    level: Level,
    mut solution: Solution,
) -> Result<Solution, ProblemError> {
    let after = problem.bodies_after(&solution, level);
    solution.energy = [kinetic_energy(&problem.bodies), kinetic_energy(&after)];
    solution.momentum_error = momentum_change(&problem.bodies, &after, level);
    let impulses = solution.normal.iter().chain(&solution.rows).all(|impulse| impulse.is_finite());
    let numbers = [solution.residual, solution.energy[0], solution.energy[1], solution.momentum_error];
    let tangential = solution.tangential.iter().all(|impulse| impulse.is_finite());
    if impulses && tangential && numbers.iter().all(|number| number.is_finite()) {
        Ok(solution)
    } else {
        Err(ProblemError::Overflow)
    }
}

/// Computes the residual of any impulses of a problem, for the comparison of solvers: the natural map of
/// [`Solution::residual`] at the level, with Newton's rule of restitution.
///
/// # Errors
/// As [`ContactSolver::solve`].
pub fn evaluate_residual(
    problem: &ContactProblem,
    level: Level,
    friction: FrictionModel,
    solution: &Solution,
) -> Result<f64, ProblemError> {
    check_request(problem, level, &SolveOptions::default())?;
    let (expected, found) = (problem.unknown_count(), solution.normal.len() + solution.rows.len());
    if solution.normal.len() != problem.contacts.len() || found != expected {
        return Err(ProblemError::BadStart { expected, found });
    }
    let island = ScaledIsland::new(problem, level, Some(friction));
    let residual = island.residual_of(&island.read(problem, solution));
    if residual.is_finite() { Ok(residual) } else { Err(ProblemError::Overflow) }
}
