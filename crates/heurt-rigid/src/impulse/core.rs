//! Choice of the method for one complementarity problem: dense pivoting for small islands, Newton for all others.
//!
//! In: a scaled island, options, initial impulses. Out: impulses, residual, outcome, method.
//! Method: unilateral islands of at most `dense_limit` unknowns go to Lemke's method, islands with rows or friction
//! boxes to boxed pivoting. A pivoting result above the certified residual is polished by the iterative solver.
//! Guarantees: the residual is evaluated for the impulses returned. Cost: see `dense` and `iterative`.

use super::dense::{DenseOutcome, is_boxed, is_unilateral, solve_bounded, solve_unilateral};
use super::island::ScaledIsland;
use super::iterative::{CERTIFIED_ROUNDINGS, iterate};
use crate::solver::{CERTIFIED_RESIDUAL, Outcome, SolveMethod, SolveOptions};

/// Impulses of all unknowns of an island.
#[derive(Debug, Clone)]
pub(crate) struct CoreSolution {
    pub impulses: Vec<f64>,
    pub residual: f64,
    pub iterations: u32,
    pub outcome: Outcome,
    pub method: SolveMethod,
}

/// Solves an island.
pub(crate) fn solve_island(
    island: &ScaledIsland,
    start: Option<&[f64]>,
    options: &SolveOptions,
    dense_limit: usize,
) -> CoreSolution {
    if island.blocks.is_empty() {
        let (outcome, method) = (Outcome::Solved, SolveMethod::Empty);
        return CoreSolution { impulses: Vec::new(), residual: 0.0, iterations: 0, outcome, method };
    }
    let mut pivots = 0;
    let mut ray = false;
    let mut polished: Option<Vec<f64>> = None;
    if island.free.len() <= dense_limit && (is_unilateral(island) || is_boxed(island)) {
        let unilateral = is_unilateral(island);
        let method = if unilateral { SolveMethod::Lemke } else { SolveMethod::Pivoting };
        let outcome = if unilateral { solve_unilateral(island) } else { solve_bounded(island) };
        match outcome {
            DenseOutcome::Solved(impulses, iterations) => {
                let residual = island.residual_of(&impulses);
                if is_certified(island, &impulses, residual) {
                    return CoreSolution { impulses, residual, iterations, outcome: Outcome::Solved, method };
                }
                pivots = iterations;
                polished = Some(impulses).filter(|_| residual.is_finite());
            }
            DenseOutcome::Ray(iterations) => (pivots, ray) = (iterations, true),
            DenseOutcome::Failed => {}
        }
    }
    let start = polished.as_deref().or(start);
    let mut iterated = iterate(island, start, options.max_iterations, options.tolerance);
    if start.is_some() && !is_certified(island, &iterated.impulses, iterated.residual) {
        // A bad start may lead into a stall: the search from 0 is independent of it.
        let cold = iterate(island, None, options.max_iterations, options.tolerance);
        let iterations = iterated.iterations + cold.iterations;
        if cold.residual < iterated.residual {
            iterated = cold;
        }
        iterated.iterations = iterations;
    }
    let outcome = match (is_certified(island, &iterated.impulses, iterated.residual), ray) {
        (true, _) => Outcome::Solved,
        (false, true) => Outcome::NoSolution,
        (false, false) => Outcome::Approximate,
    };
    CoreSolution {
        impulses: iterated.impulses,
        residual: iterated.residual,
        iterations: pivots + iterated.iterations,
        outcome,
        method: SolveMethod::Newton,
    }
}

fn is_certified(island: &ScaledIsland, impulses: &[f64], residual: f64) -> bool {
    let rounding = CERTIFIED_ROUNDINGS * f64::EPSILON * island.velocity_scale(impulses);
    residual <= CERTIFIED_RESIDUAL.max(rounding)
}
