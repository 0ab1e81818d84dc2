//! Agents that fly: balls in a box of cubes or in volumes, step by step (S4 §9.1.1).
//!
//! In: a room, groups of agents, settings. Out: positions and velocities after each step; a report.
//! Method: a map of volumes follows the density of agents; each agent is a particle in it. An agent finds neighbours in
//! the two lists of its cell, as S4 does (`sight`). A model chooses a velocity (`model`), which is then made free of
//! overlaps (`separate`). Agents move and are registered where they are.
//! S4 has points; here agents are balls, and no two overlap.
//! Guarantees: no overlap of agents and none with the walls of a box, up to rounding, if none was there at first. The
//! same bits for any number of threads. In other volumes centres stay inside, and balls may reach beyond the border.
//! Not guaranteed: that all agents arrive.
//! Cost: O(agents near an agent) each; a change of a cell costs tens of microseconds, and steps have a limit of them.

mod advance;
mod fault;
mod group;
pub(crate) mod model;
mod places;
mod room;
pub(crate) mod separate;
pub(crate) mod sight;
mod sphere;
mod survey;

pub use fault::SpaceFault;
pub use group::{SpaceGoals, SpaceGroup, SpaceSettings};
pub use model::SpaceModel;
pub use room::{SpaceRoom, SpaceRoomError};
pub use separate::{VelocityHalfSpace, admissible_velocity_in_space};
pub use sphere::{coulomb_energy, spread_on_sphere};
pub use survey::{CellSurvey, Histogram, rank_correlation, survey_cells};

use crate::CrowdReport;
use crate::crowd::find_agent;
use crate::crowd::measures::Measures;
use heurt_geometry::{SplitMix64, StateHash, Vec3};
use heurt_map::registration::{ConvexEnvironment, EntityId, PointId};
use places::FlyerPlace;
use sight::Seen;
use sphere::random_direction;

/// An agent.
#[derive(Debug)]
struct Flyer {
    group: u32,
    radius: f64,
    speed: f64,
    position: Vec3,
    /// Its centre at the start of the last step.
    before: Vec3,
    velocity: Vec3,
    goal: Option<Vec3>,
    /// The direction in which it flies on while it rests.
    course: Vec3,
    entity: EntityId,
    point: PointId,
    /// Seconds without headway.
    slow: f64,
    /// Seconds below 5 % of its speed.
    stalled: f64,
}

/// The visible state of an agent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpaceAgentState {
    /// Its number, unique over all groups and constant.
    pub id: u32,
    /// The number of its group.
    pub group: u32,
    /// Its centre, in metres.
    pub position: Vec3,
    /// The velocity of the last step, in m/s.
    pub velocity: Vec3,
    /// Its radius, in metres.
    pub radius: f64,
    /// Its own speed, in m/s.
    pub speed: f64,
}

/// The largest radius and speed limit of present agents.
#[derive(Debug, Clone, Copy, Default)]
struct Largest {
    radius: f64,
    limit: f64,
}

/// Agents that fly.
#[derive(Debug)]
pub struct SpaceCrowd {
    walls: Option<[Vec3; 2]>,
    settings: SpaceSettings,
    names: Vec<String>,
    models: Vec<SpaceModel>,
    goals: Vec<SpaceGoals>,
    environment: ConvexEnvironment,
    /// The finest level of cells.
    finest: u8,
    /// How far an agent may go in a step so that its lists have all that it could touch, in metres.
    longest_move: f64,
    /// The largest coordinate, in metres.
    extent: f64,
    /// All agents of the beginning; `order` has the numbers of present agents, by cell.
    agents: Vec<Flyer>,
    /// By entity: its agent.
    agent_of: Vec<u32>,
    order: Vec<u32>,
    left: Vec<u32>,
    time: f64,
    measures: Measures,
    largest: Largest,
    // By agent and by slot of `order`, kept for their memory.
    seen: Vec<Seen>,
    /// Cells and agents in them.
    cells: Vec<(u32, u32)>,
    chosen: Vec<Vec3>,
}

