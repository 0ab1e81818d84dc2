//! Vertex stars: the triangles round each vertex of a mesh.

use crate::csr::Csr;
use crate::mesh::{MeshShape, PairVolume};
use crate::once::get_or_make_unlocked;
use heurt_geometry::Vec3;
use heurt_mesh::{Topology, TriMesh};

/// The triangles round each vertex, with coincident vertices counted as one.
#[derive(Debug, Clone)]
pub struct VertexStars {
    /// The lowest coincident vertex, by vertex.
    representatives: Vec<u32>,
    triangles: Csr,
}

impl VertexStars {
    fn new(mesh: &TriMesh) -> Self {
        let topology = Topology::new(mesh);
        let representatives: Vec<u32> =
            (0..mesh.vertices().len() as u32).map(|vertex| topology.representative(vertex)).collect();
        let uses = (0u32..)
            .zip(mesh.triangles())
            .flat_map(|(triangle, corners)| corners.map(|vertex| [representatives[vertex as usize], triangle]));
        let triangles = Csr::new(representatives.len(), uses.collect());
        Self { representatives, triangles }
    }

    /// Returns the lowest coincident vertex.
    pub fn representative(&self, vertex: u32) -> u32 {
        self.representatives[vertex as usize]
    }

    /// Returns the triangles with a vertex at this position, ascending.
    pub fn round(&self, vertex: u32) -> &[u32] {
        self.triangles.of(self.representative(vertex))
    }
}

impl MeshShape {
    /// Makes at once the data for contacts with other meshes, so that the first contact is not slower: approximately
    /// 0.2 µs a triangle. Meshes of another [`PairVolume`] may require one more tree.
    pub fn prepare_contacts(&self) {
        self.vertex_stars();
        self.is_inverted();
        match self.pair_volume() {
            PairVolume::Aligned => {}
            PairVolume::Oriented => _ = self.oriented_tree(),
            PairVolume::Polytope => _ = self.polytope_tree(),
        }
    }

    /// Returns the vertex stars of the mesh, computed at the first request.
    pub fn vertex_stars(&self) -> &VertexStars {
        get_or_make_unlocked(&self.stars, || VertexStars::new(&self.mesh))
    }

    /// Reports whether the signed volume is negative, because all triangles face inwards. Such a mesh is a solid as
    /// well: the winding number of its inside is −1. Reads all triangles at the first request.
    pub fn is_inverted(&self) -> bool {
        *self.inverted.get_or_init(|| {
            let (mesh, bounds) = (self.mesh(), self.bounds());
            // In units of its size, so that nothing overflows or vanishes.
            let (centre, size) = (bounds.centre(), bounds.half_extents().max_element());
            let local = |corner: Vec3| (corner - centre) / size;
            let cones = (0..mesh.triangles().len() as u32).map(|triangle| {
                let [a, b, c] = mesh.corners(triangle).map(local);
                a.dot(b.cross(c))
            });
            cones.sum::<f64>() < 0.0
        })
    }
}
