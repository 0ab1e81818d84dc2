//! The stages of a step: paths, choices, departures, cells. Moves are in `moves`.

use super::cells::CellSearch;
use super::exits::ExitOption;
use super::measures::Overlaps;
use super::outline::NO_BODY;
use super::route::Outlook;
use super::separate::{Body, Touches};
use super::sight::Sight;
use super::{Agent, CellPolicy, Crowd, DENSITY, LOOK_INTERVAL, NO_SLOT};
use crate::navigation::Heading;
use crate::steer::{AgentView, NearAgent, keep_time_gap, step_aside};
use heurt_geometry::{SplitMix64, Vec2};
use heurt_map::registration::PlaneEnvironment;
use heurt_map::{CombinatorialMap, Orbit};
use rayon::prelude::*;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// Seconds without headway after which an agent tries other directions, each for [`TRIAL`] seconds.
const PATIENCE: f64 = 1.0;
const TRIAL: f64 = 0.5;

/// Agents that a thread takes at once where each takes less than a microsecond.
pub(super) const LEAST_AGENTS: usize = 512;

/// Slots that are handled together: a cell is searched once for all of its agents in a block.
const BLOCK: usize = 128;

/// Slots are put in order of place after this many steps, so that neighbours are close in memory.
const STEPS_BETWEEN_SORTS: u64 = 64;

/// The most cells of a fixed size: their lists and numbers take a gigabyte or two.
const MAX_FIXED_CELLS: usize = 1_000_000;

impl Crowd {
    /// Updates the headings of agents that are due.
    pub(super) fn update_headings(&mut self, step: f64) {
        let due = |&id: &u32| {
            let agent = &self.agents[id as usize];
            let is_near = agent.towards.is_none_or(|towards| {
                towards.truncate().distance_squared(agent.position) <= (agent.radius + agent.speed * step).powi(2)
            });
            agent.look <= 0.0 || is_near
        };
        // In order of number: each choice counts for the next.
        let due = self.numbers_of(due);
        let look = |&id: &u32| {
            let agent = &self.agents[id as usize];
            let (group, own) = (agent.group as usize, agent.own_goal.as_deref());
            if agent.goal as usize >= self.routes.count_goals(group) {
                return Outlook::default();
            }
            let outlook = self.routes.look(group, agent.goal as usize, own, agent.place());
            Outlook { detour: self.find_detour(agent), ..outlook }
        };
        let options_of = |id: u32, outlook: &Outlook, search: &mut CellSearch| {
            let option =
                |(exit, path): &(u32, Heading)| ExitOption { exit: *exit, distance: path.distance, followed: 0.0 };
            let mut options: SmallVec<[ExitOption; 4]> = outlook.exits.iter().map(option).collect();
            self.count_bound(id, &mut options, search);
            options
        };
        let look_and_count = |search: &mut CellSearch, id: &u32| {
            let outlook = look(id);
            let options = options_of(*id, &outlook, search);
            (outlook, options)
        };
        let outlooks: Vec<(Outlook, SmallVec<[ExitOption; 4]>)> =
            due.par_iter().with_min_len(64).map_init(CellSearch::default, look_and_count).collect();
        for (&id, (Outlook { heading, path, exits, detour }, mut options)) in due.iter().zip(outlooks) {
            self.keep_known(id, &mut options);
            let agent = &mut self.agents[id as usize];
            if let (Some(own), Some(path)) = (&mut agent.own_goal, path) {
                own.keep_path(path);
            }
            let before = agent.exit.exit();
            let place = self.exits.choose(&mut agent.exit, &options, agent.speed);
            let chosen = place.map(|place| options[place].exit);
            let chosen = exits.iter().find(|(exit, _)| Some(*exit) == chosen).map(|(_, heading)| *heading);
            // A detour leads to the exit that was chosen before.
            let is_same = agent.exit.exit() == before;
            let (detour, along) = detour.filter(|_| is_same).unzip();
            let heading = along.or(chosen).or(heading);
            agent.towards = heading.map(|heading| heading.towards);
            let leaves = !self.routes.has_rounds(agent.group as usize);
            agent.waits = leaves && self.exits.are_limited() && heading.is_some_and(|heading| heading.distance <= 0.0);
            if agent.waits {
                let (group, goal) = (agent.group as usize, agent.goal as usize);
                let place = self.routes.waiting_place(group, goal, agent.exit.exit(), agent.place());
                agent.towards = place.or(agent.towards);
            }
            agent.distance = heading.map_or(0.0, |heading| heading.distance);
            agent.look = LOOK_INTERVAL;
            self.keep_detour(id, detour.unwrap_or_default(), is_same);
        }
    }

