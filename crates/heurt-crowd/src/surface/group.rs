//! Groups of agents on curved ground, and settings.

use super::cut::SurfaceCage;
use super::fault::SurfaceFault;
use crate::space::SpaceModel;
use crate::steer::Bubbles;
use crate::{AgentForm, SpeedLaw};
use heurt_geometry::Vec3;
use heurt_map::registration::Density;

/// The longest time that bodies are seen ahead, in seconds.
const MOST_AHEAD: f64 = 1e3;

/// Agents of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceGroup {
    /// The name, for reports.
    pub name: String,
    /// Their places at first.
    pub start: SurfaceStart,
    /// Radius of each, in metres; 0 for points; of agents with outlines the clearance of
    /// their paths.
    pub radius: f64,
    /// The form of each: outlines are laid on the ground round the agent.
    pub form: AgentForm,
    /// A mesh whose cut with the ground at the first place of an agent takes the place of the outline of a rigid or
    /// deforming body; where they do not meet, the outline of the form stays.
    pub cage: Option<SurfaceCage>,
    /// Their speeds, in m/s.
    pub speed: SpeedLaw,
    /// Their goals.
    pub goals: SurfaceGoals,
    /// A goal is reached within this distance along the surface, in metres; by bodies, straight from the outline of the
    /// first section.
    pub within: f64,
    /// How they choose their velocities.
    pub model: SpaceModel,
}

impl SurfaceGroup {
    /// Agents with bubbles that go to targets in order, each reached within 0.5 m.
    pub fn through(name: &str, start: SurfaceStart, radius: f64, speed: SpeedLaw, targets: Vec<Vec3>) -> Self {
        let (goals, model) = (SurfaceGoals::Through(targets), SpaceModel::Bubbles(Bubbles::default()));
        let form = AgentForm::Disc;
        Self { name: name.to_owned(), start, radius, form, cage: None, speed, goals, within: 0.5, model }
    }

    /// Returns how many agents there are.
    pub fn count(&self) -> usize {
        match &self.start {
            SurfaceStart::Places(places) => places.len(),
            SurfaceStart::Anywhere(count) => *count,
        }
    }
}

/// First places of agents on a surface.
#[derive(Debug, Clone, PartialEq)]
pub enum SurfaceStart {
    /// Places in space, in metres: each agent is at the nearest point of the surface, no further than its radius or
    /// 1 mm.
    Places(Vec<Vec3>),
    /// A number of agents over the free surface, all points equally probable, clear of walls and of each other.
    Anywhere(usize),
}

/// Goals of agents on a surface: places in space, each at the nearest point of the surface.
#[derive(Debug, Clone, PartialEq)]
pub enum SurfaceGoals {
    /// To targets, in order. At the last one agents leave.
    Through(Vec<Vec3>),
    /// To targets, in order, again and again. They never leave.
    Rounds(Vec<Vec3>),
    /// Nowhere: they rest where they are.
    None,
}

impl SurfaceGoals {
    /// Returns the targets.
    pub fn targets(&self) -> &[Vec3] {
        match self {
            Self::Through(targets) | Self::Rounds(targets) => targets,
            Self::None => &[],
        }
    }
}

/// Settings of agents on a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SurfaceSettings {
    /// Seed of all random numbers.
    pub seed: u64,
    /// Largest speed as a multiple of the own speed.
    pub panic: f64,
    /// Seconds that bodies are seen ahead: the length of the path to the tip of their velocity. 0 for none.
    pub anticipation: f64,
    /// Cells with more agents than `most` are refined; pieces with no more than `least` together become one. `finest`
    /// is a limit besides the usual one: cells of a usual size are no narrower than agents see.
    pub density: Density,
    /// The most cells refined or made one in a step; the rest waits for the next.
    pub most_changes: usize,
}

impl Default for SurfaceSettings {
    /// Seed 1, at most 1.3 times the own speed (Helbing and Molnár 1995), two seconds ahead as on floors, 64 changes of
    /// cells a step.
    fn default() -> Self {
        Self {
            seed: 1,
            panic: 1.3,
            anticipation: 2.0,
            density: Density { most: 12, least: 6, finest: 8 },
            most_changes: 64,
        }
    }
}

impl SurfaceSettings {
    /// Replaces values that are none by the defaults; returns a fault for each.
    pub(super) fn replace_faulty(&mut self) -> Vec<SurfaceFault> {
        let mut faults = Vec::new();
        let mut check = |what, value: &mut f64, (least, most): (f64, f64), expected, usual| {
            if !(least..=most).contains(value) {
                faults.push(SurfaceFault::BadSetting { what, value: *value, expected });
                *value = usual;
            }
        };
        let usual = Self::default();
        check("panic", &mut self.panic, (1.0, 10.0), "1 to 10", usual.panic);
        check("anticipation", &mut self.anticipation, (0.0, MOST_AHEAD), "0 to 1,000 s", usual.anticipation);
        faults
    }
}
