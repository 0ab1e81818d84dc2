//! Half-edges of a manifold oriented mesh of triangles or polygons, with the steps of winged-edge, quad-edge and edge
//! lists.
//!
//! In: a mesh whose faces form an oriented surface, with or without boundary. Out: constant-time steps from half-edge
//! to half-edge. The half-edges of a face are consecutive: in triangles, half-edge `3 t + k` runs from corner `k` of
//! triangle `t` to the next corner, with `t` on its left seen from outside. Boundary half-edges come after these, run
//! in the opposite direction along the border, and have no face. So every step is defined everywhere, and the
//! half-edges around a vertex form one cycle.
//! Method: S0 §3.2 in one structure. The winged-edge record (§3.2.1) is [`HalfEdgeMesh::edge_record`]; the directed
//! edges of the quad-edge (§3.2.2) are the half-edges themselves, with Guibas and Stolfi's names for the steps
//! (`onext`, …); the doubly-connected edge list (§3.2.3) is the record without its clockwise wings.
//! Guarantees: `twin(twin(h)) == h`; `next` and `previous` are inverse; vertices are named as in [`Topology`].
//! Not for non-manifold meshes: [`Topology`] describes those. Cost: O(n log n) to build, O(1) a step; 40 bytes a
//! triangle.

mod faces;
mod polygon;

pub use self::faces::{FaceLoops, PolygonFaces, TriangleFaces};
pub use self::polygon::PolygonEdgeError;

use thiserror::Error;

use crate::TriMesh;
use crate::topology::{DisjointSets, Topology};

/// Marks a missing index in the tables; no index is this large.
const NONE: u32 = u32::MAX;

/// The half-edges of a manifold oriented mesh, of triangles by default.
#[derive(Debug, Clone, PartialEq)]
pub struct HalfEdgeMesh<F = TriangleFaces> {
    faces: F,
    /// Half-edges below this lie in faces, all later ones along the boundary.
    inner: u32,
    origin: Vec<u32>,
    twin: Vec<u32>,
    boundary_next: Vec<u32>,
    boundary_previous: Vec<u32>,
    edge_of: Vec<u32>,
    edges: Vec<u32>,
    outgoing: Vec<u32>,
}

/// The first fault that prevents a half-edge structure of a mesh.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HalfEdgeError {
    /// Two corners of a triangle lie at the same place.
    #[error("triangle {triangle} has two corners at the place of vertex {vertex}: remove the triangle")]
    CollapsedTriangle {
        /// The triangle.
        triangle: u32,
        /// The representative of the two corners.
        vertex: u32,
    },
    /// More than two triangles meet in an edge.
    #[error(
        "{} triangles meet in the edge of vertices {} and {}: split the mesh there",
        triangles.len(), vertices[0], vertices[1]
    )]
    NonManifoldEdge {
        /// The representatives of its ends.
        vertices: [u32; 2],
        /// The triangles.
        triangles: Vec<u32>,
    },
    /// Two neighbouring triangles disagree on which side is out.
    #[error(
        "triangles {} and {} run in the same direction along the edge of vertices {} and {}: reverse one of them",
        triangles[0], triangles[1], vertices[0], vertices[1]
    )]
    InconsistentOrientation {
        /// The representatives of the ends of the edge.
        vertices: [u32; 2],
        /// The triangles.
        triangles: [u32; 2],
    },
    /// The triangles around a vertex fall into several fans.
    #[error(
        "{fans} separate fans of triangles meet in vertex {vertex} alone: give each its own vertex, slightly apart"
    )]
    NonManifoldVertex {
        /// The representative.
        vertex: u32,
        /// The number of fans.
        fans: u32,
    },
}

/// The winged-edge record of an edge from `vertices[0]` to `vertices[1]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeRecord {
    /// The representatives of its ends.
    pub vertices: [u32; 2],
    /// The face on its left, seen from outside.
    pub left: Option<u32>,
    /// The face on its right.
    pub right: Option<u32>,
    /// The edges next to it around each end.
    pub wings: Wings,
}

/// The four edges next to an edge, by their numbers; at a border they may lie across the gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wings {
    /// Clockwise around the first end, seen from outside.
    pub origin_clockwise: u32,
    /// Counter-clockwise around the first end.
    pub origin_counter_clockwise: u32,
    /// Clockwise around the second end.
    pub target_clockwise: u32,
    /// Counter-clockwise around the second end.
    pub target_counter_clockwise: u32,
}

