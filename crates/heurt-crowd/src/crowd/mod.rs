//! Crowd: agents on a floor, step by step.
//!
//! In: a floor, groups, a model. Out: positions and velocities after each step; a report.
//! Method: each agent has a preferred velocity along its shortest path (`route`). The model chooses a velocity from the
//! agents and walls near it ([`SteeringPolicy`]). Velocities are made free of overlaps (`separate`). Agents move and
//! are registered in the cells of the floor (S4 chapters 5 and 8), which follow the density of agents.
//! Persons in flow zones are a flow instead (`flow`); "agents" of the guarantees are then those outside of them.
//! Guarantees: no overlap of agents and none with walls, up to rounding, if none was there at first; no agent leaves
//! the floor. The same bits for any number of threads. Not guaranteed: that all agents arrive; a jam can last.
//! Cost: O(agents near an agent) each, for any size of the floor.

mod advance;
mod agents;
mod cells;
mod check;
mod exits;
mod fault;
mod flow;
mod grid;
mod group;
mod inspect;
mod make;
pub(crate) mod measures;
mod model;
mod moves;
pub(crate) mod outline;
mod replan;
mod route;
mod separate;
mod settings;
mod sight;
mod social;
mod squares;
mod stage;
mod start;
mod turnstile;

pub use fault::CrowdFault;
pub use group::{AgentGroup, Goals, SocialTraits, SpeedLaw, Start};
pub(crate) use inspect::find_agent;
pub use measures::{CrowdReport, TravelTimes};
pub use model::SteeringModel;
pub use settings::{CellPolicy, CrowdSettings};
pub use stage::CrowdStage;

use crate::Ground;
use crate::steer::{NearAgent, WALL_SIGHT};
use advance::overlaps_of;
use agents::Agents;
use cells::Cells;
use check::{MAX_SPEED, check_groups};
use exits::{ExitChoice, Exits};
use flow::{Flows, Stay};
use grid::PlaceGrid;
use heurt_geometry::{SplitMix64, StateHash, Vec2, Vec3};
use heurt_map::registration::{Density, EntityId, PlaneEnvironment, PointId};
use make::make_agents;
use measures::Measures;
use moves::AgentMove;
use outline::Outlines;
use replan::{Detour, Replanning};
use route::{OwnGoal, Routes};
use separate::{Body, Touches};
use social::{PartyState, parties_of};

/// Cells with more agents than the first are refined; four with no more than the second together become one (S4
/// §8.3.3). Cells get no smaller than 0.25 m: smaller ones hold one agent at most.
const DENSITY: Density = Density { most: 8, least: 4, finest: 5 };

/// How far walls count, in metres: further than any model needs. Agents that reach further in a step have walls up to
/// that distance.
const WALL_REACH: f64 = WALL_SIGHT;

/// Time between two updates of a heading, in seconds: people correct theirs two to three times a second.
const LOOK_INTERVAL: f64 = 0.4;

/// The slot of agents that have left, or are in a flow.
const NO_SLOT: u32 = u32::MAX;

/// An agent.
#[derive(Debug)]
struct Agent {
    group: u32,
    radius: f64,
    speed: f64,
    /// Its centre in plan.
    position: Vec2,
    /// Its centre at the start of the last step.
    before: Vec2,
    /// Height of the floor there, in metres.
    height: f64,
    floor: u32,
    /// Its speed on this ground, and to this goal, as a share of its own speed.
    pace: f64,
    velocity: Vec2,
    point: PointId,
    entity: EntityId,
    /// The number of the next goal.
    goal: u32,
    /// Numbers of the goals after it, the last of them first, on a tour.
    tour: Vec<u32>,
    own_goal: Option<Box<OwnGoal>>,
    exit: ExitChoice,
    detour: Detour,
    /// It is at an exit that has not let it out yet.
    waits: bool,
    towards: Option<Vec3>,
    /// Seconds until its heading is updated.
    look: f64,
    /// Seconds without headway.
    slow: f64,
    /// Seconds below 5 % of its speed.
    stalled: f64,
    reaction: f64,
    /// The share of the largest turn with which it steps aside.
    yielding: f64,
    /// The path to its goal when it looked last, in metres.
    distance: f64,
    /// The flow that it is in.
    stay: Stay,
    /// The number of its outlined body, or [`NO_BODY`].
    body: u32,
}

