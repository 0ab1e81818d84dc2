//! Smoothing Newton method: follows the central path of the contact problem to a small smoothing width.
//!
//! In: a scaled island and the impulses of the start. Out: impulses near the solution, with the right active contacts.
//! Method: non-interior path following (Chen and Harker 1993; Kanzow 1996): Newton steps on f = P_ν(f − w/weight) with
//! w = J̃J̃ᵀf + c, where the width ν, a speed, shrinks with each step. The linear system is eliminated to the bodies:
//! I + J̃ᵀ(I − D + δ)⁻¹D J̃ with D = P′. All contacts share the load from the first step, so that the number of steps
//! hardly grows with the number of contacts: a pure active-set method moves one contact layer of a stack per step.
//! Guarantees: bounded steps. Not guaranteed: the last digits; `newton` adds them. Cost: one factorization per step.

use super::body_matrix::BodyMatrix;
use super::island::{ScaledIsland, Six, add_scaled};

/// Steps of one path: widths shrink by at least 2 per step, and by 10 in good steps.
const MAX_STEPS: u32 = 40;

/// Last width relative to the first one: the active contacts of a stack of 50 boxes are certain at 1e-6.
const LAST_WIDTH: f64 = 1e-7;

/// δ: inverse of the proximal factor, as in the last rounds of `newton`.
const PROXIMITY: f64 = 1e-7;

/// Shrink of the width after a full step of a first path; of 16 settings tried on 96 stacks of 50 boxes (friction 0 to
/// 1, random velocities) this one took the fewest steps without a failure.
pub(crate) const FIRST_SHRINK: f64 = 0.2;

/// Shrink of the width after a shortened step that ends near the path.
const SHORT_SHRINK: f64 = 0.6;

/// Growth of the width after a step shorter than `SHORT_STEP` that ends off the path; from the same trials.
const GROWTH: f64 = 1.5;

/// See `GROWTH`.
const SHORT_STEP: f64 = 0.1;

/// Ratio of the widths of tangent and normal, divided by µ: a blunt friction law first, which changes few directions
/// at once. 3 and 30 took more steps in the trials of `FIRST_SHRINK`.
pub(crate) const TANGENT_WIDTH: f64 = 10.0;

/// Halvings of a step.
const MAX_HALVINGS: u32 = 4;

/// Start and end of one path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathRequest {
    /// First width, in m/s.
    pub width: f64,
    /// Shrink of the width after a full step.
    pub shrink: f64,
    /// Ratio of the widths of tangents and normals, divided by µ.
    pub tangent: f64,
    pub max_steps: u32,
    /// Residual at which the path ends.
    pub tolerance: f64,
}

/// Workspace of the path.
pub(crate) struct CentralPath<'i> {
    island: &'i ScaledIsland,
    impulses: Vec<f64>,
    velocities: Vec<f64>,
    /// Residual f − P(f − w/weight) and (I − D + δ)⁻¹D of each block.
    residuals: Vec<f64>,
    weights: Vec<[[f64; 3]; 3]>,
    inverses: Vec<[[f64; 3]; 3]>,
    nodes: Vec<Six>,
}

impl<'i> CentralPath<'i> {
    /// Follows the path from impulses. Returns the number of steps.
    pub fn follow(
        island: &'i ScaledIsland,
        matrix: &mut BodyMatrix,
        impulses: &mut [f64],
        request: PathRequest,
    ) -> u32 {
        let zero = [[0.0; 3]; 3];
        let mut path = Self {
            island,
            impulses: impulses.to_vec(),
            velocities: island.velocities(impulses),
            residuals: vec![0.0; island.free.len()],
            weights: vec![zero; island.blocks.len()],
            inverses: vec![zero; island.blocks.len()],
            nodes: island.zero_nodes(),
        };
        let root = (island.free.len() as f64).sqrt();
        let (mut now, mut steps) = (request.width, 0);
        while now > LAST_WIDTH * request.width && steps < MAX_STEPS.min(request.max_steps) {
            steps += 1;
            let Some((length, merit)) = path.step(matrix, [now, request.tangent]) else {
                break;
            };
            if island.residual(&path.impulses, &path.velocities) <= request.tolerance {
                break;
            }
            now *= match merit.sqrt() <= now * root {
                true if length >= 1.0 => request.shrink,
                true => SHORT_SHRINK,
                false if length < SHORT_STEP => GROWTH,
                false => 1.0,
            };
        }
        if path.impulses.iter().all(|impulse| impulse.is_finite()) {
            impulses.copy_from_slice(&path.impulses);
            island.project(impulses);
        }
        steps
    }

    /// Takes one Newton step; returns its length and the merit after it, or `None` for a singular matrix.
    fn step(&mut self, matrix: &mut BodyMatrix, width: [f64; 2]) -> Option<(f64, f64)> {
        let merit = self.linearize(width);
        let (island, weights) = (self.island, &self.weights);
        if !matrix.factor(island, |index| weights[index]) {
            return None;
        }
        self.nodes.fill([0.0; 6]);
        for (block, inverse) in island.blocks.iter().zip(&self.inverses) {
            let scaled = apply(inverse, &self.residuals[block.start..block.start + block.law.size()]);
            for k in 0..block.law.size() {
                for side in 0..2 {
                    let row = &island.rows[block.start + k][side];
                    add_scaled(&mut self.nodes[block.nodes[side]], row, -scaled[k]);
                }
            }
        }
        matrix.solve(island, &mut self.nodes);
        self.nodes[island.node_count] = [0.0; 6];
        let mut rates = vec![0.0; island.free.len()];
        island.rates(&self.nodes, &mut rates);
        let direction = self.direction(&rates);
        if direction.iter().any(|entry| !entry.is_finite()) {
            return None;
        }
        Some(self.search(&direction, width, merit))
    }

