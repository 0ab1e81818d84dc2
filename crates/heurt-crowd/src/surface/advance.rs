//! The stages of a step on a surface: choices, moves, goals, cells.
//!
//! Method: choices are made in parallel from the state before the step. All moves are tracked, and pairs that would
//! overlap at their ends, or agents in walls, take half of their moves, then a quarter, then none; a pair that rests is
//! as before the step. Cells follow the density of agents up to a number of changes.
//! Guarantees: no step ends in an overlap, if none was there before. The same bits for any number of threads.

use super::body::{BodySection, BodyWish, SectionTouch, Side, do_overlap, overlaps_wall};
use super::route::{Bearing, bearing, turn};
use super::sight::{SurfaceSight, Touched};
use super::{Roamer, SurfaceCrowd};
use crate::crowd::measures::Overlaps;
use crate::space::admissible_velocity_in_space;
use crate::space::model::SpaceView;
use crate::space::sight::Seen;
use heurt_geometry::{SplitMix64, Vec2, Vec3};
use heurt_map::registration::{Density, PlannedMove, SurfacePoint};
use heurt_map::track::MoveEnd;
use rayon::prelude::*;

/// Agents that a thread takes at once.
const LEAST_AGENTS: usize = 16;

/// Seconds without headway after which an agent tries other directions, each for [`TRIAL`] seconds.
const PATIENCE: f64 = 1.0;
const TRIAL: f64 = 0.5;

/// An agent below this share of its speed makes no headway.
const SLOW: f64 = 0.1;

/// Seconds at less than 5 % of its speed after which an agent has stalled.
const STALLED: f64 = 5.0;

/// Moves below this share are not made.
const LEAST_SHARE: f64 = 0.25;

/// A velocity in a plane, and the agents that its agent could touch.
#[derive(Debug, Clone, Default)]
pub(super) struct Choice {
    /// A body has here the velocity that it would have alone.
    velocity: Vec3,
    bearing: Option<Bearing>,
    touched: Touched,
    /// The motion of a body.
    wish: Option<BodyWish>,
}

/// A tracked share of a chosen move.
#[derive(Debug, Clone)]
enum Trial {
    /// The agent rests.
    Rest,
    Disc {
        share: f64,
        plan: PlannedMove<SurfacePoint>,
    },
    Body {
        attempt: usize,
        sections: Vec<BodySection>,
    },
}

