//! Density of persons in a measurement area.
//!
//! In: a frame or its Voronoi cells, an area. Out: persons a square metre.
//! Method: the classic density counts persons. The Voronoi density counts the part of each cell in the area (Steffen
//! and Seyfried 2010). It changes little from frame to frame.
//! Guarantees: a person counts at most once in areas that share no part.
//! Differs from PedPy: persons on the border of the area count in the classic density; the area may be non-convex.
//! Cost: O(persons); an overlay for each cell if the area is not convex.

use super::trajectory::TrajectoryFrame;
use super::voronoi::PersonCell;
use heurt_geometry::PlanArea;

/// Computes the classic density, in persons a square metre: persons in the area, its border included, divided by its
/// size.
///
/// ```
/// use heurt_crowd::measure::{Trajectories, classic_density};
/// use heurt_geometry::{PlanArea, Vec2};
/// let people = Trajectories::from_rows([(0, 0.0, Vec2::ONE), (1, 0.0, Vec2::new(5.0, 1.0))])?;
/// let area = PlanArea::rectangle(Vec2::ZERO, Vec2::new(2.0, 2.0));
/// assert_eq!(classic_density(&people.frames()[0], &area), 0.25);
/// # Ok::<(), heurt_crowd::measure::TrajectoryError>(())
/// ```
pub fn classic_density(frame: &TrajectoryFrame, area: &PlanArea) -> f64 {
    frame.agents.iter().filter(|(_, position)| area.contains(*position)).count() as f64 / area.area()
}

/// Computes the Voronoi density, in persons a square metre: the sum of |cell ∩ area| / |cell|, divided by |area|. Parts
/// of the area beyond the floor count in |area|.
pub fn voronoi_density(cells: &[PersonCell], area: &PlanArea) -> f64 {
    cells.iter().map(|cell| cell.share_in(area)).sum::<f64>() / area.area()
}
