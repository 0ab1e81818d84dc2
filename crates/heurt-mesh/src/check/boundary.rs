//! Test for a boundary: closed, oriented, of triangles that have an area and differ.
//!
//! Method: the tests of [`super::check_over`] by incidences; nothing is listed, and self-intersections and convexity
//! are not decided.
//! Guarantees: exact. Cost: O(n log n).

use super::{degenerate_faces, incidence};
use crate::Topology;

/// Reports whether a mesh is closed and oriented, without degenerate or duplicate triangles. Without self-intersections
/// (`heurt_query::self_intersects`) it bounds a solid.
///
/// ```
/// use heurt_mesh::{Topology, TriMesh, generate, is_boundary};
/// let ring = generate::torus(1.0, 0.3, 16, 8)?;
/// assert!(is_boundary(&Topology::new(&ring)));
/// let open = TriMesh::new(ring.vertices().to_vec(), ring.triangles()[1..].to_vec())?;
/// assert!(!is_boundary(&Topology::new(&open)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn is_boundary(topology: &Topology) -> bool {
    topology.edge_count() > 0
        && topology.is_closed()
        && topology.is_oriented()
        && degenerate_faces(topology.mesh()).is_empty()
        && incidence::duplicate_faces(topology).next().is_none()
}
