//! GJK ray cast against the difference of two convex sets (van den Bergen 2004): the first contact of a set that
//! translates.
//!
//! In: two convex sets given by their support points, the velocity of the second against the first, and a tolerance.
//! Out: a time before which they provably do not meet and at which they are near, or that they never meet.
//! Method: `gjk` on A − B, while the origin moves through it. A support point that leaves the origin outside of a plane
//! moves it up to that plane at once. So one search covers all times.
//! Guarantees: no time is late, rounding errors included. Not guaranteed: that the sets are near if the iterations run
//! out.

use super::simplex::{Origin, Simplex, Vertex};
use crate::convex::gjk::MAX_STEPS;
use crate::convex::support::{Support, SupportPoint};
use crate::numeric::iteration_limits::{LimitedSearch, bounded};
use heurt_geometry::Vec3;
use smallvec::SmallVec;

/// A translation to cast: lengths in the unit of the sets, times in seconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TranslationCast {
    /// Velocity of B against A.
    pub velocity: Vec3,
    pub from: f64,
    pub until: f64,
    /// Distance at which sets meet; from there on they are near up to `tolerance`.
    pub margin: f64,
    pub tolerance: f64,
    /// Bound of the rounding errors.
    pub room: f64,
}

/// Finds a time before which the sets provably do not meet; `None` if they do not meet until the end.
#[inline(always)]
pub(crate) fn first_time(a: &impl Support, b: &impl Support, ray: &TranslationCast) -> Option<f64> {
    let speed = ray.velocity.length();
    let first = a.middle() - b.middle() - ray.velocity * ray.from;
    let start = if first == Vec3::ZERO { Vec3::X } else { first };
    let mut time = ray.from;
    let mut kept: SmallVec<[[Vec3; 2]; 4]> = SmallVec::new();
    let mut new = [a.support(-start).point, b.support(start).point];
    for _ in bounded(LimitedSearch::GjkCast, MAX_STEPS) {
        let shift = ray.velocity * time;
        let vertex = |[on_a, on_b]: [Vec3; 2]| {
            let corner = |point: Vec3| SupportPoint { point, ..SupportPoint::NONE };
            Vertex::<Vec3>::new(corner(on_a), corner(on_b + shift))
        };
        let added = vertex(new);
        let (simplex, offset) = match Simplex::about(kept.iter().map(|&corner| vertex(corner))) {
            None => (Simplex::of(added), added.w),
            Some((simplex, offset)) if simplex.holds(&added) => (simplex, offset),
            Some((mut simplex, _)) => match simplex.advance(added) {
                Origin::Inside => return Some(time),
                Origin::Nearest(offset) => (simplex, offset),
            },
        };
        let length = offset.length();
        if length <= ray.margin + ray.tolerance {
            return Some(time);
        }
        kept = simplex.corners().iter().map(|corner| [corner.a, corner.b() - shift]).collect();
        let found = [a.support(-offset).point, b.support(offset).point];
        let along = (found[0] - (found[1] + shift)).dot(offset) / length - ray.margin - ray.room;
        let is_new = kept.iter().all(|corner| *corner != found);
        new = found;
        if along <= 0.0 {
            if !is_new {
                return Some(time);
            }
            continue;
        }
        // Contacts to the last bit are the hardest to decide: a remaining gap avoids them.
        let left = if along > 0.5 * ray.tolerance { 0.25 * ray.tolerance } else { 0.0 };
        let closing = ray.velocity.dot(offset) / length + 8.0 * f64::EPSILON * speed;
        if closing <= 0.0 || (time + along / closing).next_down() > ray.until {
            return None;
        }
        let next = (time + (along - left) / closing * (1.0 - 1e-13)).next_down().min(ray.until);
        if next <= time {
            return Some(time);
        }
        time = next;
    }
    Some(time)
}