impl SpaceCrowd {
    /// Makes a crowd.
    ///
    /// ```
    /// use heurt_crowd::SpeedLaw;
    /// use heurt_crowd::space::{SpaceCrowd, SpaceGroup, SpaceRoom, SpaceSettings, spread_on_sphere};
    /// use heurt_geometry::Vec3;
    /// let room = SpaceRoom::of_cubes([Vec3::splat(-12.0), Vec3::splat(12.0)], 8.0)?;
    /// let places = spread_on_sphere(20, 1).into_iter().map(|place| 10.0 * place).collect();
    /// let group = SpaceGroup::to_antipodes("flock", places, 0.2, SpeedLaw::constant(2.0));
    /// let crowd = SpaceCrowd::new(room, SpaceSettings::default(), vec![group]);
    /// let mut crowd = crowd.map_err(|faults| faults[0].clone())?;
    /// while !crowd.is_empty() && crowd.time() < 30.0 {
    ///     crowd.step(1.0 / 60.0);
    /// }
    /// let report = crowd.report();
    /// assert_eq!((report.arrived, report.overlapping_pairs), (20, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// All faults of settings, groups and places.
    pub fn new(room: SpaceRoom, settings: SpaceSettings, groups: Vec<SpaceGroup>) -> Result<Self, Vec<SpaceFault>> {
        let (crowd, faults, _) = Self::without_faulty(room, settings, groups);
        if faults.is_empty() { Ok(crowd) } else { Err(faults) }
    }

    /// Makes a crowd of the agents without faults; returns it with the faults and the number of agents left out.
    pub fn without_faulty(
        room: SpaceRoom,
        mut settings: SpaceSettings,
        groups: Vec<SpaceGroup>,
    ) -> (Self, Vec<SpaceFault>, usize) {
        let wanted: usize = groups.iter().map(|group| group.places.len()).sum();
        let mut faults = settings.replace_faulty();
        let (placed, largest) = places::place_agents(&room, &groups, &mut faults);
        let reach = groups.iter().map(|group| group.model.reach(2.0 * group.radius)).fold(0.0, f64::max);
        let (finest, longest_move) = room.limits(&settings, largest, reach);
        let extent = room.extent();
        let SpaceRoom { environment, walls, .. } = room;
        let mut crowd = Self {
            walls,
            names: groups.iter().map(|group| group.name.clone()).collect(),
            models: groups.iter().map(|group| group.model).collect(),
            goals: groups.iter().map(|group| group.goals).collect(),
            environment,
            finest,
            longest_move,
            extent,
            agents: Vec::with_capacity(placed.len()),
            agent_of: Vec::new(),
            order: Vec::new(),
            left: Vec::new(),
            time: 0.0,
            measures: Measures::default(),
            largest: Largest::default(),
            seen: Vec::new(),
            cells: Vec::new(),
            chosen: Vec::new(),
            settings,
        };
        let mut random = SplitMix64::new(crowd.settings.seed);
        for placed in &placed {
            crowd.enter(placed, groups[placed.group].speed.draw(&mut random), random_direction(&mut random));
        }
        crowd.order = (0..crowd.agents.len() as u32).collect();
        crowd.leave();
        crowd.adapt(usize::MAX);
        crowd.sort();
        let left_out = wanted - crowd.agents.len();
        (crowd, faults, left_out)
    }

    /// Registers an agent.
    fn enter(&mut self, &FlyerPlace { group, radius, place, goal, .. }: &FlyerPlace, speed: f64, course: Vec3) {
        let environment = &mut self.environment;
        let last = self.agents.last().and_then(|last| Some((environment.cell_of(last.point).ok()?, last.position)));
        // In a convex room, the path from the last agent is cheaper than a search.
        let known = last.and_then(|from| environment.add_particle_from(from, place).ok());
        let Some(entity) = known.or_else(|| environment.add_particle(place).ok()) else { return };
        let Some(point) = environment.points(entity).ok().and_then(|mut points| points.next()) else { return };
        let number = self.agents.len() as u32;
        self.agent_of.resize(self.agent_of.len().max(entity.0 as usize + 1), u32::MAX);
        self.agent_of[entity.0 as usize] = number;
        let (position, velocity) = (place, Vec3::ZERO);
        let (slow, stalled, group) = (0.0, 0.0, group as u32);
        let before = place;
        let agent =
            Flyer { group, radius, speed, position, before, velocity, goal, course, entity, point, slow, stalled };
        self.agents.push(agent);
    }

