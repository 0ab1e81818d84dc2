//! Registration: which entities are in which cell, and which cells know of them.
//!
//! In: a map of many levels with positions, entities over tracked points (particles, edges, triangles), targets. Out:
//! for each cell the entities present in it and those present in its neighbours; after moves, refinement and coarsening
//! too.
//! Method: S4 chapters 5 and 6. Each point is tracked from cell to cell ([`track`](crate::track)). A particle is
//! present in the one cell of its point; an edge in the cells that a probe touches on the way from one end to the other
//! ([`Probe`](crate::track::Probe)); a triangle in the cells of its sides and, as an option that S4 does not have, in
//! those that only its inside meets. Two cells are neighbours if they share a vertex. Each cell keeps the entities
//! present in it and those present in neighbours but not in itself, so that whoever is in a cell reads its surroundings
//! in constant time. Lists change only when a point changes its cell; what a cell's neighbours are is kept from its
//! first registration on. Where ours differs from S4: a particle that changes its cell is taken out of the lists of
//! cells it leaves only, and put into those of cells it comes to only (S4 §5.2 takes it out of all and puts it into
//! all); entities may be registered at a coarser level than their cells (S4 "perspectives", §2.1), in all cells that
//! one cell of that level became; where a probe meets the border of the map it is sent from the other end too;
//! particles come first in lists. Cells are convex in the plane ([`Plane`]) and in space ([`Convex`]),
//! star-shaped ([`Star`]), or faces of a surface ([`Surface`]); the latter two deform.
//!
//! Guarantees: the four properties of S4 §5.1, which [`Environment::validate`] asks with every fault: (1) an entity is
//! in the present list of every cell that it is in, (2) and of no other, (3) and in the neighbour list of every
//! neighbour of these, and of no other; (4) every point is in the cell of its dart. Refinement keeps cells exactly
//! convex ([`Plane`], [`Convex`]) or star-shaped ([`Star`]), or is refused. Same calls, same lists in the same
//! order. An operation that fails changes nothing.
//! Cost: a move O(cells on the way), independent of the size of the map; a change of cell O(entities of the lists
//! left); neighbours O(1) for a particle, O(cells it is in) for others; refining and coarsening O(entities round the
//! cell).

mod adapt;
mod dry_run;
mod entities;
mod environment;
mod extent;
mod geometry;
mod lists;
mod nested;
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

/// Why something is not registered, moved, refined or coarsened. The environment is then as it was.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RegistrationError {
    /// There is no such cell.
    #[error("cell {cell} is not in the map: cells change their numbers when they are refined and coarsened")]
    NoCell {
        /// What was given.
        cell: u32,
    },
    /// There is no such entity.
    #[error("entity {} is not registered", entity.0)]
    NoEntity {
        /// What was given.
        entity: EntityId,
    },
    /// There is no such point.
    #[error("point {} is not of any entity", point.0)]
    NoPoint {
        /// What was given.
        point: PointId,
    },
    /// A point that is in no cell.
    #[error("point {index} is outside the map, {distance} from its border")]
    Outside {
        /// Its place among those given.
        index: usize,
        /// How far it is, in the unit of the positions.
        distance: f64,
    },
    /// An element over points that were not given.
    #[error("element {element} is over point {point}, and {count} points were given")]
    BadElement {
        /// Its place among those given.
        element: usize,
        /// The point it names.
        point: u32,
        /// How many there are.
        count: usize,
    },
    /// A point that no element is over could not be kept.
    #[error("point {index} is of no element: name it in one, or leave it out")]
    UnusedPoint {
        /// Its place among those given.
        index: usize,
    },
    /// More than numbers.
    #[error("there would be {count} entities or points, more than {max}")]
    TooMany {
        /// How many.
        count: usize,
        /// How many there can be.
        max: usize,
    },
    /// A position that is not a point.
    #[error("the position of vertex {vertex} is not finite or larger than {max}")]
    BadPosition {
        /// The vertex.
        vertex: usize,
        /// The largest coordinate there can be.
        max: f64,
    },
    /// Cells that particles cannot be tracked in.
    #[error("{} cells cannot be tracked in, the first: {}", faults.len(), faults[0])]
    BadCells {
        /// All of them.
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
    /// A distance that is none.
    #[error("the radius is {radius}: give a finite number that is not negative")]
    BadRadius {
        /// What was given.
        radius: f64,
    },
    /// A point is not tracked.
    #[error(transparent)]
    Track(#[from] TrackError),
    /// A cell is not refined or coarsened.
    #[error(transparent)]
    Multires(#[from] MultiresError),
}

/// No entity and no point have this number.
const NONE: u32 = u32::MAX;
