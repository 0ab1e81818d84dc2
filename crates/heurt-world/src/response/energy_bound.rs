//! Bound of the energy of impulses that solve a problem only approximately.
//!
//! In: a problem, and a solution that its solver reports as approximate: contacts and joints contradict each other, or
//! the iterations ended. Out: the same impulses, scaled so that the energy is at most the energy before, or after the
//! free step.
//! Method: the kinetic energy is a convex parabola of the scale; bisection from 0, the free step.
//! Why: impulses of contradictory constraints grow without bound, and so do the velocities that they leave.

use heurt_rigid::{ContactProblem, Level, Outcome, Solution, kinetic_energy};

/// Halvings of the scale: the last one changes it by a thousandth of the smallest scale that matters.
const HALVINGS: u32 = 40;

/// Rounding error of a sum of energies, as a share.
const ROUNDING: f64 = 1e-9;

/// Scales the impulses of an approximate solution. Solved ones stay.
pub(crate) fn bound_energy(problem: &ContactProblem, level: Level, mut solution: Solution) -> Solution {
    if solution.outcome == Outcome::Solved {
        return solution;
    }
    let energy = |scale: f64| kinetic_energy(&problem.bodies_after(&scaled(&solution, scale), level));
    let most = kinetic_energy(&problem.bodies).max(energy(0.0)) * (1.0 + ROUNDING);
    if energy(1.0) <= most {
        return solution;
    }
    let [mut low, mut high] = [0.0, 1.0];
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if energy(middle) <= most { low = middle } else { high = middle }
    }
    solution = scaled(&solution, low);
    solution.energy[1] = kinetic_energy(&problem.bodies_after(&solution, level));
    solution
}

fn scaled(solution: &Solution, scale: f64) -> Solution {
    let mut scaled = solution.clone();
    scaled.normal.iter_mut().for_each(|impulse| *impulse *= scale);
    scaled.tangential.iter_mut().for_each(|impulse| *impulse *= scale);
    scaled.rows.iter_mut().for_each(|impulse| *impulse *= scale);
    scaled
}
