//! Work counts of a walk: the N of the cost function T = N_v·C_v + N_p·C_p + N_u·C_u (S0 §4.5.1).

use std::ops::{Add, AddAssign};

/// Counts of tests and updates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Volumes tested (N_v): each child of an opened node counts.
    pub volumes: u64,
    /// Primitives or pairs of primitives tested (N_p).
    pub primitives: u64,
    /// Volumes updated by a refit, and relative poses of tree pairs: the only updates of rigid motion (N_u).
    pub updates: u64,
}

impl Add for Work {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            volumes: self.volumes + other.volumes,
            primitives: self.primitives + other.primitives,
            updates: self.updates + other.updates,
        }
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
