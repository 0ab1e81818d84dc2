//! Exact superellipsoids and supertoroids, made of patches in hulls: neither convex nor made of triangles.
//!
//! [`search`] bounds the distance to another shape, [`of_two`] the distance of two superquadrics; [`places`] finds
//! contact points.

pub(crate) mod contact_points;
pub(crate) mod distance;
mod pair;

pub(crate) use contact_points::{Touching, places};
pub(crate) use distance::{PatchQuery, clearance, search};
pub(crate) use pair::{below, clearance_of_two, nearer, of_two};

use crate::convex::support::{Support, SupportPoint};
use heurt_geometry::{Pose, Vec3};
use heurt_shape::Superquadric;
use std::cmp::Ordering;

/// Maximum gap of bounds that have met, in ε of the largest coordinate.
const MET: f64 = 64.0;
/// Bound of the rounding error of the hull of a patch, in ε of the largest coordinate.
const ROUNDING: f64 = 32.0;
/// Maximum distance of shapes that may touch and are reported to touch, in ε of the largest coordinate.
const TOUCHING: f64 = 16.0;

/// Tests whether a placed superquadric holds a point, up to rounding.
pub(crate) fn holds(a: &Superquadric, pose: &Pose, point: Vec3) -> bool {
    a.holds(seen_from(pose, point))
}

/// Tests whether both bounds of a distance are near enough to each other; shapes that may touch must be distinguished
/// from disjoint shapes.
fn have_met(at_least: f64, at_most: f64, ulp: f64) -> bool {
    at_most - at_least <= if at_least > 0.0 { MET * ulp } else { TOUCHING * ulp }
}

/// Returns a point of the world in the frame of a shape.
pub(crate) fn seen_from(pose: &Pose, point: Vec3) -> Vec3 {
    pose.rotation().inverse() * (point - pose.translation())
}

/// A queued item, with bounds of its distance or time.
pub(crate) struct Ranked<T> {
    /// Nothing of the item is nearer.
    pub at_least: f64,
    /// A place of the item is as near.
    pub at_most: f64,
    pub item: T,
}

impl<T> PartialEq for Ranked<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl<T> Eq for Ranked<T> {}
impl<T> PartialOrd for Ranked<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Ranked<T> {
    /// Orders items so that the greatest has the least lower bound and, among equal ones, the nearest place.
    fn cmp(&self, other: &Self) -> Ordering {
        other.at_least.total_cmp(&self.at_least).then(other.at_most.total_cmp(&self.at_most))
    }
}

/// The points whose hull holds a patch.
#[derive(Clone, Copy)]
struct HullOfPatch([Vec3; 16]);

impl Support for HullOfPatch {
    fn support(&self, direction: Vec3) -> SupportPoint {
        let mut best = (0, f64::NEG_INFINITY);
        for (name, corner) in (0u32..).zip(&self.0) {
            let along = corner.dot(direction);
            best = if along > best.1 { (name, along) } else { best };
        }
        SupportPoint { point: self.0[best.0 as usize], name: best.0 }
    }

    fn middle(&self) -> Vec3 {
        (self.0[0] + self.0[15]) * 0.5
    }
}
