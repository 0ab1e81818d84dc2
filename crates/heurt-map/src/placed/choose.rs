//! Choice of the tracker for a placed map, and the cells that it cannot trust.
//!
//! In: a placed map. Out: the kind of cells that it has for trackers, and the faults of single cells.
//! Method: faces of one plane are tracked as convex faces, all further faces as a surface; volumes as convex volumes if
//! each is one, else as volumes that are star-shaped around points of their kernels.
//! Cost: as the trackers' `check`.

use super::{AnyMap, PlacedMap, PlacedMapError};
use crate::track::{CellFault, Centres, StarTracker, SurfaceTracker, Tracker2, Tracker3};
use crate::{CombinatorialMap, Map3, NO_CELL, Orbit};
use heurt_geometry::Vec2;
use std::fmt;

/// How points are followed in the cells of a placed map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellTracking {
    /// Convex faces of a plane: [`Tracker2`].
    Plane,
    /// Faces of a surface in space: [`SurfaceTracker`].
    Surface,
    /// Convex volumes with plane faces: [`Tracker3`].
    Convex,
    /// Star-shaped volumes: [`StarTracker`].
    Star,
}

impl CellTracking {
    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plane => "plane",
            Self::Surface => "surface",
            Self::Convex => "convex",
            Self::Star => "star-shaped",
        }
    }
}

impl fmt::Display for CellTracking {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Plane => "convex faces in the plane",
            Self::Surface => "faces of a surface",
            Self::Convex => "convex volumes",
            Self::Star => "star-shaped volumes",
        })
    }
}

impl PlacedMap {
    /// Chooses the tracker, and lists the cells in which it may lose a particle.
    ///
    /// ```
    /// use heurt_map::placed::{CellTracking, PlacedMap};
    /// let mut map = PlacedMap::grid([2, 2, 2], 1.0)?;
    /// assert_eq!(map.tracking()?, (CellTracking::Convex, vec![]));
    /// map.points[13].x += 0.25; // Bends the faces at the middle.
    /// assert_eq!(map.tracking()?, (CellTracking::Star, vec![]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PlacedMapError::Track`] if there are fewer points than vertices.
    pub fn tracking(&self) -> Result<(CellTracking, Vec<CellFault>), PlacedMapError> {
        match &self.map {
            AnyMap::Faces(map) if self.is_plane() => {
                Ok((CellTracking::Plane, Tracker2::new(map, &self.flat_points())?.check()))
            }
            AnyMap::Faces(map) => Ok((CellTracking::Surface, SurfaceTracker::new(map, &self.points)?.check())),
            AnyMap::Volumes(map) => {
                if Tracker3::new(map, &self.points)?.check().is_empty() {
                    return Ok((CellTracking::Convex, Vec::new()));
                }
                let centres = self.centres(map)?;
                Ok((CellTracking::Star, StarTracker::new(map, &self.points, &centres)?.check()))
            }
        }
    }

    /// Returns the number of the cell that a fault is in; `None` if it is in none.
    pub fn cell_of(&self, fault: &CellFault) -> Option<u32> {
        let number = match *fault {
            CellFault::NotConvexFace { face, .. } => face,
            CellFault::NotConvexVolume { volume, .. }
            | CellFault::NotPlane { volume, .. }
            | CellFault::NotStarShaped { volume, .. } => volume,
            CellFault::NotFinite { dart } => match &self.map {
                AnyMap::Faces(map) => map.id(Orbit::Face, dart),
                AnyMap::Volumes(map) => map.id(Orbit::Volume, dart),
            },
        };
        (number != NO_CELL).then_some(number)
    }

    /// Computes points from which volumes and faces are star-shaped.
    pub(super) fn centres(&self, map: &Map3) -> Result<Centres, PlacedMapError> {
        Ok(Centres::in_kernels(map, &self.points)?)
    }

    /// Returns x and y of the points.
    pub(super) fn flat_points(&self) -> Vec<Vec2> {
        self.points.iter().map(|point| point.truncate()).collect()
    }
}
