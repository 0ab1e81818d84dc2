//! Social force: agents are pushed off by forces that fall exponentially with the gap (Helbing, Farkas, Vicsek 2000).
//!
//! In: an agent and what is near it. Out: its velocity. Method: acceleration (v₀ − v)/τ + Σ A/m e^{(r − d)/B} away from
//! each neighbour, r the sum of the radii and d the distance of the centres. A wall at the distance d has the same law
//! with the own radius, in any number of pieces (`wall`), less its part against the preferred velocity: paths are clear
//! of walls. In full it would hold back an agent before a door of 0.8 m with some 70 N, while an agent of 80 kg that
//! prefers 0.4 m/s is driven by 64 N. Forces of bodies in contact are left out: steps end without overlaps.

use super::{AgentView, SteeringPolicy, accelerate, push_of_walls, solid_walls};
use heurt_geometry::Vec2;

/// Parameters of the forces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SocialForce {
    /// Strength A, in newtons.
    pub strength: f64,
    /// Range B, in metres.
    pub range: f64,
    /// Mass of an agent, in kilograms.
    pub mass: f64,
    /// Time in which an agent takes up its speed, in seconds.
    pub relaxation: f64,
}

impl Default for SocialForce {
    /// The values of the source: 2,000 N, 0.08 m, 80 kg, 0.5 s.
    fn default() -> Self {
        Self { strength: 2000.0, range: 0.08, mass: 80.0, relaxation: 0.5 }
    }
}

impl SocialForce {
    /// Computes the force between two agents or an agent and a wall, in newtons, for a gap between them in metres.
    pub fn force(&self, gap: f64) -> f64 {
        self.strength * libm::exp(-gap / self.range)
    }
}

impl SteeringPolicy for SocialForce {
    fn reach(&self, radii: f64) -> f64 {
        // Beyond 12 ranges the force is below 0.012 N.
        12.0 * self.range + radii
    }

    fn most_neighbours(&self) -> usize {
        16
    }

    fn choose(&self, view: &AgentView<'_>) -> Vec2 {
        let mut force = Vec2::ZERO;
        for other in view.agents {
            let offset = view.position - other.position;
            let gap = offset.length() - view.radius - other.radius;
            force += offset.normalize_or_zero() * self.force(gap);
        }
        let push = push_of_walls(&solid_walls(view), view.position, |distance| self.force(distance - view.radius));
        // The path is clear of walls, so that none of them is an obstacle on it.
        let goal = view.preferred.normalize_or_zero();
        force += push - goal * push.dot(goal).min(0.0);
        accelerate(view, (view.preferred - view.velocity) / self.relaxation + force / self.mass)
    }
}
