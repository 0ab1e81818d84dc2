//! Colouring of contact blocks by level: blocks of one colour share no movable body, and colours are ordered by level.
//!
//! In: pairs of bodies in the order of the caller, and which bodies impulses move. Out: the colour of each pair.
//! Method: the level of a body is the number of contacts between it and the ground (breadth-first search from the
//! bodies that touch a fixed one). The level of a pair is the lower level of its bodies. Within a level each pair gets
//! the lowest colour that neither body has (a bit mask per body).
//! Why: a sweep over the colours in order passes the support of the ground on through all layers of a heap, and a sweep
//! in the opposite order passes the load of the top on. Colours in any other order pass both on by a few layers.
//! Guarantees: deterministic. Pairs beyond the last colour of a level get a serial colour, whose pairs may share
//! bodies.
//! Cost: linear, plus a sort of the pairs by level.

use super::memory::bytes_of;
use std::ops::Range;

/// Number of parallel colours of a level. 63: one bit each of a mask of 64 bits; a body with more contacts in a level
/// is rare.
const COLOURS: u32 = 63;

/// The level of a mask that holds for none.
const NO_LEVEL: u32 = u32::MAX;
/// The level of a body that the search has not reached.
const UNKNOWN: u32 = u32::MAX - 1;

/// A pair of bodies to be coloured.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColourPair {
    pub bodies: [u32; 2],
    /// Whether impulses move A and B.
    pub movable: [bool; 2],
}

/// The colours of pairs.
#[derive(Debug, Clone, Default)]
pub(super) struct Colouring {
    /// The colour of each pair, from 0.
    pub of_pair: Vec<u32>,
    /// For each colour, whether its pairs may share bodies.
    pub is_serial: Vec<bool>,
    /// The number of levels above the ground.
    pub layers: u32,
    levels: Vec<u32>,
    /// The level for which the mask of a body holds, and the mask.
    masks: Vec<(u32, u64)>,
    /// First neighbour of each body, and the end; then the neighbours.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    queue: Vec<u32>,
}

impl Colouring {
    /// Colours pairs of `bodies` bodies.
    pub fn build(&mut self, bodies: usize, pairs: &[ColourPair]) {
        self.find_levels(bodies, pairs);
        let level_of = |pair: &ColourPair| match pair.movable {
            [true, true] => self.levels[pair.bodies[0] as usize].min(self.levels[pair.bodies[1] as usize]) + 1,
            _ => 0,
        };
        let of_pairs: Vec<u32> = pairs.iter().map(level_of).collect();
        let mut order: Vec<u32> = (0..pairs.len() as u32).collect();
        order.sort_by_key(|pair| of_pairs[*pair as usize]);
        self.masks.clear();
        self.masks.resize(bodies, (NO_LEVEL, 0));
        self.of_pair.clear();
        self.of_pair.resize(pairs.len(), 0);
        self.is_serial.clear();
        for pairs_of_level in order.chunk_by(|a, b| of_pairs[*a as usize] == of_pairs[*b as usize]) {
            let base = self.is_serial.len() as u32;
            for pair in pairs_of_level {
                let colour = base + self.assign(&pairs[*pair as usize], of_pairs[*pair as usize]);
                self.of_pair[*pair as usize] = colour;
                if colour as usize >= self.is_serial.len() {
                    self.is_serial.resize(colour as usize + 1, false);
                }
                self.is_serial[colour as usize] = colour - base == COLOURS;
            }
        }
    }

    /// Returns the bytes of reserved memory.
    pub fn bytes(&self) -> usize {
        let of_bodies = bytes_of(&self.levels) + bytes_of(&self.masks) + bytes_of(&self.starts);
        let of_pairs = bytes_of(&self.of_pair) + bytes_of(&self.is_serial);
        of_bodies + of_pairs + bytes_of(&self.neighbours) + bytes_of(&self.queue)
    }

    /// Returns the lowest colour of a level that no body of the pair has.
    fn assign(&mut self, pair: &ColourPair, level: u32) -> u32 {
        let mut used = 0;
        let movable = pair.bodies.into_iter().zip(pair.movable).filter(|(_, movable)| *movable);
        for (body, _) in movable.clone() {
            let (of_level, mask) = self.masks[body as usize];
            used |= if of_level == level { mask } else { 0 };
        }
        let colour = used.trailing_ones().min(COLOURS);
        for (body, _) in movable.filter(|_| colour < COLOURS) {
            let (of_level, mask) = &mut self.masks[body as usize];
            *mask = if *of_level == level { *mask } else { 0 } | 1 << colour;
            *of_level = level;
        }
        colour
    }

    /// Finds the level of each movable body: 0 for bodies that touch a fixed one. An island without ground begins at
    /// its first body.
    fn find_levels(&mut self, bodies: usize, pairs: &[ColourPair]) {
        self.link(bodies, pairs);
        self.levels.clear();
        self.levels.resize(bodies, UNKNOWN);
        self.queue.clear();
        for pair in pairs {
            if let ([true, false], [body, _]) | ([false, true], [_, body]) = (pair.movable, pair.bodies) {
                self.reach(body, 0);
            }
        }
        self.search(0);
        // The search ends at the highest level.
        self.layers = self.queue.last().map_or(0, |body| self.levels[*body as usize] + 1);
        for body in 0..bodies as u32 {
            let from = self.queue.len();
            self.reach(body, 0);
            self.search(from);
        }
    }

    fn reach(&mut self, body: u32, level: u32) {
        if self.levels[body as usize] == UNKNOWN {
            self.levels[body as usize] = level;
            self.queue.push(body);
        }
    }

    /// Searches from the bodies of the queue on.
    fn search(&mut self, from: usize) {
        let mut next = from;
        while let Some(&body) = self.queue.get(next) {
            next += 1;
            let level = self.levels[body as usize] + 1;
            let range: Range<u32> = self.starts[body as usize]..self.starts[body as usize + 1];
            for at in range {
                self.reach(self.neighbours[at as usize], level);
            }
        }
    }

    /// Lists the movable neighbours of each body.
    fn link(&mut self, bodies: usize, pairs: &[ColourPair]) {
        self.starts.clear();
        self.starts.resize(bodies + 2, 0);
        let links = || pairs.iter().filter(|pair| pair.movable == [true; 2]);
        for body in links().flat_map(|pair| pair.bodies) {
            self.starts[body as usize + 2] += 1;
        }
        for body in 2..bodies + 2 {
            self.starts[body] += self.starts[body - 1];
        }
        self.neighbours.clear();
        self.neighbours.resize(self.starts[bodies + 1] as usize, 0);
        for pair in links() {
            for side in 0..2 {
                let cursor = &mut self.starts[pair.bodies[side] as usize + 1];
                self.neighbours[*cursor as usize] = pair.bodies[1 - side];
                *cursor += 1;
            }
        }
    }
}
