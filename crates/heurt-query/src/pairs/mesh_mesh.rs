//! Every pair of triangles, one of each mesh, that share a point.
//!
//! Guarantees: exact on the placed `f64` vertices (touching, coplanar and degenerate triangles included), sorted, each
//! pair once. Cost: proportional to the pairs and to the volumes that overlap along them.

use crate::algo::leaf_pairs::LeafPairs;
use crate::overlap::surely_apart;
use heurt_bvh::{RelativePose, Work, walk_pair};
use heurt_geometry::Pose;
use heurt_shape::MeshShape;
use std::ops::ControlFlow;

/// Lists the intersecting pairs `[triangle of a, triangle of b]`, sorted.
pub fn pairs(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> Vec<[u32; 2]> {
    pairs_counted(a, pose_a, b, pose_b).0
}

/// [`pairs`], with the work done.
pub fn pairs_counted(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> (Vec<[u32; 2]>, Work) {
    let mut found = Vec::new();
    if surely_apart(a, pose_a, b, pose_b) {
        return (found, Work::default());
    }
    let relative = RelativePose::new(a.tree().frame(), pose_a, b.tree().frame(), pose_b);
    let mut visitor = LeafPairs::new(a, pose_a, b, pose_b, &relative, |i, j| {
        found.push([i, j]);
        ControlFlow::Continue(())
    });
    let work = walk_pair(a.tree(), b.tree(), &relative, &mut visitor);
    found.sort_unstable();
    (found, work)
}
