//! Replanning: detours around crowds and slow ground.
//!
//! In: the agents of each coarse cell, the routes. Out: for an agent a path that is clearly quicker than its shortest
//! one, or none.
//! Method: at intervals the densities everywhere are read from the coarse levels of the cells. The time of a metre is
//! by Weidmann's speed at the density or, in a crowd, by the speed of the people there if it is lower: before a narrow
//! door it is lower than the curve has it. Quickest paths to all goals are computed with these times
//! ([`TimeField`]). Each agent compares the quickest path with its shortest one once an interval, and takes it only for
//! a clear gain; the agents of an interval do so one after another, so that not all of them change at once.
//! Guarantees: the same for any number of threads. Detours are free paths. Not guaranteed: that the detour is still the
//! quickest one when an agent is there. Cost: O(n log n) in the triangles for each goal an interval, and a path for
//! each agent.

use super::exits::CLEAR_GAIN;
use super::route::Routes;
use super::{Agent, Crowd};
use crate::Ground;
use crate::ground::Patches;
use crate::measure::{WEIDMANN_FREE_SPEED, weidmann_speed};
use crate::navigation::{DistanceField, Heading, TimeField, TimeMesh};
use heurt_geometry::{SplitMix64, Vec3};
use rayon::prelude::*;

/// The least share of the free speed that a crowd leaves: a jam moves on after all.
const LEAST_SHARE: f64 = 0.05;

/// From this density on, in persons a square metre, the speeds of people count too: persons who are alone may have
/// other reasons to be slow.
const CROWDED: f64 = 1.0;

/// The path of an agent that does not take the shortest one.
#[derive(Debug, Default)]
pub(super) struct Detour {
    /// Its bends that are still ahead, and its end; empty for an agent without a detour.
    pub path: Vec<Vec3>,
    /// When the agent compares paths again, in seconds of the run.
    compares_at: f64,
}

/// Quickest paths of a crowd.
#[derive(Debug)]
pub(super) struct Replanning {
    /// In seconds.
    interval: f64,
    next: f64,
    patches: Patches,
    /// By navigation mesh: its triangles; `None` if they cannot be made.
    meshes: Vec<Option<TimeMesh>>,
    /// By navigation mesh and triangle: the time that a metre takes, 1 at free speed.
    slowness: Vec<Vec<f64>>,
    /// By number of the distance field.
    fields: Vec<Option<TimeField>>,
}

impl Replanning {
    pub fn new(interval: f64, ground: &Ground, routes: &Routes) -> Self {
        let meshes = routes.meshes().par_iter().map(|mesh| mesh.time_mesh(ground)).collect();
        let patches = Patches::new(ground);
        Self { interval, next: 0.0, patches, meshes, slowness: Vec::new(), fields: Vec::new() }
    }

    /// Returns the state of an agent at first: agents share out the interval.
    pub fn first_detour(&self, id: u32) -> Detour {
        Detour { path: Vec::new(), compares_at: self.interval * SplitMix64::new(u64::from(id)).unit() }
    }
}

impl Crowd {
    /// Computes the quickest paths if the interval is over.
    pub(super) fn replan(&mut self) {
        let Some(plan) = self.replanning.as_ref().filter(|plan| self.time >= plan.next) else { return };
        let densities = plan.patches.densities(&self.environment);
        let speeds = plan.patches.means(self.present.iter().filter_map(|&id| self.headway(id)));
        let share = |(density, speed): (f64, Option<f64>)| {
            let by_density = weidmann_speed(density) / WEIDMANN_FREE_SPEED;
            let seen = speed.filter(|_| density >= CROWDED).unwrap_or(1.0);
            by_density.min(seen).max(LEAST_SHARE)
        };
        let shares: Vec<f64> = densities.into_iter().zip(speeds).map(share).collect();
        let Some(plan) = self.replanning.as_mut() else { return };
        plan.next = self.time + plan.interval;
        let slowness = |mesh: &Option<TimeMesh>| mesh.as_ref().map_or_else(Vec::new, |mesh| mesh.slowness(&shares));
        plan.slowness = plan.meshes.iter().map(slowness).collect();
        let (meshes, slowness) = (&plan.meshes, &plan.slowness);
        let fields: Vec<_> = self.routes.fields().collect();
        let quickest = |&(mesh, field): &(usize, &DistanceField)| {
            meshes[mesh].as_ref().map(|times| TimeField::new(times, field.goal(), &slowness[mesh]))
        };
        plan.fields = fields.par_iter().map(quickest).collect();
    }

