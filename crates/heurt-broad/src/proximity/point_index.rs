//! Point index: the points near a point, over points of which some move.
//!
//! In: points in metres, numbered by their positions in the input; moves of some of them. Out: as [`PointProximity`].
//! Method: up to 32 points are a list. If a radius of the queries is given, and a grid with cells of that size has few
//! enough cells, the points are in a [`NeighbourGrid`]; else in a [`KdTree`]. Points that move are taken out of the
//! structure by a mark, and kept in a list next to it. The structure is rebuilt when an eighth of the points is in the
//! list.
//! Guarantees: as the module above: the answers are bit by bit the answers of
//! [`BruteForceProximity`](super::BruteForceProximity), after any updates. Same calls, same answers.
//! Not guaranteed: that no structure would be faster for some points; any other structure has the same answers.
//! Cost: as the grid or the tree; O(log n) a moved point, amortised; each query O(moved points in the list) more.

use super::ball::{self, Ball, BallSearch, Nearest, Searchable};
use super::{KdTree, Neighbour, NeighbourGrid, PointProximity, ProximityEntry, ProximityError, take};
use heurt_geometry::{Aabb, Vec3};

/// Up to this number, points are a list.
const MAX_LISTED: usize = 32;

/// Points in the list by points of the structure, at which the structure is rebuilt.
const LOOSE_SHARE: usize = 8;

/// The place of no point.
const SETTLED: u32 = u32::MAX;

/// An index over points.
///
/// ```
/// use heurt_broad::{PointIndex, PointProximity};
/// use heurt_geometry::Vec3;
/// let points: Vec<Vec3> = (0..100).map(|k| Vec3::X * f64::from(k)).collect();
/// let mut index = PointIndex::with_radius(&points, 1.5)?;
/// let mut found = Vec::new();
/// index.within(Vec3::X * 50.0, 1.5, &mut found);
/// assert_eq!(found, [49, 50, 51]);
/// index.update(&[(7, Vec3::X * 50.5), (50, Vec3::ZERO)])?;
/// index.within(Vec3::X * 50.0, 1.5, &mut found);
/// assert_eq!(found, [7, 49, 51]);
/// assert_eq!(index.nearest(Vec3::X * 50.5, 1)[0].point, 7);
/// # Ok::<(), heurt_broad::ProximityError>(())
/// ```
#[derive(Debug, Clone)]
pub struct PointIndex {
    points: Vec<Vec3>,
    /// The radius of the queries, if it is known.
    radius: Option<f64>,
    structure: PointStructure,
    /// Points that have moved since the structure was built, or all points of a list.
    loose: Vec<ProximityEntry>,
    /// The place of each point in `loose`, or [`SETTLED`].
    loose_at: Vec<u32>,
}

/// The structure over the points that have not moved.
#[derive(Debug, Clone)]
enum PointStructure {
    List,
    Grid(NeighbourGrid),
    Tree(KdTree),
}

impl PointIndex {
    /// Builds an index for queries of any radius.
    ///
    /// # Errors
    /// [`ProximityError`] names the first offending point.
    pub fn new(points: &[Vec3]) -> Result<Self, ProximityError> {
        Self::build(points, None)
    }

    /// Builds an index for queries of approximately this radius, in metres; queries of any other radius have the same
    /// answers more slowly. A radius that is not a positive length counts as unknown.
    ///
    /// # Errors
    /// [`ProximityError`] names the first offending point.
    pub fn with_radius(points: &[Vec3], radius: f64) -> Result<Self, ProximityError> {
        Self::build(points, Some(radius).filter(|radius| *radius > 0.0 && (1.0 / radius).is_normal()))
    }

    fn build(points: &[Vec3], radius: Option<f64>) -> Result<Self, ProximityError> {
        let (structure, loose, loose_at) = (PointStructure::List, Vec::new(), Vec::new());
        let mut index = Self { points: Vec::new(), radius, structure, loose, loose_at };
        index.rebuild(points)?;
        Ok(index)
    }

    /// Returns the points as they are now.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Moves points, given by their numbers; a point that comes twice is at the last place.
    ///
    /// # Errors
    /// [`ProximityError::NoPoint`], [`ProximityError::NotFinite`]; nothing has moved then.
    pub fn update(&mut self, moves: &[(u32, Vec3)]) -> Result<(), ProximityError> {
        for &(point, position) in moves {
            if point as usize >= self.points.len() {
                return Err(ProximityError::NoPoint { point, count: self.points.len() });
            }
            if !position.is_finite() {
                return Err(ProximityError::NotFinite { point: point as usize, position });
            }
        }
        for &(point, at) in moves {
            self.points[point as usize] = at;
            let place = &mut self.loose_at[point as usize];
            if *place == SETTLED {
                *place = self.loose.len() as u32;
                self.loose.push(ProximityEntry { at, point });
            } else {
                self.loose[*place as usize].at = at;
            }
        }
        let is_list = matches!(self.structure, PointStructure::List);
        if !is_list && self.loose.len() > self.points.len() / LOOSE_SHARE {
            self.settle()?;
        }
        Ok(())
    }

