//! Measures of a run: arrivals, overlaps, agents that stall, registrations.

use std::collections::BTreeSet;

/// Overlaps of one state, as shares of the size of the smaller agent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Overlaps {
    pairs: Vec<[u32; 2]>,
    worst: f64,
    worst_wall: f64,
}

/// Pairs that overlap by more than this share are counted.
const COUNTED_SHARE: f64 = 0.01;

impl Overlaps {
    pub fn add_pair(&mut self, pair: [u32; 2], share: f64) {
        self.worst = self.worst.max(share);
        if share > COUNTED_SHARE {
            self.pairs.push(pair);
        }
    }

    /// Adds other overlaps of the same state.
    pub fn with(mut self, other: Self) -> Self {
        self.worst = self.worst.max(other.worst);
        self.worst_wall = self.worst_wall.max(other.worst_wall);
        self.pairs.extend(other.pairs);
        self
    }

    pub fn add_wall(&mut self, share: f64) {
        self.worst_wall = self.worst_wall.max(share);
    }
}

/// Sums over a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Measures {
    arrivals: Vec<f64>,
    pairs: BTreeSet<[u32; 2]>,
    worst: f64,
    worst_wall: f64,
    stalled: BTreeSet<u32>,
    moves: u64,
    registered: u64,
}

impl Measures {
    pub fn add_overlaps(&mut self, overlaps: Overlaps) {
        self.worst = self.worst.max(overlaps.worst);
        self.worst_wall = self.worst_wall.max(overlaps.worst_wall);
        self.pairs.extend(overlaps.pairs);
    }

    pub fn arrived(&self) -> usize {
        self.arrivals.len()
    }

    pub fn note_arrival(&mut self, time: f64) {
        self.arrivals.push(time);
    }

    /// Notes a move, and how many registrations in other cells it made.
    pub fn note_move(&mut self, registered: u32) {
        self.moves += 1;
        self.registered += u64::from(registered);
    }

    pub fn note_stalled(&mut self, agent: u32) {
        self.stalled.insert(agent);
    }

    pub fn report(&self, agents: usize) -> CrowdReport {
        // Arrivals are noted in order of time.
        let travel_time = self.arrivals.first().zip(self.arrivals.last()).map(|(&min, &max)| {
            let middle = self.arrivals.len() / 2;
            let median = match self.arrivals.len() % 2 {
                1 => self.arrivals[middle],
                _ => 0.5 * (self.arrivals[middle - 1] + self.arrivals[middle]),
            };
            TravelTimes { min, median, max }
        });
        CrowdReport {
            agents,
            arrived: self.arrived(),
            travel_time,
            overlapping_pairs: self.pairs.len(),
            worst_overlap: self.worst,
            worst_wall_overlap: self.worst_wall,
            stalled: self.stalled.len(),
            reregistered_share: if self.moves == 0 { 0.0 } else { self.registered as f64 / self.moves as f64 },
        }
    }
}

/// Times from the start to the exit, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TravelTimes {
    /// The shortest.
    pub min: f64,
    /// The median.
    pub median: f64,
    /// The longest.
    pub max: f64,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CrowdReport {
    /// How many agents there were at first.
    pub agents: usize,
    /// How many left at their last goal.
    pub arrived: usize,
    /// Their times; `None` if no agent arrived.
    pub travel_time: Option<TravelTimes>,
    /// Distinct pairs that overlapped by more than 1 % of the diameter of the smaller agent.
    pub overlapping_pairs: usize,
    /// The deepest overlap of two agents, as a share of the diameter of the smaller one.
    pub worst_overlap: f64,
    /// The deepest overlap with a wall, as a share of the diameter.
    pub worst_wall_overlap: f64,
    /// Agents that were below 5 % of their speed for 5 s before their goals.
    pub stalled: usize,
    /// Moves that led into another cell, as a share of all moves.
    pub reregistered_share: f64,
}
