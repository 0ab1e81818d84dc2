//! Numbers that look random and come in the same order every time (xorshift64*).

/// The state.
pub struct Rng(u64);

impl Rng {
    /// Starts from `seed`, which must not be 0.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`; 0 when that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.number()) * bound as u128) >> 64) as usize
    }

    /// One of `items`, which must not be empty.
    pub fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}