    /// Computes residuals and the weights of all blocks; returns the merit.
    fn linearize(&mut self, width: [f64; 2]) -> f64 {
        let island = self.island;
        for (index, block) in island.blocks.iter().enumerate() {
            let size = block.law.size();
            let trial = island.trial(block, &self.impulses, &self.velocities, 1.0);
            let (value, slope) = block.law.project_smooth(trial, widths(island, block.start, size, width));
            let mut gap = [[0.0; 3]; 3];
            for i in 0..size {
                self.residuals[block.start + i] = self.impulses[block.start + i] - value[i];
                for j in 0..size {
                    gap[i][j] = if i == j { 1.0 + PROXIMITY } else { 0.0 } - slope[i][j];
                }
            }
            // The compliance of a row changes its own velocity only.
            gap[0][0] += slope[0][0] * island.compliance[block.start] * island.step[block.start];
            let inverse = invert_lower(&gap, size);
            self.inverses[index] = inverse;
            let product = multiply(&inverse, &slope);
            for (i, row) in product.iter().enumerate().take(size) {
                for j in 0..size {
                    self.weights[index][i][j] = row[j] * island.step[block.start + j];
                }
            }
        }
        self.residuals.iter().zip(&island.weight).map(|(residual, weight)| (residual * weight).powi(2)).sum()
    }

    /// Computes Δf = −(I − D + δ)⁻¹ residual − W·Δw.
    fn direction(&self, rates: &[f64]) -> Vec<f64> {
        let mut direction = vec![0.0; rates.len()];
        for (index, block) in self.island.blocks.iter().enumerate() {
            let range = block.start..block.start + block.law.size();
            let first = apply(&self.inverses[index], &self.residuals[range.clone()]);
            let second = apply(&self.weights[index], &rates[range.clone()]);
            for (k, slot) in direction[range].iter_mut().enumerate() {
                *slot = -first[k] - second[k];
            }
        }
        direction
    }

    /// Halves the step while the merit grows.
    fn search(&mut self, direction: &[f64], width: [f64; 2], merit: f64) -> (f64, f64) {
        let (start, before) = (self.impulses.clone(), self.velocities.clone());
        let full: Vec<f64> = start.iter().zip(direction).map(|(f, d)| f + d).collect();
        let ahead = self.island.velocities(&full);
        let (mut length, mut after) = (1.0, merit);
        for trial in 0..=MAX_HALVINGS {
            for i in 0..start.len() {
                self.impulses[i] = start[i] + length * direction[i];
                self.velocities[i] = before[i] + length * (ahead[i] - before[i]);
            }
            after = self.merit(width);
            if after < merit || trial == MAX_HALVINGS {
                break;
            }
            length *= 0.5;
        }
        self.velocities = self.island.velocities(&self.impulses);
        (length, after)
    }

    fn merit(&self, width: [f64; 2]) -> f64 {
        let island = self.island;
        let mut sum = 0.0;
        for block in &island.blocks {
            let size = block.law.size();
            let trial = island.trial(block, &self.impulses, &self.velocities, 1.0);
            let value = block.law.value_smooth(trial, widths(island, block.start, size, width));
            for (k, value) in value.iter().enumerate().take(size) {
                let i = block.start + k;
                let gap = (self.impulses[i] - value) * island.weight[i];
                sum += gap * gap;
            }
        }
        sum
    }
}

/// Widths of impulses for a width of velocities.
fn widths(island: &ScaledIsland, start: usize, size: usize, [width, tangent]: [f64; 2]) -> [f64; 2] {
    [width * island.step[start], if size == 3 { tangent * width * island.step[start + 1] } else { 0.0 }]
}

fn apply(matrix: &[[f64; 3]; 3], vector: &[f64]) -> [f64; 3] {
    let mut product = [0.0; 3];
    for (j, x) in vector.iter().enumerate() {
        for (i, entry) in product.iter_mut().enumerate() {
            *entry += matrix[i][j] * x;
        }
    }
    product
}

fn multiply(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let mut product = [[0.0; 3]; 3];
    for (target, row) in product.iter_mut().zip(a) {
        for (j, entry) in target.iter_mut().enumerate() {
            *entry = row[0] * b[0][j] + row[1] * b[1][j] + row[2] * b[2][j];
        }
    }
    product
}

/// Inverts a block whose normal does not depend on the tangents.
fn invert_lower(a: &[[f64; 3]; 3], size: usize) -> [[f64; 3]; 3] {
    let mut inverse = [[0.0; 3]; 3];
    inverse[0][0] = 1.0 / a[0][0];
    if size == 1 {
        return inverse;
    }
    let determinant = a[1][1] * a[2][2] - a[1][2] * a[2][1];
    inverse[1][1] = a[2][2] / determinant;
    inverse[2][2] = a[1][1] / determinant;
    inverse[1][2] = -a[1][2] / determinant;
    inverse[2][1] = -a[2][1] / determinant;
    for i in 1..3 {
        inverse[i][0] = -(inverse[i][1] * a[1][0] + inverse[i][2] * a[2][0]) * inverse[0][0];
    }
    inverse
}
