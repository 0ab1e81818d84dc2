//! Candidate pairs of triangles of two placed, moving meshes: pairs whose boxes in the world are within a margin.
//!
//! Method: S2 §7: an object with a speed of at most V_max moves at most Δl = V_max·Δt in a step, so boxes farther from
//! each other than the margins of both cannot meet in it. No box is enlarged: the walk rejects pairs whose gap is above
//! the margin.
//! Guarantees: no pair is left out whose triangles, placed, are within the margin of each other; sorted, each pair
//! once. Cost: proportional to the pairs and to the volumes within the margin.

use crate::answer::budget::Answer;
use crate::answer::options::CandidatesOptions;
use crate::mesh::walk::pair_sort;
use crate::mesh::walk::pair_walk::place;
use heurt_bvh::relative::RelativePose;
use heurt_bvh::simd::WideIsa;
use heurt_bvh::walk::{PairVisitor, walk_pair};
use heurt_bvh::{Leaf, Work};
use heurt_geometry::{Aabb, Pose, Vec3};
use heurt_shape::MeshShape;
use std::ops::ControlFlow;

/// Lists the pairs `[triangle of a, triangle of b]` of the placed meshes that may meet while the distance of any two of
/// their points shrinks by no more than `max_distance`, in metres: for speeds of at most v and w, (v + w)·Δt. A
/// negative limit counts as 0, one that is `NaN` as infinite.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::{candidates, pairs};
/// use heurt_shape::MeshShape;
/// let plate = MeshShape::new(heurt_mesh::generate::cuboid([1.0, 1.0, 0.1])?)?;
/// let above = Pose::from_translation(Vec3::Z * 0.25)?;
/// assert!(pairs(&plate, &Pose::IDENTITY, &plate, &above).is_empty(), "a gap of 5 cm");
/// // At 6 m/s towards each other, for a hundredth of a second.
/// assert!(!candidates(&plate, &Pose::IDENTITY, &plate, &above, 6.0 * 0.01).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn candidates(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose, max_distance: f64) -> Vec<[u32; 2]> {
    candidates_with(a, pose_a, b, pose_b, &CandidatesOptions { max_distance }).value()
}

/// Computes [`candidates`] with the work done.
pub fn candidates_with(
    a: &MeshShape,
    pose_a: &Pose,
    b: &MeshShape,
    pose_b: &Pose,
    options: &CandidatesOptions,
) -> Answer<Vec<[u32; 2]>> {
    let (found, work) = candidates_counted(a, pose_a, b, pose_b, options.max_distance);
    Answer::whole(found, work)
}

/// [`candidates`] of a query that is a part of another, with the work done.
pub(crate) fn candidates_counted(
    a: &MeshShape,
    pose_a: &Pose,
    b: &MeshShape,
    pose_b: &Pose,
    max_distance: f64,
) -> (Vec<[u32; 2]>, Work) {
    let (tree_a, tree_b) = (a.tree(), b.tree());
    let margin = if max_distance.is_nan() { f64::INFINITY } else { max_distance.max(0.0) };
    let relative = RelativePose::new(tree_a.frame(), pose_a, tree_b.frame(), pose_b);
    // Rotations may deviate from orthonormality as far as poses allow. Seen from either tree, they stretch offsets by
    // at most 3δ of both poses.
    let stretched = margin * (1.0 + 4.0 * (pose_a.defect() + pose_b.defect()));
    // In doubled local units, as gaps are; the conversion rounds up.
    let cutoff = ((2.0 * stretched * tree_a.frame().inverse_scale()) as f32).next_up();
    let mut visitor = MarginVisitor { a, pose_a, b, pose_b, margin, cutoff, found: Vec::new() };
    let work = walk_pair(tree_a, tree_b, &relative, &mut visitor);
    let mut found = visitor.found;
    pair_sort::sort(&mut found);
    (found, work)
}

/// Collects pairs of triangles whose boxes are within the margin.
struct MarginVisitor<'a> {
    a: &'a MeshShape,
    pose_a: &'a Pose,
    b: &'a MeshShape,
    pose_b: &'a Pose,
    margin: f64,
    cutoff: f32,
    found: Vec<[u32; 2]>,
}

impl PairVisitor for MarginVisitor<'_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    #[inline(always)]
    fn visit_leaves<I: WideIsa>(&mut self, _isa: I, a: Leaf, b: Leaf) -> ControlFlow<()> {
        self.pairs_of(a, b);
        ControlFlow::Continue(())
    }
}

impl MarginVisitor<'_> {
    fn pairs_of(&mut self, leaf_a: Leaf, leaf_b: Leaf) {
        let (of_a, of_b) = (self.a.tree().primitives(leaf_a), self.b.tree().primitives(leaf_b));
        if self.margin == f64::INFINITY {
            self.found.extend(of_a.iter().flat_map(|&i| of_b.iter().map(move |&j| [i, j])));
            return;
        }
        let boxes_b = of_b.iter().map(|&j| (j, Aabb::from_points(place(self.b, self.pose_b, j))));
        let boxes_b: Vec<(u32, Aabb)> = boxes_b.collect();
        for &i in of_a {
            let reach = Aabb::from_points(place(self.a, self.pose_a, i));
            let margin = Vec3::splat(self.margin);
            // Sums have rounding errors, and so do the distances of other measurements: two units in the last place for
            // each.
            let room = (reach.min.abs().max(reach.max.abs()) + margin) * (4.0 * f64::EPSILON);
            let reach = Aabb { min: reach.min - margin - room, max: reach.max + margin + room };
            self.found.extend(boxes_b.iter().filter(|(_, box_)| reach.overlaps(box_)).map(|&(j, _)| [i, j]));
        }
    }
}
