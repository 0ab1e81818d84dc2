//! Entry: individuals that walk into a flow, or wait before it.
//!
//! In: chosen velocities, gaps of the step. Out: borders that hold individuals back; who is in a
//! flow after the step.
//! Method: an individual enters if its path leads in, a token is left and the reservoir has room; tokens go by number.
//! To all others the border is a wall to their centre (`separate`): they stay outside, or pass along it.
//! So a person that has just left a flow is not pushed back into it. An individual whose centre is in the reservoir
//! after the step is a part of the flow.
//! Guarantees: rest keeps out of the borders, so that a velocity without overlap exists as before.
//! Cost: O(reservoirs) an individual.

use super::{Crowd, Flows};
use heurt_geometry::Vec2;
use smallvec::SmallVec;

/// An individual that could come into a reservoir in this step.
struct Approach {
    id: u32,
    slot: usize,
    /// The nearest opening.
    opening: u32,
    /// The opening that its path enters.
    entered: Option<u32>,
    /// Directions from the border, and distances.
    borders: SmallVec<[(Vec2, f64); 2]>,
}

impl Flows {
    /// Lists the approaches of an individual with a heading, one for each reservoir at most.
    fn approaches(&self, (id, slot): (u32, usize), crowd: &Crowd, reach: f64) -> SmallVec<[Approach; 1]> {
        let (place, heading) = (crowd.agents[id as usize].place(), crowd.seen[slot].heading);
        let point = place.truncate();
        let mut found = SmallVec::new();
        for reservoir in self.reservoirs.iter().filter(|reservoir| reservoir.is_near(point, reach)) {
            let step = [point, point + heading * reach];
            let (mut borders, mut entered, mut nearest) = (SmallVec::new(), None, None);
            for &number in &reservoir.openings {
                let opening = &self.openings[number as usize];
                if opening.to.is_some() || !opening.is_level_with(place) {
                    continue;
                }
                let offsets = opening.offsets(point, reach);
                let least = offsets.iter().map(|offset| offset.1).fold(f64::INFINITY, f64::min);
                if nearest.is_none_or(|(known, _)| least < known) && !offsets.is_empty() {
                    nearest = Some((least, number));
                }
                borders.extend(offsets);
                entered = entered.or_else(|| opening.is_entered(step).then_some(number));
            }
            if let Some((_, opening)) = nearest {
                found.push(Approach { id, slot, opening, entered, borders });
            }
        }
        found
    }
}

impl Crowd {
    /// Counts the persons of flows, and holds back individuals that a flow does not take in.
    pub(in crate::crowd) fn hold_at_flows(&mut self, step: f64) {
        if self.flows.is_empty() {
            return;
        }
        let mut flows = std::mem::take(&mut self.flows);
        flows.begin(&self.agents, &self.present, step);
        let mut approaches = Vec::new();
        for (slot, &id) in self.order.iter().enumerate() {
            self.agents[id as usize].stay.is_held = false;
            let reach = self.bodies[slot].limit * step;
            if reach > 0.0 {
                approaches.extend(flows.approaches((id, slot), self, reach));
            }
        }
        approaches.sort_by_key(|approach: &Approach| (approach.id, approach.opening));
        let mut promised = vec![0; flows.reservoirs.len()];
        for approach in &approaches {
            if let Some(opening) = approach.entered {
                let to = flows.openings[opening as usize].from;
                if flows.has_room(to, promised[to as usize]) && flows.tokens[opening as usize].promise() {
                    promised[to as usize] += 1;
                    continue;
                }
                self.agents[approach.id as usize].stay.is_held = true;
            }
            self.touches[approach.slot].walls.extend(approach.borders.iter().copied());
        }
        flows.near = approaches.iter().map(|approach| (approach.id, approach.opening)).collect();
        self.flows = flows;
    }

    /// Makes individuals whose centre has come into a reservoir a part of its flow.
    pub(super) fn enter_flows(&mut self, flows: &mut Flows) {
        let mut has_entered = false;
        for &(id, opening) in &flows.near {
            let agent = &mut self.agents[id as usize];
            let reservoir = flows.openings[opening as usize].from;
            if agent.stay.reservoir.is_none() && flows.reservoirs[reservoir as usize].contains(agent.place()) {
                agent.stay.reservoir = Some(reservoir);
                flows.tokens[opening as usize].enter();
                flows.counts[reservoir as usize] += 1;
                has_entered = true;
            }
        }
        if has_entered {
            let agents = &self.agents;
            self.order.retain(|&id| agents[id as usize].stay.reservoir.is_none());
        }
    }
}
