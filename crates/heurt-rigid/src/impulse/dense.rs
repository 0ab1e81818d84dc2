//! Small islands by dense pivoting: Lemke's method or boxed principal pivoting.
//!
//! In: a scaled island. Out: impulses, or the outcome that excludes them.
//! Method: A = J̃J̃ᵀ. Unilateral unknowns without coupling go to Lemke's method; sliding contacts add their slope to
//! the column of the normal, and the matrix loses its symmetry. Rows with two bounds and friction boxes go to boxed
//! pivoting.
//! Cost: quartic; used up to `DENSE_LIMIT` unknowns.

use super::island::{ScaledIsland, dot};
use super::law::ImpulseLaw;
use crate::lcp::{BoundedUnknown, BoxedOutcome, LemkeOutcome, SquareMatrix, solve_boxed, solve_lemke};

/// Pivots per unknown: Lemke's method takes 1 to 2 on contact problems; degenerate ones take more.
const PIVOTS_PER_UNKNOWN: u32 = 20;

/// Result of a dense solve.
pub(crate) enum DenseOutcome {
    /// Impulses and pivots.
    Solved(Vec<f64>, u32),
    /// Lemke's method ended in a ray.
    Ray(u32),
    /// The method does not fit the laws or stopped.
    Failed,
}

/// Reports whether all laws fit Lemke's method.
pub(crate) fn is_unilateral(island: &ScaledIsland) -> bool {
    island.blocks.iter().all(|block| match block.law {
        ImpulseLaw::Bounded { low, high } => low.is_finite() && high == f64::INFINITY,
        ImpulseLaw::Sliding { low, .. } => low == 0.0,
        _ => false,
    })
}

/// Reports whether all laws fit boxed pivoting.
pub(crate) fn is_boxed(island: &ScaledIsland) -> bool {
    island.blocks.iter().all(|block| match block.law {
        ImpulseLaw::Bounded { .. } => true,
        ImpulseLaw::Square { low, .. } => low.is_finite(),
        _ => false,
    })
}

/// Solves an island of unilateral unknowns by Lemke's method.
pub(crate) fn solve_unilateral(island: &ScaledIsland) -> DenseOutcome {
    let full = full_matrix(island);
    let count = island.blocks.len();
    let mut matrix = SquareMatrix::zero(count);
    let mut q = vec![0.0; count];
    for (r, block) in island.blocks.iter().enumerate() {
        q[r] = island.free[block.start];
        for (c, other) in island.blocks.iter().enumerate() {
            let row = full.row(block.start);
            let mut entry = row[other.start];
            if let ImpulseLaw::Sliding { slope, .. } = other.law {
                entry += slope[0] * row[other.start + 1] + slope[1] * row[other.start + 2];
            }
            matrix.set(r, c, entry);
        }
    }
    // Impulses above their lower bounds are the unknowns of the linear complementarity problem.
    let lows: Vec<f64> = island.blocks.iter().map(|block| low(block.law)).collect();
    let shift = matrix.multiply(&lows);
    q.iter_mut().zip(&shift).for_each(|(q, shift)| *q += shift);
    match solve_lemke(&matrix, &q, PIVOTS_PER_UNKNOWN * count as u32 + 20) {
        LemkeOutcome::Ray { pivots } => DenseOutcome::Ray(pivots),
        LemkeOutcome::Stopped { .. } => DenseOutcome::Failed,
        LemkeOutcome::Solved { z, pivots } => {
            let mut impulses = vec![0.0; island.free.len()];
            for ((block, z), low) in island.blocks.iter().zip(z).zip(lows) {
                let normal = z + low;
                let projected = block.law.project([normal, 0.0, 0.0]);
                let size = block.law.size();
                impulses[block.start..block.start + size].copy_from_slice(&projected[..size]);
            }
            DenseOutcome::Solved(impulses, pivots)
        }
    }
}

/// Solves an island of bounded unknowns and friction boxes by principal pivoting.
pub(crate) fn solve_bounded(island: &ScaledIsland) -> DenseOutcome {
    let matrix = full_matrix(island);
    let mut unknowns = Vec::with_capacity(island.free.len());
    for block in &island.blocks {
        match block.law {
            ImpulseLaw::Bounded { low, high } => unknowns.push(BoundedUnknown::Constant { low, high }),
            ImpulseLaw::Square { low, friction } => {
                unknowns.push(BoundedUnknown::Constant { low, high: f64::INFINITY });
                unknowns.extend([BoundedUnknown::Proportional { to: block.start, factor: friction }; 2]);
            }
            ImpulseLaw::Cone { .. } | ImpulseLaw::Sliding { .. } => return DenseOutcome::Failed,
        }
    }
    match solve_boxed(&matrix, &island.free, &unknowns, PIVOTS_PER_UNKNOWN * unknowns.len() as u32 + 20) {
        BoxedOutcome::Solved { mut x, pivots } => {
            island.project(&mut x);
            DenseOutcome::Solved(x, pivots)
        }
        BoxedOutcome::Stopped { .. } => DenseOutcome::Failed,
    }
}

fn low(law: ImpulseLaw) -> f64 {
    match law {
        ImpulseLaw::Bounded { low, .. }
        | ImpulseLaw::Cone { low, .. }
        | ImpulseLaw::Square { low, .. }
        | ImpulseLaw::Sliding { low, .. } => low,
    }
}

/// Computes A of all unknowns.
fn full_matrix(island: &ScaledIsland) -> SquareMatrix {
    let mut matrix = SquareMatrix::zero(island.free.len());
    for (i, compliance) in island.compliance.iter().enumerate() {
        matrix.set(i, i, *compliance);
    }
    for block in &island.blocks {
        for other in &island.blocks {
            for side in 0..2 {
                for place in 0..2 {
                    let node = block.nodes[side];
                    if node != other.nodes[place] || node == island.node_count {
                        continue;
                    }
                    for i in block.start..block.start + block.law.size() {
                        for j in other.start..other.start + other.law.size() {
                            let entry = matrix.get(i, j) + dot(&island.rows[i][side], &island.rows[j][place]);
                            matrix.set(i, j, entry);
                        }
                    }
                }
            }
        }
    }
    matrix
}
