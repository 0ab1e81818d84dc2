//! Ray against a mesh with a margin: the first of its rounded triangles that the ray meets.

use super::compound::keep_first;
use crate::answer::ray::{Ray, RayHit};
use crate::compound::nearby_parts::cutoff_along;
use crate::convex::ray::convex_ray;
use crate::mesh::closest::mesh_closest;
use crate::mesh::walk::local_ray::local_ray;
use crate::mesh::walk::pair_walk::place;
use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Leaf, Visitor, Work, walk};
use heurt_geometry::Pose;
use heurt_shape::{Convex, RoundedMesh};
use std::ops::ControlFlow;

/// The first point within the margin of a mesh on a ray of normalised direction.
pub(super) fn rounded_ray(a: &RoundedMesh, pose: &Pose, ray: &Ray, work: &mut Work) -> Option<RayHit> {
    let (core, done) = mesh_closest(a.mesh(), pose, ray.origin);
    *work += done;
    if core.signed_distance.unwrap_or(core.distance) <= a.margin() {
        let normal = -ray.direction.normalize();
        return Some(RayHit { t: 0.0, point: ray.origin, normal, primitive: core.primitive, error: 0.0 });
    }
    let frame = a.mesh().tree().frame();
    let local = local_ray(frame, pose, ray.origin, ray.direction, ray.max_t, a.margin())?;
    let mut visitor = RoundedRayVisitor {
        shape: a,
        pose,
        ray,
        work,
        first: None,
        cutoff: f32::MAX,
        to_cutoff: |t| cutoff_along(&local, t),
    };
    let walked = walk(a.mesh().tree(), &local.query, &mut visitor);
    let first = visitor.first;
    *work += walked;
    first
}

struct RoundedRayVisitor<'a, F> {
    shape: &'a RoundedMesh,
    pose: &'a Pose,
    ray: &'a Ray,
    work: &'a mut Work,
    first: Option<RayHit>,
    cutoff: f32,
    to_cutoff: F,
}

impl<F: Fn(f64) -> f32> Visitor for RoundedRayVisitor<'_, F> {
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        let mesh = self.shape.mesh();
        for &triangle in mesh.tree().primitives(leaf) {
            let corners = place(mesh, self.pose, triangle);
            let rounded = Convex::triangle(corners).and_then(|convex| convex.with_margin(self.shape.margin()));
            // Corners beyond the range of numbers are not met.
            let Ok(rounded) = rounded else { continue };
            let limit = self.first.as_ref().map_or(self.ray.max_t, |first| first.t);
            let hit = convex_ray(&rounded, &Pose::IDENTITY, &Ray { max_t: limit, ..*self.ray }, self.work);
            keep_first(&mut self.first, hit.map(|hit| RayHit { primitive: triangle, ..hit }));
            if let Some(first) = &self.first {
                self.cutoff = self.cutoff.min((self.to_cutoff)(first.t));
            }
        }
        ControlFlow::Continue(())
    }
}
