//! Pictures of crowds: the floor, its cells by level, walls, and agents with their speed as colour.
//!
//! In: a crowd. Out: a drawing, z up, in metres; storeys lie side by side, the lowest first.
//! Method: agents are short cylinders; the colour of an agent is its speed as a share of its own speed, from dark (at
//! rest) to yellow (full speed).
//! Cost: O(cells + agents).

use crate::Surface;
use crate::palette::{Colour, level_colour};
use crate::picture::Drawing;
use heurt_crowd::{AgentState, Crowd};
use heurt_geometry::{Aabb, FloorArea, Pose, Vec2, Vec3};
use heurt_map::{CombinatorialMap, Dart, Map2, Orbit};
use std::f64::consts::TAU;

/// Corners of an agent's outline.
const CORNERS: u32 = 16;

/// Height of an agent, in radii: low, so that agents behind are seen.
const HEIGHT: f64 = 1.0;

/// Height of walls, in metres.
const WALL_HEIGHT: f64 = 0.5;

/// Level floors this much higher than the last storey begin a new one, in metres: landings between storeys do not.
const STOREY: f64 = 2.0;

/// Colours of speeds.
const SPEEDS: usize = 9;

const FLOOR: Colour = [0xf2, 0xf3, 0xf5];
/// The colour of roads: grey of asphalt.
pub const ROAD_COLOUR: Colour = [0xb4, 0xb9, 0xc2];
const WALL: Colour = [0x5a, 0x62, 0x6b];

/// Draws a crowd as it is: storeys side by side, the lowest first. `roads` are the carriageways of a map, on floors of
/// the crowd. Returns the drawing and the box around it.
pub fn draw_crowd(crowd: &Crowd, roads: &[FloorArea]) -> (Drawing, Aabb) {
    let mut drawing = Drawing::default();
    let storeys = Storeys::new(crowd);
    draw_floor(crowd, &storeys, &mut drawing);
    let roads = drawing.add_surface(surface_of_roads(roads, &storeys));
    drawing.add_instance(roads, Pose::IDENTITY, ROAD_COLOUR);
    let walls = drawing.add_surface(walls_of(crowd, &storeys));
    drawing.add_instance(walls, Pose::IDENTITY, WALL);
    for wall in crowd.ground().walls() {
        // From above a wall has no width: its top is a line.
        drawing.add_line(wall.ends.map(|end| storeys.place(crowd, wall.floor, end) + WALL_HEIGHT * Vec3::Z), WALL);
    }
    let mut by_speed: Vec<Surface> = (0..SPEEDS).map(|_| Surface::default()).collect();
    for agent in crowd.agents() {
        let place = storeys.place(crowd, agent.floor, agent.position);
        add_agent(&mut by_speed[speed_class(&agent)], place, agent.radius);
    }
    for (class, surface) in by_speed.into_iter().enumerate().filter(|(_, surface)| !surface.triangles.is_empty()) {
        let number = drawing.add_surface(surface);
        drawing.add_instance(number, Pose::IDENTITY, speed_colour(class as f64 / (SPEEDS - 1) as f64));
    }
    (drawing, storeys.bounds)
}

/// The storey of each floor, and where storeys are drawn.
struct Storeys {
    /// By floor: the offset of its storey in the drawing.
    offsets: Vec<Vec3>,
    /// The height of each storey.
    heights: Vec<f64>,
    /// The offset in plan from a storey to the next.
    pitch: Vec2,
    bounds: Aabb,
}

