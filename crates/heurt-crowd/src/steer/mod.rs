//! Steering: the velocity that an agent chooses, from the agents and walls near it.
//!
//! In: an agent, the velocity it would like, agents and walls near it. Out: the velocity it chooses.
//! Method: a trait, and a file for each model. The chosen velocity is made free of overlaps afterwards
//! (`crowd/separate`), for all models alike.
//! Guarantees: models read and never change anything, so that agents choose in parallel with the same result.

mod anticipation;
mod boids;
mod bubbles;
mod collision_free_speed;
mod collision_time;
mod edge;
mod groups;
mod half_plane;
mod heuristics;
mod least_effort;
mod orca;
mod rules;
mod side;
mod social_force;
mod spacing;
mod velocity_obstacle;
mod wall;
mod wall_cone;

pub use anticipation::Anticipation;
pub use boids::Boids;
pub use bubbles::{Bubbles, WallBubble};
pub use collision_free_speed::CollisionFreeSpeed;
pub use collision_time::{Collision, collision_of_discs, collision_with_wall};
pub use edge::NearEdge;
pub use groups::GroupAvoidance;
pub use half_plane::{HalfPlane, admissible_velocity, nearest_velocity};
pub use heuristics::Heuristics;
pub use least_effort::LeastEffort;
pub use orca::{Orca, orca_half_plane};
pub use rules::{PassingSide, RuleBase, Situation, situation};
pub use side::step_aside;
pub use social_force::SocialForce;
pub(crate) use spacing::LONGEST_GAP;
pub use spacing::{gap_ahead, keep_time_gap};
pub use velocity_obstacle::VelocityObstacles;
pub use wall::{NearWall, PushingWall, WALL_SIGHT, pushing_walls};
pub use wall_cone::wall_half_plane;

use collision_time::first_wall;
use edge::{edge_collisions, edge_planes, solid_walls};
use heurt_geometry::Vec2;
use wall::push_of_walls;
use wall_cone::wall_planes;

/// Seconds for which edges of bodies are seen from further away than discs.
const EDGE_LOOKOUT: f64 = 2.0;

/// An agent near another one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearAgent {
    /// Its centre.
    pub position: Vec2,
    /// Its velocity of the last step, in m/s.
    pub velocity: Vec2,
    /// Its radius, in metres.
    pub radius: f64,
    /// The number of its group.
    pub group: u32,
    /// Unit vector along its path; zero for an agent that rests.
    pub heading: Vec2,
    /// The share of the largest turn with which it steps aside, from 0 to 1.
    pub yielding: f64,
}

impl NearAgent {
    /// An agent with the heading of its velocity, which does not step aside.
    pub fn new(position: Vec2, velocity: Vec2, radius: f64, group: u32) -> Self {
        Self { position, velocity, radius, group, heading: velocity.normalize_or_zero(), yielding: 0.0 }
    }
}

/// The view of an agent that chooses a velocity.
#[derive(Debug, Clone, Copy)]
pub struct AgentView<'a> {
    /// Its centre.
    pub position: Vec2,
    /// Its velocity of the last step, in m/s.
    pub velocity: Vec2,
    /// Its radius, in metres.
    pub radius: f64,
    /// The number of its group.
    pub group: u32,
    /// The velocity that it would have alone: towards its goal at its own speed.
    pub preferred: Vec2,
    /// The largest speed that it can reach, in m/s.
    pub limit: f64,
    /// Duration of the step, in seconds.
    pub step: f64,
    /// Agents near it, the nearest first.
    pub agents: &'a [NearAgent],
    /// Walls near it.
    pub walls: &'a [NearWall],
    /// Edges of bodies with outlines near it.
    pub edges: &'a [NearEdge],
}

/// A model of steering.
pub trait SteeringPolicy: Sync {
    /// Returns how far an agent looks for agents, from centre to centre, in metres; `radii` is the largest sum of two
    /// radii.
    fn reach(&self, radii: f64) -> f64;

    /// Returns how far an agent looks for an edge of a body, in metres; `radii` as for [`reach`](Self::reach), the
    /// length of the edge in metres, its speed in m/s. By default it sees edges two seconds ahead.
    fn edge_reach(&self, radii: f64, length: f64, speed: f64) -> f64 {
        let _ = length;
        self.reach(radii) + EDGE_LOOKOUT * speed
    }

    /// Returns how many of the nearest agents it takes into account.
    fn most_neighbours(&self) -> usize;

    /// Returns the side to which agents step aside for those who come towards them; none by default.
    fn side(&self) -> Option<PassingSide> {
        None
    }

    /// Chooses a velocity, in m/s.
    fn choose(&self, view: &AgentView<'_>) -> Vec2;
}

/// Returns the velocity after a step under an acceleration, at most as fast as the agent can go.
fn accelerate(view: &AgentView<'_>, acceleration: Vec2) -> Vec2 {
    (view.velocity + acceleration * view.step).clamp_length_max(view.limit)
}
