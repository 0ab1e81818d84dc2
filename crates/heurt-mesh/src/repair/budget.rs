//! The work that one repair may cost, counted in units and not in time, so that results do not depend on the machine.
//!
//! In: the number of triangles of the input, and of the tests of pairs of them that a check takes. Out: whether work is
//! left.
//! Method: each check of a mesh, each dynamic program and each test of a filling is charged. When nothing is left, the
//! repair starts no further step and returns the best state that it has reached.
//! Guarantees: the same decisions in every run. A unit is 0.2 to 1 µs, so a mesh of 300 triangles takes at most about a
//! second, and a larger one about half a millisecond for each triangle; repairs usually take a tenth of that.

use std::cell::Cell;

/// Units for any mesh: a quarter of a second.
const FLOOR: u64 = 1 << 19;

/// Units for each triangle of the input: approximately 200 steps and checks of the whole mesh.
const PER_TRIANGLE: u64 = 1024;

/// Units for each test of a pair of triangles that the check of the input took: so many more such checks.
const PER_TEST: u64 = 16;

/// Units for each triangle of a mesh that is checked: the step, its topology, the check, the automatic weld.
const CHECK: u64 = 4;

/// Interval splits of a dynamic program in a unit: each takes some 10 ns.
const SPLITS_IN_A_UNIT: u64 = 128;

/// The work that is left.
#[derive(Debug)]
pub(super) struct RepairWork {
    left: Cell<u64>,
    /// Something was left undone for want of work.
    is_spent: Cell<bool>,
}

impl RepairWork {
    /// The budget for a mesh whose check took `tests` tests of pairs of triangles.
    pub(super) fn new(triangles: usize, tests: u64) -> Self {
        let units = FLOOR + PER_TRIANGLE * triangles as u64;
        Self { left: Cell::new(units.saturating_add(tests.saturating_mul(PER_TEST))), is_spent: Cell::new(false) }
    }

    /// Charges the check of a mesh without the tests of pairs; returns the number of tests that it may take.
    ///
    /// That is half of what is left, so that a step with a hopeless result leaves work for others.
    pub(super) fn start_check(&self, triangles: usize) -> u64 {
        self.charge(CHECK * triangles as u64);
        self.left.get() / 2
    }

    /// Charges tests of pairs of triangles; reports whether work is left.
    pub(super) fn charge_tests(&self, tests: u64) -> bool {
        self.charge(tests);
        !self.is_spent()
    }

    /// Charges a step that found nothing to do.
    pub(super) fn charge_step(&self, triangles: usize) {
        self.charge(triangles as u64);
    }

    /// Charges the splits of a dynamic program, if they take at most half of what is left.
    pub(super) fn allows_splits(&self, splits: u64) -> bool {
        let units = splits / SPLITS_IN_A_UNIT;
        let is_allowed = self.allows(2 * units);
        if is_allowed {
            self.charge(units);
        }
        is_allowed
    }

    /// Reports whether enough work is left to check a mesh.
    pub(super) fn allows_check(&self, triangles: usize) -> bool {
        self.allows(CHECK * triangles as u64)
    }

    /// Reports whether work was refused, or none is left.
    pub(super) fn is_spent(&self) -> bool {
        self.is_spent.get()
    }

    /// Sets half of what is left aside.
    pub(super) fn set_half_aside(&self) -> u64 {
        let half = self.left.get() / 2;
        self.left.set(self.left.get() - half);
        half
    }

    /// Adds what was set aside; reports whether work was refused until then.
    pub(super) fn put_back(&self, units: u64) -> bool {
        self.left.set(self.left.get() + units);
        self.is_spent.replace(units == 0)
    }

    fn allows(&self, units: u64) -> bool {
        let is_allowed = units < self.left.get();
        if !is_allowed {
            self.is_spent.set(true);
        }
        is_allowed
    }

    fn charge(&self, units: u64) {
        let left = self.left.get().saturating_sub(units);
        self.left.set(left);
        if left == 0 {
            self.is_spent.set(true);
        }
    }
}