    /// Lists the numbers of present agents that fulfil a condition, ascending.
    fn numbers_of(&self, condition: impl Fn(&u32) -> bool + Sync + Send) -> Vec<u32> {
        // Agents are read in the order of the memory.
        let found = self.order.par_iter().with_min_len(LEAST_AGENTS).copied().filter(&condition);
        let mut numbers: Vec<u32> = found.collect();
        if !self.flows.is_empty() {
            numbers.extend(self.present.iter().filter(|&&id| !self.is_individual(id) && condition(&id)));
        }
        numbers.par_sort_unstable();
        numbers
    }

    /// Returns the speed at which an agent walks undisturbed: its own at the pace of the floor, less what
    /// keeps its party together.
    pub(super) fn own_speed(&self, agent: &Agent) -> f64 {
        let alone = agent.pace * agent.speed;
        self.party_of(agent).map_or(alone, |party| party.speed(agent, alone))
    }

    /// Returns the velocity that an agent would have alone.
    pub(super) fn preferred(&self, id: u32, step: f64) -> Vec2 {
        let agent = &self.agents[id as usize];
        let Some(towards) = agent.towards.filter(|_| self.time >= agent.reaction) else { return Vec2::ZERO };
        let (towards, own_speed) = (towards.truncate(), self.own_speed(agent));
        let offset = towards - agent.position;
        // Agents that slow down at the border of an area could stop a rounding before it.
        let stops = agent.waits || self.routes.stops_at(agent.group as usize, agent.own_goal.as_deref(), towards);
        let speed = if stops { own_speed.min(offset.length() / step) } else { own_speed };
        let direction = offset.normalize_or_zero();
        if agent.slow <= PATIENCE {
            return direction * speed;
        }
        // Tries directions to both sides, the wider the longer it has been stuck, at last back: arches at doors break.
        let trial = (self.time / TRIAL) as u64;
        let seed = self.settings.seed ^ u64::from(id).wrapping_mul(0x9e37_79b9) ^ trial.wrapping_mul(0x85eb_ca6b_0000);
        let width = std::f64::consts::PI * (agent.slow / (8.0 * PATIENCE)).min(1.0);
        let angle = width * SplitMix64::new(seed).between(-1.0, 1.0);
        Vec2::new(libm::cos(angle), libm::sin(angle)).rotate(direction) * speed
    }

    /// Finds the overlaps of the present state.
    pub(super) fn find_overlaps(&self) -> Overlaps {
        let model = self.settings.model.policy();
        let mut touches = vec![Touches::default(); self.order.len()];
        touches.par_chunks_mut(BLOCK).enumerate().for_each_init(Sight::default, |sight, (block, touches)| {
            sight.begin();
            for (place, touches) in touches.iter_mut().enumerate() {
                let slot = block * BLOCK + place;
                if self.is_disc(slot) {
                    self.look(slot, 0.0, model, sight, touches);
                }
            }
        });
        overlaps_of(&touches, &self.order, &self.bodies).with(self.find_overlaps_of_bodies())
    }

