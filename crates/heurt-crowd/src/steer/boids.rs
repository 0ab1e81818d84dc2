//! Boids: separation, alignment and cohesion (Reynolds 1987), with a goal and walls.
//!
//! In: an agent and what is near it. Out: its velocity. Method: an acceleration (v₀ − v)/τ towards the preferred
//! velocity; a push by each neighbour that falls linearly with the gap; the mean difference of velocity to neighbours
//! of the own group; the mean offset of their places. Walls push as neighbours do (`wall`). The source arbitrates by
//! priority, here accelerations add up.
//! Guarantees: the speed limit. Not guaranteed: foresight; boids react to places only, and meet each other head-on.
//! Cost: O(neighbours + walls²).

use super::{AgentView, SteeringPolicy, accelerate, push_of_walls, solid_walls};
use heurt_geometry::Vec2;

/// Parameters of the flock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Boids {
    /// Gap within which agents push each other off, in metres.
    pub range: f64,
    /// Push at contact, in m/s².
    pub separation: f64,
    /// Gap within which walls push, in metres: smaller, so that doors stay open.
    pub wall_range: f64,
    /// Rate at which velocities become alike, in 1/s.
    pub alignment: f64,
    /// Acceleration towards the middle of the flock for each metre of offset, in 1/s².
    pub cohesion: f64,
    /// How far an agent sees its flock, in metres.
    pub reach: f64,
    /// Time in which an agent takes up its speed, in seconds.
    pub relaxation: f64,
}

impl Default for Boids {
    /// Pushes of 8 m/s² within 0.6 m (walls 0.2 m); alignment and cohesion weaker than the goal, so that a flock
    /// arrives.
    fn default() -> Self {
        Self {
            range: 0.6,
            separation: 8.0,
            wall_range: 0.2,
            alignment: 0.5,
            cohesion: 0.1,
            reach: 3.0,
            relaxation: 0.5,
        }
    }
}

impl Boids {
    /// Computes the push at a gap, in m/s².
    pub(crate) fn push(&self, gap: f64, range: f64) -> f64 {
        self.separation * (1.0 - gap / range).clamp(0.0, 1.0)
    }
}

impl SteeringPolicy for Boids {
    fn reach(&self, radii: f64) -> f64 {
        self.reach.max(self.range + radii)
    }

    fn most_neighbours(&self) -> usize {
        12
    }

    fn choose(&self, view: &AgentView<'_>) -> Vec2 {
        let mut acceleration = (view.preferred - view.velocity) / self.relaxation;
        let (mut offsets, mut differences, mut count) = (Vec2::ZERO, Vec2::ZERO, 0.0);
        for other in view.agents {
            let offset = other.position - view.position;
            let gap = offset.length() - view.radius - other.radius;
            acceleration -= offset.normalize_or_zero() * self.push(gap, self.range);
            if other.group == view.group {
                offsets += offset;
                differences += other.velocity - view.velocity;
                count += 1.0;
            }
        }
        if count > 0.0 {
            acceleration += differences * (self.alignment / count) + offsets * (self.cohesion / count);
        }
        let law = |distance: f64| self.push(distance - view.radius, self.wall_range);
        acceleration += push_of_walls(&solid_walls(view), view.position, law);
        accelerate(view, acceleration)
    }
}
