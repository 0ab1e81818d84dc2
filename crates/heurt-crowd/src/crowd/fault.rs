//! Faults of a crowd: agents and goals that cannot be, each with its group and place.

use heurt_geometry::{Counted, ShortNumber, ShortPlace, Vec3};
use std::fmt;
use thiserror::Error;

/// Prints a place: its height only off the height 0.
struct Spot(Vec3);

impl fmt::Display for Spot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Less than the rounding of a place.
        match self.0.z.abs() < 5e-5 {
            true => ShortPlace(self.0.truncate()).fmt(out),
            false => ShortPlace(self.0).fmt(out),
        }
    }
}

/// Names the first of several sections.
fn first_of(sections: usize) -> &'static str {
    if sections > 1 { "first " } else { "" }
}

/// A reason why a crowd cannot begin.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CrowdFault {
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
    /// A radius, speed or time that is none.
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
    /// A place outside the floor.
    #[error(
        "group `{group}`: agent {agent} at {} is not on the floor, or more than 1 m above or below it: place it inside",
        Spot(*place)
    )]
    Outside {
        /// The group.
        group: String,
        /// The agent, within its group.
        agent: usize,
        /// Its place.
        place: Vec3,
    },
    /// A disc that reaches into a wall.
    #[error(
        "group `{group}`: agent {agent} at {} is {distance:.3} m from a wall, less than its radius of {} m: \
         move it away, or give a smaller radius", Spot(*place), ShortNumber(*radius)
    )]
    InWall {
        /// The group.
        group: String,
        /// The agent, within its group.
        agent: usize,
        /// Its place.
        place: Vec3,
        /// Its distance from the wall, in metres.
        distance: f64,
        /// Its radius, in metres.
        radius: f64,
    },
    /// An outline that reaches into a wall.
    #[error(
        "group `{group}`: the outline of agent {agent} at {} crosses or touches a wall: move it away, or give a \
         smaller outline", Spot(*place)
    )]
    OutlineInWall {
        /// The group.
        group: String,
        /// The agent, within its group.
        agent: usize,
        /// Its place.
        place: Vec3,
    },
    /// A body whose first outline does not hold its origin.
    #[error("group `{group}`: its origin (0, 0) is outside of the {}outline: move the corners", first_of(*sections))]
    NoOrigin {
        /// The group.
        group: String,
        /// How many outlines there are.
        sections: usize,
    },
    /// Agents with outlines among persons that are a flow.
    #[error("group `{group}`: agents with outlines are no part of a flow: leave the flow zones out, or the outlines")]
    OutlineInFlow {
        /// The group.
        group: String,
    },
    /// Two agents that overlap.
    #[error(
        "group `{group}`: agent {agent} at {} overlaps agent {other} of group `{other_group}` by {depth:.3} m: \
         place them further from each other", Spot(*place)
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
        /// The agent that came first.
        other: usize,
        /// How deep they overlap, in metres.
        depth: f64,
    },
    /// An area that has no room for all agents.
    #[error(
        "group `{group}`: only {found} of {} of radius {} m {} room in the start area, {area:.2} m² \
         around {}: give a larger area or fewer agents",
        Counted(*count, "agent", "agents"), ShortNumber(*radius), if *count == 1 { "has" } else { "have" }, Spot(*near)
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
        /// Size of the part of the area that is on the floor, in square metres.
        area: f64,
        /// Middle of the area.
        near: Vec3,
    },
    /// Agents that fit nowhere on the floor.
    #[error(
        "group `{group}`: agents of radius {} m fit nowhere on the floor: give a smaller radius",
        ShortNumber(*radius)
    )]
    TooLarge {
        /// The group.
        group: String,
        /// The radius, in metres.
        radius: f64,
    },
    /// A goal where no agent can be.
    #[error(
        "group `{group}`: goal {goal}, around {}, has no place for the centre of an agent of radius \
         {} m: it is in a wall or obstacle, outside the floor, more than 1 m above or below it, or narrower than the \
         agent; move or widen it",
        Spot(*near), ShortNumber(*radius)
    )]
    GoalInObstacle {
        /// The group.
        group: String,
        /// The goal, from 0.
        goal: usize,
        /// Its middle.
        near: Vec3,
        /// The radius of the agents, in metres.
        radius: f64,
    },
    /// A goal on a floor with too many corners for shortest paths.
    #[error(
        "group `{group}`: the paths to goal {goal}, around {}, have too many bends to be found: simplify the \
         plan, or cut out a part", Spot(*near)
    )]
    TooIntricate {
        /// The group.
        group: String,
        /// The goal, from 0.
        goal: usize,
        /// Its middle.
        near: Vec3,
    },
    /// A goal that no path leads to.
    #[error(
        "group `{group}`: no passage wider than {} m leads agent {agent} from {} to goal {goal}, \
         around {}: open one, or choose another goal", ShortNumber(*width), Spot(*place), Spot(*near)
    )]
    Unreachable {
        /// The group.
        group: String,
        /// The first such agent, within its group.
        agent: usize,
        /// The place of the agent.
        place: Vec3,
        /// The goal, from 0.
        goal: usize,
        /// Its middle.
        near: Vec3,
        /// Diameter of the agents, in metres.
        width: f64,
    },
}
