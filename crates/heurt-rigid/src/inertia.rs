//! Inertia tensors: inverse with locked axes, checks, angular acceleration in free flight.
//!
//! In: an inertia around the centre of mass, in kg·m². Out: inverses and accelerations.
//! Method: Euler's equation, S1 (resting contact). A locked axis removes its row and its column from the tensor.
//! Guarantees: no NaN; `None` if a tensor has no inverse in `f64`.
//! Cost: constant.

use heurt_geometry::{Mat3, Vec3, power_of_two_scale};

/// Relative asymmetry that rounding errors of a rotated tensor explain, with a safety factor.
const ASYMMETRY: f64 = 1e-9;

/// Computes the inverse of an inertia whose rotation around some axes of its frame is locked: locked rows and columns
/// of the result are 0. Returns `None` if the rest has no inverse in `f64`.
///
/// ```
/// use heurt_geometry::{Mat3, Vec3};
/// use heurt_rigid::invert_inertia;
/// let inertia = Mat3::from_diagonal(Vec3::new(1.0, 2.0, 4.0));
/// let upright = invert_inertia(&inertia, [true, true, false]).unwrap();
/// assert_eq!(upright, Mat3::from_diagonal(Vec3::new(0.0, 0.0, 0.25)));
/// assert!(invert_inertia(&Mat3::ZERO, [false; 3]).is_none());
/// ```
pub fn invert_inertia(inertia: &Mat3, locked: [bool; 3]) -> Option<Mat3> {
    let largest = largest_entry(inertia);
    if !(largest > 0.0 && largest.is_finite()) {
        return locked.iter().all(|axis| *axis).then_some(Mat3::ZERO);
    }
    // Scaled to 1, so that the determinant neither overflows nor underflows.
    let scale = power_of_two_scale(largest);
    let mut scaled = *inertia * scale;
    for axis in (0..3).filter(|axis| locked[*axis]) {
        clear_axis(&mut scaled, axis, 1.0);
    }
    let determinant = scaled.determinant();
    if determinant.is_nan() || determinant <= 0.0 {
        return None;
    }
    let mut inverse = scaled.inverse();
    for axis in (0..3).filter(|axis| locked[*axis]) {
        clear_axis(&mut inverse, axis, 0.0);
    }
    // The average of both halves is symmetric to the last bit.
    let inverse = (inverse + inverse.transpose()) * (0.5 * scale);
    inverse.is_finite().then_some(inverse)
}

/// Computes the angular acceleration J⁻¹(τ − ω × Jω) of a body in free flight, in rad/s². The inertia and its inverse
/// are along the axes of the world.
///
/// ```
/// use heurt_geometry::{Mat3, Vec3};
/// use heurt_rigid::{free_angular_acceleration, invert_inertia};
/// let inertia = Mat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0));
/// let inverse = invert_inertia(&inertia, [false; 3]).unwrap();
/// let change = free_angular_acceleration(&inertia, &inverse, Vec3::new(1.0, 1.0, 0.0), Vec3::ZERO);
/// assert!((change - Vec3::new(0.0, 0.0, -1.0 / 3.0)).length() < 1e-15);
/// ```
pub fn free_angular_acceleration(inertia: &Mat3, inverse: &Mat3, angular_velocity: Vec3, torque: Vec3) -> Vec3 {
    *inverse * (torque - angular_velocity.cross(*inertia * angular_velocity))
}

/// Reports whether a matrix is finite, symmetric and positive definite, with an inverse in `f64`.
pub(crate) fn is_inertia(inertia: &Mat3) -> bool {
    let largest = largest_entry(inertia);
    if !(largest > 0.0 && largest.is_finite()) {
        return false;
    }
    let scaled = *inertia * power_of_two_scale(largest);
    let skew = largest_entry(&(scaled - scaled.transpose()));
    let [x, y] = [scaled.x_axis, scaled.y_axis];
    let minors = [x.x, x.x * y.y - x.y * y.x, scaled.determinant()];
    skew <= ASYMMETRY && minors.iter().all(|minor| *minor > 0.0) && invert_inertia(inertia, [false; 3]).is_some()
}

/// Returns the largest entry in magnitude; NaN if an entry is not finite.
pub(crate) fn largest_entry(matrix: &Mat3) -> f64 {
    let entries = matrix.to_cols_array();
    if entries.iter().any(|entry| !entry.is_finite()) {
        return f64::NAN;
    }
    entries.iter().fold(0.0, |largest, entry| entry.abs().max(largest))
}

/// Sets the row and the column of an axis to 0, and their common entry to `diagonal`.
fn clear_axis(matrix: &mut Mat3, axis: usize, diagonal: f64) {
    for other in 0..3 {
        matrix.col_mut(axis)[other] = 0.0;
        matrix.col_mut(other)[axis] = 0.0;
    }
    matrix.col_mut(axis)[axis] = diagonal;
}
