//! Potential bubbles: agents push each other off when their bubbles meet (S4 §8.2.1, equation 8.1).
//!
//! In: an agent and what is near it. Out: its velocity. Method: for each neighbour at distance d, from the own centre
//! to the neighbour's border, closing at rate −ḋ, the acceleration max(0, k(R − d)² − z ḋ (R − d)/R) directed away from
//! it; the same for walls, from the own border, in any number of pieces (`wall`), and for ellipses round the edges of
//! bodies and the edges ahead of them. The source has the force without its
//! mass, and its damping may attract: here it is an acceleration and never attracts.
//! Guarantees: two points that meet head on stop before they touch if each is slower than √(4kR³/3), 4.525 m/s for
//! k = 30, R = 0.8 and z = 0; discs of radius r below √(4k(R − r)³/3), 2.94 m/s for r = 0.2; less what drives them.
//! Stable for 4kR·h² + 4zh < 4 for a step h, with one neighbour.

use super::{AgentView, NearEdge, NearWall, PushingWall, SteeringPolicy, accelerate, pushing_walls};
use heurt_geometry::Vec2;

/// The bubble of a wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WallBubble {
    /// Places within a distance of the wall, the same for a wall in any number of pieces.
    #[default]
    Foot,
    /// The ellipse of S4: |p − a| + |p − b| < |ab| + 2e for the ends a and b. Half of the excess over |ab| is the
    /// distance, its gradient the direction. A wall in pieces has an ellipse for each, and long ones reach far: an
    /// ellipse is √(e(|ab| + e)) wide to each side.
    Ellipse,
}

/// Parameters of the bubbles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bubbles {
    /// Radius R of a bubble, in metres, from the centre of the agent.
    pub reach: f64,
    /// Radius of a bubble for walls, in metres, from the border of the agent: a bubble as large as for agents would let
    /// no agent through a door.
    pub wall_reach: f64,
    /// The shape of the bubbles of walls.
    pub wall_shape: WallBubble,
    /// Stiffness k, in 1/(m s²).
    pub stiffness: f64,
    /// Damping z, in 1/s.
    pub damping: f64,
    /// Time in which an agent takes up its speed, in seconds.
    pub relaxation: f64,
}

impl Default for Bubbles {
    /// The values of VALUES: R = 0.8 m, k = 30, z = 1; half a second to take up the speed (Helbing and Molnár 1995).
    fn default() -> Self {
        Self {
            reach: 0.8,
            wall_reach: 0.25,
            wall_shape: WallBubble::Foot,
            stiffness: 30.0,
            damping: 1.0,
            relaxation: 0.5,
        }
    }
}

impl Bubbles {
    /// Returns the longest step h at which two agents in each other's bubbles come to rest, in seconds: the root of
    /// K h² + 2 C h = 4 for K = 4kR, C = 2z, the stiffness and damping of their distance at its least. Any more
    /// neighbours shorten it.
    ///
    /// ```
    /// use heurt_crowd::steer::Bubbles;
    /// let stiff = Bubbles { reach: 0.8, stiffness: 180.0, damping: 12.0, ..Bubbles::default() };
    /// assert!((stiff.longest_stable_step() - 0.0515).abs() < 1e-4);
    /// ```
    pub fn longest_stable_step(&self) -> f64 {
        let (stiffness, damping) = (4.0 * self.stiffness * self.reach, 2.0 * self.damping);
        // The root in the form that is right without stiffness, too.
        4.0 / (damping + (damping * damping + 4.0 * stiffness).sqrt())
    }

    /// Computes the acceleration away from something at a distance that changes at a rate, in m/s².
    pub(crate) fn push(&self, reach: f64, distance: f64, rate: f64) -> f64 {
        let depth = reach - distance.max(0.0);
        if depth <= 0.0 {
            return 0.0;
        }
        (self.stiffness * depth * depth - self.damping * rate * depth / reach).max(0.0)
    }

    fn push_of_feet(&self, view: &AgentView<'_>) -> Vec2 {
        let at_rest = |distance: f64| self.push(self.wall_reach, distance - view.radius, 0.0);
        let push = |wall: PushingWall| {
            let rate = wall.away.dot(view.velocity);
            wall.away * (wall.share * self.push(self.wall_reach, wall.distance - view.radius, rate))
        };
        pushing_walls(view.walls, view.position, at_rest).into_iter().map(push).fold(Vec2::ZERO, |sum, x| sum + x)
    }

    fn push_of_ellipses(&self, view: &AgentView<'_>) -> Vec2 {
        let push = |wall: &NearWall| {
            let (distance, gradient) = NearEdge::ellipse(wall.segment, view.position);
            let away = gradient.normalize_or_zero();
            away * self.push(self.wall_reach, distance - view.radius, gradient.dot(view.velocity))
        };
        view.walls.iter().map(push).fold(Vec2::ZERO, |sum, push| sum + push)
    }
}

impl Bubbles {
    /// Pushes off the edges of a body, as far as off agents: ellipses round each of them (S4 §8.2.2).
    fn push_of_edges(&self, view: &AgentView<'_>) -> Vec2 {
        let push = |edge: &NearEdge| {
            let [a, b] = edge.segment;
            let over = view.position.distance(a) + view.position.distance(b) - a.distance(b);
            if over >= 2.0 * self.reach {
                return Vec2::ZERO;
            }
            let (distance, gradient) = NearEdge::ellipse(edge.segment, view.position);
            let rate = gradient.dot(view.velocity - edge.velocity);
            gradient.normalize_or_zero() * self.push(self.reach, distance, rate)
        };
        view.edges.iter().map(push).fold(Vec2::ZERO, |sum, push| sum + push)
    }
}

impl SteeringPolicy for Bubbles {
    fn reach(&self, radii: f64) -> f64 {
        self.reach + radii
    }

    /// The ellipse round an edge is widest at its middle: √(R(R + length)).
    fn edge_reach(&self, _: f64, length: f64, _: f64) -> f64 {
        (self.reach * (self.reach + length)).sqrt()
    }

    fn most_neighbours(&self) -> usize {
        16
    }

    fn choose(&self, view: &AgentView<'_>) -> Vec2 {
        let mut acceleration = (view.preferred - view.velocity) / self.relaxation;
        for other in view.agents {
            let offset = view.position - other.position;
            let away = offset.normalize_or_zero();
            let rate = away.dot(view.velocity - other.velocity);
            acceleration += away * self.push(self.reach, offset.length() - other.radius, rate);
        }
        acceleration += match self.wall_shape {
            WallBubble::Foot => self.push_of_feet(view),
            WallBubble::Ellipse => self.push_of_ellipses(view),
        };
        acceleration += self.push_of_edges(view);
        accelerate(view, acceleration)
    }
}
