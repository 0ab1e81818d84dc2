//! Errors of octrees: of roots and meshes, of set operations, of moves, of codes.

use super::{MAX_DEPTH, OctreeRoot};
use crate::subdivision::NodeLimit;
use heurt_geometry::Vec3;
use heurt_shape::ShapeError;
use thiserror::Error;

/// Errors of construction.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum OctreeError {
    /// The depth is too great.
    #[error("the depth is {depth}: choose at most {MAX_DEPTH}")]
    Depth {
        /// The depth.
        depth: u8,
    },
    /// The root is no cube of finite size.
    #[error("the root at {origin} has the edge {edge}: give finite numbers, and an edge above 0")]
    Root {
        /// The least corner.
        origin: Vec3,
        /// The edge in metres.
        edge: f64,
    },
    /// The deepest cells are smaller than coordinates resolve.
    #[error(
        "cells of {cell} m cannot be separated at coordinates up to {reach} m: choose a depth below {depth}, or move the solid to the origin"
    )]
    Resolution {
        /// The edge of the deepest cells in metres.
        cell: f64,
        /// The largest coordinate of the root.
        reach: f64,
        /// The depth.
        depth: u8,
    },
    /// The mesh is open, so that no point is inside.
    #[error("the mesh of {triangles} triangles is not closed, so it has no inside: close it with `heurt repair`")]
    OpenMesh {
        /// The number of its triangles.
        triangles: usize,
    },
    /// The mesh cannot be queried.
    #[error("the mesh cannot be queried: {0}")]
    Shape(#[from] ShapeError),
    /// Too many nodes.
    #[error(transparent)]
    Nodes(#[from] NodeLimit),
}

/// Errors of set operations.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SetError {
    /// The cells of the octrees differ.
    #[error(
        "the roots differ: {} with edge {} and depth {}, and {} with edge {} and depth {}: build both octrees over one root",
        a.origin(), a.edge(), a.depth(), b.origin(), b.edge(), b.depth()
    )]
    RootsDiffer {
        /// The root of the first octree.
        a: OctreeRoot,
        /// The root of the second octree.
        b: OctreeRoot,
    },
    /// Too many nodes.
    #[error(transparent)]
    Nodes(#[from] NodeLimit),
}

/// Errors of moves.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MoveError {
    /// The solid would leave its root.
    #[error(
        "a shift by {shift:?} cells takes the solid, cells {min:?} to {max:?}, out of its root of {cells} cells per edge: build it over a larger root"
    )]
    LeavesRoot {
        /// The shift in deepest cells.
        shift: [i32; 3],
        /// The least corner of the solid in deepest cells.
        min: [u32; 3],
        /// The greatest corner of the solid in deepest cells.
        max: [u32; 3],
        /// The number of deepest cells along an edge of the root.
        cells: u32,
    },
    /// Too many nodes.
    #[error(transparent)]
    Nodes(#[from] NodeLimit),
}

/// Errors of codes. Positions count bytes of the text from 0.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CodeError {
    /// A character that no code has.
    #[error("byte {position} is {found:?}: {expected}")]
    UnknownCharacter {
        /// The byte at which it begins.
        position: usize,
        /// The character.
        found: char,
        /// The remedy: the text that may be there.
        expected: &'static str,
    },
    /// The text ends within a code.
    #[error("the text ends at byte {position}, before the code does: {expected}")]
    UnexpectedEnd {
        /// The length of the text.
        position: usize,
        /// The remedy: the text that is missing.
        expected: &'static str,
    },
    /// The text goes on after its code.
    #[error("the code is complete before byte {position}: remove what follows")]
    Trailing {
        /// The first byte after the code.
        position: usize,
    },
    /// A cell below the deepest level.
    #[error("byte {position} divides a cell of level {depth}, the deepest: give a root of greater depth")]
    TooDeep {
        /// The byte.
        position: usize,
        /// The depth of the root.
        depth: u8,
    },
    /// A mixed leaf above the deepest level.
    #[error("byte {position} is a mixed leaf of level {level}: divide it with `(` down to level {depth}")]
    MixedAbove {
        /// The byte.
        position: usize,
        /// Its level.
        level: u8,
        /// The depth of the root.
        depth: u8,
    },
    /// A code that does not come after its predecessor, or that overlaps it.
    #[error(
        "the code at byte {position} does not come after the code before it: sort the codes, and keep each cell once"
    )]
    NotAscending {
        /// The byte at which it begins.
        position: usize,
    },
    /// A list of full cells has no place for a mixed leaf.
    #[error("{mixed} leaves are mixed, and a linear code has full cells only: take `lower()` or `upper()` first")]
    MixedLeaves {
        /// The number of mixed leaves.
        mixed: usize,
    },
    /// Too many nodes.
    #[error(transparent)]
    Nodes(#[from] NodeLimit),
}
