//! Hash of a state: the same bits give the same number, on every machine.
//!
//! Method: FNV-1a over 64-bit words, with a final mix so that every bit counts. Guarantees: depends on the bits and
//! their order alone. Not guaranteed: that different states have different numbers; no defence against deliberate
//! collisions.

use crate::{Pose, Vec3};

/// Hashes numbers in sequence.
///
/// ```
/// use heurt_geometry::StateHash;
/// let of = |x: f64| StateHash::new().number(x).finish();
/// assert_eq!(of(0.1), of(0.1));
/// assert_ne!(of(0.0), of(-0.0), "bits count, not values");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateHash(u64);

impl Default for StateHash {
    fn default() -> Self {
        Self::new()
    }
}

impl StateHash {
    /// Returns the hash of an empty sequence.
    pub const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds 64 bits.
    #[must_use]
    pub fn bits(self, bits: u64) -> Self {
        Self((self.0 ^ bits).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29))
    }

    /// Adds the bits of a number.
    #[must_use]
    pub fn number(self, x: f64) -> Self {
        self.bits(x.to_bits())
    }

    /// Adds a vector.
    #[must_use]
    pub fn vector(self, v: Vec3) -> Self {
        self.number(v.x).number(v.y).number(v.z)
    }

    /// Adds a pose.
    #[must_use]
    pub fn pose(self, pose: &Pose) -> Self {
        let rotation = pose.rotation();
        let columns = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
        columns.into_iter().fold(self, Self::vector).vector(pose.translation())
    }

    /// Returns the hash of all added values.
    ///
    /// ```
    /// use heurt_geometry::{StateHash, Vec3};
    /// let hash = |x: f64| StateHash::new().bits(7).vector(Vec3::X * x).finish();
    /// assert_eq!(hash(0.1), hash(0.1));
    /// assert_ne!(hash(0.1), hash(0.1f64.next_up()), "one ulp shows");
    /// ```
    pub fn finish(self) -> u64 {
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
}
