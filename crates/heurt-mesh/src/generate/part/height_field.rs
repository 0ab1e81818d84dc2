//! Height field: an open surface over a grid in the plane z = 0.
//!
//! In: rows of heights in metres, all of the same length. Out: a mesh of two triangles a cell.
//! Method: `heights[i][j]` is the height at x = origin x + j · spacing x, y = origin y + i · spacing y. Each cell is
//! cut from its corner (i, j) to its corner (i + 1, j + 1); the half below the cut, towards larger x, comes first.
//! Guarantees: vertices in the order of the heights, triangles cell by cell in the same order, all of them
//! counter-clockwise seen from above. Neighbouring vertices have different positions as long as the spacing is not lost
//! in the rounding of the origin.

use crate::generate::error::MAX_TRIANGLES;
use crate::{MeshError, TriMesh};
use heurt_geometry::Vec3;
use thiserror::Error;

/// Errors of height fields.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum HeightFieldError {
    /// Too few heights for a cell.
    #[error("{rows} rows of {columns} heights span no cell: give at least 2 rows of 2")]
    NoCell {
        /// The number of rows.
        rows: usize,
        /// The length of the first row.
        columns: usize,
    },
    /// Rows of different lengths.
    #[error("row {row} has {length} heights, the first one {expected}: give rows of the same length")]
    Ragged {
        /// The row.
        row: usize,
        /// Its length.
        length: usize,
        /// The length of the first row.
        expected: usize,
    },
    /// A height that is NaN or infinite.
    #[error("the height in row {row}, column {column} is {value}: give a finite number")]
    Height {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The given value.
        value: f64,
    },
    /// A spacing that is not above 0.
    #[error("the spacing along {axis} is {value}: give a finite number above 0")]
    Spacing {
        /// The axis.
        axis: char,
        /// The given value.
        value: f64,
    },
    /// An origin that is NaN or infinite.
    #[error("the origin along {axis} is {value}: give a finite number")]
    Origin {
        /// The axis.
        axis: char,
        /// The given value.
        value: f64,
    },
    /// More triangles than a mesh may have.
    #[error("{count} triangles are more than {MAX_TRIANGLES}: split the field")]
    TooMany {
        /// The number of triangles.
        count: u64,
    },
    /// The numbers are legal one by one, but not as a mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// Makes the surface of a height field.
///
/// # Errors
/// [`HeightFieldError`] for rows of different lengths, fewer than 2 by 2 heights, numbers that are not finite, spacings
/// not above 0.
pub fn height_field(origin: [f64; 2], spacing: [f64; 2], heights: &[Vec<f64>]) -> Result<TriMesh, HeightFieldError> {
    let (rows, columns) = checked(origin, spacing, heights)?;
    let place = |row: usize, column: usize| {
        Vec3::new(origin[0] + column as f64 * spacing[0], origin[1] + row as f64 * spacing[1], heights[row][column])
    };
    let vertices = (0..rows).flat_map(|row| (0..columns).map(move |column| place(row, column))).collect();
    let number = |row: usize, column: usize| (row * columns + column) as u32;
    let mut triangles = Vec::with_capacity(2 * (rows - 1) * (columns - 1));
    for row in 0..rows - 1 {
        for column in 0..columns - 1 {
            let [low, high] = [number(row, column), number(row + 1, column + 1)];
            triangles.push([low, number(row, column + 1), high]);
            triangles.push([low, high, number(row + 1, column)]);
        }
    }
    Ok(TriMesh::new(vertices, triangles)?)
}

fn checked(origin: [f64; 2], spacing: [f64; 2], heights: &[Vec<f64>]) -> Result<(usize, usize), HeightFieldError> {
    let (rows, columns) = (heights.len(), heights.first().map_or(0, Vec::len));
    for (axis, value) in ['x', 'y'].into_iter().zip(origin) {
        if !value.is_finite() {
            return Err(HeightFieldError::Origin { axis, value });
        }
    }
    for (axis, value) in ['x', 'y'].into_iter().zip(spacing) {
        if !(value.is_finite() && value > 0.0) {
            return Err(HeightFieldError::Spacing { axis, value });
        }
    }
    if rows < 2 || columns < 2 {
        return Err(HeightFieldError::NoCell { rows, columns });
    }
    for (row, heights) in heights.iter().enumerate() {
        if heights.len() != columns {
            return Err(HeightFieldError::Ragged { row, length: heights.len(), expected: columns });
        }
        if let Some(column) = heights.iter().position(|height| !height.is_finite()) {
            return Err(HeightFieldError::Height { row, column, value: heights[column] });
        }
    }
    match 2 * (rows as u64 - 1) * (columns as u64 - 1) {
        count if count > MAX_TRIANGLES => Err(HeightFieldError::TooMany { count }),
        _ => Ok((rows, columns)),
    }
}
