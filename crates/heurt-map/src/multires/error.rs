//! Errors of refining and coarsening, and faults of a multiresolution map.

use crate::{Dart, EditError, MapFault};
use thiserror::Error;

/// Errors of a change of resolution. The map stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MultiresError {
    /// The dart cannot be used, or there is no room.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The cell is of level 0.
    #[error("the cell of dart {} is of level 0: there is nothing coarser", dart.0)]
    LevelZero {
        /// The dart.
        dart: Dart,
    },
    /// A cell that would be merged is refined itself.
    #[error("beside the cell of dart {}, dart {} is of a finer cell of the same parent: coarsen that one first", dart.0, finer.0)]
    ChildRefined {
        /// The dart.
        dart: Dart,
        /// A dart of the finer cell.
        finer: Dart,
    },
    /// Levels have small numbers.
    #[error("the cell of dart {} is of level {level}, the finest there can be", dart.0)]
    TooDeep {
        /// The dart.
        dart: Dart,
        /// Its cell's level.
        level: u8,
    },
    /// A face of one or two edges.
    #[error("the face of dart {} has {edges} edges: only faces of three or more can be refined", dart.0)]
    TooFewEdges {
        /// The dart.
        dart: Dart,
        /// Number of edges of its face.
        edges: usize,
    },
    /// The scheme has no rule for this kind of volume.
    #[error(
        "the volume of dart {} has {triangles} triangles among {faces} faces and is no tetrahedron, prism or pyramid: \
         take `Scheme::Quads`, which takes all polyhedra", dart.0
    )]
    NoScheme {
        /// The dart.
        dart: Dart,
        /// Number of faces.
        faces: usize,
        /// Number of triangles.
        triangles: usize,
    },
    /// Two faces share two edges, or an edge has one face on both sides.
    #[error("the volume of dart {} touches itself: only polyhedra can be refined", dart.0)]
    Degenerate {
        /// The dart.
        dart: Dart,
    },
    /// A level has to have all darts of the previous level.
    #[error("dart {} of the level before is missing: levels may only add darts", dart.0)]
    DartMissing {
        /// The dart.
        dart: Dart,
    },
    /// A dart is of the boundary at one level and not at the next.
    #[error("dart {} is of the boundary at one level and not at the next", dart.0)]
    BoundaryMoved {
        /// The dart.
        dart: Dart,
    },
}

/// One violated constraint of a multiresolution map.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LevelFault {
    /// The links at a level violate the constraints of a map.
    #[error("at level {level}: {fault}")]
    Map {
        /// The level.
        level: u8,
        /// The fault at this level.
        fault: MapFault,
    },
    /// The darts of an edge or face have different labels.
    #[error("dart {} and the one across have different labels", dart.0)]
    Label {
        /// The dart.
        dart: Dart,
    },
    /// A level does not have as many darts as counted.
    #[error("level {level} brought {found} darts, and {counted} are counted")]
    Count {
        /// The level.
        level: u8,
        /// Number of darts of this level.
        found: usize,
        /// Number counted.
        counted: usize,
    },
}
