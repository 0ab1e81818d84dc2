//! Edges of bodies near an agent: segments that move (S4 §8.2.2).
//!
//! In: an edge with its velocity. Out: half-planes of velocities, collisions, ellipses.
//! Method: in the frame of the edge it is a wall. An agent that does a share s of what avoids it keeps n · v ≥ n · v₀ +
//! s (c − n · v₀), where v₀ is its velocity and n · v ≥ c what it would do alone: 1 for persons, since bodies do not
//! avoid them, and a half for two bodies. An edge ahead of a body pushes, and is no obstacle.
//! Guarantees: as `wall_cone` and `collision_time`. Cost: O(edges).

use super::{AgentView, Collision, HalfPlane, NearWall, collision_with_wall, wall_half_plane};
use heurt_geometry::Vec2;
use smallvec::SmallVec;

/// An edge of a body near an agent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearEdge {
    /// Its ends, in metres.
    pub segment: [Vec2; 2],
    /// Its point nearest to the centre of the agent.
    pub nearest: Vec2,
    /// The velocity of that point, in m/s.
    pub velocity: Vec2,
    /// The share of what avoids it that the agent does, from 0 to 1.
    pub share: f64,
    /// It leads from a body to the tip of its velocity.
    pub is_ahead: bool,
}

impl NearEdge {
    /// Takes the edge as a wall.
    pub fn wall(&self) -> NearWall {
        NearWall { segment: self.segment, nearest: self.nearest }
    }

    /// Computes a distance whose lines are ellipses round the ends, and its gradient (S4 §8.2.2): half of how much
    /// longer than the edge the line from end to end over `place` is.
    ///
    /// ```
    /// use heurt_crowd::steer::NearEdge;
    /// use heurt_geometry::Vec2;
    /// let segment = [Vec2::new(-3.0, 0.0), Vec2::new(3.0, 0.0)];
    /// let (distance, gradient) = NearEdge::ellipse(segment, Vec2::new(0.0, 4.0));
    /// assert_eq!((distance, gradient), (2.0, Vec2::new(0.0, 0.8)));
    /// ```
    pub fn ellipse([a, b]: [Vec2; 2], place: Vec2) -> (f64, Vec2) {
        let (from_a, from_b) = (place - a, place - b);
        let distance = 0.5 * (from_a.length() + from_b.length() - a.distance(b));
        (distance, 0.5 * (from_a.normalize_or_zero() + from_b.normalize_or_zero()))
    }
}

/// Returns walls and edges of bodies as walls.
pub(super) fn solid_walls(view: &AgentView<'_>) -> SmallVec<[NearWall; 16]> {
    let edges = view.edges.iter().filter(|edge| !edge.is_ahead).map(NearEdge::wall);
    view.walls.iter().copied().chain(edges).collect()
}

/// Computes the half-planes of all edges that an agent can meet within `horizon` seconds.
pub(super) fn edge_planes<'a>(view: &'a AgentView<'a>, horizon: f64) -> impl Iterator<Item = HalfPlane> + 'a {
    let plane = move |edge: &NearEdge| {
        let wall = edge.wall();
        let reach = view.radius + (view.limit + edge.velocity.length()) * horizon;
        if edge.is_ahead || edge.nearest.distance_squared(view.position) >= reach * reach {
            return None;
        }
        let preferred = view.preferred - edge.velocity;
        let plane = wall_half_plane(view.position, view.radius, &wall, &[wall], horizon, preferred)?;
        let (now, least) = (plane.normal.dot(view.velocity), plane.least + plane.normal.dot(edge.velocity));
        Some(HalfPlane { least: now + edge.share * (least - now), ..plane })
    };
    view.edges.iter().filter_map(plane)
}

/// Finds the collisions with edges at a velocity.
pub(super) fn edge_collisions<'a>(view: &'a AgentView<'a>, velocity: Vec2) -> impl Iterator<Item = Collision> + 'a {
    let hit =
        move |edge: &NearEdge| collision_with_wall(view.position, velocity - edge.velocity, view.radius, &edge.wall());
    view.edges.iter().filter(|edge| !edge.is_ahead).filter_map(hit)
}