impl HalfEdgeMesh {
    /// Builds the half-edges of `mesh`, vertices at the same place counted as one.
    ///
    /// # Errors
    /// [`HalfEdgeError`] names the first fault: a collapsed triangle, else the first faulty edge, else the first faulty
    /// vertex.
    pub fn new(mesh: &TriMesh) -> Result<Self, HalfEdgeError> {
        Self::from_topology(&Topology::new(mesh))
    }

    /// Builds the half-edges from incidences already found.
    ///
    /// # Errors
    /// As [`HalfEdgeMesh::new`].
    pub fn from_topology(topology: &Topology) -> Result<Self, HalfEdgeError> {
        refuse_faults(topology)?;
        let faces = TriangleFaces { count: topology.mesh().triangles().len() as u32 };
        let origin: Vec<u32> = (0..faces.half_edge_count()).map(|half_edge| topology.origin(half_edge)).collect();
        let edges = topology.edges().map(|edge| (edge.first().0, edge.half_edges().nth(1).map(|(second, _)| second)));
        Ok(Self::assemble(faces, origin, edges, topology.mesh().vertices().len()))
    }
}

impl<F: FaceLoops> HalfEdgeMesh<F> {
    /// Links faces along their edges. In: the origins of the half-edges in faces, and for each edge its one or two
    /// half-edges, the lower first.
    fn assemble(
        faces: F,
        mut origin: Vec<u32>,
        edge_list: impl Iterator<Item = (u32, Option<u32>)>,
        vertices: usize,
    ) -> Self {
        let inner = faces.half_edge_count();
        let mut twin = vec![NONE; inner as usize];
        let mut edge_of = vec![NONE; inner as usize];
        let mut edges = Vec::with_capacity(inner as usize / 2);
        for (number, (first, second)) in edge_list.enumerate() {
            edges.push(first);
            edge_of[first as usize] = number as u32;
            let second = second.unwrap_or_else(|| {
                origin.push(origin[faces.next(first) as usize]);
                edge_of.push(number as u32);
                twin.push(NONE);
                twin.len() as u32 - 1
            });
            edge_of[second as usize] = number as u32;
            (twin[first as usize], twin[second as usize]) = (second, first);
        }
        let mut this = Self {
            faces,
            inner,
            outgoing: outgoing(&origin, &twin, inner, vertices),
            origin,
            twin,
            boundary_next: Vec::new(),
            boundary_previous: Vec::new(),
            edge_of,
            edges,
        };
        this.link_boundary(vertices);
        this
    }

    /// Links boundary half-edges into loops: the fans are single, so each vertex starts at most one of them.
    fn link_boundary(&mut self, vertices: usize) {
        let count = self.origin.len() - self.inner as usize;
        let mut starting_at = vec![NONE; if count == 0 { 0 } else { vertices }];
        for half_edge in self.inner..self.origin.len() as u32 {
            starting_at[self.origin(half_edge) as usize] = half_edge;
        }
        self.boundary_next = vec![NONE; count];
        self.boundary_previous = vec![NONE; count];
        for half_edge in self.inner..self.origin.len() as u32 {
            let next = starting_at[self.target(half_edge) as usize];
            self.boundary_next[(half_edge - self.inner) as usize] = next;
            self.boundary_previous[(next - self.inner) as usize] = half_edge;
        }
    }

    /// Returns the number of half-edges, boundary included.
    pub fn half_edge_count(&self) -> usize {
        self.origin.len()
    }

    /// Returns the number of half-edges in faces: these have the numbers below it.
    pub fn inner_half_edge_count(&self) -> u32 {
        self.inner
    }

    /// Returns the number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Returns the number of faces.
    pub fn face_count(&self) -> usize {
        self.faces.len()
    }

