//! Solids of a wireframe: all sets of planar faces over its edges that bound a solid.
//!
//! In: vertices in metres, and edges as pairs of vertices. Out: a list of [`WireSolid`], empty for an impossible
//! wireframe, with several entries for an ambiguous one.
//! Method: S3 slide 8 shows that a wireframe may have several interpretations, or none (Markowsky and Wesley 1980). The
//! edges in each plane divide it into cells (`faces`); a cell into which no edge reaches is a possible face. A search
//! with propagation chooses faces so that each edge is in exactly two, no two of which cross (`search`). The shells are
//! oriented by volume, and inward where they bound a cavity (`orientation`).
//! Guarantees: the list is complete for faces without holes, and each entry is closed and oriented. The order depends
//! on the wireframe only.
//! Not guaranteed: faces with holes are not found. Solids may touch themselves in a vertex. Decisions have a tolerance
//! of 1e-9 of the size of the wireframe; they are not exact.
//! Cost: O(E²) tests of edges, O(V² · degree²) tests of planes; the search is exponential at worst, and limited.

mod error;
mod faces;
mod orientation;
mod search;

pub use error::WireError;
pub use search::WireLimits;

use heurt_geometry::Vec3;
use heurt_mesh::{PolygonError, TriMesh};

/// The largest number of edges: pairs of edges are compared.
pub const MAX_WIRE_EDGES: usize = 4096;

/// The largest number of pairs of edges with a common vertex: each spans a plane. A wireframe with three edges per
/// vertex has as many as twice its edges.
pub const MAX_WIRE_CORNERS: usize = 1 << 14;

/// The tolerance of decisions, as a fraction of the size of the wireframe.
const TOLERANCE: f64 = 1e-9;

/// A wireframe: vertices and edges, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Wireframe {
    vertices: Vec<Vec3>,
    edges: Vec<[u32; 2]>,
    /// In metres.
    tolerance: f64,
}

/// A solid of a wireframe by its faces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireSolid {
    /// The vertices of each face, counter-clockwise seen from outside.
    pub faces: Vec<Vec<u32>>,
}

impl Wireframe {
    /// Creates a wireframe from vertices in metres and edges. Vertices without an edge are allowed.
    ///
    /// # Errors
    /// [`WireError`] for more than [`MAX_WIRE_EDGES`] edges or [`MAX_WIRE_CORNERS`] pairs of edges at vertices, for
    /// vertices that are not finite, for edges with wrong indices, and for edges that meet or overlap elsewhere than in
    /// a common vertex.
    pub fn new(vertices: Vec<Vec3>, edges: Vec<[u32; 2]>) -> Result<Self, WireError> {
        if edges.len() > MAX_WIRE_EDGES {
            return Err(WireError::TooManyEdges { edges: edges.len() });
        }
        let is_bad = |vertex: &Vec3| !(vertex.is_finite() && vertex.abs().max_element() <= 1e60);
        if let Some(vertex) = vertices.iter().position(is_bad) {
            return Err(WireError::Vertex { vertex, position: vertices[vertex] });
        }
        let count = vertices.len();
        for (edge, &ends) in edges.iter().enumerate() {
            if ends[0] == ends[1] || ends.iter().any(|&vertex| vertex as usize >= count) {
                return Err(WireError::Edge { edge, vertices: ends, count });
            }
        }
        let mut degrees = vec![0_usize; count];
        edges.iter().flatten().for_each(|&vertex| degrees[vertex as usize] += 1);
        let corners: usize = degrees.iter().map(|degree| degree * degree.saturating_sub(1) / 2).sum();
        if corners > MAX_WIRE_CORNERS {
            return Err(WireError::TooManyCorners { corners });
        }
        let used = || edges.iter().flatten().map(|&vertex| vertices[vertex as usize]);
        let first = used().next().unwrap_or(Vec3::ZERO);
        let (min, max) = used().fold((first, first), |(min, max), point| (min.min(point), max.max(point)));
        let tolerance = TOLERANCE * (max - min).length();
        let wireframe = Self { vertices, edges, tolerance };
        for second in 0..wireframe.edges.len() {
            if let Some(first) = (0..second).find(|&first| wireframe.edges_meet(first, second)) {
                return Err(WireError::EdgesMeet { first, second });
            }
        }
        Ok(wireframe)
    }

