//! Faults of agents that fly, each with its group and place.

use heurt_geometry::{ShortNumber, ShortPlace, Vec3};
use thiserror::Error;

/// A reason why agents cannot fly.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SpaceFault {
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
    /// A radius or speed that is none.
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
    /// Agents for which the cells of the room are too small.
    #[error(
        "group `{group}`: its radius is {} m, and a cell is {} m wide: give cells at least four times as wide as the \
         radius", ShortNumber(*radius), ShortNumber(*width)
    )]
    TooLarge {
        /// The group.
        group: String,
        /// The radius, in metres.
        radius: f64,
        /// Width of a cell, in metres.
        width: f64,
    },
    /// A place outside the room, or with less room than the radius at a wall.
    #[error(
        "group `{group}`: agent {agent} at {} is not in the room with its whole radius: place it inside",
        ShortPlace(*place)
    )]
    Outside {
        /// The group.
        group: String,
        /// The agent, within its group.
        agent: usize,
        /// Its place.
        place: Vec3,
    },
    /// A goal outside the room.
    #[error(
        "group `{group}`: the goal of agent {agent} at {} is not in the room with its whole radius: \
         give a larger room", ShortPlace(*place)
    )]
    GoalOutside {
        /// The group.
        group: String,
        /// The agent, within its group.
        agent: usize,
        /// Its goal.
        place: Vec3,
    },
    /// Two agents that overlap.
    #[error(
        "group `{group}`: agent {agent} at {} overlaps agent {other} of group `{other_group}` by {depth:.3} m: \
         place them further from each other", ShortPlace(*place)
    )]
    OverEachOther {
        /// The group.
        group: String,
        /// The agent, within its group.
        agent: usize,
        /// Its place.
        place: Vec3,
        /// The group of the agent that came first.
        other_group: String,
        /// The agent that came first, within its group.
        other: usize,
        /// How deep they overlap, in metres.
        depth: f64,
    },
}

impl SpaceFault {
    /// Returns the group of a fault; `None` for one of the whole crowd.
    pub fn group(&self) -> Option<&str> {
        match self {
            Self::BadSetting { .. } => None,
            Self::BadNumber { group, .. }
            | Self::TooLarge { group, .. }
            | Self::Outside { group, .. }
            | Self::GoalOutside { group, .. }
            | Self::OverEachOther { group, .. } => Some(group),
        }
    }
}
