//! Room of agents that fly: a box of cubes, or convex volumes.
//!
//! In: a box and the width of a cell, or a map with positions. Out: an environment without agents, and what is known of
//! its widths.
//! Guarantees: in a box, an agent's two lists have every agent nearer than the finest cells are wide. In other volumes
//! neighbours are found by distance.

use super::group::SpaceSettings;
use heurt_geometry::{Aabb, ShortNumber, Vec3};
use heurt_map::multires::ImplicitMap;
use heurt_map::registration::{Convex, ConvexEnvironment, Environment, Geometry, RegistrationError};
use heurt_map::track::ProbeHit;
use heurt_map::{EditError, Map3, grid_positions};
use thiserror::Error;

/// The most cells of a box at first: finer ones come where agents are.
const MAX_CELLS: f64 = 1e6;

/// A room that cannot be.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SpaceRoomError {
    /// A corner or width that is none.
    #[error("the {what} is {}: give {expected}", ShortNumber(*value))]
    BadNumber {
        /// The name of the number.
        what: &'static str,
        /// The value.
        value: f64,
        /// The legal values.
        expected: &'static str,
    },
    /// The map is not built.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// Particles cannot be tracked in the cells.
    #[error(transparent)]
    Registration(#[from] RegistrationError),
}

/// A box of cubes, or convex volumes.
#[derive(Debug, Clone)]
pub struct SpaceRoom {
    pub(super) environment: ConvexEnvironment,
    /// The corners of a box; none of other volumes.
    pub(super) walls: Option<[Vec3; 2]>,
    /// Width of the coarsest cells, in metres.
    width: f64,
}

impl SpaceRoom {
    /// Makes a box of cells `cell` metres wide: along each side as many as fit best, at least one.
    ///
    /// # Errors
    /// Corners that span no box, a width that is none, more than a million cells.
    pub fn of_cubes([low, high]: [Vec3; 2], cell: f64) -> Result<Self, SpaceRoomError> {
        let bad = |what, value, expected| Err(SpaceRoomError::BadNumber { what, value, expected });
        for (a, b) in low.to_array().into_iter().zip(high.to_array()) {
            if !(a.abs() <= 1e6 && b.abs() <= 1e6) {
                let value = if a.abs() <= 1e6 { b } else { a };
                return bad("coordinate of a corner", value, "a number between -1,000,000 and 1,000,000 m");
            }
            if b - a < 1e-3 {
                return bad("width of the room", b - a, "at least 0.001 m, with `low` below `high`");
            }
        }
        if !(cell > 0.0 && cell.is_finite()) {
            return bad("width of a cell", cell, "a number of metres above 0");
        }
        let counts = ((high - low) / cell).round().max(Vec3::ONE);
        let count = counts.x * counts.y * counts.z;
        if count > MAX_CELLS {
            return bad("number of cells", count, "wider cells: at most 1,000,000");
        }
        let width = ((high - low) / counts).min_element();
        let counts = counts.to_array().map(|count| count as u32);
        let map = ImplicitMap::new(Map3::hexahedral_grid(counts)?);
        let environment = Environment::new(map, Convex::new(grid_positions(&Aabb { min: low, max: high }, counts))?)?;
        Ok(Self { environment, walls: Some([low, high]), width })
    }

    /// Takes convex volumes with plane faces, and the positions of their vertices in metres.
    ///
    /// # Errors
    /// Positions that are none or too few, volumes that are not convex.
    pub fn of_volumes(map: Map3, positions: Vec<Vec3>) -> Result<Self, SpaceRoomError> {
        let environment = Environment::new(ImplicitMap::new(map), Convex::new(positions)?)?;
        Ok(Self { environment, walls: None, width: f64::INFINITY })
    }

    /// Returns the environment, without agents.
    pub fn environment(&self) -> &ConvexEnvironment {
        &self.environment
    }

    /// Returns the width of the coarsest cells of a box, in metres; infinity for other volumes.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// Reports whether a ball has room at a place of a box, or its centre is in the volumes.
    pub(super) fn has_room(&self, place: Vec3, radius: f64) -> bool {
        let Some([low, high]) = self.walls else {
            let (geometry, map) = (self.environment.geometry(), self.environment.map().map());
            return matches!(geometry.find(map, place), Ok(ProbeHit::Inside(_)));
        };
        place.cmpge(low + radius).all() && place.cmple(high - radius).all()
    }

    /// Returns the largest coordinate, in metres.
    pub(super) fn extent(&self) -> f64 {
        self.environment.geometry().positions().iter().map(|p| p.abs().max_element()).fold(0.0, f64::max)
    }

    /// Computes the finest level of cells, and how far an agent may go in a step, for agents of a largest radius that
    /// see `reach` far.
    pub(super) fn limits(&self, settings: &SpaceSettings, radius: f64, reach: f64) -> (u8, f64) {
        let finest = settings.density.finest.min(MAX_LEVEL);
        if self.walls.is_none() {
            return (finest, f64::INFINITY);
        }
        // Two agents that touch after a step were nearer than a cell is wide: the lists have both.
        let least = if settings.sees_next_cells_only { 4.0 * radius } else { reach.max(4.0 * radius) };
        let width_at = |level: u8| self.width / f64::from(1_u32 << level);
        let level = (0..=finest).rev().find(|&level| width_at(level) >= least).unwrap_or(0);
        (level, 0.5 * (width_at(level) - 2.0 * radius) * (1.0 - 1e-6))
    }
}

/// The finest level: cells of a thousandth of their first width.
const MAX_LEVEL: u8 = 10;
