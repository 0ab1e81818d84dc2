//! Runs a scene of agents on curved ground.
//!
//! In: the scene and the options of `heurt run`. Out: as of agents that fly (`space`); pictures show the surface and
//! its buildings.

use super::super::{Order, RunArguments};
use super::report_faults;
use super::space::{Ball, SpatialCrowd, cell_entry, check_layers, count_steps, run_crowd};
use crate::Failure;
use crate::files::NotedFiles;
use crate::output::Output;
use crate::status::Status;
use heurt::crowd::CrowdReport;
use heurt::crowd::surface::{SurfaceAgentState, SurfaceCrowd, SurfaceGround};
use heurt::geometry::{Aabb, Draw, Pose, Vec3};
use heurt::io::{TrajectoryHeader, TrajectoryStep};
use heurt::map::MapEdges;
use heurt::mesh::{TriMesh, triangulate_with_holes};
use heurt::scene::{
    CrowdReportJson, CrowdRunFacts, RecordHeader, SurfaceScene, surface_outline_rows, surface_trajectory_header,
    surface_trajectory_step,
};
use heurt::view::Surface;
use heurt::view::palette::Colour;
use heurt::view::picture::{Drawing, LegendEntry};

/// Sand and brick: colours of agents are neither.
const FREE: Colour = [0xdc, 0xd6, 0xc8];
const BUILDING: Colour = [0x8c, 0x6d, 0x5a];

/// Runs the scene.
pub(super) fn run(arguments: &RunArguments, order: &Order, out: &mut Output) -> Result<Status, Failure> {
    let has_cells = check_layers(arguments, true)?;
    let RecordHeader { scene: text, folder, .. } = &order.header;
    let mut scene = SurfaceScene::read(text, folder, &NotedFiles).map_err(|fault| order.bad_scene(fault))?;
    if let Some(seed) = arguments.seed {
        scene.settings.seed = seed;
    }
    let step = scene.step;
    let steps = count_steps(arguments, order, (step, scene.seconds), |most| scene.lasts_too_long(most))?;
    let (mut crowd, faults, left_out) = scene.build_without_faulty();
    report_faults(arguments, order, faults)?;
    run_crowd(arguments, order, &mut crowd, (step, steps, has_cells), (left_out, scene.count_agents()), out)
}

impl SpatialCrowd for SurfaceCrowd<'_> {
    fn take_step(&mut self, step: f64) {
        self.step(step);
    }

    fn is_over(&self) -> bool {
        self.is_empty()
    }

    fn seconds(&self) -> f64 {
        self.time()
    }

    fn header(&self, step: f64) -> TrajectoryHeader {
        surface_trajectory_header(self, step)
    }

    fn rows(&self, number: u64) -> TrajectoryStep {
        surface_trajectory_step(self, number)
    }

    /// Returns balls that touch the surface from outside.
    fn balls(&self) -> Vec<Ball> {
        let ball = |agent: SurfaceAgentState| {
            let SurfaceAgentState { id: number, position, normal, radius, speed, .. } = agent;
            let has_outline = self.sections_of(number).len() > 0;
            Ball { number, centre: position + normal * radius, radius, speed, has_outline }
        };
        self.agents().map(ball).collect()
    }

    fn outlines(&self, step: u64) -> String {
        surface_outline_rows(self, step)
    }

    /// Draws sections as prisms over their corners.
    fn draw_bodies(&self, colour: &dyn Fn(f64) -> Colour, drawing: &mut Drawing) {
        for agent in self.agents() {
            for (corners, normal) in self.sections_of(agent.id).zip(self.section_normals_of(agent.id)) {
                let Some(surface) = prism(corners, normal * BODY_HEIGHT) else { continue };
                let surface = drawing.add_surface(surface);
                drawing.add_instance(surface, Pose::IDENTITY, colour(agent.speed));
            }
        }
    }

    fn summary(&self) -> CrowdReport {
        self.report()
    }

    fn json(&self, facts: &CrowdRunFacts) -> CrowdReportJson {
        CrowdReportJson::of_surface(self, facts)
    }

    fn bounds(&self) -> Aabb {
        Aabb::from_points(self.environment().geometry().positions().iter().copied())
    }

    fn draw_place(&self, has_cells: bool, drawing: &mut Drawing, legend: &mut Vec<LegendEntry>) {
        for (is_free, colour, name) in [(true, FREE, "free surface"), (false, BUILDING, "building")] {
            let Some(mesh) = part_of(self.ground(), is_free) else { continue };
            let mut surface = Surface::of_mesh(&mesh);
            // The edges of all faces would hide the agents.
            surface.edges.clear();
            let surface = drawing.add_surface(surface);
            drawing.add_instance(surface, Pose::IDENTITY, colour);
            legend.push(LegendEntry { colour, name: name.to_owned() });
        }
        if has_cells {
            let environment = self.environment();
            let place = |vertex| Some(environment.geometry().positions()[vertex as usize]);
            MapEdges { map: environment.map().map(), place }.draw(drawing);
            legend.push(cell_entry());
        }
    }
}

/// Height of drawn bodies, in metres.
const BODY_HEIGHT: f64 = 0.4;

/// Makes the upper side of a body and the sides below its edges.
fn prism(corners: &[Vec3], up: Vec3) -> Option<Surface> {
    let count = corners.len() as u32;
    let vertices: Vec<Vec3> = corners.iter().flat_map(|&corner| [corner - up, corner + up]).collect();
    let upper: Vec<u32> = (0..count).map(|k| 2 * k + 1).collect();
    let mut triangles = triangulate_with_holes(&vertices, &upper, &[])?;
    for k in 0..count {
        let [a, b] = [2 * k, 2 * ((k + 1) % count)];
        triangles.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
    }
    let mut surface = Surface::of_mesh(&TriMesh::new(vertices, triangles).ok()?);
    surface.edges = (0..count).map(|k| [2 * k + 1, 2 * ((k + 1) % count) + 1]).collect();
    Some(surface)
}

/// Returns the free faces, or the faces of buildings; `None` if there are none.
fn part_of(ground: &SurfaceGround, is_free: bool) -> Option<TriMesh> {
    let faces = (0..ground.face_count() as u32).filter(|&face| ground.is_free(face) == is_free);
    let corners: Vec<_> = faces.flat_map(|face| ground.corners_of(face)).collect();
    let triangles = (0..corners.len() as u32 / 3).map(|face| [0, 1, 2].map(|k| 3 * face + k)).collect();
    TriMesh::new(corners, triangles).ok()
}
