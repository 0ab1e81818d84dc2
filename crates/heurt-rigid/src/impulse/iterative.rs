//! Certified iterative solver: Gauss–Seidel sweeps, a smoothed central path, proximal Newton steps.
//!
//! In: a scaled island and initial impulses. Out: the impulses of the least residual seen, and this residual.
//! Method: the central path finds the active contacts and most digits (`central_path`); Newton rounds solve the problem
//! with A + weight/r around the last impulses and add the last digits (`newton`). A stall is followed by projected
//! Gauss–Seidel sweeps from the best impulses and by a wider path.
//! Guarantees: bounded iterations; never worse than the start; the residual is evaluated for the impulses returned.
//! Not guaranteed: the tolerance if the problem has no solution or if rounding of the velocities exceeds it.
//! Cost: one sparse factorization over bodies per step; 8 to 30 steps.

use super::body_matrix::BodyMatrix;
use super::central_path::{CentralPath, FIRST_SHRINK, PathRequest, TANGENT_WIDTH};
use super::gauss_seidel::sweep;
use super::island::{ScaledIsland, Six};
use super::law::ImpulseLaw;
use super::newton::Newton;

/// Factor r of the proximal Newton rounds: gains 3 digits per round on stacks of 50 bodies and leaves 9 digits to the
/// factorization.
const FACTOR: f64 = 1e7;

/// Growth of the factor where rounds gain less than a half: mass ratios of 1e6 in chains have eigenvalues of A near
/// 1e-8 of its diagonal.
const FACTOR_GROWTH: f64 = 100.0;

/// Beyond 1e11 the factorization has fewer than 5 digits.
const LARGEST_FACTOR: f64 = 1e11;

/// Share of the velocities below which a residual shows slow convergence and not wrong active contacts.
const SETTLED: f64 = 1e-5;

/// Residuals below this count of roundings of the velocities cannot be improved reliably.
const ROUNDINGS: f64 = 4.0;

/// Growth of the first width of a path with each retry.
const WIDENING: f64 = 10.0;

/// A residual of at most this count of roundings of the velocities counts as solved.
pub(crate) const CERTIFIED_ROUNDINGS: f64 = 64.0;

/// Stalls after which a residual of `CERTIFIED_ROUNDINGS` ends the search: one retry from 0, one from the best.
const ROUNDING_STALLS: u32 = 2;

/// Rounds without progress before the solver stops if no contact has friction: the problem is convex, and another start
/// meets the same rounding.
const CONVEX_STALLS: u32 = 2;

/// Rounds without progress before the solver stops.
const MAX_STALLS: u32 = 12;

/// Sweeps after the first stall; they double with each stall.
const STALL_SWEEPS: u32 = 32;

/// Result of the iterative solver.
pub(crate) struct Iterated {
    pub impulses: Vec<f64>,
    pub residual: f64,
    pub iterations: u32,
}

/// Solves an island from initial impulses, or from 0.
pub(crate) fn iterate(island: &ScaledIsland, start: Option<&[f64]>, max_iterations: u32, tolerance: f64) -> Iterated {
    let mut state = IterationState::new(island, start);
    if !state.is_open(tolerance) {
        return state.finish();
    }
    let mut matrix = BodyMatrix::new(island);
    let mut newton = Newton::new(island);
    if start.is_some() {
        state.run_sweeps(1, tolerance);
    }
    state.follow_path(&mut matrix, max_iterations, tolerance, 0);
    let convex = island.blocks.iter().all(|block| matches!(block.law, ImpulseLaw::Bounded { .. }));
    let mut factor = FACTOR;
    let (mut stalls, most) = (0, if convex { CONVEX_STALLS } else { MAX_STALLS });
    while state.iterations < max_iterations && stalls < most && state.is_open(tolerance) {
        let (before, residual) = (state.best, state.residual);
        let steps = newton.advance(&mut matrix, &mut state.impulses, &state.velocities, factor, residual);
        state.iterations += steps.max(1);
        state.update();
        if state.best > 0.5 * before && factor < LARGEST_FACTOR && state.best < SETTLED * state.scale() {
            // The active contacts are known; the slowest direction of A needs a larger factor.
            state.restore_best();
            factor *= FACTOR_GROWTH;
        } else if state.best > 0.5 * before {
            stalls += 1;
            factor = FACTOR;
            if stalls > ROUNDING_STALLS && !state.exceeds(tolerance, CERTIFIED_ROUNDINGS) {
                break;
            }
            state.restart(stalls, max_iterations, tolerance);
            state.follow_path(&mut matrix, max_iterations, tolerance, stalls);
        }
    }
    state.finish()
}

