//! Anticipation: forces that grow as the time to a collision shrinks (Karamouzas, Skinner, Guy 2014).
//!
//! In: an agent and what is near it. Out: its velocity. Method: each agent sees along the edge from its centre to the
//! tip of its velocity over the horizon (S4 §8.2.2), which is a collision within that time. The energy of a collision
//! after τ seconds is k τ⁻² e^(−τ/τ₀); the acceleration is its negative gradient over the place,
//! k τ⁻² (2/τ + 1/τ₀) e^(−τ/τ₀) n / |n · v|, for the normal n at the contact. Agents behind count with a part. The
//! first wall on the course counts alone. S4 gives the edge a bubble of equation 8.1; here the law of time replaces it.
//! Guarantees: each agent and the walls add at most `most`; a wall has the same effect in
//! any number of pieces. Not guaranteed: an escape from a collision course that is exactly central.
//! Cost: O(neighbours + walls).

use super::{AgentView, Collision, SteeringPolicy, accelerate, collision_of_discs, edge_collisions, first_wall};
use heurt_geometry::Vec2;

/// Cosine of half the field of view of 200°, in front of which agents count in full.
const VIEW_COSINE: f64 = -0.173_648_177_666_930_34;

/// The least time of the law, in seconds: the law has no bound at 0.
const LEAST_TIME: f64 = 0.01;

/// Parameters of the law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Anticipation {
    /// Strength k, in m².
    pub strength: f64,
    /// Time τ₀ beyond which collisions hardly count, in seconds.
    pub range: f64,
    /// Time for which collisions are foreseen, in seconds.
    pub horizon: f64,
    /// How far an agent sees, in metres.
    pub reach: f64,
    /// Share with which agents outside of the field of view count, from 0 to 1.
    pub behind: f64,
    /// Largest acceleration by one agent, in m/s².
    pub most: f64,
    /// Time in which an agent takes up its speed, in seconds.
    pub relaxation: f64,
}

impl Default for Anticipation {
    /// The values of the source: k = 1.5, τ₀ = 3 s, 10 m, 0.54 s. Four seconds of foresight: later collisions have less
    /// than 2 % of the force at one second. Agents behind have no weight. 20 m/s² changes a velocity by 1 m/s in a step
    /// of 0.05 s.
    fn default() -> Self {
        Self { strength: 1.5, range: 3.0, horizon: 4.0, reach: 10.0, behind: 0.0, most: 20.0, relaxation: 0.54 }
    }
}

impl Anticipation {
    /// Computes the energy of a collision after a time in seconds, in m²/s² for a mass of 1.
    pub fn energy(&self, time: f64) -> f64 {
        self.strength / (time * time) * libm::exp(-time / self.range)
    }

    /// Computes the negative gradient of the energy over the place of the agent, in m/s².
    pub fn acceleration(&self, hit: &Collision) -> Vec2 {
        let time = hit.time.max(LEAST_TIME);
        hit.normal * (self.energy(time) * (2.0 / time + 1.0 / self.range) / hit.approach)
    }

    /// Returns the acceleration of a collision within the horizon, bounded.
    fn push(&self, hit: Option<Collision>) -> Vec2 {
        match hit {
            Some(hit) if hit.time < self.horizon => {
                let strength = self.acceleration(&hit);
                // A contact with hardly any approach has no finite law.
                if strength.is_finite() { strength.clamp_length_max(self.most) } else { hit.normal * self.most }
            }
            _ => Vec2::ZERO,
        }
    }
}

impl SteeringPolicy for Anticipation {
    fn reach(&self, _radii: f64) -> f64 {
        self.reach
    }

    fn most_neighbours(&self) -> usize {
        16
    }

    fn choose(&self, view: &AgentView<'_>) -> Vec2 {
        let mut acceleration = (view.preferred - view.velocity) / self.relaxation;
        let heading = if view.velocity == Vec2::ZERO { view.preferred } else { view.velocity }.normalize_or_zero();
        for other in view.agents {
            let offset = view.position - other.position;
            let hit = collision_of_discs(offset, view.velocity - other.velocity, view.radius + other.radius);
            let is_seen = -heading.dot(offset) >= VIEW_COSINE * offset.length();
            acceleration += self.push(hit) * if is_seen { 1.0 } else { self.behind };
        }
        acceleration += self.push(first_wall(view, view.velocity));
        for hit in edge_collisions(view, view.velocity) {
            acceleration += self.push(Some(hit));
        }
        accelerate(view, acceleration)
    }
}
