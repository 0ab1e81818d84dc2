//! Agents on curved ground: discs and bodies on a surface of any genus with buildings, step by step (S4 §8.3.2).
//!
//! In: ground, groups of agents, settings. Out: positions and velocities after each step; a report.
//! Method: a map of the surface follows the density of agents; each agent is a particle in it that moves along straight
//! geodesics. Its path is the exact shortest path to its target round the buildings (`route`). A model chooses a
//! velocity in the plane of its face from what is near (`sight`, and the models of [`space`](crate::space)), which is
//! made free of overlaps as in space. A step whose end would still overlap, over a crease or a tight curve, is
//! shortened (`advance`). S4 has points in its scenes of surfaces; here agents are balls that touch the surface, or
//! outlines that are laid on it (`body`).
//! Guarantees: centres of agents have at least the sum of their radii between them, measured straight in space, and
//! their radius to walls, if this held at first; agents are never in buildings. The same bits for any number of
//! threads. Not guaranteed: that all agents arrive. Paths know the radius as far as faces go
//! ([`SurfaceGround::with_clearances`]): an agent may stick in a gap that is a little too narrow. Agents on
//! sheets that are near in space but not along the surface do not see each other.
//! Cost: O(agents near an agent) each; a target O(n^1.5) for n faces, once.

mod advance;
mod body;
mod cut;
mod fault;
mod ground;
mod ground_fault;
mod group;
mod paths;
mod places;
mod route;
mod sight;
mod walk;
mod walls;

pub use cut::SurfaceCage;
pub use fault::SurfaceFault;
pub use ground::{SurfaceGround, faces_near};
pub use ground_fault::SurfaceGroundFault;
pub use group::{SurfaceGoals, SurfaceGroup, SurfaceSettings, SurfaceStart};
pub use paths::SurfacePaths;

use crate::CrowdReport;
use crate::crowd::find_agent;
use crate::crowd::measures::Measures;
use crate::space::SpaceModel;
use crate::space::sight::Seen;
use crate::steer::Bubbles;
use advance::Choice;
use body::{SurfaceBody, SurfaceRig};
use heurt_geometry::{SplitMix64, StateHash, Vec3};
use heurt_map::registration::{EntityId, PointId, SurfaceEnvironment};
use heurt_map::track::CellPlace;
use std::sync::Arc;
use walls::SurfaceWalls;

/// An agent.
#[derive(Debug)]
struct Roamer {
    group: u32,
    /// Its number within its group.
    number: u32,
    radius: f64,
    within: f64,
    speed: f64,
    position: Vec3,
    /// In the plane of its face.
    velocity: Vec3,
    /// The mean velocity of the last second or so, in m/s.
    drift: Vec3,
    face: u32,
    /// The part of its cell that it is on.
    place: CellPlace,
    /// The place of its target among the targets of its group.
    stage: u32,
    entity: EntityId,
    point: PointId,
    /// The number of its body; `None` for a disc.
    body: Option<u32>,
    /// Seconds without headway.
    slow: f64,
    /// Seconds below 5 % of its speed.
    stalled: f64,
}

/// The visible state of an agent on a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceAgentState {
    /// Its number, unique over all groups and constant.
    pub id: u32,
    /// The number of its group.
    pub group: u32,
    /// Its point of the surface, in metres.
    pub position: Vec3,
    /// The velocity of the last step in m/s, in the plane of its face.
    pub velocity: Vec3,
    /// Unit normal of its face.
    pub normal: Vec3,
    /// The face of the mesh that it is on.
    pub face: u32,
    /// Its radius, in metres.
    pub radius: f64,
    /// Its own speed, in m/s.
    pub speed: f64,
}

