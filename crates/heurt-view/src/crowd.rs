//! Pictures of crowds: the floor, its cells by level, walls, and agents with their speed as colour.
//!
//! In: a crowd. Out: a drawing, z up, in metres.
//! Method: agents are short cylinders; the colour of an agent is its speed as a share of its own speed, from dark (at
//! rest) to yellow (full speed).
//! Cost: O(cells + agents).

use crate::Surface;
use crate::palette::{Colour, level_colour};
use crate::picture::Drawing;
use heurt_crowd::{AgentState, Crowd};
use heurt_geometry::{Pose, Vec2, Vec3};
use heurt_map::{CombinatorialMap, Orbit};
use std::f64::consts::TAU;

/// Corners of an agent's outline.
const CORNERS: u32 = 16;

/// Height of an agent, in radii: low, so that agents behind are seen.
const HEIGHT: f64 = 1.0;

/// Height of walls, in metres.
const WALL_HEIGHT: f64 = 0.5;

/// Colours of speeds.
const SPEEDS: usize = 9;

const FLOOR: Colour = [0xf2, 0xf3, 0xf5];
const WALL: Colour = [0x5a, 0x62, 0x6b];

/// Draws a crowd as it is.
pub fn draw_crowd(crowd: &Crowd) -> Drawing {
    let mut drawing = Drawing::default();
    draw_floor(crowd, &mut drawing);
    let walls = drawing.add_surface(walls_of(crowd));
    drawing.add_instance(walls, Pose::IDENTITY, WALL);
    let mut by_speed: Vec<Surface> = (0..SPEEDS).map(|_| Surface::default()).collect();
    for agent in crowd.agents() {
        add_agent(&mut by_speed[speed_class(&agent)], &agent);
    }
    for (class, surface) in by_speed.into_iter().enumerate().filter(|(_, surface)| !surface.triangles.is_empty()) {
        let number = drawing.add_surface(surface);
        drawing.add_instance(number, Pose::IDENTITY, speed_colour(class as f64 / (SPEEDS - 1) as f64));
    }
    drawing
}

/// Returns the colour of a speed as a share of the own speed.
pub fn speed_colour(share: f64) -> Colour {
    let class = (share.clamp(0.0, 1.0) * (SPEEDS - 1) as f64).round() as usize;
    level_colour(SPEEDS - 1 - class)
}

fn speed_class(agent: &AgentState) -> usize {
    let share = if agent.speed > 0.0 { agent.velocity.length() / agent.speed } else { 0.0 };
    (share.clamp(0.0, 1.0) * (SPEEDS - 1) as f64).round() as usize
}

/// Adds the cells: their area, and their edges in a grey that darkens with the level.
fn draw_floor(crowd: &Crowd, drawing: &mut Drawing) {
    let environment = crowd.environment();
    let (map, positions) = (environment.map().map(), environment.geometry().positions());
    let mut floor = Surface::default();
    for cell in environment.cells() {
        let Some(dart) = environment.dart(cell) else { continue };
        let corners: Vec<Vec3> =
            map.face_darts(dart).map(|dart| positions[map.id(Orbit::Vertex, dart) as usize].extend(0.0)).collect();
        let first = floor.vertices.len() as u32;
        floor.triangles.extend((1..corners.len() as u32 - 1).map(|k| [first, first + k, first + k + 1]));
        let level = environment.level(cell).unwrap_or(0);
        let grey = 0xe0 - 0x14 * level.min(6);
        for (k, &corner) in corners.iter().enumerate() {
            let ends = [corner, corners[(k + 1) % corners.len()]].map(|end| end + 0.001 * Vec3::Z);
            drawing.add_line(ends, [grey; 3]);
        }
        floor.vertices.extend(corners);
    }
    let number = drawing.add_surface(floor);
    drawing.add_instance(number, Pose::IDENTITY, FLOOR);
}

fn walls_of(crowd: &Crowd) -> Surface {
    let mut surface = Surface::default();
    for &[a, b] in crowd.ground().walls() {
        let first = surface.vertices.len() as u32;
        surface.edges.push([first + 2, first + 3]);
        let up = WALL_HEIGHT * Vec3::Z;
        surface.vertices.extend([a.extend(0.0), b.extend(0.0), b.extend(0.0) + up, a.extend(0.0) + up]);
        // Seen from both sides.
        for [i, j, k] in [[0, 1, 2], [0, 2, 3], [2, 1, 0], [3, 2, 0]] {
            surface.triangles.push([first + i, first + j, first + k]);
        }
    }
    surface
}

/// Adds a cylinder.
fn add_agent(surface: &mut Surface, agent: &AgentState) {
    let first = surface.vertices.len() as u32;
    let height = HEIGHT * agent.radius;
    for k in 0..CORNERS {
        let (sin, cos) = (TAU * f64::from(k) / f64::from(CORNERS)).sin_cos();
        let corner = agent.position + Vec2::new(cos, sin) * agent.radius;
        surface.vertices.extend([corner.extend(0.0), corner.extend(height)]);
    }
    let at = |k: u32, top: u32| first + 2 * (k % CORNERS) + top;
    for k in 0..CORNERS {
        surface.triangles.push([at(k, 0), at(k + 1, 0), at(k + 1, 1)]);
        surface.triangles.push([at(k, 0), at(k + 1, 1), at(k, 1)]);
        if (1..CORNERS - 1).contains(&k) {
            surface.triangles.push([at(0, 1), at(k, 1), at(k + 1, 1)]);
        }
        surface.edges.push([at(k, 1), at(k + 1, 1)]);
    }
}
