//! One trait for all solvers of a contact problem, their options and their result.

use crate::impulse::{ImpulseLcp, SequentialImpacts};
use crate::penalty::Penalty;
use crate::problem::{ContactProblem, ProblemError};

/// The meaning of the unknowns of a solve. A file holds it as `level`, and the `dt` of a step next to it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(tag = "level", rename_all = "snake_case")
)]
pub enum Level {
    /// Impulses of simultaneous impacts: f ≥ 0 ⟂ A f + ḋ⁻ + ε·min(ḋ⁻, 0) ≥ 0.
    Impact,
    /// Forces of resting contacts: g ≥ 0 ⟂ A g + b ≥ 0, b the free accelerations of the gaps.
    Force,
    /// Impulses of a time step of `dt` seconds: f ≥ 0 ⟂ A f + ḋ⁻ + dt·a + gap/dt ≥ 0, so that no gap is below 0 at the
    /// end of the step, to first order. A contact that bounces aims at the larger of −gap/dt and the rebound −ε·ḋ⁻; a
    /// resting contact never bounces (see `ContactProblem::right_side`).
    Step {
        /// Seconds.
        dt: f64,
    },
}

/// The set of friction impulses for a normal impulse f.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FrictionModel {
    /// The length of the tangential impulse is at most µ·f.
    #[default]
    Cone,
    /// Each of two tangential components is at most µ·f.
    Box,
}

/// Options of a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolveOptions {
    /// The set of friction impulses.
    pub friction: FrictionModel,
    /// Bound of the iterations.
    pub max_iterations: u32,
    /// Residual at which an iterative solver stops.
    pub tolerance: f64,
}

impl Default for SolveOptions {
    fn default() -> Self {
        Self { friction: FrictionModel::Cone, max_iterations: 1000, tolerance: 1e-12 }
    }
}

impl Level {
    /// Returns its name, as files write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Impact => "impact",
            Self::Force => "force",
            Self::Step { .. } => "step",
        }
    }
}

/// The end of a solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outcome {
    /// The residual is at most [`CERTIFIED_RESIDUAL`], or at most the rounding error of the velocities.
    Solved,
    /// The residual is larger: the impulses are the best of all iterations.
    #[default]
    Approximate,
    /// Lemke's method ended in a ray, and no other method found a solution. Without sliding friction this proves that
    /// no solution exists. The impulses are the best of all iterations.
    NoSolution,
}

/// The method that found a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SolveMethod {
    /// A solver outside this list.
    #[default]
    Other,
    /// No unknown: the problem has no contact that an impulse changes.
    Empty,
    /// Lemke's complementary pivoting.
    Lemke,
    /// Boxed principal pivoting.
    Pivoting,
    /// Gauss–Seidel sweeps and semismooth Newton steps.
    Newton,
    /// One impact after another.
    Sequential,
    /// Springs at overlaps.
    Springs,
}

impl Outcome {
    /// Returns its name, as reports write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Solved => "solved",
            Self::Approximate => "approximate",
            Self::NoSolution => "no solution",
        }
    }
}

impl SolveMethod {
    /// Returns its name, as reports write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Other => "other",
            Self::Empty => "no unknown",
            Self::Lemke => "lemke",
            Self::Pivoting => "pivoting",
            Self::Newton => "newton",
            Self::Sequential => "sequential",
            Self::Springs => "springs",
        }
    }

    /// Returns the name of the solver that has this method.
    pub fn solver(self) -> &'static str {
        match self {
            Self::Sequential => "sequential-impacts",
            Self::Springs => "penalty",
            Self::Other | Self::Empty | Self::Lemke | Self::Pivoting | Self::Newton => "impulse-lcp",
        }
    }
}

/// Residual of a certified solution, in m/s or m/s².
pub const CERTIFIED_RESIDUAL: f64 = 1e-10;

/// Impulses or forces, and how well they solve the problem.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Solution {
    /// Normal impulse (N·s) or force (N) of each contact.
    pub normal: Vec<f64>,
    /// The tangential impulse or force on B of each contact, world frame.
    pub tangential: Vec<heurt_geometry::Vec3>,
    /// Impulse or force of each row.
    pub rows: Vec<f64>,
    /// ‖min(g, A g + b)‖∞ with the laws of friction and of the rows, in m/s or m/s². Each impulse is weighted with its
    /// diagonal entry of A, so that both arguments are velocities; the unweighted map has the same zeros. Friction: the
    /// distance to the projection onto the disc or square of µ·f. Rows: the distance to the projection onto the bounds.
    pub residual: f64,
    /// Kinetic energy before and after, in J. Forces change no velocity: both are equal.
    pub energy: [f64; 2],
    /// Change of the total momentum of an island without fixed bodies, in N·s: rounding errors.
    pub momentum_error: f64,
    /// Iterations or pivots.
    pub iterations: u32,
    /// The end of the solve.
    pub outcome: Outcome,
    /// The method that found the impulses.
    pub method: SolveMethod,
}

/// A solver of contact problems.
pub trait ContactSolver {
    /// Returns its name, as the command and the docs write it.
    fn name(&self) -> &'static str;

    /// Solves a problem.
    ///
    /// # Errors
    /// [`ProblemError`] for numbers that are no contact problem.
    fn solve(&self, problem: &ContactProblem, level: Level, options: &SolveOptions) -> Result<Solution, ProblemError>;
}

/// Lists all solvers of contact problems, each with its usual settings.
///
/// ```
/// use heurt_rigid::all_solvers;
/// let names: Vec<&str> = all_solvers().iter().map(|solver| solver.name()).collect();
/// assert_eq!(names, ["impulse-lcp", "sequential-impacts", "penalty"]);
/// ```
pub fn all_solvers() -> [Box<dyn ContactSolver>; 3] {
    [Box::new(ImpulseLcp::default()), Box::new(SequentialImpacts), Box::new(Penalty::default())]
}
