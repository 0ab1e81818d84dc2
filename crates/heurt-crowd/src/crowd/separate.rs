//! Separation: velocities that leave no overlap at the end of a step, for any chosen velocities.
//!
//! In: chosen velocities, gaps between agents and to walls, a step h. Out: velocities.
//! Method: for agents i and j with the gap g and the unit vector n from j to i, the step ends without overlap if
//! n · (vᵢ − vⱼ) ≥ −g/h, since the distance along n bounds the distance. Each takes half: n · vᵢ ≥ −g/(2h), which rest
//! fulfils. Each further round shifts the border by the mean velocity along n of the round before, so that agents
//! follow each other closely: n · vᵢ ≥ −g/(2h) + n · (uᵢ + uⱼ)/2. The two halves add up to the same condition, and the
//! velocity uᵢ of the round before fulfils them. A wall allows −n · v ≤ (d − r)/h at its nearest point. The admissible
//! velocity nearest to the chosen one is taken ([`admissible_velocity`]). An edge of a body is a convex set, too: its
//! least advance along n, over its ends and with their slacks, takes the place of h n · v (`outline/hold`).
//! Guarantees: an admissible velocity exists in every round; agents without an overlap have none after the step, for
//! any model and any step, up to the rounding of coordinates. Not guaranteed: that agents in overlap come free. Cost:
//! O(gaps).

use super::outline::{DiscEdge, OutlineMotion, Outlines, least_advance};
use crate::steer::{HalfPlane, admissible_velocity};
use heurt_geometry::Vec2;
use rayon::prelude::*;
use smallvec::SmallVec;

/// Rounds: the third changes speeds in a dense queue by less than 2 %.
const ROUNDS: usize = 3;

/// Agents keep this share of their radius as a gap, so that rounding makes no overlap.
const MARGIN: f64 = 1e-9;

/// Roundings of a coordinate that the margin covers: of the place, its gap and its move.
const ROUNDINGS: f64 = 8.0;

/// An agent so near that both could touch in the step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    pub slot: u32,
    /// Unit vector from that agent.
    pub normal: Vec2,
    pub gap: f64,
}

/// Agents and walls that an agent could touch in the step.
#[derive(Debug, Clone, Default)]
pub(super) struct Touches {
    pub agents: SmallVec<[Touch; 6]>,
    /// Unit vectors from walls, and gaps.
    pub walls: SmallVec<[(Vec2, f64); 2]>,
    /// Edges of bodies.
    pub edges: SmallVec<[DiscEdge; 1]>,
}

/// The speed limit, the radius and the floor of an agent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Body {
    pub radius: f64,
    pub limit: f64,
    pub floor: u32,
}

/// The step, and what margins come from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Margins {
    /// Its duration, in seconds.
    pub step: f64,
    /// Rounding of coordinates, in metres.
    rounding: f64,
}

impl Margins {
    /// Returns the part of a gap that is free, in metres; `sizes` is the sum of the sizes of a pair: the same for both.
    pub fn free(&self, gap: f64, sizes: f64) -> f64 {
        (gap - MARGIN * sizes - self.rounding).max(0.0)
    }
}

/// The velocities of discs by slot, and the motions of bodies, of a round.
pub(super) struct Round {
    pub velocities: Vec<Vec2>,
    pub motions: Vec<OutlineMotion>,
}

/// Changes velocities so that the step ends without overlaps; returns those of discs by slot, and the motions of
/// bodies. `extent` is the largest coordinate, in metres.
pub(super) fn separate(
    chosen: &[Vec2],
    touches: &[Touches],
    bodies: &[Body],
    outlines: &Outlines,
    (step, extent): (f64, f64),
) -> Round {
    let margins = Margins { step, rounding: ROUNDINGS * f64::EPSILON * extent };
    let mut last = Round {
        velocities: vec![Vec2::ZERO; chosen.len()],
        motions: outlines.bodies.iter().map(OutlineMotion::rest).collect(),
    };
    for round in 0..ROUNDS {
        let disc = |slot: usize| {
            let (near, body) = (&touches[slot], bodies[slot]);
            if near.agents.is_empty() && near.walls.is_empty() && near.edges.is_empty() {
                return chosen[slot].clamp_length_max(body.limit);
            }
            let planes = planes_of_disc((slot, near), bodies, outlines, &last, margins);
            admissible_velocity(&planes, body.limit, chosen[slot]).unwrap_or(last.velocities[slot])
        };
        let velocities = (0..chosen.len()).into_par_iter().with_min_len(256).map(disc).collect();
        let body = |number: usize| outlines.next_motion(number, bodies, (&last, round == 0), margins);
        let motions = (0..outlines.bodies.len()).into_par_iter().map(body).collect();
        last = Round { velocities, motions };
    }
    last
}

/// Lists the half-planes of a disc: walls, agents, edges of bodies.
fn planes_of_disc(
    (slot, near): (usize, &Touches),
    bodies: &[Body],
    outlines: &Outlines,
    last: &Round,
    margins: Margins,
) -> SmallVec<[HalfPlane; 12]> {
    let (body, step) = (bodies[slot], margins.step);
    let mut planes: SmallVec<[HalfPlane; 12]> = SmallVec::new();
    for &(normal, gap) in &near.walls {
        planes.push(HalfPlane { normal, least: -margins.free(gap, body.radius) / step });
    }
    for touch in &near.agents {
        let other = touch.slot as usize;
        let half = 0.5 * margins.free(touch.gap, body.radius + bodies[other].radius) / step;
        let shared = 0.5 * touch.normal.dot(last.velocities[slot] + last.velocities[other]);
        planes.push(HalfPlane { normal: touch.normal, least: shared - half });
    }
    for edge in &near.edges {
        let theirs = &outlines.bodies[edge.body as usize];
        let half = 0.5 * margins.free(edge.gap, body.radius + theirs.rig.size) / step;
        let ends = theirs.rig.edges[edge.edge as usize];
        let away = least_advance(&last.motions[edge.body as usize].displacements, ends, -edge.normal, edge.slack);
        let shared = 0.5 * (edge.normal.dot(last.velocities[slot]) - away / step);
        planes.push(HalfPlane { normal: edge.normal, least: shared - half });
    }
    planes
}
