//! One trait for all solvers of a contact problem, their options and their result.

use crate::problem::{ContactProblem, ProblemError};

/// What the unknowns of a solve are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Level {
    /// Impulses of simultaneous impacts: f ≥ 0 ⟂ A f + ḋ⁻ + ε·min(ḋ⁻, 0) ≥ 0.
    Impact,
    /// Forces of resting contacts: g ≥ 0 ⟂ A g + b ≥ 0, b the free accelerations of the gaps.
    Force,
    /// Impulses of a time step of `dt` seconds: f ≥ 0 ⟂ A f + ḋ⁻ + dt·a + gap/dt ≥ 0, so that no gap is below 0 at the
    /// end of the step, to first order.
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

/// Impulses or forces, and how well they solve the problem.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Solution {
    /// Normal impulse (N·s) or force (N) of each contact.
    pub normal: Vec<f64>,
    /// The tangential impulse or force on B of each contact, world frame.
    pub tangential: Vec<heurt_geometry::Vec3>,
    /// Impulse or force of each row.
    pub rows: Vec<f64>,
    /// ‖min(g, A g + b)‖∞ with the laws of friction and of the rows, in m/s or m/s².
    pub residual: f64,
    /// Kinetic energy before and after, in J; the same for forces.
    pub energy: [f64; 2],
    /// Change of the total momentum of an island without fixed bodies, in N·s: rounding errors.
    pub momentum_error: f64,
    /// Iterations or pivots.
    pub iterations: u32,
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
