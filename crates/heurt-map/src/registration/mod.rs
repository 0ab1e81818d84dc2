//! Registration: for each cell the entities in it and the entities in its neighbours.
//!
//! In: a map of many levels with positions, entities over tracked points (particles, edges, triangles), targets. Out:
//! for each cell the entities present in it and those present in its neighbours; after moves, refinement and coarsening
//! too.
//! Method: S4 chapters 5 and 6. Each point is tracked from cell to cell ([`track`](crate::track)). A particle is
//! present in the cell of its point. An edge is present in the cells that a probe touches between its ends
//! ([`Probe`](crate::track::Probe)). A triangle is present in the cells of its sides and, as an option that S4 does not
//! have, in the cells that only its inside meets. Two cells are neighbours if they share a vertex. Each cell keeps the
//! entities present in it and those present in neighbours but not in itself, so that an entity in a cell reads its
//! surroundings in constant time. Lists change only when a point changes its cell; the neighbours of a cell are kept
//! from its first registration on.
//! Differences from S4: a particle that changes its cell is removed only from the lists of cells it leaves, and added
//! only to the lists of cells it comes to (S4 §5.2 removes it from all and adds it to all). Entities may be registered
//! at a coarser level than their cells (S4 "perspectives", §2.1), in all cells that one cell of that level became. If a
//! probe meets the border of the map, a second probe starts from the opposite end. Particles come first in lists. Cells
//! are convex in the plane ([`Plane`]) and in space ([`Convex`]), star-shaped ([`Star`]), or faces of a surface
//! ([`Surface`]); the latter two deform.
//!
//! Guarantees: the four properties of S4 §5.1, which [`Environment::validate`] tests and reports with every fault: (1)
//! an entity is in the present list of every cell that it is in, (2) and of no other, (3) and in the neighbour list of
//! every neighbour of these, and of no other; (4) every point is in the cell of its dart. Refinement keeps cells
//! exactly convex ([`Plane`], [`Convex`]) or star-shaped ([`Star`]), or is refused. Same calls, same lists in the same
//! order. An operation that fails changes nothing.
//! Cost: a move O(cells on the path), independent of the size of the map; a change of cell O(entities of the lists
//! left); neighbours O(1) for a particle, O(cells it is in) for edges and triangles; refining and coarsening O(entities
//! around the cell).

mod adapt;
mod dry_run;
mod entities;
mod environment;
mod extent;
mod geometry;
mod lists;
mod nested;
mod plan;
mod proximity;
mod resolution;
mod sectors;
mod siblings;
mod star;
mod surface;
mod validate;

pub use adapt::{Adapted, CellFacts, Criterion, Density};
pub use entities::{Element, RegistrationMode};
pub use environment::{Environment, Moved, MovedAll, RegistrationCounts};
pub use geometry::{Convex, Geometry, Plane};
pub use plan::PlannedMove;
pub use proximity::{Surroundings, Visit};
pub use resolution::CellChange;
pub use star::Star;
pub use surface::{Surface, SurfacePoint};
pub use validate::RegistrationFault;

use crate::multires::MultiresError;
use crate::track::{CellFault, TrackError};
use thiserror::Error;

/// The number of an entity. Numbers of entities that are gone are used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityId(pub u32);

/// The number of a tracked point of one or several entities. Numbers of points that are gone are used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PointId(pub u32);

/// Faces of the plane, with entities in them.
pub type PlaneEnvironment = Environment<2, Plane>;

/// Convex volumes with plane faces, with entities in them.
pub type ConvexEnvironment = Environment<3, Convex>;

/// Star-shaped volumes that deform, with entities in them.
pub type StarEnvironment = Environment<3, Star>;

/// Faces of a surface in space, with entities on them.
pub type SurfaceEnvironment = Environment<2, Surface>;

/// Errors of registering, moving, refining and coarsening. The environment stays as it was.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RegistrationError {
    /// There is no such cell.
    #[error("cell {cell} is not in the map: cells change their numbers when they are refined and coarsened")]
    NoCell {
        /// The given cell.
        cell: u32,
    },
    /// There is no such entity.
    #[error("entity {} is not registered", entity.0)]
    NoEntity {
        /// The given entity.
        entity: EntityId,
    },
    /// There is no such point.
    #[error("point {} is not of any entity", point.0)]
    NoPoint {
        /// The given point.
        point: PointId,
    },
    /// A point that is in no cell.
    #[error("point {index} is outside the map, {distance} from its border")]
    Outside {
        /// Its place among the given positions.
        index: usize,
        /// Distance from the border, in the unit of the positions.
        distance: f64,
    },
    /// An element over points that were not given.
    #[error("element {element} is over point {point}, and {count} points were given")]
    BadElement {
        /// Its place among the given elements.
        element: usize,
        /// The point that the element refers to.
        point: u32,
        /// Number of points given.
        count: usize,
    },
    /// A point that no element is over could not be kept.
    #[error("point {index} is of no element: name it in one, or leave it out")]
    UnusedPoint {
        /// Its place among the given positions.
        index: usize,
    },
    /// More entities or points than numbers.
    #[error("there would be {count} entities or points, more than {max}")]
    TooMany {
        /// Number of entities or points.
        count: usize,
        /// The greatest number.
        max: usize,
    },
    /// A position that is not a point.
    #[error("the position of vertex {vertex} is not finite or larger than {max}")]
    BadPosition {
        /// The vertex.
        vertex: usize,
        /// The largest allowed coordinate.
        max: f64,
    },
    /// Cells that particles cannot be tracked in.
    #[error("{} cells cannot be tracked in, the first: {}", faults.len(), faults[0])]
    BadCells {
        /// The faults of all these cells.
        faults: Vec<CellFault>,
    },
    /// Refined further, the middles of edges could not be represented any more.
    #[error("cell {cell} is of level {level}, the finest at which edges stay straight exactly")]
    TooFine {
        /// The cell.
        cell: u32,
        /// Its level.
        level: u8,
    },
    /// Its pieces would not have plane faces.
    #[error("the face of dart {} of cell {cell} is no triangle and no parallelogram: its pieces would not be plane", dart.0)]
    NotParallel {
        /// The cell.
        cell: u32,
        /// A dart of the face.
        dart: crate::Dart,
    },
    /// A radius that is not a distance.
    #[error("the radius is {radius}: give a finite number that is not negative")]
    BadRadius {
        /// The given radius.
        radius: f64,
    },
    /// A point is not tracked.
    #[error(transparent)]
    Track(#[from] TrackError),
    /// A cell is not refined or coarsened.
    #[error(transparent)]
    Multires(#[from] MultiresError),
}

/// The number of no entity and no point.
const NONE: u32 = u32::MAX;
