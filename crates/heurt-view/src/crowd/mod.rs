//! Views of crowds: the floor, its cells, walls, and agents with their speed as colour.
//!
//! In: a crowd. Out: a drawing or the sections of a frame, z up, in metres; storeys lie side by side, the lowest first.
//! Method: agents are short cylinders; the colour of an agent is its speed as a share of its own speed, from dark (at
//! rest) to yellow (full speed).
//! Cost: O(cells + agents).

mod layers;
mod storeys;
mod surfaces;

pub use layers::CrowdLayer;
pub use surfaces::{agent_surface, section_surface};

use crate::Surface;
use crate::palette::{Colour, level_colour};
use crate::picture::Drawing;
use crate::wire::{AgentPlace, FrameWriter, write_agents};
use heurt_crowd::{AgentState, Crowd};
use heurt_geometry::{Aabb, FloorArea, Pose, Vec2, Vec3};
use heurt_map::{CombinatorialMap, Orbit};
use storeys::Storeys;
use surfaces::{WALL_HEIGHT, add_agent, add_section, surface_of_roads};

/// Colours of speeds.
const SPEEDS: usize = 9;

const FLOOR: Colour = [0xf2, 0xf3, 0xf5];
/// The colour of roads: grey of asphalt.
pub const ROAD_COLOUR: Colour = [0xb4, 0xb9, 0xc2];
const WALL: Colour = [0x5a, 0x62, 0x6b];

/// How the floors of a crowd are laid out: storeys side by side, the lowest first.
#[derive(Debug, Clone)]
pub struct CrowdView {
    storeys: Storeys,
    roads: Surface,
}

impl CrowdView {
    /// Lays out the floors of a crowd; `roads` are the carriageways of a map, on floors of the crowd.
    pub fn new(crowd: &Crowd, roads: &[FloorArea]) -> Self {
        let storeys = Storeys::new(crowd.ground());
        Self { roads: surface_of_roads(roads, &storeys), storeys }
    }

    /// Reports whether there are roads.
    pub fn has_roads(&self) -> bool {
        !self.roads.is_empty()
    }

    /// Returns the surface of the roads; empty without roads.
    pub fn road_surface(&self) -> &Surface {
        &self.roads
    }

    /// Returns the box of floors and walls as they are drawn.
    pub fn bounds(&self) -> Aabb {
        let Aabb { min, max } = self.storeys.bounds;
        Aabb { min, max: max + WALL_HEIGHT * Vec3::Z }
    }

    /// Returns where an agent is drawn: the middle of its foot.
    pub fn place(&self, crowd: &Crowd, agent: &AgentState) -> Vec3 {
        self.storeys.place(crowd.ground(), agent.floor, agent.position)
    }

    /// Draws a crowd as it is with layers; paths and neighbourhoods are those of the agents in `chosen`.
    pub fn draw(&self, crowd: &Crowd, layers: &[CrowdLayer], chosen: &[u32]) -> Drawing {
        let mut drawing = Drawing::default();
        let mut add = |surface: Surface, colour: Colour| {
            let number = drawing.add_surface(surface);
            drawing.add_instance(number, Pose::IDENTITY, colour);
        };
        add(self.floor_surface(crowd), FLOOR);
        add(self.roads.clone(), ROAD_COLOUR);
        add(self.wall_surface(crowd), WALL);
        let mut by_speed: Vec<Surface> = (0..SPEEDS).map(|_| Surface::default()).collect();
        for agent in crowd.agents() {
            let class = (speed_share(&agent) * (SPEEDS - 1) as f64).round() as usize;
            let surface = &mut by_speed[class];
            let mut is_disc = true;
            for (corners, &floor) in crowd.sections_of(agent.id).zip(crowd.section_floors_of(agent.id)) {
                is_disc = false;
                add_section(surface, corners, |corner| self.storeys.place(crowd.ground(), floor, corner));
            }
            if is_disc {
                add_agent(surface, self.place(crowd, &agent), agent.radius);
            }
        }
        for (class, surface) in by_speed.into_iter().enumerate().filter(|(_, surface)| !surface.triangles.is_empty()) {
            add(surface, speed_colour(class as f64 / (SPEEDS - 1) as f64));
        }
        layers.iter().for_each(|&layer| self.draw_layer(crowd, layer, chosen, &mut drawing));
        for wall in crowd.ground().walls() {
            // From above a wall has no width: its top is a line. Later lines are drawn over earlier ones.
            let top = wall.ends.map(|end| self.storeys.place(crowd.ground(), wall.floor, end) + WALL_HEIGHT * Vec3::Z);
            drawing.add_line(top, WALL);
        }
        drawing
    }

    /// Writes the places and speeds of agents as bodies of a frame: after `before` bodies that do not move there are
    /// `count` agents, by number, and the `followers`: sections of agents, by number and section. Agents that have left
    /// are not there.
    pub fn write_agents(
        &self,
        crowd: &Crowd,
        [before, count]: [usize; 2],
        followers: &[(u32, usize)],
        frame: &mut FrameWriter,
    ) {
        let mut agents: Vec<Option<AgentPlace>> = vec![None; count + followers.len()];
        for agent in crowd.agents() {
            let speed = speed_share(&agent);
            if let Some(slot) = agents.get_mut(agent.id as usize) {
                *slot = Some(AgentPlace { at: self.place(crowd, &agent), heading: Vec2::X, speed });
            }
            let from = count + followers.partition_point(|follower| follower.0 < agent.id);
            for (section, [at, heading]) in crowd.section_frames_of(agent.id).enumerate() {
                let slot = if section == 0 { agent.id as usize } else { from + section - 1 };
                if let Some(slot) = agents.get_mut(slot) {
                    let at = self.storeys.place(crowd.ground(), agent.floor, at);
                    *slot = Some(AgentPlace { at, heading, speed });
                }
            }
        }
        write_agents(frame, before, &agents);
    }

    /// Returns the corners of a cell as it is drawn; none for a number without a cell.
    fn corners_of(&self, crowd: &Crowd, cell: u32) -> Vec<Vec3> {
        let environment = crowd.environment();
        let (map, positions) = (environment.map().map(), environment.geometry().positions());
        let Some(dart) = environment.dart(cell) else { return Vec::new() };
        let floor = crowd.floor_of_cell(cell);
        let place = |dart| self.storeys.place(crowd.ground(), floor, positions[map.id(Orbit::Vertex, dart) as usize]);
        map.face_darts(dart).map(place).collect()
    }
}

/// Returns the colour of a speed as a share of the own speed.
pub fn speed_colour(share: f64) -> Colour {
    let class = (share.clamp(0.0, 1.0) * (SPEEDS - 1) as f64).round() as usize;
    level_colour(SPEEDS - 1 - class)
}

/// Returns the speed of an agent as a share of its own speed, from 0 to 1.
fn speed_share(agent: &AgentState) -> f64 {
    let share = if agent.speed > 0.0 { agent.velocity.length() / agent.speed } else { 0.0 };
    share.clamp(0.0, 1.0)
}
