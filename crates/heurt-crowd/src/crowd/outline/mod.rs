//! Agents with outlines: bodies of one or several polygons among discs, walls and each other (S4 §8.1, §8.2).
//!
//! In: rigs of groups, agents, an environment. Out: bodies whose edges are registered; motions of each step.
//! Method: S4 §5.3: the corners of a body are tracked points, its edges are registered over them. Agents see the edges
//! in the lists of their cell (`disc_sight`), bodies see others by their boxes (`coarse`, `sight`); an edge from the
//! body to the tip of its velocity is seen as well, so that a crowd parts in time (`ahead`). The first section turns
//! towards the velocity that its model chooses and drives forward (`drive`). Obstacles that an edge could touch in the
//! step limit its ends (`touch`, `hold`).
//! Guarantees: no overlap with discs, walls and other bodies, up to rounding, if none was there at first. A section is
//! on the floor of its first corner.
//! Not guaranteed: that bodies find through every passage that is wide enough for them; a chain never drives backward.

mod ahead;
mod coarse;
mod disc_sight;
mod drive;
mod hold;
mod near;
mod overlap;
mod register;
mod rig;
mod sight;
mod soft;
mod touch;

pub(super) use disc_sight::EdgeSight;
pub(crate) use drive::drive;
pub(super) use hold::{OutlineHold, OutlineMotion};
pub(super) use overlap::depth_of_disc;
pub(crate) use overlap::{depth_of_polygons, depth_of_wall};
pub(crate) use rig::Rig;
pub(crate) use sight::{AT_REST, CLEARANCE};
pub(crate) use soft::{EdgePush, PUSH_REACH, SoftCorners, deform};
pub(super) use touch::DiscEdge;
pub(crate) use touch::{EdgeTouch, Obstacle, least_advance};

use crate::form::Segment;
use ahead::Ahead;
use coarse::CoarseBodies;
use disc_sight::SeenEdge;
use heurt_geometry::Vec2;
use heurt_map::registration::{EntityId, PointId};
use rig::RigPose;
use std::sync::Arc;

/// The number of no body.
pub(super) const NO_BODY: u32 = u32::MAX;

/// An edge of a body, or one ahead of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyEdge {
    pub body: u32,
    /// The number of the edge; edges ahead follow after those of the body.
    pub edge: u32,
}

/// The body of an agent.
#[derive(Debug)]
pub(super) struct OutlineBody {
    /// The number of its agent.
    pub agent: u32,
    pub rig: Arc<Rig>,
    pub pose: RigPose,
    /// Its corners, section by section.
    pub corners: Vec<Vec2>,
    /// Velocities of its corners in the last step, in m/s.
    velocities: Vec<Vec2>,
    /// By corner.
    points: Vec<PointId>,
    /// By edge.
    entities: Vec<EntityId>,
    ahead: Ahead,
    /// By section: the floor of its first corner.
    pub floors: Vec<u32>,
    /// It is still in the crowd.
    pub is_present: bool,
}

impl OutlineBody {
    /// Returns the ends of an edge.
    pub fn ends(&self, edge: u32) -> Segment {
        self.rig.edges[edge as usize].map(|corner| self.corners[corner as usize])
    }

    /// Returns the lower and the upper corner of the box around it.
    fn bounds(&self) -> [Vec2; 2] {
        let empty = [Vec2::INFINITY, Vec2::NEG_INFINITY];
        self.corners.iter().fold(empty, |[low, high], &corner| [low.min(corner), high.max(corner)])
    }

    /// Returns the largest speed of its corners, in m/s.
    fn speed(&self) -> f64 {
        self.velocities.iter().map(|velocity| velocity.length_squared()).fold(0.0, f64::max).sqrt()
    }

    /// Returns the velocity of a point of an edge, in m/s.
    fn velocity_at(&self, edge: u32, point: Vec2) -> Vec2 {
        let [a, b] = self.ends(edge);
        let [of_a, of_b] = self.rig.edges[edge as usize].map(|corner| self.velocities[corner as usize]);
        of_a.lerp(of_b, share_along([a, b], point))
    }

    /// Returns the edges ahead of it.
    pub fn edges_ahead(&self) -> impl Iterator<Item = Segment> {
        (0..self.ahead.entities.len()).map(|edge| self.edge_ahead(edge))
    }

    /// Returns an edge ahead of it.
    fn edge_ahead(&self, edge: usize) -> Segment {
        let [place, tip] = self.ahead.middle;
        let start = if self.rig.is_wide { self.corners[self.rig.front[edge] as usize] } else { place };
        [start, tip]
    }

    /// Returns the section of an edge.
    fn section_of(&self, edge: u32) -> usize {
        self.rig.starts.partition_point(|&start| start <= edge as usize).saturating_sub(1)
    }

    /// Returns the floor and the first corner of the section of an edge.
    fn spot(&self, edge: u32) -> (u32, Vec2) {
        let section = self.section_of(edge);
        (self.floors.get(section).copied().unwrap_or(0), self.corners[self.rig.starts[section]])
    }

    /// Returns the corners of its sections, the first one in front.
    pub fn sections(&self) -> impl Iterator<Item = &[Vec2]> {
        self.rig.starts.windows(2).map(|range| &self.corners[range[0]..range[1]])
    }
}

/// Returns how far along a segment a point of it is, from 0 to 1.
fn share_along([a, b]: Segment, point: Vec2) -> f64 {
    let share = a.distance(point) / a.distance(b);
    if share.is_finite() { share.min(1.0) } else { 0.0 }
}

/// The bodies of a crowd.
#[derive(Debug, Default)]
pub(super) struct Outlines {
    pub bodies: Vec<OutlineBody>,
    /// Edges as discs see them, body by body.
    seen: Vec<SeenEdge>,
    /// By number of entity: its place in that list.
    seen_of: Vec<u32>,
    /// The largest distance that a corner of a present body moves in a second, in metres.
    pub top_speed: f64,
    coarse: CoarseBodies,
    /// Seconds that edges ahead of bodies are long; none for 0.
    anticipation: f64,
    /// By body: all that it could meet in this step.
    pub holds: Vec<OutlineHold>,
}

impl Outlines {
    /// Makes a list without bodies; edges ahead of bodies are `anticipation` seconds long.
    pub fn new(anticipation: f64) -> Self {
        Self { anticipation, ..Self::default() }
    }

    /// Reports whether no agent has an outline.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Registers the boxes of all bodies where they are.
    pub fn register_boxes(&mut self) {
        self.coarse.update(&self.bodies);
    }
}
