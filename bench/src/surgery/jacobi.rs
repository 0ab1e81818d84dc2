//! The axes of an oriented box by S2 §4.2: eigenvectors of the covariance of the corners, by Jacobi's rotations.

use heurt_geometry::{Mat3, Vec3};
use std::array::from_fn;

/// Sweeps; three by three matrices need four or five.
const SWEEPS: usize = 12;

/// Orthonormal axes of a cloud of points.
pub fn axes_of(points: impl Iterator<Item = Vec3>) -> Mat3 {
    points.map(Statistics::of).fold(Statistics::default(), Statistics::with).axes()
}

/// What a covariance is made of; that of two clouds is the sum of theirs. In one pass: for points near the origin.
#[derive(Clone, Copy, Default)]
pub struct Statistics {
    count: f64,
    sum: [f64; 3],
    products: [[f64; 3]; 3],
}

impl Statistics {
    /// Of one point.
    pub fn of(point: Vec3) -> Self {
        let sum = point.to_array();
        Self { count: 1.0, sum, products: sum.map(|x| sum.map(|y| x * y)) }
    }

    /// Of both clouds.
    pub fn with(mut self, other: Self) -> Self {
        self.count += other.count;
        for i in 0..3 {
            self.sum[i] += other.sum[i];
            for j in 0..3 {
                self.products[i][j] += other.products[i][j];
            }
        }
        self
    }

    /// The eigenvectors of the covariance.
    pub fn axes(&self) -> Mat3 {
        let Self { count, sum, products } = self;
        let mut c = from_fn(|i| from_fn(|j| (products[i][j] - sum[i] * sum[j] / count) / count));
        let mut axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for _ in 0..SWEEPS {
            for (p, q) in [(0, 1), (0, 2), (1, 2)] {
                rotate(&mut c, &mut axes, p, q);
            }
        }
        let [x, y, _] = axes.map(Vec3::from_array);
        let x = x.normalize();
        let y = (y - x * x.dot(y)).normalize();
        Mat3::from_cols(x, y, x.cross(y))
    }
}

/// Makes entry (p, q) zero; `axes` holds the eigenvectors row by row.
fn rotate(c: &mut [[f64; 3]; 3], axes: &mut [[f64; 3]; 3], p: usize, q: usize) {
    if c[p][q].abs() <= 1e-300 {
        return;
    }
    let theta = (c[q][q] - c[p][p]) / (2.0 * c[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cos = 1.0 / (t * t + 1.0).sqrt();
    let sin = t * cos;
    for row in c.iter_mut() {
        let (x, y) = (row[p], row[q]);
        (row[p], row[q]) = (cos * x - sin * y, sin * x + cos * y);
    }
    for rows in [c, axes] {
        let (x, y) = (rows[p], rows[q]);
        rows[p] = from_fn(|k| cos * x[k] - sin * y[k]);
        rows[q] = from_fn(|k| sin * x[k] + cos * y[k]);
    }
}
