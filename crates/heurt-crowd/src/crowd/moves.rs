//! Moves: agents go where their velocities lead, and are registered there.
//!
//! In: velocities by slot. Out: places, velocities, times without headway.
//! Method: all moves are tracked in parallel, since no agent changes the cells that another one walks through. Agents
//! are then registered in order of slots, which changes lists of cells only where one has left its cell. At last each
//! agent gets its new state, again in parallel.
//! Guarantees: the same bits for any number of threads. Cost: O(agents).

use super::advance::LEAST_AGENTS;
use super::outline::OutlineMotion;
use super::separate::Round;
use super::{Agent, Crowd};
use heurt_geometry::Vec2;
use heurt_map::registration::PlannedMove;
use heurt_map::track::MoveEnd;
use rayon::prelude::*;

/// An agent below this share of its speed makes no headway.
const SLOW: f64 = 0.1;

/// Seconds at less than 5 % of its speed after which an agent has stalled.
const STALLED: f64 = 5.0;

/// The move of an agent.
#[derive(Debug)]
pub(super) struct AgentMove {
    /// `None` for a target that cannot be tracked: the agent stays where it is.
    plan: Option<PlannedMove<Vec2>>,
    position: Vec2,
    floor: u32,
    height: f64,
    velocity: Vec2,
    /// The speed at which it would walk undisturbed, in m/s.
    own_speed: f64,
}

impl Crowd {
    /// Moves the corners of bodies and registers their edges.
    pub(super) fn move_bodies(&mut self, motions: &[OutlineMotion], step: f64) {
        self.outlines.follow(motions, step, &mut self.environment);
        self.outlines.find_floors(&self.environment, &self.cells);
    }

    /// Moves all agents and registers them.
    pub(super) fn move_agents(&mut self, round: Round, step: f64) {
        let Round { mut velocities, motions } = round;
        for (body, motion) in self.outlines.bodies.iter().zip(&motions).filter(|(body, _)| body.is_present) {
            velocities[self.slots[body.agent as usize] as usize] = motion.shift / step;
        }
        let mut moves = std::mem::take(&mut self.moves);
        let this = &*self;
        let plan = |(&id, &velocity): (&u32, &Vec2)| this.plan_move(id, velocity, step);
        this.order.par_iter().zip(&velocities).with_min_len(LEAST_AGENTS).map(plan).collect_into_vec(&mut moves);
        moves.iter().for_each(|moved| self.register(moved));
        let (time, routes, slots) = (self.time, &self.routes, &self.slots);
        let update = |(id, agent): (u32, &mut Agent)| {
            let moved = moves.get(slots[id as usize] as usize)?;
            let has_goal = (agent.goal as usize) < routes.count_goals(agent.group as usize);
            agent.arrive(moved, has_goal, time, step);
            (agent.stalled >= STALLED - 1e-9).then_some(id)
        };
        let stalled: Vec<u32> = self.agents.par_iter_mut().with_min_len(LEAST_AGENTS).filter_map(update).collect();
        stalled.into_iter().for_each(|id| self.measures.note_stalled(id));
        self.moves = moves;
    }

    /// Moves an agent to a point, or as far as it gets, and registers it.
    pub(super) fn move_to(&mut self, id: u32, target: Vec2, step: f64) {
        let velocity = (target - self.agents[id as usize].position) / step;
        let moved = self.plan_move_to(id, target, velocity, step);
        self.register(&moved);
        self.agents[id as usize].take_place(&moved);
    }

    fn register(&mut self, moved: &AgentMove) {
        let made = moved.plan.as_ref().and_then(|plan| self.environment.make_move(plan).ok());
        self.measures.note_move(made.map_or(0, |made| made.registered));
    }

    fn plan_move(&self, id: u32, velocity: Vec2, step: f64) -> AgentMove {
        let agent = &self.agents[id as usize];
        // Bodies have moved: their agents are where they are.
        let body = self.outlines.bodies.get(agent.body as usize);
        let target = body.map_or(agent.position + velocity * step, |body| body.pose.place);
        self.plan_move_to(id, target, velocity, step)
    }

    fn plan_move_to(&self, id: u32, target: Vec2, velocity: Vec2, step: f64) -> AgentMove {
        let agent = &self.agents[id as usize];
        let plan = self.environment.plan_move(agent.point, target).ok();
        let position = plan.map_or(agent.position, |plan| plan.position());
        let floor = plan.map_or(agent.floor, |plan| self.cells.floor(plan.cell()));
        let is_there = plan.is_some_and(|plan| plan.end() == MoveEnd::Arrived);
        AgentMove {
            plan,
            position,
            floor,
            height: self.ground.floors()[floor as usize].height_at(position),
            velocity: if is_there { velocity } else { (position - agent.position) / step },
            own_speed: self.own_speed(agent),
        }
    }
}

impl Agent {
    /// Takes the place after a move.
    fn take_place(&mut self, moved: &AgentMove) {
        self.before = self.position;
        (self.position, self.floor, self.height) = (moved.position, moved.floor, moved.height);
        self.velocity = moved.velocity;
    }

    /// Takes the state after a move.
    fn arrive(&mut self, moved: &AgentMove, has_goal: bool, time: f64, step: f64) {
        self.take_place(moved);
        self.look -= step;
        // Members of a party that wait for others are not in a jam; exits with a largest flow and full flows
        // have queues.
        let wants = time >= self.reaction && moved.own_speed > 0.0 && !self.stay.is_held && !self.waits;
        let direction = self.towards.map(|towards| (towards.truncate() - self.before).normalize_or_zero());
        let is_slow = direction.is_some_and(|direction| self.velocity.dot(direction) < SLOW * moved.own_speed);
        self.slow = if wants && is_slow { self.slow + step } else { 0.0 };
        let is_stalled = self.velocity.length() < 0.05 * moved.own_speed;
        self.stalled = if wants && has_goal && is_stalled { self.stalled + step } else { 0.0 };
    }
}
