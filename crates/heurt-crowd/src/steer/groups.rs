//! Groups as one large entity: people who walk closely together are avoided as a disc (He et al. 2020; S4 §8.2.1).
//!
//! In: an agent and the agents near it. Out: agents, with a disc in place of each group.
//! Method: agents of one group number, not the own one, whose gap and difference of velocity are small belong together,
//! also through others. Three or more become the disc round their mean place, with their mean velocity.
//! Guarantees: an agent never avoids its own group so, nor a group whose disc it is in, nor a disc above the largest
//! radius. Not guaranteed: members out of sight count. Cost: O(neighbours²).

use super::{AgentView, NearAgent};
use heurt_geometry::Vec2;
use smallvec::SmallVec;

/// Members from which people are a group: two are a pair that others pass as two.
const LEAST_MEMBERS: usize = 3;

/// Rules by which people are a group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupAvoidance {
    /// Largest gap between neighbours in a group, in metres.
    pub gap: f64,
    /// Largest difference of their velocities, in m/s.
    pub difference: f64,
    /// Largest radius of a disc, in metres: a corridor of 3 m has no room for more and an agent.
    pub radius: f64,
}

impl Default for GroupAvoidance {
    /// Half a metre, 0.3 m/s, 1 m.
    fn default() -> Self {
        Self { gap: 0.5, difference: 0.3, radius: 1.0 }
    }
}

impl GroupAvoidance {
    fn are_together(&self, a: &NearAgent, b: &NearAgent) -> bool {
        a.group == b.group
            && a.position.distance(b.position) - a.radius - b.radius <= self.gap
            && a.velocity.distance(b.velocity) <= self.difference
    }

    /// Replaces groups near an agent by discs; the nearest first.
    pub fn merge(&self, view: &AgentView<'_>) -> SmallVec<[NearAgent; 16]> {
        let agents = view.agents;
        let mut merged: SmallVec<[NearAgent; 16]> = SmallVec::new();
        let mut is_taken: SmallVec<[bool; 16]> = agents.iter().map(|agent| agent.group == view.group).collect();
        merged.extend(agents.iter().filter(|agent| agent.group == view.group).copied());
        for first in 0..agents.len() {
            if is_taken[first] {
                continue;
            }
            is_taken[first] = true;
            let mut members: SmallVec<[usize; 16]> = SmallVec::new();
            members.push(first);
            let mut next = 0;
            while next < members.len() {
                let from = &agents[members[next]];
                for other in 0..agents.len() {
                    if !is_taken[other] && self.are_together(from, &agents[other]) {
                        is_taken[other] = true;
                        members.push(other);
                    }
                }
                next += 1;
            }
            match self.disc(view, agents, &members) {
                Some(disc) => merged.push(disc),
                None => merged.extend(members.iter().map(|&member| agents[member])),
            }
        }
        let gap = |agent: &NearAgent| agent.position.distance(view.position) - agent.radius;
        merged.sort_by(|a, b| gap(a).total_cmp(&gap(b)));
        merged
    }

    fn disc(&self, view: &AgentView<'_>, agents: &[NearAgent], members: &[usize]) -> Option<NearAgent> {
        if members.len() < LEAST_MEMBERS {
            return None;
        }
        let mean = |value: &dyn Fn(&NearAgent) -> Vec2| {
            members.iter().fold(Vec2::ZERO, |sum, &member| sum + value(&agents[member])) / members.len() as f64
        };
        let position = mean(&|agent| agent.position);
        let radius = |&member: &usize| agents[member].position.distance(position) + agents[member].radius;
        let radius = members.iter().map(radius).fold(0.0, f64::max);
        let is_outside = view.position.distance(position) > radius + view.radius;
        let disc = NearAgent { position, velocity: mean(&|agent| agent.velocity), radius, ..agents[members[0]] };
        (is_outside && radius <= self.radius).then_some(disc)
    }
}
