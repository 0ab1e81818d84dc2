//! Semismooth Newton step of the proximal method of multipliers, in the velocities of the bodies.
//!
//! In: impulses f (the centre) and a factor r. Out: impulses of the next centre.
//! Method: with y = J̃(z + u) + c the next impulses are P(f − r·y/weight); u solves F(u) = u − J̃ᵀ(P(f − r·y/weight) − f) = 0
//! (Rockafellar 1976; Alart and Curnier 1991). The Newton matrix I + J̃ᵀ W J̃ lives on the bodies: it is sparse, regular
//! for redundant contacts, and factored by `BlockLu`. The step length halves until ‖F‖ falls. All quantities are
//! increments from the centre, so that rounding shrinks with the residual although r is large.
//! Guarantees: bounded steps; without friction F is the gradient of a convex function and the steps end.
//! Not guaranteed: with friction the matrix is not symmetric and a step may stall; the caller then sweeps.
//! Cost: one assembly, linear in the contacts, and one factorization per step.

use super::block_lu::{BlockLu, Place, SixSix};
use super::island::{Island, Six, add_scaled, dot};

/// Newton steps per centre. Active sets of stacks settle in 2 to 6 steps.
const MAX_STEPS: u32 = 12;

/// Halvings of a step: 2⁻⁸ of a Newton step is a stall.
const MAX_HALVINGS: u32 = 8;

/// Share of the residual that the error of F may add to velocities at the next centre.
const ACCEPTED_SHARE: f64 = 0.02;

/// Workspace of Newton steps of one island.
pub(crate) struct Newton<'i> {
    island: &'i Island,
    lu: BlockLu,
    /// Places of the blocks (A, B) and (B, A) of each contact between two movable bodies.
    places: Vec<Option<[Place; 2]>>,
    point: Point,
    tried: Point,
    direction: Vec<Six>,
    rates: Vec<f64>,
}

/// F and the intermediate values at one u.
#[derive(Clone)]
struct Point {
    u: Vec<Six>,
    /// Trial impulses f − r·y/weight.
    trial: Vec<f64>,
    force: Vec<Six>,
    norm: f64,
}

impl<'i> Newton<'i> {
    /// Creates the workspace and the elimination order.
    pub fn new(island: &'i Island) -> Self {
        let pairs: Vec<[usize; 2]> = island.blocks.iter().map(|block| block.nodes).collect();
        let lu = BlockLu::new(island.node_count, &pairs);
        let fixed = island.node_count;
        let places = pairs
            .iter()
            .map(|&[a, b]| if a == fixed || b == fixed { None } else { Some([lu.place(a, b)?, lu.place(b, a)?]) });
        let point = Point {
            u: island.zero_nodes(),
            trial: vec![0.0; island.free.len()],
            force: island.zero_nodes(),
            norm: 0.0,
        };
        Self {
            places: places.collect(),
            lu,
            tried: point.clone(),
            direction: island.zero_nodes(),
            rates: vec![0.0; island.free.len()],
            island,
            point,
        }
    }

    /// Moves the impulses to the next centre; `velocities` are those at the centre. Returns the number of steps.
    pub fn advance(&mut self, impulses: &mut [f64], velocities: &[f64], factor: f64, residual: f64) -> u32 {
        self.point.u.fill([0.0; 6]);
        evaluate(self.island, &mut self.point, &mut self.rates, impulses, velocities, factor);
        let mut steps = 0;
        while steps < MAX_STEPS && self.velocity_error() > ACCEPTED_SHARE * residual {
            steps += 1;
            if !self.solve_direction(factor) || !self.search_line(impulses, velocities, factor) {
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
    fn solve_direction(&mut self, factor: f64) -> bool {
        self.assemble(factor);
        if !self.lu.factor() {
            return false;
        }
        self.direction.copy_from_slice(&self.point.force);
        self.direction.iter_mut().flatten().for_each(|entry| *entry = -*entry);
        self.lu.solve(&mut self.direction[..self.island.node_count]);
        self.direction.iter().flatten().all(|entry| entry.is_finite())
    }

    /// Builds I + J̃ᵀ W J̃ with W = r·P′/weight.
    fn assemble(&mut self, factor: f64) {
        self.lu.reset();
        let island = self.island;
        for (block, places) in island.blocks.iter().zip(&self.places) {
            let (start, size) = (block.start, block.law.size());
            let slope = block.law.derivative(read(&self.point.trial, start, size));
            if slope.iter().flatten().all(|&entry| entry == 0.0) {
                continue;
            }
            let mut weighted = [[[0.0; 6]; 3]; 2];
            for (side, rows) in weighted.iter_mut().enumerate() {
                for (i, row) in rows.iter_mut().enumerate().take(size) {
                    for (j, &entry) in slope[i].iter().enumerate().take(size) {
                        if entry != 0.0 {
                            add_scaled(row, &island.rows[start + j][side], entry * factor * island.step[start + j]);
                        }
                    }
                }
            }
            for side in 0..2 {
                if block.nodes[side] < island.node_count {
                    let target = self.lu.diagonal_mut(block.nodes[side]);
                    add_outer(target, island, start, side, &weighted[side][..size]);
                }
            }
            if let Some([ab, ba]) = *places {
                add_outer(self.lu.block_mut(ab), island, start, 0, &weighted[1][..size]);
                add_outer(self.lu.block_mut(ba), island, start, 1, &weighted[0][..size]);
            }
        }
    }

    /// Halves the step until ‖F‖ falls; returns `false` if it never does.
    fn search_line(&mut self, impulses: &[f64], velocities: &[f64], factor: f64) -> bool {
        let mut length = 1.0;
        for _ in 0..=MAX_HALVINGS {
            self.tried.u.copy_from_slice(&self.point.u);
            for (u, direction) in self.tried.u.iter_mut().zip(&self.direction) {
                add_scaled(u, direction, length);
            }
            evaluate(self.island, &mut self.tried, &mut self.rates, impulses, velocities, factor);
            // 1e-4: the usual share of the predicted decrease (Armijo).
            if self.tried.norm <= (1.0 - 1e-4 * length) * self.point.norm {
                std::mem::swap(&mut self.point, &mut self.tried);
                return true;
            }
            length *= 0.5;
        }
        false
    }
}

/// Evaluates F at a point.
fn evaluate(island: &Island, point: &mut Point, rates: &mut [f64], impulses: &[f64], velocities: &[f64], factor: f64) {
    island.rates(&point.u, rates);
    point.force.copy_from_slice(&point.u);
    for block in &island.blocks {
        let size = block.law.size();
        for i in block.start..block.start + size {
            point.trial[i] = impulses[i] - factor * island.step[i] * (velocities[i] + rates[i]);
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

/// Adds J̃ᵀ·rows of one side to a block.
fn add_outer(target: &mut SixSix, island: &Island, start: usize, side: usize, rows: &[Six]) {
    for (k, right) in rows.iter().enumerate() {
        let left = &island.rows[start + k][side];
        for i in 0..6 {
            for j in 0..6 {
                target[6 * i + j] += left[i] * right[j];
            }
        }
    }
}
