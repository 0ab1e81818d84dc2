//! What the hashing of tetrahedra refuses.

use heurt_geometry::Vec3;
use thiserror::Error;

/// Why a table cannot be made, or a body not be taken.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum TetHashError {
    /// The cell size is no length, or so small that its inverse is none.
    #[error("the cell size is {cell_size:e}: give a positive length in metres, such as the mean edge length")]
    BadCellSize {
        /// What was given.
        cell_size: f64,
    },
    /// No slot, or too many.
    #[error("a table of {table_size} slots: give from 1 to {max}, such as twice the vertices")]
    BadTableSize {
        /// What was given.
        table_size: usize,
        /// How many slots there may be.
        max: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has coordinates {position}: give finite numbers")]
    NotFinite {
        /// The vertex.
        vertex: usize,
        /// What it holds.
        position: Vec3,
    },
    /// A tetrahedron names a vertex that is not there.
    #[error(
        "tetrahedron {tet} names vertex {index}, but the number of vertices is {count}: indices start at 0, give a smaller one"
    )]
    IndexOutOfRange {
        /// The tetrahedron.
        tet: usize,
        /// The index it names.
        index: u32,
        /// How many vertices there are.
        count: usize,
    },
    /// More vertices or tetrahedra than are counted.
    #[error("a body of {count} {what}, more than {max}: split it")]
    TooLarge {
        /// `"vertices"` or `"tetrahedra"`.
        what: &'static str,
        /// How many.
        count: usize,
        /// How many are allowed.
        max: usize,
    },
}
