//! The stages of a step in space: choices, moves, departures, cells.
//!
//! Method: choices are made in parallel from the state before the step. Moves are tracked in parallel and registered in
//! order of slots, since moves change no cells. Cells follow the density of agents up to a number of changes.
//! Guarantees: the same bits for any number of threads.

use super::model::SpaceView;
use super::separate::admissible_velocity_in_space;
use super::sight::{Seen, SpaceSight};
use super::{Flyer, SpaceCrowd, SpaceGoals};
use crate::crowd::measures::Overlaps;
use heurt_geometry::{SplitMix64, Vec3};
use heurt_map::registration::{Density, PlannedMove};
use rayon::prelude::*;

/// Slots that are handled together: the lists of a cell are read once for its agents in a block.
const BLOCK: usize = 64;

/// Agents that a thread takes at once where each takes less than a microsecond.
const LEAST_AGENTS: usize = 256;

/// Seconds without headway after which an agent tries other directions, each for [`TRIAL`] seconds.
const PATIENCE: f64 = 1.0;
const TRIAL: f64 = 0.5;

/// An agent below this share of its speed makes no headway.
const SLOW: f64 = 0.1;

/// Seconds at less than 5 % of its speed after which an agent has stalled.
const STALLED: f64 = 5.0;

/// A step that passes a goal within this distance, in metres, reaches it, if the radius is no larger.
const NEAR_GOAL: f64 = 0.1;

impl SpaceCrowd {
    /// Lets each agent choose a velocity that leads to no overlap; returns the overlaps before the step.
    pub(super) fn choose(&mut self, step: f64) -> Overlaps {
        let mut chosen = std::mem::take(&mut self.chosen);
        chosen.clear();
        chosen.resize(self.order.len(), Vec3::ZERO);
        let this = &*self;
        let choose = |sight: &mut SpaceSight, (block, chosen): (usize, &mut [Vec3])| {
            let mut overlaps = Overlaps::default();
            sight.begin();
            for (place, chosen) in chosen.iter_mut().enumerate() {
                let (cell, id) = this.cells[block * BLOCK + place];
                this.look((id, cell), step, sight, &mut overlaps);
                let own = this.seen[id as usize];
                let limit = own.limit.min(this.longest_move / step);
                let preferred = this.preferred(id, step);
                let view = SpaceView { own, preferred, limit, step, near: &sight.near, walls: &sight.walls };
                let wanted = this.models[own.group as usize].choose(&view);
                *chosen = admissible_velocity_in_space(&sight.spaces, limit, wanted);
            }
            overlaps
        };
        let blocks = chosen.par_chunks_mut(BLOCK).enumerate();
        let overlaps = blocks.map_init(SpaceSight::default, choose).reduce(Overlaps::default, Overlaps::with);
        self.chosen = chosen;
        overlaps
    }

    /// Finds the overlaps of the present state.
    pub(super) fn find_overlaps(&self) -> Overlaps {
        let look = |sight: &mut SpaceSight, cells: &[(u32, u32)]| {
            let mut overlaps = Overlaps::default();
            sight.begin();
            // A step so short that only agents that overlap touch.
            cells.iter().for_each(|&(cell, id)| self.look((id, cell), f64::MIN_POSITIVE, sight, &mut overlaps));
            overlaps
        };
        let blocks = self.cells.par_chunks(BLOCK);
        blocks.map_init(SpaceSight::default, look).reduce(Overlaps::default, Overlaps::with)
    }

    /// Returns the velocity that an agent would have alone.
    fn preferred(&self, id: u32, step: f64) -> Vec3 {
        let agent = &self.agents[id as usize];
        let (direction, speed) = match (self.goals[agent.group as usize], agent.goal) {
            (SpaceGoals::FlyOn, _) => (agent.velocity.try_normalize().unwrap_or(agent.course), agent.speed),
            (_, Some(goal)) => {
                let offset = goal - agent.position;
                (offset.normalize_or_zero(), agent.speed.min(offset.length() / step))
            }
            _ => return Vec3::ZERO,
        };
        if agent.slow <= PATIENCE {
            return direction * speed;
        }
        // Tries directions to all sides, the wider the longer it has been stuck.
        let trial = (self.time / TRIAL) as u64;
        let seed = self.settings.seed ^ u64::from(id).wrapping_mul(0x9e37_79b9) ^ trial.wrapping_mul(0x85eb_ca6b_0000);
        let mut random = SplitMix64::new(seed);
        let width = std::f64::consts::PI * (agent.slow / (8.0 * PATIENCE)).min(1.0);
        let (angle, turn) = (width * random.unit(), std::f64::consts::TAU * random.unit());
        let (along, across) = direction.any_orthonormal_pair();
        let aside = along * libm::cos(turn) + across * libm::sin(turn);
        (direction * libm::cos(angle) + aside * libm::sin(angle)) * speed
    }

