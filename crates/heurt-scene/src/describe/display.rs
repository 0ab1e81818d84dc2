//! Numbers, points and names as messages and JSON have them.

use heurt_geometry::{DisplayNumber, Mat3, Vec3};

/// Formats a number in digits if these are few, else with an exponent.
pub(crate) fn number(value: f64) -> String {
    DisplayNumber(value).to_string()
}

/// Lists the first names that fit a message.
pub fn some_of<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    const SHOWN: usize = 12;
    let count = names.len();
    let shown = names.take(SHOWN).collect::<Vec<_>>().join(", ");
    if count > SHOWN { format!("{shown}, … {count} in all") } else { shown }
}

/// Formats a point as a list; zeros have no sign, which would only confuse readers.
pub fn point_row(point: Vec3) -> [f64; 3] {
    (point + Vec3::ZERO).to_array()
}

/// Formats a matrix as a list of rows; zeros have no sign.
pub fn matrix_rows(matrix: Mat3) -> [[f64; 3]; 3] {
    let transposed = matrix.transpose();
    [transposed.x_axis, transposed.y_axis, transposed.z_axis].map(point_row)
}
