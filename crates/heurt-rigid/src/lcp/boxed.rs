//! Principal pivoting for the dense mixed complementarity problem with bounds, some of them proportional to an unknown.
//!
//! In: a square matrix M, a vector q, and for each unknown its bounds: constants, or ±µ times the normal impulse of its
//! contact (a friction box). Out: x between its bounds with w = M x + q, w = 0 strictly between the bounds, w ≥ 0 at
//! the lower and w ≤ 0 at the upper bound; or a typed failure.
//! Method: block principal pivoting with Murty's least-index rule as safeguard (Júdice and Pires 1994; Murty 1974).
//! Each unknown is free, at its lower or at its upper bound. A bound ±µ·f enters the system as a column, so that
//! friction limits and normals are solved together. The free unknowns come from elimination with complete pivoting;
//! singular directions stay at 0.
//! Guarantees: bounded pivots; the result is tested before it is returned.
//! Not guaranteed: success if M is singular and the states cycle; the caller then uses the iterative solver.
//! Cost: one elimination, cubic in the free unknowns, per pivot.

use super::SquareMatrix;

/// Block pivots without fewer violations before the least-index rule takes over. Júdice and Pires use 10; islands of
/// contacts rarely need more than 3.
const BLOCK_TRIES: u32 = 6;

/// A violation below this share of the scale is rounding.
const TOLERANCE: f64 = 1e-12;

/// Bounds of one unknown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BoundedUnknown {
    /// Between two constants; infinite values are allowed.
    Constant {
        /// Lower bound.
        low: f64,
        /// Upper bound.
        high: f64,
    },
    /// Between −µ·x and +µ·x, x another unknown with constant bounds and x ≥ 0.
    Proportional {
        /// Index of x.
        to: usize,
        /// The factor µ.
        factor: f64,
    },
}

/// The end of principal pivoting.
#[derive(Debug, Clone, PartialEq)]
pub enum BoxedOutcome {
    /// A solution.
    Solved {
        /// The unknowns.
        x: Vec<f64>,
        /// Number of pivots.
        pivots: u32,
    },
    /// The bound of the pivots was reached.
    Stopped {
        /// Number of pivots.
        pivots: u32,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PivotState {
    Low,
    Free,
    High,
}

/// Solves the mixed complementarity problem with at most `max_pivots` pivots.
///
/// ```
/// use heurt_rigid::{BoundedUnknown, BoxedOutcome, SquareMatrix, solve_boxed};
/// let matrix = SquareMatrix::from_rows(&[vec![1.0, 0.0], vec![0.0, 1.0]]);
/// let unknowns = [
///     BoundedUnknown::Constant { low: 0.0, high: f64::INFINITY },
///     BoundedUnknown::Proportional { to: 0, factor: 0.5 },
/// ];
/// let outcome = solve_boxed(&matrix, &[-2.0, 3.0], &unknowns, 50);
/// let BoxedOutcome::Solved { x, .. } = outcome else { panic!("{outcome:?}") };
/// assert_eq!(x, [2.0, -1.0]); // friction slips at µ·f = 1
/// ```
pub fn solve_boxed(matrix: &SquareMatrix, q: &[f64], unknowns: &[BoundedUnknown], max_pivots: u32) -> BoxedOutcome {
    let size = matrix.size();
    if unknowns.len() != size || q.len() != size || !references_are_valid(unknowns) {
        return BoxedOutcome::Stopped { pivots: 0 };
    }
    let problem = Boxed { matrix, q, unknowns };
    let mut states: Vec<PivotState> = unknowns.iter().map(first_state).collect();
    let (mut fewest, mut tries) = (usize::MAX, BLOCK_TRIES);
    for pivots in 1..=max_pivots.max(1) {
        let x = problem.values(&states);
        let changes = problem.violations(&states, &x);
        if changes.is_empty() {
            let solved = x.iter().all(|value| value.is_finite()) && problem.holds(&x);
            return if solved { BoxedOutcome::Solved { x, pivots } } else { BoxedOutcome::Stopped { pivots } };
        }
        if changes.len() < fewest {
            (fewest, tries) = (changes.len(), BLOCK_TRIES);
        } else {
            tries = tries.saturating_sub(1);
        }
        let count = if tries > 0 { changes.len() } else { 1 };
        for &(index, state) in &changes[..count] {
            states[index] = state;
        }
    }
    BoxedOutcome::Stopped { pivots: max_pivots }
}

/// Tests whether each proportional bound names an unknown with constant bounds.
fn references_are_valid(unknowns: &[BoundedUnknown]) -> bool {
    unknowns.iter().all(|unknown| match *unknown {
        BoundedUnknown::Constant { low, high } => low <= high,
        BoundedUnknown::Proportional { to, factor } => {
            factor >= 0.0 && matches!(unknowns.get(to), Some(BoundedUnknown::Constant { .. }))
        }
    })
}

/// Starts with all unknowns free, except unknowns that their bounds fix.
fn first_state(unknown: &BoundedUnknown) -> PivotState {
    match *unknown {
        BoundedUnknown::Constant { low, high } if low == high => PivotState::Low,
        BoundedUnknown::Proportional { factor: 0.0, .. } => PivotState::Low,
        _ => PivotState::Free,
    }
}

struct Boxed<'p> {
    matrix: &'p SquareMatrix,
    q: &'p [f64],
    unknowns: &'p [BoundedUnknown],
}

impl Boxed<'_> {
    /// Computes the unknowns of the given states.
    fn values(&self, states: &[PivotState]) -> Vec<f64> {
        let free: Vec<usize> = (0..states.len()).filter(|&i| states[i] == PivotState::Free).collect();
        let mut fixed = vec![0.0; states.len()];
        for (i, state) in states.iter().enumerate() {
            if let (BoundedUnknown::Constant { low, high }, true) = (self.unknowns[i], *state != PivotState::Free) {
                fixed[i] = if *state == PivotState::Low { low } else { high };
            }
        }
        // Friction at its limit is ±µ·x: constant if x is fixed, a column added to the column of x if x is free.
        let mut slopes: Vec<(usize, usize, f64)> = Vec::new();
        for (i, state) in states.iter().enumerate() {
            if let (BoundedUnknown::Proportional { to, factor }, true) = (self.unknowns[i], *state != PivotState::Free)
            {
                let slope = if *state == PivotState::Low { -factor } else { factor };
                if states[to] == PivotState::Free {
                    slopes.push((i, to, slope));
                } else {
                    fixed[i] = slope * fixed[to];
                }
            }
        }
        let right = self.matrix.multiply(&fixed);
        let mut system = SquareMatrix::zero(free.len());
        for (r, &i) in free.iter().enumerate() {
            let row = self.matrix.row(i);
            for (c, &j) in free.iter().enumerate() {
                let extra: f64 = slopes.iter().filter(|slope| slope.1 == j).map(|slope| slope.2 * row[slope.0]).sum();
                system.set(r, c, row[j] + extra);
            }
        }
        let right: Vec<f64> = free.iter().map(|&i| -self.q[i] - right[i]).collect();
        let mut x = fixed;
        for (&i, value) in free.iter().zip(system.solve(&right)) {
            x[i] = value;
        }
        for (i, to, slope) in slopes {
            x[i] = slope * x[to];
        }
        x
    }

