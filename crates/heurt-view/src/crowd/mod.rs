//! Views of crowds: their place, its cells, and agents with their speed as colour.
//!
//! In: a crowd on floors, on curved ground, or in space. Out: a drawing or the sections of a frame, z up, in metres;
//! storeys lie side by side, the lowest first.
//! Method: [`AgentView`] draws any crowd from its scenery and the parts of its agents. Discs on floors are short
//! cylinders, coloured by their speed as a share of their own, from dark (at rest) to yellow (full speed); discs on
//! curved ground and agents that fly are balls, coloured by their own speeds.
//! Cost: O(cells + agents).

mod agent_view;
mod balls;
mod in_space;
mod layers;
mod on_floors;
mod on_surface;
mod part_bodies;
mod prism;
mod reach;
mod storeys;
mod surfaces;

pub use agent_view::{AgentPart, AgentView, PartForm, Scenery, SpeedScale};
pub use in_space::SpaceView;
pub use layers::CrowdLayer;
pub use on_surface::SurfaceView;
pub use part_bodies::PartBodies;

use crate::Surface;
use crate::palette::{Colour, level_colour};
use heurt_crowd::{AgentState, Crowd};
use heurt_geometry::{FloorArea, Vec2, Vec3};
use heurt_map::{CombinatorialMap, Orbit};
use storeys::Storeys;
use surfaces::surface_of_roads;

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
    /// Bodies bend at the edges of slopes.
    has_slopes: bool,
}

impl CrowdView {
    /// Lays out the floors of a crowd; `roads` are the carriageways of a map, on floors of the crowd.
    pub fn new(crowd: &Crowd, roads: &[FloorArea]) -> Self {
        let storeys = Storeys::new(crowd.ground());
        let has_slopes = crowd.ground().floors().iter().any(|floor| floor.slope != Vec2::ZERO);
        Self { roads: surface_of_roads(roads, &storeys), storeys, has_slopes }
    }

    /// Reports whether there are roads.
    pub fn has_roads(&self) -> bool {
        !self.roads.is_empty()
    }

    /// Returns where an agent is drawn: the middle of its foot.
    pub fn place(&self, crowd: &Crowd, agent: &AgentState) -> Vec3 {
        self.storeys.place(crowd.ground(), agent.floor, agent.position)
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