impl Agent {
    fn place(&self) -> Vec3 {
        self.position.extend(self.height)
    }

    /// Takes the pace of the ground at its place, and of its group to its goal; the place may be in these zones.
    fn take_pace(&mut self, paces: &[Vec<f64>], ground: &Ground, zones: &[u32]) {
        let heading = self.towards.map_or(Vec2::ZERO, |towards| towards.truncate() - self.position);
        let pace = ground.pace_at(self.floor, self.place(), heading, zones);
        let share = paces[self.group as usize].get(self.goal as usize).copied().unwrap_or(1.0);
        self.pace = share * pace;
    }
}

/// The visible state of an agent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AgentState {
    /// Its number, unique over all groups and constant.
    pub id: u32,
    /// The number of its group.
    pub group: u32,
    /// Its centre in plan, in metres.
    pub position: Vec2,
    /// Height of the floor under it, in metres.
    pub height: f64,
    /// The number of that floor.
    pub floor: u32,
    /// The velocity of the last step in plan, in m/s.
    pub velocity: Vec2,
    /// Its radius, in metres.
    pub radius: f64,
    /// Its own speed, in m/s.
    pub speed: f64,
    /// It is part of a flow: it may overlap others in the same flow.
    pub is_in_flow: bool,
}

/// Agents on a floor.
#[derive(Debug)]
pub struct Crowd {
    ground: Ground,
    settings: CrowdSettings,
    names: Vec<String>,
    /// By group.
    social: Vec<SocialTraits>,
    /// By group: see [`AgentGroup::paces`].
    paces: Vec<Vec<f64>>,
    routes: Routes,
    exits: Exits,
    replanning: Option<Replanning>,
    flows: Flows,
    outlines: Outlines,
    environment: PlaneEnvironment,
    cells: Cells,
    /// All agents of the beginning; `present` has the numbers of present agents.
    agents: Agents,
    present: Vec<u32>,
    left: Vec<u32>,
    time: f64,
    steps: u64,
    measures: Measures,
    /// By number of agent: its slot, or [`NO_SLOT`].
    slots: Vec<u32>,
    // By slot, kept from step to step for their memory. Persons in flows have no slot.
    order: Vec<u32>,
    places: Vec<Vec2>,
    grid: PlaceGrid,
    seen: Vec<NearAgent>,
    bodies: Vec<Body>,
    /// The largest radius and speed limit of present agents.
    largest: Body,
    /// The largest coordinate, in metres.
    extent: f64,
    touches: Vec<Touches>,
    moves: Vec<AgentMove>,
    chosen: Vec<Vec2>,
    yielding: Vec<f64>,
    /// By group: the number of the party that it belongs to.
    parties: Vec<Option<u32>>,
    /// By party: its state.
    party_states: Vec<Option<PartyState>>,
}

impl Crowd {
    /// Makes a crowd.
    ///
    /// ```
    /// use heurt_crowd::{AgentGroup, Crowd, CrowdSettings, Goals, Ground, SpeedLaw, Start};
    /// use heurt_geometry::{PlanArea, Vec2};
    /// let corridor = PlanArea::rectangle(Vec2::ZERO, Vec2::new(40.0, 2.0));
    /// let exit = PlanArea::rectangle(Vec2::new(39.0, 0.0), Vec2::new(40.0, 2.0));
    /// let person = AgentGroup {
    ///     name: "person".to_owned(),
    ///     start: Start::at([Vec2::new(0.5, 1.0)]),
    ///     speed: SpeedLaw::constant(1.33),
    ///     goals: Goals::through([[exit]]),
    ///     ..AgentGroup::default()
    /// };
    /// let mut crowd = Crowd::new(Ground::new([corridor])?, CrowdSettings::default(), vec![person])
    ///     .map_err(|faults| faults[0].clone())?;
    /// while !crowd.is_empty() && crowd.time() < 60.0 {
    ///     crowd.step(0.05);
    /// }
    /// let time = crowd.report().travel_time.ok_or("it arrived")?.median;
    /// assert!((time - 38.5 / 1.33).abs() < 0.1, "{time} s");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// All faults of groups, places and goals.
    pub fn new(ground: Ground, settings: CrowdSettings, groups: Vec<AgentGroup>) -> Result<Self, Vec<CrowdFault>> {
        let (crowd, faults, _) = Self::without_faulty(ground, settings, groups);
        if faults.is_empty() { Ok(crowd) } else { Err(faults) }
    }