    /// Returns the speed of an agent along its path as a share of its own speed, and the quarter of the ground that it
    /// is in; `None` if it rests.
    fn headway(&self, id: u32) -> Option<(u32, f64)> {
        let agent = &self.agents[id as usize];
        let towards = agent.towards.filter(|_| self.time >= agent.reaction && !agent.waits)?;
        let direction = (towards.truncate() - agent.position).normalize_or_zero();
        let own_speed = self.own_speed(agent);
        let share = (own_speed > 0.0).then(|| agent.velocity.dot(direction) / own_speed)?;
        Some((self.ground.quarter_near(agent.place())?, share.clamp(0.0, 1.0)))
    }

    /// Finds the detour of an agent to its present exit, and the heading along it; bends that it has passed are left
    /// out. `None` if it takes the shortest path.
    pub(super) fn find_detour(&self, agent: &Agent) -> Option<(Vec<Vec3>, Heading)> {
        let plan = self.replanning.as_ref()?;
        let place = agent.place();
        let (mesh, number, field) =
            self.routes.field_of(agent.group as usize, agent.goal as usize, agent.exit.exit())?;
        let (navigation, times) = (&self.routes.meshes()[mesh], plan.meshes[mesh].as_ref()?);
        let mut path = if self.compares_paths(agent) {
            let slowness = &plan.slowness[mesh];
            let quick = plan.fields.get(number)?.as_ref()?.path(times, place, slowness);
            let shortest = navigation.path(field, place);
            if quick.is_empty() || shortest.is_empty() {
                return None;
            }
            let limit = if agent.detour.path.is_empty() { CLEAR_GAIN } else { 1.0 };
            let [quick_time, time] = [&quick, &shortest].map(|path| times.time_of(place, path, slowness));
            // A time that is no number is no gain.
            let is_quicker = quick_time <= limit * time;
            if !is_quicker {
                return None;
            }
            quick
        } else {
            agent.detour.path.clone()
        };
        let flat = |place: Vec3| place.truncate();
        let is_passed = |bend: Vec3, next: Vec3| {
            let is_there = flat(bend).distance(flat(place)) <= agent.radius;
            is_there || flat(next).distance(flat(place)) < flat(next).distance(flat(bend))
        };
        while let [bend, next, ..] = path[..]
            && is_passed(bend, next)
            && navigation.is_free(place, next)
        {
            path.remove(0);
        }
        // A detour that the agent was pushed off is over.
        let [towards, ..] = path[..] else { return None };
        if !navigation.is_free(place, towards) {
            return None;
        }
        let length = |leg: &[Vec3]| flat(leg[0]).distance(flat(leg[1]));
        let rest: f64 = path.windows(2).map(length).sum();
        let distance = flat(place).distance(flat(towards)) + rest;
        Some((path, Heading { towards, distance }))
    }

    /// Reports whether an agent compares paths now.
    fn compares_paths(&self, agent: &Agent) -> bool {
        self.time >= agent.detour.compares_at
    }

    /// Keeps the detour of an agent, or none. `has_compared` is false if the agent has changed its exit since.
    pub(super) fn keep_detour(&mut self, id: u32, path: Vec<Vec3>, has_compared: bool) {
        let Some(plan) = &self.replanning else { return };
        let (time, interval) = (self.time, plan.interval);
        let detour = &mut self.agents[id as usize].detour;
        if has_compared && time >= detour.compares_at {
            detour.compares_at = time + interval;
        }
        detour.path = path;
    }
}
