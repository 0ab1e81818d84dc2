//! Simplification: a similar surface with fewer triangles.
//!
//! In: a mesh and a limit. Out: a mesh over some of the same vertices. [`simplify`] is fast and gives no bound;
//! [`simplify_within`] proves how far the result is from the mesh.
//! Method: edges are collapsed into one of their ends. An edge comes first if its lost end has the least distance from
//! the planes of the triangles that it represents (quadrics, Garland and Heckbert 1997). A collapse is refused if a
//! triangle would turn over or a hole would close (link condition).
//! Guarantees: a closed mesh stays closed, and components stay separate; every vertex is one of the mesh; the same bits
//! in every run.
//! Not guaranteed: that the limit is reached, because some collapses are refused. [`simplify`] does not bound the
//! distance, and may make the surface pass through itself.
//! Cost: O(n log n) for [`simplify`].

mod displacement;
mod star;
mod surface;
mod within;

use std::collections::BinaryHeap;

pub use self::within::{Simplified, SimplifyError, SimplifyOptions, simplify_within};

use self::surface::{Collapse, SimplifiedSurface};
use crate::topology::Topology;
use crate::tri_mesh::TriMesh;

/// Collapses edges until there are at most `most` triangles, or no edge is left that may be collapsed.
///
/// ```
/// use heurt_mesh::{generate, is_closed, simplify};
/// let ball = generate::icosphere(1.0, 4)?;
/// let few = simplify(&ball, 500);
/// assert!(few.triangles().len() <= 500 && is_closed(&few));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simplify(mesh: &TriMesh, most: usize) -> TriMesh {
    let topology = Topology::new(mesh);
    let mut surface = SimplifiedSurface::new(&topology);
    let mut waiting: BinaryHeap<Collapse> = topology.edges().map(|edge| surface.collapse(edge.vertices)).collect();
    while surface.left > most {
        let Some(next) = waiting.pop() else { break };
        let is_known = next.versions == next.ends().map(|vertex| surface.versions[vertex as usize]);
        if is_known && surface.may_collapse(next.from, next.to) {
            surface.apply(next.from, next.to);
            let around = surface.neighbours(next.to);
            waiting.extend(around.into_iter().map(|other| surface.collapse([next.to, other])));
        }
    }
    surface.into_mesh(mesh)
}
