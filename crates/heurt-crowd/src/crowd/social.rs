//! Social traits: groups that stay together, persons that follow others, knowledge of exits.
//!
//! In: the agents present, with their paths. Out: for a party, the agents that stay together, its exit and its pace;
//! for a person the exits that it may choose.
//! Method: an agent waits when its path is more than [`WAITING`] shorter than the path of the last of its party,
//! and walks at the pace of the slowest unless it is more than [`LAGGING`] behind the first. All take the exit of the
//! agent with the lowest number. Persons within [`SIGHT`], from cell to cell, count as seen.
//! Guarantees: all read the state before the choices, so that they are the same for any number of threads. Not
//! guaranteed: parties in passages too narrow to get on at the back. Cost: O(agents) a step for parties,
//! O(agents in sight) an update for followers.

use super::cells::CellSearch;
use super::exits::ExitOption;
use super::{Agent, AgentGroup, Crowd, CrowdFault, SpeedLaw};
use heurt_geometry::Vec2;
use smallvec::SmallVec;
use std::collections::HashSet;

/// An agent waits when its path is this much shorter than the path of the last of its party, in metres.
const WAITING: f64 = 2.0;

/// An agent whose path is this much longer than the path of the first of its party walks at its own speed, in
/// metres.
const LAGGING: f64 = 1.0;

/// Persons this near are followed, in metres.
const SIGHT: f64 = 10.0;

/// The state of a party.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartyState {
    /// The lowest number of its agents.
    leader: u32,
    /// The goal of the last agent, its path to it, its place.
    last: (u32, f64, Vec2),
    /// The goal of the first agent, and its path.
    first: (u32, f64),
    /// The least speed of its agents, in m/s.
    slowest: f64,
}

impl PartyState {
    fn of(id: u32, agent: &Agent) -> Self {
        let (goal, distance) = (agent.goal, agent.distance);
        let last = (goal, distance, agent.position);
        Self { leader: id, last, first: (goal, distance), slowest: agent.pace * agent.speed }
    }

    fn with(mut self, id: u32, agent: &Agent) -> Self {
        let (goal, distance) = (agent.goal, agent.distance);
        self.leader = self.leader.min(id);
        if goal < self.last.0 || goal == self.last.0 && distance > self.last.1 {
            self.last = (goal, distance, agent.position);
        }
        if goal > self.first.0 || goal == self.first.0 && distance < self.first.1 {
            self.first = (goal, distance);
        }
        self.slowest = self.slowest.min(agent.pace * agent.speed);
        self
    }

    /// Returns the speed of an agent of the party that would walk at `speed` alone, in m/s.
    pub fn speed(&self, agent: &Agent, speed: f64) -> f64 {
        let (goal, distance, place) = self.last;
        let lead = if goal == agent.goal { distance - agent.distance } else { agent.position.distance(place) };
        let lags = self.first.0 > agent.goal || agent.distance - self.first.1 > LAGGING;
        if lead > WAITING {
            0.0
        } else if lags {
            speed
        } else {
            speed.min(self.slowest)
        }
    }
}

/// Numbers the parties: groups of one word.
pub(super) fn parties_of(groups: &[AgentGroup]) -> Vec<Option<u32>> {
    let mut words: Vec<&str> = Vec::new();
    let mut parties = Vec::with_capacity(groups.len());
    for group in groups {
        parties.push(group.social.together.as_deref().map(|word| {
            let known = words.iter().position(|other| *other == word);
            known.unwrap_or_else(|| {
                words.push(word);
                words.len() - 1
            }) as u32
        }));
    }
    parties
}