    /// Builds the structure over all points.
    fn settle(&mut self) -> Result<(), ProximityError> {
        self.loose.clear();
        self.loose_at.clear();
        self.loose_at.resize(self.points.len(), SETTLED);
        if self.points.len() <= MAX_LISTED {
            self.structure = PointStructure::List;
            self.loose_at.iter_mut().zip(0..).for_each(|(place, point)| *place = point);
            return take(&self.points, &mut self.loose);
        }
        match (self.radius.filter(|&radius| has_few_cells(&self.points, radius)), &mut self.structure) {
            (Some(_), PointStructure::Grid(grid)) => grid.rebuild(&self.points)?,
            (Some(radius), structure) => {
                *structure = PointStructure::Grid(NeighbourGrid::new(&self.points, radius)?);
            }
            (None, PointStructure::Tree(tree)) => tree.rebuild(&self.points)?,
            (None, structure) => *structure = PointStructure::Tree(KdTree::new(&self.points)?),
        }
        Ok(())
    }

    /// Returns a search that leaves out the points of the structure that have moved.
    fn settled<'s, S: BallSearch>(&'s self, search: &'s mut S) -> SettledOnly<'s, S> {
        SettledOnly { search, loose_at: &self.loose_at, has_loose: !self.loose.is_empty() }
    }
}

/// Reports whether a grid with cells of this size has no more than eight cells a point.
fn has_few_cells(points: &[Vec3], size: f64) -> bool {
    let bounds = Aabb::from_points(points.iter().copied());
    let sides = ((bounds.max - bounds.min) / size).ceil().max(Vec3::ONE);
    sides.element_product() <= (8 * points.len()) as f64
}

/// A search that leaves out points that have moved.
struct SettledOnly<'a, S> {
    search: &'a mut S,
    loose_at: &'a [u32],
    has_loose: bool,
}

impl<S: BallSearch> BallSearch for SettledOnly<'_, S> {
    const NEAR_FIRST: bool = S::NEAR_FIRST;

    fn centre(&self) -> Vec3 {
        self.search.centre()
    }

    fn admits(&self, offset: Vec3) -> bool {
        self.search.admits(offset)
    }

    fn take(&mut self, entries: &[ProximityEntry]) {
        if !self.has_loose {
            return self.search.take(entries);
        }
        let is_settled = |entry: &ProximityEntry| self.loose_at[entry.point as usize] == SETTLED;
        // Runs of points that have not moved.
        for run in entries.chunk_by(|a, b| is_settled(a) == is_settled(b)) {
            if is_settled(&run[0]) {
                self.search.take(run);
            }
        }
    }
}

impl Searchable for PointIndex {
    fn search<S: BallSearch>(&self, search: &mut S) {
        search.take(&self.loose);
        match &self.structure {
            PointStructure::Tree(tree) => tree.search(&mut self.settled(search)),
            PointStructure::List | PointStructure::Grid(_) => {}
        }
    }

    fn count(&self) -> usize {
        self.points.len()
    }
}

impl PointProximity for PointIndex {
    fn rebuild(&mut self, points: &[Vec3]) -> Result<(), ProximityError> {
        take(points, &mut self.loose)?;
        self.points.clear();
        self.points.extend_from_slice(points);
        self.settle()
    }

    fn len(&self) -> usize {
        self.points.len()
    }

    fn within(&self, point: Vec3, radius: f64, found: &mut Vec<u32>) {
        let PointStructure::Grid(grid) = &self.structure else { return ball::within(self, point, radius, found) };
        found.clear();
        if let Some(mut ball) = Ball::new(point, radius, found) {
            ball.take(&self.loose);
            grid.feed(grid.range(point, radius), &mut self.settled(&mut ball));
            found.sort_unstable();
        }
    }

    fn nearest(&self, point: Vec3, k: usize) -> Vec<Neighbour> {
        let PointStructure::Grid(grid) = &self.structure else { return ball::nearest(self, point, k) };
        grid.nearest_by(point, k, |range, search: &mut Nearest| {
            search.take(&self.loose);
            grid.feed(range, &mut self.settled(search));
        })
    }
}
