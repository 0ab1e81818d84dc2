//! What is round the vertices of a mesh.

use crate::MeshShape;
use crate::lazy::made_outside;
use heurt_geometry::Vec3;
use heurt_mesh::{Topology, TriMesh};

/// The triangles round each vertex, vertices at the same place counted as one.
#[derive(Debug, Clone)]
pub struct VertexStars {
    /// The lowest vertex at the same place, by vertex.
    representatives: Vec<u32>,
    /// Where the triangles of each vertex begin, and a last entry where they end.
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

impl VertexStars {
    fn new(mesh: &TriMesh) -> Self {
        let topology = Topology::new(mesh);
        let representatives: Vec<u32> =
            (0..mesh.vertices().len() as u32).map(|vertex| topology.representative(vertex)).collect();
        let mut uses: Vec<[u32; 2]> = (0u32..)
            .zip(mesh.triangles())
            .flat_map(|(triangle, corners)| corners.map(|vertex| [representatives[vertex as usize], triangle]))
            .collect();
        uses.sort_unstable();
        uses.dedup();
        let count = representatives.len() as u32;
        let starts = (0..=count).map(|vertex| uses.partition_point(|[at, _]| *at < vertex) as u32).collect();
        let triangles = uses.into_iter().map(|[_, triangle]| triangle).collect();
        Self { representatives, starts, triangles }
    }

    /// The lowest vertex at the same place.
    pub fn representative(&self, vertex: u32) -> u32 {
        self.representatives[vertex as usize]
    }

    /// The triangles that have a vertex at this place, ascending.
    pub fn round(&self, vertex: u32) -> &[u32] {
        let at = self.representative(vertex) as usize;
        &self.triangles[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

impl MeshShape {
    /// What is round the vertices of the mesh, found when first asked for.
    pub fn vertex_stars(&self) -> &VertexStars {
        made_outside(&self.stars, || VertexStars::new(&self.mesh))
    }

    /// Tells whether the signed volume is negative, as it is where all triangles face inwards. Such a mesh is a solid like any
    /// other: its inside is wound round once, the other way. Looks at all triangles.
    pub fn is_inverted(&self) -> bool {
        let (mesh, bounds) = (self.mesh(), self.bounds());
        // In units of its size, so that nothing overflows or vanishes.
        let (centre, size) = (bounds.centre(), bounds.half_extents().max_element());
        let local = |corner: Vec3| (corner - centre) / size;
        let cones = (0..mesh.triangles().len() as u32).map(|triangle| {
            let [a, b, c] = mesh.corners(triangle).map(local);
            a.dot(b.cross(c))
        });
        cones.sum::<f64>() < 0.0
    }
}