    /// Moves all agents and registers them.
    pub(super) fn move_agents(&mut self, step: f64) {
        let this = &*self;
        let plan = |(&(_, id), &velocity): (&(u32, u32), &Vec3)| {
            let agent = &this.agents[id as usize];
            this.environment.plan_move(agent.point, agent.position + velocity * step).ok()
        };
        let slots = this.cells.par_iter().zip(&this.chosen).with_min_len(LEAST_AGENTS);
        let plans: Vec<Option<PlannedMove<Vec3>>> = slots.map(plan).collect();
        for (slot, plan) in plans.iter().enumerate() {
            let made = plan.as_ref().and_then(|plan| self.environment.make_move(plan).ok());
            self.measures.note_move(made.map_or(0, |made| made.registered));
            let id = self.cells[slot].1;
            let agent = &mut self.agents[id as usize];
            let target = agent.position + self.chosen[slot] * step;
            let position = plan.map_or(agent.position, |plan| plan.position());
            // At a border of volumes a move ends before its target.
            let velocity = if position == target { self.chosen[slot] } else { (position - agent.position) / step };
            agent.arrive(position, velocity, step);
            if agent.stalled >= STALLED - 1e-9 {
                self.measures.note_stalled(id);
            }
        }
    }

    /// Lets agents at their goals leave.
    pub(super) fn leave(&mut self) {
        let is_there = |id: &u32| {
            let agent = &self.agents[*id as usize];
            agent.goal.is_some_and(|goal| {
                distance_to_segment(goal, agent.before, agent.position) <= agent.radius.max(NEAR_GOAL)
            })
        };
        let mut left: Vec<u32> = self.order.iter().copied().filter(is_there).collect();
        left.sort_unstable();
        for &id in &left {
            self.measures.note_arrival(self.time);
            // The entity is registered: removal cannot fail.
            let _ = self.environment.remove(self.agents[id as usize].entity);
        }
        if !left.is_empty() {
            self.order.retain(|id| left.binary_search(id).is_err());
        }
        self.left = left;
    }

    /// Lets cells follow the density of agents.
    pub(super) fn adapt(&mut self, most_changes: usize) {
        let mut density = Density { finest: self.finest, ..self.settings.density };
        self.environment.adapt(&mut density, most_changes);
    }

    /// Sorts agents by cell, and writes down what is seen of them.
    pub(super) fn sort(&mut self) {
        let Self { environment, agents, order, cells, seen, settings, models: _, .. } = self;
        let cell_of = |&id: &u32| (environment.cell_of(agents[id as usize].point).unwrap_or(0), id);
        order.par_iter().with_min_len(LEAST_AGENTS).map(cell_of).collect_into_vec(cells);
        cells.sort_unstable();
        order.clear();
        order.extend(cells.iter().map(|&(_, id)| id));
        let see = |agent: &Flyer| Seen {
            position: agent.position,
            velocity: agent.velocity,
            radius: agent.radius,
            limit: settings.panic * agent.speed,
            group: agent.group,
        };
        agents.par_iter().with_min_len(LEAST_AGENTS).map(see).collect_into_vec(seen);
        let largest = self.order.iter().map(|&id| &self.seen[id as usize]);
        let [radius, limit] =
            largest.fold([0.0, 0.0], |[r, v], seen| [f64::max(r, seen.radius), f64::max(v, seen.limit)]);
        self.largest = super::Largest { radius, limit };
    }
}

impl Flyer {
    /// Takes the state after a move.
    fn arrive(&mut self, position: Vec3, velocity: Vec3, step: f64) {
        self.before = self.position;
        (self.position, self.velocity) = (position, velocity);
        let direction = self.goal.map(|goal| (goal - self.before).normalize_or_zero());
        let is_slow = direction.is_some_and(|direction| velocity.dot(direction) < SLOW * self.speed);
        self.slow = if is_slow && self.speed > 0.0 { self.slow + step } else { 0.0 };
        let is_stalled = self.goal.is_some() && self.speed > 0.0 && velocity.length() < 0.05 * self.speed;
        self.stalled = if is_stalled { self.stalled + step } else { 0.0 };
    }
}

fn distance_to_segment(point: Vec3, from: Vec3, to: Vec3) -> f64 {
    let along = to - from;
    let square = along.length_squared();
    let part = if square > 0.0 { ((point - from).dot(along) / square).clamp(0.0, 1.0) } else { 0.0 };
    point.distance(from + along * part)
}
