//! What all structures share: the distance, and the two searches that a structure feeds.
//!
//! In: entries, and lower bounds of what lies in cells. Out: those in a ball, or the nearest.
//! Method: a search tells by an offset whether anything that far away may count, and takes entries.
//! Guarantees: distances neither overflow nor vanish: a ball is scaled by a power of two to a radius near 1, a distance
//! to a largest coordinate near 1, where it is needed. Rounding is monotone, so that a cell is dismissed only if each
//! point that is at least as far along each axis is dismissed too.

use super::{Neighbour, ProximityEntry};
use heurt_geometry::Vec3;
use std::collections::BinaryHeap;

/// Something that is looked for among entries.
pub(super) trait BallSearch {
    /// Reports whether it helps to look at near cells first.
    const NEAR_FIRST: bool;
    /// Where from.
    fn centre(&self) -> Vec3;
    /// Reports whether a point may count whose offset is at least as large as `offset`, coordinate by coordinate.
    fn admits(&self, offset: Vec3) -> bool;
    /// Looks at entries.
    fn take(&mut self, entries: &[ProximityEntry]);
}

/// A structure that feeds searches.
pub(super) trait Searchable {
    /// Gives `search` all entries that it might admit.
    fn search<S: BallSearch>(&self, search: &mut S);
    /// How many entries there are.
    fn count(&self) -> usize;
}

/// All points of `index` in a ball.
pub(super) fn within(index: &impl Searchable, centre: Vec3, radius: f64, found: &mut Vec<u32>) {
    found.clear();
    if let Some(mut ball) = Ball::new(centre, radius, found) {
        index.search(&mut ball);
        found.sort_unstable();
    }
}

/// The nearest points of `index`.
pub(super) fn nearest(index: &impl Searchable, centre: Vec3, k: usize) -> Vec<Neighbour> {
    let mut nearest = Nearest::new(centre, k.min(index.count()));
    if k > 0 && centre.is_finite() {
        index.search(&mut nearest);
    }
    nearest.sorted()
}

/// The closed ball.
pub(super) struct Ball<'a> {
    centre: Vec3,
    scale: f64,
    limit_sq: f64,
    found: &'a mut Vec<u32>,
}

/// 2^exponent for |exponent| ≤ 1000.
fn power(exponent: i32) -> f64 {
    libm::ldexp(1.0, exponent.clamp(-1000, 1000))
}

impl<'a> Ball<'a> {
    /// `None` for a ball without points.
    pub fn new(centre: Vec3, radius: f64, found: &'a mut Vec<u32>) -> Option<Self> {
        if !(radius >= 0.0 && centre.is_finite()) {
            return None;
        }
        // Of a radius near 1 the square is exact enough, and what overflows or vanishes next to it is far outside or
        // within.
        let scale = match radius {
            0.0 => power(1000),
            radius if radius.is_infinite() => 1.0,
            radius if (1e-100..=1e100).contains(&radius) => 1.0,
            radius => power(-libm::frexp(radius).1),
        };
        let scaled = radius * scale;
        Some(Self { centre, scale, limit_sq: scaled * scaled, found })
    }
}

impl BallSearch for Ball<'_> {
    const NEAR_FIRST: bool = false;

    #[inline(always)]
    fn centre(&self) -> Vec3 {
        self.centre
    }

    #[inline(always)]
    fn admits(&self, offset: Vec3) -> bool {
        (offset * self.scale).length_squared() <= self.limit_sq
    }

    #[inline(always)]
    fn take(&mut self, entries: &[ProximityEntry]) {
        for entry in entries {
            if self.admits(entry.at - self.centre) {
                self.found.push(entry.point);
            }
        }
    }
}

/// The length of a vector, rounded alike whether its squares are in the range of `f64` or not.
#[inline(always)]
pub(super) fn length(offset: Vec3) -> f64 {
    let largest = offset.abs().max_element();
    if (1e-100..=1e100).contains(&largest) {
        offset.length_squared().sqrt()
    } else if largest == 0.0 || largest.is_infinite() {
        largest
    } else {
        let scale = power(-libm::frexp(largest).1);
        (offset * scale).length_squared().sqrt() / scale
    }
}

/// A candidate of a nearest search; the worst is the greatest.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Candidate(Neighbour);

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.distance.total_cmp(&other.0.distance).then(self.0.point.cmp(&other.0.point))
    }
}

/// The k nearest so far.
pub(super) struct Nearest {
    centre: Vec3,
    k: usize,
    best: BinaryHeap<Candidate>,
    /// Nothing farther counts any more.
    limit: f64,
}

impl Nearest {
    pub fn new(centre: Vec3, k: usize) -> Self {
        Self { centre, k, best: BinaryHeap::with_capacity(k), limit: f64::INFINITY }
    }

    /// The distance beyond which nothing counts: infinite until there are k.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// Nearest first.
    pub fn sorted(self) -> Vec<Neighbour> {
        self.best.into_sorted_vec().into_iter().map(|candidate| candidate.0).collect()
    }
}

impl BallSearch for Nearest {
    const NEAR_FIRST: bool = true;

    #[inline(always)]
    fn centre(&self) -> Vec3 {
        self.centre
    }

    #[inline(always)]
    fn admits(&self, offset: Vec3) -> bool {
        // Lengths are monotone but for the last bit, where scaling begins.
        length(offset) * (1.0 - 1e-15) <= self.limit
    }

    #[inline(always)]
    fn take(&mut self, entries: &[ProximityEntry]) {
        for entry in entries {
            let candidate = Candidate(Neighbour { point: entry.point, distance: length(entry.at - self.centre) });
            if self.best.len() < self.k {
                self.best.push(candidate);
            } else if let Some(mut worst) = self.best.peek_mut()
                && candidate < *worst
            {
                *worst = candidate;
            }
            if self.best.len() == self.k
                && let Some(worst) = self.best.peek()
            {
                self.limit = worst.0.distance;
            }
        }
    }
}
