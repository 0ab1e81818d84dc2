//! Budget of the exact solves within a step of [`Response::Auto`], counted in units of work.
//!
//! - In: the iterations of each solve, its unknowns, the bodies of its island.
//! - Out: the bodies whose islands took most of the work, once the budget is spent.
//! - Method: a unit is one iteration over one unknown. The work of an island counts for each of its bodies, over all
//!   pieces of the step and all attempts at it. Bodies with at least half of the most work are left to soft steps
//!   together, so that few attempts suffice.
//! - Guarantees: no clock is read; the same bodies on each machine and for any number of threads. Islands that need the
//!   exact solver (a precise body, extreme masses) have no budget.
//!
//! [`Response::Auto`]: crate::Response::Auto

use std::collections::BTreeMap;

/// Units of work that one core does in a second: measured with dominoes that fall on each other.
const UNITS_PER_SECOND: f64 = 4e6;

/// Time for exact solves as a multiple of the length of the step.
const STEPS: f64 = 3.0;

/// Work of the exact solver within a step.
#[derive(Debug, Clone, Default)]
pub(crate) struct StepWork {
    /// By place of the body, of islands with a budget since the last excess.
    units: BTreeMap<u32, u64>,
    total: u64,
    /// Units of all solves of the step, over all attempts at it.
    spent: u64,
}

impl StepWork {
    /// Adds a solve of an island with bodies at these places; `None` for an island without a budget.
    pub(crate) fn add(&mut self, places: Option<impl Iterator<Item = u32>>, iterations: u32, unknowns: usize) {
        let units = u64::from(iterations) * unknowns as u64;
        self.spent += units;
        let Some(places) = places else { return };
        self.total += units;
        for place in places {
            *self.units.entry(place).or_default() += units;
        }
    }

    /// Begins again and returns the bodies with the most work, if the work exceeds the budget of `dt` seconds.
    pub(crate) fn take_excess(&mut self, dt: f64) -> Option<Vec<u32>> {
        if self.total as f64 <= STEPS * UNITS_PER_SECOND * dt {
            return None;
        }
        self.total = 0;
        let units = std::mem::take(&mut self.units);
        let most = units.values().copied().max().unwrap_or_default();
        Some(units.into_iter().filter(|(_, units)| 2 * units >= most).map(|(place, _)| place).collect())
    }

    /// Returns the units of all solves of the step, over all attempts at it.
    pub(crate) fn spent(&self) -> u64 {
        self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_islands_with_the_most_work_are_left_out_together() {
        let mut work = StepWork::default();
        let dt = 1.0 / 60.0;
        let budget = (STEPS * UNITS_PER_SECOND * dt) as u32;
        work.add(Some([1, 2].into_iter()), 1, 100);
        work.add(Some([3, 4].into_iter()), budget / 4, 1);
        work.add(Some([5].into_iter()), budget / 3, 1);
        assert_eq!(work.take_excess(dt), None);
        assert!(work.total <= u64::from(budget));
        work.add(Some([3, 4].into_iter()), budget / 2, 1);
        assert_eq!(work.take_excess(dt), Some(vec![3, 4]));
        assert_eq!((work.total, work.take_excess(dt)), (0, None), "a fresh budget for the others");
        let before = work.spent();
        work.add(None::<std::iter::Empty<u32>>, budget, 9);
        assert_eq!((work.take_excess(dt), work.spent()), (None, before + 9 * u64::from(budget)), "without a budget");
        work.add(Some([5, 6].into_iter()), budget, 1);
        work.add(Some([7].into_iter()), budget / 2 + 1, 1);
        assert_eq!(work.take_excess(dt), Some(vec![5, 6, 7]));
    }
}
