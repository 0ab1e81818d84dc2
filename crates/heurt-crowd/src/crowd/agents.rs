//! Agents by number, in memory in the order of their places.
//!
//! In: agents in order of number, an order. Out: agents by number.
//! Method: a list of agents that is arranged from time to time, and for each number its place in the list.
//! Guarantees: an arrangement changes no agent. Cost: O(1) an agent; an arrangement O(agents).

use super::Agent;
use rayon::prelude::*;
use std::ops::{Index, IndexMut};

/// Agents by number.
#[derive(Debug)]
pub(super) struct Agents {
    list: Vec<Agent>,
    /// Numbers of the agents of the list.
    numbers: Vec<u32>,
    /// By number: the place in the list.
    places: Vec<u32>,
}

impl Agents {
    /// Takes agents in order of number.
    pub fn new(list: Vec<Agent>) -> Self {
        let numbers: Vec<u32> = (0..list.len() as u32).collect();
        Self { list, places: numbers.clone(), numbers }
    }

    /// Returns the number of agents.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns an agent; `None` if there is none of the number.
    pub fn get(&self, number: usize) -> Option<&Agent> {
        self.list.get(*self.places.get(number)? as usize)
    }

    /// Returns all agents and their numbers, in the order of the list.
    pub fn par_iter_mut(&mut self) -> impl IndexedParallelIterator<Item = (u32, &mut Agent)> {
        self.numbers.par_iter().copied().zip(&mut self.list)
    }

    /// Puts the agents of distinct numbers first in the list, in their order.
    pub fn arrange(&mut self, order: &[u32]) {
        for (to, &number) in order.iter().enumerate() {
            let from = self.places[number as usize] as usize;
            self.list.swap(from, to);
            self.numbers.swap(from, to);
            self.places[self.numbers[from] as usize] = from as u32;
            self.places[number as usize] = to as u32;
        }
    }
}

impl Index<usize> for Agents {
    type Output = Agent;

    fn index(&self, number: usize) -> &Agent {
        &self.list[self.places[number] as usize]
    }
}

impl IndexMut<usize> for Agents {
    fn index_mut(&mut self, number: usize) -> &mut Agent {
        &mut self.list[self.places[number] as usize]
    }
}

#[cfg(test)]
mod tests {
    use crate::{AgentGroup, Crowd, CrowdSettings, Goals, Ground, SpeedLaw, Start};
    use heurt_geometry::{PlanArea, SplitMix64, Vec2};

    #[test]
    fn arrangements_change_no_agent() {
        let hall = PlanArea::rectangle(Vec2::ZERO, Vec2::new(30.0, 30.0));
        let group = AgentGroup {
            name: "all".to_owned(),
            start: Start::within([hall.clone()], 40),
            speed: SpeedLaw::constant(1.34),
            goals: Goals::None,
            ..AgentGroup::default()
        };
        let ground = Ground::new([hall]).expect("sound");
        let mut crowd = Crowd::new(ground, CrowdSettings::default(), vec![group]).expect("sound");
        let agents = &mut crowd.agents;
        let before: Vec<Vec2> = (0..40).map(|number| agents[number].position).collect();
        let mut random = SplitMix64::new(1);
        for count in [40, 0, 1, 17, 39, 40] {
            // A part of the numbers, in any order.
            let mut order: Vec<u32> = (0..40).collect();
            for place in (1..40).rev() {
                order.swap(place, (random.unit() * (place + 1) as f64) as usize);
            }
            order.truncate(count);
            agents.arrange(&order);
            assert!((0..40).all(|number| agents[number].position == before[number]));
            assert!(agents.numbers.iter().zip(0..).all(|(&number, place)| agents.places[number as usize] == place));
            assert_eq!(agents.numbers[..count], order);
        }
    }
}