/// Agents on curved ground.
#[derive(Debug)]
pub struct SurfaceCrowd<'g> {
    ground: &'g SurfaceGround,
    settings: SurfaceSettings,
    names: Vec<String>,
    models: Vec<SpaceModel>,
    has_rounds: Vec<bool>,
    paths: SurfacePaths<'g>,
    walls: SurfaceWalls,
    environment: SurfaceEnvironment,
    /// The face of the mesh by cell.
    faces: Vec<u32>,
    /// The finest level of cells.
    finest: u8,
    /// How far an agent may go in a step, in metres.
    longest_move: f64,
    /// The largest coordinate, in metres.
    extent: f64,
    /// All agents of the beginning; `order` has the numbers of present agents, by cell.
    agents: Vec<Roamer>,
    /// By entity: its agent, and the section of its body.
    owner_of: Vec<(u32, u32)>,
    /// By group.
    rigs: Vec<Option<Arc<SurfaceRig>>>,
    bodies: Vec<SurfaceBody>,
    order: Vec<u32>,
    /// By agent: its place in `order`.
    slot_of: Vec<u32>,
    left: Vec<u32>,
    time: f64,
    measures: Measures,
    /// The largest radius and speed limit of present agents.
    largest: Seen,
    /// The largest circle of a section and the largest speed limit of present bodies.
    largest_body: (f64, f64),
    /// The furthest point of a strip ahead of a body from its middle, in metres.
    longest_ahead: f64,
    seen: Vec<Seen>,
    choices: Vec<Choice>,
}

impl<'g> SurfaceCrowd<'g> {
    /// Makes a crowd.
    ///
    /// ```
    /// use heurt_crowd::SpeedLaw;
    /// use heurt_crowd::surface::{SurfaceCrowd, SurfaceGround, SurfaceGroup, SurfaceSettings, SurfaceStart};
    /// use heurt_geometry::Vec3;
    /// use heurt_mesh::generate;
    /// let planet = generate::icosphere(8.0, 3)?;
    /// let ground = SurfaceGround::new(&planet, &[]).map_err(|faults| faults[0].clone())?;
    /// let (start, pole) = (SurfaceStart::Anywhere(20), vec![Vec3::new(0.0, 0.0, 8.0)]);
    /// let group = SurfaceGroup::through("north", start, 0.2, SpeedLaw::constant(1.3), pole);
    /// let crowd = SurfaceCrowd::new(&ground, SurfaceSettings::default(), vec![group]);
    /// let mut crowd = crowd.map_err(|faults| faults[0].clone())?;
    /// while !crowd.is_empty() && crowd.time() < 60.0 {
    ///     crowd.step(0.05);
    /// }
    /// let report = crowd.report();
    /// assert_eq!((report.arrived, report.overlapping_pairs), (20, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// All faults of settings, groups, targets and places.
    pub fn new(
        ground: &'g SurfaceGround,
        settings: SurfaceSettings,
        groups: Vec<SurfaceGroup>,
    ) -> Result<Self, Vec<SurfaceFault>> {
        let (crowd, faults, _) = Self::without_faulty(ground, settings, groups);
        if faults.is_empty() { Ok(crowd) } else { Err(faults) }
    }

    /// Makes a crowd of the agents without faults; returns it with the faults and the number of agents left out.
    pub fn without_faulty(
        ground: &'g SurfaceGround,
        settings: SurfaceSettings,
        groups: Vec<SurfaceGroup>,
    ) -> (Self, Vec<SurfaceFault>, usize) {
        Self::on_paths(SurfacePaths::new(ground, groups), settings)
    }

    /// Makes a crowd of the agents without faults, on paths that are known.
    fn on_paths(paths: SurfacePaths<'g>, mut settings: SurfaceSettings) -> (Self, Vec<SurfaceFault>, usize) {
        let mut faults = settings.replace_faulty();
        faults.extend(paths.faults.iter().cloned());
        let groups = Arc::clone(&paths.groups);
        let mut crowd = Self::without_agents(paths, settings);
        let sound: Vec<usize> = (0..groups.len()).filter(|&group| crowd.paths.is_sound[group]).collect();
        crowd.set_reaches(sound.iter().map(|&group| (group, &groups[group])));
        let mut random = SplitMix64::new(settings.seed);
        for (number, group) in groups.iter().enumerate() {
            let mut own = SplitMix64::new(random.bits());
            if crowd.paths.is_sound[number] {
                crowd.place_group(number, group, &mut own, &mut faults);
            }
        }
        crowd.order = (0..crowd.agents.len() as u32).collect();
        crowd.reach_targets();
        crowd.adapt(usize::MAX);
        crowd.sort();
        let wanted: usize = groups.iter().map(SurfaceGroup::count).sum();
        let left_out = wanted - crowd.agents.len();
        (crowd, faults, left_out)
    }

