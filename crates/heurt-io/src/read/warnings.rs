//! A list of what a reader skips: one entry for each kind, with its count and first place.
//!
//! In: kind, place and text of each skipped item. Out: [`Warning`]s in order of first occurrence.
//! Cost: O(kinds) an item; kinds are constants of the readers, so there are at most some dozens.

use crate::error::quoted;
use crate::{Place, Warning};

/// What was skipped so far.
#[derive(Default)]
pub(super) struct Warnings(Vec<Warning>);

impl Warnings {
    /// Counts a skipped item. `what` is its plural; `place` and `found` are kept for the first item of this kind.
    pub(super) fn add(&mut self, what: &'static str, place: impl FnOnce() -> Place, found: &str) {
        match self.0.iter_mut().find(|warning| warning.what == what) {
            Some(warning) => warning.count += 1,
            None => {
                let found = if found.is_empty() { String::new() } else { quoted(found.as_bytes()) };
                self.0.push(Warning { what, count: 1, place: place(), found });
            }
        }
    }

    /// Returns the warnings.
    pub(super) fn into_list(self) -> Vec<Warning> {
        self.0
    }
}
