//! Vertices and edges of a closed mesh that matter to the thickness of its walls.
//!
//! In: the incidences of a closed mesh that faces outward. Out: a sample at each edge and vertex that leads into the
//! material, and the sharp edges, near which there is no wall.
//! Method: an edge of two triangles leads into the material if the far corner of one lies ahead of the plane of the
//! neighbour; a vertex does if one of its edges does. The normal there is the mean of the normals of the triangles,
//! weighted by their angles at a vertex.
//! Guarantees: in the order of edges and vertices; at most [`MAX_FEATURES`], evenly from all. Cost: O(n log n), and for
//! a sample the sharp edges that are nearer than it is thick.

use heurt_geometry::{Aabb, Vec3};

use super::probe::{OPPOSITE, Probe};
use super::samples::SurfaceSample;
use crate::decompose::nearest_on_segment;
use crate::topology::previous_in_triangle;
use crate::tree_query::BoxTree;
use crate::{Edge, Topology};

/// Maximum number of samples at vertices and edges: some seconds.
const MAX_FEATURES: usize = 1 << 16;

/// Sine of the angle below which two triangles count as one plane: 0.06 degrees.
const FLAT: f64 = 1e-3;

/// The two triangles at an edge, and the sine of the angle by which the second one is bent from the plane of the first
/// one: positive if the edge leads into the material.
fn bend(topology: &Topology, probe: &Probe, edge: &Edge) -> Option<([u32; 2], f64)> {
    if edge.degree() != 2 {
        return None;
    }
    let mut half_edges = edge.half_edges().map(|(half_edge, _)| half_edge);
    let (first, second) = half_edges.next().zip(half_edges.next())?;
    let place = |vertex: u32| topology.mesh().vertices()[vertex as usize];
    let far = place(topology.origin(previous_in_triangle(second))) - place(edge.vertices[0]);
    let along = (place(edge.vertices[1]) - place(edge.vertices[0])).try_normalize()?;
    let across = (far - along * far.dot(along)).try_normalize()?;
    Some(([first / 3, second / 3], probe.normal(first / 3).dot(across)))
}

/// Lists samples at vertices and in the middle of edges that lead into the material.
pub(super) fn inner_features(topology: &Topology, probe: &Probe) -> Vec<SurfaceSample> {
    let mesh = topology.mesh();
    let mut samples = Vec::new();
    let mut is_inner = vec![false; mesh.vertices().len()];
    for edge in topology.edges() {
        let Some(([first, second], sine)) = bend(topology, probe, &edge) else { continue };
        if sine <= FLAT {
            continue;
        }
        edge.vertices.iter().for_each(|&vertex| is_inner[vertex as usize] = true);
        let [a, b] = edge.vertices.map(|vertex| mesh.vertices()[vertex as usize]);
        if let Some(normal) = (probe.normal(first) + probe.normal(second)).try_normalize() {
            let (feature, point) = (Some([a, b]), a * 0.5 + b * 0.5);
            samples.push(SurfaceSample { triangle: first, feature, point, normal, weight: 0.0 });
        }
    }
    // By vertex: the sum of normals, and the first triangle.
    let mut sums: Vec<(Vec3, u32)> = vec![(Vec3::ZERO, u32::MAX); mesh.vertices().len()];
    for triangle in 0..mesh.triangles().len() as u32 {
        let corners = topology.corners(triangle);
        let places = mesh.corners(triangle);
        for k in 0..3 {
            let vertex = corners[k] as usize;
            if !is_inner[vertex] {
                continue;
            }
            let [u, v] = [1, 2].map(|step| (places[(k + step) % 3] - places[k]).normalize_or_zero());
            let angle = libm::acos(u.dot(v).clamp(-1.0, 1.0));
            sums[vertex].0 += probe.normal(triangle) * angle;
            sums[vertex].1 = sums[vertex].1.min(triangle);
        }
    }
    samples.extend(mesh.vertices().iter().zip(&sums).filter_map(|(&point, &(sum, triangle))| {
        let normal = sum.try_normalize()?;
        Some(SurfaceSample { triangle, feature: Some([point; 2]), point, normal, weight: 0.0 })
    }));
    let step = samples.len().div_ceil(MAX_FEATURES).max(1);
    samples.into_iter().step_by(step).collect()
}

/// Cosine of the angle up to which two normals are those of one side of an edge: 26 degrees, for curved sides.
const SAME_SIDE: f64 = 0.9;

/// A convex edge at which the two sides count as opposite.
struct SharpEdge {
    ends: [Vec3; 2],
    normals: [Vec3; 2],
}

/// The sharp edges of a mesh.
pub(super) struct SharpEdges {
    edges: Vec<SharpEdge>,
    tree: Option<BoxTree>,
}

impl SharpEdges {
    /// Finds the sharp edges.
    pub(super) fn of(topology: &Topology, probe: &Probe) -> Self {
        let sharp = |edge: Edge| {
            let (triangles, sine) = bend(topology, probe, &edge)?;
            let normals = triangles.map(|triangle| probe.normal(triangle));
            let ends = edge.vertices.map(|vertex| topology.mesh().vertices()[vertex as usize]);
            (sine < 0.0 && normals[0].dot(normals[1]) < OPPOSITE).then_some(SharpEdge { ends, normals })
        };
        let edges: Vec<SharpEdge> = topology.edges().filter_map(sharp).collect();
        let boxes = edges.iter().map(|edge| Aabb::from_points(edge.ends)).collect();
        let tree = (!edges.is_empty()).then(|| BoxTree::new(boxes));
        Self { edges, tree }
    }

    /// Tests whether a sharp edge between the two sides of a wall is nearer to a point of it than `length`. The sides
    /// have these normals.
    pub(super) fn has_within(&self, point: Vec3, length: f64, sides: [Vec3; 2]) -> bool {
        let Some(tree) = &self.tree else { return false };
        let is_between = |p: Vec3, q: Vec3| p.dot(sides[0]) >= SAME_SIDE && q.dot(sides[1]) >= SAME_SIDE;
        tree.any_meeting(&Aabb::from_points([point - length, point + length]), |number| {
            let SharpEdge { ends: [a, b], normals: [p, q] } = self.edges[number as usize];
            (is_between(p, q) || is_between(q, p)) && (nearest_on_segment(point, a, b) - point).length() < length
        })
    }
}