    fn without_agents(paths: SurfacePaths<'g>, settings: SurfaceSettings) -> Self {
        let (ground, groups) = (paths.ground, &paths.groups);
        let nothing = Seen { position: Vec3::ZERO, velocity: Vec3::ZERO, radius: 0.0, limit: 0.0, group: 0 };
        Self {
            ground,
            settings,
            names: groups.iter().map(|group| group.name.clone()).collect(),
            models: groups.iter().map(|group| group.model).collect(),
            has_rounds: groups.iter().map(|group| matches!(group.goals, SurfaceGoals::Rounds(_))).collect(),
            walls: SurfaceWalls::default(),
            environment: ground.environment.clone(),
            faces: (0..ground.face_count() as u32).collect(),
            finest: 0,
            longest_move: 0.0,
            extent: ground.extent(),
            agents: Vec::new(),
            owner_of: Vec::new(),
            rigs: groups.iter().map(|group| SurfaceRig::new(&group.form)).collect(),
            bodies: Vec::new(),
            paths,
            order: Vec::new(),
            slot_of: Vec::new(),
            left: Vec::new(),
            time: 0.0,
            measures: Measures::default(),
            largest: nothing,
            largest_body: (0.0, 0.0),
            longest_ahead: 0.0,
            seen: Vec::new(),
            choices: Vec::new(),
        }
    }

