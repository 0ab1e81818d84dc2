//! Views of crowds on floors.

use super::agent_view::{AgentPart, AgentView, NO_TURN, PartForm, Scenery, SpeedScale};
use super::prism::{prism_surface, prism_vertices};
use super::reach::{draw_circle, draw_ellipse};
use super::surfaces::{SECTION_HEIGHT, WALL_HEIGHT, agent_surface};
use super::{CrowdLayer, CrowdView, FLOOR, ROAD_COLOUR, WALL};
use crate::Surface;
use crate::picture::Drawing;
use crate::wire::AgentPlace;
use heurt_crowd::{AgentState, Crowd, SteeringModel};
use heurt_geometry::{Aabb, DrawSink, Meaning, Vec2, Vec3};

/// Height of lines over the floor, in metres: hidden by nothing that lies on it.
const LIFT: f64 = 0.002;

/// Lines of a circle.
const LINES: u32 = 24;

impl AgentView<Crowd> for CrowdView {
    fn bounds(&self) -> Aabb {
        let Aabb { min, max } = self.storeys.bounds;
        Aabb { min, max: max + WALL_HEIGHT * Vec3::Z }
    }

    fn scenery(&self, crowd: &Crowd) -> Vec<Scenery> {
        let mut all = vec![
            Scenery { name: "floor", surface: self.floor_surface(crowd), colour: FLOOR, is_plain: true },
            Scenery { name: "walls", surface: self.wall_surface(crowd), colour: WALL, is_plain: true },
        ];
        if self.has_roads() {
            all.push(Scenery { name: "roads", surface: self.roads.clone(), colour: ROAD_COLOUR, is_plain: false });
        }
        all
    }

    fn speeds(&self) -> SpeedScale {
        SpeedScale { label: "Speed", names: ["at rest", "half speed", "full speed"] }
    }

    fn names<'c>(&self, crowd: &'c Crowd) -> &'c [String] {
        crowd.names()
    }

    fn time(&self, crowd: &Crowd) -> f64 {
        crowd.time()
    }

    fn arrived(&self, crowd: &Crowd) -> usize {
        crowd.arrived()
    }

    fn find_agent(&self, crowd: &Crowd, name: &str) -> Option<u32> {
        crowd.find_agent(name)
    }

    fn parts(&self, crowd: &Crowd) -> Vec<AgentPart> {
        let mut parts = Vec::with_capacity(crowd.agents().len());
        for agent in crowd.agents() {
            let AgentState { id, group, radius, velocity, speed: own_speed, .. } = agent;
            let speed = speed_share(&agent);
            let mut add = |section, form, at, heading| {
                let place = AgentPlace { at, heading, speed };
                let velocity = velocity.extend(0.0);
                parts.push(AgentPart { agent: id, group, section, form, place, velocity, own_speed });
            };
            let is_bent = self.has_slopes || crowd.is_deforming(id);
            let mut sections = 0;
            let bodies = crowd.sections_of(id).zip(crowd.section_floors_of(id)).zip(crowd.section_frames_of(id));
            for ((corners, &floor), [origin, heading]) in bodies {
                let place = |corner| self.storeys.place(crowd.ground(), floor, corner);
                let at = place(origin);
                if is_bent {
                    let vertices =
                        prism_vertices(corners.iter().map(|&corner| place(corner) - at), SECTION_HEIGHT * Vec3::Z);
                    add(sections, PartForm::Bent(vertices), at, NO_TURN);
                } else {
                    add(sections, PartForm::Section, at, heading);
                }
                sections += 1;
            }
            if sections == 0 {
                add(0, PartForm::Disc(radius), self.place(crowd, &agent), NO_TURN);
            }
        }
        parts
    }

    fn surface_of(&self, crowd: &Crowd, part: &AgentPart) -> Surface {
        match &part.form {
            PartForm::Disc(radius) | PartForm::Ball(radius) => agent_surface(*radius),
            PartForm::Bent(vertices) => prism_surface(vertices.clone()),
            PartForm::Section => {
                let section = part.section as usize;
                let frame = crowd.section_frames_of(part.agent).nth(section);
                let [origin, heading] = frame.unwrap_or([Vec2::ZERO, Vec2::X]);
                let back = Vec2::new(heading.x, -heading.y);
                let corners = crowd.sections_of(part.agent).nth(section).unwrap_or_default();
                let own = corners.iter().map(|&corner| back.rotate(corner - origin).extend(0.0));
                prism_surface(prism_vertices(own, SECTION_HEIGHT * Vec3::Z))
            }
        }
    }

    fn usual_layers(&self) -> &[CrowdLayer] {
        &[CrowdLayer::Cells]
    }

    fn has_layer(&self, crowd: &Crowd, layer: CrowdLayer) -> bool {
        match layer {
            CrowdLayer::Bubbles => matches!(crowd.settings().model, SteeringModel::Bubbles(_)),
            CrowdLayer::Ahead => crowd.agents().any(|agent| crowd.sections_of(agent.id).next().is_some()),
            _ => true,
        }
    }

    fn draw_layer(&self, crowd: &Crowd, layer: CrowdLayer, chosen: &[u32], sink: &mut dyn DrawSink) {
        let chosen = || crowd.agents().filter(|agent| chosen.contains(&agent.id));
        match layer {
            CrowdLayer::Cells => self.draw_cells(crowd, sink),
            CrowdLayer::Velocities => {
                for agent in crowd.agents() {
                    let from = self.place(crowd, &agent) + (LIFT + agent.radius) * Vec3::Z;
                    sink.draw_line([from, from + agent.velocity.extend(0.0)], Meaning::Velocity);
                }
            }
            CrowdLayer::Paths => chosen().for_each(|agent| self.draw_path(crowd, &agent, sink)),
            CrowdLayer::Neighbours => chosen().for_each(|agent| self.draw_neighbourhood(crowd, &agent, sink)),
            CrowdLayer::Bubbles => {
                let SteeringModel::Bubbles(bubbles) = crowd.settings().model else { return };
                crowd.agents().for_each(|agent| self.draw_bubble(crowd, &agent, bubbles.reach, sink));
            }
            CrowdLayer::Ahead => {
                for agent in crowd.agents() {
                    for ends in crowd.edges_ahead_of(agent.id) {
                        let place = |end| self.storeys.place(crowd.ground(), agent.floor, end) + LIFT * Vec3::Z;
                        sink.draw_line(ends.map(place), Meaning::Swept);
                    }
                }
            }
        }
    }

    /// Draws the tops of walls: from above a wall has no width. Later lines are drawn over earlier ones.
    fn draw_lines(&self, crowd: &Crowd, _: &[CrowdLayer], drawing: &mut Drawing) {
        for wall in crowd.ground().walls() {
            let top = wall.ends.map(|end| self.storeys.place(crowd.ground(), wall.floor, end) + WALL_HEIGHT * Vec3::Z);
            drawing.add_line(top, WALL);
        }
    }
}

