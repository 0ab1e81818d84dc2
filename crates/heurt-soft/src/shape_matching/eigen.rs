//! Eigenvalues of symmetric matrices of any small size by Jacobi rotations.
//!
//! In: a symmetric matrix by rows. Out: eigenvalues and orthonormal eigenvectors, unsorted.
//! Method: cyclic Jacobi (Golub and Van Loan, *Matrix Computations*, §8.5).
//! Guarantees: bounded sweeps; eigenvectors are orthonormal up to rounding. Cost: N (N − 1)/2 rotations a sweep, 4 to 8
//! sweeps.

/// Bound of the sweeps. Jacobi converges quadratically: 8 sweeps reach rounding, 24 cover any scaling.
const MAX_SWEEPS: usize = 24;

/// Computes eigenvalues, and eigenvectors as rows.
pub(super) fn symmetric_eigen<const N: usize>(mut a: [[f64; N]; N]) -> ([f64; N], [[f64; N]; N]) {
    let mut basis = [[0.0; N]; N];
    for (k, row) in basis.iter_mut().enumerate() {
        row[k] = 1.0;
    }
    for _ in 0..MAX_SWEEPS {
        let mut is_diagonal = true;
        for p in 0..N {
            for q in p + 1..N {
                is_diagonal &= !clear_entry(&mut a, &mut basis, p, q);
            }
        }
        if is_diagonal {
            break;
        }
    }
    (std::array::from_fn(|k| a[k][k]), basis)
}

/// Applies the rotation that clears the entry (p, q); reports whether it was needed.
fn clear_entry<const N: usize>(a: &mut [[f64; N]; N], basis: &mut [[f64; N]; N], p: usize, q: usize) -> bool {
    let off = a[p][q];
    // An entry below one rounding of both eigenvalues is 0.
    if off.abs() <= f64::EPSILON * 0.25 * a[p][p].abs().min(a[q][q].abs()) {
        (a[p][q], a[q][p]) = (0.0, 0.0);
        return false;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * off);
    let root = if theta.abs() > 1e100 { theta.abs() } else { (theta * theta + 1.0).sqrt() };
    let tangent = if theta >= 0.0 { 1.0 } else { -1.0 } / (theta.abs() + root);
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    a[p][p] -= tangent * off;
    a[q][q] += tangent * off;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    for r in (0..N).filter(|&r| r != p && r != q) {
        let (rp, rq) = (a[r][p], a[r][q]);
        (a[r][p], a[r][q]) = (cosine * rp - sine * rq, sine * rp + cosine * rq);
        (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
    }
    let (vp, vq) = (basis[p], basis[q]);
    basis[p] = std::array::from_fn(|k| vp[k] * cosine - vq[k] * sine);
    basis[q] = std::array::from_fn(|k| vp[k] * sine + vq[k] * cosine);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use heurt_geometry::SplitMix64;

    #[test]
    fn eigenvectors_rebuild_random_matrices() {
        let mut random = SplitMix64::new(3);
        for _ in 0..500 {
            let any = [[0.0; 4]; 4].map(|row: [f64; 4]| row.map(|_| random.between(-1.0, 1.0)));
            let matrix: [[f64; 4]; 4] = std::array::from_fn(|i| std::array::from_fn(|j| any[i.min(j)][i.max(j)]));
            let (values, vectors) = symmetric_eigen(matrix);
            for i in 0..4 {
                for j in 0..4 {
                    let rebuilt: f64 = (0..4).map(|k| values[k] * vectors[k][i] * vectors[k][j]).sum();
                    assert!((rebuilt - matrix[i][j]).abs() < 1e-14, "{rebuilt} {}", matrix[i][j]);
                    let dot: f64 = (0..4).map(|k| vectors[i][k] * vectors[j][k]).sum();
                    assert!((dot - f64::from(u8::from(i == j))).abs() < 1e-14);
                }
            }
        }
    }
}