    /// Sets how far agents see and go, how fine cells get, and which walls are near.
    fn set_reaches<'a>(&mut self, groups: impl Iterator<Item = (usize, &'a SurfaceGroup)>) {
        let (mut radius, mut reach, mut wall_reach) = (0.0, 0.0, 0.0);
        for (number, group) in groups {
            radius = f64::max(radius, group.radius);
            radius = self.rigs[number].as_ref().map_or(radius, |rig| radius.max(rig.longest_reach(group)));
            reach = f64::max(reach, group.model.reach(2.0 * group.radius));
            let own = match &group.model {
                SpaceModel::Bubbles(bubbles) => bubbles.wall_reach,
                SpaceModel::Boids(boids) => boids.wall_range,
            };
            wall_reach = f64::max(wall_reach, own);
        }
        let usual = Bubbles::default().reach;
        self.longest_move = if reach > 0.0 { reach } else { usual };
        self.walls = SurfaceWalls::new(self.ground, radius + wall_reach.max(self.longest_move));
        let mut widths: Vec<f64> = self.ground.free_faces().map(|face| self.ground.area_of(face).sqrt()).collect();
        widths.sort_by(f64::total_cmp);
        let width = widths.get(widths.len() / 2).copied().unwrap_or(0.0);
        let is_wide = |level: &u8| width / f64::from(1_u32 << *level) >= self.longest_move;
        self.finest = (1..=self.settings.density.finest.min(MAX_LEVEL)).take_while(is_wide).last().unwrap_or(0);
    }

    /// Returns the cells that agents are registered in, with the agents present in each.
    pub fn environment(&self) -> &SurfaceEnvironment {
        &self.environment
    }

    /// Returns the ground.
    pub fn ground(&self) -> &'g SurfaceGround {
        self.ground
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

    /// Reports whether no agent is present. Agents that go round, or nowhere, never leave.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Returns the agents that are present, by number.
    pub fn agents(&self) -> impl ExactSizeIterator<Item = SurfaceAgentState> + '_ {
        let mut present = self.order.clone();
        present.sort_unstable();
        present.into_iter().map(|id| self.state(id))
    }

    /// Returns the agents that left at the end of the last step, where they were then.
    pub fn departed(&self) -> impl ExactSizeIterator<Item = SurfaceAgentState> + '_ {
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

    /// Returns the cell of an agent; `None` if it has left or does not exist.
    pub fn cell_of(&self, id: u32) -> Option<u32> {
        self.environment.cell_of(self.present(id)?.point).ok()
    }

    /// Computes the shortest path of an agent to its present target: its place, the places where the path crosses edges
    /// of the ground, the target. Empty for an agent without a target, that has left, or does not exist. In a jam, and
    /// round corners, an agent leaves this path.
    pub fn path_of(&self, id: u32) -> Vec<Vec3> {
        let path = self.present(id).and_then(|agent| {
            let field = self.paths.fields[self.field_of(agent)?].as_ref();
            field.path_from(agent.face, agent.position)
        });
        path.unwrap_or_default()
    }

    fn present(&self, id: u32) -> Option<&Roamer> {
        let slot = *self.slot_of.get(id as usize)?;
        self.agents.get(id as usize).filter(|_| self.order.get(slot as usize) == Some(&id))
    }

    fn state(&self, id: u32) -> SurfaceAgentState {
        let Roamer { group, position, velocity, face, radius, speed, .. } = self.agents[id as usize];
        SurfaceAgentState { id, group, position, velocity, normal: self.ground.normal_of(face), face, radius, speed }
    }

    /// Returns the corners of the sections of an agent on the ground, the first one in front, in metres; none of discs.
    /// Edges are straight between corners that follow each other, and under the ground where it is convex.
    pub fn sections_of(&self, agent: u32) -> impl ExactSizeIterator<Item = &[Vec3]> {
        let body = self.agents.get(agent as usize).and_then(|agent| agent.body);
        let sections = body.map_or(&[][..], |body| &self.bodies[body as usize].sections);
        sections.iter().map(|section| section.corners.as_slice())
    }

    /// Reports whether the outline of an agent is the cut of its cage and the ground; else its form has it.
    pub fn has_cut(&self, agent: u32) -> bool {
        let body = self.agents.get(agent as usize).and_then(|agent| agent.body);
        body.is_some_and(|body| self.bodies[body as usize].is_cut)
    }

    /// Returns the path on the ground ahead of a body, from its middle to the tip of the velocity that it wants; empty
    /// for discs, and for bodies that rest.
    pub fn path_ahead_of(&self, agent: u32) -> &[Vec3] {
        let body = self.present(agent).and_then(|agent| agent.body);
        body.map_or(&[], |body| &self.bodies[body as usize].ahead.path)
    }

    /// Returns the unit normal of the ground under each section of an agent; none of discs.
    pub fn section_normals_of(&self, agent: u32) -> impl ExactSizeIterator<Item = Vec3> {
        let body = self.agents.get(agent as usize).and_then(|agent| agent.body);
        body.map_or(&[][..], |body| &self.bodies[body as usize].sections).iter().map(|section| section.normal)
    }

    /// Returns the result up to now.
    pub fn report(&self) -> CrowdReport {
        let mut measures = self.measures.clone();
        measures.add_overlaps(self.find_overlaps());
        measures.report(self.agents.len())
    }

    /// Computes a hash of all positions, velocities and corners.
    pub fn state_hash(&self) -> u64 {
        let add = |hash: StateHash, agent: SurfaceAgentState| {
            let hash = hash.bits(u64::from(agent.id)).vector(agent.position).vector(agent.velocity);
            self.sections_of(agent.id).flatten().fold(hash, |hash, &corner| hash.vector(corner))
        };
        self.agents().fold(StateHash::default(), add).finish()
    }

    /// Takes a step of `step` seconds; none if that is no positive number.
    ///
    /// No agent moves further than agents see: in longer steps it is slower.
    pub fn step(&mut self, step: f64) {
        self.left.clear();
        if !(step > 0.0 && step.is_finite()) {
            return;
        }
        let overlaps = self.choose(step);
        self.measures.add_overlaps(overlaps);
        self.move_agents(step);
        self.time += step;
        self.reach_targets();
        self.adapt(self.settings.most_changes);
        self.sort();
    }
}

/// The finest level: cells of a thousandth of their first width.
const MAX_LEVEL: u8 = 10;
