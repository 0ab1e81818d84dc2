//! Overlap test of two placed meshes: an intersecting pair of triangles, else containment.
//!
//! Method: S0 §4.2 and §4.3, with trees (§4.5.4). If no surfaces meet, every connected part of one mesh lies wholly
//! inside or wholly outside the second mesh, so one vertex of each part decides. Parts whose vertex is outside that
//! mesh's box are rejected without a location.
//! Guarantees: exact on the placed `f64` vertices. Cost: tens of nanoseconds for distant meshes, else approximately log
//! n walks.

use crate::answer::budget::WorkMeter;
use crate::answer::closest::Location;
use crate::answer::overlap::{Side, Witness};
use crate::answer::placed::PlacedMeshShape;
use crate::mesh::walk::intersecting_pairs::IntersectingPairs;
use crate::mesh::walk::pair_walk::{PlacedWithTree, meet, walk_default_trees, walk_trees};
use crate::mesh::winding::locate;
use heurt_bvh::Work;
use heurt_bvh::relative::RelativeFrame;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::MeshShape;
use std::ops::ControlFlow;

/// Reports whether the placed meshes share a point, with a witness.
pub(crate) fn mesh_overlap(a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>) -> Option<Witness> {
    let composed = meet(a, b)?;
    overlap_near(a, b, &composed, &WorkMeter::default())
}

/// [`mesh_overlap`], with the work done.
pub(crate) fn mesh_overlap_counted(a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>) -> (Option<Witness>, Work) {
    let meter = WorkMeter::default();
    let witness = mesh_overlap_metered(a, b, &meter);
    (witness, meter.done())
}

/// [`mesh_overlap`] within a budget of work.
pub(crate) fn mesh_overlap_metered(
    a: PlacedMeshShape<'_>,
    b: PlacedMeshShape<'_>,
    meter: &WorkMeter<'_>,
) -> Option<Witness> {
    let composed = meet(a, b)?;
    overlap_near(a, b, &composed, meter)
}

/// [`crate::overlap::overlap`] of meshes through given trees over the meshes of the shapes, with the work done. Every
/// kind of tree gives the same answer (the witness may differ). `None` if the trees are of different kinds.
pub(crate) fn overlap_with_trees(a: PlacedWithTree<'_>, b: PlacedWithTree<'_>) -> Option<(Option<Witness>, Work)> {
    let Some(composed) = meet(a.placed(), b.placed()) else { return Some((None, Work::default())) };
    let mut witness = None;
    let mut first = |i, j| {
        witness = Some(Witness::Primitives { a: i, b: j });
        ControlFlow::Break(())
    };
    let meter = WorkMeter::default();
    let work = walk_trees(a, b, &composed, &mut IntersectingPairs::first(&meter, &mut first))?;
    meter.add(work);
    let witness = or_contained(witness, a.placed(), b.placed(), &meter);
    Some((witness, meter.done()))
}

/// Tests meshes whose boxes meet.
#[inline(never)]
pub(crate) fn overlap_near(
    a: PlacedMeshShape<'_>,
    b: PlacedMeshShape<'_>,
    composed: &RelativeFrame,
    meter: &WorkMeter<'_>,
) -> Option<Witness> {
    let mut witness = None;
    let mut first = |i, j| {
        witness = Some(Witness::Primitives { a: i, b: j });
        ControlFlow::Break(())
    };
    let work = walk_default_trees(a, b, composed, &mut IntersectingPairs::first(meter, &mut first));
    meter.add(work);
    or_contained(witness, a, b, meter)
}

/// Returns the witness or, if no surfaces meet, a witness of a part inside the second solid.
#[inline(always)]
fn or_contained(
    witness: Option<Witness>,
    a: PlacedMeshShape<'_>,
    b: PlacedMeshShape<'_>,
    meter: &WorkMeter<'_>,
) -> Option<Witness> {
    // One point per part decides only if the surfaces provably do not meet.
    if witness.is_some() || meter.was_interrupted() {
        return witness;
    }
    contained(a, b, meter).map(Witness::Contained)
}

/// Finds which of two meshes, whose surfaces do not meet, has a part inside the opposite solid; `None` if neither has,
/// or if the budget is exhausted.
pub(crate) fn contained(a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>, meter: &WorkMeter<'_>) -> Option<Side> {
    if point_inside(a, b, meter).is_some() {
        return Some(Side::A);
    }
    point_inside(b, a, meter).map(|_| Side::B)
}

/// Finds a vertex of a connected part of `inner` inside the solid `outer`, given that no surfaces meet; `None` if no
/// part is inside, or if the budget is exhausted.
pub(crate) fn point_inside(
    inner: PlacedMeshShape<'_>,
    outer: PlacedMeshShape<'_>,
    meter: &WorkMeter<'_>,
) -> Option<Vec3> {
    if !outer.shape.is_solid() {
        return None;
    }
    let vertices = inner.shape.mesh().vertices();
    let points = inner.shape.components().iter().map(|part| inner.pose.place(vertices[part.vertex as usize]));
    for point in points {
        if meter.is_exhausted() {
            return None;
        }
        let mut work = Work::default();
        let is_inside = holds(outer.shape, outer.pose, point, &mut work);
        meter.add(work);
        if is_inside {
            return Some(point);
        }
    }
    None
}

/// Reports whether a solid contains a point.
pub(crate) fn holds(mesh: &MeshShape, pose: &Pose, point: Vec3, work: &mut Work) -> bool {
    match locate(mesh, pose, point, work) {
        Location::Boundary { .. } => true,
        Location::Winding(winding) => winding != 0,
    }
}
