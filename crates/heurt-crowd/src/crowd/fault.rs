//! Faults of a crowd: agents and goals that cannot be, each with its group and place.

use heurt_geometry::Vec2;
use thiserror::Error;

/// A reason why a crowd cannot begin.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CrowdFault {
    /// A radius, speed or time that is none.
    #[error("group `{group}`: its {what} is {value}: give {expected}")]
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
    #[error("group `{group}`: agent {agent} at ({}, {}) is not on the floor: place it inside", place.x, place.y)]
    Outside {
        /// The group.
        group: String,
        /// The agent, within its group.
        agent: usize,
        /// Its place.
        place: Vec2,
    },
    /// A disc that reaches into a wall.
    #[error(
        "group `{group}`: agent {agent} at ({}, {}) is {distance:.3} m from a wall, less than its radius of {radius} m: \
         move it away, or give a smaller radius", place.x, place.y
    )]
    InWall {
        /// The group.
        group: String,
        /// The agent, within its group.
        agent: usize,
        /// Its place.
        place: Vec2,
        /// Its distance from the wall, in metres.
        distance: f64,
        /// Its radius, in metres.
        radius: f64,
    },
    /// Two discs that overlap.
    #[error(
        "group `{group}`: agent {agent} at ({}, {}) overlaps agent {other} of group `{other_group}` by {depth:.3} m: \
         place them further from each other", place.x, place.y
    )]
    OverEachOther {
        /// The group.
        group: String,
        /// The agent, within its group.
        agent: usize,
        /// Its place.
        place: Vec2,
        /// The group of the agent that came first.
        other_group: String,
        /// The agent that came first.
        other: usize,
        /// How deep they overlap, in metres.
        depth: f64,
    },
    /// An area that has no room for all agents.
    #[error(
        "group `{group}`: only {found} of {count} agents of radius {radius} m have room in the start area, {area:.2} m² \
         around ({:.2}, {:.2}): give a larger area or fewer agents", near.x, near.y
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
        near: Vec2,
    },
    /// Agents that fit nowhere on the floor.
    #[error("group `{group}`: agents of radius {radius} m fit nowhere on the floor: give a smaller radius")]
    TooLarge {
        /// The group.
        group: String,
        /// The radius, in metres.
        radius: f64,
    },
    /// A goal where no agent can be.
    #[error(
        "group `{group}`: goal {goal}, around ({:.2}, {:.2}), has no place for the centre of an agent of radius \
         {radius} m: it is in a wall or obstacle, outside the floor, or narrower than the agent; move or widen it",
        near.x, near.y
    )]
    GoalInObstacle {
        /// The group.
        group: String,
        /// The goal, from 0.
        goal: usize,
        /// Its middle.
        near: Vec2,
        /// The radius of the agents, in metres.
        radius: f64,
    },
    /// A goal on a floor with too many corners for shortest paths.
    #[error(
        "group `{group}`: the paths to goal {goal}, around ({:.2}, {:.2}), have too many bends to be found: simplify the \
         plan, or cut out a part", near.x, near.y
    )]
    TooIntricate {
        /// The group.
        group: String,
        /// The goal, from 0.
        goal: usize,
        /// Its middle.
        near: Vec2,
    },
    /// A goal that no path leads to.
    #[error(
        "group `{group}`: no passage wider than {width} m leads agent {agent} from ({:.2}, {:.2}) to goal {goal}, \
         around ({:.2}, {:.2}): open one, or choose another goal", place.x, place.y, near.x, near.y
    )]
    Unreachable {
        /// The group.
        group: String,
        /// The first such agent, within its group.
        agent: usize,
        /// The place of the agent.
        place: Vec2,
        /// The goal, from 0.
        goal: usize,
        /// Its middle.
        near: Vec2,
        /// Diameter of the agents, in metres.
        width: f64,
    },
}
