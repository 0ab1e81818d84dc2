//! Collision-free speed: a direction away from neighbours and walls, a speed by the gap ahead (Tordeux, Chraibi,
//! Seyfried 2016).
//!
//! In: an agent and what is near it. Out: its velocity. Method: the direction is g + Σ a e^{−gap/D} n, scaled to
//! a unit vector; the sum is over neighbours and walls, g points to the goal and n away from each. The speed is
//! min(v₀, gap/T), with the gap to the nearest agent ahead (`spacing`). In the source walls have no force; here they
//! have their own strength and range, as in JuPedSim, for walls in any number of pieces (`wall`).
//! Guarantees: a single file with centres s metres from each other walks at (s − l)/T, l the diameter; a free agent at
//! its own speed. Not guaranteed: directions are smooth in time; close to others an agent can turn back.

use super::{AgentView, LONGEST_GAP, NearAgent, SteeringPolicy, gap_ahead, push_of_walls, solid_walls, spacing};
use heurt_geometry::Vec2;

/// Parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CollisionFreeSpeed {
    /// Time gap T to the agent ahead, in seconds.
    pub time_gap: f64,
    /// Strength a of neighbours at contact, as a multiple of the pull of the goal.
    pub strength: f64,
    /// Range D of neighbours, in metres.
    pub range: f64,
    /// Strength of walls at contact.
    pub wall_strength: f64,
    /// Range of walls, in metres.
    pub wall_range: f64,
    /// How far an agent looks, in metres.
    pub reach: f64,
}

impl Default for CollisionFreeSpeed {
    /// The values of JuPedSim 1: 1 s, 8 and 0.1 m for neighbours, 5 and 0.02 m for walls. The source has 1 s, 5, 0.1 m.
    fn default() -> Self {
        Self { time_gap: 1.0, strength: 8.0, range: 0.1, wall_strength: 5.0, wall_range: 0.02, reach: 3.0 }
    }
}

impl CollisionFreeSpeed {
    /// Computes the direction, a unit vector; zero for an agent that rests.
    pub fn direction(&self, view: &AgentView<'_>) -> Vec2 {
        let goal = view.preferred.normalize_or_zero();
        if goal == Vec2::ZERO {
            return goal;
        }
        let push = |other: &NearAgent| {
            let offset = view.position - other.position;
            let gap = offset.length() - view.radius - other.radius;
            offset.normalize_or_zero() * repulsion(gap, self.strength, self.range)
        };
        let seen = view.agents.iter().filter(|other| spacing::is_seen(view, other));
        let sum = seen.map(push).fold(goal, |sum, push| sum + push);
        let law = |distance: f64| repulsion(distance - view.radius, self.wall_strength, self.wall_range);
        (sum + push_of_walls(&solid_walls(view), view.position, law)).normalize_or_zero()
    }
}

/// The speed at which free space ahead is walked within the time gap, in m/s: faster than nearly all people.
const WALKING: f64 = 2.0;

/// Computes a repulsion that falls exponentially with the gap; in overlap it is as at contact.
fn repulsion(gap: f64, strength: f64, range: f64) -> f64 {
    strength * libm::exp(-gap.max(0.0) / range)
}

impl SteeringPolicy for CollisionFreeSpeed {
    fn reach(&self, radii: f64) -> f64 {
        // Free space ahead counts as far as the time gap needs it.
        self.reach.max((radii + self.time_gap * WALKING).min(LONGEST_GAP))
    }

    fn most_neighbours(&self) -> usize {
        16
    }

    fn choose(&self, view: &AgentView<'_>) -> Vec2 {
        let direction = self.direction(view);
        direction * (gap_ahead(view, direction) / self.time_gap).min(view.preferred.length())
    }
}