    /// Lets each agent choose a velocity.
    pub(super) fn choose(&mut self, step: f64) {
        let count = self.order.len();
        let mut chosen = std::mem::take(&mut self.chosen);
        let mut touches = std::mem::take(&mut self.touches);
        let mut yielding = std::mem::take(&mut self.yielding);
        yielding.clear();
        yielding.resize(count, 0.0);
        chosen.clear();
        chosen.resize(count, Vec2::ZERO);
        touches.resize_with(count, Touches::default);
        let this = &*self;
        let model = this.settings.model.policy();
        let side = this.settings.side.or(model.side());
        let results = chosen.par_chunks_mut(BLOCK).zip(touches.par_chunks_mut(BLOCK));
        let blocks = results.zip(yielding.par_chunks_mut(BLOCK)).enumerate();
        blocks.for_each_init(Sight::default, |sight, (block, ((chosen, touches), yielding))| {
            sight.begin();
            for (place, ((chosen, touches), yielding)) in chosen.iter_mut().zip(touches).zip(yielding).enumerate() {
                let slot = block * BLOCK + place;
                if !this.is_disc(slot) {
                    *touches = Touches::default();
                    continue;
                }
                this.look(slot, step, model, sight, touches);
                let (seen, body) = (this.seen[slot], this.bodies[slot]);
                let mut view = AgentView {
                    position: seen.position,
                    velocity: seen.velocity,
                    radius: seen.radius,
                    group: seen.group,
                    preferred: this.preferred(this.order[slot], step),
                    limit: body.limit,
                    step,
                    agents: &sight.agents,
                    walls: &sight.walls,
                    edges: &sight.edges.near,
                };
                if let Some(way_out) = sight.edges.way_out() {
                    view.preferred = way_out * view.limit;
                }
                if let Some(side) = side {
                    (view.preferred, *yielding) = step_aside(&view, side);
                }
                let wanted = model.choose(&view);
                let time_gap = this.settings.time_gap;
                *chosen = time_gap.map_or(wanted, |time_gap| keep_time_gap(&view, wanted, time_gap));
            }
        });
        if side.is_some() {
            for (&id, &share) in self.order.iter().zip(&yielding) {
                self.agents[id as usize].yielding = share;
            }
        }
        (self.chosen, self.touches, self.yielding) = (chosen, touches, yielding);
    }

    /// Reports whether the agent of a slot is a disc.
    fn is_disc(&self, slot: usize) -> bool {
        self.places[slot].is_finite()
    }

    /// Lets agents at a goal turn to the next, and those at the last leave.
    pub(super) fn leave(&mut self) {
        let mut left = std::mem::take(&mut self.left);
        let is_there = |id: &u32| {
            let agent = &self.agents[*id as usize];
            let (group, goal, own) = (agent.group as usize, agent.goal as usize, agent.own_goal.as_deref());
            goal < self.routes.count_goals(group)
                && self.routes.is_at_goal(group, goal, own, (agent.before, agent.place()))
        };
        let there = self.numbers_of(is_there);
        for id in there {
            let agent = &mut self.agents[id as usize];
            let (group, goals) = (agent.group as usize, self.routes.count_goals(agent.group as usize));
            let before = agent.goal;
            let step = (agent.before, agent.place());
            while (agent.goal as usize) < goals
                && self.routes.is_at_goal(group, agent.goal as usize, agent.own_goal.as_deref(), step)
            {
                let next = self.routes.goal_after(group, agent.goal, &mut agent.tour.clone());
                if next as usize == goals && self.exits.are_limited() {
                    let exit = self.routes.exit_at(group, agent.goal as usize, step);
                    if exit.is_some_and(|exit| !self.exits.lets_out(exit)) {
                        break;
                    }
                }
                agent.goal = self.routes.goal_after(group, agent.goal, &mut agent.tour);
                if self.routes.has_rounds(group) {
                    break;
                }
            }
            if agent.goal != before {
                self.exits.forget(&mut agent.exit);
                agent.detour.path.clear();
                agent.towards = None;
            }
            if goals > 0 && agent.goal as usize == goals {
                left.push(id);
                self.measures.note_arrival(self.time);
                if agent.body != NO_BODY {
                    self.outlines.remove(agent.body, &mut self.environment);
                }
                // The entity is registered: removal cannot fail.
                let _ = self.environment.remove(agent.entity);
                self.slots[id as usize] = NO_SLOT;
            }
        }
        if !left.is_empty() {
            let mut gone = left.iter().peekable();
            self.present.retain(|id| gone.next_if_eq(&id).is_none());
            let is_gone = |id: &u32| left.binary_search(id).is_ok();
            self.order.retain(|id| !is_gone(id));
        }
        self.left = left;
    }

