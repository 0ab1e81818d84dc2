//! Half-edges of polygons of any degree, built by sorting them by their ends.
//!
//! In: a mesh and the polygons that its triangles were cut from. Out: [`HalfEdgeMesh`] whose faces are the polygons.
//! Half-edge k runs from corner k of all polygons in order to the next corner of the same polygon.
//! Guarantees: as for triangles; edges are numbered by their lower and then by their upper vertex. Cost: O(n log n).

use thiserror::Error;

use super::{FaceLoops, HalfEdgeMesh, PolygonFaces};
use crate::topology::DisjointSets;
use crate::weld::first_at_same_place;
use crate::{Polygons, TriMesh};

/// The first fault that prevents a half-edge structure of polygons.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PolygonEdgeError {
    /// Two consecutive corners of a polygon lie at the same place.
    #[error("polygon {polygon} has two consecutive corners at the place of vertex {vertex}: remove one of them")]
    CollapsedEdge {
        /// The polygon.
        polygon: u32,
        /// The representative of the two corners.
        vertex: u32,
    },
    /// A polygon names a vertex that the mesh does not have.
    #[error(
        "polygon {polygon} names vertex {vertex}, but the mesh has {count} vertices: pass the mesh of these polygons"
    )]
    NoSuchVertex {
        /// The polygon.
        polygon: u32,
        /// The vertex.
        vertex: u32,
        /// The number of vertices.
        count: usize,
    },
    /// More than two polygons meet in an edge.
    #[error(
        "{} polygons meet in the edge of vertices {} and {}: split the mesh there",
        polygons.len(), vertices[0], vertices[1]
    )]
    NonManifoldEdge {
        /// The representatives of its ends, the lower first.
        vertices: [u32; 2],
        /// The polygons.
        polygons: Vec<u32>,
    },
    /// Two neighbouring polygons disagree on which side is out.
    #[error(
        "polygons {} and {} run in the same direction along the edge of vertices {} and {}: reverse one of them",
        polygons[0], polygons[1], vertices[0], vertices[1]
    )]
    InconsistentOrientation {
        /// The representatives of the ends of the edge, the lower first.
        vertices: [u32; 2],
        /// The polygons.
        polygons: [u32; 2],
    },
    /// The polygons around a vertex fall into several fans.
    #[error("{fans} separate fans of polygons meet in vertex {vertex} alone: give each its own vertex, slightly apart")]
    NonManifoldVertex {
        /// The representative.
        vertex: u32,
        /// The number of fans.
        fans: u32,
    },
}

/// A half-edge by the ends of its edge, the lower first, its number, and whether it runs from the lower to the upper
/// end.
type Use = ([u32; 2], u32, bool);

impl HalfEdgeMesh<PolygonFaces> {
    /// Builds the half-edges of polygons over the vertices of `mesh`; vertices at the same place count as one.
    ///
    /// # Errors
    /// [`PolygonEdgeError`] names the first fault: a vertex that is not there or a collapsed edge, else the first
    /// faulty edge, else the first faulty vertex.
    pub fn from_polygons(mesh: &TriMesh, polygons: &Polygons) -> Result<Self, PolygonEdgeError> {
        let faces = PolygonFaces::new((0..polygons.len()).map(|polygon| polygons.corners(polygon).len()));
        let origin = origins(mesh, polygons, &faces)?;
        let uses = sorted_uses(&origin, &faces);
        let mut edges: Vec<[Option<u32>; 2]> = Vec::with_capacity(uses.len() / 2);
        for group in uses.chunk_by(|a, b| a.0 == b.0) {
            edges.push(edge_of(group, &faces)?);
        }
        let vertices = mesh.vertices().len();
        let fans = fans(&origin, &faces, &edges, vertices);
        if let Some(vertex) = fans.iter().position(|&fans| fans > 1) {
            return Err(PolygonEdgeError::NonManifoldVertex { vertex: vertex as u32, fans: fans[vertex] });
        }
        let edges = edges.into_iter().filter_map(|[first, second]| Some((first?, second)));
        Ok(Self::assemble(faces, origin, edges, vertices))
    }
}

/// Returns the representative at which each half-edge starts.
fn origins(mesh: &TriMesh, polygons: &Polygons, faces: &PolygonFaces) -> Result<Vec<u32>, PolygonEdgeError> {
    let count = mesh.vertices().len();
    let representative = first_at_same_place(mesh.vertices());
    let mut origin = Vec::with_capacity(faces.half_edge_count() as usize);
    for polygon in 0..polygons.len() {
        let first = origin.len();
        for &vertex in polygons.corners(polygon) {
            let place = representative.get(vertex as usize);
            let polygon = polygon as u32;
            origin.push(*place.ok_or(PolygonEdgeError::NoSuchVertex { polygon, vertex, count })?);
        }
        let corners = &origin[first..];
        let collapsed = corners.iter().zip(corners.iter().cycle().skip(1)).find(|(a, b)| a == b);
        if let Some((&vertex, _)) = collapsed {
            return Err(PolygonEdgeError::CollapsedEdge { polygon: polygon as u32, vertex });
        }
    }
    Ok(origin)
}

fn sorted_uses(origin: &[u32], faces: &PolygonFaces) -> Vec<Use> {
    let of = |half_edge: u32| {
        let (from, to) = (origin[half_edge as usize], origin[faces.next(half_edge) as usize]);
        ([from.min(to), from.max(to)], half_edge, from < to)
    };
    let mut uses: Vec<Use> = (0..faces.half_edge_count()).map(of).collect();
    uses.sort_unstable();
    uses
}

/// Returns the half-edges of an edge: one or two.
fn edge_of(group: &[Use], faces: &PolygonFaces) -> Result<[Option<u32>; 2], PolygonEdgeError> {
    let polygon = |used: &Use| faces.face(used.1);
    let vertices = group[0].0;
    match group {
        [only] => Ok([Some(only.1), None]),
        [first, second] if first.2 != second.2 => Ok([Some(first.1), Some(second.1)]),
        [first, second] => {
            let polygons = [polygon(first), polygon(second)];
            Err(PolygonEdgeError::InconsistentOrientation { vertices, polygons })
        }
        _ => Err(PolygonEdgeError::NonManifoldEdge { vertices, polygons: group.iter().map(polygon).collect() }),
    }
}

/// Counts for each vertex the fans of its corners that are connected across edges.
fn fans(origin: &[u32], faces: &PolygonFaces, edges: &[[Option<u32>; 2]], vertices: usize) -> Vec<u32> {
    let mut sets = DisjointSets::new(origin.len());
    for &edge in edges {
        if let [Some(first), Some(second)] = edge {
            // The corner at the start of a half-edge is next to the corner at the end of its twin.
            sets.unite(first, faces.next(second));
            sets.unite(second, faces.next(first));
        }
    }
    let mut fans = vec![0; vertices];
    for corner in 0..origin.len() as u32 {
        if sets.find(corner) == corner {
            fans[origin[corner as usize] as usize] += 1;
        }
    }
    fans
}
