//! Separation: velocities that leave no overlap at the end of a step, for any chosen velocities.
//!
//! In: chosen velocities, gaps between agents and to walls, a step h. Out: velocities.
//! Method: for agents i and j with the gap g and the unit vector n from j to i, the step ends without overlap if
//! n · (vᵢ − vⱼ) ≥ −g/h, since the distance along n bounds the distance. Each takes half: n · vᵢ ≥ −g/(2h), which rest
//! fulfils. Each further round shifts the border by the mean velocity along n of the round before, so that agents
//! follow each other closely: n · vᵢ ≥ −g/(2h) + n · (uᵢ + uⱼ)/2. The two halves add up to the same condition, and the
//! velocity uᵢ of the round before fulfils them. A wall allows −n · v ≤ (d − r)/h at its nearest point. The admissible
//! velocity nearest to the chosen one is taken ([`admissible_velocity`]).
//! Guarantees: an admissible velocity exists in every round; agents without an overlap have none after the step, for
//! any model and any step, up to the rounding of coordinates. Not guaranteed: that agents in overlap come free. Cost:
//! O(gaps).

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
}

/// The speed limit, the radius and the floor of an agent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Body {
    pub radius: f64,
    pub limit: f64,
    pub floor: u32,
}

/// Changes velocities so that the step ends without overlaps.
/// `extent` is the largest coordinate, in metres.
pub(super) fn separate(chosen: &[Vec2], touches: &[Touches], bodies: &[Body], (step, extent): (f64, f64)) -> Vec<Vec2> {
    let rounding = ROUNDINGS * f64::EPSILON * extent;
    let mut last: Vec<Vec2> = Vec::new();
    for round in 0..ROUNDS {
        let shared = |slot: usize, other: usize, normal: Vec2| match round {
            0 => 0.0,
            _ => 0.5 * normal.dot(last[slot] + last[other]),
        };
        let next: Vec<Vec2> = (0..chosen.len())
            .into_par_iter()
            .with_min_len(256)
            .map(|slot| {
                let (near, body) = (&touches[slot], bodies[slot]);
                if near.agents.is_empty() && near.walls.is_empty() {
                    return chosen[slot].clamp_length_max(body.limit);
                }
                let mut planes: SmallVec<[HalfPlane; 12]> = SmallVec::new();
                for &(normal, gap) in &near.walls {
                    let margin = MARGIN * body.radius + rounding;
                    planes.push(HalfPlane { normal, least: -(gap - margin).max(0.0) / step });
                }
                for touch in &near.agents {
                    // The same for both agents, so that their halves add up.
                    let margin = MARGIN * (body.radius + bodies[touch.slot as usize].radius) + rounding;
                    let half = 0.5 * (touch.gap - margin).max(0.0) / step;
                    let least = shared(slot, touch.slot as usize, touch.normal) - half;
                    planes.push(HalfPlane { normal: touch.normal, least });
                }
                let known = if round == 0 { Vec2::ZERO } else { last[slot] };
                admissible_velocity(&planes, body.limit, chosen[slot]).unwrap_or(known)
            })
            .collect();
        last = next;
    }
    last
}
