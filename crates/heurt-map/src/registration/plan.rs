//! Planned moves: moves that are tracked first, many at a time, and made afterwards.
//!
//! In: points, targets. Out: planned moves; moved points. Method: a plan holds the point before and after its move, and
//! the edits of the environment up to then. Moves change neither the map nor other points, so that all points can be
//! planned before the first is moved.
//! Guarantees: a plan and its move have the result of [`Environment::move_point`]. A plan from before an edit, or of a
//! point that has moved since, is tracked again. Cost: O(1) a move within a cell that is of a particle alone.

use super::environment::{Environment, Moved};
use super::geometry::Geometry;
use super::{PointId, RegistrationError};
use crate::track::{MoveEnd, Particle};

/// A tracked move that has not been made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlannedMove<P> {
    point: PointId,
    target: P,
    before: Particle<P>,
    after: Particle<P>,
    /// The cells before and after.
    cells: [u32; 2],
    end: MoveEnd,
    /// The only entity over the point is a particle in a single cell.
    is_alone: bool,
    /// Edits of the environment before the plan.
    edits: u64,
}

impl<P: Copy> PlannedMove<P> {
    /// Returns the position after the move.
    pub fn position(&self) -> P {
        self.after.position
    }

    /// Returns the number of the cell after the move.
    pub fn cell(&self) -> u32 {
        self.cells[1]
    }

    /// Returns the end of the move: at the target, or at a wall.
    pub fn end(&self) -> MoveEnd {
        self.end
    }
}

impl<const D: usize, G: Geometry<D>> Environment<D, G> {
    /// Tracks a move of a point straight towards a target, up to walls, without making it.
    ///
    /// ```
    /// use heurt_geometry::Vec2;
    /// use heurt_map::registration::{Environment, Plane};
    /// use heurt_map::{Map2, multires::ImplicitMap, track::MoveEnd};
    /// let corners = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [4.0, 4.0]].map(Vec2::from_array).to_vec();
    /// let mut env = Environment::new(ImplicitMap::new(Map2::grid(1, 1)?), Plane::new(corners)?)?;
    /// let agent = env.add_particle(Vec2::ONE)?;
    /// let point = env.points(agent)?.next().ok_or("a point")?;
    /// let plan = env.plan_move(point, Vec2::new(3.0, 1.0))?;
    /// assert_eq!(env.particle(point)?.position, Vec2::ONE);
    /// assert_eq!(env.make_move(&plan)?.end, MoveEnd::Arrived);
    /// assert_eq!(env.particle(point)?.position, plan.position());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`move_point`](Self::move_point).
    pub fn plan_move(&self, point: PointId, target: G::Point) -> Result<PlannedMove<G::Point>, RegistrationError> {
        let entry = self.point(point)?;
        let (before, mut after) = (entry.particle, entry.particle);
        let obstacles = self.has_obstacles.then_some(&self.obstacles);
        let end = self.geometry.move_to(self.map.map(), obstacles, &mut after, target, |_, _| ())?;
        let is_alone = matches!(entry.entities[..], [entity] if self.is_in_one_cell(entity));
        let cells = [before, after].map(|particle| self.cell_at(particle.dart));
        Ok(PlannedMove { point, target, before, after, cells, end, is_alone, edits: self.edits })
    }

    /// Makes a planned move, and registers again the entities of the point that are then in different cells. The plan
    /// is of this environment: a copy of it may have had edits of its own.
    ///
    /// # Errors
    /// [`RegistrationError::NoPoint`] for a point that is gone; the errors of a plan that has to be tracked again.
    pub fn make_move(&mut self, plan: &PlannedMove<G::Point>) -> Result<Moved, RegistrationError> {
        if plan.edits != self.edits || self.point(plan.point)?.particle != plan.before {
            return self.move_point(plan.point, plan.target);
        }
        Ok(self.make_fresh(plan))
    }

    /// Makes a planned move that is not out of date.
    pub(super) fn make_fresh(&mut self, plan: &PlannedMove<G::Point>) -> Moved {
        self.points[plan.point.0 as usize].particle = plan.after;
        self.counts.moves += 1;
        let [from, to] = plan.cells;
        let is_here = plan.is_alone && from == to;
        let registered = if is_here { 0 } else { self.follow_all(plan.point, from) };
        Moved { end: plan.end, registered }
    }
}
