//! Lemke's complementary pivoting for the dense linear complementarity problem, with the lexicographic ratio test.
//!
//! In: a square matrix M and a vector q. Out: z with z ≥ 0 ⟂ w = M z + q ≥ 0, or a ray, or the pivot bound.
//! Method: Cottle, Pang and Stone, *The Linear Complementarity Problem*, §4.4 and §4.9. The tableau keeps w, z, the
//! artificial unknown z₀ with a covering column of the scale of the rows, and q. The lexicographic rule compares the
//! rows of the inverse basis and makes cycles impossible in exact arithmetic.
//! Guarantees: for a positive semidefinite M (singular or not, as contacts give), a ray proves that no solution exists,
//! up to rounding. Pivots are bounded; numbers stay finite or the outcome is `Stopped`.
//! Not guaranteed: for other matrices a ray does not exclude a solution. Cost: n pivots of n² on average.

use super::SquareMatrix;

/// Entries of the pivot column below this share of the largest entry of the tableau's start count as 0.
const PIVOT_CUTOFF: f64 = 1e-11;

/// Ratios that differ less than this, relative to the larger ratio, tie.
const TIE: f64 = 1e-10;

/// The end of Lemke's method.
#[derive(Debug, Clone, PartialEq)]
pub enum LemkeOutcome {
    /// A solution.
    Solved {
        /// The unknowns z ≥ 0.
        z: Vec<f64>,
        /// Number of pivots.
        pivots: u32,
    },
    /// A ray: the method leaves the problem unsolved. For a positive semidefinite matrix no solution exists.
    Ray {
        /// Number of pivots.
        pivots: u32,
    },
    /// The bound of the pivots was reached, or numbers overflowed.
    Stopped {
        /// Number of pivots.
        pivots: u32,
    },
}

/// Finds z ≥ 0 ⟂ M z + q ≥ 0 with at most `max_pivots` pivots. Missing entries of `q` are 0.
///
/// ```
/// use heurt_rigid::{LemkeOutcome, SquareMatrix, solve_lemke};
/// let matrix = SquareMatrix::from_rows(&[vec![2.0, 1.0], vec![1.0, 2.0]]);
/// let outcome = solve_lemke(&matrix, &[-5.0, -6.0], 100);
/// let LemkeOutcome::Solved { z, .. } = outcome else { panic!("{outcome:?}") };
/// assert!((z[0] - 4.0 / 3.0).abs() < 1e-15 && (z[1] - 7.0 / 3.0).abs() < 1e-15);
/// // z cannot lift −1 with a zero row: no solution.
/// let ray = solve_lemke(&SquareMatrix::zero(1), &[-1.0], 100);
/// assert!(matches!(ray, LemkeOutcome::Ray { .. }));
/// ```
pub fn solve_lemke(matrix: &SquareMatrix, q: &[f64], max_pivots: u32) -> LemkeOutcome {
    let size = matrix.size();
    let q: Vec<f64> = (0..size).map(|i| q.get(i).copied().unwrap_or(0.0)).collect();
    if q.iter().all(|&entry| entry >= 0.0) {
        return LemkeOutcome::Solved { z: vec![0.0; size], pivots: 0 };
    }
    let mut tableau = Tableau::new(matrix, &q);
    let mut row = tableau.first_row();
    let mut entering = tableau.artificial();
    for pivots in 1..=max_pivots.max(1) {
        let left = tableau.pivot(row, entering);
        if !tableau.is_finite() {
            return LemkeOutcome::Stopped { pivots };
        }
        if left == tableau.artificial() {
            return LemkeOutcome::Solved { z: tableau.solution(), pivots };
        }
        // The complement of the unknown that left the basis enters.
        entering = if left < size { left + size } else { left - size };
        match tableau.leaving_row(entering) {
            Some(next) => row = next,
            None => return LemkeOutcome::Ray { pivots },
        }
    }
    LemkeOutcome::Stopped { pivots: max_pivots }
}

/// The system w − M z − d z₀ = q in the current basis. Columns: w, z, z₀, q.
struct Tableau {
    size: usize,
    rows: Vec<Vec<f64>>,
    /// Column of the basic unknown of each row.
    basis: Vec<usize>,
    /// Scale of each unknown z (and 1/scale of each w): the rows and columns are equilibrated.
    scale: Vec<f64>,
}

