//! Delaunay triangulation of points in the plane.
//!
//! In: points, in metres. Out: triangles, neighbours, Voronoi cells. Method and guarantees: as the module above.

use super::{DelaunayError, Neighbours, first_at_same_place, sight};
use crate::build::{BuildError, Built, Orient};
use crate::map::Map2;
use crate::{CombinatorialMap, Orbit};
use heurt_geometry::{Vec2, Vec3};
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

/// The Delaunay triangulation of points of the plane.
#[derive(Debug, Clone)]
pub struct Delaunay2 {
    points: Vec<Vec2>,
    first: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    neighbours: Neighbours,
}

/// The part of the plane that is nearer to one point than to all others.
#[derive(Debug, Clone, PartialEq)]
pub struct VoronoiCell2 {
    /// The corners, counter-clockwise, in metres; rounded.
    pub corners: Vec<Vec2>,
    /// True if it is bounded; else it goes on without end from the last corner and from the first.
    pub is_bounded: bool,
}

impl Delaunay2 {
    /// Triangulates. Points on one line have no triangles, but neighbours.
    ///
    /// ```
    /// use heurt_geometry::Vec2;
    /// use heurt_map::delaunay::Delaunay2;
    /// let points = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [1.0, 1.0]].map(Vec2::from_array);
    /// let delaunay = Delaunay2::new(points.to_vec())?;
    /// assert_eq!(delaunay.triangles().len(), 4);
    /// assert_eq!(delaunay.neighbours().of(4), [0, 1, 2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`DelaunayError`] with the first invalid point.
    pub fn new(points: Vec<Vec2>) -> Result<Self, DelaunayError> {
        if let Some(point) = points.iter().position(|point| !crate::dim2::is_in_range(*point)) {
            let coordinates = points[point].to_array().to_vec();
            let is_finite = points[point].is_finite();
            return Err(match is_finite {
                true => DelaunayError::OutOfRange { point, coordinates },
                false => DelaunayError::NotFinite { point, coordinates },
            });
        }
        if points.len() > u32::MAX as usize / 8 {
            return Err(DelaunayError::TooLarge { count: points.len(), max: u32::MAX as usize / 8 });
        }
        let first = first_at_same_place(|point| points[point].to_array(), points.len());
        let distinct: Vec<u32> = (0..points.len() as u32).filter(|&point| first[point as usize] == point).collect();
        let at = |&point: &u32| Point2::new(points[point as usize].x + 0.0, points[point as usize].y + 0.0);
        let plane = ConstrainedDelaunayTriangulation::<Point2<f64>>::bulk_load_cdt(
            distinct.iter().map(at).collect(),
            Vec::new(),
        );
        // The range has been checked: no other error is possible.
        let plane = plane.unwrap_or_default();
        let number = |index: usize| distinct[index];
        let triangles =
            plane.inner_faces().map(|face| face.vertices().map(|vertex| number(vertex.fix().index()))).collect();
        let ends = plane.undirected_edges().map(|edge| edge.vertices().map(|vertex| number(vertex.fix().index())));
        let neighbours = Neighbours::from_pairs(points.len(), ends);
        Ok(Self { points, first, triangles, neighbours })
    }

    /// Returns the points, in metres.
    pub fn points(&self) -> &[Vec2] {
        &self.points
    }

    /// Returns the point that represents all at its place: the first of them.
    pub fn representative(&self, point: u32) -> u32 {
        self.first[point as usize]
    }

    /// Returns the triangles, counter-clockwise.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns the neighbours of each point.
    pub fn neighbours(&self) -> &Neighbours {
        &self.neighbours
    }

    /// Returns the neighbours in sight: pairs between which no obstacle passes. An obstacle that touches the line of
    /// sight blocks it (S4 fig. 2.4). Exact. Cost: O(pairs and obstacles, sorted, and pairs of both that overlap along
    /// x).
    ///
    /// ```
    /// use heurt_geometry::Vec2;
    /// use heurt_map::delaunay::Delaunay2;
    /// let points = [[0.0, 0.0], [2.0, 0.0], [1.0, 1.0]].map(Vec2::from_array);
    /// // A wall between the first two points.
    /// let wall = [Vec2::new(1.0, -1.0), Vec2::new(1.0, 0.5)];
    /// let visible = Delaunay2::new(points.to_vec())?.visible(&[wall]);
    /// assert_eq!((visible.of(0), visible.of(2)), (&[2][..], &[0, 1][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn visible(&self, obstacles: &[[Vec2; 2]]) -> Neighbours {
        let lift = |point: Vec2| Vec3::new(point.x, point.y, 0.0);
        let obstacles: Vec<[Vec3; 2]> = obstacles.iter().map(|ends| ends.map(lift)).collect();
        sight::filter(
            &self.neighbours,
            |point| lift(self.points[point as usize]),
            &obstacles,
            |[a, b], &[c, d]| heurt_geometry::segments_intersect(a, b, c, d),
        )
    }

    /// Returns the triangles as a map; vertices have the numbers of the points.
    ///
    /// # Errors
    /// Only that there are too many darts: Delaunay triangles form a surface.
    pub fn map(&self) -> Result<Built<2>, BuildError> {
        Map2::from_polygons(self.points.len(), &self.triangles, Orient::Keep)
    }

    /// Returns the Voronoi cells of all points, from the map of the triangles: one corner for each triangle around the
    /// point. Cells of points on one line, and of points after the first at a place, have no corners.
    ///
    /// # Errors
    /// As [`map`](Self::map).
    pub fn voronoi(&self) -> Result<Vec<VoronoiCell2>, BuildError> {
        let built = self.map()?;
        let centres: Vec<Vec2> = self.triangles.iter().map(|corners| self.centre(corners)).collect();
        let mut cells = vec![VoronoiCell2 { corners: Vec::new(), is_bounded: false }; self.points.len()];
        let Some(ids) = built.map.cell_ids(Orbit::Vertex) else { return Ok(cells) };
        for (vertex, dart) in ids.cells() {
            let mut darts: Vec<_> = built.map.vertex_darts(dart).collect();
            // From the gap on, if there is one.
            let gap = darts.iter().position(|&dart| built.map.is_boundary(dart));
            darts.rotate_left(gap.unwrap_or(0));
            let faces = darts.into_iter().filter(|&dart| !built.map.is_boundary(dart));
            let corners = faces.map(|dart| centres[built.map.id(Orbit::Face, dart) as usize]).collect();
            cells[built.vertex_of[vertex as usize] as usize] = VoronoiCell2 { corners, is_bounded: gap.is_none() };
        }
        Ok(cells)
    }

    /// Computes the centre of the circle through three points.
    fn centre(&self, corners: &[u32; 3]) -> Vec2 {
        let [a, b, c] = corners.map(|corner| self.points[corner as usize]);
        let (u, v) = (b - a, c - a);
        let twice = 2.0 * u.perp_dot(v);
        a + Vec2::new(
            v.y * u.length_squared() - u.y * v.length_squared(),
            u.x * v.length_squared() - v.x * u.length_squared(),
        ) / twice
    }
}