    /// Returns the vertices that a face uses, by representative, ascending.
    pub fn vertices(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.outgoing.len() as u32).filter(|&vertex| self.outgoing[vertex as usize] != NONE)
    }

    /// Returns the vertex at which the half-edge starts.
    #[inline]
    pub fn origin(&self, half_edge: u32) -> u32 {
        self.origin[half_edge as usize]
    }

    /// Returns the vertex at which the half-edge ends.
    #[inline]
    pub fn target(&self, half_edge: u32) -> u32 {
        self.origin(self.twin(half_edge))
    }

    /// Returns the half-edge along the same edge in the opposite direction (`Sym` of the quad-edge).
    #[inline]
    pub fn twin(&self, half_edge: u32) -> u32 {
        self.twin[half_edge as usize]
    }

    /// Returns the half-edge after this one around the face on its left, or along the border (`Lnext`).
    #[inline]
    pub fn next(&self, half_edge: u32) -> u32 {
        if half_edge < self.inner {
            self.faces.next(half_edge)
        } else {
            self.boundary_next[(half_edge - self.inner) as usize]
        }
    }

    /// Returns the half-edge before this one around the face on its left, or along the border (`Lprev`).
    #[inline]
    pub fn previous(&self, half_edge: u32) -> u32 {
        if half_edge < self.inner {
            self.faces.previous(half_edge)
        } else {
            self.boundary_previous[(half_edge - self.inner) as usize]
        }
    }

    /// Returns the face on the left; `None` beyond the border.
    #[inline]
    pub fn face(&self, half_edge: u32) -> Option<u32> {
        self.left(half_edge)
    }

    /// Returns the face on the left; `None` beyond the border.
    #[inline]
    pub fn left(&self, half_edge: u32) -> Option<u32> {
        (half_edge < self.inner).then(|| self.faces.face(half_edge))
    }

    /// Returns the face on the right; `None` beyond the border.
    #[inline]
    pub fn right(&self, half_edge: u32) -> Option<u32> {
        self.left(self.twin(half_edge))
    }

    /// Reports whether the half-edge runs along the border, with no face on its left.
    #[inline]
    pub fn is_boundary(&self, half_edge: u32) -> bool {
        half_edge >= self.inner
    }

    /// Returns the number of the edge along which the half-edge runs.
    #[inline]
    pub fn edge(&self, half_edge: u32) -> u32 {
        self.edge_of[half_edge as usize]
    }

    /// Returns the half-edge that represents edge number `edge`: its lowest, never a boundary half-edge.
    #[inline]
    pub fn half_edge(&self, edge: u32) -> u32 {
        self.edges[edge as usize]
    }

    /// Returns a half-edge that starts at `vertex`; at the border, the first of its fan. `None` if no face uses the
    /// vertex.
    pub fn outgoing(&self, vertex: u32) -> Option<u32> {
        self.outgoing.get(vertex as usize).copied().filter(|&half_edge| half_edge != NONE)
    }

    /// Returns the next half-edge counter-clockwise around the same origin.
    #[inline]
    pub fn onext(&self, half_edge: u32) -> u32 {
        self.twin(self.previous(half_edge))
    }

    /// Returns the next half-edge clockwise around the same origin.
    #[inline]
    pub fn oprev(&self, half_edge: u32) -> u32 {
        self.next(self.twin(half_edge))
    }

    /// Returns the next half-edge counter-clockwise around the face on the left.
    #[inline]
    pub fn lnext(&self, half_edge: u32) -> u32 {
        self.next(half_edge)
    }

    /// Returns the next half-edge clockwise around the face on the left.
    #[inline]
    pub fn lprev(&self, half_edge: u32) -> u32 {
        self.previous(half_edge)
    }

    /// Returns the next half-edge counter-clockwise around the face on the right, with that face still on its right.
    #[inline]
    pub fn rnext(&self, half_edge: u32) -> u32 {
        self.twin(self.next(self.twin(half_edge)))
    }

    /// Returns the next half-edge clockwise around the face on the right, with that face still on its right.
    #[inline]
    pub fn rprev(&self, half_edge: u32) -> u32 {
        self.onext(self.twin(half_edge))
    }

    /// Returns the next half-edge counter-clockwise around the same target.
    #[inline]
    pub fn dnext(&self, half_edge: u32) -> u32 {
        self.previous(self.twin(half_edge))
    }

    /// Returns the next half-edge clockwise around the same target.
    #[inline]
    pub fn dprev(&self, half_edge: u32) -> u32 {
        self.twin(self.next(half_edge))
    }

    /// Returns the record of an edge, traversed from the origin of its [`HalfEdgeMesh::half_edge`].
    pub fn edge_record(&self, edge: u32) -> EdgeRecord {
        let half_edge = self.half_edge(edge);
        EdgeRecord {
            vertices: [self.origin(half_edge), self.target(half_edge)],
            left: self.left(half_edge),
            right: self.right(half_edge),
            wings: self.wings(edge),
        }
    }

    /// Returns the edges next to an edge around each of its ends.
    pub fn wings(&self, edge: u32) -> Wings {
        let half_edge = self.half_edge(edge);
        let twin = self.twin(half_edge);
        Wings {
            origin_clockwise: self.edge(self.oprev(half_edge)),
            origin_counter_clockwise: self.edge(self.onext(half_edge)),
            target_clockwise: self.edge(self.oprev(twin)),
            target_counter_clockwise: self.edge(self.onext(twin)),
        }
    }

    /// Returns the half-edges that start at `vertex`, counter-clockwise seen from outside; at the border, from its one
    /// side to its opposite side.
    pub fn around_vertex(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        self.cycle(self.outgoing(vertex), Self::onext)
    }

    /// Returns the half-edges that start at `vertex`, clockwise.
    pub fn around_vertex_clockwise(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        self.cycle(self.outgoing(vertex), Self::oprev)
    }

    /// Returns the faces around `vertex`, counter-clockwise.
    pub fn faces_around(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        self.around_vertex(vertex).filter_map(|half_edge| self.left(half_edge))
    }

    /// Returns the half-edges of a face, counter-clockwise.
    pub fn face_half_edges(&self, face: u32) -> F::List<u32> {
        self.faces.list(face, |half_edge| half_edge)
    }

    /// Returns the vertices of a face, counter-clockwise, by representative.
    pub fn face_vertices(&self, face: u32) -> F::List<u32> {
        self.faces.list(face, |half_edge| self.origin(half_edge))
    }

    /// Returns the edges of a face, counter-clockwise.
    pub fn face_edges(&self, face: u32) -> F::List<u32> {
        self.faces.list(face, |half_edge| self.edge(half_edge))
    }

    /// Returns the faces across the edges of a face; `None` at the border.
    pub fn face_neighbours(&self, face: u32) -> F::List<Option<u32>> {
        self.faces.list(face, |half_edge| self.right(half_edge))
    }

    /// Returns the number of edges of a face.
    pub fn face_degree(&self, face: u32) -> usize {
        self.faces.half_edges(face).len()
    }

    /// Returns the number of sets of faces that are connected across edges.
    pub fn component_count(&self) -> usize {
        let mut sets = DisjointSets::new(self.face_count());
        for &half_edge in &self.edges {
            if let (Some(left), Some(right)) = (self.left(half_edge), self.right(half_edge)) {
                sets.unite(left, right);
            }
        }
        (0..self.face_count() as u32).filter(|&face| sets.find(face) == face).count()
    }

    /// Returns the number of vertices − number of edges + number of faces.
    pub fn euler_characteristic(&self) -> i64 {
        self.vertices().count() as i64 - self.edge_count() as i64 + self.face_count() as i64
    }

    /// Returns the borders, each as its half-edges in order with the gap on their left; from the lowest half-edge up.
    pub fn boundary_loops(&self) -> Vec<Vec<u32>> {
        let mut seen = vec![false; self.boundary_next.len()];
        let mut loops = Vec::new();
        for start in self.inner..self.origin.len() as u32 {
            if seen[(start - self.inner) as usize] {
                continue;
            }
            let border: Vec<u32> = self.cycle(Some(start), Self::next).collect();
            border.iter().for_each(|half_edge| seen[(half_edge - self.inner) as usize] = true);
            loops.push(border);
        }
        loops
    }

    /// Steps from `start` until it returns there. It does, since every step is a permutation of the half-edges.
    fn cycle(&self, start: Option<u32>, step: fn(&Self, u32) -> u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(start, move |&half_edge| Some(step(self, half_edge)).filter(|&next| Some(next) != start))
    }
}

