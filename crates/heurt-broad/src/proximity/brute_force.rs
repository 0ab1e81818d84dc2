//! Brute-force proximity search over all points: the right choice for few points, and the reference for all others.
//!
//! Cost: O(n) a query.

use super::ball::{self, BallSearch, Searchable};
use super::{Neighbour, PointProximity, ProximityEntry, ProximityError};
use heurt_geometry::Vec3;

/// A list of points.
#[derive(Debug, Clone, Default)]
pub struct BruteForceProximity {
    entries: Vec<ProximityEntry>,
}

impl BruteForceProximity {
    /// Creates the list from points, in metres.
    ///
    /// # Errors
    /// [`ProximityError`] names the first offending point.
    pub fn new(points: &[Vec3]) -> Result<Self, ProximityError> {
        let mut list = Self::default();
        list.rebuild(points)?;
        Ok(list)
    }
}

impl Searchable for BruteForceProximity {
    fn search<S: BallSearch>(&self, search: &mut S) {
        search.take(&self.entries);
    }

    fn count(&self) -> usize {
        self.entries.len()
    }
}

impl PointProximity for BruteForceProximity {
    fn rebuild(&mut self, points: &[Vec3]) -> Result<(), ProximityError> {
        super::take(points, &mut self.entries)
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn within(&self, point: Vec3, radius: f64, found: &mut Vec<u32>) {
        ball::within(self, point, radius, found);
    }

    fn nearest(&self, point: Vec3, k: usize) -> Vec<Neighbour> {
        ball::nearest(self, point, k)
    }
}
