//! Sight: the agents that an agent sees, and those it could touch in a step.
//!
//! In: a cell, an agent in it. Out: agents within reach; half-spaces of velocities.
//! Method: S4's: an agent sees the agents of its cell and of the cells next to it, which the cell's two lists have. The
//! lists are read once for all agents of a cell. In volumes that are no box, a search by distance takes their place.
//! Guarantees: every agent that an agent could touch is found. In a box with cells no narrower than the reach, every
//! agent within reach is found; with narrower ones ([`sees_next_cells_only`](super::SpaceSettings)) agents further than
//! the next cells are missed.

use super::SpaceCrowd;
use super::separate::{MARGIN, ROUNDINGS, VelocityHalfSpace};
use crate::crowd::measures::Overlaps;
use heurt_geometry::Vec3;
use heurt_map::registration::Visit;

/// The visible part of an agent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    pub position: Vec3,
    /// The velocity of the last step, in m/s.
    pub velocity: Vec3,
    pub radius: f64,
    /// The largest speed that it can reach, in m/s, before a step limits it.
    pub limit: f64,
    pub group: u32,
}

/// Buffers of a thread.
#[derive(Debug, Default)]
pub(super) struct SpaceSight {
    /// The cell whose lists were read.
    cell: Option<u32>,
    /// The agents of these lists.
    listed: Vec<(u32, Seen)>,
    visit: Visit,
    /// Agents within reach.
    pub near: Vec<Seen>,
    /// Unit vectors from walls, and distances from them to the centre.
    pub walls: Vec<(Vec3, f64)>,
    pub spaces: Vec<VelocityHalfSpace>,
}

impl SpaceSight {
    /// Forgets the lists that were read.
    pub fn begin(&mut self) {
        self.cell = None;
    }
}

impl SpaceCrowd {
    /// Finds what an agent sees and could touch; adds its overlaps.
    pub(super) fn look(&self, (id, cell): (u32, u32), step: f64, sight: &mut SpaceSight, overlaps: &mut Overlaps) {
        let own = self.seen[id as usize];
        let limit_of = |seen: &Seen| seen.limit.min(self.longest_move / step);
        let model = &self.models[own.group as usize];
        self.list_agents((id, cell), step, sight);
        let SpaceSight { listed, near, walls, spaces, .. } = sight;
        near.clear();
        walls.clear();
        spaces.clear();
        let rounding = ROUNDINGS * f64::EPSILON * self.extent;
        self.look_at_walls(&own, step, rounding, (walls, spaces));
        let limit = limit_of(&own);
        for (other_id, other) in listed.iter() {
            let radii = own.radius + other.radius;
            let reach = model.reach(radii).max(radii + (limit + limit_of(other)) * step);
            let offset = own.position - other.position;
            let square = offset.length_squared();
            if square > reach * reach || *other_id == id {
                continue;
            }
            near.push(*other);
            let distance = square.sqrt();
            let gap = distance - radii;
            if gap < 0.0 && id < *other_id {
                let smaller = (2.0 * own.radius.min(other.radius)).max(f64::MIN_POSITIVE);
                overlaps.add_pair([id, *other_id], -gap / smaller);
            }
            if gap <= (limit + limit_of(other)) * step && distance > 0.0 {
                // The same for both agents, so that their halves add up.
                let free = (gap - MARGIN * radii - rounding).max(0.0);
                spaces.push(VelocityHalfSpace { normal: offset / distance, least: -0.5 * free / step });
            }
        }
    }

    /// Lists the agents of the cell of an agent and of the cells next to it, or all within a distance.
    fn list_agents(&self, (id, cell): (u32, u32), step: f64, sight: &mut SpaceSight) {
        let point = self.agents[id as usize].point;
        let seen_of = |agent: u32| (agent, self.seen[agent as usize]);
        if self.walls.is_some() {
            if sight.cell == Some(cell) {
                return;
            }
            sight.cell = Some(cell);
            sight.listed.clear();
            if let Ok(around) = self.environment.surroundings(point) {
                let entities = around.particles.into_iter().flatten();
                sight.listed.extend(entities.map(|entity| seen_of(self.agent_of[entity.0 as usize])));
            }
            return;
        }
        let own = &self.seen[id as usize];
        let touched = own.radius + self.largest.radius + (own.limit + self.largest.limit) * step;
        let radius = self.models[own.group as usize].reach(own.radius + self.largest.radius).max(touched);
        let SpaceSight { listed, visit, .. } = sight;
        listed.clear();
        let add = |entity: heurt_map::registration::EntityId, _: f64| {
            listed.push(seen_of(self.agent_of[entity.0 as usize]));
        };
        // The point is registered, and the radius is a number: this cannot fail.
        let _ = self.environment.for_each_within(point, radius, visit, add);
    }

    /// Finds the walls of a box.
    fn look_at_walls(
        &self,
        own: &Seen,
        step: f64,
        rounding: f64,
        (walls, spaces): (&mut Vec<(Vec3, f64)>, &mut Vec<VelocityHalfSpace>),
    ) {
        let Some([low, high]) = self.walls else { return };
        let (near, far) = (own.position - low, high - own.position);
        let reach = own.radius + own.limit.min(self.longest_move / step) * step;
        for axis in 0..3 {
            for (away, distance) in [(Vec3::AXES[axis], near[axis]), (-Vec3::AXES[axis], far[axis])] {
                walls.push((away, distance));
                if distance <= reach {
                    let free = (distance - own.radius * (1.0 + MARGIN) - rounding).max(0.0);
                    spaces.push(VelocityHalfSpace { normal: away, least: -free / step });
                }
            }
        }
    }
}
