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
