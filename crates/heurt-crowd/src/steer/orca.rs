//! Optimal reciprocal collision avoidance (van den Berg, Guy, Lin, Manocha 2011).
//!
//! In: an agent and what is near it. Out: its velocity. Method: for each neighbour the half-plane of velocities that,
//! if both do half, avoid a collision for `horizon` seconds; the admissible velocity nearest to the preferred one.
//! Walls are avoided for `wall_horizon` seconds by the truncated cones of their segments (`wall_cone`), edges of bodies
//! for `horizon` seconds by the same cones in the frame of the edge (`edge`).
//! Guarantees: none against overlaps where no velocity is admissible; a step is made free of overlaps afterwards.

use super::{
    AgentView, GroupAvoidance, HalfPlane, NearAgent, SteeringPolicy, edge_planes, nearest_velocity, wall_planes,
};
use heurt_geometry::Vec2;
use smallvec::SmallVec;

/// Parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Orca {
    /// Time for which collisions with agents are avoided, in seconds.
    pub horizon: f64,
    /// Time for which collisions with walls are avoided, in seconds.
    pub wall_horizon: f64,
    /// How far an agent looks, in metres.
    pub reach: f64,
    /// How many of the nearest agents it avoids.
    pub most_neighbours: usize,
    /// Rules by which a group is avoided as one disc; `None` for single agents.
    pub groups: Option<GroupAvoidance>,
}

impl Default for Orca {
    /// One second for agents (SCENE), a third for walls (a door of 1 m is passed at full speed), 5 m, 10 neighbours, no
    /// groups.
    fn default() -> Self {
        Self { horizon: 1.0, wall_horizon: 0.3, reach: 5.0, most_neighbours: 10, groups: None }
    }
}

/// Computes the half-plane of velocities for an agent that does half to avoid another one.
///
/// ```
/// use heurt_crowd::steer::{NearAgent, orca_half_plane};
/// use heurt_geometry::Vec2;
/// let other = NearAgent::new(Vec2::new(4.0, 0.0), Vec2::new(-1.0, 0.0), 0.5, 1);
/// let plane = orca_half_plane(Vec2::ZERO, Vec2::X, 0.5, &other, 2.0, 0.1);
/// // The nearest velocity of the half-plane.
/// let velocity = Vec2::X + plane.normal * (plane.least - plane.normal.dot(Vec2::X));
/// assert!((velocity - Vec2::new(15.0 / 16.0, -(15.0_f64).sqrt() / 16.0)).length() < 1e-12);
/// ```
pub fn orca_half_plane(
    position: Vec2,
    velocity: Vec2,
    radius: f64,
    other: &NearAgent,
    horizon: f64,
    step: f64,
) -> HalfPlane {
    let offset = other.position - position;
    let approach = velocity - other.velocity;
    let (sum, distance_sq) = (radius + other.radius, offset.length_squared());
    let is_apart = distance_sq > sum * sum;
    let horizon = if is_apart { horizon } else { step };
    let from_centre = approach - offset / horizon;
    let along = from_centre.dot(offset);
    let (normal, change) = if !is_apart || along < 0.0 && along * along > sum * sum * from_centre.length_squared() {
        // The round end of the cone is nearest. With both at one place and at rest any direction will do.
        let length = from_centre.length();
        let normal = if length > 0.0 { from_centre / length } else { Vec2::X };
        (normal, sum / horizon - length)
    } else {
        let leg = (distance_sq - sum * sum).sqrt();
        let turned = if offset.perp_dot(from_centre) > 0.0 { sum } else { -sum };
        // A unit vector along the leg, and its normal out of the cone.
        let along = Vec2::new(offset.x * leg - offset.y * turned, offset.x * turned + offset.y * leg) / distance_sq;
        let normal = if turned > 0.0 { along.perp() } else { -along.perp() };
        (normal, -normal.dot(approach))
    };
    HalfPlane { normal, least: normal.dot(velocity) + 0.5 * change }
}

impl Orca {
    /// Computes the half-planes of an agent; the first ones are of walls, and their number comes with them.
    pub(super) fn half_planes(&self, view: &AgentView<'_>) -> (SmallVec<[HalfPlane; 24]>, usize) {
        let mut planes: SmallVec<[HalfPlane; 24]> = wall_planes(view, self.wall_horizon).collect();
        let hard = planes.len();
        planes.extend(edge_planes(view, self.horizon));
        let plane = |other: &NearAgent| {
            orca_half_plane(view.position, view.velocity, view.radius, other, self.horizon, view.step)
        };
        match &self.groups {
            None => planes.extend(view.agents.iter().map(plane)),
            Some(groups) => planes.extend(groups.merge(view).iter().map(plane)),
        }
        (planes, hard)
    }
}

impl SteeringPolicy for Orca {
    fn reach(&self, _radii: f64) -> f64 {
        self.reach
    }

    fn most_neighbours(&self) -> usize {
        self.most_neighbours
    }

    fn choose(&self, view: &AgentView<'_>) -> Vec2 {
        let (planes, hard) = self.half_planes(view);
        nearest_velocity(&planes, hard, view.limit, view.preferred)
    }
}
