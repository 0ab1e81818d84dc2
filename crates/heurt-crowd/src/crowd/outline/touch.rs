//! Touches of edges: what an edge could meet in a step, and how far it may move.
//!
//! In: an edge, and what is near it. Out: [`EdgeTouch`], [`DiscEdge`]: a direction, a gap, slacks.
//! Method: two convex sets that a line separates stay separate if all their points keep to their side of a line
//! between them. A slack is how much further an end of an edge is from that line than its nearest point.
//! Guarantees: both of a pair get the same gap to the bit. Cost: O(1).

use crate::form::{Segment, separation};
use crate::ground::nearest_on;
use heurt_geometry::Vec2;

/// An obstacle that an edge could meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Obstacle {
    Wall,
    /// The slot of a disc in a crowd on floors, or its number.
    Disc(u32),
    /// An edge of another body.
    Edge {
        body: u32,
        edge: u32,
    },
}

/// Something so near to an edge that both could touch in the step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EdgeTouch {
    pub edge: u32,
    pub obstacle: Obstacle,
    /// Unit vector from the obstacle to the edge.
    pub normal: Vec2,
    pub gap: f64,
    /// By end of the edge.
    pub slack: [f64; 2],
    /// By end of the edge that is the obstacle.
    pub obstacle_slack: [f64; 2],
}

/// An edge so near to a disc that both could touch in the step.
#[derive(Debug, Clone, Copy)]
pub(in crate::crowd) struct DiscEdge {
    pub body: u32,
    pub edge: u32,
    /// Unit vector from the edge to the disc.
    pub normal: Vec2,
    pub gap: f64,
    /// By end of the edge.
    pub slack: [f64; 2],
}

/// Computes how far each end of a segment is beyond its least along a direction.
fn slack_of([a, b]: Segment, direction: Vec2) -> [f64; 2] {
    let further = direction.dot(b - a);
    [(-further).max(0.0), further.max(0.0)]
}

/// Computes the unit vector from a segment to a disc, and the gap.
fn gap_to_disc(segment: Segment, centre: Vec2, radius: f64) -> (Vec2, f64) {
    let offset = centre - nearest_on(segment, centre);
    (offset.normalize_or_zero(), offset.length() - radius)
}

impl DiscEdge {
    /// Takes the touch of a body and a disc from the side of the disc.
    pub fn of(body: u32, touch: &EdgeTouch) -> Self {
        Self { body, edge: touch.edge, normal: -touch.normal, gap: touch.gap, slack: touch.slack }
    }
}

impl EdgeTouch {
    /// Takes a disc next to an edge, if their gap is at most `reach` metres.
    pub fn disc(edge: u32, ends: Segment, (slot, centre, radius): (u32, Vec2, f64), reach: f64) -> Option<Self> {
        let (away, gap) = gap_to_disc(ends, centre, radius);
        (gap <= reach).then(|| Self {
            edge,
            obstacle: Obstacle::Disc(slot),
            normal: -away,
            gap,
            slack: slack_of(ends, -away),
            obstacle_slack: [0.0; 2],
        })
    }

    /// Takes a segment next to an edge, if their gap is at most `reach` metres. The nearest points of a pair of bodies
    /// are computed in the order of their numbers: `is_first` if the edge's own body comes first.
    pub fn segment(
        edge: u32,
        ends: Segment,
        (obstacle, other): (Obstacle, Segment),
        is_first: bool,
        reach: f64,
    ) -> Option<Self> {
        let (normal, gap) = if is_first {
            separation(ends, other)
        } else {
            let (normal, gap) = separation(other, ends);
            (-normal, gap)
        };
        (gap <= reach).then(|| {
            let (slack, obstacle_slack) = (slack_of(ends, normal), slack_of(other, -normal));
            Self { edge, obstacle, normal, gap, slack, obstacle_slack }
        })
    }
}

/// Computes the least advance of an edge along a direction: the displacements of its ends, with their slacks.
pub(crate) fn least_advance(displacements: &[Vec2], ends: [u32; 2], direction: Vec2, slack: [f64; 2]) -> f64 {
    let [a, b] = ends.map(|end| direction.dot(displacements[end as usize]));
    (a + slack[0]).min(b + slack[1])
}
