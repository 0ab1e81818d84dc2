//! Delaunay triangulation of points in space.
//!
//! In: points, in metres. Out: tetrahedra, neighbours, Voronoi cells. Method and guarantees: as the module above.

use super::tetrahedra::Tetrahedra;
use super::{DelaunayError, Neighbours, first_at_same_place, order, sight};
use crate::build::{BuildError, Built, Orient};
use crate::dim3::Cell;
use crate::map::{Map3, round};
use crate::{CombinatorialMap, Orbit, Walker};
use heurt_geometry::{Sign, Vec2, Vec3, orient2d, orient3d};

/// The Delaunay triangulation of points of space.
#[derive(Debug, Clone)]
pub struct Delaunay3 {
    points: Vec<Vec3>,
    first: Vec<u32>,
    tets: Vec<[u32; 4]>,
    neighbours: Neighbours,
}

/// A face of a Voronoi cell.
#[derive(Debug, Clone, PartialEq)]
pub struct VoronoiFace {
    /// The point of the neighbouring cell.
    pub neighbour: u32,
    /// The tetrahedra whose centres are the corners, counter-clockwise seen from outside the cell.
    pub tets: Vec<u32>,
    /// True if it is bounded; else it goes on without end from the last corner and from the first.
    pub is_bounded: bool,
}

/// The part of space that is nearer to one point than to all others.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VoronoiCell3 {
    /// The faces, one for each neighbour.
    pub faces: Vec<VoronoiFace>,
}

impl VoronoiCell3 {
    /// Reports whether the cell is bounded.
    pub fn is_bounded(&self) -> bool {
        !self.faces.is_empty() && self.faces.iter().all(|face| face.is_bounded)
    }
}

