//! Ray cast against a placed convex shape.
//!
//! Method: hulls without a margin are queried as meshes. For other shapes the ray advances from plane to plane. The
//! nearest place of the boundary gives a normal, and the shape lies behind a plane across that normal. The ray meets
//! this plane later than its present place, and not later than the shape (van den Bergen 2004). The distance along a
//! ray is a convex function, and this is Newton's method on it: quadratic, except for rays that graze, for which each
//! step still halves the rest.
//! Guarantees: whether a ray meets the shape is right up to 16 ulp of the largest coordinate; the ray does not pass by
//! a shape that it meets. `error` ends at a point of the ray that is inside, or, for a ray that only grazes, at a point
//! that has left again.

use crate::answer::ray::{Ray, RayHit};
use crate::convex::boundary::{Boundary, beyond_plane, boundary, largest};
use crate::mesh::ray::mesh_ray;
use heurt_bvh::Work;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, Core};

/// Maximum number of steps; rays that graze a sphere take approximately thirty.
const MAX_STEPS: u32 = 256;
/// Distance from the boundary that counts as on it, in ε of the largest coordinate.
const ON_BOUNDARY: f64 = 16.0;

/// Finds the first point of the shape on a ray of normalised direction.
pub(crate) fn convex_ray(shape: &Convex, pose: &Pose, ray: &Ray, work: &mut Work) -> Option<RayHit> {
    if let Core::Hull(hull) = shape.core()
        && shape.margin() == 0.0
    {
        return mesh_ray(hull.surface(), pose, ray, work).map(|hit| RayHit { primitive: 0, ..hit });
    }
    let march = March { shape, pose, ray, room: room(shape, pose, ray.origin) };
    let start = boundary(shape, pose, ray.origin, work);
    if start.signed <= 0.0 {
        let on_boundary = start.signed >= -start.error;
        let normal = if on_boundary { start.normal } else { -ray.direction.normalize() };
        return Some(RayHit { t: 0.0, point: ray.origin, normal, primitive: 0, error: 0.0 });
    }
    march.from(start, work)
}

fn room(shape: &Convex, pose: &Pose, point: Vec3) -> f64 {
    ON_BOUNDARY * f64::EPSILON * largest(shape, pose, point) + 16.0 * f64::from_bits(1)
}

struct March<'a> {
    shape: &'a Convex,
    pose: &'a Pose,
    ray: &'a Ray,
    /// Distance that counts as none at the origin of the ray.
    room: f64,
}

impl March<'_> {
    fn at(&self, t: f64) -> Vec3 {
        self.ray.origin + self.ray.direction * t
    }

    /// Advances from a place outside.
    fn from(&self, start: Boundary, work: &mut Work) -> Option<RayHit> {
        let length = self.ray.direction.length();
        let (mut near, mut t) = (start, 0.0);
        for _ in 0..MAX_STEPS {
            let approach = -near.normal.dot(self.ray.direction);
            let room = room(self.shape, self.pose, self.at(t)).max(self.room).max(near.error);
            let gap = self.gap(t, &near);
            // No point of the shape is nearer than the distance, or on this side of the plane.
            let by_distance = (near.signed - near.error) / length;
            let by_plane = if gap > 0.0 { gap / approach } else { 0.0 };
            let next = t + by_distance.max(by_plane);
            if near.signed <= room || next == t {
                // A ray that is as near as that and then moves away has touched the shape.
                let left = if approach > 0.0 { (near.signed / approach).max(0.0).min(room / approach) } else { 0.0 };
                return self.landed(t, left.min(self.longest(room)), approach, &near, room, work);
            }
            let goes_away = gap > 0.0 && approach <= 0.0;
            if goes_away || !next.is_finite() || next > self.ray.max_t {
                return None;
            }
            t = next;
            near = boundary(self.shape, self.pose, self.at(t), work);
        }
        None
    }

    /// Returns the distance of the place at `t` from the plane across the normal that bounds the shape.
    fn gap(&self, t: f64, near: &Boundary) -> f64 {
        match self.shape.core() {
            Core::HalfSpace { .. } => near.signed,
            _ => beyond_plane(self.shape, self.pose, self.at(t), near.normal).min(near.signed),
        }
    }

    /// Returns the longest path of a ray within `room` of the shape that does not go deeper.
    fn longest(&self, room: f64) -> f64 {
        let size = self.shape.bounds().half_extents().max_element();
        if size.is_finite() { 4.0 * size.max(room) } else { f64::INFINITY }
    }

    /// Returns the hit at `t` plus the rest to the boundary; a place that is inside, or past the shape, gives the
    /// error.
    fn landed(&self, t: f64, left: f64, approach: f64, near: &Boundary, room: f64, work: &mut Work) -> Option<RayHit> {
        let distance = t + left;
        // At extreme sizes the longest path may be below the least: the least counts.
        let least = 2.0 * room;
        let mut error = (least / approach.max(f64::MIN_POSITIVE)).min(self.longest(room)).max(least);
        for _ in 0..40 {
            let past = boundary(self.shape, self.pose, self.at(distance + error), work);
            let is_through = past.signed < 0.0 || past.normal.dot(self.ray.direction) > 0.0;
            if is_through || error >= self.longest(room) {
                break;
            }
            error *= 2.0;
        }
        if t > self.ray.max_t {
            return None;
        }
        let distance = distance.min(self.ray.max_t);
        Some(RayHit { t: distance, point: self.at(distance), normal: near.normal, primitive: 0, error })
    }
}
