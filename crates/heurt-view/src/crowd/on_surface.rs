//! Views of crowds on curved ground.

use super::CrowdLayer;
use super::agent_view::{AgentPart, AgentView, NO_TURN, PartForm, Scenery, SpeedScale};
use super::balls::{LEAST_RADIUS, SpeedRange, ball_surface};
use super::prism::{prism_surface, prism_vertices};
use super::reach::{draw_circle, draw_ellipse};
use crate::Surface;
use crate::palette::Colour;
use crate::wire::AgentPlace;
use heurt_crowd::space::SpaceModel;
use heurt_crowd::surface::{SurfaceAgentState, SurfaceCrowd, SurfaceGround};
use heurt_geometry::{Aabb, DrawSink, Meaning, Vec3};
use heurt_map::{CombinatorialMap, Orbit};
use heurt_mesh::TriMesh;

/// Sand and brick: colours of agents are neither.
const FREE: Colour = [0xdc, 0xd6, 0xc8];
const BUILDING: Colour = [0x8c, 0x6d, 0x5a];

/// Height of drawn bodies above the ground, and depth below it, in metres.
const BODY_HEIGHT: f64 = 0.4;

/// Height of lines over the ground, as a share of the size of the surface: hidden by nothing that lies on it.
const LIFT: f64 = 3e-4;

/// Lines of a circle.
const LINES: u32 = 24;

/// How agents on curved ground are shown: discs as balls that touch the ground, bodies as prisms that bend with it.
#[derive(Debug, Clone, Copy)]
pub struct SurfaceView {
    bounds: Aabb,
    speeds: SpeedRange,
    lift: f64,
}

impl SurfaceView {
    /// Makes the view of a crowd, as it is at its start.
    pub fn new(crowd: &SurfaceCrowd<'_>) -> Self {
        let bounds = Aabb::from_points(crowd.environment().geometry().positions().iter().copied());
        let lift = LIFT * (bounds.max - bounds.min).length();
        Self { bounds, speeds: SpeedRange::of(crowd.agents().map(|agent| agent.speed)), lift }
    }

    /// Returns the corners of a cell as it is drawn, and its normal; none for a number without a cell.
    fn corners_of(&self, crowd: &SurfaceCrowd<'_>, cell: u32) -> Vec<Vec3> {
        let environment = crowd.environment();
        let (map, positions) = (environment.map().map(), environment.geometry().positions());
        let Some(dart) = environment.dart(cell) else { return Vec::new() };
        let corners: Vec<Vec3> =
            map.face_darts(dart).map(|dart| positions[map.id(Orbit::Vertex, dart) as usize]).collect();
        let across = |k: usize| corners[k].cross(corners[(k + 1) % corners.len()]);
        let normal = (0..corners.len()).map(across).sum::<Vec3>().normalize_or_zero();
        corners.iter().map(|&corner| corner + normal * self.lift).collect()
    }

    fn draw_cell_edges(&self, crowd: &SurfaceCrowd<'_>, cell: u32, meaning: Meaning, sink: &mut dyn DrawSink) {
        let corners = self.corners_of(crowd, cell);
        for (k, &corner) in corners.iter().enumerate() {
            sink.draw_line([corner, corners[(k + 1) % corners.len()]], meaning);
        }
    }

    fn draw_neighbourhood(&self, crowd: &SurfaceCrowd<'_>, agent: u32, sink: &mut dyn DrawSink) {
        let Some(cell) = crowd.cell_of(agent) else { return };
        let ring = crowd.environment().adjacent_cells(cell).ok().flatten().unwrap_or_default();
        for (cell, meaning) in ring.iter().map(|&cell| (cell, Meaning::Ring)).chain([(cell, Meaning::Present)]) {
            let corners = self.corners_of(crowd, cell);
            for k in 1..corners.len().max(1) - 1 {
                sink.draw_triangle([corners[0], corners[k], corners[k + 1]], meaning);
            }
        }
    }

    fn draw_path(&self, crowd: &SurfaceCrowd<'_>, agent: &SurfaceAgentState, sink: &mut dyn DrawSink) {
        let lift = agent.normal * self.lift;
        for ends in crowd.path_of(agent.id).windows(2) {
            sink.draw_line([ends[0] + lift, ends[1] + lift], Meaning::Path);
        }
    }

    fn draw_bubble(&self, crowd: &SurfaceCrowd<'_>, agent: &SurfaceAgentState, reach: f64, sink: &mut dyn DrawSink) {
        let mut is_disc = true;
        for (corners, normal) in crowd.sections_of(agent.id).zip(crowd.section_normals_of(agent.id)) {
            is_disc = false;
            let place = |point: Vec3| point + normal * self.lift;
            for (k, &a) in corners.iter().enumerate() {
                draw_ellipse([a, corners[(k + 1) % corners.len()]], reach, normal, LINES, place, sink);
            }
        }
        if is_disc {
            let across = agent.normal.any_orthonormal_vector();
            let axes = [across, agent.normal.cross(across)];
            draw_circle(agent.position + agent.normal * self.lift, reach, axes, LINES, |point| point, sink);
        }
    }
}

impl<'g> AgentView<SurfaceCrowd<'g>> for SurfaceView {
    fn bounds(&self) -> Aabb {
        self.bounds
    }

