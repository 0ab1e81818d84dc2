//! The work that one repair may cost, counted in units and not in time, so that results do not depend on the machine.
//!
//! In: the number of triangles of the input, and of the tests of pairs of them that a check takes. Out: whether work is
//! left, and whether something was refused.
//! Method: each check of a mesh after a step, each dynamic program and each test of a filling is charged. The counts of
//! the input are not charged. A check may take half of what is left. A check that needs more is refused, and other
//! steps go on. When not even a check is left, the repair starts no further step and returns the best state that it has
//! reached.
//! Guarantees: the same decisions in every run. At most 2¹⁹ + 2²⁴ units, and 1,024 more for each triangle. A unit is
//! 0.2 to 1 µs: at most 0.5 s for a small mesh, a millisecond more for each triangle, and 17 s more where the boxes of
//! a million pairs of triangles meet. Repairs usually take a tenth of that or less.

use std::cell::Cell;

/// Units for any mesh: at most half a second.
const FLOOR: u64 = 1 << 19;

/// Units for each triangle of the input: approximately 200 steps and checks of the whole mesh.
const PER_TRIANGLE: u64 = 1024;

/// Units for each test of a pair of triangles that the check of the input took: as many more such checks.
const PER_TEST: u64 = 16;

/// Maximum number of units for the tests of pairs in the check of the input.
const MAX_FOR_TESTS: u64 = 1 << 24;

/// Units for each triangle of a mesh that is checked: the step, its topology, the check, the automatic weld.
const CHECK: u64 = 4;

/// Interval splits of a dynamic program in a unit: each takes some 10 ns.
const SPLITS_IN_A_UNIT: u64 = 128;

/// The work that is left.
#[derive(Debug)]
pub(super) struct RepairWork {
    left: Cell<u64>,
    /// Something was refused since this was taken last.
    has_refused: Cell<bool>,
    /// Not even a check is left.
    is_over: Cell<bool>,
}

impl RepairWork {
    /// The budget for a mesh whose check took `tests` tests of pairs of triangles.
    pub(super) fn new(triangles: usize, tests: u64) -> Self {
        let for_tests = tests.saturating_mul(PER_TEST).min(MAX_FOR_TESTS);
        Self::of_units(FLOOR + PER_TRIANGLE * triangles as u64 + for_tests)
    }

    /// A budget of this many units.
    pub(super) fn of_units(units: u64) -> Self {
        Self { left: Cell::new(units), has_refused: Cell::new(false), is_over: Cell::new(units == 0) }
    }

    /// Work without a bound.
    pub(super) fn unbounded() -> Self {
        Self::of_units(u64::MAX)
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
        !self.is_over()
    }

    /// Charges a step that found nothing to do.
    pub(super) fn charge_step(&self, triangles: usize) {
        self.charge(triangles as u64);
    }

    /// Charges the splits of a dynamic program, if they take at most half of what is left. A refusal is not noted: the
    /// caller has a cheaper method.
    pub(super) fn allows_splits(&self, splits: u64) -> bool {
        let units = splits / SPLITS_IN_A_UNIT;
        let is_allowed = 2 * units < self.left.get();
        if is_allowed {
            self.charge(units);
        }
        is_allowed
    }

    /// Reports whether enough work is left to check a mesh; if not, no further step starts.
    pub(super) fn allows_check(&self, triangles: usize) -> bool {
        let is_allowed = CHECK * (triangles as u64) < self.left.get();
        if !is_allowed {
            self.is_over.set(true);
            self.refuse();
        }
        is_allowed
    }

    /// Notes that something was left undone for lack of work.
    pub(super) fn refuse(&self) {
        self.has_refused.set(true);
    }

    /// Reports whether something was refused since the last [`Self::take_refusal`].
    pub(super) fn has_refused(&self) -> bool {
        self.has_refused.get()
    }

    /// Reports whether something was refused, and forgets it.
    pub(super) fn take_refusal(&self) -> bool {
        self.has_refused.take()
    }

    /// Reports whether not even a check is left.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.get()
    }

    /// Sets half of what is left aside.
    pub(super) fn set_half_aside(&self) -> u64 {
        let half = self.left.get() / 2;
        self.left.set(self.left.get() - half);
        half
    }

    /// Adds what was set aside.
    pub(super) fn put_back(&self, units: u64) {
        self.left.set(self.left.get() + units);
        self.is_over.set(self.is_over() && units == 0);
    }

    fn charge(&self, units: u64) {
        let left = self.left.get().saturating_sub(units);
        self.left.set(left);
        if left == 0 {
            self.is_over.set(true);
        }
    }
}
