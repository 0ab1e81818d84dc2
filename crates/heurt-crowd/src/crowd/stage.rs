//! Stages of a step of a crowd.

/// A stage of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum CrowdStage {
    /// Agents look where to go.
    Paths,
    /// Agents find what is near and choose a velocity; velocities are made free of overlaps.
    Choices,
    /// Edges of bodies are moved and registered.
    Bodies,
    /// The places of all agents are moved and registered; those at their exit leave.
    Agents,
    /// Cells follow the density of agents.
    Cells,
    /// Agents are sorted by cell.
    Order,
}

impl CrowdStage {
    /// All stages, in the order of a step.
    pub const ALL: [Self; 6] = [Self::Paths, Self::Choices, Self::Bodies, Self::Agents, Self::Cells, Self::Order];
}