    fn scenery(&self, crowd: &SurfaceCrowd<'g>) -> Vec<Scenery> {
        let parts = [(true, FREE, "free surface"), (false, BUILDING, "buildings")];
        let part = |(is_free, colour, name)| {
            let mut surface = Surface::of_mesh(&part_of(crowd.ground(), is_free)?);
            // The edges of all faces would hide the agents.
            surface.edges.clear();
            Some(Scenery { name, surface, colour, is_plain: false })
        };
        parts.into_iter().filter_map(part).collect()
    }

    fn speeds(&self) -> SpeedScale {
        SpeedRange::SCALE
    }

    fn names<'c>(&self, crowd: &'c SurfaceCrowd<'g>) -> &'c [String] {
        crowd.names()
    }

    fn time(&self, crowd: &SurfaceCrowd<'g>) -> f64 {
        crowd.time()
    }

    fn arrived(&self, crowd: &SurfaceCrowd<'g>) -> usize {
        crowd.arrived()
    }

    fn find_agent(&self, crowd: &SurfaceCrowd<'g>, name: &str) -> Option<u32> {
        crowd.find_agent(name)
    }

    fn parts(&self, crowd: &SurfaceCrowd<'g>) -> Vec<AgentPart> {
        let mut parts = Vec::with_capacity(crowd.agents().len());
        for agent in crowd.agents() {
            let SurfaceAgentState { id, group, position, velocity, normal, radius, speed: own_speed, .. } = agent;
            let mut add = |section, form, at| {
                let place = AgentPlace { at, heading: NO_TURN, speed: self.speeds.share(own_speed) };
                parts.push(AgentPart { agent: id, group, section, form, place, velocity, own_speed });
            };
            let mut sections = 0;
            for (corners, normal) in crowd.sections_of(id).zip(crowd.section_normals_of(id)) {
                let up = normal * BODY_HEIGHT;
                let low = corners.iter().map(|&corner| corner - up - position);
                add(sections, PartForm::Bent(prism_vertices(low, 2.0 * up)), position);
                sections += 1;
            }
            if sections == 0 {
                let radius = radius.max(LEAST_RADIUS);
                add(0, PartForm::Ball(radius), position + normal * radius);
            }
        }
        parts
    }

    fn surface_of(&self, _: &SurfaceCrowd<'g>, part: &AgentPart) -> Surface {
        match &part.form {
            PartForm::Bent(vertices) => prism_surface(vertices.clone()),
            PartForm::Disc(radius) | PartForm::Ball(radius) => ball_surface(*radius),
            PartForm::Section => Surface::default(),
        }
    }

    fn has_layer(&self, crowd: &SurfaceCrowd<'g>, layer: CrowdLayer) -> bool {
        let has_bubbles = |group| matches!(crowd.model_of(group), Some(SpaceModel::Bubbles(_)));
        match layer {
            CrowdLayer::Bubbles => (0..crowd.names().len() as u32).any(has_bubbles),
            CrowdLayer::Ahead => crowd.agents().any(|agent| crowd.sections_of(agent.id).len() > 0),
            _ => true,
        }
    }

    fn draw_layer(&self, crowd: &SurfaceCrowd<'g>, layer: CrowdLayer, chosen: &[u32], sink: &mut dyn DrawSink) {
        let chosen = || crowd.agents().filter(|agent| chosen.contains(&agent.id));
        match layer {
            CrowdLayer::Cells => {
                for cell in crowd.environment().cells() {
                    let level = crowd.environment().level(cell).unwrap_or(0);
                    self.draw_cell_edges(crowd, cell, Meaning::Level(level.into()), sink);
                }
            }
            CrowdLayer::Velocities => {
                for agent in crowd.agents() {
                    let from = agent.position + agent.normal * (2.0 * agent.radius + self.lift);
                    sink.draw_line([from, from + agent.velocity], Meaning::Velocity);
                }
            }
            CrowdLayer::Paths => chosen().for_each(|agent| self.draw_path(crowd, &agent, sink)),
            CrowdLayer::Neighbours => chosen().for_each(|agent| self.draw_neighbourhood(crowd, agent.id, sink)),
            CrowdLayer::Bubbles => {
                for agent in crowd.agents() {
                    if let Some(SpaceModel::Bubbles(bubbles)) = crowd.model_of(agent.group) {
                        self.draw_bubble(crowd, &agent, bubbles.reach, sink);
                    }
                }
            }
            CrowdLayer::Ahead => {
                for agent in crowd.agents() {
                    let lift = agent.normal * (BODY_HEIGHT + self.lift);
                    for ends in crowd.path_ahead_of(agent.id).windows(2) {
                        sink.draw_line([ends[0] + lift, ends[1] + lift], Meaning::Swept);
                    }
                }
            }
        }
    }
}

/// Returns the free faces, or the faces of buildings; `None` if there are none.
fn part_of(ground: &SurfaceGround, is_free: bool) -> Option<TriMesh> {
    let faces = (0..ground.face_count() as u32).filter(|&face| ground.is_free(face) == is_free);
    let corners: Vec<_> = faces.flat_map(|face| ground.corners_of(face)).collect();
    let triangles = (0..corners.len() as u32 / 3).map(|face| [0, 1, 2].map(|k| 3 * face + k)).collect();
    TriMesh::new(corners, triangles).ok()
}
