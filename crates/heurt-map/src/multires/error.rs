//! Why a cell is not refined or coarsened, and what can be wrong with a multiresolution map.

use crate::{Dart, EditError, MapFault};
use thiserror::Error;

/// Why a change of resolution is refused. The map is then as it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MultiresError {
    /// The dart cannot be used, or there is no room.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The cell was there from the start.
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
        /// Its face's edges.
        edges: usize,
    },
    /// The scheme states nothing about this kind of volume.
    #[error(
        "the volume of dart {} has {triangles} triangles among {faces} faces and is no tetrahedron, prism or pyramid: \
         take `Scheme::Quads`, which takes all polyhedra", dart.0
    )]
    NoScheme {
        /// The dart.
        dart: Dart,
        /// Its faces.
        faces: usize,
        /// How many are triangles.
        triangles: usize,
    },
    /// Two faces share two edges, or an edge has one face on both sides.
    #[error("the volume of dart {} touches itself: only polyhedra can be refined", dart.0)]
    Degenerate {
        /// The dart.
        dart: Dart,
    },
    /// A level has to have all darts of the one before.
    #[error("dart {} of the level before is missing: levels may only add darts", dart.0)]
    DartMissing {
        /// The dart.
        dart: Dart,
    },
    /// A dart cannot come to the boundary, nor leave it, between levels.
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
    /// The map at a level is no map.
    #[error("at level {level}: {fault}")]
    Map {
        /// The level.
        level: u8,
        /// What is wrong there.
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
        /// Darts of this level.
        found: usize,
        /// Those counted.
        counted: usize,
    },
}
