//! The cost function T = N_v·C_v + N_p·C_p + N_u·C_u (S0 §4.5.1), its constants measured instead of assumed.
//!
//! In: the work of some queries ([`Work`]) and their times. Out: the cost of a volume, of a pair of primitives and of
//! an update, in nanoseconds. Method: least squares of the relative errors, no constant negative. The caller measures
//! the time.

use crate::work::Work;

/// Cost of each kind of work, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CostModel {
    /// C_v: cost of a tested volume.
    pub per_volume: f64,
    /// C_p: cost of a tested primitive, or of a tested pair of primitives.
    pub per_primitive: f64,
    /// C_u: cost of an update: a volume refitted, or a relative pose of two trees computed.
    pub per_update: f64,
}

impl CostModel {
    /// Fits the constants to measured queries: the work of each and its nanoseconds. All constants are zero without
    /// samples.
    ///
    /// ```
    /// use heurt_bvh::{CostModel, Work};
    /// let work = |volumes, primitives| Work { volumes, primitives, updates: 0 };
    /// // 3 ns per volume and 10 ns per primitive.
    /// let model = CostModel::fit(&[(work(100, 10), 400.0), (work(50, 40), 550.0), (work(10, 0), 30.0)]);
    /// assert!((model.predict(&work(20, 20)) - 260.0).abs() < 1e-9);
    /// ```
    pub fn fit(samples: &[(Work, f64)]) -> Self {
        // The best of the seven subsets of nonzero constants, with no negative constant.
        let mut best = (f64::INFINITY, [0.0; 3]);
        for chosen in 1u32..8 {
            let Some(constants) = least_squares(samples, chosen) else { continue };
            let error = relative_error(samples, &constants);
            if constants.iter().all(|c| *c >= 0.0) && error < best.0 {
                best = (error, constants);
            }
        }
        let [per_volume, per_primitive, per_update] = best.1;
        Self { per_volume, per_primitive, per_update }
    }

    /// Predicts T: the nanoseconds of `work`.
    pub fn predict(&self, work: &Work) -> f64 {
        let [v, p, u] = counts(work);
        v * self.per_volume + p * self.per_primitive + u * self.per_update
    }
}

fn counts(work: &Work) -> [f64; 3] {
    [work.volumes as f64, work.primitives as f64, work.updates as f64]
}

fn relative_error(samples: &[(Work, f64)], constants: &[f64; 3]) -> f64 {
    let error = |(work, time): &(Work, f64)| {
        let predicted: f64 = counts(work).iter().zip(constants).map(|(n, c)| n * c).sum();
        let relative = if *time > 0.0 { predicted / time - 1.0 } else { 0.0 };
        relative * relative
    };
    samples.iter().map(error).sum()
}

/// Finds the constants whose bits are set in `chosen` that minimise the relative error; returns `None` if the samples
/// do not determine them.
fn least_squares(samples: &[(Work, f64)], chosen: u32) -> Option<[f64; 3]> {
    let columns: Vec<usize> = (0..3).filter(|k| chosen >> k & 1 == 1).collect();
    let n = columns.len();
    // Normal equations, augmented by the right-hand side.
    let mut m = [[0.0f64; 4]; 3];
    for (work, time) in samples.iter().filter(|(_, time)| *time > 0.0) {
        let row = counts(work).map(|count| count / time);
        for (i, &x) in columns.iter().enumerate() {
            for (j, &y) in columns.iter().enumerate() {
                m[i][j] += row[x] * row[y];
            }
            m[i][n] += row[x];
        }
    }
    for i in 0..n {
        let pivot = (i..n).max_by(|&p, &q| m[p][i].abs().total_cmp(&m[q][i].abs()))?;
        m.swap(i, pivot);
        // Columns that hardly differ from multiples of each other cannot be distinguished.
        let scale: f64 = m[i][..n].iter().map(|x| x.abs()).sum();
        if m[i][i].abs() <= 1e-12 * scale || scale == 0.0 {
            return None;
        }
        for row in (0..n).filter(|&row| row != i) {
            let factor = m[row][i] / m[i][i];
            let of_pivot = m[i];
            for (x, pivot) in m[row][i..=n].iter_mut().zip(&of_pivot[i..=n]) {
                *x -= factor * pivot;
            }
        }
    }
    let mut out = [0.0; 3];
    for (i, &column) in columns.iter().enumerate() {
        out[column] = m[i][n] / m[i][i];
    }
    Some(out)
}
