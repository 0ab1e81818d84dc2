//! A small seeded generator (SplitMix64): the same numbers on every machine, for ever.

use heurt_geometry::{Pose, Vec3};

/// The state.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Starts from `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A whole number in [low, high].
    pub fn whole(&mut self, low: i64, high: i64) -> i64 {
        low + (self.bits() % (high - low + 1) as u64) as i64
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.bits().is_multiple_of(n)
    }

    /// A vector whose parts are in [-reach, reach).
    pub fn vector(&mut self, reach: f64) -> Vec3 {
        Vec3::from_array([0.0; 3].map(|_: f64| self.between(-reach, reach)))
    }

    /// Any rotation, and a shift whose parts are in [-reach, reach).
    pub fn pose(&mut self, reach: f64) -> Pose {
        let quaternion = [0.0; 4].map(|_: f64| self.between(-1.0, 1.0));
        let norm = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
        let shift = self.vector(reach);
        Pose::from_quaternion(quaternion.map(|x| x / norm), shift).expect("a unit quaternion")
    }
}
