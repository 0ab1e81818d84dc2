//! Settings of a crowd, and which of their values are legal; how large cells are.

use super::fault::CrowdFault;
use super::model::SteeringModel;
use crate::steer::{Orca, PassingSide};

/// The largest value of a setting: no crowd has more.
const MOST: f64 = 1e3;

/// The shortest time between two comparisons of paths, in seconds: people look around less often.
const SHORTEST_REPLAN: f64 = 0.1;

/// The least side of cells, in metres: as of the finest cells that follow the density.
const LEAST_CELL: f64 = 0.25;

/// How large the cells are that agents are registered in.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum CellPolicy {
    /// Cells follow the density of agents: from triangles of at most 64 m² down to a level with one agent or two.
    #[default]
    Adaptive,
    /// Cells are as large as at the beginning for good: no larger than a square of this side, and than triangles of the
    /// ground. Floors with more than a million such cells have larger ones. Agents see edges of bodies in the cells
    /// next to their own only: finer cells than the model's sight of edges make them see less.
    Fixed {
        /// In metres, 0.25 to 1,000.
        side: f64,
    },
}

/// Settings of a crowd.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct CrowdSettings {
    /// How agents choose their velocities.
    pub model: SteeringModel,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Largest speed as a multiple of the own speed.
    pub panic: f64,
    /// Agents choose among the areas of a goal by the queues before them; else they go to the nearest.
    pub queues: bool,
    /// Time gap to the agent ahead, in seconds: agents choose no speed above their gap divided by it. `None` for no
    /// limit; the collision-free speed model has a time gap of its own, and this one limits it once more.
    pub time_gap: Option<f64>,
    /// The side to which agents step aside for those who come towards them; `None` for the default of the model.
    pub side: Option<PassingSide>,
    /// Persons a metre and second that an exit lets out at most: the last goals of agents. `None` for no limit.
    pub exit_flow: Option<f64>,
    /// Seconds between two comparisons of an agent's shortest path with the quickest one at the densities of people;
    /// `None` for shortest paths. Agents with goals of their own (antipodes) always take the shortest.
    pub replan: Option<f64>,
    /// Seconds that agents with outlines are seen ahead: the length of the edge to the tip of their velocity. 0 for
    /// none.
    pub anticipation: f64,
    /// Discs at rest push agents with outlines off; discs that walk never do: they avoid bodies.
    pub push: bool,
    /// How large cells are.
    pub cells: CellPolicy,
}

impl Default for CrowdSettings {
    /// ORCA, seed 1, at most 1.3 times the own speed (Helbing and Molnár 1995), two
    /// seconds ahead: a person gets clear of a lorry in less.
    fn default() -> Self {
        Self {
            model: SteeringModel::Orca(Orca::default()),
            seed: 1,
            panic: 1.3,
            queues: true,
            time_gap: None,
            side: None,
            exit_flow: None,
            replan: None,
            anticipation: 2.0,
            push: true,
            cells: CellPolicy::Adaptive,
        }
    }
}

impl CrowdSettings {
    /// Replaces values that are none by the defaults; returns a fault for each.
    pub fn replace_faulty(&mut self) -> Vec<CrowdFault> {
        let (mut faults, default) = (Vec::new(), Self::default());
        let mut is_legal = |what, value: f64, least: f64, expected| {
            let is_legal = value > 0.0 && value >= least && value <= MOST;
            if !is_legal {
                faults.push(CrowdFault::BadSetting { what, value, expected });
            }
            is_legal
        };
        if !is_legal("panic", self.panic, 0.0, "more than 0, at most 1,000") {
            self.panic = default.panic;
        }
        if self.anticipation != 0.0 && !is_legal("anticipation", self.anticipation, 0.0, "0 to 1,000 s") {
            self.anticipation = default.anticipation;
        }
        if let CellPolicy::Fixed { side } = self.cells
            && !is_legal("cell side", side, LEAST_CELL, "0.25 m to 1,000 m")
        {
            self.cells = default.cells;
        }
        let optional = [
            (&mut self.time_gap, "time_gap", 0.0, "more than 0 s, at most 1,000 s"),
            (&mut self.exit_flow, "exit_flow", 0.0, "more than 0 persons a metre and second, at most 1,000"),
            (&mut self.replan, "replan", SHORTEST_REPLAN, "at least 0.1 s, at most 1,000 s"),
        ];
        for (setting, what, least, expected) in optional {
            *setting = setting.filter(|&value| is_legal(what, value, least, expected));
        }
        faults
    }
}