    /// Makes a crowd of the agents without faults; returns it with the faults and the number of agents left out.
    pub fn without_faulty(
        ground: Ground,
        mut settings: CrowdSettings,
        groups: Vec<AgentGroup>,
    ) -> (Self, Vec<CrowdFault>, usize) {
        let wanted: usize = groups.iter().map(AgentGroup::count).sum();
        let mut faults = settings.replace_faulty();
        let groups = check_groups(&ground, groups, &mut faults);
        let mut random = SplitMix64::new(settings.seed);
        let placed = start::place_agents(&ground, &groups, &mut random, &mut faults);
        let mut exits = Exits::new(settings.queues, settings.exit_flow);
        let routes = Routes::new(&ground, &groups, &mut exits, &mut faults);
        let mut environment = ground.environment().clone();
        let centres = start::centres_of(&groups, &placed);
        let placed = routes.keep_reachable(&groups, placed, &centres, &mut faults);
        let mut outlines = Outlines::new(settings.anticipation);
        let found = (&mut outlines, &mut faults);
        let placed = (placed, &*centres);
        let mut agents = make_agents((&ground, &groups), placed, &mut environment, found, &mut random);
        let left_out = wanted - agents.len();
        let cells = Cells::new(&ground, &environment, WALL_REACH);
        outlines.find_floors(&environment, &cells);
        for agent in &mut agents {
            agent.floor = cells.floor(environment.cell_of(agent.point).unwrap_or(0));
        }
        let replanning = settings.replan.map(|interval| Replanning::new(interval, &ground, &routes));
        if let Some(plan) = &replanning {
            agents.iter_mut().enumerate().for_each(|(id, agent)| agent.detour = plan.first_detour(id as u32));
        }
        let extent = ground.bounds().iter().map(|corner| corner.abs().max_element()).fold(0.0, f64::max);
        let present: Vec<u32> = (0..agents.len() as u32).collect();
        let order = present.clone();
        let flows = Flows::new(&ground, groups.iter().filter(|group| group.count() > 0).map(|group| group.radius));
        let mut crowd = Self {
            slots: vec![0; agents.len()],
            ground,
            settings,
            names: groups.iter().map(|group| group.name.clone()).collect(),
            routes,
            exits,
            replanning,
            flows,
            outlines,
            environment,
            cells,
            agents: Agents::new(agents),
            present,
            left: Vec::new(),
            time: 0.0,
            measures: Measures::default(),
            order,
            places: Vec::new(),
            grid: PlaceGrid::default(),
            seen: Vec::new(),
            steps: 0,
            bodies: Vec::new(),
            largest: Body::default(),
            extent,
            touches: Vec::new(),
            moves: Vec::new(),
            chosen: Vec::new(),
            yielding: Vec::new(),
            parties: parties_of(&groups),
            party_states: Vec::new(),
            social: groups.iter().map(|group| group.social.clone()).collect(),
            paces: groups.iter().map(|group| group.paces.clone()).collect(),
        };
        crowd.enter_first();
        // Agents that begin at their exit are gone at once.
        crowd.leave();
        crowd.fix_cells();
        crowd.adapt();
        crowd.sort();
        (crowd, faults, left_out)
    }

