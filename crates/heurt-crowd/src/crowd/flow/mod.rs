//! Flows: persons in flow zones, who are no bodies (hybrid simulation after Sewall, Wilkie, Lin 2011).
//!
//! In: a crowd on ground with flow zones. Out: the places of persons in flows; who is in which flow.
//! Method: each connected part of a zone is a reservoir of area A with n persons (EVACNET, Kisko and Francis 1985).
//! A person in it walks along its own path at its own speed times v(ρ)/v(0), v from Weidmann's diagram, at least 0.1
//! m/s of 1.34. ρ is n − 1 over A, so that a person alone is as fast as outside. Openings lead out of reservoirs. A
//! person that leaves takes a token; tokens come at the flow that the opening and the reservoir beyond take in
//! (`tokens`). Persons that wait pass in the order in which they came. Individuals enter by tokens, too (`entry`), and
//! persons become individuals at a free place (`emerge`).
//! Guarantees: no person is lost. Individuals have no overlap, as without flows. The same bits for any number of
//! threads. A goal in a reservoir is reached without tokens.
//! Not guaranteed: that two full reservoirs exchange persons; they jam as two crowds do. Both directions through an
//! opening have tokens of their own.
//! Cost: O(persons in flows · corners of their reservoir) a step, O(individuals · reservoirs) for their boxes.

mod emerge;
mod entry;
mod parts;
mod reservoir;
mod tokens;
mod walk;

use super::Crowd;
use super::agents::Agents;
use crate::Ground;
use heurt_geometry::Vec3;
use reservoir::{Opening, Reservoir, reservoirs_of};
use tokens::{Peak, Tokens};

/// The flow that a person is in.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Stay {
    /// The number of the reservoir; none for individuals.
    pub reservoir: Option<u32>,
    /// The time since which it waits for a token or a free place, in seconds.
    waits_since: Option<f64>,
    /// It is an individual that waits outside of a reservoir.
    pub is_held: bool,
}

/// All flows of a crowd.
#[derive(Debug, Default)]
pub(super) struct Flows {
    reservoirs: Vec<Reservoir>,
    openings: Vec<Opening>,
    /// The largest radius of an agent, in metres.
    largest: f64,
    peak: Peak,
    /// By reservoir: persons in it.
    counts: Vec<u32>,
    /// By opening.
    tokens: Vec<Tokens>,
    /// Individuals near an opening in this step, by number, and the opening.
    near: Vec<(u32, u32)>,
}

impl Flows {
    /// Finds the reservoirs of ground for agents of these radii, in metres.
    pub fn new(ground: &Ground, radii: impl Iterator<Item = f64> + Clone) -> Self {
        if ground.flow_zones().is_empty() {
            return Self::default();
        }
        let least = radii.clone().fold(f64::INFINITY, f64::min);
        let (reservoirs, openings) = reservoirs_of(ground, if least < f64::INFINITY { least } else { 0.0 });
        let (counts, tokens) = (vec![0; reservoirs.len()], vec![Tokens::default(); openings.len()]);
        let (largest, peak) = (radii.fold(0.0, f64::max), Peak::new());
        Self { reservoirs, openings, largest, peak, counts, tokens, near: Vec::new() }
    }

    /// Reports whether there is none.
    pub fn is_empty(&self) -> bool {
        self.reservoirs.is_empty()
    }

    /// Finds the reservoir of a place.
    pub fn reservoir_at(&self, place: Vec3) -> Option<u32> {
        self.reservoirs.iter().position(|reservoir| reservoir.contains(place)).map(|number| number as u32)
    }

    /// Returns the density of a reservoir in persons a square metre, without `others` of its persons.
    fn density(&self, reservoir: u32, others: u32) -> f64 {
        let count = self.counts[reservoir as usize].saturating_sub(others);
        f64::from(count) / self.reservoirs[reservoir as usize].area
    }

    /// Counts persons, and gives openings the tokens of a step.
    fn begin(&mut self, agents: &Agents, present: &[u32], step: f64) {
        self.counts.fill(0);
        for reservoir in present.iter().filter_map(|&id| agents[id as usize].stay.reservoir) {
            self.counts[reservoir as usize] += 1;
        }
        for (number, opening) in self.openings.iter().enumerate() {
            let beyond = opening.to.map_or(self.peak.flow, |to| self.peak.supply(self.density(to, 0)));
            let inside = self.peak.supply(self.density(opening.from, 0));
            self.tokens[number].grow([beyond, inside].map(|flow| flow * opening.width * step));
        }
    }

    /// Reports whether one more person has room in a reservoir to which `promised` others come. A reservoir that is
    /// smaller than a person at the largest density takes one.
    fn has_room(&self, reservoir: u32, promised: u32) -> bool {
        let count = f64::from(self.counts[reservoir as usize] + promised + 1);
        count <= tokens::capacity(self.reservoirs[reservoir as usize].area)
    }
}

impl Crowd {
    /// Makes persons that are in a flow zone at first a part of its flow.
    pub(super) fn enter_first(&mut self) {
        for id in 0..self.agents.len() {
            let agent = &mut self.agents[id];
            agent.stay.reservoir = self.flows.reservoir_at(agent.place());
        }
        let agents = &self.agents;
        self.order.retain(|&id| agents[id as usize].stay.reservoir.is_none());
    }

    /// Sets the paces of persons in flows; individuals have theirs.
    pub(super) fn set_paces_of_flows(&mut self) {
        if self.flows.is_empty() {
            return;
        }
        for &id in &self.present {
            let agent = &mut self.agents[id as usize];
            if agent.stay.reservoir.is_some() {
                let cell = self.environment.cell_of(agent.point).unwrap_or(0);
                agent.take_pace(&self.paces, &self.ground, self.cells.zones(cell));
            }
        }
    }

    /// Reports whether an agent is an individual.
    pub(super) fn is_individual(&self, id: u32) -> bool {
        self.agents[id as usize].stay.reservoir.is_none()
    }
}
