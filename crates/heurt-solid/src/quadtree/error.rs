//! Errors of quadtrees: of roots and polygons, of set operations.

use super::{MAX_QUADTREE_DEPTH, QuadtreeRoot};
use crate::subdivision::NodeLimit;
use heurt_geometry::Vec2;
use thiserror::Error;

/// Errors of quadtrees.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum QuadtreeError {
    /// The depth is too great.
    #[error("the depth is {depth}: choose at most {MAX_QUADTREE_DEPTH}")]
    Depth {
        /// The depth.
        depth: u8,
    },
    /// The root is no square of finite size.
    #[error("the root at {origin} has the edge {edge}: give finite numbers, and an edge above 0")]
    Root {
        /// The least corner.
        origin: Vec2,
        /// The edge in metres.
        edge: f64,
    },
    /// The deepest cells are smaller than coordinates resolve.
    #[error(
        "cells of {cell} m cannot be separated at coordinates up to {max_coordinate} m: choose a depth below {depth}, or move the polygon to the origin"
    )]
    Resolution {
        /// The edge of the deepest cells in metres.
        cell: f64,
        /// The largest coordinate of the root.
        max_coordinate: f64,
        /// The depth.
        depth: u8,
    },
    /// A coordinate is NaN or infinite.
    #[error("point {point} of loop {number} is {position}: give finite numbers")]
    NotFinite {
        /// The loop.
        number: usize,
        /// The point of the loop.
        point: usize,
        /// Its coordinates.
        position: Vec2,
    },
    /// There are too many points.
    #[error("the polygon has {points} points, more than {}: divide it", u32::MAX)]
    TooManyPoints {
        /// The number of points of all loops.
        points: usize,
    },
    /// The cells of the quadtrees differ.
    #[error(
        "the roots differ: {} with edge {} and depth {}, and {} with edge {} and depth {}: build both quadtrees over one root",
        a.origin(), a.edge(), a.depth(), b.origin(), b.edge(), b.depth()
    )]
    RootsDiffer {
        /// The root of the first quadtree.
        a: QuadtreeRoot,
        /// The root of the second quadtree.
        b: QuadtreeRoot,
    },
    /// Too many nodes.
    #[error(transparent)]
    Nodes(#[from] NodeLimit),
}
