//! Views of crowds that fly.

use super::CrowdLayer;
use super::agent_view::{AgentPart, AgentView, NO_TURN, PartForm, Scenery, SpeedScale};
use super::balls::{LEAST_RADIUS, SpeedRange, ball_surface};
use super::reach::draw_circle;
use crate::Surface;
use crate::picture::Drawing;
use crate::wire::AgentPlace;
use heurt_crowd::space::{SpaceAgentState, SpaceCrowd, SpaceModel};
use heurt_geometry::{Aabb, DrawSink, Meaning, Vec3};
use heurt_map::{CombinatorialMap, Dart, Orbit, Walker};
use std::collections::BTreeMap;

/// Lines of each of the three circles of a bubble.
const LINES: u32 = 12;

/// How agents that fly are shown: as balls.
#[derive(Debug, Clone, Copy)]
pub struct SpaceView {
    bounds: Aabb,
    speeds: SpeedRange,
}

impl SpaceView {
    /// Makes the view of a crowd, as it is at its start.
    pub fn new(crowd: &SpaceCrowd) -> Self {
        let bounds = Aabb::from_points(crowd.environment().geometry().positions().iter().copied());
        Self { bounds, speeds: SpeedRange::of(crowd.agents().map(|agent| agent.speed)) }
    }
}

impl AgentView<SpaceCrowd> for SpaceView {
    fn bounds(&self) -> Aabb {
        self.bounds
    }

    fn scenery(&self, _: &SpaceCrowd) -> Vec<Scenery> {
        Vec::new()
    }

    fn speeds(&self) -> SpeedScale {
        SpeedRange::SCALE
    }

    fn names<'c>(&self, crowd: &'c SpaceCrowd) -> &'c [String] {
        crowd.names()
    }

    fn time(&self, crowd: &SpaceCrowd) -> f64 {
        crowd.time()
    }

    fn arrived(&self, crowd: &SpaceCrowd) -> usize {
        crowd.arrived()
    }

    fn find_agent(&self, crowd: &SpaceCrowd, name: &str) -> Option<u32> {
        crowd.find_agent(name)
    }

    fn parts(&self, crowd: &SpaceCrowd) -> Vec<AgentPart> {
        let part = |agent: SpaceAgentState| {
            let SpaceAgentState { id, group, position: at, velocity, radius, speed: own_speed } = agent;
            let place = AgentPlace { at, heading: NO_TURN, speed: self.speeds.share(own_speed) };
            let form = PartForm::Ball(radius.max(LEAST_RADIUS));
            AgentPart { agent: id, group, section: 0, form, place, velocity, own_speed }
        };
        crowd.agents().map(part).collect()
    }

    fn surface_of(&self, _: &SpaceCrowd, part: &AgentPart) -> Surface {
        match part.form {
            PartForm::Disc(radius) | PartForm::Ball(radius) => ball_surface(radius),
            PartForm::Section | PartForm::Bent(_) => Surface::default(),
        }
    }

    fn has_layer(&self, crowd: &SpaceCrowd, layer: CrowdLayer) -> bool {
        let has_bubbles = |group| matches!(crowd.model_of(group), Some(SpaceModel::Bubbles(_)));
        match layer {
            CrowdLayer::Bubbles => (0..crowd.names().len() as u32).any(has_bubbles),
            CrowdLayer::Ahead => false,
            _ => true,
        }
    }

    fn draw_layer(&self, crowd: &SpaceCrowd, layer: CrowdLayer, chosen: &[u32], sink: &mut dyn DrawSink) {
        let chosen = || crowd.agents().filter(|agent| chosen.contains(&agent.id));
        match layer {
            CrowdLayer::Cells => draw_cells(crowd, sink),
            CrowdLayer::Velocities => {
                for agent in crowd.agents() {
                    sink.draw_line([agent.position, agent.position + agent.velocity], Meaning::Velocity);
                }
            }
            CrowdLayer::Paths => {
                for agent in chosen() {
                    let goal = crowd.goal_of(agent.id);
                    goal.into_iter().for_each(|goal| sink.draw_line([agent.position, goal], Meaning::Path));
                }
            }
            CrowdLayer::Neighbours => chosen().for_each(|agent| draw_neighbourhood(crowd, agent.id, sink)),
            CrowdLayer::Bubbles => {
                for agent in crowd.agents() {
                    let Some(SpaceModel::Bubbles(bubbles)) = crowd.model_of(agent.group) else { continue };
                    for axes in [[Vec3::X, Vec3::Y], [Vec3::Y, Vec3::Z], [Vec3::Z, Vec3::X]] {
                        draw_circle(agent.position, bubbles.reach, axes, LINES, |point| point, sink);
                    }
                }
            }
            CrowdLayer::Ahead => {}
        }
    }

    /// Draws the box of the room where no cells show it.
    fn draw_lines(&self, _: &SpaceCrowd, layers: &[CrowdLayer], drawing: &mut Drawing) {
        if !layers.contains(&CrowdLayer::Cells) {
            drawing.draw_box(&self.bounds, Meaning::Cell);
        }
    }
}

/// Draws the edges of all cells once, each by the finest level of the cells around it.
fn draw_cells(crowd: &SpaceCrowd, sink: &mut dyn DrawSink) {
    let environment = crowd.environment();
    let mut levels: BTreeMap<[u32; 2], u8> = BTreeMap::new();
    let mut walker = Walker::default();
    for cell in environment.cells() {
        let level = environment.level(cell).unwrap_or(0);
        for ends in edges_of(crowd, cell, &mut walker) {
            let finest = levels.entry(ends).or_default();
            *finest = level.max(*finest);
        }
    }
    let positions = environment.geometry().positions();
    for (ends, level) in levels {
        sink.draw_line(ends.map(|end| positions[end as usize]), Meaning::Level(level.into()));
    }
}

/// Draws the edges of the cell of an agent, after those of the cells around it.
fn draw_neighbourhood(crowd: &SpaceCrowd, agent: u32, sink: &mut dyn DrawSink) {
    let environment = crowd.environment();
    let Some(cell) = crowd.cell_of(agent) else { return };
    let ring = environment.adjacent_cells(cell).ok().flatten().unwrap_or_default();
    let (positions, mut walker) = (environment.geometry().positions(), Walker::default());
    for (cell, meaning) in ring.iter().map(|&cell| (cell, Meaning::Ring)).chain([(cell, Meaning::Present)]) {
        for ends in edges_of(crowd, cell, &mut walker) {
            sink.draw_line(ends.map(|end| positions[end as usize]), meaning);
        }
    }
}

/// Lists the edges of a cell by the numbers of their ends, ascending, each once for each face at it.
fn edges_of(crowd: &SpaceCrowd, cell: u32, walker: &mut Walker) -> Vec<[u32; 2]> {
    let environment = crowd.environment();
    let map = environment.map().map();
    let Some(dart) = environment.dart(cell) else { return Vec::new() };
    let vertex = |dart: Dart| map.id(Orbit::Vertex, dart);
    let darts = walker.orbit(map, Orbit::Volume, dart).iter();
    let mut edges: Vec<[u32; 2]> = darts.map(|&dart| [vertex(dart), vertex(map.phi1(dart))]).collect();
    edges.iter_mut().for_each(|ends| ends.sort_unstable());
    edges
}
