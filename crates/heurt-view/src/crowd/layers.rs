//! Layers of a crowd: cells by level, velocities, paths, the neighbourhood of an agent, the reach of bubbles.

use super::CrowdView;
use heurt_crowd::{AgentState, Crowd, SteeringModel};
use heurt_geometry::{DrawSink, Meaning, Vec2, Vec3};
use std::f64::consts::TAU;

/// Height of lines over the floor, in metres: hidden by nothing that lies on it.
const LIFT: f64 = 0.002;

/// Corners of a circle.
const CORNERS: u32 = 24;

/// Something that a view of a crowd shows next to agents and floor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CrowdLayer {
    /// The edges of cells, by their level.
    Cells,
    /// The velocity of each agent: the distance of one second.
    Velocities,
    /// The paths of the chosen agents to their next goals.
    Paths,
    /// The cells that the chosen agents are in, and the cells next to them.
    Neighbours,
    /// The distance up to which agents keep others off, with the model `bubbles`.
    Bubbles,
    /// The edges ahead of agents with outlines.
    Ahead,
}

impl CrowdLayer {
    /// All layers, in the order in which lists have them.
    pub const ALL: [Self; 6] =
        [Self::Cells, Self::Velocities, Self::Paths, Self::Neighbours, Self::Bubbles, Self::Ahead];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cells => "cells",
            Self::Velocities => "velocities",
            Self::Paths => "paths",
            Self::Neighbours => "neighbours",
            Self::Bubbles => "bubbles",
            Self::Ahead => "ahead",
        }
    }

    /// Returns what the colours of the layer mean.
    pub fn legend(self) -> &'static [(Meaning, &'static str)] {
        match self {
            Self::Cells => &[(Meaning::Level(0), "cell, darker with its level")],
            Self::Velocities => &[(Meaning::Velocity, "velocity, 1 s")],
            Self::Paths => &[(Meaning::Path, "path")],
            Self::Neighbours => &[(Meaning::Present, "cell of the agent"), (Meaning::Ring, "cells around it")],
            Self::Bubbles => &[(Meaning::Reach, "bubble")],
            Self::Ahead => &[(Meaning::Swept, "edge ahead of a body")],
        }
    }

    /// Finds a layer by its name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layer| layer.name() == name)
    }
}

impl CrowdView {
    /// Draws a layer; paths and neighbourhoods are those of the agents in `chosen`, by their numbers.
    pub fn draw_layer(&self, crowd: &Crowd, layer: CrowdLayer, chosen: &[u32], sink: &mut dyn DrawSink) {
        match layer {
            CrowdLayer::Cells => self.draw_cells(crowd, sink),
            CrowdLayer::Velocities => {
                for agent in crowd.agents() {
                    let from = self.place(crowd, &agent) + (LIFT + agent.radius) * Vec3::Z;
                    sink.draw_line([from, from + agent.velocity.extend(0.0)], Meaning::Velocity);
                }
            }
            CrowdLayer::Paths => {
                for agent in self.chosen(crowd, chosen) {
                    self.draw_path(crowd, &agent, sink);
                }
            }
            CrowdLayer::Neighbours => {
                for agent in self.chosen(crowd, chosen) {
                    self.draw_neighbourhood(crowd, &agent, sink);
                }
            }
            CrowdLayer::Bubbles => {
                let SteeringModel::Bubbles(bubbles) = crowd.settings().model else { return };
                for agent in crowd.agents() {
                    let mut is_disc = true;
                    for corners in crowd.sections_of(agent.id) {
                        is_disc = false;
                        for (k, &a) in corners.iter().enumerate() {
                            let ends = [a, corners[(k + 1) % corners.len()]];
                            self.draw_ellipse(crowd, agent.floor, ends, bubbles.reach, sink);
                        }
                    }
                    if is_disc {
                        draw_circle(self.place(crowd, &agent) + LIFT * Vec3::Z, bubbles.reach, sink);
                    }
                }
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

    /// Draws the places from which the distances to both ends of an edge add up to its length and twice `reach`.
    fn draw_ellipse(&self, crowd: &Crowd, floor: u32, [a, b]: [Vec2; 2], reach: f64, sink: &mut dyn DrawSink) {
        let (middle, length) = (a.midpoint(b), a.distance(b));
        let (along, half) = ((b - a) / length, 0.5 * length + reach);
        let across = along.perp() * (reach * (length + reach)).sqrt();
        let corner = |k: u32| {
            let (sin, cos) = (TAU * f64::from(k % CORNERS) / f64::from(CORNERS)).sin_cos();
            let point = middle + along * (half * cos) + across * sin;
            self.storeys.place(crowd.ground(), floor, point) + LIFT * Vec3::Z
        };
        (0..CORNERS).for_each(|k| sink.draw_line([corner(k), corner(k + 1)], Meaning::Reach));
    }

    fn chosen(&self, crowd: &Crowd, chosen: &[u32]) -> impl Iterator<Item = AgentState> {
        crowd.agents().filter(|agent| chosen.contains(&agent.id))
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

fn draw_circle(centre: Vec3, radius: f64, sink: &mut dyn DrawSink) {
    let corner = |k: u32| {
        let (sin, cos) = (TAU * f64::from(k % CORNERS) / f64::from(CORNERS)).sin_cos();
        centre + radius * Vec3::new(cos, sin, 0.0)
    };
    (0..CORNERS).for_each(|k| sink.draw_line([corner(k), corner(k + 1)], Meaning::Reach));
}
