//! Two placed meshes: an intersecting pair of triangles, else containment.
//!
//! Method: S0 §4.2 and §4.3, with trees (§4.5.4). When no surfaces meet, every connected part of one mesh lies wholly
//! inside or wholly outside the other, so one vertex of each part tells; only parts whose vertex lies in the other's
//! box are located.
//! Guarantees: exact on the placed `f64` vertices. Cost: tens of nanoseconds when far from each other, else about log n
//! walks.

use crate::answer::budget::WorkMeter;
use crate::answer::closest::Location;
use crate::answer::overlap::{Side, Witness};
use crate::mesh::walk::intersecting_pairs::IntersectingPairs;
use crate::mesh::walk::pair_walk::{PlacedWithTree, meet, walk_default_trees, walk_trees};
use crate::mesh::winding::locate;
use heurt_bvh::Work;
use heurt_bvh::relative::RelativeFrame;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::MeshShape;
use std::ops::ControlFlow;

/// Reports whether the placed meshes share a point, with a witness.
pub(crate) fn mesh_overlap(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> Option<Witness> {
    let composed = meet(a, pose_a, b, pose_b)?;
    overlap_near(a, pose_a, b, pose_b, &composed, &WorkMeter::default())
}

/// [`mesh_overlap`], with the work done.
pub(crate) fn mesh_overlap_counted(
    a: &MeshShape,
    pose_a: &Pose,
    b: &MeshShape,
    pose_b: &Pose,
) -> (Option<Witness>, Work) {
    let spending = WorkMeter::default();
    let witness = mesh_overlap_metered((a, pose_a), (b, pose_b), &spending);
    (witness, spending.done())
}

/// [`mesh_overlap`], as long as there is something to spend.
pub(crate) fn mesh_overlap_metered(
    (a, pose_a): (&MeshShape, &Pose),
    (b, pose_b): (&MeshShape, &Pose),
    spending: &WorkMeter<'_>,
) -> Option<Witness> {
    let composed = meet(a, pose_a, b, pose_b)?;
    overlap_near(a, pose_a, b, pose_b, &composed, spending)
}

/// [`crate::overlap::overlap`] of meshes through given trees over the meshes of the shapes, with the work done; every
/// kind of tree gives the same answer (the witness may differ). `None` where the trees are of different kinds.
pub(crate) fn overlap_with_trees(a: PlacedWithTree<'_>, b: PlacedWithTree<'_>) -> Option<(Option<Witness>, Work)> {
    let Some(composed) = meet(a.shape, a.pose, b.shape, b.pose) else { return Some((None, Work::default())) };
    let mut witness = None;
    let mut first = |i, j| {
        witness = Some(Witness::Primitives { a: i, b: j });
        ControlFlow::Break(())
    };
    let spending = WorkMeter::default();
    let work = walk_trees(a, b, &composed, &mut IntersectingPairs::first(&spending, &mut first))?;
    spending.add(work);
    let witness = or_contained(witness, (a.shape, a.pose), (b.shape, b.pose), &spending);
    Some((witness, spending.done()))
}

/// What is left when the boxes meet.
#[inline(never)]
pub(crate) fn overlap_near(
    a: &MeshShape,
    pose_a: &Pose,
    b: &MeshShape,
    pose_b: &Pose,
    composed: &RelativeFrame,
    spending: &WorkMeter<'_>,
) -> Option<Witness> {
    let mut witness = None;
    let mut first = |i, j| {
        witness = Some(Witness::Primitives { a: i, b: j });
        ControlFlow::Break(())
    };
    let work = walk_default_trees(a, pose_a, b, pose_b, composed, &mut IntersectingPairs::first(spending, &mut first));
    spending.add(work);
    or_contained(witness, (a, pose_a), (b, pose_b), spending)
}

/// The witness, or where no surfaces meet that of a part inside the other solid.
#[inline(always)]
fn or_contained(
    witness: Option<Witness>,
    (a, pose_a): (&MeshShape, &Pose),
    (b, pose_b): (&MeshShape, &Pose),
    spending: &WorkMeter<'_>,
) -> Option<Witness> {
    // Only of surfaces that provably do not meet does a point of each part tell.
    if witness.is_some() || spending.was_interrupted() {
        return witness;
    }
    contained((a, pose_a), (b, pose_b), spending).map(Witness::Contained)
}

/// Which of two meshes whose surfaces do not meet lies in the other solid, at least a part of it; `None` where neither
/// does, or where nothing is left to spend.
pub(crate) fn contained(
    (a, pose_a): (&MeshShape, &Pose),
    (b, pose_b): (&MeshShape, &Pose),
    spending: &WorkMeter<'_>,
) -> Option<Side> {
    if point_inside(a, pose_a, b, pose_b, spending).is_some() {
        return Some(Side::A);
    }
    point_inside(b, pose_b, a, pose_a, spending).map(|_| Side::B)
}

/// A vertex of a connected part of `inner` that lies inside the solid `outer`, given that no surfaces meet; `None` if
/// no part does, or where nothing is left to spend.
pub(crate) fn point_inside(
    inner: &MeshShape,
    pose_inner: &Pose,
    outer: &MeshShape,
    pose_outer: &Pose,
    spending: &WorkMeter<'_>,
) -> Option<Vec3> {
    if !outer.is_solid() {
        return None;
    }
    let points = inner.components().iter().map(|part| pose_inner.place(inner.mesh().vertices()[part.vertex as usize]));
    for point in points {
        if spending.is_exhausted() {
            return None;
        }
        let mut work = Work::default();
        let is_inside = holds(outer, pose_outer, point, &mut work);
        spending.add(work);
        if is_inside {
            return Some(point);
        }
    }
    None
}

/// Reports whether a solid holds a point.
pub(crate) fn holds(mesh: &MeshShape, pose: &Pose, point: Vec3, work: &mut Work) -> bool {
    match locate(mesh, pose, point, work) {
        Location::Boundary { .. } => true,
        Location::Winding(winding) => winding != 0,
    }
}
