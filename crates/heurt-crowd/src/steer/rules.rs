//! Rules of avoidance: an answer to each of four situations of collision (S4 §8.2.1, figure 8.3).
//!
//! In: an agent and what is near it. Out: its velocity. Method: the first collision of the preferred velocity within
//! the horizon is classified by headings and places ([`Situation`]). Head-on, an agent side-steps to its side of the
//! path. Behind a slower one it overtakes on the opposite side, or follows at that speed. An agent from its own side
//! has priority: it brakes. An agent from the opposite side yields: it keeps its velocity, and brakes late. Then all
//! agents on course slow it down, and walls within `wall_horizon` (`wall_cone`). S4 shows the situations without
//! answers; names and answers are ours.
//! Guarantees: the velocity meets no wall within `wall_horizon`. Not guaranteed: an escape from situations of several
//! agents at once; a base of rules is finite, and jams come free only by trial. Cost: O(neighbours).

use super::{
    AgentView, HalfPlane, NearAgent, SteeringPolicy, collision_of_discs, edge_planes, nearest_velocity, wall_planes,
};
use heurt_geometry::Vec2;
use smallvec::SmallVec;

/// Cosine of 45°: headings closer than that are alike, and beyond 135° opposite.
const LIKE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Angles of a side-step, in degrees: each step of 15° moves a person at 1 m by more than half a radius.
const SIDE_STEPS: [f64; 5] = [15.0, 30.0, 45.0, 60.0, 75.0];

/// Speed below which an agent rests, in m/s: a sway, no gait.
const AT_REST: f64 = 0.1;

/// The side on which an agent passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PassingSide {
    /// Left of the path.
    Left,
    /// Right of the path.
    #[default]
    Right,
}

/// Situations of collision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Situation {
    /// The agents walk towards each other, or the obstacle rests.
    HeadOn,
    /// The agent is behind a slower one.
    FromBehind,
    /// The obstacle comes from the left.
    FromLeft,
    /// The obstacle comes from the right.
    FromRight,
}

/// Parameters of the rules.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RuleBase {
    /// Time for which collisions are foreseen, in seconds.
    pub horizon: f64,
    /// Time within which a collision slows an agent down, in seconds.
    pub braking: f64,
    /// Time for which collisions with walls are avoided, in seconds.
    pub wall_horizon: f64,
    /// The side on which agents pass, and from which agents have priority.
    pub side: PassingSide,
    /// How far an agent sees, in metres.
    pub reach: f64,
}

impl Default for RuleBase {
    /// Two seconds of foresight, half a second of braking, 0.3 s for walls, to the right, 5 m.
    fn default() -> Self {
        Self { horizon: 2.0, braking: 0.5, wall_horizon: 0.3, side: PassingSide::Right, reach: 5.0 }
    }
}

/// Classifies the situation of an agent with a heading and an obstacle.
///
/// ```
/// use heurt_crowd::steer::{NearAgent, Situation, situation};
/// use heurt_geometry::Vec2;
/// let other = NearAgent::new(Vec2::new(2.0, 2.0), Vec2::NEG_Y, 0.2, 1);
/// assert_eq!(situation(Vec2::ZERO, Vec2::X, &other), Situation::FromLeft);
/// ```
pub fn situation(position: Vec2, heading: Vec2, other: &NearAgent) -> Situation {
    let speed = other.velocity.length();
    let likeness = heading.normalize_or_zero().dot(other.velocity) / speed.max(f64::MIN_POSITIVE);
    if speed < AT_REST || likeness < -LIKE {
        Situation::HeadOn
    } else if likeness > LIKE {
        Situation::FromBehind
    } else if heading.perp_dot(other.position - position) > 0.0 {
        Situation::FromLeft
    } else {
        Situation::FromRight
    }
}

impl RuleBase {
    /// Finds the first collision of a velocity with agents within a time.
    fn first_agent<'a>(&self, view: &AgentView<'a>, velocity: Vec2, within: f64) -> Option<(f64, &'a NearAgent)> {
        let hit = |other: &'a NearAgent| Some((self.time(view, velocity, other)?, other));
        view.agents.iter().filter_map(hit).filter(|(time, _)| *time < within).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn time(&self, view: &AgentView<'_>, velocity: Vec2, other: &NearAgent) -> Option<f64> {
        let (offset, radii) = (view.position - other.position, view.radius + other.radius);
        collision_of_discs(offset, velocity - other.velocity, radii).map(|hit| hit.time)
    }

    /// Returns the least side-step that avoids an agent, or the largest one.
    fn side_step(&self, view: &AgentView<'_>, other: &NearAgent, side: f64) -> Result<Vec2, Vec2> {
        let step = |degrees: f64| {
            let angle = degrees.to_radians();
            Vec2::new(libm::cos(angle), side * libm::sin(angle)).rotate(view.preferred)
        };
        let is_clear = |velocity: &Vec2| self.time(view, *velocity, other).is_none_or(|time| time >= self.horizon);
        SIDE_STEPS.into_iter().map(step).find(is_clear).ok_or_else(|| step(SIDE_STEPS[4]))
    }

    /// Answers a situation with a velocity.
    fn answer(&self, view: &AgentView<'_>, time: f64, other: &NearAgent) -> Vec2 {
        let side = if self.side == PassingSide::Right { -1.0 } else { 1.0 };
        let (speed, offset) = (view.preferred.length(), other.position - view.position);
        match situation(view.position, view.preferred, other) {
            Situation::HeadOn => {
                // An agent that is clearly on its side already is passed on the opposite one.
                let lateral = view.preferred.perp_dot(offset) / speed * side;
                let is_there = lateral > 0.5 * (view.radius + other.radius);
                self.side_step(view, other, if is_there { -side } else { side }).unwrap_or_else(|widest| widest)
            }
            Situation::FromBehind => {
                let follow = view.preferred * (other.velocity.length() / speed).min(1.0);
                self.side_step(view, other, -side).unwrap_or(follow)
            }
            from => {
                let has_priority = (from == Situation::FromRight) == (self.side == PassingSide::Right);
                let within = if has_priority { self.horizon } else { self.braking };
                view.preferred * (time / within).min(1.0)
            }
        }
    }
}

impl SteeringPolicy for RuleBase {
    fn reach(&self, _radii: f64) -> f64 {
        self.reach
    }

    fn most_neighbours(&self) -> usize {
        10
    }

    fn choose(&self, view: &AgentView<'_>) -> Vec2 {
        let mut velocity = view.preferred;
        if velocity != Vec2::ZERO
            && let Some((time, other)) = self.first_agent(view, velocity, self.horizon)
        {
            velocity = self.answer(view, time, other);
            if let Some((time, _)) = self.first_agent(view, velocity, self.braking) {
                velocity *= time / self.braking;
            }
        }
        let wanted = AgentView { preferred: velocity, ..*view };
        let mut planes: SmallVec<[HalfPlane; 8]> = wall_planes(&wanted, self.wall_horizon).collect();
        let hard = planes.len();
        planes.extend(edge_planes(&wanted, self.horizon));
        nearest_velocity(&planes, hard, view.limit, velocity)
    }
}
