//! Heuristics: the direction of the least detour (Moussaïd, Helbing, Theraulaz 2011), with the avoidance of ORCA.
//!
//! In: an agent and what is near it. Out: its velocity. Method: f(α) is how far the agent gets at its own speed in the
//! direction α until it meets an agent, which goes on as it does, or a wall; at most D = `reach`. Its direction has the
//! least distance d² = D² + f² − 2 D f cos(α₀ − α) to the point at D metres along the path. So agents follow each
//! other, and go round a crowd at a corner. In the source the speed is f/τ and bodies push each other; here ORCA's
//! half-planes decide. Agents step aside for those who come towards them (`side`).
//! Guarantees: a free agent goes along its path; of two equal detours the right one is taken. Not guaranteed:
//! directions between those tried, 7.5° from each other. Cost: O(directions · agents near), one direction if free.

use super::{AgentView, Orca, PassingSide, SteeringPolicy, collision_of_discs, collision_with_wall, edge_collisions};
use heurt_geometry::Vec2;

/// Directions tried on each side.
const DIRECTIONS: u32 = 10;

/// Parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Heuristics {
    /// How far an agent looks, in metres.
    pub reach: f64,
    /// Half of its field of view, in radians.
    pub view: f64,
    /// How many of the nearest agents it takes into account.
    pub most_neighbours: usize,
    /// The half-planes.
    pub avoidance: Orca,
}

impl Default for Heuristics {
    /// The view of the source, 75° to each side; 4 m and 20 neighbours instead of 10 m and all.
    fn default() -> Self {
        Self { reach: 4.0, view: 75.0_f64.to_radians(), most_neighbours: 20, avoidance: Orca::default() }
    }
}

impl Heuristics {
    /// Computes how far an agent gets with a velocity, in metres, at most the reach.
    pub fn free_distance(&self, view: &AgentView<'_>, velocity: Vec2) -> f64 {
        let speed = velocity.length();
        let agents = view.agents.iter().filter_map(|other| {
            let radii = view.radius + other.radius;
            collision_of_discs(view.position - other.position, velocity - other.velocity, radii)
        });
        let walls =
            view.walls.iter().filter_map(|wall| collision_with_wall(view.position, velocity, view.radius, wall));
        agents
            .chain(walls)
            .chain(edge_collisions(view, velocity))
            .map(|hit| hit.time * speed)
            .fold(self.reach, f64::min)
    }

    /// Finds the direction of the least detour at a speed; `goal` is the unit vector along the path.
    pub fn direction(&self, view: &AgentView<'_>, goal: Vec2, speed: f64) -> Vec2 {
        let far = self.reach;
        let ahead = self.free_distance(view, goal * speed);
        let (mut best, mut least) = (goal, (far - ahead).powi(2));
        for number in 1..=DIRECTIONS {
            let angle = self.view * f64::from(number) / f64::from(DIRECTIONS);
            let (sin, cos) = (libm::sin(angle), libm::cos(angle));
            // The detour is at least D sin α, and D beyond a right angle: no wider angle has a smaller one.
            let detour = if cos > 0.0 { far * sin } else { far };
            if least <= detour * detour {
                break;
            }
            for side in [-sin, sin] {
                let direction = Vec2::new(cos, side).rotate(goal);
                let distance = self.free_distance(view, direction * speed);
                let cost = far * far + distance * distance - 2.0 * far * distance * cos;
                if cost < least {
                    (best, least) = (direction, cost);
                }
            }
        }
        best
    }
}

impl SteeringPolicy for Heuristics {
    fn reach(&self, _radii: f64) -> f64 {
        self.reach.max(self.avoidance.reach)
    }

    fn most_neighbours(&self) -> usize {
        self.most_neighbours
    }

    fn side(&self) -> Option<PassingSide> {
        Some(PassingSide::Right)
    }

    fn choose(&self, view: &AgentView<'_>) -> Vec2 {
        let speed = view.preferred.length();
        if speed <= 0.0 {
            return self.avoidance.choose(view);
        }
        let direction = self.direction(view, view.preferred / speed, speed);
        self.avoidance.choose(&AgentView { preferred: direction * speed, ..*view })
    }
}
