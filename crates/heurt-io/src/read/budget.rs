//! Memory budget for files that place one mesh many times, or declare more than they hold.
//!
//! In: the size of a file in bytes. Out: a counter of words of 4 bytes that never goes below zero. Readers take from it
//! before they copy vertices, corners and names: [`VERTEX`] and [`TRIANGLE`] are their sizes.
//! Guarantees: what is taken is at most 64 bytes of memory for each byte of the file, and 16 MB more for small files.
//! Not guaranteed: what readers keep of the file itself, a few bytes for each of its bytes, is not counted.
//! Cost: O(1) a call.

use crate::{Place, ReadError};

/// Words of a vertex: three `f64`.
pub(super) const VERTEX: u64 = 6;
/// Words of a triangle: three `u32`.
pub(super) const TRIANGLE: u64 = 3;
/// Words of a part, besides its name.
pub(super) const PART: u64 = (size_of::<crate::Part>() as u64).div_ceil(4);

/// The memory that a file may still unpack to, in words of 4 bytes, in proportion to its size. A letter of a name
/// counts as a word.
pub(super) struct Budget {
    left: u64,
    total: u64,
}

impl Budget {
    /// 16 MB: enough for a few hundred thousand vertices of small files.
    const FLOOR: u64 = 1 << 22;
    /// 64 bytes of memory. A file that shares nothing needs less than two words: a vertex is 12 bytes in binary files.
    const PER_BYTE: u64 = 16;

    pub(super) fn new(bytes: usize) -> Self {
        let total = Self::FLOOR.saturating_add(Self::PER_BYTE.saturating_mul(bytes as u64));
        Self { left: total, total }
    }

    /// Returns how many words are left.
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

    /// Takes `count` words for the item at `place`.
    pub(super) fn take(&mut self, count: u64, place: impl FnOnce() -> Place) -> Result<(), ReadError> {
        match self.left.checked_sub(count) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(ReadError::Unsupported {
                place: place(),
                what: format!(
                    "a model that unpacks to more than {} bytes, out of proportion to its size,",
                    self.total.saturating_mul(4)
                ),
                remedy: "apply scales and mirrors to the meshes, shorten their names, or split the file",
            }),
        }
    }
}
