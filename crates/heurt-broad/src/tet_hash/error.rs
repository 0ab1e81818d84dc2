//! Errors of the hashing of tetrahedra.

use heurt_geometry::Vec3;
use thiserror::Error;

/// Reason why a table cannot be made, or a body is rejected.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum TetHashError {
    /// A cell size that is not a positive length, or is so small that its inverse is not finite.
    #[error("the cell size is {cell_size:e}: give a positive length in metres, such as the mean edge length")]
    BadCellSize {
        /// The given cell size.
        cell_size: f64,
    },
    /// A table of no slots, or too many.
    #[error("a table of {table_size} slots: give from 1 to {max}, such as twice the vertices")]
    BadTableSize {
        /// The given number of slots.
        table_size: usize,
        /// Maximum number of slots.
        max: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has coordinates {position}: give finite numbers")]
    NotFinite {
        /// The vertex.
        vertex: usize,
        /// Its coordinates.
        position: Vec3,
    },
    /// A tetrahedron refers to a vertex that does not exist.
    #[error(
        "tetrahedron {tet} names vertex {index}, but the number of vertices is {count}: indices start at 0, give a smaller one"
    )]
    IndexOutOfRange {
        /// The tetrahedron.
        tet: usize,
        /// The index of the vertex.
        index: u32,
        /// Number of vertices.
        count: usize,
    },
    /// More vertices or tetrahedra than can be counted.
    #[error("a body of {count} {what}, more than {max}: split it")]
    TooLarge {
        /// `"vertices"` or `"tetrahedra"`.
        what: &'static str,
        /// Their number.
        count: usize,
        /// Maximum number.
        max: usize,
    },
}