    /// Returns the floor.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// Returns the cells that agents are registered in, with the agents present in each.
    pub fn environment(&self) -> &PlaneEnvironment {
        &self.environment
    }

    /// Returns the floor of a cell, by its number.
    pub fn floor_of_cell(&self, cell: u32) -> u32 {
        self.cells.floor(cell)
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
        self.present.is_empty()
    }

    /// Returns the agents that are present, by number.
    pub fn agents(&self) -> impl ExactSizeIterator<Item = AgentState> + '_ {
        self.present.iter().map(|&id| self.state(id))
    }

    /// Returns the agents that left at the end of the last step, where they were then.
    pub fn departed(&self) -> impl ExactSizeIterator<Item = AgentState> + '_ {
        self.left.iter().map(|&id| self.state(id))
    }

    fn state(&self, id: u32) -> AgentState {
        let Agent { group, position, height, floor, velocity, radius, speed, .. } = self.agents[id as usize];
        let is_in_flow = !self.is_individual(id);
        AgentState { id, group, position, height, floor, velocity, radius, speed, is_in_flow }
    }

    /// Returns the result up to now.
    pub fn report(&self) -> CrowdReport {
        let mut measures = self.measures.clone();
        measures.add_overlaps(self.find_overlaps());
        measures.report(self.agents.len())
    }

    /// Gives present agents speeds of their own, in m/s, where `speed` returns one. Negative numbers and NaN are 0, and
    /// larger ones than 100 m/s are 100 m/s.
    pub fn set_speeds(&mut self, mut speed: impl FnMut(AgentState) -> Option<f64>) {
        for place in 0..self.present.len() {
            let id = self.present[place];
            if let Some(speed) = speed(self.state(id)) {
                self.agents[id as usize].speed = if speed > 0.0 { speed.min(MAX_SPEED) } else { 0.0 };
            }
        }
        self.sort();
    }

    /// Computes a hash of all positions and velocities, and of the corners of outlines.
    pub fn state_hash(&self) -> u64 {
        let hash = self.agents().fold(StateHash::default(), |hash, agent| {
            let numbers = [agent.position, agent.velocity].map(|v| v.to_array());
            let hash = hash.bits(u64::from(agent.id)).number(agent.height);
            // Hashes of crowds without flows stay what they were.
            let hash = if agent.is_in_flow { hash.bits(1) } else { hash };
            let corners = self.sections_of(agent.id).flatten().flat_map(|corner| corner.to_array());
            numbers.iter().flatten().copied().chain(corners).fold(hash, StateHash::number)
        });
        hash.finish()
    }

    /// Takes a step of `step` seconds; none if that is no positive number.
    pub fn step(&mut self, step: f64) {
        self.step_by_stages(step, |_| ());
    }

    /// Takes a step as [`Crowd::step`] does, and calls `after` at the end of each stage, in the order of
    /// [`CrowdStage::ALL`]: for clocks.
    pub fn step_by_stages(&mut self, step: f64, mut after: impl FnMut(CrowdStage)) {
        self.left.clear();
        if step.is_nan() || step <= 0.0 {
            return;
        }
        self.find_parties();
        self.replan();
        self.update_headings(step);
        after(CrowdStage::Paths);
        self.choose(step);
        let overlaps = overlaps_of(&self.touches, &self.order, &self.bodies);
        self.measures.add_overlaps(overlaps);
        let overlaps = self.choose_for_bodies(step);
        self.measures.add_overlaps(overlaps);
        self.hold_at_flows(step);
        let extent = (step, self.extent);
        let round = separate::separate(&self.chosen, &self.touches, &self.bodies, &self.outlines, extent);
        after(CrowdStage::Choices);
        self.move_bodies(&round.motions, step);
        after(CrowdStage::Bodies);
        self.move_agents(round, step);
        self.walk_in_flows(step);
        self.time += step;
        self.exits.pass(step);
        self.leave();
        after(CrowdStage::Agents);
        self.adapt();
        after(CrowdStage::Cells);
        self.steps += 1;
        self.sort();
        after(CrowdStage::Order);
    }
}