    /// Lists the unknowns whose state contradicts the values, with their next states, in the order of the unknowns.
    fn violations(&self, states: &[PivotState], x: &[f64]) -> Vec<(usize, PivotState)> {
        let w = self.rates(x);
        let mut changes = Vec::new();
        for i in 0..x.len() {
            let [low, high] = self.bounds(i, x);
            let scale = TOLERANCE * x[i].abs().max(1e-300);
            let slack = TOLERANCE * self.rate_scale(i, x);
            match states[i] {
                PivotState::Free if x[i] < low - scale => changes.push((i, PivotState::Low)),
                PivotState::Free if x[i] > high + scale => changes.push((i, PivotState::High)),
                PivotState::Low if w[i] < -slack && high > low => changes.push((i, PivotState::Free)),
                PivotState::High if w[i] > slack && high > low => changes.push((i, PivotState::Free)),
                _ => {}
            }
        }
        changes
    }

    /// Tests the equations of the unknowns between their bounds: a singular system may be inconsistent.
    fn holds(&self, x: &[f64]) -> bool {
        let w = self.rates(x);
        (0..x.len()).all(|i| {
            let [low, high] = self.bounds(i, x);
            let slack = 1e3 * TOLERANCE * self.rate_scale(i, x);
            let step = x[i] - w[i] / self.matrix.get(i, i).abs().max(f64::MIN_POSITIVE);
            let moved = (x[i] - step.max(low).min(high)).abs() * self.matrix.get(i, i).abs();
            moved <= slack || w[i].abs() <= slack
        })
    }

    fn bounds(&self, i: usize, x: &[f64]) -> [f64; 2] {
        match self.unknowns[i] {
            BoundedUnknown::Constant { low, high } => [low, high],
            BoundedUnknown::Proportional { to, factor } => {
                let limit = factor * x[to].max(0.0);
                [-limit, limit]
            }
        }
    }

    fn rates(&self, x: &[f64]) -> Vec<f64> {
        self.matrix.multiply(x).iter().zip(self.q).map(|(product, q)| product + q).collect()
    }

    /// Sum of the magnitudes in row i of M x + q: the scale of its rounding.
    fn rate_scale(&self, i: usize, x: &[f64]) -> f64 {
        self.matrix.row(i).iter().zip(x).fold(self.q[i].abs(), |sum, (a, x)| sum + (a * x).abs())
    }
}
