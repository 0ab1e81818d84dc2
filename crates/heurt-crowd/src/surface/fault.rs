//! Faults of agents on curved ground, each with its group and place.

use heurt_geometry::{ShortNumber, ShortPlace, Vec3};
use heurt_map::geodesic::GeodesicError;
use thiserror::Error;

/// A reason why agents cannot walk on a surface.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SurfaceFault {
    /// A setting that is none; the default takes its place.
    #[error("{what} is {}: give {expected}", ShortNumber(*value))]
    BadSetting {
        /// The name of the setting.
        what: &'static str,
        /// The value.
        value: f64,
        /// The legal values.
        expected: &'static str,
    },
    /// A radius, distance or speed that is none.
    #[error("group `{group}`: its {what} is {}: give {expected}", ShortNumber(*value))]
    BadNumber {
        /// The group.
        group: String,
        /// The name of the number.
        what: &'static str,
        /// The value.
        value: f64,
        /// The legal values.
        expected: &'static str,
    },
    /// A place that is not on the surface.
    #[error(
        "group `{group}`: {what} {number} at {} is {} m from the surface: place it on the surface",
        ShortPlace(*place), ShortNumber(*distance)
    )]
    OffSurface {
        /// The group.
        group: String,
        /// `agent` or `target`.
        what: &'static str,
        /// Its number within its group.
        number: usize,
        /// The place given.
        place: Vec3,
        /// Its distance from the surface, in metres.
        distance: f64,
    },
    /// A place in a building.
    #[error("group `{group}`: {what} {number} at {} is in a building: place it outside", ShortPlace(*place))]
    InBuilding {
        /// The group.
        group: String,
        /// `agent` or `target`.
        what: &'static str,
        /// Its number within its group.
        number: usize,
        /// The place given.
        place: Vec3,
    },
    /// An agent with less room than its radius at a wall.
    #[error(
        "group `{group}`: agent {number} at {} is {} m from a wall: place it at least its radius from walls",
        ShortPlace(*place), ShortNumber(*distance)
    )]
    AtWall {
        /// The group.
        group: String,
        /// Its number within its group.
        number: usize,
        /// Its place.
        place: Vec3,
        /// Its distance from the wall, in metres.
        distance: f64,
    },
    /// A target that no path leads to.
    #[error(
        "group `{group}`: no path wide enough leads from agent {number} at {} to a target at {}: join the parts of the \
         surface, or leave a wider gap between buildings", ShortPlace(*place), ShortPlace(*target)
    )]
    NoWay {
        /// The group.
        group: String,
        /// The agent, within its group.
        number: usize,
        /// Its place.
        place: Vec3,
        /// The target.
        target: Vec3,
    },
    /// Paths to a target are not found.
    #[error("group `{group}`: paths to the target at {} are not found: {error}", ShortPlace(*target))]
    NoPaths {
        /// The group.
        group: String,
        /// The target.
        target: Vec3,
        /// The reason.
        error: GeodesicError,
    },
    /// Two agents that overlap.
    #[error(
        "group `{group}`: agent {number} at {} overlaps agent {other} of group `{other_group}` by {depth:.3} m: \
         place them further from each other", ShortPlace(*place)
    )]
    OverEachOther {
        /// The group.
        group: String,
        /// The agent, within its group.
        number: usize,
        /// Its place.
        place: Vec3,
        /// The group of the agent that came first.
        other_group: String,
        /// The agent that came first, within its group.
        other: usize,
        /// How deep they overlap, in metres.
        depth: f64,
    },
    /// An outline over a wall.
    #[error(
        "group `{group}`: the outline of agent {number} at {} is over a wall: place it further from buildings and \
         borders", ShortPlace(*place)
    )]
    OverWall {
        /// The group.
        group: String,
        /// Its number within its group.
        number: usize,
        /// Its place.
        place: Vec3,
    },
    /// An outline that is too large for the curvature of the ground.
    #[error(
        "group `{group}`: the ground under agent {number} at {} bends by {degrees:.0}° up to its corner at {}: give a \
         smaller outline or sections, or a place where it bends by 45° at most", ShortPlace(*place), ShortPlace(*corner)
    )]
    TooCurved {
        /// The group.
        group: String,
        /// Its number within its group.
        number: usize,
        /// Its place.
        place: Vec3,
        /// The place of the corner.
        corner: Vec3,
        /// The angle between the normals of both places, in degrees.
        degrees: f64,
    },
    /// Agents that find no room.
    #[error(
        "group `{group}`: only {found} of {count} agents of radius {} m find a place on {} m² of free surface: give \
         fewer agents", ShortNumber(*radius), ShortNumber(*area)
    )]
    NoRoom {
        /// The group.
        group: String,
        /// How many found a place.
        found: usize,
        /// How many there should be.
        count: usize,
        /// Their radius, in metres.
        radius: f64,
        /// The free area, in square metres.
        area: f64,
    },
}

impl SurfaceFault {
    /// Returns the group of a fault; `None` for one of the whole crowd.
    pub fn group(&self) -> Option<&str> {
        match self {
            Self::BadSetting { .. } => None,
            Self::BadNumber { group, .. }
            | Self::OffSurface { group, .. }
            | Self::InBuilding { group, .. }
            | Self::AtWall { group, .. }
            | Self::NoWay { group, .. }
            | Self::NoPaths { group, .. }
            | Self::OverEachOther { group, .. }
            | Self::OverWall { group, .. }
            | Self::TooCurved { group, .. }
            | Self::NoRoom { group, .. } => Some(group),
        }
    }
}