impl CrowdView {
    /// Draws the bubble of an agent, or those of the edges of its body.
    fn draw_bubble(&self, crowd: &Crowd, agent: &AgentState, reach: f64, sink: &mut dyn DrawSink) {
        let place = |point: Vec3| self.storeys.place(crowd.ground(), agent.floor, point.truncate()) + LIFT * Vec3::Z;
        let mut is_disc = true;
        for corners in crowd.sections_of(agent.id) {
            is_disc = false;
            for (k, &a) in corners.iter().enumerate() {
                let ends = [a, corners[(k + 1) % corners.len()]].map(|end| end.extend(0.0));
                draw_ellipse(ends, reach, Vec3::Z, LINES, place, sink);
            }
        }
        if is_disc {
            let centre = self.place(crowd, agent) + LIFT * Vec3::Z;
            draw_circle(centre, reach, [Vec3::X, Vec3::Y], LINES, |point| point, sink);
        }
    }

    fn draw_cells(&self, crowd: &Crowd, sink: &mut dyn DrawSink) {
        for cell in crowd.environment().cells() {
            let level = crowd.environment().level(cell).unwrap_or(0);
            let corners = self.corners_of(crowd, cell);
            for (k, &corner) in corners.iter().enumerate() {
                let ends = [corner, corners[(k + 1) % corners.len()]].map(|end| end + LIFT * Vec3::Z);
                sink.draw_line(ends, Meaning::Level(level.into()));
            }
        }
    }

    fn draw_path(&self, crowd: &Crowd, agent: &AgentState, sink: &mut dyn DrawSink) {
        let mut at = self.place(crowd, agent) + LIFT * Vec3::Z;
        for bend in crowd.path_of(agent.id) {
            // On the next storey the path goes on where that is drawn.
            let Some(floor) = crowd.ground().floor_near(bend) else { return };
            let next = self.storeys.shift(floor, bend) + LIFT * Vec3::Z;
            sink.draw_line([at, next], Meaning::Path);
            at = next;
        }
    }

    fn draw_neighbourhood(&self, crowd: &Crowd, agent: &AgentState, sink: &mut dyn DrawSink) {
        let Some(cell) = crowd.cell_of(agent.id) else { return };
        let ring = crowd.environment().adjacent_cells(cell).ok().flatten().unwrap_or_default();
        let cells = ring.iter().map(|&cell| (cell, Meaning::Ring)).chain([(cell, Meaning::Present)]);
        for (cell, meaning) in cells {
            let corners: Vec<Vec3> =
                self.corners_of(crowd, cell).into_iter().map(|corner| corner + 0.5 * LIFT * Vec3::Z).collect();
            for k in 1..corners.len().max(1) - 1 {
                sink.draw_triangle([corners[0], corners[k], corners[k + 1]], meaning);
            }
        }
    }
}

/// Returns the speed of an agent as a share of its own speed, from 0 to 1.
fn speed_share(agent: &AgentState) -> f64 {
    let share = if agent.speed > 0.0 { agent.velocity.length() / agent.speed } else { 0.0 };
    share.clamp(0.0, 1.0)
}
