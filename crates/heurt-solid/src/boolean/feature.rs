//! Features of a triangle mesh: vertices, open edges and open faces, which are disjoint and cover the surface.

use heurt_mesh::Topology;

/// A vertex, an open edge or an open face of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Feature {
    Vertex(u32),
    Edge(u32),
    Face(u32),
}

impl Feature {
    /// Returns a number that no other feature of the mesh has.
    fn code(self) -> u64 {
        match self {
            Self::Vertex(number) => u64::from(number) << 2,
            Self::Edge(number) => u64::from(number) << 2 | 1,
            Self::Face(number) => u64::from(number) << 2 | 2,
        }
    }
}

/// A feature of mesh A and a feature of mesh B that meet in one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Meeting {
    pub on_a: Feature,
    pub on_b: Feature,
}

impl Meeting {
    /// Returns a key that sorts meetings.
    pub(super) fn key(self) -> (u64, u64) {
        (self.on_a.code(), self.on_b.code())
    }
}

/// A feature of one triangle: 0 to 2 are its corners, 3 to 5 its edges (3 + k runs from corner k to the next), 6 is its
/// open face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LocalFeature(pub u8);

impl LocalFeature {
    pub(super) const FACE: Self = Self(6);

    pub(super) fn corner(k: usize) -> Self {
        Self(k as u8)
    }

    pub(super) fn edge(k: usize) -> Self {
        Self(3 + k as u8)
    }

    /// Reports whether the feature lies in the closed edge from corner `k` to the next.
    pub(super) fn is_in_closed_edge(self, k: usize) -> bool {
        let feature = usize::from(self.0);
        feature == k || feature == (k + 1) % 3 || feature == 3 + k
    }
}

/// The edges of a mesh by half-edge.
#[derive(Debug)]
pub(super) struct EdgeTable {
    /// The edge of each half-edge; half-edge 3t + k runs from corner k of triangle t to the next.
    of: Vec<u32>,
    /// The ends of each edge, the lower vertex first.
    ends: Vec<[u32; 2]>,
}

impl EdgeTable {
    pub(super) fn new(topology: &Topology) -> Self {
        let mut of = vec![u32::MAX; 3 * topology.mesh().triangles().len()];
        let mut ends = Vec::with_capacity(topology.edge_count());
        for (number, edge) in topology.edges().enumerate() {
            edge.half_edges().for_each(|(half_edge, _)| of[half_edge as usize] = number as u32);
            ends.push(edge.vertices);
        }
        Self { of, ends }
    }

    /// The edge from corner `k` of a triangle to the next.
    pub(super) fn of(&self, triangle: u32, k: usize) -> u32 {
        self.of[3 * triangle as usize + k]
    }

    /// The vertices of an edge, the lower first.
    pub(super) fn ends(&self, edge: u32) -> [u32; 2] {
        self.ends[edge as usize]
    }

    /// The number of edges.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the feature of the mesh of a feature of a triangle with these corners.
    pub(super) fn feature(&self, triangle: u32, corners: [u32; 3], local: LocalFeature) -> Feature {
        match local.0 {
            corner @ 0..=2 => Feature::Vertex(corners[usize::from(corner)]),
            edge @ 3..=5 => Feature::Edge(self.of(triangle, usize::from(edge - 3))),
            _ => Feature::Face(triangle),
        }
    }
}
