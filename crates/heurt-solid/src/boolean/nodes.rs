//! Nodes of the arrangement of two meshes: their vertices, and the points in which edges meet faces and edges.
//!
//! Method: a meeting of two features names its point, so that two points are equal exactly if their meetings are. A
//! vertex of either mesh is its own node; a vertex of B on a vertex of A is that vertex. All other points are ratios
//! of integers, with coordinates rounded to the nearest numbers. Signs are decided by the rounded coordinates where
//! their rounding cannot matter, else exactly.

use super::exact_point::{ExactPoint, Lattice, PlacedFeature, compare, orient};
use super::feature::{Feature, Meeting};
use super::meet::Projection;
use super::solid_mesh::SolidMesh;
use heurt_geometry::{Sign, Vec3, orient2d};
use std::borrow::Cow;

/// Relative rounding error of a coordinate, half an ulp.
const HALF_ULP: f64 = 0.5 * f64::EPSILON;

/// Underflow of products and of rounded coordinates.
const UNDERFLOW: f64 = 1e-300;

/// The number of a node: first the vertices of A, then the vertices of B, then the points of meetings.
pub(super) type NodeId = u32;

/// Nodes in the plane of a face.
pub(super) trait FaceNodes {
    /// The coordinates, rounded to the nearest numbers.
    fn place(&self, node: NodeId) -> Vec3;

    /// The exact coordinates.
    fn exact(&self, node: NodeId) -> Cow<'_, ExactPoint>;

    /// Reports whether the coordinates of a node are exact without further digits.
    fn is_vertex(&self, node: NodeId) -> bool;

    /// The sign of the area of three nodes in a projection.
    fn orient(&self, projection: Projection, nodes: [NodeId; 3]) -> Sign {
        let [a, b, c] = nodes.map(|node| projection.place(self.place(node)));
        if nodes.iter().all(|node| self.is_vertex(*node)) {
            return orient2d(a, b, c);
        }
        let largest = a.abs().max(b.abs()).max(c.abs()).max_element();
        let (u, v) = (a - c, b - c);
        let extent = u.abs().max(v.abs()).max_element();
        // Each difference has the rounding of two coordinates and its own.
        let error = 4.0 * HALF_ULP * largest + UNDERFLOW;
        let bound = 8.0 * error * (extent + error) + 8.0 * HALF_ULP * extent * extent + UNDERFLOW;
        let area = u.x * v.y - u.y * v.x;
        if area.abs() > bound {
            return Sign::of(area);
        }
        let [a, b, c] = nodes.map(|node| self.exact(node));
        orient([&a, &b, &c], projection.axes())
    }

    /// The sign of a coordinate of the first node less the coordinate of the second.
    fn compare(&self, axis: usize, a: NodeId, b: NodeId) -> Sign {
        let (x, y) = (self.place(a)[axis], self.place(b)[axis]);
        let error = 2.0 * HALF_ULP * (x.abs() + y.abs()) + UNDERFLOW;
        if self.is_vertex(a) && self.is_vertex(b) || (x - y).abs() > error {
            return Sign::of(x - y);
        }
        compare(&self.exact(a), &self.exact(b), axis)
    }
}

/// The nodes of two meshes.
#[derive(Debug)]
pub(super) struct Nodes<'a> {
    pub a: &'a SolidMesh,
    pub b: &'a SolidMesh,
    pub lattice: Lattice,
    /// The vertex of A on which each vertex of B lies.
    merged: Vec<Option<u32>>,
    /// The points that are no vertices, in the order of their meetings.
    points: Vec<ExactPoint>,
    /// Rounded to the nearest numbers.
    rounded: Vec<Vec3>,
    /// The meetings of these points, sorted by their keys.
    meetings: Vec<Meeting>,
}

impl<'a> Nodes<'a> {
    /// Makes the nodes of all meetings, which are sorted by their keys, each once.
    pub(super) fn new(a: &'a SolidMesh, b: &'a SolidMesh, lattice: Lattice, all: &[Meeting]) -> Self {
        let mut merged = vec![None; b.mesh().vertices().len()];
        let mut meetings = Vec::new();
        for meeting in all {
            match (meeting.on_a, meeting.on_b) {
                (Feature::Vertex(of_a), Feature::Vertex(of_b)) => merged[of_b as usize] = Some(of_a),
                (Feature::Vertex(_), _) | (_, Feature::Vertex(_)) => {}
                _ => meetings.push(*meeting),
            }
        }
        let points: Vec<ExactPoint> = meetings.iter().map(|meeting| point_of(a, b, lattice, *meeting)).collect();
        let rounded = points.iter().map(|point| lattice.round(point)).collect();
        Self { a, b, lattice, merged, points, rounded, meetings }
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.first_point() + self.points.len()
    }

    fn first_of_b(&self) -> usize {
        self.a.mesh().vertices().len()
    }

    /// The first node that is no vertex.
    pub(super) fn first_point(&self) -> usize {
        self.first_of_b() + self.merged.len()
    }

    /// The node of a vertex of A (side 0) or B (side 1).
    pub(super) fn of_vertex(&self, side: usize, vertex: u32) -> NodeId {
        match side {
            0 => vertex,
            _ => self.merged[vertex as usize].unwrap_or(vertex + self.first_of_b() as u32),
        }
    }

    /// The node of a meeting.
    pub(super) fn of_meeting(&self, meeting: Meeting) -> Option<NodeId> {
        match (meeting.on_a, meeting.on_b) {
            (Feature::Vertex(vertex), _) => Some(vertex),
            (_, Feature::Vertex(vertex)) => Some(self.of_vertex(1, vertex)),
            _ => {
                let at = self.meetings.binary_search_by_key(&meeting.key(), |known| known.key()).ok()?;
                Some((self.first_point() + at) as u32)
            }
        }
    }
}

impl FaceNodes for Nodes<'_> {
    fn place(&self, node: NodeId) -> Vec3 {
        let node = node as usize;
        if node < self.first_of_b() {
            self.a.vertex(node as u32)
        } else if node < self.first_point() {
            self.b.vertex((node - self.first_of_b()) as u32)
        } else {
            self.rounded[node - self.first_point()]
        }
    }

    fn exact(&self, node: NodeId) -> Cow<'_, ExactPoint> {
        match (node as usize).checked_sub(self.first_point()) {
            Some(at) => Cow::Borrowed(&self.points[at]),
            None => Cow::Owned(self.lattice.point(self.place(node))),
        }
    }

    fn is_vertex(&self, node: NodeId) -> bool {
        (node as usize) < self.first_point()
    }
}

/// Computes the point of a meeting without a vertex.
fn point_of(a: &SolidMesh, b: &SolidMesh, lattice: Lattice, meeting: Meeting) -> ExactPoint {
    let placed = |mesh: &SolidMesh, feature: Feature| match feature {
        Feature::Vertex(vertex) => PlacedFeature::Vertex(mesh.vertex(vertex)),
        Feature::Edge(edge) => PlacedFeature::Edge(mesh.edges().ends(edge).map(|vertex| mesh.vertex(vertex))),
        Feature::Face(face) => PlacedFeature::Face(mesh.triangle(face)),
    };
    lattice.meeting(placed(a, meeting.on_a), placed(b, meeting.on_b))
}
