//! Symmetric 6 × 6 matrices, of translations and rotations: sums of squares, and the solution by Cholesky.
//!
//! In: stiffness of springs at points. Out: displacements. Coordinates 0 to 2 are a translation, 3 to 5 a rotation
//! vector.

use heurt_geometry::Vec3;

/// A symmetric matrix; the lower triangle is used.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Symmetric6 {
    rows: [[f64; 6]; 6],
}

impl Symmetric6 {
    /// Adds factor · j jᵀ for j = (normal, moment): a spring along `normal`, of any length, at an arm with
    /// moment = arm × normal.
    #[inline(always)]
    pub fn add_spring(&mut self, factor: f64, normal: Vec3, moment: Vec3) {
        let j = [normal.x, normal.y, normal.z, moment.x, moment.y, moment.z];
        for (row, &entry) in self.rows.iter_mut().zip(&j) {
            let scaled = factor * entry;
            // All columns: half of them are not needed, but six fill whole registers.
            for (sum, &other) in row.iter_mut().zip(&j) {
                *sum += scaled * other;
            }
        }
    }

    /// Multiplies the matrix and adds to its diagonal, separately for translations and rotations.
    pub fn scaled_plus_diagonal(&self, factor: f64, [linear, angular]: [f64; 2]) -> Self {
        let mut sum = *self;
        for row in 0..6 {
            for column in 0..=row {
                sum.rows[row][column] *= factor;
            }
            sum.rows[row][row] += if row < 3 { linear } else { angular };
        }
        sum
    }

    /// Solves M (x, y) = (a, b) for a positive definite M; `None` if it is not.
    pub fn solve(&self, a: Vec3, b: Vec3) -> Option<[Vec3; 2]> {
        let mut lower = self.rows;
        let mut x = [a.x, a.y, a.z, b.x, b.y, b.z];
        for row in 0..6 {
            for column in 0..=row {
                let sum: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
                let rest = self.rows[row][column] - sum;
                if row != column {
                    lower[row][column] = rest / lower[column][column];
                } else if rest > 0.0 && rest.is_finite() {
                    lower[row][row] = rest.sqrt();
                } else {
                    return None;
                }
            }
        }
        for row in 0..6 {
            let sum: f64 = (0..row).map(|k| lower[row][k] * x[k]).sum();
            x[row] = (x[row] - sum) / lower[row][row];
        }
        for row in (0..6).rev() {
            let sum: f64 = (row + 1..6).map(|k| lower[k][row] * x[k]).sum();
            x[row] = (x[row] - sum) / lower[row][row];
        }
        Some([Vec3::new(x[0], x[1], x[2]), Vec3::new(x[3], x[4], x[5])])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spring_off_the_centre_gives_way_by_hand_computed_amounts() {
        let mut matrix = Symmetric6::default();
        matrix.add_spring(100.0, Vec3::Z, Vec3::X.cross(Vec3::Z));
        let matrix = matrix.scaled_plus_diagonal(2.0, [1.0, 3.0]);
        // The spring at x = 1 stretches by the shift less the rotation around y; force and torque balance.
        let [shift, turn] = matrix.solve(Vec3::Z * 10.0, Vec3::ZERO).unwrap();
        let stretch = shift.z - turn.y;
        assert!((200.0 * stretch + shift.z - 10.0).abs() < 1e-12);
        assert!((-200.0 * stretch + 3.0 * turn.y).abs() < 1e-12);
        assert!(Symmetric6::default().solve(Vec3::X, Vec3::ZERO).is_none());
    }
}
