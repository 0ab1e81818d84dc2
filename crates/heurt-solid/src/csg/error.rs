//! Errors of trees: of maps, bounds, exact evaluation and texts.

use crate::half_space::HalfSpaceError;
use crate::polytope::PolytopeError;
use thiserror::Error;

/// Errors of trees of set operations.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CsgError {
    /// A map with a number that is NaN or infinite.
    #[error("the map holds a number that is not finite: give finite numbers")]
    NotFinite,
    /// A map without an inverse.
    #[error("the map has no inverse, its scaled determinant is {determinant}: give a matrix that keeps volume above 0")]
    Singular {
        /// The determinant after the matrix was scaled by a power of two to entries near 1.
        determinant: f64,
    },
    /// No finite box of the solid is proved.
    #[error("no bounds of the solid could be proved: intersect it with a bounded shape")]
    Unbounded,
    /// A leaf that exact evaluation cannot represent by planes.
    #[error("leaf {leaf} is {kind}, which has no exact planes: replace it by a convex polyhedron")]
    NotPolyhedral {
        /// The position of the leaf among the nodes.
        leaf: usize,
        /// The kind of the leaf.
        kind: &'static str,
    },
    /// More pieces than the limit.
    #[error("the evaluation needs more than {max} convex pieces: simplify the tree")]
    TooManyPieces {
        /// The limit.
        max: usize,
    },
    /// A polytope of a leaf or of a result.
    #[error(transparent)]
    Polytope(#[from] PolytopeError),
    /// A half-space of a leaf.
    #[error(transparent)]
    HalfSpace(#[from] HalfSpaceError),
}