    /// Refines cells that are larger than the settings let them be, if these fix the size.
    pub(super) fn fix_cells(&mut self) {
        let CellPolicy::Fixed { side } = self.settings.cells else { return };
        let mut waiting: VecDeque<u32> = self.environment.cells().collect();
        let mut count = waiting.len();
        while let Some(cell) = waiting.pop_front().filter(|_| count < MAX_FIXED_CELLS) {
            if area_of(&self.environment, cell) <= side * side {
                continue;
            }
            // Cells at the least level that can be represented stay as they are.
            let Ok(change) = self.environment.refine(cell) else { continue };
            self.cells.update(&self.ground, &self.environment, &change);
            count += change.after.len() - 1;
            waiting.extend(change.after);
        }
    }

    /// Lets cells follow the density of agents, unless the settings fix their size.
    pub(super) fn adapt(&mut self) {
        if self.settings.cells != CellPolicy::Adaptive {
            return;
        }
        let adapted = self.environment.adapt(&mut DENSITY.clone(), usize::MAX);
        for change in &adapted.changes {
            self.cells.update(&self.ground, &self.environment, change);
        }
    }

    /// Sorts agents by cell, and writes down what the agents of each slot are.
    pub(super) fn sort(&mut self) {
        let is_due = self.steps.is_multiple_of(STEPS_BETWEEN_SORTS);
        if is_due {
            self.order.clear();
            self.order.extend(self.present.iter().filter(|&&id| self.agents[id as usize].stay.reservoir.is_none()));
            let [low, _] = self.ground.bounds();
            let code = |id: &u32| morton(self.agents[*id as usize].position - low);
            self.order.sort_by_cached_key(code);
        }
        let cell_of = |&id: &u32| (id, self.environment.cell_of(self.agents[id as usize].point).unwrap_or(0));
        let agents: Vec<(u32, u32)> = self.order.par_iter().with_min_len(LEAST_AGENTS).map(cell_of).collect();
        self.cells.sort(&agents, &mut self.order);
        if !self.flows.is_empty() {
            // Individuals have entered flows.
            self.slots.fill(NO_SLOT);
        }
        for (slot, &id) in self.order.iter().enumerate() {
            self.slots[id as usize] = slot as u32;
        }
        if is_due {
            self.agents.arrange(&self.order);
        }
        let (paces, ground, cells, slots) = (&self.paces, &self.ground, &self.cells, &self.slots);
        self.agents.par_iter_mut().with_min_len(LEAST_AGENTS).for_each(|(id, agent)| {
            let Some(&cell) = cells.cell_of.get(slots[id as usize] as usize) else { return };
            agent.take_pace(paces, ground, cells.zones(cell));
        });
        self.set_paces_of_flows();
        self.note_seen();
    }

