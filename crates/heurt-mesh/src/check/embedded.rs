//! Test for an embedded surface: closed, oriented, without self-intersections.
//!
//! Method: the cheap tests of [`super::check_over`] first, then the search for self-intersections, which ends at the
//! first pair. Nothing is listed, and convexity is not decided.
//! Guarantees: exact. Cost: O(n log n + pairs whose boxes meet).

use super::self_intersection::self_intersections;
use super::{degenerate_faces, incidence};
use crate::Topology;

/// Reports whether a mesh is a closed and oriented surface without degenerate or duplicate triangles, no two of which
/// meet elsewhere than in a vertex or an edge of both.
///
/// ```
/// use heurt_mesh::{Topology, TriMesh, generate, is_embedded};
/// let ring = generate::torus(1.0, 0.3, 16, 8)?;
/// assert!(is_embedded(&Topology::new(&ring)));
/// let twice = TriMesh::merged([&ring, &ring])?;
/// assert!(!is_embedded(&Topology::new(&twice)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn is_embedded(topology: &Topology) -> bool {
    topology.edge_count() > 0
        && topology.is_closed()
        && topology.is_oriented()
        && degenerate_faces(topology.mesh()).is_empty()
        && incidence::duplicate_faces(topology).next().is_none()
        && self_intersections(topology, 0, u64::MAX).complete
}
