//! Proximity search: the points in a ball, and the points nearest to a point.
//!
//! In: points in metres, numbered by their positions in the input. Out: the numbers of the points in a closed ball,
//! sorted; or of the k nearest with their distances.
//! Method: S4 §2.2 and §2.3, behind one trait, [`PointProximity`]: [`KdTree`], [`BspTree`], [`Octree`],
//! [`NeighbourGrid`], and [`BruteForceProximity`], which tests all points. All keep the points in the order of their
//! structure, so the points of a cell or leaf are contiguous. They are rebuilt rather than updated when points move (S4
//! §2.2); [`PointIndex`] also takes updates.
//! Guarantees: all return the same answer as [`BruteForceProximity`], bit by bit, at any scale. A distance is rounded
//! as the square root of the sum of squares in `f64`, scaled if these would leave its range; cells and planes dismiss
//! only points that are farther with that rounding too. Coincident points are treated as any other points. Depth is
//! bounded; nothing recurses. Memory is O(points).
//! [`PointIndex`] is the structure to use: it chooses one of these, and takes moves of single points. All further ones
//! are for comparison. [`OddEvenGrid`] is the grid of the source with one point a cell, which misses neighbours: it is
//! outside the trait.
//! Not guaranteed: the exact side of a ball's surface beyond that rounding. A query at a point that is not finite finds
//! nothing.

mod ball;
mod brute_force;
mod bsp_draw;
mod bsp_tree;
mod kd_tree;
mod neighbour_grid;
mod octree;
mod odd_even_grid;
mod point_index;

pub use brute_force::BruteForceProximity;
pub use bsp_tree::BspTree;
use heurt_geometry::Vec3;
pub use kd_tree::KdTree;
pub use neighbour_grid::NeighbourGrid;
pub use octree::Octree;
pub use odd_even_grid::{MissedNeighbours, OddEvenGrid};
pub use point_index::PointIndex;
use thiserror::Error;

/// A point found, and its distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// The number of the point in the input.
    pub point: u32,
    /// Its distance, in metres.
    pub distance: f64,
}

/// A structure over points that finds the points near a given point.
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
    /// Replaces the points by new points, and keeps the memory.
    ///
    /// # Errors
    /// [`ProximityError`] names the first offending point; the old points are then kept.
    fn rebuild(&mut self, points: &[Vec3]) -> Result<(), ProximityError>;

    /// Returns the number of points.
    fn len(&self) -> usize;

    /// Reports whether there is no point.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes to `found` the numbers of all points at most `radius` metres from `point`, sorted. A negative radius or
    /// NaN finds nothing.
    fn within(&self, point: Vec3, radius: f64, found: &mut Vec<u32>);

    /// Returns the `k` points nearest to `point`, nearest first, at equal distance the lesser number first; all points
    /// if there are fewer.
    fn nearest(&self, point: Vec3, k: usize) -> Vec<Neighbour>;
}

/// Reason why points are rejected.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProximityError {
    /// A coordinate is NaN or infinite.
    #[error("point {point} has coordinates {position}: give finite numbers")]
    NotFinite {
        /// The point.
        point: usize,
        /// Its coordinates.
        position: Vec3,
    },
    /// More points than can be numbered.
    #[error("{count} points are more than {max}: split them")]
    TooMany {
        /// Number of given points.
        count: usize,
        /// Maximum number of points.
        max: usize,
    },
    /// A number of no point.
    #[error("there is no point {point} among {count} points: points are numbered from 0")]
    NoPoint {
        /// The given number.
        point: u32,
        /// Number of points.
        count: usize,
    },
    /// A cell size that is not a positive length.
    #[error("the cell size is {cell_size:e}: give a positive length in metres, such as the radius of the queries")]
    BadCellSize {
        /// The given cell size.
        cell_size: f64,
    },
}

/// Maximum number of points.
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