impl Delaunay3 {
    /// Triangulates points.
    ///
    /// # Errors
    /// A point that is not finite; points that all lie in one plane.
    pub fn new(points: Vec<Vec3>) -> Result<Self, DelaunayError> {
        if let Some(point) = points.iter().position(|point| !point.is_finite()) {
            return Err(DelaunayError::NotFinite { point, coordinates: points[point].to_array().to_vec() });
        }
        // A point has on average 6.8 tetrahedra if points are spread evenly; a tetrahedron has 24 darts.
        if points.len() > u32::MAX as usize / 256 {
            return Err(DelaunayError::TooLarge { count: points.len(), max: u32::MAX as usize / 256 });
        }
        let first = first_at_same_place(|point| points[point].to_array(), points.len());
        let mut numbers: Vec<u32> = (0..points.len() as u32).filter(|&point| first[point as usize] == point).collect();
        let Some(start) = first_tetrahedron(&points, &numbers) else {
            return Err(DelaunayError::Flat { count: numbers.len() });
        };
        order::insertion_order(&points, &mut numbers);
        let mut growing = Tetrahedra::new(&points, start);
        for &number in numbers.iter().filter(|number| !start.contains(number)) {
            growing.insert(number);
        }
        let tets: Vec<[u32; 4]> = growing.finite().collect();
        let edges = |[a, b, c, d]: [u32; 4]| [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]];
        let neighbours = Neighbours::from_pairs(points.len(), tets.iter().flat_map(|&tet| edges(tet)));
        Ok(Self { points, first, tets, neighbours })
    }

    /// Returns the points, in metres.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Returns the point that represents all at its place: the first of them.
    pub fn representative(&self, point: u32) -> u32 {
        self.first[point as usize]
    }

    /// Returns the tetrahedra, of positive volume.
    pub fn tets(&self) -> &[[u32; 4]] {
        &self.tets
    }

    /// Returns the neighbours of each point.
    pub fn neighbours(&self) -> &Neighbours {
        &self.neighbours
    }

    /// Returns the neighbours in sight: pairs between which no triangle passes. A triangle that touches the line of
    /// sight blocks it (S4 fig. 2.4). Exact. Cost: O(pairs and obstacles, sorted, and pairs of both that overlap along
    /// x).
    pub fn visible(&self, obstacles: &[[Vec3; 3]]) -> Neighbours {
        sight::filter(
            &self.neighbours,
            |point| self.points[point as usize],
            obstacles,
            |[a, b], triangle| heurt_geometry::segment_intersects_triangle(a, b, triangle),
        )
    }

    /// Returns the tetrahedra as a map; vertices have the numbers of the points.
    ///
    /// # Errors
    /// Only that there are too many darts: Delaunay tetrahedra are a partition.
    pub fn map(&self) -> Result<Built<3>, BuildError> {
        let cells: Vec<Cell> = self.tets.iter().map(|&corners| Cell::Tetrahedron(corners)).collect();
        Map3::from_cells(self.points.len(), &cells, Orient::Keep)
    }

    /// Returns the Voronoi cells of all points, from the map of the tetrahedra: a face is around an edge. Points after
    /// the first at a place have no faces.
    ///
    /// # Errors
    /// As [`map`](Self::map).
    pub fn voronoi(&self) -> Result<Vec<VoronoiCell3>, BuildError> {
        let mut map = self.map()?.map;
        map.enable_ids(Orbit::Edge);
        let mut walker = Walker::new();
        let mut cells = vec![VoronoiCell3::default(); self.points.len()];
        let Some(ids) = map.cell_ids(Orbit::Vertex) else { return Ok(cells) };
        for (vertex, dart) in ids.cells() {
            for &dart in walker.incident(&map, dart, Orbit::Vertex, Orbit::Edge) {
                // The volumes around the edge, clockwise seen against the dart: that is from the point.
                let mut darts: Vec<_> = round(dart, |dart| map.phi2(map.phi3(dart))).collect();
                let gap = darts.iter().position(|&dart| map.is_boundary(dart));
                darts.rotate_left(gap.unwrap_or(0));
                let tets = darts.iter().filter(|&&dart| !map.is_boundary(dart));
                let tets = tets.map(|&dart| map.id(Orbit::Volume, dart)).collect();
                let neighbour = map.id(Orbit::Vertex, map.phi1(dart));
                cells[vertex as usize].faces.push(VoronoiFace { neighbour, tets, is_bounded: gap.is_none() });
            }
        }
        Ok(cells)
    }

    /// Computes the centres of the spheres of the tetrahedra, in metres: the corners of the Voronoi cells. Rounded; far
    /// away if a tetrahedron is nearly flat.
    pub fn centres(&self) -> Vec<Vec3> {
        let centre = |&corners: &[u32; 4]| {
            let [a, b, c, d] = corners.map(|corner| self.points[corner as usize]);
            let [u, v, w] = [b - a, c - a, d - a];
            let sum =
                v.cross(w) * u.length_squared() + w.cross(u) * v.length_squared() + u.cross(v) * w.length_squared();
            a + sum / (2.0 * u.dot(v.cross(w)))
        };
        self.tets.iter().map(centre).collect()
    }

    /// Returns the bounded Voronoi cells as a map whose vertices are the tetrahedra, and the point of each volume.
    ///
    /// # Errors
    /// Only that there are too many darts.
    pub fn voronoi_map(&self) -> Result<(Built<3>, Vec<u32>), BuildError> {
        let (mut cells, mut points) = (Vec::new(), Vec::new());
        for (point, cell) in self.voronoi()?.into_iter().enumerate() {
            if cell.is_bounded() {
                cells.push(Cell::Polyhedron(cell.faces.into_iter().map(|face| face.tets).collect()));
                points.push(point as u32);
            }
        }
        Ok((Map3::from_cells(self.tets.len(), &cells, Orient::Keep)?, points))
    }
}

/// Finds the first four points that make a tetrahedron of positive volume.
fn first_tetrahedron(points: &[Vec3], numbers: &[u32]) -> Option<[u32; 4]> {
    let at = |number: u32| points[number as usize];
    let &[a, b, ..] = numbers else { return None };
    let c = *numbers[2..].iter().find(|&&c| !on_a_line(at(a), at(b), at(c)))?;
    let side = |d: u32| orient3d(at(a), at(b), at(c), at(d));
    let d = *numbers[2..].iter().find(|&&d| !side(d).is_zero())?;
    Some(if side(d) == Sign::Positive { [a, b, c, d] } else { [a, c, b, d] })
}

/// Reports whether three points lie on a line: all their projections do.
fn on_a_line(a: Vec3, b: Vec3, c: Vec3) -> bool {
    let flat = |drop: fn(Vec3) -> Vec2| orient2d(drop(a), drop(b), drop(c)).is_zero();
    flat(|p| Vec2::new(p.x, p.y)) && flat(|p| Vec2::new(p.y, p.z)) && flat(|p| Vec2::new(p.z, p.x))
}
