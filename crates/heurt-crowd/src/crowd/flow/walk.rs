//! Walks in flows: each person along its path, to the opening through which it leaves.
//!
//! In: headings, densities, tokens. Out: places after the step; persons in other reservoirs, or individuals again.
//! Method: ends of steps are found in parallel. Ends within the reservoir count at once. Persons whose step leads
//! through an opening are taken in the order in which they came to it; without a token, room or a free place they wait
//! before it.
//! Guarantees: persons pass in order of time and number, so that results do not depend on threads.
//! Cost: O(persons in flows · openings of their reservoir at the border).

use super::emerge::{SPREAD, Standing};
use super::parts::NUDGE;
use super::reservoir::{BorderPoint, Opening};
use super::tokens::speed_share;
use super::{Crowd, Flows};
use heurt_geometry::Vec2;
use rayon::prelude::*;
use smallvec::SmallVec;

/// Persons wait this far before an opening, in metres: more than the rounding of places.
const HOLD: f64 = 1e-3;

/// The step of a person in a flow.
struct Stride {
    id: u32,
    /// The direction of its walk.
    direction: Vec2,
    /// In m/s.
    speed: f64,
    target: Vec2,
    /// The opening through which the step leads, and where.
    leaves: Option<(u32, BorderPoint)>,
}

impl Flows {
    /// Lists an opening, then further ones that lead to individuals near the same point, the nearest first: a person at
    /// a corner leaves through either side.
    fn near_openings(&self, (number, spot): (u32, BorderPoint)) -> SmallVec<[(u32, BorderPoint); 2]> {
        let mut near: SmallVec<[(u32, BorderPoint); 2]> = SmallVec::from_slice(&[(number, spot)]);
        let opening = &self.openings[number as usize];
        if opening.to.is_none() {
            let others = self.reservoirs[opening.from as usize].openings.iter().filter(|&&other| other != number);
            let outward = others.map(|&other| (other, &self.openings[other as usize])).filter(|(_, o)| o.to.is_none());
            let spots = outward.map(|(other, opening)| (other, opening.nearest(spot.point)));
            let mut spots: Vec<_> = spots.filter(|(_, (distance, _))| *distance <= SPREAD).collect();
            spots.sort_by(|a, b| a.1.0.total_cmp(&b.1.0).then(a.0.cmp(&b.0)));
            near.extend(spots.into_iter().map(|(other, (_, spot))| (other, spot)));
        }
        near
    }

    /// Finds the reservoir beyond a gap that is too narrow for individuals, such as the end of a wedge between zones.
    fn behind_gap(&self, opening: &Opening, spot: BorderPoint) -> Option<u32> {
        let beyond = self.reservoir_at(opening.over(spot.point + spot.outward * NUDGE));
        beyond.filter(|reservoir| *reservoir != opening.from)
    }
}

