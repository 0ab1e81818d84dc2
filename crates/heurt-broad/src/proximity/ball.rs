//! Distance and ball searches shared by all proximity structures.
//!
//! In: entries, and lower bounds of the offsets in cells. Out: the points in a ball, or the nearest points.
//! Method: a search decides by an offset whether any point at least that distant can count, and receives entries.
//! Guarantees: distances neither overflow nor vanish: a ball is scaled by a power of two to a radius near 1, a distance
//! to a largest coordinate near 1, if needed. Rounding is monotone, so a cell is dismissed only if each point that is
//! at least as far along each axis is dismissed too.

use super::{Neighbour, ProximityEntry};
use heurt_geometry::Vec3;
use std::collections::BinaryHeap;

/// A search among entries.
pub(super) trait BallSearch {
    /// Whether visiting near cells first helps.
    const NEAR_FIRST: bool;
    /// Returns the centre of the search.
    fn centre(&self) -> Vec3;
    /// Reports whether a point can count whose offset is at least as large as `offset`, coordinate by coordinate.
    fn admits(&self, offset: Vec3) -> bool;
    /// Processes entries.
    fn take(&mut self, entries: &[ProximityEntry]);
}

/// A structure that feeds searches.
pub(super) trait Searchable {
    /// Passes to `search` all entries that it might admit.
    fn search<S: BallSearch>(&self, search: &mut S);
    /// Returns the number of entries.
    fn count(&self) -> usize;
}

/// Finds all points of `index` in a ball.
pub(super) fn within(index: &impl Searchable, centre: Vec3, radius: f64, found: &mut Vec<u32>) {
    found.clear();
    if let Some(mut ball) = Ball::new(centre, radius, found) {
        index.search(&mut ball);
        found.sort_unstable();
    }
}

/// Returns the nearest points of `index`.
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

/// Returns 2^exponent for |exponent| ≤ 1000.
fn power(exponent: i32) -> f64 {
    libm::ldexp(1.0, exponent.clamp(-1000, 1000))
}

impl<'a> Ball<'a> {
    /// Creates a ball; returns `None` for a ball without points.
    pub fn new(centre: Vec3, radius: f64, found: &'a mut Vec<u32>) -> Option<Self> {
        if !(radius >= 0.0 && centre.is_finite()) {
            return None;
        }
        // For a radius near 1 the square is exact enough; numbers that overflow or vanish relative to it are far
        // outside or inside.
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

/// Returns the length of a vector, rounded in the same manner whether or not its squares are in the range of `f64`.
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

/// The k nearest points found.
pub(super) struct Nearest {
    centre: Vec3,
    k: usize,
    best: BinaryHeap<Candidate>,
    /// Points at a greater distance do not count.
    limit: f64,
}

impl Nearest {
    pub fn new(centre: Vec3, k: usize) -> Self {
        Self { centre, k, best: BinaryHeap::with_capacity(k), limit: f64::INFINITY }
    }

    /// Returns the distance beyond which no point counts: infinite until k points are found.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// Returns the points, nearest first.
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
        // Lengths are monotone except for the last bit, at the threshold of scaling.
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
