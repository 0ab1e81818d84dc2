//! Errors of work on placed maps.

use crate::dim2::OutlineFault;
use crate::multires::MultiresError;
use crate::registration::RegistrationError;
use crate::track::TrackError;
use crate::{BuildError, EditError};
use thiserror::Error;

/// Errors of work on placed maps.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PlacedMapError {
    /// A cell size that is not a length.
    #[error("the cell size is {size}: give a finite length above 0")]
    BadSize {
        /// The given size.
        size: f64,
    },
    /// A radius that is not a distance.
    #[error("the radius is {radius}: give a finite number that is not negative")]
    BadRadius {
        /// The given radius.
        radius: f64,
    },
    /// A point that is not finite.
    #[error("coordinate {axis} of the point is {value}: give finite numbers")]
    NotFinite {
        /// 0, 1 or 2.
        axis: usize,
        /// The given coordinate.
        value: f64,
    },
    /// More cells than one refinement makes.
    #[error("there would be {count} cells, more than {max}: refine fewer levels or a smaller part")]
    TooManyCells {
        /// Number of cells.
        count: u64,
        /// The greatest number.
        max: usize,
    },
    /// The start of a path is in no cell.
    #[error(
        "the start of the path is outside the map, {distance} from its border: start at {:?} or inside",
        nearest.to_array()
    )]
    StartOutside {
        /// Distance from the border, in the unit of the positions.
        distance: f64,
        /// The nearest point of the border.
        nearest: heurt_geometry::Vec3,
    },
    /// No edge or face has these vertices.
    #[error("no {what} has the vertices {vertices:?}: give {needed} numbers of vertices of one cell, from 0")]
    NoObstacle {
        /// Edge or face.
        what: &'static str,
        /// The given vertices.
        vertices: Vec<u32>,
        /// The number of vertices to give.
        needed: &'static str,
    },
    /// Outlines of a floor that enclose no area.
    #[error("the outlines near {:?} cannot be divided into cells: {}", near.to_array(), faults[0])]
    Outlines {
        /// The first corner of the floor.
        near: heurt_geometry::Vec3,
        /// The faults, at least one.
        faults: Vec<OutlineFault>,
    },
    /// Cells are no partition.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A map could not be made.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A path could not be followed.
    #[error(transparent)]
    Track(#[from] TrackError),
    /// A cell could not be refined.
    #[error(transparent)]
    Multires(#[from] MultiresError),
    /// Points could not be registered.
    #[error(transparent)]
    Registration(#[from] RegistrationError),
}

/// Checks that a point is finite.
pub(super) fn check_point(point: heurt_geometry::Vec3) -> Result<(), PlacedMapError> {
    match point.to_array().into_iter().enumerate().find(|(_, value)| !value.is_finite()) {
        Some((axis, value)) => Err(PlacedMapError::NotFinite { axis, value }),
        None => Ok(()),
    }
}

/// Checks that a radius is a distance.
pub(super) fn check_radius(radius: f64) -> Result<(), PlacedMapError> {
    if radius.is_finite() && radius >= 0.0 { Ok(()) } else { Err(PlacedMapError::BadRadius { radius }) }
}
