//! Every pair of triangles, one of each mesh, that share a point.
//!
//! Guarantees: exact on the placed `f64` vertices (touching, coplanar and degenerate triangles included), sorted, each
//! pair once. Cost: proportional to the pairs and to the volumes that overlap along them.

use crate::answer::budget::WorkMeter;
use crate::answer::placed::PlacedMeshShape;
use crate::mesh::walk::intersecting_pairs::IntersectingPairs;
use crate::mesh::walk::pair_sort;
use crate::mesh::walk::pair_walk::{PlacedWithTree, meet, walk_default_trees, walk_trees};
use heurt_bvh::Work;
use std::ops::ControlFlow;

/// Lists the intersecting pairs `[triangle of a, triangle of b]`, sorted.
pub(crate) fn mesh_pairs(a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>) -> Vec<[u32; 2]> {
    pairs_metered(a, b, &WorkMeter::default())
}

/// Lists the intersecting pairs `[triangle of a, triangle of b]`, sorted; those found as long as there is something to
/// spend.
pub(crate) fn pairs_metered(a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>, meter: &WorkMeter<'_>) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    let Some(composed) = meet(a, b) else { return found };
    let mut keep = |i, j| {
        push(&mut found, [i, j]);
        ControlFlow::Continue(())
    };
    meter.add(walk_default_trees(a, b, &composed, &mut IntersectingPairs::all(meter, &mut keep)));
    pair_sort::sort(&mut found);
    found
}

/// [`pairs_metered`] through given trees over the meshes of the shapes, with the work done; every kind of tree gives
/// the same pairs. `None` if the trees are of different kinds.
pub(crate) fn pairs_with_trees(a: PlacedWithTree<'_>, b: PlacedWithTree<'_>) -> Option<(Vec<[u32; 2]>, Work)> {
    let mut found = Vec::new();
    let Some(composed) = meet(a.placed(), b.placed()) else { return Some((found, Work::default())) };
    let mut keep = |i, j| {
        push(&mut found, [i, j]);
        ControlFlow::Continue(())
    };
    let work = walk_trees(a, b, &composed, &mut IntersectingPairs::all(&WorkMeter::default(), &mut keep))?;
    pair_sort::sort(&mut found);
    Some((found, work))
}

/// Appends a pair; the first allocates for several, since intersecting pairs rarely come alone.
fn push(found: &mut Vec<[u32; 2]>, pair: [u32; 2]) {
    if found.capacity() == 0 {
        found.reserve(64);
    }
    found.push(pair);
}
