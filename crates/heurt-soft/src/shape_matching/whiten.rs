//! Whitening: rest offsets in coordinates in which their mean square extent is 1 in every direction.
//!
//! In: offsets from the centroid with shares of mass. Out: whitened offsets q̂ = T q with Σ m q̂ q̂ᵀ = 1, and T.
//! Method: eigenvectors of Σ m q qᵀ, then passes that remove what rounding left of the mean and of Σ m q̂ q̂ᵀ − 1.
//! With q̂ the best linear map is A = B T with B = Σ m p q̂ᵀ. The torque of its goals is the antisymmetric part of B
//! Bᵀ, 0 to rounding; with the inverse of Σ m q qᵀ the rounding grows by its condition.
//! Cost: O(points).

use super::FLAT_REST;
use super::eigen::symmetric_eigen;

/// Offsets that are whitened, and the matrix by rows that whitens them.
pub(super) type Whitened<const D: usize> = (Vec<[f64; D]>, [[f64; D]; D]);

/// Passes of correction: each squares the error, which is at most 1e-4 at first.
const PASSES: usize = 2;

/// Whitens offsets; `None` if they are on a line of the plane, or in a plane of space.
pub(super) fn whitened<const D: usize>(offsets: &[[f64; D]], shares: &[f64]) -> Option<Whitened<D>> {
    let (values, vectors) = symmetric_eigen(moment(offsets, shares));
    let largest = values.into_iter().fold(0.0, f64::max);
    let is_flat = |value: f64| value.is_nan() || value <= FLAT_REST * largest;
    if largest <= f64::MIN_POSITIVE || values.into_iter().any(is_flat) {
        return None;
    }
    let mut matrix: [[f64; D]; D] = std::array::from_fn(|k| vectors[k].map(|entry| entry / values[k].sqrt()));
    let mut white: Vec<[f64; D]> = offsets.iter().map(|offset| times(&matrix, offset)).collect();
    for _ in 0..PASSES {
        let mean: [f64; D] = std::array::from_fn(|k| white.iter().zip(shares).map(|(w, share)| w[k] * share).sum());
        white.iter_mut().for_each(|w| w.iter_mut().zip(mean).for_each(|(entry, mean)| *entry -= mean));
        // 1 − E/2, the inverse root of 1 + E to first order.
        let correction = moment(&white, shares);
        let correction: [[f64; D]; D] =
            std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.5 } else { 0.0 } - 0.5 * correction[i][j]));
        white.iter_mut().for_each(|w| *w = times(&correction, w));
        matrix =
            std::array::from_fn(|i| std::array::from_fn(|j| (0..D).map(|k| correction[i][k] * matrix[k][j]).sum()));
    }
    Some((white, matrix))
}

/// Sums m q qᵀ.
fn moment<const D: usize>(offsets: &[[f64; D]], shares: &[f64]) -> [[f64; D]; D] {
    let entry = |i: usize, j: usize| offsets.iter().zip(shares).map(|(q, share)| q[i] * q[j] * share).sum();
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
}

/// Multiplies a matrix by rows and a vector.
fn times<const D: usize>(matrix: &[[f64; D]; D], vector: &[f64; D]) -> [f64; D] {
    std::array::from_fn(|i| matrix[i].iter().zip(vector).map(|(a, b)| a * b).sum())
}
