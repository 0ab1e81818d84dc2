//! Every pair of triangles, one of each mesh, that share a point.
//!
//! Guarantees: exact on the placed `f64` vertices (touching, coplanar and degenerate triangles included), sorted, each
//! pair once. Cost: proportional to the pairs and to the volumes that overlap along them.

use crate::algo::leaf_pairs::MeetingPairs;
use crate::algo::pair_order;
use crate::algo::placed::{WithTree, meet, walk_own_trees, walk_trees};
use crate::budget::{Budget, Within};
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::MeshShape;
use std::ops::ControlFlow;

type Pairs = Vec<[u32; 2]>;

/// Lists the intersecting pairs `[triangle of a, triangle of b]`, sorted.
pub fn pairs(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> Vec<[u32; 2]> {
    pairs_counted(a, pose_a, b, pose_b).0
}

/// [`pairs`], with the work done.
pub fn pairs_counted(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> (Vec<[u32; 2]>, Work) {
    let (found, _, work) = found_pairs((a, pose_a), (b, pose_b), None);
    (found, work)
}

/// [`pairs`], or as many of them as `budget` gives, with the work done.
pub(crate) fn pairs_within_budget(
    a: (&MeshShape, &Pose),
    b: (&MeshShape, &Pose),
    budget: &Budget<'_>,
) -> (Within<Pairs, Pairs>, Work) {
    let (found, is_cut, work) = found_pairs(a, b, Some(budget));
    (if is_cut { Within::Cut(found) } else { Within::Complete(found) }, work)
}

/// The pairs, sorted, and whether the budget ended before all were found.
fn found_pairs(
    (a, pose_a): (&MeshShape, &Pose),
    (b, pose_b): (&MeshShape, &Pose),
    budget: Option<&Budget<'_>>,
) -> (Vec<[u32; 2]>, bool, Work) {
    let mut found = Vec::new();
    let Some(composed) = meet(a, pose_a, b, pose_b) else { return (found, false, Work::default()) };
    let mut keep = |i, j| {
        push(&mut found, [i, j]);
        ControlFlow::Continue(())
    };
    let mut asked = match budget {
        Some(budget) => MeetingPairs::within(budget, &mut keep),
        None => MeetingPairs::new(&mut keep),
    };
    let work = walk_own_trees(a, pose_a, b, pose_b, &composed, &mut asked);
    let is_cut = asked.is_cut;
    pair_order::sort(&mut found);
    (found, is_cut, work)
}

/// [`pairs`] through given trees over the meshes of the shapes, with the work done; every kind of tree gives the same pairs.
/// `None` where the trees are of different kinds.
pub fn pairs_with_trees(a: WithTree<'_>, b: WithTree<'_>) -> Option<(Vec<[u32; 2]>, Work)> {
    let mut found = Vec::new();
    let Some(composed) = meet(a.shape, a.pose, b.shape, b.pose) else { return Some((found, Work::default())) };
    let mut keep = |i, j| {
        push(&mut found, [i, j]);
        ControlFlow::Continue(())
    };
    let work = walk_trees(a, b, &composed, &mut MeetingPairs::new(&mut keep))?;
    pair_order::sort(&mut found);
    Some((found, work))
}

/// Where one pair meets, others do.
fn push(found: &mut Vec<[u32; 2]>, pair: [u32; 2]) {
    if found.capacity() == 0 {
        found.reserve(64);
    }
    found.push(pair);
}
