//! Factor L·D·Lᵀ of the coupling matrix of a joint, at most 6 rows.
//!
//! In: a symmetric positive semidefinite matrix. Out: solutions of linear systems.
//! Method: the matrix is scaled to a unit diagonal, so that metres and radians compare; then LDLᵀ without pivoting,
//! which is stable for such matrices. A pivot below the tolerance belongs to a row that depends on the rows before it,
//! or that no body follows; the row is left out, and its unknown is 0.
//! Guarantees: finite input gives a finite result; a consistent singular system is solved.

use std::array::from_fn;

/// Largest number of equations of a joint.
pub(super) const MAX_ROWS: usize = 6;
/// Numbers of the equations of a joint; unused entries are 0.
pub(super) type RowNumbers = [f64; MAX_ROWS];
pub(super) type RowMatrix = [RowNumbers; MAX_ROWS];

pub(super) const EMPTY_MATRIX: RowMatrix = [[0.0; MAX_ROWS]; MAX_ROWS];

/// The factor of a matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BlockFactor {
    count: usize,
    /// Entries below the diagonal.
    lower: RowMatrix,
    /// 0 for a row that is left out.
    inverse_pivots: RowNumbers,
    /// Inverse square roots of the diagonal; 0 for an empty row.
    scales: RowNumbers,
}

impl BlockFactor {
    pub const EMPTY: Self =
        Self { count: 0, lower: EMPTY_MATRIX, inverse_pivots: [0.0; MAX_ROWS], scales: [0.0; MAX_ROWS] };

    /// Share of a pivot of the scaled matrix below which a row counts as dependent. 1e-12: redundant rows leave pivots
    /// of some 1e-16, and an anchor 1000 body sizes from its centre leaves pivots of 1e-6.
    pub const TOLERANCE: f64 = 1e-12;

    /// Factors the first `count` rows of a matrix. Pivots are compared with the diagonal of `scale`: the diagonal of
    /// the matrix before rows were eliminated or axes were locked.
    pub fn new(matrix: &RowMatrix, count: usize, scale: &RowMatrix) -> Self {
        let inverse_root = |x: f64| if x.is_normal() && x > 0.0 { 1.0 / x.sqrt() } else { 0.0 };
        let scales = from_fn(|i| if i < count { inverse_root(scale[i][i]) } else { 0.0 });
        let mut factor = Self { count, scales, ..Self::EMPTY };
        let mut pivots = [0.0; MAX_ROWS];
        for i in 0..count {
            for j in 0..=i {
                let mut entry = matrix[i][j] * scales[i] * scales[j];
                for (k, pivot) in pivots.iter().enumerate().take(j) {
                    entry -= factor.lower[i][k] * factor.lower[j][k] * pivot;
                }
                if j < i {
                    factor.lower[i][j] = entry * factor.inverse_pivots[j];
                } else if entry > Self::TOLERANCE && entry.is_finite() {
                    pivots[i] = entry;
                    factor.inverse_pivots[i] = 1.0 / entry;
                }
            }
        }
        factor
    }

    /// Solves for a right-hand side.
    pub fn solve(&self, right: &RowNumbers) -> RowNumbers {
        let mut x: RowNumbers = from_fn(|i| right[i] * self.scales[i]);
        for i in 0..self.count {
            for j in 0..i {
                x[i] -= self.lower[i][j] * x[j];
            }
        }
        for (x, inverse) in x.iter_mut().zip(&self.inverse_pivots) {
            *x *= inverse;
        }
        for i in (0..self.count).rev() {
            for j in i + 1..self.count {
                x[i] -= self.lower[j][i] * x[j];
            }
        }
        from_fn(|i| x[i] * self.scales[i])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes Gᵀ·G of a matrix with linearly dependent columns if `rank` < 6.
    fn gram(rank: usize) -> RowMatrix {
        let columns: RowMatrix =
            from_fn(|i| from_fn(|k| if k < rank { ((7 * i + 3 * k * k) % 11) as f64 } else { 0.0 }));
        from_fn(|i| from_fn(|j| (0..MAX_ROWS).map(|k| columns[i][k] * columns[j][k]).sum::<f64>() + 0.0))
    }

    #[test]
    fn consistent_systems_are_solved_at_any_rank() {
        for rank in 0..=MAX_ROWS {
            let matrix = gram(rank);
            let wanted: RowNumbers = from_fn(|i| 1.0 - 0.3 * i as f64);
            let right: RowNumbers = from_fn(|i| (0..MAX_ROWS).map(|j| matrix[i][j] * wanted[j]).sum());
            let found = BlockFactor::new(&matrix, MAX_ROWS, &matrix).solve(&right);
            for i in 0..MAX_ROWS {
                let product: f64 = (0..MAX_ROWS).map(|j| matrix[i][j] * found[j]).sum();
                assert!((product - right[i]).abs() < 1e-9, "rank {rank}: {product} {}", right[i]);
            }
        }
    }

    #[test]
    fn units_do_not_change_which_rows_count() {
        // Rows in metres and in micrometres.
        let matrix = gram(MAX_ROWS);
        let units: RowNumbers = from_fn(|i| if i % 2 == 0 { 1e-6 } else { 1e3 });
        let scaled: RowMatrix = from_fn(|i| from_fn(|j| matrix[i][j] * units[i] * units[j]));
        let right: RowNumbers = from_fn(|i| 1.0 + i as f64);
        let plain = BlockFactor::new(&matrix, MAX_ROWS, &matrix).solve(&right);
        let other = BlockFactor::new(&scaled, MAX_ROWS, &scaled).solve(&from_fn(|i| right[i] * units[i]));
        for i in 0..MAX_ROWS {
            assert!((plain[i] - other[i] * units[i]).abs() <= 1e-9 * plain[i].abs(), "row {i}");
        }
    }

    #[test]
    fn numbers_that_overflow_leave_rows_out() {
        let mut matrix = gram(MAX_ROWS);
        matrix[2][2] = f64::INFINITY;
        matrix[4][4] = 0.0;
        let found = BlockFactor::new(&matrix, MAX_ROWS, &matrix).solve(&[1.0; MAX_ROWS]);
        assert!(found.iter().all(|x| x.is_finite()) && found[2] == 0.0 && found[4] == 0.0, "{found:?}");
    }
}