impl SurfaceCrowd<'_> {
    /// Lets each agent choose a velocity; returns the overlaps before the step.
    pub(super) fn choose(&mut self, step: f64) -> Overlaps {
        let this = &*self;
        let choose = |sight: &mut SurfaceSight, &id: &u32| {
            let mut overlaps = Overlaps::default();
            let agent = &this.agents[id as usize];
            let own_normal = this.ground.normal_of(agent.face);
            let field = this.field_of(agent).map(|target| this.paths.fields[target].as_ref());
            let bearing = bearing(this.ground, &this.walls, agent, field);
            let normal = bearing.normal;
            let seen = this.seen[id as usize];
            let own = Seen { velocity: turn(seen.velocity, own_normal, normal), ..seen };
            if agent.body.is_some() {
                let (wish, velocity) = this.choose_for_body(id, &bearing, step, sight, &mut overlaps).unzip();
                let (touched, velocity) = (std::mem::take(&mut sight.touched), velocity.unwrap_or_default());
                return (Choice { velocity, bearing: Some(bearing), touched, wish }, overlaps);
            }
            this.look(id, (&own, normal), step, sight, &mut overlaps);
            let limit = own.limit.min(this.longest_move / step);
            let way_out = sight.way_out.map(|(direction, _)| direction * limit);
            let preferred = way_out.unwrap_or_else(|| this.preferred(id, &bearing, step));
            let SurfaceSight { near, walls, spaces, touched, .. } = sight;
            let view = SpaceView { own, preferred, limit, step, near, walls };
            let wanted = this.models[own.group as usize].choose(&view);
            let velocity = admissible_velocity_in_space(spaces, limit, wanted);
            let velocity = velocity - normal * normal.dot(velocity);
            (Choice { velocity, bearing: Some(bearing), touched: std::mem::take(touched), wish: None }, overlaps)
        };
        let slots = self.order.par_iter().with_min_len(LEAST_AGENTS);
        let (choices, overlaps): (Vec<Choice>, Vec<Overlaps>) = slots.map_init(SurfaceSight::default, choose).unzip();
        self.choices = choices;
        overlaps.into_iter().fold(Overlaps::default(), Overlaps::with)
    }

    /// Finds the overlaps of the present state.
    pub(super) fn find_overlaps(&self) -> Overlaps {
        let look = |sight: &mut SurfaceSight, &id: &u32| {
            let mut overlaps = Overlaps::default();
            let own = self.seen[id as usize];
            let normal = self.ground.normal_of(self.agents[id as usize].face);
            // A step so short that only agents that overlap touch.
            if self.agents[id as usize].body.is_some() {
                self.look_round(id, f64::MIN_POSITIVE, sight, &mut overlaps);
            } else {
                self.look(id, (&own, normal), f64::MIN_POSITIVE, sight, &mut overlaps);
            }
            overlaps
        };
        let slots = self.order.par_iter().with_min_len(LEAST_AGENTS);
        slots.map_init(SurfaceSight::default, look).reduce(Overlaps::default, Overlaps::with)
    }

    /// Returns the field of the present target of an agent.
    pub(super) fn target_of(&self, agent: &Roamer) -> Option<usize> {
        self.paths.targets[agent.group as usize].get(agent.stage as usize).map(|&target| target as usize)
    }

    /// Returns the field by which an agent goes to its present target: of wide paths, where it is on one.
    pub(super) fn field_of(&self, agent: &Roamer) -> Option<usize> {
        let wide = self.paths.wide_targets[agent.group as usize].get(agent.stage as usize).copied().flatten();
        let wide = wide.filter(|_| self.ground.wide_at(agent.radius, agent.face).is_some());
        let leads = |field: &u32| self.paths.fields[*field as usize].distance_at(agent.face, agent.position).is_some();
        wide.filter(leads).map(|field| field as usize).or_else(|| self.target_of(agent))
    }

    /// Returns the velocity that an agent would have alone.
    pub(super) fn preferred(&self, id: u32, bearing: &Bearing, step: f64) -> Vec3 {
        let agent = &self.agents[id as usize];
        let (Some(direction), Some(target)) = (bearing.direction, self.target_of(agent)) else { return Vec3::ZERO };
        // The path is no shorter than the chord.
        let chord = agent.position.distance(self.paths.target_places[target]);
        let speed = agent.speed.min(chord / step);
        if agent.slow <= PATIENCE {
            return direction * speed;
        }
        // Tries directions to both sides, the wider the longer it has been stuck.
        let trial = (self.time / TRIAL) as u64;
        let seed = self.settings.seed ^ u64::from(id).wrapping_mul(0x9e37_79b9) ^ trial.wrapping_mul(0x85eb_ca6b_0000);
        let width = std::f64::consts::PI * (agent.slow / (8.0 * PATIENCE)).min(1.0);
        let angle = width * SplitMix64::new(seed).between(-1.0, 1.0);
        (direction * libm::cos(angle) + bearing.normal.cross(direction) * libm::sin(angle)) * speed
    }

    /// Moves all agents as far as none overlaps, and registers them.
    pub(super) fn move_agents(&mut self, step: f64) {
        let trials = self.settle(step);
        for (slot, trial) in trials.into_iter().enumerate() {
            let id = self.order[slot];
            let before = self.agents[id as usize].position;
            let arrived = match trial {
                Trial::Rest => {
                    self.measures.note_move(0);
                    self.rest_body(id);
                    None
                }
                Trial::Disc { share, plan } => {
                    let made = self.environment.make_move(&plan).ok();
                    self.measures.note_move(made.map_or(0, |made| made.registered));
                    self.agents[id as usize].position = plan.position().at;
                    (plan.end() == MoveEnd::Arrived).then_some(share)
                }
                Trial::Body { sections, .. } => {
                    self.move_body(id, sections, step);
                    let registered = self.follow_body(id);
                    self.measures.note_move(registered);
                    None
                }
            };
            let Choice { velocity, bearing: Some(bearing), .. } = self.choices[slot] else { continue };
            self.look_ahead(id, velocity, &bearing);
            let agent = &self.agents[id as usize];
            let face = match agent.body {
                Some(_) => agent.face,
                None => self.environment.cell_of(agent.point).map_or(agent.face, |cell| self.faces[cell as usize]),
            };
            let normal = self.ground.normal_of(face);
            let made = arrived.map_or((agent.position - before) / step, |share| velocity * share);
            let agent = &mut self.agents[id as usize];
            agent.arrive((made, turn(made, bearing.normal, normal)), bearing.direction, step);
            if agent.stalled >= STALLED - 1e-9 {
                self.measures.note_stalled(id);
            }
        }
        self.look_up_faces();
    }

    /// Writes down the sections of a body after a move, and the velocities of its corners.
    fn move_body(&mut self, id: u32, sections: Vec<BodySection>, step: f64) {
        let Some(number) = self.agents[id as usize].body else { return };
        let body = &mut self.bodies[number as usize];
        for ((velocities, before), after) in body.velocities.iter_mut().zip(&body.sections).zip(&sections) {
            let corners = before.corners.iter().zip(&after.corners);
            velocities.iter_mut().zip(corners).for_each(|(velocity, (from, to))| *velocity = (*to - *from) / step);
        }
        let shapes = body.sections[0].shape.iter().zip(&sections[0].shape);
        body.soft.iter_mut().zip(shapes).for_each(|(velocity, (from, to))| *velocity = (*to - *from) / step);
        body.sections = sections;
    }

    /// Writes down that a body has not moved.
    fn rest_body(&mut self, id: u32) {
        let Some(number) = self.agents[id as usize].body else { return };
        let body = &mut self.bodies[number as usize];
        body.velocities.iter_mut().flatten().for_each(|velocity| *velocity = Vec3::ZERO);
        body.soft.iter_mut().for_each(|velocity| *velocity = Vec2::ZERO);
    }

    /// Tracks all moves, and shortens them until no two agents overlap and none is in a wall.
    fn settle(&self, step: f64) -> Vec<Trial> {
        let slots = (0..self.order.len()).into_par_iter().with_min_len(LEAST_AGENTS);
        let mut trials: Vec<Trial> = slots.clone().map(|slot| self.track(slot, None, step)).collect();
        loop {
            let known = &trials;
            let shortened: Vec<(usize, Trial)> = slots
                .clone()
                .filter(|&slot| self.is_bad(slot, known, step))
                .map(|slot| (slot, self.track(slot, Some(&known[slot]), step)))
                .collect();
            if shortened.is_empty() {
                return trials;
            }
            shortened.into_iter().for_each(|(slot, trial)| trials[slot] = trial);
        }
    }

    /// Tracks the move of an agent, or the next smaller share after one that was tried.
    fn track(&self, slot: usize, last: Option<&Trial>, step: f64) -> Trial {
        let (id, choice) = (self.order[slot], &self.choices[slot]);
        if let (Some(body), Some(wish)) = (self.body_of(id), &choice.wish) {
            let from = if let Some(Trial::Body { attempt, .. }) = last { attempt + 1 } else { 0 };
            let made = wish.attempt(self.ground, body, from);
            return made.map_or(Trial::Rest, |(attempt, sections)| Trial::Body { attempt, sections });
        }
        let share = if let Some(Trial::Disc { share, .. }) = last { 0.5 * share } else { 1.0 };
        let (point, velocity) = (self.agents[id as usize].point, choice.velocity);
        let Ok(particle) = self.environment.particle(point) else { return Trial::Rest };
        if share < LEAST_SHARE || velocity == Vec3::ZERO {
            return Trial::Rest;
        }
        let target = particle.position.at + velocity * (share * step);
        let plan = self.environment.plan_move(point, target.into()).ok();
        plan.map_or(Trial::Rest, |plan| Trial::Disc { share, plan })
    }

    /// Returns a disc or a section as it would be after a trial.
    fn side_after<'a>(&'a self, id: u32, section: u32, trials: &'a [Trial]) -> Side<'a> {
        match &trials[self.slot_of[id as usize] as usize] {
            Trial::Rest => self.side_of(id, section),
            Trial::Disc { plan, .. } => {
                let normal = self.ground.normal_of(self.faces[plan.cell() as usize]);
                Side::Disc { place: plan.position().at, normal, radius: self.agents[id as usize].radius }
            }
            Trial::Body { sections, .. } => Side::Section(&sections[section as usize]),
        }
    }

    /// Reports whether a move ends in a wall or in an overlap; an agent that rests has not moved into any.
    fn is_bad(&self, slot: usize, trials: &[Trial], step: f64) -> bool {
        let id = self.order[slot];
        if matches!(trials[slot], Trial::Rest) {
            return false;
        }
        let overlaps = |touch: &SectionTouch| {
            let own = self.side_after(id, touch.own, trials);
            let other = self.side_after(touch.other, touch.section, trials);
            if id < touch.other { do_overlap(&own, &other) } else { do_overlap(&other, &own) }
        };
        if self.choices[slot].touched.iter().any(overlaps) {
            return true;
        }
        match &trials[slot] {
            Trial::Rest => false,
            Trial::Disc { plan, .. } => {
                let face = self.faces[plan.cell() as usize];
                self.walls.distance(face, plan.position().at) < self.agents[id as usize].radius
            }
            Trial::Body { sections, .. } => {
                let is_over =
                    |section: &BodySection| self.walls.near(section.face).any(|wall| overlaps_wall(section, wall));
                self.moves_too_far(id, sections, step) || sections.iter().any(is_over)
            }
        }
    }

    /// Reports whether an origin of a section has moved further than others expect.
    fn moves_too_far(&self, id: u32, sections: &[BodySection], step: f64) -> bool {
        let Some(body) = self.body_of(id) else { return false };
        let most = self.most_of(id, step) * (1.0 + 1e-9);
        body.sections.iter().zip(sections).any(|(before, after)| before.origin.distance(after.origin) > most)
    }

    /// Lets agents at their targets go on, or leave.
    pub(super) fn reach_targets(&mut self) {
        let has_reached = |&id: &u32| {
            let agent = &self.agents[id as usize];
            let target = self.target_of(agent)?;
            let place = self.paths.target_places[target];
            // A body is at its target with any part of its first section: several could not have their middles there.
            let (reach, is_over) = self.body_of(id).map_or((agent.within, true), |body| {
                let head = &body.sections[0];
                let around = Side::Disc { place, normal: head.normal, radius: agent.within };
                (agent.within + head.circle, do_overlap(&Side::Section(head), &around))
            });
            // The path is no shorter than the chord.
            let is_near = is_over && agent.position.distance(place) <= reach;
            let length =
                is_near.then(|| self.paths.fields[target].distance_at(agent.face, agent.position)).flatten()?;
            (length <= reach).then_some(id)
        };
        let mut reached: Vec<u32> = self.order.iter().filter_map(has_reached).collect();
        reached.sort_unstable();
        self.left.clear();
        for &id in &reached {
            let agent = &mut self.agents[id as usize];
            let group = agent.group as usize;
            agent.stage += 1;
            if (agent.stage as usize) < self.paths.targets[group].len() {
                continue;
            }
            if self.has_rounds[group] {
                agent.stage = 0;
                continue;
            }
            self.measures.note_arrival(self.time);
            let entities = match agent.body {
                Some(body) => self.bodies[body as usize].points.iter().map(|(entity, _)| *entity).collect(),
                None => vec![agent.entity],
            };
            for entity in entities {
                // The entity is registered: removal cannot fail.
                let _ = self.environment.remove(entity);
            }
            self.left.push(id);
        }
        if !self.left.is_empty() {
            self.order.retain(|id| self.left.binary_search(id).is_err());
        }
    }

    /// Lets cells follow the density of agents.
    pub(super) fn adapt(&mut self, most_changes: usize) {
        let mut density = Density { finest: self.finest, ..self.settings.density };
        let adapted = self.environment.adapt(&mut density, most_changes);
        for change in &adapted.changes {
            // Numbers of cells may be used again: the face is read first.
            let face = change.before.first().map_or(0, |&cell| self.faces[cell as usize]);
            for &cell in &change.after {
                if cell as usize >= self.faces.len() {
                    self.faces.resize(cell as usize + 1, 0);
                }
                self.faces[cell as usize] = face;
            }
        }
    }

    /// Writes down the face of each agent, and the part of the face that it is on.
    fn look_up_faces(&mut self) {
        for &id in &self.order {
            let agent = &mut self.agents[id as usize];
            if agent.body.is_some() {
                continue;
            }
            let Ok(particle) = self.environment.particle(agent.point) else { continue };
            agent.place = particle.place;
            if let Ok(cell) = self.environment.cell_of(agent.point) {
                agent.face = self.faces[cell as usize];
            }
        }
    }

    /// Sorts agents by cell, and writes down what is seen of them.
    pub(super) fn sort(&mut self) {
        self.look_up_faces();
        let cell_of = |&id: &u32| (self.environment.cell_of(self.agents[id as usize].point).unwrap_or(0), id);
        let mut cells: Vec<(u32, u32)> = self.order.iter().map(cell_of).collect();
        cells.sort_unstable();
        self.order.clear();
        self.order.extend(cells.iter().map(|&(_, id)| id));
        self.slot_of.resize(self.agents.len(), u32::MAX);
        for (slot, &id) in (0u32..).zip(&self.order) {
            self.slot_of[id as usize] = slot;
        }
        let panic = self.settings.panic;
        let see = |agent: &Roamer| Seen {
            position: agent.position,
            velocity: agent.velocity,
            radius: agent.radius,
            limit: panic * agent.speed,
            group: agent.group,
        };
        self.seen.clear();
        self.seen.extend(self.agents.iter().map(see));
        let is_disc = |id: &&u32| self.agents[**id as usize].body.is_none();
        let all = self.order.iter().filter(is_disc).map(|&id| &self.seen[id as usize]);
        let [radius, limit] = all.fold([0.0, 0.0], |[r, v], seen| [f64::max(r, seen.radius), f64::max(v, seen.limit)]);
        self.largest = Seen { radius, limit, position: Vec3::ZERO, velocity: Vec3::ZERO, group: 0 };
        let bodies =
            self.order.iter().filter_map(|&id| Some((self.body_of(id)?.rig.reach(), self.seen[id as usize].limit)));
        self.largest_body = bodies.fold((0.0, 0.0), |(r, v), (reach, limit)| (f64::max(r, reach), f64::max(v, limit)));
        let reaches = self.order.iter().filter_map(|&id| Some(self.body_of(id)?.ahead.reach));
        self.longest_ahead = reaches.fold(0.0, f64::max);
    }
}

impl Roamer {
    /// Takes a velocity after a move: in the plane before, and turned into the plane after.
    fn arrive(&mut self, (before, after): (Vec3, Vec3), direction: Option<Vec3>, step: f64) {
        self.velocity = after;
        // Between two paths of one length an agent may go to and fro, and make headway in each step but none in all.
        self.drift += (after - self.drift) * (step / PATIENCE).min(1.0);
        let least = SLOW * self.speed;
        let is_slow = direction.is_some_and(|direction| before.dot(direction) < least || self.drift.length() < least);
        self.slow = if is_slow && self.speed > 0.0 { self.slow + step } else { 0.0 };
        let is_stalled = direction.is_some() && self.speed > 0.0 && before.length() < 0.05 * self.speed;
        self.stalled = if is_stalled { self.stalled + step } else { 0.0 };
    }
}