impl Crowd {
    /// Takes a step of all persons in flows, and lets individuals in.
    pub(in crate::crowd) fn walk_in_flows(&mut self, step: f64) {
        if self.flows.is_empty() {
            return;
        }
        let mut flows = std::mem::take(&mut self.flows);
        let walkers: Vec<u32> = self.present.iter().copied().filter(|&id| !self.is_individual(id)).collect();
        let stride = |&id: &u32| self.stride(&flows, id, step);
        let strides: Vec<Stride> = walkers.par_iter().with_min_len(64).filter_map(stride).collect();
        self.enter_flows(&mut flows);
        let mut leaving = Vec::new();
        for stride in strides {
            let agent = &mut self.agents[stride.id as usize];
            agent.look -= step;
            if let Some((opening, spot)) = stride.leaves {
                let since = *agent.stay.waits_since.get_or_insert(self.time);
                leaving.push((since, stride, opening, spot));
            } else {
                agent.stay.waits_since = None;
                self.walk_to(stride.id, stride.target, step);
            }
        }
        leaving.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.id.cmp(&b.1.id)));
        let mut standing = None;
        for (_, stride, opening, spot) in leaving {
            let passes = flows.near_openings((opening, spot)).into_iter();
            let mut passes = passes.map(|out| self.pass(&mut flows, &mut standing, &stride, out, step));
            if passes.any(|has_passed| has_passed) {
                self.agents[stride.id as usize].stay.waits_since = None;
            } else {
                let from = self.agents[stride.id as usize].position;
                let free = (spot.point.distance(from) - HOLD).max(0.0);
                let held = from + stride.direction * free.min(stride.speed * step);
                self.walk_to(stride.id, held, step);
            }
        }
        self.flows = flows;
    }

    /// Finds the step of a person in a flow; none for one in no flow.
    fn stride(&self, flows: &Flows, id: u32, step: f64) -> Option<Stride> {
        let agent = &self.agents[id as usize];
        let (number, place, from) = (agent.stay.reservoir?, agent.place(), agent.position);
        let offset = agent.towards.filter(|_| self.time >= agent.reaction).map_or(Vec2::ZERO, |towards| {
            // Up to the next bend: beyond it the path leads elsewhere.
            towards.truncate() - from
        });
        let speed = self.own_speed(agent) * speed_share(flows.density(number, 1));
        let direction = offset.normalize_or_zero();
        let target = from + offset.clamp_length_max(speed * step);
        let stride = Stride { id, direction, speed, target, leaves: None };
        let floor = &self.ground.floors()[agent.floor as usize];
        let reservoir = &flows.reservoirs[number as usize];
        if direction == Vec2::ZERO || reservoir.contains(floor.over(target)) {
            return Some(stride);
        }
        let openings = || {
            let numbers = reservoir.openings.iter().map(|&number| (number, &flows.openings[number as usize]));
            numbers.filter(|(_, opening)| opening.is_level_with(place))
        };
        let crossed = openings().filter_map(|(number, opening)| Some((number, opening.left_at([from, target])?)));
        let first = crossed.min_by(|a, b| a.1.0.total_cmp(&b.1.0));
        let leaves = first.map(|(number, (_, spot))| (number, spot)).or_else(|| {
            // Rounding has put the place on the border or beyond it.
            let near = openings().map(|(number, opening)| (number, opening.nearest(from)));
            let (number, (distance, spot)) = near.min_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
            (distance <= 2.0 * HOLD || !reservoir.contains(place)).then_some((number, spot))
        });
        Some(Stride { leaves, ..stride })
    }

    /// Lets a person through an opening; reports whether it has passed.
    fn pass(
        &mut self,
        flows: &mut Flows,
        standing: &mut Option<Standing>,
        stride: &Stride,
        (number, spot): (u32, BorderPoint),
        step: f64,
    ) -> bool {
        let (id, target) = (stride.id, stride.target);
        let opening = &flows.openings[number as usize];
        if !flows.tokens[number as usize].may_leave() {
            return false;
        }
        let to = opening.to.or_else(|| flows.behind_gap(opening, spot));
        if let Some(to) = to {
            if !flows.has_room(to, 0) {
                return false;
            }
            let is_beyond = flows.reservoirs[to as usize].contains(opening.over(target));
            let end = if is_beyond { target } else { spot.point + spot.outward * NUDGE };
            self.walk_to(id, end, step);
            flows.counts[to as usize] += 1;
        } else {
            let standing = standing.get_or_insert_with(|| Standing::new(self, flows.largest));
            let Some(place) = self.free_place((flows, standing), id, (number, spot), target) else { return false };
            let from = self.agents[id as usize].position;
            self.walk_to(id, place, step);
            let agent = &mut self.agents[id as usize];
            if agent.position != place {
                // A wall is between: it stays in the flow.
                self.walk_to(id, from, step);
                self.agents[id as usize].before = from;
                return false;
            }
            // It may have stepped aside: others see the velocity of its walk.
            agent.velocity = stride.direction * stride.speed;
            standing.add(place, agent.radius, agent.floor);
            self.order.push(id);
        }
        let from = opening.from;
        self.agents[id as usize].stay.reservoir = to;
        flows.counts[from as usize] -= 1;
        flows.tokens[number as usize].leave();
        true
    }

    /// Moves a person of a flow to a point.
    fn walk_to(&mut self, id: u32, target: Vec2, step: f64) {
        self.move_to(id, target, step);
        let agent = &mut self.agents[id as usize];
        // A person that waits for a token is in a queue: it is not stuck.
        (agent.slow, agent.stalled, agent.yielding) = (0.0, 0.0, 0.0);
    }
}