impl Storeys {
    /// Sorts floors by height. A floor begins a new storey if it is level and more than [`STOREY`] above the last one;
    /// stairs belong to the storey of their foot.
    fn new(crowd: &Crowd) -> Self {
        let floors = crowd.ground().floors();
        let mut levels: Vec<f64> =
            floors.iter().filter(|floor| floor.slope == Vec2::ZERO).map(|floor| floor.at.z).collect();
        levels.sort_by(f64::total_cmp);
        let mut storeys: Vec<f64> = Vec::new();
        for level in levels {
            if storeys.last().is_none_or(|last| level - last >= STOREY) {
                storeys.push(level);
            }
        }
        let [low, high] = crowd.ground().bounds();
        // Wide plans lie behind each other, deep plans side by side.
        let size = high - low;
        let pitch = if size.x > size.y { Vec2::new(0.0, 1.1 * size.y) } else { Vec2::new(1.1 * size.x, 0.0) };
        let bounds = Aabb { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };
        let mut storeys = Self { offsets: Vec::new(), heights: storeys, pitch, bounds };
        storeys.offsets = floors.iter().map(|floor| storeys.offset_of(floor)).collect();
        for (floor, &offset) in floors.iter().zip(&storeys.offsets) {
            for &corner in &floor.area.outline {
                let corner = floor.over(corner) + offset;
                let Aabb { min, max } = &mut storeys.bounds;
                (*min, *max) = (min.min(corner), max.max(corner + WALL_HEIGHT * Vec3::Z));
            }
        }
        storeys
    }

    /// Returns the offset in the drawing of a floor's storey.
    fn offset_of(&self, floor: &FloorArea) -> Vec3 {
        let above = self.heights.partition_point(|&storey| storey <= floor.heights()[0] + 1e-6);
        let storey = above.saturating_sub(1);
        (self.pitch * storey as f64).extend(-self.heights.get(storey).copied().unwrap_or(0.0))
    }

    /// Returns where a point of a floor is drawn.
    fn place(&self, crowd: &Crowd, floor: u32, point: Vec2) -> Vec3 {
        crowd.ground().floors()[floor as usize].over(point) + self.offsets[floor as usize]
    }
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
fn draw_floor(crowd: &Crowd, storeys: &Storeys, drawing: &mut Drawing) {
    let environment = crowd.environment();
    let (map, positions) = (environment.map().map(), environment.geometry().positions());
    let mut floor = Surface::default();
    for cell in environment.cells() {
        let Some(dart) = environment.dart(cell) else { continue };
        let floor_of = crowd.floor_of_cell(cell);
        let place = |dart| storeys.place(crowd, floor_of, positions[map.id(Orbit::Vertex, dart) as usize]);
        let corners: Vec<Vec3> = map.face_darts(dart).map(place).collect();
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

/// Returns roads as a surface just above the floor. A road that cannot be triangulated is left out.
fn surface_of_roads(roads: &[FloorArea], storeys: &Storeys) -> Surface {
    let mut surface = Surface::default();
    for road in roads {
        let rings: Vec<&[Vec2]> = road.area.rings().collect();
        let Ok(plan) = Map2::from_outlines(&rings) else { continue };
        let (map, offset) = (&plan.built.map, storeys.offset_of(road) + 0.002 * Vec3::Z);
        let first = surface.vertices.len() as u32;
        surface.vertices.extend(plan.points.iter().map(|&point| road.over(point) + offset));
        let corner = |dart: u32| first + plan.built.vertex_of[map.id(Orbit::Vertex, Dart(dart)) as usize];
        surface.triangles.extend((0..map.cell_counts()[2] as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2].map(corner)));
    }
    surface
}

fn walls_of(crowd: &Crowd, storeys: &Storeys) -> Surface {
    let mut surface = Surface::default();
    for wall in crowd.ground().walls() {
        let [a, b] = wall.ends.map(|end| storeys.place(crowd, wall.floor, end));
        let first = surface.vertices.len() as u32;
        surface.edges.push([first + 2, first + 3]);
        let up = WALL_HEIGHT * Vec3::Z;
        surface.vertices.extend([a, b, b + up, a + up]);
        // Seen from both sides.
        for [i, j, k] in [[0, 1, 2], [0, 2, 3], [2, 1, 0], [3, 2, 0]] {
            surface.triangles.push([first + i, first + j, first + k]);
        }
    }
    surface
}

/// Adds a cylinder.
fn add_agent(surface: &mut Surface, place: Vec3, radius: f64) {
    let first = surface.vertices.len() as u32;
    let up = HEIGHT * radius * Vec3::Z;
    for k in 0..CORNERS {
        let (sin, cos) = (TAU * f64::from(k) / f64::from(CORNERS)).sin_cos();
        let corner = place + radius * Vec3::new(cos, sin, 0.0);
        surface.vertices.extend([corner, corner + up]);
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