/// Finds for each vertex a half-edge that starts there; at the border, the half-edge with the gap on its right.
fn outgoing(origin: &[u32], twin: &[u32], inner: u32, vertices: usize) -> Vec<u32> {
    let mut outgoing = vec![NONE; vertices];
    for half_edge in 0..inner {
        let slot = &mut outgoing[origin[half_edge as usize] as usize];
        if *slot == NONE || twin[half_edge as usize] >= inner {
            *slot = half_edge;
        }
    }
    outgoing
}

fn refuse_faults(topology: &Topology) -> Result<(), HalfEdgeError> {
    if let Some(&triangle) = topology.collapsed().first() {
        let [a, b, c] = topology.corners(triangle);
        return Err(HalfEdgeError::CollapsedTriangle { triangle, vertex: if b == c { b } else { a } });
    }
    for edge in topology.edges() {
        let mut triangles = edge.triangles();
        match (triangles.next(), triangles.next(), triangles.next()) {
            (Some(first), Some(second), None) if edge.imbalance() != 0 => {
                let (vertices, triangles) = (edge.vertices, [first, second]);
                return Err(HalfEdgeError::InconsistentOrientation { vertices, triangles });
            }
            (_, _, Some(_)) => {
                let (vertices, triangles) = (edge.vertices, edge.triangles().collect());
                return Err(HalfEdgeError::NonManifoldEdge { vertices, triangles });
            }
            _ => {}
        }
    }
    let fans = topology.fans();
    match fans.iter().position(|&fans| fans > 1) {
        Some(vertex) => Err(HalfEdgeError::NonManifoldVertex { vertex: vertex as u32, fans: fans[vertex] }),
        None => Ok(()),
    }
}
