//! Maps of floors: plan areas with holes, level or sloped.
//!
//! In: floors, in metres. Out: a placed map of triangles: of the plane if all floors are at one height, else of a
//! surface.
//! Method: each floor is triangulated by itself, without further points ([`Map2::from_outlines`]). Corners of floors at
//! one place of the plan are one vertex, if their heights agree to a doorstep.
//! Guarantees: floors are joined along edges that have the same two corners in both. Triangles are numbered floor by
//! floor. Not guaranteed: neighbours along edges of which one floor has a corner more; heurt-crowd's `join_floors`
//! inserts these. Cost: O(n log n) for n corners.

use super::{PlacedMap, PlacedMapError};
use crate::{CombinatorialMap, Map2, Orbit};
use heurt_geometry::{DOORSTEP, FloorArea, Vec2, Vec3};
use heurt_mesh::BoundaryFaces;
use std::collections::HashMap;

impl PlacedMap {
    /// Builds a map of the triangles of floors.
    ///
    /// ```
    /// use heurt_geometry::{DOORSTEP, FloorArea, PlanArea, Vec2, Vec3};
    /// use heurt_map::placed::PlacedMap;
    /// let area = |x: f64| PlanArea::rectangle(Vec2::new(x, 0.0), Vec2::new(x + 8.0, 2.0));
    /// let storeys = [FloorArea::level(area(0.0), 0.0), FloorArea::level(area(13.0), 3.0)];
    /// let corners = [[8.0, 0.0, 0.0], [13.0, 0.0, 3.0], [13.0, 2.0, 3.0], [8.0, 2.0, 0.0]].map(Vec3::from_array);
    /// let stair = FloorArea::from_corners(&corners, &[]).map_err(|corner| format!("{corner} is off the plane"))?;
    /// let [ground, upper] = storeys;
    /// let map = PlacedMap::from_floors(&[ground, upper, stair])?;
    /// let summary = map.summary()?;
    /// assert_eq!(summary.counts, [8, 13, 6, 0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PlacedMapError::Outlines`] for rings that cross or enclose nothing; [`PlacedMapError::Build`] if more than two
    /// floors meet at an edge.
    pub fn from_floors(floors: &[FloorArea]) -> Result<Self, PlacedMapError> {
        let (mut points, mut faces) = (Vec::new(), BoundaryFaces::default());
        let mut at_place: HashMap<[u64; 2], Vec<u32>> = HashMap::new();
        for floor in floors {
            let rings: Vec<&[Vec2]> = floor.area.rings().collect();
            let plan = Map2::from_outlines(&rings).map_err(|faults| {
                let near = floor.area.outline.first().copied().unwrap_or_default();
                PlacedMapError::Outlines { near: floor.over(near), faults }
            })?;
            let ids: Vec<u32> = plan
                .points
                .iter()
                .map(|&point| vertex_at(floor.over(point), at_place.entry(key(point)).or_default(), &mut points))
                .collect();
            let map = &plan.built.map;
            for (_, dart) in map.cell_ids(Orbit::Face).into_iter().flat_map(|ids| ids.cells()) {
                let vertices = map.face_darts(dart).map(|dart| map.id(Orbit::Vertex, dart));
                faces.corners.extend(vertices.map(|vertex| ids[plan.built.vertex_of[vertex as usize] as usize]));
                faces.ends.push(faces.corners.len());
            }
        }
        Ok(Self::from_faces(&points, &faces)?)
    }
}

/// Returns the vertex at a place, a known one over the same point of the plan or a new one.
fn vertex_at(place: Vec3, known: &mut Vec<u32>, points: &mut Vec<Vec3>) -> u32 {
    let is_level = |&&vertex: &&u32| (points[vertex as usize].z - place.z).abs() <= DOORSTEP;
    if let Some(&vertex) = known.iter().find(is_level) {
        return vertex;
    }
    let vertex = points.len() as u32;
    points.push(place);
    known.push(vertex);
    vertex
}

fn key(point: Vec2) -> [u64; 2] {
    // Adding 0 makes −0 and 0 one.
    [point.x, point.y].map(|x| (x + 0.0).to_bits())
}
