//! Layers of a crowd, by name.

use heurt_geometry::Meaning;

/// Something that a view of a crowd shows next to agents and floor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CrowdLayer {
    /// The edges of cells, by their level.
    Cells,
    /// The velocity of each agent: the distance of one second.
    Velocities,
    /// The paths of the chosen agents to their next goals.
    Paths,
    /// The cells that the chosen agents are in, and the cells next to them.
    Neighbours,
    /// The distance up to which agents keep others off, with the model `bubbles`.
    Bubbles,
    /// The edges ahead of agents with outlines.
    Ahead,
}

impl CrowdLayer {
    /// All layers, in the order in which lists have them.
    pub const ALL: [Self; 6] =
        [Self::Cells, Self::Velocities, Self::Paths, Self::Neighbours, Self::Bubbles, Self::Ahead];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cells => "cells",
            Self::Velocities => "velocities",
            Self::Paths => "paths",
            Self::Neighbours => "neighbours",
            Self::Bubbles => "bubbles",
            Self::Ahead => "ahead",
        }
    }

    /// Returns what the colours of the layer mean.
    pub fn legend(self) -> &'static [(Meaning, &'static str)] {
        match self {
            Self::Cells => &[(Meaning::Level(0), "cell, darker with its level")],
            Self::Velocities => &[(Meaning::Velocity, "velocity, 1 s")],
            Self::Paths => &[(Meaning::Path, "path")],
            Self::Neighbours => &[(Meaning::Present, "cell of the agent"), (Meaning::Ring, "cells around it")],
            Self::Bubbles => &[(Meaning::Reach, "bubble")],
            Self::Ahead => &[(Meaning::Swept, "edge ahead of a body")],
        }
    }

    /// Finds a layer by its name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layer| layer.name() == name)
    }
}
