//! Whether a placed shape holds a point.

use crate::answer::closest::Location;
use crate::closest::closest;
use crate::compound::nearby_parts::PlacedCompound;
use crate::convex::contains::convex_contains;
use crate::mesh::closest::mesh_closest;
use crate::mesh::winding::winding_number;
use crate::superquadric::holds;
use heurt_geometry::{Aabb, Pose, Vec3};
use heurt_shape::ShapeRef;
use std::ops::ControlFlow;

/// Reports whether `point` (world frame, finite) belongs to a placed shape, its boundary included: exact for meshes and
/// hulls, for curved and rounded shapes right beyond 16 ulp of the largest coordinate. A shape that is
/// no solid consists of its boundary only.
pub fn contains<'a>(a: impl Into<ShapeRef<'a>>, pose: &Pose, point: Vec3) -> bool {
    match a.into() {
        ShapeRef::Mesh(mesh) => match winding_number(mesh, pose, point) {
            Location::Boundary { .. } => true,
            Location::Winding(winding) => mesh.is_solid() && winding != 0,
        },
        ShapeRef::Convex(convex) => convex_contains(convex, pose, point),
        ShapeRef::Compound(compound) => {
            let mut found = false;
            let here = Aabb { min: point, max: point };
            PlacedCompound::new(compound, pose).near_box(&here, &Pose::IDENTITY, 0.0, |part| {
                found = contains(part.placed.shape, part.placed.pose, point);
                if found { ControlFlow::Break(()) } else { ControlFlow::Continue(0.0) }
            });
            found
        }
        ShapeRef::Rounded(rounded) => {
            let (core, _) = mesh_closest(rounded.mesh(), pose, point);
            core.signed_distance.unwrap_or(core.distance) <= rounded.margin()
        }
        ShapeRef::Superquadric(shape) => {
            let is_near = || closest(shape, pose, point).signed_distance.is_some_and(|signed| signed <= 0.0);
            holds(shape.surface(), pose, point) || shape.margin() > 0.0 && is_near()
        }
    }
}
