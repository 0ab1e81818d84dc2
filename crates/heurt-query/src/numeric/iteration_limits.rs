//! Iteration limits of loops without another end; builds with debug assertions count how often a limit is reached.
//!
//! In: the limit of a loop. Out: the range of its iterations.
//! Guarantees: without debug assertions `bounded` is the range itself, and `reached` is a no-op.

/// A search whose loop is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitedSearch {
    /// Steps of GJK.
    Gjk,
    /// Steps of a cast by GJK.
    GjkCast,
    /// Refinements of a portal.
    Portal,
    /// Corners of an expanding polytope.
    EpaCorners,
    /// Facets of an expanding polytope.
    EpaFacets,
    /// Moves between the features of two hulls.
    ClosestFeatures,
    /// Steps of the descent to a common point.
    OverlapDescent,
    /// Turns of the search for the depth of curved shapes.
    CurvedTurns,
}

/// Returns the iterations of a loop.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub(crate) fn bounded(_: LimitedSearch, most: u32) -> std::ops::Range<u32> {
    0..most
}

/// Records that a loop ends by its bound.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub(crate) fn reached(_: LimitedSearch) {}

#[cfg(debug_assertions)]
pub use counted::limits_reached;
#[cfg(debug_assertions)]
pub(crate) use counted::{bounded, reached};

#[cfg(debug_assertions)]
mod counted {
    use super::LimitedSearch;
    use std::cell::Cell;

    /// The number of searches.
    const KINDS: usize = LimitedSearch::CurvedTurns as usize + 1;

    thread_local! {
        static COUNTS: Cell<[u64; KINDS]> = const { Cell::new([0; KINDS]) };
    }

    /// Returns the iterations of a loop, and counts if it reaches its end.
    pub(crate) fn bounded(which: LimitedSearch, most: u32) -> impl Iterator<Item = u32> {
        let end = move || {
            reached(which);
            None
        };
        (0..most).chain(std::iter::from_fn(end))
    }

    pub(crate) fn reached(which: LimitedSearch) {
        let mut counts = COUNTS.get();
        counts[which as usize] += 1;
        COUNTS.set(counts);
    }

    /// Returns how often each bound was reached on this thread, in the order of [`LimitedSearch`].
    pub fn limits_reached() -> [u64; KINDS] {
        COUNTS.get()
    }
}