/// Impulses with their velocities, and the best impulses seen.
struct IterationState<'i> {
    island: &'i ScaledIsland,
    impulses: Vec<f64>,
    nodes: Vec<Six>,
    velocities: Vec<f64>,
    residual: f64,
    best: f64,
    best_impulses: Vec<f64>,
    iterations: u32,
}

impl<'i> IterationState<'i> {
    fn new(island: &'i ScaledIsland, start: Option<&[f64]>) -> Self {
        let mut impulses = start.map_or_else(|| vec![0.0; island.free.len()], <[f64]>::to_vec);
        island.project(&mut impulses);
        let mut state = Self {
            island,
            best_impulses: impulses.clone(),
            impulses,
            nodes: island.zero_nodes(),
            velocities: vec![0.0; island.free.len()],
            residual: f64::INFINITY,
            best: f64::INFINITY,
            iterations: 0,
        };
        state.update();
        state
    }

    /// Computes velocities and residual of the impulses, and keeps the best.
    fn update(&mut self) {
        let island = self.island;
        island.gather(&self.impulses, &mut self.nodes);
        island.rates(&self.nodes, &mut self.velocities);
        island.add_free(&self.impulses, &mut self.velocities);
        self.residual = island.residual(&self.impulses, &self.velocities);
        if self.residual < self.best {
            self.best = self.residual;
            self.best_impulses.copy_from_slice(&self.impulses);
        } else if !self.residual.is_finite() {
            self.restore_best();
        }
    }

    /// Follows the central path from a width of the residual. Each retry starts 10 times as wide and shrinks slower.
    fn follow_path(&mut self, matrix: &mut BodyMatrix, max_iterations: u32, tolerance: f64, retry: u32) {
        let wide = self.residual * WIDENING.powi(retry as i32);
        let request = PathRequest {
            width: wide.min(self.island.velocity_scale(&self.impulses)),
            shrink: libm::pow(FIRST_SHRINK, 1.0 / f64::from(1 + retry)),
            tangent: TANGENT_WIDTH * [1.0, 0.1, 10.0][retry as usize % 3],
            max_steps: max_iterations.saturating_sub(self.iterations),
            tolerance,
        };
        self.iterations += CentralPath::follow(self.island, matrix, &mut self.impulses, request);
        self.update();
    }

    /// Chooses the start of a retry: the best impulses after sweeps, or no impulses.
    fn restart(&mut self, stalls: u32, max_iterations: u32, tolerance: f64) {
        if stalls % 2 == 1 {
            self.impulses.fill(0.0);
            self.island.project(&mut self.impulses);
            self.update();
        } else {
            self.restore_best();
            let left = max_iterations.saturating_sub(self.iterations);
            self.run_sweeps((STALL_SWEEPS << (stalls / 2)).min(left), tolerance);
        }
    }

    fn finish(mut self) -> Iterated {
        self.restore_best();
        Iterated { impulses: self.impulses, residual: self.best, iterations: self.iterations }
    }

    fn restore_best(&mut self) {
        if self.residual != self.best {
            self.impulses.copy_from_slice(&self.best_impulses);
            let island = self.island;
            island.gather(&self.impulses, &mut self.nodes);
            island.rates(&self.nodes, &mut self.velocities);
            island.add_free(&self.impulses, &mut self.velocities);
            self.residual = self.best;
        }
    }

    fn scale(&self) -> f64 {
        self.island.velocity_scale(&self.best_impulses)
    }

    fn is_open(&self, tolerance: f64) -> bool {
        self.exceeds(tolerance, ROUNDINGS)
    }

    /// Tests the best residual against the tolerance and a count of roundings of the velocities.
    fn exceeds(&self, tolerance: f64, roundings: f64) -> bool {
        let rounding = roundings * f64::EPSILON * self.scale();
        self.best > tolerance.max(rounding)
    }

    fn run_sweeps(&mut self, count: u32, tolerance: f64) {
        for index in 0..count {
            if !self.is_open(tolerance) {
                return;
            }
            sweep(self.island, &mut self.impulses, &mut self.nodes, index % 2 == 1);
            self.iterations += 1;
            // The residual costs as much as a sweep: it is evaluated every 8 sweeps and at the end.
            if index % 8 == 7 || index + 1 == count {
                self.update();
            }
        }
    }
}
