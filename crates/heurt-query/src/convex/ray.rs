//! A ray against a placed convex shape.
//!
//! Method: hulls without a margin are queried as the meshes they are. Else the ray goes from plane to plane: the
//! nearest place of the boundary gives a normal, the plane across it that bounds the shape is met later by the ray than
//! where it is placed and not later than the shape (van den Bergen 2004). For the distance along a ray is a convex
//! function, and this is Newton's method on it: quadratic, but for rays that graze, where each step still halves what
//! is left.
//! Guarantees: a ray meets the shape or not but for 16 ulp of the largest coordinate; what it meets is not passed by.
//! `error` ends where a point of the ray is found inside; for a ray that only grazes, where it has left again.

use crate::answer::ray::{Ray, RayHit};
use crate::convex::boundary::{Boundary, beyond_plane, boundary, largest};
use crate::mesh::ray::mesh_ray;
use heurt_bvh::Work;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, Core};

/// Steps at most; rays that graze a sphere take about thirty.
const MAX_STEPS: u32 = 256;
/// As near as this to the boundary, in ε of the largest coordinate, is on it.
const ON_BOUNDARY: f64 = 16.0;

/// The first point of the shape on a ray of normalised direction.
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
    /// What counts as nothing at the origin of the ray.
    room: f64,
}

impl March<'_> {
    fn at(&self, t: f64) -> Vec3 {
        self.ray.origin + self.ray.direction * t
    }

    /// Goes on from a place outside.
    fn from(&self, start: Boundary, work: &mut Work) -> Option<RayHit> {
        let length = self.ray.direction.length();
        let (mut near, mut t) = (start, 0.0);
        for _ in 0..MAX_STEPS {
            let approach = -near.normal.dot(self.ray.direction);
            let room = room(self.shape, self.pose, self.at(t)).max(self.room).max(near.error);
            let gap = self.gap(t, &near);
            // Nothing is nearer than the distance, and nothing is on this side of the plane.
            let by_distance = (near.signed - near.error) / length;
            let by_plane = if gap > 0.0 { gap / approach } else { 0.0 };
            let next = t + by_distance.max(by_plane);
            if near.signed <= room || next == t {
                // What is as near as that and goes away again was touched.
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

    /// How far the place at `t` is from the plane across the normal that bounds the shape.
    fn gap(&self, t: f64, near: &Boundary) -> f64 {
        match self.shape.core() {
            Core::HalfSpace { .. } => near.signed,
            _ => beyond_plane(self.shape, self.pose, self.at(t), near.normal).min(near.signed),
        }
    }

    /// As far as a ray can be within `room` of the shape without going deeper.
    fn longest(&self, room: f64) -> f64 {
        let size = self.shape.bounds().half_extents().max_element();
        if size.is_finite() { 4.0 * size.max(room) } else { f64::INFINITY }
    }

    /// The hit at `t` and what is left to the boundary, with the error told by a place that is inside, or past it.
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