    /// Returns the vertices in metres.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Returns the edges.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// Finds all solids whose edges are the edges of the wireframe, each in exactly two faces.
    ///
    /// ```
    /// use heurt_solid::{WireLimits, Wireframe};
    /// let corners = (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2].map(f64::from).into()).collect();
    /// let edges = (0..8).flat_map(|k: u32| [1, 2, 4].map(|bit| [k, k ^ bit])).filter(|[a, b]| a < b).collect();
    /// let cube = Wireframe::new(corners, edges)?;
    /// let solids = cube.solids(WireLimits::default())?;
    /// assert_eq!((solids.len(), solids[0].faces.len()), (1, 6));
    /// # Ok::<(), heurt_solid::WireError>(())
    /// ```
    ///
    /// # Errors
    /// [`WireError::Steps`] and [`WireError::TooManySolids`] at the limits; errors of the meshes of solids.
    pub fn solids(&self, limits: WireLimits) -> Result<Vec<WireSolid>, WireError> {
        let faces = self.possible_faces();
        let mut solids = Vec::new();
        for chosen in search::search(self, &faces, limits)? {
            let cycles: Vec<Vec<u32>> = chosen.into_iter().map(|face| faces[face].cycle.clone()).collect();
            solids.extend(orientation::oriented(self, cycles)?);
        }
        Ok(solids)
    }

    /// Makes the mesh of a solid of this wireframe.
    ///
    /// # Errors
    /// [`PolygonError`] if the faces are not those of this wireframe.
    pub fn mesh(&self, solid: &WireSolid) -> Result<TriMesh, PolygonError> {
        Ok(TriMesh::from_polygons(self.vertices.clone(), &solid.faces)?.mesh)
    }

    fn at(&self, vertex: u32) -> Vec3 {
        self.vertices[vertex as usize]
    }

    /// Reports whether two edges meet elsewhere than in a common vertex.
    fn edges_meet(&self, first: usize, second: usize) -> bool {
        let ([a, b], [c, d]) = (self.edges[first], self.edges[second]);
        let common = [a, b].into_iter().find(|&vertex| vertex == c || vertex == d);
        let Some(vertex) = common else {
            return segment_distance([self.at(a), self.at(b)], [self.at(c), self.at(d)]) <= self.tolerance;
        };
        let ends = [if a == vertex { b } else { a }, if c == vertex { d } else { c }].map(|end| self.at(end));
        let corner = self.at(vertex);
        // Beyond the common vertex they meet only if an end of one lies on both.
        point_distance(ends[0], [corner, ends[1]]) <= self.tolerance
            || point_distance(ends[1], [corner, ends[0]]) <= self.tolerance
    }
}

/// Computes the distance of a point from a segment.
fn point_distance(point: Vec3, [a, b]: [Vec3; 2]) -> f64 {
    let side = b - a;
    let square = side.length_squared();
    let t = if square > 0.0 { ((point - a).dot(side) / square).clamp(0.0, 1.0) } else { 0.0 };
    (a + side * t - point).length()
}

/// Computes the distance of two segments.
fn segment_distance(first: [Vec3; 2], second: [Vec3; 2]) -> f64 {
    let ends = [
        point_distance(first[0], second),
        point_distance(first[1], second),
        point_distance(second[0], first),
        point_distance(second[1], first),
    ];
    let nearest = ends.into_iter().fold(f64::INFINITY, f64::min);
    let (u, v, w) = (first[1] - first[0], second[1] - second[0], second[0] - first[0]);
    let normal = u.cross(v);
    let square = normal.length_squared();
    if square <= 1e-24 * u.length_squared() * v.length_squared() {
        return nearest;
    }
    let (s, t) = (w.cross(v).dot(normal) / square, w.cross(u).dot(normal) / square);
    let inside = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
    if inside { nearest.min((w.dot(normal) / square.sqrt()).abs()) } else { nearest }
}
