//! A memory budget for files that place one mesh many times.
//!
//! In: the size of a file in bytes. Out: a counter that refuses to go below zero. Readers take from it before they
//! copy vertices, corners and names.
//! Guarantees: a file unpacks to at most a fixed multiple of its size, plus a floor for small files.
//! Cost: O(1) a call.

use crate::{Place, ReadError};

/// The amount that a file may still unpack to: vertices, corners, copies of them and of names, in proportion to its size.
pub(super) struct Budget {
    left: u64,
    total: u64,
}

impl Budget {
    /// Enough for a few instances of small files.
    const FLOOR: u64 = 1 << 20;
    /// A file that shares nothing needs less than one vertex or corner per byte.
    const PER_BYTE: u64 = 16;

    pub(super) fn new(bytes: usize) -> Self {
        let total = Self::FLOOR.saturating_add(Self::PER_BYTE.saturating_mul(bytes as u64));
        Self { left: total, total }
    }

    /// Returns how many vertices or corners are left.
    #[cfg(feature = "draco")]
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// Adds the amount that a fetched buffer of the given size may unpack to.
    pub(super) fn grow(&mut self, bytes: usize) {
        let more = Self::PER_BYTE.saturating_mul(bytes as u64);
        self.left = self.left.saturating_add(more);
        self.total = self.total.saturating_add(more);
    }

    /// Takes `count` vertices, corners or bytes of a name for the item at `place`.
    pub(super) fn take(&mut self, count: u64, place: impl FnOnce() -> Place) -> Result<(), ReadError> {
        match self.left.checked_sub(count) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(ReadError::Unsupported {
                place: place(),
                what: format!(
                    "a model that unpacks to more than {} vertices, corners and letters, out of proportion to its size,",
                    self.total
                ),
                remedy: "apply scales and mirrors to the meshes, shorten their names, or split the file",
            }),
        }
    }
}
