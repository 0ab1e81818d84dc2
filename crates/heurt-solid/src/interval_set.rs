//! Sets of intervals of a line, with the leaf that caused each end.
//!
//! In: closed intervals. Out: union, intersection and difference (Roth 1982).
//! Method: both lists of ends are merged in ascending order with two flags. Intervals begin and end where the
//! combination of the flags changes.
//! Guarantees: intervals are ascending and disjoint, and none has length 0: results are regularised. Intervals that
//! touch become one.
//! Cost: O(n + m).

/// One end of an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalEnd {
    /// The parameter on the line.
    pub t: f64,
    /// The leaf whose boundary causes the end; of an end of the ray, `u32::MAX`.
    pub leaf: u32,
}

/// A set of ascending and disjoint closed intervals.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IntervalSet {
    ends: Vec<IntervalEnd>,
}

impl IntervalSet {
    /// Creates the set of ascending and disjoint intervals, whose ends a leaf causes.
    pub fn from_intervals(intervals: &[[f64; 2]], leaf: u32) -> Self {
        let mut set = Self::default();
        for &[from, to] in intervals {
            set.push(IntervalEnd { t: from, leaf }, IntervalEnd { t: to, leaf });
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
            let end = match next {
                [Some(a), Some(b)] if b.t < a.t => *b,
                [Some(a), _] => *a,
                [None, Some(b)] => *b,
                [None, None] => return result,
            };
            // All ends at one parameter count together.
            while self.ends.get(i).is_some_and(|a| a.t == end.t) {
                i += 1;
            }
            while other.ends.get(j).is_some_and(|b| b.t == end.t) {
                j += 1;
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
