//! Bodies that deform: corners that walls and bodies push, and shape matching (S4 §8.2.2).
//!
//! In: corners and their velocities, what is near, a turn. Out: the displacement of each corner within the body.
//! Method: something nearer than [`PUSH_REACH`] pushes the nearest point of an edge, as bubbles do; the force goes to
//! both ends by the shares of that point. Corners move under the pushes and towards the goals of shape matching
//! (`heurt-soft`). The mean of the displacements is left out: where the body goes is decided by its model.
//! Guarantees: no corner moves further than the limit allows. Not guaranteed: that the area is kept.
//! Cost: O(corners and touches).

use heurt_geometry::Vec2;
use heurt_soft::{MatchingSettings, ShapeMatching2};

/// Gap at which pushes begin, in metres.
pub(crate) const PUSH_REACH: f64 = 0.3;

/// Stiffness of pushes, in 1/(m s²): ten times as much as of bubbles, since they act at a third of their reach.
const STIFFNESS: f64 = 300.0;

/// Half of a deformation goes back in a step, and half of a stretch is kept as long as it is pressed.
const SHAPE: MatchingSettings = MatchingSettings { stiffness: 0.5, linear_share: 0.5 };

/// The share of its velocity within the body that a corner keeps from step to step.
const KEPT: f64 = 0.6;

/// Something near an edge of a body that deforms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EdgePush {
    pub edge: u32,
    /// Unit vector to the edge.
    pub normal: Vec2,
    /// In metres, less than [`PUSH_REACH`].
    pub gap: f64,
    /// How far along the edge its nearest point is, from 0 to 1.
    pub share: f64,
}

/// The corners of a body that deforms, their velocities in m/s, and the ends of its edges.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SoftCorners<'b> {
    pub corners: &'b [Vec2],
    pub velocities: &'b [Vec2],
    pub edges: &'b [[u32; 2]],
}

/// Computes the displacement of each corner within a body that turns by an angle in radians, in metres, none faster
/// than `limit` m/s; zero if the state is no shape any more.
pub(crate) fn deform(
    body: SoftCorners<'_>,
    matching: &ShapeMatching2,
    (turn, limit): (f64, f64),
    pushes: &[EdgePush],
    step: f64,
) -> Vec<Vec2> {
    let count = body.corners.len();
    let mean = |list: &[Vec2]| list.iter().sum::<Vec2>() / count as f64;
    let drift = mean(body.velocities);
    let mut velocities: Vec<Vec2> = body.velocities.iter().map(|&velocity| KEPT * (velocity - drift)).collect();
    let mut accelerations = vec![Vec2::ZERO; count];
    for push in pushes {
        let depth = PUSH_REACH - push.gap.max(0.0);
        let force = push.normal * (STIFFNESS * depth * depth);
        let [a, b] = body.edges[push.edge as usize];
        accelerations[a as usize] += force * (1.0 - push.share);
        accelerations[b as usize] += force * push.share;
    }
    let mut corners = body.corners.to_vec();
    if matching.step(&mut corners, &mut velocities, &accelerations, &SHAPE, step).is_err() {
        return vec![Vec2::ZERO; count];
    }
    let (middle, by) = (mean(body.corners), Vec2::new(libm::cos(turn), libm::sin(turn)));
    for (corner, &before) in corners.iter_mut().zip(body.corners) {
        let offset = before - middle;
        *corner += by.rotate(offset) - offset - before;
    }
    let drift = mean(&corners);
    corners.iter_mut().for_each(|displacement| *displacement -= drift);
    let most = corners.iter().map(|displacement| displacement.length()).fold(0.0, f64::max);
    // One scale for all keeps the mean.
    let scale = (limit * step / most).min(1.0);
    corners.iter().map(|&displacement| displacement * scale).collect()
}
