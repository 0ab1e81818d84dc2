//! Floor mesh: triangles of floors, joined at their passages, and found by place.
//!
//! In: floors and passages. Out: triangles, the floor of each, the triangle at a place.
//! Method: each floor is triangulated by itself (constrained Delaunay triangulation); corners of passages are one
//! vertex, so that triangles on both sides are neighbours. Floors may lie over each other: the mesh is a surface over
//! the plan, and a place is a point of the plan with its height.
//! Guarantees: the triangle of a point is exact (`orient2d`). Cost: O(n log n).

use super::join::Passages;
use super::triangle_grid::TriangleGrid;
use super::{SAME_FLOOR, nearest_on};
use heurt_geometry::{DOORSTEP, FloorArea, Sign, Vec2, Vec3, orient2d, ring_edges};
use heurt_map::dim2::OutlineFault;
use heurt_map::{BuildFault, Built, CombinatorialMap, Dart, Map2, Orbit, Orient};
use std::collections::{HashMap, HashSet};

/// Triangles of floors.
#[derive(Debug, Clone)]
pub(crate) struct FloorMesh {
    pub points: Vec<Vec2>,
    /// Counter-clockwise.
    pub triangles: Vec<[u32; 3]>,
    /// By triangle.
    pub floor_of: Vec<u32>,
    pub floors: Vec<FloorArea>,
    grid: TriangleGrid,
}

/// A fault of a floor.
#[derive(Debug)]
pub(crate) enum MeshFault {
    Outlines {
        faults: Vec<OutlineFault>,
        near: Vec2,
    },
    /// Triangles of joined floors do not fit.
    Joint {
        near: Vec3,
    },
    /// More than two floors have an edge at one height.
    Crowded {
        near: Vec3,
    },
}

impl FloorMesh {
    /// Triangulates joined floors. With `side`, in metres, triangles are no larger than a square of that side.
    /// The map has the triangles in their order, three darts each.
    pub fn new(floors: Vec<FloorArea>, passages: &Passages, side: Option<f64>) -> Result<(Self, Built<2>), MeshFault> {
        let (mut points, mut triangles, mut floor_of) = (Vec::new(), Vec::new(), Vec::new());
        let mut shared = SharedCorners::default();
        for (number, floor) in floors.iter().enumerate() {
            let rings: Vec<Vec<Vec2>> = floor.area.rings().map(|ring| cut_ring(ring, side)).collect();
            let plan = Map2::from_outlines_with(&rings, side.map(|side| side * side));
            let plan = plan.map_err(|faults| outline_fault(faults, &rings))?;
            let on_passage = corners_of_passages(&floors, number, passages, side)?;
            let ids: Vec<u32> = plan
                .points
                .iter()
                .map(|&point| {
                    let id = points.len() as u32;
                    let id = if on_passage.contains(&key(point)) { shared.id_of(floor.over(point), id) } else { id };
                    if id as usize == points.len() {
                        points.push(point);
                    }
                    id
                })
                .collect();
            let map = &plan.built.map;
            let corner = |dart: u32| ids[plan.built.vertex_of[map.id(Orbit::Vertex, Dart(dart)) as usize] as usize];
            let count = map.cell_counts()[2] as u32;
            triangles.extend((0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2].map(corner)));
            floor_of.resize(triangles.len(), number as u32);
        }
        let built = Map2::from_polygons(points.len(), &triangles, Orient::Keep);
        let built = built.map_err(|error| {
            let triangle = error.faults.first().map_or(0, |fault| triangle_of_fault(fault, &triangles)) as usize;
            let corner = triangles.get(triangle).map(|corners| points[corners[0] as usize]).unwrap_or_default();
            let floor = floor_of.get(triangle).map_or(0, |&floor| floor as usize);
            MeshFault::Joint { near: floors[floor].over(corner) }
        })?;
        let grid = TriangleGrid::new(&points, &triangles);
        Ok((Self { points, triangles, floor_of, floors, grid }, built))
    }

    /// Returns the corners of a triangle.
    pub fn corners(&self, triangle: u32) -> [Vec2; 3] {
        self.triangles[triangle as usize].map(|corner| self.points[corner as usize])
    }

    /// Computes the height of a triangle's floor over a point.
    pub fn height(&self, triangle: u32, point: Vec2) -> f64 {
        self.floors[self.floor_of[triangle as usize] as usize].height_at(point)
    }

    /// Reports whether a triangle is on the floor of a place.
    pub fn is_level_with(&self, triangle: u32, place: Vec3) -> bool {
        (self.height(triangle, place.truncate()) - place.z).abs() <= SAME_FLOOR
    }

    /// Finds a triangle that contains a place.
    pub fn triangle_of(&self, place: Vec3) -> Option<u32> {
        let point = place.truncate();
        let is_in = |&triangle: &u32| {
            let [a, b, c] = self.corners(triangle);
            [[a, b], [b, c], [c, a]].iter().all(|&[from, to]| orient2d(from, to, point) != Sign::Negative)
                && self.is_level_with(triangle, place)
        };
        self.grid.triangles_at(point).iter().copied().find(is_in)
    }

    /// Finds a triangle that contains a place, or the nearest point of the mesh on its floor within `reach` metres and
    /// its triangle.
    pub fn nearest(&self, place: Vec3, reach: f64) -> Option<(u32, Vec2)> {
        let point = place.truncate();
        if let Some(triangle) = self.triangle_of(place) {
            return Some((triangle, point));
        }
        let mut best: Option<(f64, u32, Vec2)> = None;
        self.grid.for_each_in([point - reach, point + reach], |triangle| {
            let [a, b, c] = self.corners(triangle);
            for side in [[a, b], [b, c], [c, a]] {
                let on = nearest_on(side, point);
                let distance = on.distance(point);
                let is_nearer = |&(least, number, _): &(f64, u32, Vec2)| (distance, triangle) < (least, number);
                if distance <= reach && best.as_ref().is_none_or(is_nearer) && self.is_level_with(triangle, place) {
                    best = Some((distance, triangle, on));
                }
            }
        });
        best.map(|(_, triangle, place)| (triangle, place))
    }
}

