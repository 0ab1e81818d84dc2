//! A placed superquadric and any shape that is no compound: they overlap where their distance is 0.
//!
//! Guarantees: right beyond 16 ulp of the largest coordinate, as far as the bounds of the distance meet.

use crate::answer::budget::{Budgeted, WorkMeter};
use crate::answer::distance::without_margin;
use crate::answer::overlap::{Side, Witness};
use crate::answer::placed::{Placed, PlacedMeshShape, PlacedShape};
use crate::distance::distance_metered;
use crate::mesh::closest::mesh_closest;
use crate::superquadric::holds;
use heurt_shape::{ShapeRef, SuperquadricShape};

/// Patches that are requested a triangle that meets the solid, at most.
const MAX_PATCHES: usize = 1024;

/// Reports whether they share a point.
pub(crate) fn superquadric_overlap(
    a: Placed<'_, &SuperquadricShape>,
    b: PlacedShape<'_>,
    meter: &WorkMeter<'_>,
) -> Option<Witness> {
    let Budgeted::Complete(found) = distance_metered(a.with(a.shape.into()), b, 0.0, meter) else {
        return None;
    };
    match (found?.primitives, without_margin(b.shape)) {
        (Some([i, j]), _) => Some(Witness::Primitives { a: i, b: j }),
        // Inside of the mesh there is a place of the surface: maybe all of it is.
        (None, (ShapeRef::Mesh(mesh), margin)) => {
            match triangle_within(a, b.with(mesh), a.shape.margin() + margin, meter) {
                Some(triangle) => Some(Witness::Primitives { a: 0, b: triangle }),
                None => (!meter.was_interrupted()).then_some(Witness::Contained(Side::A)),
            }
        }
        (None, _) => Some(Witness::Primitives { a: 0, b: 0 }),
    }
}

/// A triangle within `reach` metres of the surface, or in the solid; none where nothing is left to spend.
fn triangle_within(
    Placed { shape: a, pose: pose_a }: Placed<'_, &SuperquadricShape>,
    Placed { shape: mesh, pose }: PlacedMeshShape<'_>,
    reach: f64,
    meter: &WorkMeter<'_>,
) -> Option<u32> {
    let surface = a.surface();
    let mut open = surface.patches();
    for _ in 0..MAX_PATCHES {
        let patch = open.pop()?;
        if meter.is_exhausted() {
            return None;
        }
        let middle = pose_a.place(patch.middle(surface));
        let (found, done) = mesh_closest(mesh, pose, middle);
        meter.add(done);
        if found.distance <= reach || holds(surface, pose_a, found.point) {
            return Some(found.primitive);
        }
        let hull = patch.hull(surface).map(|corner| (pose_a.place(corner) - middle).length());
        if found.distance - found.error <= hull.into_iter().fold(reach, |most, length| most.max(length + reach)) {
            open.extend(patch.halves(surface));
        }
    }
    None
}