/// Reports for each group whether its agents hold up a party: they have a speed of 0, and agents of another group of
/// the party have one above 0. Such groups are added to the faults.
pub(super) fn find_brakes(groups: &[AgentGroup], faults: &mut Vec<CrowdFault>) -> Vec<bool> {
    let rests = |group: &AgentGroup| {
        let SpeedLaw { mean, deviation, most, .. } = group.speed;
        most == 0.0 || mean == 0.0 && deviation == 0.0 && group.speed.least == 0.0
    };
    let moving: HashSet<&str> =
        groups.iter().filter(|group| !rests(group)).filter_map(|group| group.social.together.as_deref()).collect();
    let is_brake = |group: &AgentGroup| {
        let is_party = group.social.together.as_deref().is_some_and(|word| moving.contains(word));
        let is_brake = is_party && group.count() > 0 && rests(group);
        if is_brake {
            let expected = "more than 0 m/s: those who stay together walk at the pace of the slowest";
            faults.push(CrowdFault::BadNumber { group: group.name.clone(), what: "speed", value: 0.0, expected });
        }
        is_brake
    };
    groups.iter().map(is_brake).collect()
}

impl Crowd {
    /// Finds the state of each party.
    pub(super) fn find_parties(&mut self) {
        let count = self.parties.iter().flatten().max().map_or(0, |last| *last as usize + 1);
        if count == 0 {
            return;
        }
        let mut states = std::mem::take(&mut self.party_states);
        states.clear();
        states.resize(count, None);
        for &id in &self.present {
            let agent = &self.agents[id as usize];
            if let Some(party) = self.parties[agent.group as usize] {
                let state: &mut Option<PartyState> = &mut states[party as usize];
                *state = Some(state.map_or_else(|| PartyState::of(id, agent), |state| state.with(id, agent)));
            }
        }
        self.party_states = states;
    }

    /// Returns the state of the party of an agent.
    pub(super) fn party_of(&self, agent: &Agent) -> Option<&PartyState> {
        let party = self.parties[agent.group as usize]?;
        self.party_states.get(party as usize)?.as_ref()
    }

    /// Finds the share of the persons in sight that are bound to each exit.
    pub(super) fn count_bound(&self, id: u32, options: &mut [ExitOption], search: &mut CellSearch) {
        let agent = &self.agents[id as usize];
        // Persons in flows see no others.
        if self.social[agent.group as usize].follow <= 0.0 || !self.is_individual(id) {
            return;
        }
        search.reset();
        let cell = self.environment.cell_of(agent.point).unwrap_or(0);
        let mut seen = 0_u32;
        let mut bound: SmallVec<[u32; 4]> = smallvec::smallvec![0; options.len()];
        for &[from, to] in search.within(&self.cells, &self.environment, cell, SIGHT) {
            for &other in &self.order[from as usize..to as usize] {
                let other_agent = &self.agents[other as usize];
                let places = [(agent.floor, agent.position), (other_agent.floor, other_agent.position)];
                let is_level = self.ground.are_level(places[0], places[1]);
                if other == id || !is_level || other_agent.position.distance(agent.position) > SIGHT {
                    continue;
                }
                seen += 1;
                let place = options.iter().position(|option| Some(option.exit) == other_agent.exit.exit());
                if let Some(place) = place {
                    bound[place] += 1;
                }
            }
        }
        for (option, count) in options.iter_mut().zip(bound) {
            option.followed = if seen > 0 { f64::from(count) / f64::from(seen) } else { 0.0 };
        }
    }

    /// Leaves the exits that an agent may choose: the exit of its party, or exits that it knows or follows others to.
    pub(super) fn keep_known(&self, id: u32, options: &mut SmallVec<[ExitOption; 4]>) {
        let agent = &self.agents[id as usize];
        let social = &self.social[agent.group as usize];
        let leader = self.party_of(agent).map(|state| state.leader).filter(|&leader| leader != id);
        if let Some(exit) = leader.and_then(|leader| self.agents[leader as usize].exit.exit())
            && options.iter().any(|option| option.exit == exit)
        {
            options.retain(|option| option.exit == exit);
            return;
        }
        // Knowledge is of the areas of the last goal.
        let is_last = agent.goal as usize + 1 == self.routes.count_goals(agent.group as usize);
        let known = self.routes.known_exits(agent.group as usize).filter(|_| is_last);
        let is_known = |option: &ExitOption| {
            known.is_none_or(|known| known.contains(&option.exit)) || social.follow > 0.0 && option.followed > 0.0
        };
        if options.iter().any(is_known) {
            options.retain(|option| is_known(option));
        }
        for option in options {
            option.followed *= social.follow;
        }
    }
}
