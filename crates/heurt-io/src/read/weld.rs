//! Welding of vertices: merges vertices with equal coordinates by a hash table.
//!
//! In: points one by one. Out: their numbers, in order of first occurrence, for any hash.
//! Method: open addressing over numbers of vertices, linear probing, at most half full. The hash is seeded at random so
//! that no file can be written to collide; the numbers do not depend on it. −0 and 0 are equal, and the first one
//! stays.
//! Cost: O(points) expected; 24 bytes per vertex and 8 to 16 per vertex for the table.

use heurt_geometry::Vec3;
use std::hash::{BuildHasher, RandomState};

const VACANT: u32 = u32::MAX;

/// Numbers points; equal points have equal numbers.
pub(crate) struct Welder {
    vertices: Vec<Vec3>,
    slots: Vec<u32>,
    seed: u64,
}

impl Welder {
    /// Reserves room for approximately `expected` distinct points.
    pub(crate) fn with_capacity(expected: usize) -> Self {
        let slots = vec![VACANT; (2 * expected.max(16)).next_power_of_two()];
        Self { vertices: Vec::with_capacity(expected), slots, seed: RandomState::new().hash_one(0u64) }
    }

    /// Returns the number of the vertex at `point`, which must be finite.
    #[inline]
    pub(crate) fn vertex(&mut self, point: Vec3) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = self.hash(point) & mask;
        loop {
            let number = self.slots[at];
            if number == VACANT {
                break;
            }
            if self.vertices[number as usize] == point {
                return number;
            }
            at = (at + 1) & mask;
        }
        let number = self.vertices.len() as u32;
        self.slots[at] = number;
        self.vertices.push(point);
        if 2 * self.vertices.len() > self.slots.len() {
            self.grow();
        }
        number
    }

    /// Returns the distinct points, in order of first occurrence.
    pub(crate) fn into_vertices(self) -> Vec<Vec3> {
        self.vertices
    }

    /// Doubles the table.
    #[cold]
    fn grow(&mut self) {
        let mask = 2 * self.slots.len() - 1;
        let mut slots = vec![VACANT; mask + 1];
        for (number, &vertex) in self.vertices.iter().enumerate() {
            let mut at = self.hash(vertex) & mask;
            while slots[at] != VACANT {
                at = (at + 1) & mask;
            }
            slots[at] = number as u32;
        }
        self.slots = slots;
    }

    /// Folds three products of the coordinates' bits; adding 0 turns −0 into 0.
    #[inline]
    fn hash(&self, point: Vec3) -> usize {
        let fold = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            (product as u64) ^ ((product >> 64) as u64)
        };
        let [x, y, z] = point.to_array().map(|coordinate| (coordinate + 0.0).to_bits());
        let first = fold(x ^ self.seed, y ^ 0x9e37_79b9_7f4a_7c15);
        fold(first ^ z, self.seed ^ 0xa076_1d64_78bd_642f) as usize
    }
}