impl Tableau {
    fn new(matrix: &SquareMatrix, q: &[f64]) -> Self {
        let size = matrix.size();
        let scale: Vec<f64> = (0..size).map(|i| equilibration(matrix.get(i, i).abs())).collect();
        // Without this scale of q the tie and pivot cutoffs depend on the units.
        let rows = (0..size).map(|i| {
            let mut row = vec![0.0; 2 * size + 2];
            row[i] = 1.0;
            for j in 0..size {
                row[size + j] = -matrix.get(i, j) * scale[i] * scale[j];
            }
            row[2 * size] = -1.0;
            row[2 * size + 1] = q[i] * scale[i];
            row
        });
        Self { size, rows: rows.collect(), basis: (0..size).collect(), scale }
    }

    fn artificial(&self) -> usize {
        2 * self.size
    }

    /// Returns the row of the least q: z₀ enters there. Among equal rows the last is lexicographically least.
    fn first_row(&self) -> usize {
        let q = 2 * self.size + 1;
        (0..self.size).fold(0, |best, i| if self.rows[i][q] <= self.rows[best][q] { i } else { best })
    }

    /// Exchanges the basic unknown of a row for the entering one; returns the unknown that leaves.
    fn pivot(&mut self, row: usize, entering: usize) -> usize {
        let inverse = 1.0 / self.rows[row][entering];
        self.rows[row].iter_mut().for_each(|entry| *entry *= inverse);
        self.rows[row][entering] = 1.0;
        let pivot_row = std::mem::take(&mut self.rows[row]);
        for (i, other) in self.rows.iter_mut().enumerate() {
            if i != row && other[entering] != 0.0 {
                let factor = other[entering];
                other.iter_mut().zip(&pivot_row).for_each(|(entry, pivot)| *entry -= factor * pivot);
                other[entering] = 0.0;
            }
        }
        self.rows[row] = pivot_row;
        std::mem::replace(&mut self.basis[row], entering)
    }

    /// Finds the row whose basic unknown first reaches 0; ties go to z₀, then to the lexicographically least row.
    fn leaving_row(&self, entering: usize) -> Option<usize> {
        let mut best: Option<usize> = None;
        for i in 0..self.size {
            if self.rows[i][entering] > PIVOT_CUTOFF {
                best = match best {
                    Some(other) if !self.precedes(i, other, entering) => Some(other),
                    _ => Some(i),
                };
            }
        }
        best
    }

    /// Tests whether row `i` comes before row `other` in the ratio test.
    fn precedes(&self, i: usize, other: usize, entering: usize) -> bool {
        let q = 2 * self.size + 1;
        let ratio = |row: usize, column: usize| self.rows[row][column] / self.rows[row][entering];
        let (a, b) = (ratio(i, q), ratio(other, q));
        if (a - b).abs() > TIE * a.abs().max(b.abs()) {
            return a < b;
        }
        let artificial = self.artificial();
        if self.basis[i] == artificial || self.basis[other] == artificial {
            return self.basis[i] == artificial;
        }
        for column in 0..self.size {
            let (a, b) = (ratio(i, column), ratio(other, column));
            if (a - b).abs() > TIE * a.abs().max(b.abs()) {
                return a < b;
            }
        }
        i < other
    }

    fn is_finite(&self) -> bool {
        self.rows.iter().all(|row| row[2 * self.size + 1].is_finite() && row[2 * self.size].is_finite())
    }

    fn solution(&self) -> Vec<f64> {
        let mut z = vec![0.0; self.size];
        for (row, &unknown) in self.rows.iter().zip(&self.basis) {
            if (self.size..2 * self.size).contains(&unknown) {
                let index = unknown - self.size;
                z[index] = row[2 * self.size + 1].max(0.0) * self.scale[index];
            }
        }
        z
    }
}

/// Returns a power of two near 1/√diagonal: the scaled diagonal is between ½ and 2. A zero diagonal keeps scale 1.
fn equilibration(diagonal: f64) -> f64 {
    if diagonal == 0.0 || !diagonal.is_finite() {
        return 1.0;
    }
    let exponent = libm::round(-0.5 * libm::log2(diagonal)).clamp(-500.0, 500.0);
    libm::exp2(exponent)
}
