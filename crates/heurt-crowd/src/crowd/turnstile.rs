//! Turnstile: how many persons may pass at a largest flow.
//!
//! In: persons that the flow lets pass in a step. Out: whether a person may pass.
//! Guarantees: fractions are kept, so that the mean flow is exact; a turnstile that was not used lets pass one person
//! more than those of the step, not a crowd. Cost: O(1).

/// Persons that may pass.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Turnstile(f64);

impl Turnstile {
    /// A turnstile that lets a person pass at once.
    pub const READY: Self = Self(1.0);

    /// Adds the persons of a step.
    pub fn grow(&mut self, persons: f64) {
        self.0 = (self.0 + persons).min(1.0 + persons);
    }

    /// Reports whether more than `promised` persons may pass.
    pub fn is_open(&self, promised: u32) -> bool {
        self.0 - f64::from(promised) >= 1.0
    }

    /// Counts a person that passes.
    pub fn count(&mut self) {
        self.0 -= 1.0;
    }
}
