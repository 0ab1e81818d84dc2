//! Surfaces of a crowd on floors: the floor, its walls, its roads, an agent.

use super::CrowdView;
use super::storeys::Storeys;
use crate::Surface;
use heurt_crowd::Crowd;
use heurt_geometry::{FloorArea, Vec2, Vec3};
use heurt_map::{CombinatorialMap, Dart, Map2, Orbit};
use std::f64::consts::TAU;

/// Corners of an agent's outline.
const CORNERS: u32 = 16;

/// Height of an agent, in radii: low, so that agents behind are seen.
const HEIGHT: f64 = 1.0;

/// Height of bodies with outlines, in metres: low, so that agents behind are seen.
pub(super) const SECTION_HEIGHT: f64 = 0.3;

/// Height of roads over the floor, in metres: the floor does not hide them.
const ROAD_LIFT: f64 = 0.001;

/// Height of walls, in metres.
pub(super) const WALL_HEIGHT: f64 = 0.5;

/// Returns the surface of an agent at the origin: a cylinder, z up.
pub(super) fn agent_surface(radius: f64) -> Surface {
    let up = HEIGHT * radius * Vec3::Z;
    let mut surface = Surface::default();
    for k in 0..CORNERS {
        let (sin, cos) = (TAU * f64::from(k) / f64::from(CORNERS)).sin_cos();
        let corner = radius * Vec3::new(cos, sin, 0.0);
        surface.vertices.extend([corner, corner + up]);
    }
    let at = |k: u32, top: u32| 2 * (k % CORNERS) + top;
    for k in 0..CORNERS {
        surface.triangles.push([at(k, 0), at(k + 1, 0), at(k + 1, 1)]);
        surface.triangles.push([at(k, 0), at(k + 1, 1), at(k, 1)]);
        if (1..CORNERS - 1).contains(&k) {
            surface.triangles.push([at(0, 1), at(k, 1), at(k + 1, 1)]);
        }
        surface.edges.push([at(k, 1), at(k + 1, 1)]);
    }
    surface
}

/// Returns roads as a surface just above the floor. A road that cannot be triangulated is left out.
pub(super) fn surface_of_roads(roads: &[FloorArea], storeys: &Storeys) -> Surface {
    let mut surface = Surface::default();
    for road in roads {
        let rings: Vec<&[Vec2]> = road.area.rings().collect();
        let Ok(plan) = Map2::from_outlines(&rings) else { continue };
        let (map, offset) = (&plan.built.map, storeys.offset_of(road) + ROAD_LIFT * Vec3::Z);
        let first = surface.vertices.len() as u32;
        surface.vertices.extend(plan.points.iter().map(|&point| road.over(point) + offset));
        let corner = |dart: u32| first + plan.built.vertex_of[map.id(Orbit::Vertex, Dart(dart)) as usize];
        surface.triangles.extend((0..map.cell_counts()[2] as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2].map(corner)));
    }
    surface
}

impl CrowdView {
    /// Returns the surface of the floor.
    pub fn floor_surface(&self, crowd: &Crowd) -> Surface {
        let mut floor = Surface::default();
        for cell in crowd.environment().cells() {
            let corners = self.corners_of(crowd, cell);
            let first = floor.vertices.len() as u32;
            floor.triangles.extend((1..corners.len().max(1) as u32 - 1).map(|k| [first, first + k, first + k + 1]));
            floor.vertices.extend(corners);
        }
        floor
    }

    /// Returns the surface of all walls.
    pub fn wall_surface(&self, crowd: &Crowd) -> Surface {
        let mut surface = Surface::default();
        for wall in crowd.ground().walls() {
            let [a, b] = wall.ends.map(|end| self.storeys.place(crowd.ground(), wall.floor, end));
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
}
