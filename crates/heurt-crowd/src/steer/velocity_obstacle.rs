//! Velocity obstacles: the velocity of least cost, plain (Fiorini and Shiller 1998) or reciprocal (van den Berg, Lin,
//! Manocha 2008).
//!
//! In: an agent and what is near it. Out: its velocity. Method: a velocity u is in the obstacle of a neighbour if the
//! relative velocity u − v_B leads to a collision within the horizon; in the reciprocal one if 2u − v_A − v_B does. The
//! cost is |u − v₀| + w/τ, v₀ the preferred velocity and τ the time to the first collision within the horizon. The
//! candidates are v₀, its feet on both borders of each cone, the nearest velocity clear of walls, rest, and a polar
//! grid. Grids are not random as in the source; of equal costs the first one wins, which leads to the right.
//! Guarantees: with w above twice the speed limit times the horizon, a velocity outside of all obstacles is chosen if a
//! candidate is there. Not guaranteed: freedom from oscillation, which plain obstacles have.
//! Cost: O(candidates · neighbours), some 90 candidates.

use super::{
    AgentView, SteeringPolicy, collision_of_discs, edge_collisions, first_wall, nearest_velocity, wall_planes,
};
use super::{HalfPlane, NearAgent};
use heurt_geometry::Vec2;
use smallvec::SmallVec;

/// Directions of the grid: steps of 15° leave gaps that a person at 3 m fills.
const DIRECTIONS: u32 = 24;

/// Speeds of the grid, evenly up to the limit.
const SPEEDS: u32 = 3;

/// How far outside of a cone its border is tried, in m/s: far above rounding, far below a gait.
const OUTSIDE: f64 = 1e-6;

/// Parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VelocityObstacles {
    /// Whether both agents share the avoidance.
    pub is_reciprocal: bool,
    /// Time for which collisions with agents are avoided, in seconds.
    pub horizon: f64,
    /// Time for which collisions with walls are avoided, in seconds.
    pub wall_horizon: f64,
    /// Weight w of the inverse time to a collision, in metres.
    pub weight: f64,
    /// How far an agent sees, in metres.
    pub reach: f64,
    /// How many of the nearest agents it avoids.
    pub most_neighbours: usize,
}

impl VelocityObstacles {
    /// Makes the plain model: 1.5 s for agents, 0.3 s for walls, w = 7.5 m, 5 m, 10 neighbours.
    pub fn plain() -> Self {
        Self { is_reciprocal: false, horizon: 1.5, wall_horizon: 0.3, weight: 7.5, reach: 5.0, most_neighbours: 10 }
    }

    /// Makes the reciprocal model, with the same numbers.
    pub fn reciprocal() -> Self {
        Self { is_reciprocal: true, ..Self::plain() }
    }

    /// Computes the time in which a velocity leads into an agent; infinity beyond the horizon.
    pub fn collision_time(&self, view: &AgentView<'_>, velocity: Vec2, other: &NearAgent) -> f64 {
        let own = if self.is_reciprocal { 2.0 * velocity - view.velocity } else { velocity };
        let hit = collision_of_discs(view.position - other.position, own - other.velocity, view.radius + other.radius);
        hit.map(|hit| hit.time).filter(|&time| time < self.horizon).unwrap_or(f64::INFINITY)
    }

    /// Computes the cost of a velocity, in m/s.
    pub fn cost(&self, view: &AgentView<'_>, velocity: Vec2) -> f64 {
        let wall = first_wall(view, velocity).map(|hit| hit.time).filter(|&time| time < self.wall_horizon);
        let times = view.agents.iter().map(|other| self.collision_time(view, velocity, other));
        let edges = edge_collisions(view, velocity).map(|hit| hit.time).filter(|&time| time < self.horizon);
        let time = times.chain(edges).fold(wall.unwrap_or(f64::INFINITY), f64::min);
        // A contact now costs as much as one in a millisecond: costs stay comparable.
        velocity.distance(view.preferred) + self.weight / time.max(1e-3)
    }

    /// Calls `visit` with the feet of the preferred velocity on the borders of the cone of a neighbour.
    fn borders(&self, view: &AgentView<'_>, other: &NearAgent, mut visit: impl FnMut(Vec2)) {
        let (offset, radii) = (other.position - view.position, view.radius + other.radius);
        let (distance_sq, apex) = (offset.length_squared(), other.velocity);
        let apex = if self.is_reciprocal { 0.5 * (apex + view.velocity) } else { apex };
        let leg_sq = distance_sq - radii * radii;
        if leg_sq <= 0.0 {
            return;
        }
        for turned in [-radii, radii] {
            let leg = (offset * leg_sq.sqrt() + offset.perp() * turned) / distance_sq;
            let outside = leg.perp() * (OUTSIDE * turned.signum());
            visit(apex + leg * leg.dot(view.preferred - apex).max(0.0) + outside);
        }
    }
}

impl SteeringPolicy for VelocityObstacles {
    fn reach(&self, _radii: f64) -> f64 {
        self.reach
    }

    fn most_neighbours(&self) -> usize {
        self.most_neighbours
    }

    fn choose(&self, view: &AgentView<'_>) -> Vec2 {
        let preferred = view.preferred.clamp_length_max(view.limit);
        let (mut best, mut least) = (preferred, self.cost(view, preferred));
        let mut try_velocity = |velocity: Vec2| {
            let velocity = velocity.clamp_length_max(view.limit);
            if velocity.distance(view.preferred) < least {
                let cost = self.cost(view, velocity);
                if cost < least {
                    (best, least) = (velocity, cost);
                }
            }
        };
        let planes: SmallVec<[HalfPlane; 8]> = wall_planes(view, self.wall_horizon).collect();
        try_velocity(nearest_velocity(&planes, planes.len(), view.limit, preferred));
        for other in view.agents {
            self.borders(view, other, &mut try_velocity);
        }
        try_velocity(Vec2::ZERO);
        let heading = if preferred == Vec2::ZERO { view.velocity } else { preferred };
        let heading = if heading == Vec2::ZERO { Vec2::X } else { heading.normalize_or_zero() };
        for number in 0..DIRECTIONS {
            // To the right first, then as far to the left.
            let turns = f64::from(number.div_ceil(2)) * if number % 2 == 1 { -1.0 } else { 1.0 };
            let angle = turns * std::f64::consts::TAU / f64::from(DIRECTIONS);
            let direction = Vec2::new(libm::cos(angle), libm::sin(angle)).rotate(heading);
            for speed in 1..=SPEEDS {
                try_velocity(direction * (view.limit * f64::from(speed) / f64::from(SPEEDS)));
            }
        }
        best
    }
}
