//! Eigenvalues of a symmetric 3×3 matrix by Jacobi rotations.
//!
//! In: a symmetric matrix. Out: three eigenvalues and an orthonormal basis of eigenvectors.
//! Method: cyclic Jacobi (Golub and Van Loan, *Matrix Computations*, §8.5).
//! Guarantees: bounded sweeps; eigenvectors are orthonormal up to rounding; small eigenvalues of scaled diagonal
//! matrices keep their relative accuracy. Cost: 3 rotations a sweep, 4 to 6 sweeps.

use heurt_geometry::{Mat3, Vec3};

/// Bound of the sweeps. Jacobi converges quadratically: 6 sweeps reach rounding, 16 cover any scaling.
const MAX_SWEEPS: usize = 16;

/// Computes eigenvalues and eigenvectors (as columns) of the symmetric part of a matrix.
pub(crate) fn symmetric_spectrum(matrix: &Mat3) -> ([f64; 3], [Vec3; 3]) {
    let mut a = [[0.0; 3]; 3];
    for (i, row) in a.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry = 0.5 * matrix.col(i)[j] + 0.5 * matrix.col(j)[i];
        }
    }
    let mut basis = [Vec3::X, Vec3::Y, Vec3::Z];
    for _ in 0..MAX_SWEEPS {
        if a[0][1] == 0.0 && a[0][2] == 0.0 && a[1][2] == 0.0 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, &mut basis, p, q);
        }
    }
    ([a[0][0], a[1][1], a[2][2]], basis)
}

/// Applies the rotation that clears the entry (p, q).
fn rotate(a: &mut [[f64; 3]; 3], basis: &mut [Vec3; 3], p: usize, q: usize) {
    let off = a[p][q];
    // An entry below one rounding of both eigenvalues is 0.
    if off.abs() <= f64::EPSILON * 0.25 * a[p][p].abs().min(a[q][q].abs()) {
        (a[p][q], a[q][p]) = (0.0, 0.0);
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * off);
    let root = if theta.abs() > 1e100 { theta.abs() } else { (theta * theta + 1.0).sqrt() };
    let tangent = if theta >= 0.0 { 1.0 } else { -1.0 } / (theta.abs() + root);
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    a[p][p] -= tangent * off;
    a[q][q] += tangent * off;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    let r = 3 - p - q;
    let (rp, rq) = (a[r][p], a[r][q]);
    (a[r][p], a[r][q]) = (cosine * rp - sine * rq, sine * rp + cosine * rq);
    (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
    let (vp, vq) = (basis[p], basis[q]);
    (basis[p], basis[q]) = (vp * cosine - vq * sine, vp * sine + vq * cosine);
}

#[cfg(test)]
mod tests {
    use super::*;
    use heurt_geometry::SplitMix64;

    #[test]
    fn eigenvectors_rebuild_the_matrix() {
        let mut random = SplitMix64::new(3);
        for _ in 0..200 {
            let half = Mat3::from_cols(random.vector(-1.0, 1.0), random.vector(-1.0, 1.0), random.vector(-1.0, 1.0));
            let matrix = half * half.transpose();
            let (values, basis) = symmetric_spectrum(&matrix);
            let q = Mat3::from_cols_array_2d(&basis.map(|v| v.to_array()));
            let rebuilt = q * Mat3::from_diagonal(Vec3::from_array(values)) * q.transpose();
            assert!((rebuilt - matrix).to_cols_array().iter().all(|e| e.abs() < 1e-14), "{rebuilt} {matrix}");
        }
    }
}
