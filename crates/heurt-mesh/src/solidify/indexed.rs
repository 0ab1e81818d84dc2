//! Mutable mesh whose topology is recomputed only after changes.
//!
//! In: a mesh. Out: the mesh, and its [`Topology`], passed to closures. Guarantees: the topology always matches the
//! present mesh. Cost: one [`Topology`] per change that is followed by a query.

use heurt_geometry::Vec3;

use crate::topology::Incidence;
use crate::{Topology, TriMesh};

/// A mesh and its incidences while they are valid.
#[derive(Debug, Clone)]
pub(super) struct Indexed {
    mesh: TriMesh,
    incidence: Option<Incidence>,
}

impl Indexed {
    /// Takes a mesh.
    pub(super) fn new(mesh: TriMesh) -> Self {
        Self { mesh, incidence: None }
    }

    /// Returns the mesh.
    pub(super) fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// Returns the mesh by value.
    pub(super) fn into_mesh(self) -> TriMesh {
        self.mesh
    }

    /// Calls `f` with the topology.
    pub(super) fn with_topology<R>(&mut self, f: impl FnOnce(&Topology) -> R) -> R {
        let topology = match self.incidence.take() {
            Some(incidence) => incidence.over(&self.mesh),
            None => Topology::new(&self.mesh),
        };
        let result = f(&topology);
        self.incidence = Some(topology.into_incidence());
        result
    }

    /// Moves vertices.
    pub(super) fn move_vertices(&mut self, moves: &[(u32, Vec3)]) {
        moves.iter().for_each(|&(vertex, position)| self.mesh.set_vertex(vertex, position));
        self.incidence = None;
    }

    /// Reverses triangles.
    pub(super) fn reverse(&mut self, triangles: &[u32]) {
        triangles.iter().for_each(|&triangle| self.mesh.reverse_triangle(triangle));
        self.incidence = None;
    }
}
