//! One sorted list: the ends of all intervals along one axis.
//!
//! In: new values for the ends. Out: the list sorted again, and each exchange of a start with an end. Method: insertion
//! sort (S0 §6.1.2), linear where the order is nearly that of before. Starts go before ends of the same value, so that
//! intervals that touch overlap.

use super::super::ProxyId;

/// The start or the end of an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct End {
    pub value: f64,
    /// The id, doubled, and 1 for the greater end.
    pub tag: u32,
}

impl End {
    #[inline(always)]
    pub fn id(self) -> ProxyId {
        self.tag >> 1
    }

    #[inline(always)]
    pub fn is_after(self, other: Self) -> bool {
        (self.value > other.value) | ((self.value == other.value) & (self.tag & 1 > other.tag & 1))
    }
}

/// A list was too far from sorted.
#[derive(Debug, Clone, Copy)]
pub(super) struct TooManySwaps;

/// Sorts by insertion; `met` is told the ids of each start and end that change places, `swaps` counts all exchanges.
pub(super) fn insertion_sort(
    ends: &mut [End],
    limit: u64,
    swaps: &mut u64,
    mut met: impl FnMut(ProxyId, ProxyId),
) -> Result<(), TooManySwaps> {
    let mut done = 0u64;
    for i in 1..ends.len() {
        let end = ends[i];
        if !ends[i - 1].is_after(end) {
            continue;
        }
        let mut j = i;
        while j > 0 {
            let before = ends[j - 1];
            if !before.is_after(end) {
                break;
            }
            if (before.tag ^ end.tag) & 1 == 1 {
                met(before.id(), end.id());
            }
            ends[j] = before;
            j -= 1;
        }
        ends[j] = end;
        done += (i - j) as u64;
        if done > limit {
            *swaps += done;
            return Err(TooManySwaps);
        }
    }
    *swaps += done;
    Ok(())
}

/// Sorts from scratch.
pub(super) fn sort(ends: &mut [End]) {
    ends.sort_unstable_by(|x, y| {
        // −0 and 0 are the same place; NaN does not occur.
        let (a, b) = (x.value + 0.0, y.value + 0.0);
        a.total_cmp(&b).then((x.tag & 1).cmp(&(y.tag & 1))).then(x.tag.cmp(&y.tag))
    });
}
