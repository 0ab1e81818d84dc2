//! Budgets of work or time, the meter of the work done, and partial answers.

use heurt_bvh::Work;
use std::cell::Cell;
use std::convert::Infallible;

/// The limits of a query's cost.
#[derive(Clone, Copy, Default)]
pub struct Budget<'a> {
    /// Units of work; `None` for no limit. A unit is a tested volume of a tree, or a tested pair of primitives
    /// (triangles, convex shapes, patches of superquadrics, features of deforming meshes). For moving shapes a unit
    /// counts once for each time at which it is tested.
    pub work: Option<u64>,
    /// Reports whether time is over; `None` for no limit.
    pub is_over: Option<&'a dyn Fn() -> bool>,
}

impl std::fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget").field("work", &self.work).field("is_over", &self.is_over.is_some()).finish()
    }
}

impl Budget<'_> {
    fn is_spent(&self, done: &Work) -> bool {
        self.work.is_some_and(|most| done.volumes + done.primitives >= most) || self.is_over.is_some_and(|over| over())
    }
}

/// The work meter of one query: the work done by its searches, the rest of the budget, and whether a search was
/// interrupted.
///
/// Each function that does work records it here once, when it is done; work of called functions is not recorded again.
#[derive(Default)]
pub(crate) struct WorkMeter<'b> {
    budget: Option<&'b Budget<'b>>,
    done: Cell<Work>,
    was_interrupted: Cell<bool>,
}

impl<'b> WorkMeter<'b> {
    pub(crate) fn of(budget: &'b Budget<'b>) -> Self {
        let is_limited = budget.work.is_some() || budget.is_over.is_some();
        Self { budget: is_limited.then_some(budget), ..Self::default() }
    }

    /// Reports whether the query has a budget.
    pub(crate) fn is_limited(&self) -> bool {
        self.budget.is_some()
    }

    /// Reports whether the budget is exhausted; the query is then interrupted.
    #[inline(always)]
    pub(crate) fn is_exhausted(&self) -> bool {
        self.is_exhausted_after(&Work::default())
    }

    /// [`Self::is_exhausted`], including the work that a running search has `done`.
    #[inline(always)]
    pub(crate) fn is_exhausted_after(&self, done: &Work) -> bool {
        self.budget.is_some_and(|budget| self.ends_within(budget, *done))
    }

    /// Once exhausted, the budget stays exhausted and is not checked again.
    fn ends_within(&self, budget: &Budget<'_>, done: Work) -> bool {
        if !self.was_interrupted.get() {
            self.was_interrupted.set(budget.is_spent(&(self.done.get() + done)));
        }
        self.was_interrupted.get()
    }

    /// Records the work of a completed search.
    #[inline(always)]
    pub(crate) fn add(&self, done: Work) {
        self.done.set(self.done.get() + done);
    }

    /// Records a tested pair of primitives.
    #[inline(always)]
    pub(crate) fn add_pair(&self) {
        self.add(Work { primitives: 1, ..Work::default() });
    }

    pub(crate) fn done(&self) -> Work {
        self.done.get()
    }

    pub(crate) fn was_interrupted(&self) -> bool {
        self.was_interrupted.get()
    }
}

/// A complete answer, or the part found within the budget.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Budgeted<T, B> {
    /// The answer.
    Complete(T),
    /// The partial result.
    Partial(B),
}

impl<T, P> Budgeted<T, P> {
    /// Returns the answer; `None` if the budget ended first.
    pub fn complete(self) -> Option<T> {
        match self {
            Self::Complete(answer) => Some(answer),
            Self::Partial(_) => None,
        }
    }
}

/// The answer of a verb called with options, and the work done.
///
/// `P` is what is known when the budget ends first; [`Infallible`] for the verbs that no budget ends.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::{DistanceOptions, distance_with};
/// use heurt_shape::Convex;
/// let (ball, wall) = (Convex::sphere(0.5)?, Convex::half_space(Vec3::X, 0.0)?);
/// let at = Pose::from_translation(Vec3::X * 2.0)?;
/// let answer = distance_with(&ball, &at, &wall, &Pose::IDENTITY, &DistanceOptions::default());
/// assert_eq!(answer.work.primitives, 1);
/// assert_eq!(answer.complete().flatten().map(|found| found.distance), Some(1.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer<T, P = Infallible> {
    /// The answer, or what is known without it.
    pub outcome: Budgeted<T, P>,
    /// Volumes and primitives that were tested.
    pub work: Work,
}

impl<T, P> Answer<T, P> {
    /// Returns the answer without the work; `None` if the budget ended first.
    pub fn complete(self) -> Option<T> {
        self.outcome.complete()
    }
}

impl<T> Answer<T, T> {
    /// The result of a search; if the budget ended first, the part that was found by then.
    pub(crate) fn of_search(found: T, meter: &WorkMeter<'_>) -> Self {
        let outcome = if meter.was_interrupted() { Budgeted::Partial(found) } else { Budgeted::Complete(found) };
        Self { outcome, work: meter.done() }
    }
}

impl<T> Answer<T> {
    pub(crate) fn whole(answer: T, work: Work) -> Self {
        Self { outcome: Budgeted::Complete(answer), work }
    }

    /// Returns the answer of a verb that no budget ends, without the work.
    pub fn value(self) -> T {
        let Budgeted::Complete(answer) = self.outcome;
        answer
    }
}

/// Lower and upper bound of a distance, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DistanceBounds {
    /// Lower bound; 0 if nothing is known.
    pub at_least: f64,
    /// Upper bound; infinite if nothing is known.
    pub at_most: f64,
}

impl DistanceBounds {
    pub(crate) const UNKNOWN: Self = Self { at_least: 0.0, at_most: f64::INFINITY };
}
