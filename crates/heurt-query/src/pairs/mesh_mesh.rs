//! Every pair of triangles, one of each mesh, that share a point.
//!
//! Guarantees: exact on the placed `f64` vertices (touching, coplanar and degenerate triangles included), sorted, each
//! pair once. Cost: proportional to the pairs and to the volumes that overlap along them.

use crate::algo::leaf_pairs::{Placed, for_each_pair};
use heurt_bvh::Work;
use heurt_bvh::volume::Against;
use heurt_bvh::simd::{Avx2, LanesFor};
use heurt_geometry::Pose;
use heurt_shape::MeshShape;
use std::ops::ControlFlow;

/// Lists the intersecting pairs `[triangle of a, triangle of b]`, sorted.
pub fn pairs(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> Vec<[u32; 2]> {
    pairs_counted(a, pose_a, b, pose_b).0
}

/// [`pairs`], with the work done.
pub fn pairs_counted(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> (Vec<[u32; 2]>, Work) {
    pairs_with_trees(Placed::new(a, pose_a), Placed::new(b, pose_b))
}

/// [`pairs`] through trees of any degree, with the work done; every degree gives the same pairs.
pub fn pairs_with_trees<V: Against<V>, const W: usize>(a: Placed<'_, V, W>, b: Placed<'_, V, W>) -> (Vec<[u32; 2]>, Work)
where
    Avx2: LanesFor<W>,
{
    let mut found = Vec::new();
    let Some(composed) = a.meet(&b) else { return (found, Work::default()) };
    let work = for_each_pair(a, b, &composed, |i, j| {
        found.push([i, j]);
        ControlFlow::Continue(())
    });
    found.sort_unstable();
    (found, work)
}