/// Corners of passages that have numbers.
#[derive(Default)]
struct SharedCorners(HashMap<[u64; 2], Vec<(f64, u32)>>);

impl SharedCorners {
    /// Returns the number of a corner at this place and height, which is `new` if there was none.
    fn id_of(&mut self, place: Vec3, new: u32) -> u32 {
        let known = self.0.entry(key(place.truncate())).or_default();
        match known.iter().find(|(height, _)| (height - place.z).abs() <= 2.0 * DOORSTEP) {
            Some(&(_, id)) => id,
            None => {
                known.push((place.z, new));
                new
            }
        }
    }
}

fn key(point: Vec2) -> [u64; 2] {
    // Adding 0 makes −0 and 0 one.
    [point.x, point.y].map(|x| (x + 0.0).to_bits())
}

/// Lists the corners of a floor's passages, with those of their pieces.
fn corners_of_passages(
    floors: &[FloorArea],
    number: usize,
    passages: &Passages,
    side: Option<f64>,
) -> Result<HashSet<[u64; 2]>, MeshFault> {
    let mut corners = HashSet::new();
    for edge in floors[number].area.rings().flat_map(ring_edges) {
        match passages.beyond(floors, number, edge).count() {
            0 => {}
            1 => corners.extend(cut_edge(edge, side).into_iter().chain([edge[1]]).map(key)),
            _ => return Err(MeshFault::Crowded { near: floors[number].over(edge[0]) }),
        }
    }
    Ok(corners)
}

/// Cuts the edges of a ring into equal pieces of at most `side` metres.
fn cut_ring(ring: &[Vec2], side: Option<f64>) -> Vec<Vec2> {
    ring_edges(ring).flat_map(|edge| cut_edge(edge, side)).collect()
}

/// Returns the first corners of the pieces of an edge: the same for both directions.
fn cut_edge([a, b]: [Vec2; 2], side: Option<f64>) -> Vec<Vec2> {
    // At most a million pieces an edge: the side grows with the floor.
    let pieces = side.map_or(1, |side| (a.distance(b) / side).ceil().clamp(1.0, 1e6) as u32);
    let is_forward = (a.x, a.y) <= (b.x, b.y);
    let [from, to] = if is_forward { [a, b] } else { [b, a] };
    let corner = |k: u32| match k {
        0 => a,
        _ => {
            let k = if is_forward { k } else { pieces - k };
            from + (to - from) * (f64::from(k) / f64::from(pieces))
        }
    };
    (0..pieces).map(corner).collect()
}

/// Finds a triangle of a fault.
fn triangle_of_fault(fault: &BuildFault, triangles: &[[u32; 3]]) -> u32 {
    let with = |vertex: u32| triangles.iter().position(|corners| corners.contains(&vertex)).unwrap_or(0) as u32;
    match fault {
        BuildFault::TooFewCorners { cell, .. }
        | BuildFault::IndexOutOfRange { cell, .. }
        | BuildFault::RepeatedCorner { cell, .. } => *cell,
        BuildFault::ManyFaces { faces, .. } => faces.first().copied().unwrap_or(0),
        BuildFault::TurnedAgainst { cells, .. } | BuildFault::NotOrientable { cells, .. } => cells[0],
        BuildFault::ManyVolumes { corners, .. } => corners.first().map_or(0, |&vertex| with(vertex)),
        _ => 0,
    }
}

fn outline_fault(faults: Vec<OutlineFault>, rings: &[Vec<Vec2>]) -> MeshFault {
    let (ring, edge) = match faults[0] {
        OutlineFault::Crossing { outline, edge } => (outline, edge),
        OutlineFault::OutOfRange { outline, .. } | OutlineFault::TooFewCorners { outline, .. } => (outline, 0),
        _ => (0, 0),
    };
    let near = rings.get(ring).and_then(|ring| ring.get(edge)).copied().unwrap_or_default();
    MeshFault::Outlines { faults, near }
}
