//! Models of steering in space: bubbles and flocks, with the parameters of the plane.
//!
//! In: an agent and what is near it. Out: the velocity it chooses. Method: as `steer/bubbles` and `steer/boids`, with
//! vectors of space; walls push along their normals. Every agent within reach counts, not only the nearest.
//! Guarantees: the speed limit. Stable as in the plane: 4kR·h² + 4zh < 4 for bubbles, with one neighbour.

use super::sight::Seen;
use crate::steer::{Boids, Bubbles};
use heurt_geometry::Vec3;

/// A model of steering in space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SpaceModel {
    /// Bubbles that push each other off.
    Bubbles(Bubbles),
    /// Separation, alignment, cohesion.
    Boids(Boids),
}

/// The view of an agent that chooses a velocity.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpaceView<'a> {
    pub own: Seen,
    /// The velocity that it would have alone.
    pub preferred: Vec3,
    pub limit: f64,
    pub step: f64,
    /// Agents within reach.
    pub near: &'a [Seen],
    /// Unit vectors from walls, and distances from them to the centre.
    pub walls: &'a [(Vec3, f64)],
}

impl SpaceModel {
    /// Names of all models, as scenes have them.
    pub const NAMES: [&'static str; 2] = ["boids", "bubbles"];

    /// Finds a model with its usual parameters.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "boids" => Some(Self::Boids(Boids::default())),
            "bubbles" => Some(Self::Bubbles(Bubbles::default())),
            _ => None,
        }
    }

    /// Returns how far an agent looks, from centre to centre, in metres; `radii` is the sum of two radii.
    pub(crate) fn reach(&self, radii: f64) -> f64 {
        match self {
            // A bubble ends at the border of the neighbour.
            Self::Bubbles(bubbles) => bubbles.reach + 0.5 * radii,
            Self::Boids(boids) => boids.reach.max(boids.range + radii),
        }
    }

    /// Finds a parameter that is no number, or not positive where it has to be.
    pub(crate) fn fault(&self) -> Option<(&'static str, f64)> {
        let (positive, rest) = match self {
            Self::Bubbles(it) => (
                [("reach", it.reach), ("wall_reach", it.wall_reach), ("relaxation", it.relaxation)],
                [("stiffness", it.stiffness), ("damping", it.damping), ("damping", it.damping)],
            ),
            Self::Boids(it) => (
                [("range", it.range), ("wall_range", it.wall_range), ("relaxation", it.relaxation)],
                [("separation", it.separation), ("alignment", it.alignment), ("cohesion", it.cohesion)],
            ),
        };
        let is_bad = |x: f64, is_positive: bool| !x.is_finite() || x < 0.0 || (is_positive && x == 0.0);
        let positive = positive.into_iter().find(|&(_, x)| is_bad(x, true));
        positive.or_else(|| rest.into_iter().find(|&(_, x)| is_bad(x, false)))
    }

    /// Chooses a velocity, in m/s.
    pub(crate) fn choose(&self, view: &SpaceView<'_>) -> Vec3 {
        let acceleration = match self {
            Self::Bubbles(bubbles) => accelerate_by_bubbles(bubbles, view),
            Self::Boids(boids) => accelerate_by_flock(boids, view),
        };
        (view.own.velocity + acceleration * view.step).clamp_length_max(view.limit)
    }
}

fn accelerate_by_bubbles(bubbles: &Bubbles, view: &SpaceView<'_>) -> Vec3 {
    let own = &view.own;
    let mut acceleration = (view.preferred - own.velocity) / bubbles.relaxation;
    for other in view.near {
        let offset = own.position - other.position;
        let away = offset.normalize_or_zero();
        let rate = away.dot(own.velocity - other.velocity);
        acceleration += away * bubbles.push(bubbles.reach, offset.length() - other.radius, rate);
    }
    for &(away, distance) in view.walls {
        let rate = away.dot(own.velocity);
        acceleration += away * bubbles.push(bubbles.wall_reach, distance - own.radius, rate);
    }
    acceleration
}

fn accelerate_by_flock(boids: &Boids, view: &SpaceView<'_>) -> Vec3 {
    let own = &view.own;
    let mut acceleration = (view.preferred - own.velocity) / boids.relaxation;
    let (mut offsets, mut differences, mut count) = (Vec3::ZERO, Vec3::ZERO, 0.0);
    for other in view.near {
        let offset = other.position - own.position;
        let gap = offset.length() - own.radius - other.radius;
        acceleration -= offset.normalize_or_zero() * boids.push(gap, boids.range);
        if other.group == own.group {
            offsets += offset;
            differences += other.velocity - own.velocity;
            count += 1.0;
        }
    }
    if count > 0.0 {
        acceleration += differences * (boids.alignment / count) + offsets * (boids.cohesion / count);
    }
    for &(away, distance) in view.walls {
        acceleration += away * boids.push(distance - own.radius, boids.wall_range);
    }
    acceleration
}