    /// Writes down what the agents of each slot are.
    fn note_seen(&mut self) {
        let (panic, time, agents) = (self.settings.panic, self.time, &self.agents);
        self.places.resize(self.order.len(), Vec2::ZERO);
        self.seen.resize(self.order.len(), NearAgent::new(Vec2::ZERO, Vec2::ZERO, 0.0, 0));
        self.bodies.resize(self.order.len(), Body::default());
        let slots = self.order.par_iter().with_min_len(LEAST_AGENTS).zip(&mut self.places);
        slots.zip(&mut self.seen).zip(&mut self.bodies).for_each(|(((&id, place), seen), body)| {
            let agent = &agents[id as usize];
            let has_begun = time >= agent.reaction;
            let towards = agent.towards.filter(|_| has_begun);
            // Bodies are found by their edges, and not among the places of discs.
            *place = if agent.body == NO_BODY { agent.position } else { Vec2::INFINITY };
            *seen = NearAgent {
                position: agent.position,
                velocity: agent.velocity,
                radius: agent.radius,
                group: agent.group,
                heading: towards.map_or(Vec2::ZERO, |to| (to.truncate() - agent.position).normalize_or_zero()),
                yielding: agent.yielding,
            };
            // Agents that have not reacted yet stay where they are.
            let limit = if has_begun { panic * agent.pace * agent.speed } else { 0.0 };
            *body = Body { radius: agent.radius, limit, floor: agent.floor };
        });
        self.largest = Body::default();
        self.outlines.top_speed = 0.0;
        for (body, place) in self.bodies.iter().zip(&self.places) {
            if !place.is_finite() {
                // Its tips turn as fast as it drives.
                self.outlines.top_speed = self.outlines.top_speed.max(2.0 * body.limit);
                continue;
            }
            self.largest.radius = self.largest.radius.max(body.radius);
            self.largest.limit = self.largest.limit.max(body.limit);
        }
        self.grid.update(&self.places);
        self.outlines.register_boxes();
        let (agents, model) = (&self.agents, self.settings.model.policy());
        let (radius, velocity) = (self.largest.radius, |agent: u32| agents[agent as usize].velocity);
        self.outlines.note_edges(radius, velocity, |length, speed| model.edge_reach(2.0 * radius, length, speed));
    }
}

/// Computes the area of a cell in plan, in square metres.
fn area_of(environment: &PlaneEnvironment, cell: u32) -> f64 {
    let (map, positions) = (environment.map().map(), environment.geometry().positions());
    let Some(dart) = environment.dart(cell) else { return 0.0 };
    let corners: SmallVec<[Vec2; 8]> =
        map.face_darts(dart).map(|dart| positions[map.id(Orbit::Vertex, dart) as usize]).collect();
    let Some(&first) = corners.first() else { return 0.0 };
    0.5 * corners.windows(2).map(|side| (side[0] - first).perp_dot(side[1] - first)).sum::<f64>().abs()
}

/// Interleaves the bits of a place, in cells of a quarter of a metre.
pub(super) fn morton(offset: Vec2) -> u64 {
    let spread = |x: f64| {
        let mut bits = (4.0 * x).clamp(0.0, f64::from(u32::MAX)) as u64;
        for (shift, mask) in [
            (16, 0x0000_ffff_0000_ffff_u64),
            (8, 0x00ff_00ff_00ff_00ff),
            (4, 0x0f0f_0f0f_0f0f_0f0f),
            (2, 0x3333_3333_3333_3333),
            (1, 0x5555_5555_5555_5555),
        ] {
            bits = (bits | (bits << shift)) & mask;
        }
        bits
    };
    spread(offset.x) | (spread(offset.y) << 1)
}

/// Collects the overlaps of agents with each other and with walls.
pub(super) fn overlaps_of(touches: &[Touches], order: &[u32], bodies: &[Body]) -> Overlaps {
    let add = |mut overlaps: Overlaps, (slot, near): (usize, &Touches)| {
        let radius = bodies[slot].radius;
        for touch in near.agents.iter().filter(|touch| touch.gap < 0.0 && order[touch.slot as usize] > order[slot]) {
            let smaller = radius.min(bodies[touch.slot as usize].radius);
            let share = -touch.gap / (2.0 * smaller).max(f64::MIN_POSITIVE);
            overlaps.add_pair([order[slot], order[touch.slot as usize]], share);
        }
        for &(_, gap) in near.walls.iter().filter(|(_, gap)| *gap < 0.0) {
            overlaps.add_wall(-gap / (2.0 * radius).max(f64::MIN_POSITIVE));
        }
        overlaps
    };
    let slots = touches.par_iter().enumerate().with_min_len(LEAST_AGENTS);
    slots.fold(Overlaps::default, add).reduce(Overlaps::default, Overlaps::with)
}
