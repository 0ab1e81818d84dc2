//! Sets of intervals of a line, with the leaf that caused each end.
//!
//! In: closed intervals. Out: union, intersection and difference (Roth 1982).
//! Method: both lists of ends are merged in ascending order with two flags. Intervals begin and end where the
//! combination of the flags changes.
//! Ends that agree within the sum of their errors are one end. It has the parameter and the leaf of the lowest leaf.
//! Guarantees: intervals are ascending and disjoint, and none has length 0: results are regularised. Intervals that
//! touch become one. Operations drop intervals, and join intervals across gaps, that are no longer than the errors of
//! their ends. Ends without an error are compared exactly.
//! Cost: O(n + m).

use smallvec::SmallVec;

/// One end of an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalEnd {
    /// The parameter on the line.
    pub t: f64,
    /// The leaf whose boundary causes the end; of an end of the ray, `u32::MAX`.
    pub leaf: u32,
    /// A bound of the rounding of the parameter, at least 0.
    pub error: f64,
}

impl IntervalEnd {
    /// Reports whether a later end may be the same parameter.
    fn agrees_with(&self, later: &Self) -> bool {
        later.t == self.t || later.t - self.t <= self.error + later.error
    }
}

/// A set of ascending and disjoint closed intervals.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IntervalSet {
    /// Two intervals, as a ray through a simple solid has, are held without memory of their own.
    ends: SmallVec<[IntervalEnd; 4]>,
}

impl IntervalSet {
    /// Creates the set of ascending and disjoint intervals, whose ends a leaf causes, without errors.
    pub fn from_intervals(intervals: &[[f64; 2]], leaf: u32) -> Self {
        Self::from_ends(intervals.iter().map(|interval| interval.map(|t| IntervalEnd { t, leaf, error: 0.0 })))
    }

    /// Creates the set of ascending and disjoint intervals with the given ends.
    ///
    /// ```
    /// use heurt_solid::{IntervalEnd, IntervalSet};
    /// let set = |from: f64, to: f64, leaf: u32| {
    ///     IntervalSet::from_ends([[from, to].map(|t| IntervalEnd { t, leaf, error: 1e-15 })])
    /// };
    /// let (block, tool) = (set(1.0, 3.0, 0), set(1.0 + f64::EPSILON, 2.0, 1));
    /// let rest = block.difference(&tool);
    /// assert_eq!(rest.intervals().collect::<Vec<_>>(), [[2.0, 3.0]], "no sliver is left at 1");
    /// assert_eq!(tool.union(&block).ends()[0].leaf, 0, "the lowest leaf has the common end");
    /// ```
    pub fn from_ends(intervals: impl IntoIterator<Item = [IntervalEnd; 2]>) -> Self {
        let mut set = Self::default();
        for [from, to] in intervals {
            set.push(from, to);
        }
        set
    }

    /// Appends an interval; one of length 0 is left out, and one that touches the last is joined to it.
    fn push(&mut self, from: IntervalEnd, to: IntervalEnd) {
        if from.t >= to.t || from.t.is_nan() || to.t.is_nan() {
            return;
        }
        match self.ends.last_mut() {
            Some(last) if last.t >= from.t => *last = if to.t > last.t { to } else { *last },
            _ => self.ends.extend([from, to]),
        }
    }

    /// Reports whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the intervals.
    pub fn intervals(&self) -> impl ExactSizeIterator<Item = [f64; 2]> {
        self.ends.chunks_exact(2).map(|pair| [pair[0].t, pair[1].t])
    }

    /// Returns the ends in ascending order: beginnings and ends alternate.
    pub fn ends(&self) -> &[IntervalEnd] {
        &self.ends
    }

    /// Returns the sum of the lengths.
    pub fn length(&self) -> f64 {
        self.intervals().map(|[from, to]| to - from).sum()
    }

    /// Computes the union.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.combined(other, |a, b| a || b)
    }

    /// Computes the intersection.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.combined(other, |a, b| a && b)
    }

    /// Computes the closure of the difference.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.combined(other, |a, b| a && !b)
    }

    fn combined(&self, other: &Self, combine: impl Fn(bool, bool) -> bool) -> Self {
        let (mut i, mut j, mut begun, mut result) = (0, 0, None, Self::default());
        loop {
            let next = [self.ends.get(i), other.ends.get(j)];
            let first = match next {
                [Some(a), Some(b)] if b.t < a.t => *b,
                [Some(a), _] => *a,
                [None, Some(b)] => *b,
                [None, None] => return result,
            };
            // All ends that agree with the first count together.
            let mut end = first;
            for (ends, next) in [(&self.ends, &mut i), (&other.ends, &mut j)] {
                while let Some(later) = ends.get(*next).filter(|later| first.agrees_with(later)) {
                    if later.leaf < end.leaf {
                        end = *later;
                    }
                    *next += 1;
                }
            }
            match (begun, combine(i % 2 == 1, j % 2 == 1)) {
                (None, true) => begun = Some(end),
                (Some(from), false) => {
                    result.push(from, end);
                    begun = None;
                }
                _ => {}
            }
        }
    }
}
