//! Place of a fault: the box of its elements and the centre of that box.
//!
//! In: a fault, the mesh it was found in. Out: a [`FaultPlace`] in the units of the mesh.
//! Method: the box of the triangles or vertices of the fault; for two triangles that intersect, the box of what they
//! share.
//! Guarantees: for faults of this mesh the box is not empty and holds every element of the fault (except for
//! self-intersections, where it holds the common points, rounded). Cost: O(elements of the fault).

use heurt_geometry::{Aabb, Section, Vec3, section};

use super::Fault;
use crate::TriMesh;

/// The place of a fault, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FaultPlace {
    /// The centre of the box.
    pub centre: Vec3,
    /// The box of the elements of the fault.
    pub bounds: Aabb,
}

impl Fault {
    /// Finds the place of a fault of `mesh`; elements that the mesh does not have are left out.
    pub fn place(&self, mesh: &TriMesh) -> FaultPlace {
        let bounds = match self {
            Self::SelfIntersection { triangles: [a, b] } => shared_bounds(mesh, *a, *b),
            Self::NonManifoldVertex { vertex, .. } | Self::IsolatedVertex { vertex } => of_vertices(mesh, &[*vertex]),
            Self::NonManifoldEdge { vertices, .. } | Self::InconsistentOrientation { vertices, .. } => {
                of_vertices(mesh, vertices)
            }
            Self::Hole { vertices, .. } => of_vertices(mesh, vertices),
            Self::DegenerateFace { .. } | Self::DuplicateFace { .. } | Self::InwardShell { .. } => {
                of_triangles(mesh, &self.triangles())
            }
        };
        FaultPlace { centre: bounds.centre(), bounds }
    }

    /// Returns the triangles of the fault: those without area, on the same corners, at the edge or vertex, along the
    /// border, of the shell, or that intersect.
    pub fn triangles(&self) -> Vec<u32> {
        match self {
            Self::DegenerateFace { triangle } => vec![*triangle],
            Self::DuplicateFace { first, second, .. } => vec![*first, *second],
            Self::IsolatedVertex { .. } => Vec::new(),
            Self::NonManifoldEdge { triangles, .. }
            | Self::NonManifoldVertex { triangles, .. }
            | Self::InconsistentOrientation { triangles, .. }
            | Self::Hole { triangles, .. }
            | Self::InwardShell { triangles, .. } => triangles.clone(),
            Self::SelfIntersection { triangles } => triangles.to_vec(),
        }
    }

    /// Returns the vertices of the fault: the ends of the edge, the vertex, the border in order. Faults of whole
    /// triangles have none of their own.
    pub fn vertices(&self) -> Vec<u32> {
        match self {
            Self::IsolatedVertex { vertex } | Self::NonManifoldVertex { vertex, .. } => vec![*vertex],
            Self::NonManifoldEdge { vertices, .. } | Self::InconsistentOrientation { vertices, .. } => {
                vertices.to_vec()
            }
            Self::Hole { vertices, .. } => vertices.clone(),
            Self::DegenerateFace { .. }
            | Self::DuplicateFace { .. }
            | Self::InwardShell { .. }
            | Self::SelfIntersection { .. } => Vec::new(),
        }
    }
}

fn of_vertices(mesh: &TriMesh, vertices: &[u32]) -> Aabb {
    Aabb::from_points(vertices.iter().filter_map(|&vertex| mesh.vertices().get(vertex as usize).copied()))
}

fn of_triangles(mesh: &TriMesh, triangles: &[u32]) -> Aabb {
    let count = mesh.triangles().len() as u32;
    Aabb::from_points(
        triangles.iter().filter(|&&triangle| triangle < count).flat_map(|&triangle| mesh.corners(triangle)),
    )
}

/// Returns the box of the points that two triangles share, or of both if rounding leaves none.
fn shared_bounds(mesh: &TriMesh, a: u32, b: u32) -> Aabb {
    let count = mesh.triangles().len() as u32;
    if a >= count || b >= count {
        return of_triangles(mesh, &[a, b]);
    }
    let points: Vec<Vec3> = match section(&mesh.corners(a), &mesh.corners(b)) {
        Section::None => Vec::new(),
        Section::Point(point) => vec![point.position],
        Section::Segment(ends) => ends.iter().map(|end| end.position).collect(),
        Section::Coplanar(corners) => corners,
    };
    let bounds = Aabb::from_points(points.into_iter().filter(|point| point.is_finite()));
    if bounds.is_empty() { of_triangles(mesh, &[a, b]) } else { bounds }
}
