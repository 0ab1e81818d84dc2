//! The bodies of a page for the parts of agents.
//!
//! Method: after the scenery, first sections by the number of their agent, then all further sections, by agent and
//! section. Agents that were not there at the start have no body.

use super::agent_view::{AgentPart, PartForm};
use crate::wire::{AgentPlace, FrameWriter, write_agents, write_vertices};
use heurt_geometry::Vec3;

/// Which body of a page shows which part of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartBodies {
    /// Bodies that do not move come before.
    before: usize,
    /// First sections, by agent.
    agents: usize,
    /// Agent and section of all others.
    followers: Vec<(u32, u32)>,
}

impl PartBodies {
    /// Numbers the parts of the start, after `before` bodies that do not move.
    pub fn new(before: usize, parts: &[AgentPart]) -> Self {
        let agents = parts.iter().map(|part| part.agent as usize + 1).max().unwrap_or(0);
        let followers = parts.iter().filter(|part| part.section > 0).map(|part| (part.agent, part.section)).collect();
        Self { before, agents, followers }
    }

    /// Returns the number of all bodies, with those before.
    pub fn len(&self) -> usize {
        self.before + self.agents + self.followers.len()
    }

    /// Reports whether there is no body.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the body of a part; `None` for a part that was not there at the start.
    pub fn body_of(&self, agent: u32, section: u32) -> Option<usize> {
        if section == 0 {
            return Some(self.before + agent as usize).filter(|_| (agent as usize) < self.agents);
        }
        let follower = self.followers.binary_search(&(agent, section)).ok()?;
        Some(self.before + self.agents + follower)
    }

    /// Returns the agent and the section that a body shows.
    pub fn part_of(&self, body: usize) -> Option<(u32, u32)> {
        let number = body.checked_sub(self.before)?;
        let follower = number.checked_sub(self.agents).map(|place| self.followers.get(place).copied());
        follower.unwrap_or_else(|| Some((u32::try_from(number).ok()?, 0)))
    }

    /// Writes places, states, colours and moved vertices of all bodies; parts that are not there have left.
    pub fn write(&self, parts: &[AgentPart], frame: &mut FrameWriter) {
        let mut places: Vec<Option<AgentPlace>> = vec![None; self.len() - self.before];
        let mut moved: Vec<(usize, &[Vec3])> = Vec::new();
        for part in parts {
            let Some(body) = self.body_of(part.agent, part.section) else { continue };
            places[body - self.before] = Some(part.place);
            if let PartForm::Bent(vertices) = &part.form {
                moved.push((body, vertices));
            }
        }
        write_agents(frame, self.before, &places);
        write_vertices(frame, &moved);
    }
}
