//! Errors of surface patches: of documents, of data, of tessellation. Patches are counted from 0.

use heurt_mesh::MeshError;
use thiserror::Error;

/// Errors of surface patches.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PatchError {
    /// The text is no document of patches.
    #[error("the document of patches cannot be read: {message}: see docs/solids.md for the format")]
    Document {
        /// The message of the JSON reader, with line and column.
        message: String,
    },
    /// There is no patch.
    #[error("the document has no patch: give at least one")]
    NoPatches,
    /// The error of one patch of a document.
    #[error("patch {patch}: {error}")]
    Patch {
        /// The index of the patch.
        patch: usize,
        /// Its error.
        error: Box<PatchError>,
    },
    /// The degree is out of range.
    #[error("the degree along {axis} is {degree}: give 1 to {}", super::MAX_DEGREE)]
    Degree {
        /// `u` or `v`.
        axis: char,
        /// The degree.
        degree: usize,
    },
    /// The rows have different lengths.
    #[error("row {row} has {found} {items}, and the first row of points has {expected}: give rows of equal length")]
    Rows {
        /// The items: control points or weights.
        items: &'static str,
        /// The row.
        row: usize,
        /// Its length.
        found: usize,
        /// The length of row 0.
        expected: usize,
    },
    /// There are fewer control points than the degree needs.
    #[error("degree {degree} along {axis} needs at least {} control points, and there are {found}: give more", degree + 1)]
    Few {
        /// `u` or `v`.
        axis: char,
        /// The degree.
        degree: usize,
        /// The number of control points.
        found: usize,
    },
    /// The number of knots does not match the control points and the degree.
    #[error("{found} control points of degree {degree} along {axis} need {expected} knots, and there are {knots}")]
    Count {
        /// `u` or `v`.
        axis: char,
        /// The number of knots.
        knots: usize,
        /// The degree.
        degree: usize,
        /// The number of knots that they need.
        expected: usize,
        /// The number of control points.
        found: usize,
    },
    /// The weights have not the shape of the control points.
    #[error("there are {found} rows of weights and {expected} rows of control points: give one weight per point")]
    WeightRows {
        /// The number of rows of weights.
        found: usize,
        /// The number of rows of control points.
        expected: usize,
    },
    /// A knot is smaller than the knot before it, or not finite.
    #[error("knot {index} along {axis} is {knot:?}: give finite knots in ascending order")]
    Knot {
        /// `u` or `v`.
        axis: char,
        /// The index of the knot.
        index: usize,
        /// The knot.
        knot: f64,
    },
    /// The knots do not begin and end with `degree` + 1 equal knots, or an inner knot is repeated too often.
    #[error(
        "the knots along {axis} repeat {knot:?} {times} times: repeat the first and the last knot {} times, inner knots at most {degree} times",
        degree + 1
    )]
    Multiplicity {
        /// `u` or `v`.
        axis: char,
        /// The knot.
        knot: f64,
        /// How often it is there.
        times: usize,
        /// The degree.
        degree: usize,
    },
    /// A control point or weight is out of range.
    #[error("{item} {row}, {column} is {value:?}: give {legal}")]
    Value {
        /// Control point or weight.
        item: &'static str,
        /// The index along u.
        row: usize,
        /// The index along v.
        column: usize,
        /// The value.
        value: f64,
        /// The legal range in words.
        legal: &'static str,
    },
    /// The parameter is outside the patch.
    #[error("the parameter along {axis} is {value:?}: give {low:?} to {high:?}")]
    Parameter {
        /// `u` or `v`.
        axis: char,
        /// The parameter.
        value: f64,
        /// The first knot.
        low: f64,
        /// The last knot.
        high: f64,
    },
    /// The tolerance is not positive, or smaller than the rounding of coordinates.
    #[error("the tolerance is {tolerance:?} m: give more than the rounding of the coordinates, {least:.1e} m")]
    Tolerance {
        /// The tolerance in metres.
        tolerance: f64,
        /// The bound of the rounding in metres.
        least: f64,
    },
    /// The mesh would have too many triangles.
    #[error("the tolerance {tolerance:e} m needs {triangles} triangles, more than {max}: give a larger tolerance")]
    TooManyTriangles {
        /// The tolerance in metres.
        tolerance: f64,
        /// The number of triangles.
        triangles: u64,
        /// The limit.
        max: u64,
    },
    /// All patches are points or lines.
    #[error("the mesh of the patches: {0}")]
    Mesh(#[from] MeshError),
}