    /// Returns the cells that agents are registered in, with the agents present in each.
    pub fn environment(&self) -> &ConvexEnvironment {
        &self.environment
    }

    /// Returns the finest level that cells may have.
    pub fn finest_level(&self) -> u8 {
        self.finest
    }

    /// Returns the names of the groups.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the simulated time, in seconds.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Reports whether no agent is present. Agents without goals never leave.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Returns the agents that are present, by number.
    pub fn agents(&self) -> impl ExactSizeIterator<Item = SpaceAgentState> + '_ {
        let mut present = self.order.clone();
        present.sort_unstable();
        present.into_iter().map(|id| self.state(id))
    }

    /// Returns the agents that left at the end of the last step, where they were then.
    pub fn departed(&self) -> impl ExactSizeIterator<Item = SpaceAgentState> + '_ {
        self.left.iter().map(|&id| self.state(id))
    }

    /// Returns how many agents have reached their last goal and left.
    pub fn arrived(&self) -> usize {
        self.measures.arrived()
    }

    /// Finds an agent that is present by its number, alone or after the name of its group and a blank.
    pub fn find_agent(&self, name: &str) -> Option<u32> {
        find_agent(name, &self.names, |id| self.present(id).map(|agent| agent.group))
    }

    /// Returns the model of steering of a group; `None` for a number without a group.
    pub fn model_of(&self, group: u32) -> Option<&SpaceModel> {
        self.models.get(group as usize)
    }

    /// Returns where an agent goes, in metres; `None` for an agent without a goal, that has left, or does not exist.
    pub fn goal_of(&self, id: u32) -> Option<Vec3> {
        self.present(id)?.goal
    }

    /// Returns the cell of an agent; `None` if it has left or does not exist.
    pub fn cell_of(&self, id: u32) -> Option<u32> {
        self.environment.cell_of(self.present(id)?.point).ok()
    }

    fn present(&self, id: u32) -> Option<&Flyer> {
        // Agents are entered at the start alone, so that numbers of entities are not used again.
        self.agents.get(id as usize).filter(|agent| self.environment.points(agent.entity).is_ok())
    }

    fn state(&self, id: u32) -> SpaceAgentState {
        let Flyer { group, position, velocity, radius, speed, .. } = self.agents[id as usize];
        SpaceAgentState { id, group, position, velocity, radius, speed }
    }

    /// Returns the result up to now.
    pub fn report(&self) -> CrowdReport {
        let mut measures = self.measures.clone();
        measures.add_overlaps(self.find_overlaps());
        measures.report(self.agents.len())
    }

    /// Computes a hash of all positions and velocities.
    pub fn state_hash(&self) -> u64 {
        let add = |hash: StateHash, agent: SpaceAgentState| {
            hash.bits(u64::from(agent.id)).vector(agent.position).vector(agent.velocity)
        };
        self.agents().fold(StateHash::default(), add).finish()
    }

    /// Takes a step of `step` seconds; none if that is no positive number.
    ///
    /// No agent moves further than half of what a finest cell is wider than two agents: in longer steps it is slower.
    pub fn step(&mut self, step: f64) {
        self.left.clear();
        if !(step > 0.0 && step.is_finite()) {
            return;
        }
        let overlaps = self.choose(step);
        self.measures.add_overlaps(overlaps);
        self.move_agents(step);
        self.time += step;
        self.leave();
        self.adapt(self.settings.most_changes);
        self.sort();
    }
}
