//! Semismooth Newton step of the proximal method of multipliers, in the velocities of the bodies.
//!
//! In: impulses f (the centre) and a factor r. Out: impulses of the next centre.
//! Method: with y = J̃(z + u) + c the next impulses are P(f − r·y/weight); u solves F(u) = u − J̃ᵀ(P(f − r·y/weight) −
//! f) = 0 (Rockafellar 1976; Alart and Curnier 1991). The Newton matrix I + J̃ᵀ W J̃ lives on the bodies: it is sparse,
//! regular for redundant contacts, and factored by `BlockLu`. A line search ends where F·direction is small. All
//! quantities are increments from the centre, so that rounding shrinks with the residual although r is large.
//! Guarantees: bounded steps; without friction F is the gradient of a convex function and the steps end.
//! Not guaranteed: with friction the matrix is not symmetric and a step may stall; the caller then sweeps.
//! Cost: one assembly, linear in the contacts, and one factorization per step.

use super::body_matrix::BodyMatrix;
use super::island::{ScaledIsland, Six, add_scaled, dot};

/// Newton steps per centre. Active sets of stacks settle in 2 to 6 steps.
const MAX_STEPS: u32 = 30;

/// Trials of a line search: secants of a piecewise linear slope end after 2 to 4.
const MAX_TRIALS: u32 = 8;

/// Share of the first slope at which a line search ends.
const ACCEPTED_SLOPE: f64 = 0.3;

/// Share of the residual that the error of F may add to velocities at the next centre.
const ACCEPTED_SHARE: f64 = 0.02;

/// Workspace of Newton steps of one island.
pub(crate) struct Newton<'i> {
    island: &'i ScaledIsland,
    point: NewtonPoint,
    tried: NewtonPoint,
    direction: Vec<Six>,
    rates: Vec<f64>,
}

/// F and the intermediate values at one u.
#[derive(Clone)]
struct NewtonPoint {
    u: Vec<Six>,
    /// Trial impulses f − r·y/weight.
    trial: Vec<f64>,
    force: Vec<Six>,
    norm: f64,
}

impl<'i> Newton<'i> {
    /// Creates the workspace.
    pub fn new(island: &'i ScaledIsland) -> Self {
        let point = NewtonPoint {
            u: island.zero_nodes(),
            trial: vec![0.0; island.free.len()],
            force: island.zero_nodes(),
            norm: 0.0,
        };
        Self {
            tried: point.clone(),
            direction: island.zero_nodes(),
            rates: vec![0.0; island.free.len()],
            island,
            point,
        }
    }

    /// Moves the impulses to the next centre; `velocities` are those at the centre. Returns the number of steps.
    pub fn advance(
        &mut self,
        matrix: &mut BodyMatrix,
        impulses: &mut [f64],
        velocities: &[f64],
        factor: f64,
        residual: f64,
    ) -> u32 {
        self.point.u.fill([0.0; 6]);
        evaluate(self.island, &mut self.point, &mut self.rates, impulses, velocities, factor);
        let mut steps = 0;
        while steps < MAX_STEPS && self.velocity_error() > ACCEPTED_SHARE * residual {
            steps += 1;
            if !self.solve_direction(matrix, factor) || !self.search_line(impulses, velocities, factor) {
                break;
            }
        }
        for block in &self.island.blocks {
            let projected = block.law.project(read(&self.point.trial, block.start, block.law.size()));
            for (k, value) in projected.iter().enumerate().take(block.law.size()) {
                if value.is_finite() {
                    impulses[block.start + k] = *value;
                }
            }
        }
        steps
    }

    /// Computes the largest relative velocity that F would cause.
    fn velocity_error(&mut self) -> f64 {
        self.island.rates(&self.point.force, &mut self.rates);
        self.rates.iter().fold(0.0f64, |largest, rate| largest.max(rate.abs()))
    }

    /// Computes the Newton direction; returns `false` for a singular matrix.
    fn solve_direction(&mut self, matrix: &mut BodyMatrix, factor: f64) -> bool {
        let (island, trial) = (self.island, &self.point.trial);
        let weight = |index: usize| {
            let block = &island.blocks[index];
            let mut slope = block.law.derivative(read(trial, block.start, block.law.size()));
            for row in &mut slope {
                for (k, entry) in row.iter_mut().enumerate().take(block.law.size()) {
                    *entry *= island.proximal_step(block.start + k, factor);
                }
            }
            slope
        };
        if !matrix.factor(island, weight) {
            return false;
        }
        self.direction.copy_from_slice(&self.point.force);
        self.direction.iter_mut().flatten().for_each(|entry| *entry = -*entry);
        matrix.solve(self.island, &mut self.direction);
        self.direction.iter().flatten().all(|entry| entry.is_finite())
    }

    /// Moves along the direction to a point where the slope F·direction is small against its start.
    fn search_line(&mut self, impulses: &[f64], velocities: &[f64], factor: f64) -> bool {
        let first = slope(&self.point, &self.direction);
        if first.is_nan() || first >= 0.0 {
            return false;
        }
        let (mut low, mut high) = ((0.0, first), None);
        let mut length = 1.0;
        for _ in 0..MAX_TRIALS {
            self.tried.u.copy_from_slice(&self.point.u);
            for (u, direction) in self.tried.u.iter_mut().zip(&self.direction) {
                add_scaled(u, direction, length);
            }
            evaluate(self.island, &mut self.tried, &mut self.rates, impulses, velocities, factor);
            let found = slope(&self.tried, &self.direction);
            if found.is_nan() {
                return false;
            }
            if found.abs() <= ACCEPTED_SLOPE * first.abs() || (length == 1.0 && found < 0.0) {
                break;
            }
            if found < 0.0 {
                low = (length, found);
            } else {
                high = Some((length, found));
            }
            length = match high {
                // A secant of a piecewise linear slope, kept off both ends.
                Some(high) => {
                    let share: f64 = low.1 / (low.1 - high.1);
                    low.0 + (high.0 - low.0) * share.clamp(0.1, 0.9)
                }
                None => break,
            };
        }
        std::mem::swap(&mut self.point, &mut self.tried);
        true
    }
}

/// Computes F·direction.
fn slope(point: &NewtonPoint, direction: &[Six]) -> f64 {
    point.force.iter().zip(direction).map(|(force, direction)| dot(force, direction)).sum()
}

/// Evaluates F at a point.
fn evaluate(
    island: &ScaledIsland,
    point: &mut NewtonPoint,
    rates: &mut [f64],
    impulses: &[f64],
    velocities: &[f64],
    factor: f64,
) {
    island.rates(&point.u, rates);
    point.force.copy_from_slice(&point.u);
    for block in &island.blocks {
        let size = block.law.size();
        for i in block.start..block.start + size {
            point.trial[i] = impulses[i] - island.proximal_step(i, factor) * (velocities[i] + rates[i]);
        }
        let projected = block.law.project(read(&point.trial, block.start, size));
        for k in 0..size {
            let i = block.start + k;
            let change = impulses[i] - projected[k];
            for side in 0..2 {
                add_scaled(&mut point.force[block.nodes[side]], &island.rows[i][side], change);
            }
        }
    }
    let square: f64 = point.force.iter().map(|force| dot(force, force)).sum();
    point.norm = square.sqrt();
}

/// Reads the unknowns of a block; missing tangents are 0.
fn read(values: &[f64], start: usize, size: usize) -> [f64; 3] {
    if size == 3 { [values[start], values[start + 1], values[start + 2]] } else { [values[start], 0.0, 0.0] }
}
