//! Dense square matrix of `f64`, row by row.
//!
//! In: entries. Out: entries, products, solutions of linear systems with complete pivoting.
//! Method: Gauss elimination with complete pivoting; pivots below a relative cutoff leave their unknown at 0, a basic
//! solution of a consistent singular system. Cost: product quadratic, solution cubic.

/// A pivot below this share of the largest entry counts as 0: elimination of a singular matrix of 100 rows leaves
/// 100 roundings of the largest entry.
const SINGULAR_PIVOT: f64 = 1e-13;

/// A dense square matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct SquareMatrix {
    size: usize,
    entries: Vec<f64>,
}

impl SquareMatrix {
    /// Creates a matrix of zeros.
    pub fn zero(size: usize) -> Self {
        Self { size, entries: vec![0.0; size * size] }
    }

    /// Creates a matrix from its rows. Missing entries are 0, entries beyond the number of rows are ignored.
    ///
    /// ```
    /// use heurt_rigid::SquareMatrix;
    /// let matrix = SquareMatrix::from_rows(&[vec![2.0, 1.0], vec![0.0, 1.0]]);
    /// assert_eq!(matrix.multiply(&[1.0, 3.0]), [5.0, 3.0]);
    /// ```
    pub fn from_rows(rows: &[Vec<f64>]) -> Self {
        let mut matrix = Self::zero(rows.len());
        for (i, row) in rows.iter().enumerate() {
            for (j, &entry) in row.iter().enumerate().take(rows.len()) {
                matrix.set(i, j, entry);
            }
        }
        matrix
    }

    /// Returns the number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns an entry.
    ///
    /// # Panics
    /// If an index is out of range.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.row(row)[column]
    }

    /// Changes an entry.
    ///
    /// # Panics
    /// If an index is out of range.
    pub fn set(&mut self, row: usize, column: usize, entry: f64) {
        self.row_mut(row)[column] = entry;
    }

    /// Returns a row.
    ///
    /// # Panics
    /// If the index is out of range.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.entries[row * self.size..(row + 1) * self.size]
    }

    /// Computes the product with a vector; missing coordinates are 0.
    pub fn multiply(&self, vector: &[f64]) -> Vec<f64> {
        (0..self.size).map(|row| self.row(row).iter().zip(vector).map(|(a, x)| a * x).sum()).collect()
    }

    /// Solves the linear system. Unknowns of a singular direction are 0; an inconsistent system gives a vector with a
    /// residual, which the caller evaluates.
    ///
    /// ```
    /// use heurt_rigid::SquareMatrix;
    /// let matrix = SquareMatrix::from_rows(&[vec![0.0, 2.0], vec![4.0, 0.0]]);
    /// assert_eq!(matrix.solve(&[2.0, 4.0]), [1.0, 1.0]);
    /// ```
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut work = self.clone();
        let mut right: Vec<f64> = (0..self.size).map(|i| right.get(i).copied().unwrap_or(0.0)).collect();
        let mut columns: Vec<usize> = (0..self.size).collect();
        let rank = work.eliminate(&mut right, &mut columns);
        let mut solution = vec![0.0; self.size];
        for step in (0..rank).rev() {
            let row = work.row(step);
            let sum: f64 = (step + 1..rank).map(|k| row[k] * solution[columns[k]]).sum();
            solution[columns[step]] = (right[step] - sum) / row[step];
        }
        solution
    }

    fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.entries[row * self.size..(row + 1) * self.size]
    }

    /// Eliminates below the diagonal with row and column exchanges; returns the rank.
    fn eliminate(&mut self, right: &mut [f64], columns: &mut [usize]) -> usize {
        let size = self.size;
        let cutoff = SINGULAR_PIVOT * self.entries.iter().fold(0.0f64, |largest, entry| largest.max(entry.abs()));
        for step in 0..size {
            let (mut best, mut place) = (0.0, (step, step));
            for i in step..size {
                for j in step..size {
                    let entry = self.entries[i * size + j].abs();
                    if entry > best {
                        (best, place) = (entry, (i, j));
                    }
                }
            }
            if best <= cutoff {
                return step;
            }
            self.exchange(step, place);
            right.swap(step, place.0);
            columns.swap(step, place.1);
            for i in step + 1..size {
                let factor = self.entries[i * size + step] / self.entries[step * size + step];
                if factor != 0.0 {
                    for j in step..size {
                        self.entries[i * size + j] -= factor * self.entries[step * size + j];
                    }
                    right[i] -= factor * right[step];
                }
            }
        }
        size
    }

    fn exchange(&mut self, step: usize, (row, column): (usize, usize)) {
        for j in 0..self.size {
            self.entries.swap(step * self.size + j, row * self.size + j);
        }
        for i in 0..self.size {
            self.entries.swap(i * self.size + step, i * self.size + column);
        }
    }
}
