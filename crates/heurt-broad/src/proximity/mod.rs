//! Points near points: who is within reach of whom, and who is nearest?
//!
//! In: points in metres, named by their places. Out: the numbers of those in a closed ball, sorted; or of the k nearest
//! with their distances.
//! Method: S4 §2.2 and §2.3, behind one trait, [`PointProximity`]: [`KdTree`], [`BspTree`], [`Octree`],
//! [`NeighbourGrid`], and [`BruteForceProximity`] which looks at all. All keep the points in the order of their
//! structure, so that those of a cell or leaf lie side by side, and are rebuilt rather than updated when points move
//! (S4 §2.2).
//! Guarantees: all give the same answer: that of [`BruteForceProximity`], bit by bit, at any scale. A distance is
//! rounded as the square root of the sum of squares in `f64`, scaled where these would leave its range; cells and
//! planes only dismiss what is farther with that rounding too. Coincident points are points like others. Depth is
//! bounded; nothing recurses. Memory is O(points).
//! Not guaranteed: the exact side of a ball's surface beyond that rounding. A query at a point that is not finite finds
//! nothing.

mod ball;
mod brute_force;
mod bsp_tree;
mod kd_tree;
mod neighbour_grid;
mod octree;

pub use brute_force::BruteForceProximity;
pub use bsp_tree::BspTree;
use heurt_geometry::Vec3;
pub use kd_tree::KdTree;
pub use neighbour_grid::NeighbourGrid;
pub use octree::Octree;
use thiserror::Error;

/// A point found, and how far it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// The place of the point in what was given.
    pub point: u32,
    /// Its distance, in metres.
    pub distance: f64,
}

/// A structure over points that finds those near a place.
///
/// ```
/// use heurt_broad::{KdTree, PointProximity};
/// use heurt_geometry::Vec3;
///
/// let tree = KdTree::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0])?;
/// let mut found = Vec::new();
/// tree.within(Vec3::ZERO, 1.0, &mut found);
/// assert_eq!(found, [0, 1]); // the ball is closed
/// let nearest = tree.nearest(Vec3::X * 2.5, 2);
/// assert_eq!((nearest[0].point, nearest[0].distance), (2, 0.5));
/// assert_eq!((nearest[1].point, nearest[1].distance), (1, 1.5));
/// # Ok::<(), heurt_broad::ProximityError>(())
/// ```
pub trait PointProximity {
    /// Takes new points in place of the old ones, keeping memory.
    ///
    /// # Errors
    /// [`ProximityError`] names the first offending point; the old ones are then kept.
    fn rebuild(&mut self, points: &[Vec3]) -> Result<(), ProximityError>;

    /// How many points there are.
    fn len(&self) -> usize;

    /// Reports whether there is no point.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Leaves in `found` the numbers of all points at most `radius` metres from `point`, sorted. A negative radius or
    /// NaN finds nothing.
    fn within(&self, point: Vec3, radius: f64, found: &mut Vec<u32>);

    /// The `k` points nearest to `point`, nearest first, of equally far ones the lesser number first; all if there are
    /// fewer.
    fn nearest(&self, point: Vec3, k: usize) -> Vec<Neighbour>;
}

/// Why points are not taken.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProximityError {
    /// A coordinate is NaN or infinite.
    #[error("point {point} has coordinates {position}: give finite numbers")]
    NotFinite {
        /// The point.
        point: usize,
        /// What it holds.
        position: Vec3,
    },
    /// More points than are numbered.
    #[error("{count} points are more than {max}: split them")]
    TooMany {
        /// How many were given.
        count: usize,
        /// How many are allowed.
        max: usize,
    },
    /// A cell size is no length.
    #[error("the cell size is {cell_size:e}: give a positive length in metres, such as the radius of the queries")]
    BadCellSize {
        /// What was given.
        cell_size: f64,
    },
}

/// The most points.
const MAX_POINTS: usize = 1 << 28;

/// A point and its number, side by side: 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ProximityEntry {
    at: Vec3,
    point: u32,
}

/// Checks points and pairs them with their numbers, in the memory of `entries`, which stays as it is on an error.
fn take(points: &[Vec3], entries: &mut Vec<ProximityEntry>) -> Result<(), ProximityError> {
    if points.len() > MAX_POINTS {
        return Err(ProximityError::TooMany { count: points.len(), max: MAX_POINTS });
    }
    if let Some(point) = points.iter().position(|at| !at.is_finite()) {
        return Err(ProximityError::NotFinite { point, position: points[point] });
    }
    entries.clear();
    entries.extend(points.iter().enumerate().map(|(point, &at)| ProximityEntry { at, point: point as u32 }));
    Ok(())
}
