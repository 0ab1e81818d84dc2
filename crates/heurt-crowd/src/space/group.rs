//! Groups of agents that fly, and settings.

use super::fault::SpaceFault;
use super::model::SpaceModel;
use crate::SpeedLaw;
use crate::steer::Bubbles;
use heurt_geometry::Vec3;
use heurt_map::registration::Density;

/// Agents of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct SpaceGroup {
    /// The name, for reports.
    pub name: String,
    /// Their centres at first, in metres.
    pub places: Vec<Vec3>,
    /// Radius of each, in metres; 0 for points.
    pub radius: f64,
    /// Their speeds, in m/s.
    pub speed: SpeedLaw,
    /// Their goals.
    pub goals: SpaceGoals,
    /// How they choose their velocities.
    pub model: SpaceModel,
}

impl SpaceGroup {
    /// Agents with bubbles that go to their antipodes.
    pub fn to_antipodes(name: &str, places: Vec<Vec3>, radius: f64, speed: SpeedLaw) -> Self {
        let (goals, model) = (SpaceGoals::Antipode, SpaceModel::Bubbles(Bubbles::default()));
        Self { name: name.to_owned(), places, radius, speed, goals, model }
    }
}

/// Goals of agents that fly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpaceGoals {
    /// To the mirror image of their place in the centre of the group; there they leave. An agent is there if its step
    /// passes it within its radius, at least 0.1 m.
    Antipode,
    /// On, in the direction of their flight; at first in a random one.
    FlyOn,
    /// Nowhere: they rest where they are.
    None,
}

/// Settings of agents that fly.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SpaceSettings {
    /// Seed of all random numbers.
    pub seed: u64,
    /// Largest speed as a multiple of the own speed.
    pub panic: f64,
    /// Cells with more agents than `most` are refined; eight with no more than `least` together become one. `finest` is
    /// a limit besides the usual one: cells are no narrower than agents see, so that no neighbour is missed.
    pub density: Density,
    /// Cells get as fine as `density` allows, but not narrower than two agents. Agents then do not see those further
    /// than the cells around theirs; the lists are shorter.
    pub sees_next_cells_only: bool,
    /// The most cells refined or made one in a step; the rest waits for the next.
    pub most_changes: usize,
}

impl Default for SpaceSettings {
    /// Seed 1, at most 1.3 times the own speed (Helbing and Molnár 1995), 64 changes of cells a step.
    fn default() -> Self {
        Self {
            seed: 1,
            panic: 1.3,
            density: Density { most: 12, least: 6, finest: 8 },
            sees_next_cells_only: false,
            most_changes: 64,
        }
    }
}

impl SpaceSettings {
    /// Replaces values that are none by the defaults; returns a fault for each.
    pub(super) fn replace_faulty(&mut self) -> Vec<SpaceFault> {
        if (1.0..=10.0).contains(&self.panic) {
            return Vec::new();
        }
        let fault = SpaceFault::BadSetting { what: "panic", value: self.panic, expected: "1 to 10" };
        self.panic = Self::default().panic;
        vec![fault]
    }
}
