//! SplitMix64: a small generator of random numbers that gives the same numbers on every machine.
//!
//! In: a seed. Out: 64 random bits at a time, or numbers of an interval.
//! Method: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
//! Not guaranteed: that the bits cannot be predicted. The generator is for samples and tests.

use crate::Vec3;

/// The increment of the state: 2⁶⁴ divided by the golden ratio, odd.
const INCREMENT: u64 = 0x9e37_79b9_7f4a_7c15;

/// A generator of random numbers with a seed.
///
/// ```
/// use heurt_geometry::SplitMix64;
/// let mut random = SplitMix64::new(7);
/// let length = random.between(2.0, 3.0);
/// assert!((2.0..3.0).contains(&length));
/// assert_eq!(SplitMix64::new(7).between(2.0, 3.0), length);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Creates a generator from any seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(INCREMENT);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number in [0, 1), a multiple of 2⁻⁵³.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a number in [low, high); rounding may give `high` itself.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Returns a number below `count`; 0 if `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    /// Returns a vector with each coordinate in [low, high); rounding may give `high` itself.
    pub fn vector(&mut self, low: f64, high: f64) -> Vec3 {
        Vec3::from_array([0.0; 3].map(|_: f64| self.between(low, high)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_are_those_of_the_reference() {
        // The first outputs of the reference implementation for the seed 1234567.
        let mut random = SplitMix64::new(1_234_567);
        let bits = [0; 3].map(|_| random.bits());
        assert_eq!(bits, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
