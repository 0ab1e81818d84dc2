//! Two placed meshes: an intersecting pair of triangles, else containment.
//!
//! Method: S0 §4.2 and §4.3, with trees (§4.5.4). When no surfaces meet, every connected part of one mesh lies wholly
//! inside or wholly outside the other, so one vertex of each part tells; only parts whose vertex lies in the other's box
//! are located.
//! Guarantees: exact on the placed `f64` vertices. Cost: tens of nanoseconds when far apart, else about log n walks.

use super::{Side, Witness};
use crate::algo::leaf_pairs::{Placed, for_each_pair};
use crate::inside::{Location, locate};
use heurt_bvh::Work;
use heurt_bvh::volume::Against;
use heurt_bvh::relative::Composed;
use heurt_bvh::simd::{Avx2, LanesFor};
use heurt_geometry::Pose;
use heurt_shape::MeshShape;
use std::ops::ControlFlow;

/// Tells whether the placed meshes share a point, with a witness.
pub fn overlap(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> Option<Witness> {
    let (a, b) = (Placed::new(a, pose_a), Placed::new(b, pose_b));
    let composed = a.meet(&b)?;
    overlap_near(a, b, &composed).0
}

/// [`overlap`], with the work done.
pub fn overlap_counted(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> (Option<Witness>, Work) {
    overlap_with_trees(Placed::new(a, pose_a), Placed::new(b, pose_b))
}

/// [`overlap`] through trees of any degree, with the work done; every degree gives the same answer (the witness may differ).
pub fn overlap_with_trees<V: Against<V>, const W: usize>(a: Placed<'_, V, W>, b: Placed<'_, V, W>) -> (Option<Witness>, Work)
where
    Avx2: LanesFor<W>,
{
    match a.meet(&b) {
        Some(composed) => overlap_near(a, b, &composed),
        None => (None, Work::default()),
    }
}

/// What is left when the boxes meet.
#[inline(never)]
fn overlap_near<V: Against<V>, const W: usize>(a: Placed<'_, V, W>, b: Placed<'_, V, W>, composed: &Composed) -> (Option<Witness>, Work)
where
    Avx2: LanesFor<W>,
{
    let mut witness = None;
    let mut work = for_each_pair(a, b, composed, |i, j| {
        witness = Some(Witness::Primitives { a: i, b: j });
        ControlFlow::Break(())
    });
    if witness.is_none() {
        let side = if has_part_inside(a.shape, a.pose, b.shape, b.pose, &mut work) {
            Some(Side::A)
        } else if has_part_inside(b.shape, b.pose, a.shape, a.pose, &mut work) {
            Some(Side::B)
        } else {
            None
        };
        witness = side.map(Witness::Contained);
    }
    (witness, work)
}

/// Tells whether a connected part of `inner` lies inside the solid `outer`, given that no surfaces meet.
fn has_part_inside(
    inner: &MeshShape,
    pose_inner: &Pose,
    outer: &MeshShape,
    pose_outer: &Pose,
    work: &mut Work,
) -> bool {
    if !outer.is_solid() {
        return false;
    }
    inner.components().iter().any(|part| {
        let point = pose_inner.place(inner.mesh().vertices()[part.vertex as usize]);
        match locate(outer, pose_outer, point, work) {
            Location::Boundary { .. } => true,
            Location::Winding(winding) => winding != 0,
        }
    })
}
