//! Navigation: shortest paths of discs over a floor.
//!
//! In: a floor, a radius, goals. Out: for each point the direction of the shortest path and its length.
//! Method: the floor is eroded by the radius, so that a disc is a point; the rest is triangulated; distance fields are
//! exact for the eroded floor (`field`).
//! Guarantees: paths never lead through passages narrower than the disc. Cost: a floor O(n log n) for each radius, and
//! for each goal.

mod erode;
mod field;
mod mesh;

pub(crate) use erode::intersect;
pub use field::Heading;
pub(crate) use field::{DistanceField, GoalPlace};
pub(crate) use mesh::NavigationMesh;

use crate::Ground;
use heurt_geometry::{PlanArea, Vec2};

/// Share of the radius by which a disc may be off the eroded floor: polygons around corners miss 3 %.
const SLACK: f64 = 0.05;

/// The part of a floor on which discs of one radius move.
#[derive(Debug, Clone)]
pub struct Navigation {
    radius: f64,
    areas: Vec<PlanArea>,
    mesh: NavigationMesh,
}

impl Navigation {
    /// Erodes a floor by a radius, in metres; `None` if a disc fits nowhere.
    pub fn new(ground: &Ground, radius: f64) -> Option<Self> {
        // Rounding may make rings that cross; a slightly different radius has other corners.
        let tried = [1.0, 1.001, 1.003].map(|factor| factor * radius);
        tried.into_iter().find_map(|tried| {
            let areas = erode::erode(ground.areas(), tried);
            let mesh = NavigationMesh::new(&areas)?;
            Some(Self { radius, areas, mesh })
        })
    }

    /// Computes the shortest paths to areas, each path to the nearest of them; `None` if no disc reaches any.
    ///
    /// ```
    /// use heurt_crowd::{Ground, Navigation};
    /// use heurt_geometry::{PlanArea, Vec2};
    /// let hall = PlanArea::rectangle(Vec2::ZERO, Vec2::new(10.0, 4.0));
    /// let exit = PlanArea::rectangle(Vec2::new(9.0, 0.0), Vec2::new(10.0, 4.0));
    /// let navigation = Navigation::new(&Ground::new(vec![hall])?, 0.2).ok_or("discs fit")?;
    /// let paths = navigation.paths_to(&[exit]).ok_or("the exit is free")?;
    /// let heading = paths.heading(Vec2::new(2.0, 2.0)).ok_or("a path leads there")?;
    /// assert_eq!((heading.towards, heading.distance), (Vec2::new(9.0, 2.0), 7.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn paths_to(&self, goal: &[PlanArea]) -> Option<Paths<'_>> {
        Some(Paths { navigation: self, field: self.field_to(goal)? })
    }

    /// Computes the shortest paths to a point; `None` if a disc cannot be there.
    pub fn paths_to_point(&self, goal: Vec2) -> Option<Paths<'_>> {
        Some(Paths { navigation: self, field: self.field_to_point(goal)? })
    }

    pub(crate) fn field_to(&self, goal: &[PlanArea]) -> Option<DistanceField> {
        let goal = intersect(&self.areas, goal);
        (!goal.is_empty()).then(|| DistanceField::new(&self.mesh, GoalPlace::Areas(goal)))
    }

    pub(crate) fn field_to_point(&self, goal: Vec2) -> Option<DistanceField> {
        let (_, goal) = self.mesh.nearest(goal, SLACK * self.radius)?;
        Some(DistanceField::new(&self.mesh, GoalPlace::Point(goal)))
    }

    /// Returns the connected part of the floor that a point is in, or nearest to within a radius.
    pub(crate) fn part_of(&self, point: Vec2) -> Option<u32> {
        let (triangle, _) = self.mesh.nearest(point, self.radius.max(1e-6))?;
        Some(self.mesh.part[triangle as usize])
    }

    /// Returns the connected parts of the floor that a goal reaches into.
    pub(crate) fn parts_of(&self, field: &DistanceField) -> Vec<u32> {
        match field.goal() {
            GoalPlace::Point(point) => self.part_of(*point).into_iter().collect(),
            GoalPlace::Areas(areas) => areas.iter().filter_map(|area| self.part_of(area.outline[0])).collect(),
        }
    }

    /// Lists the bends of the path from a point to a place, and its end; `None` if there is none.
    pub(crate) fn path_to_point(&self, from: Vec2, to: Vec2) -> Option<Vec<Vec2>> {
        let path = Paths { navigation: self, field: self.field_to_point(to)? }.path(from);
        (!path.is_empty()).then_some(path)
    }

    /// Finds where the path from a point to the goal of a field leads first.
    pub(crate) fn heading(&self, field: &DistanceField, point: Vec2) -> Option<Heading> {
        let (triangle, place) = self.mesh.nearest(point, self.radius)?;
        let heading = field.heading(&self.mesh, triangle, place)?;
        // At a bend the path goes on to the next one.
        let is_at_bend = heading.towards.distance(point) <= SLACK * self.radius;
        let next = if is_at_bend { field.after(&self.mesh, heading.towards, triangle) } else { None };
        Some(Heading { towards: next.unwrap_or(heading.towards), ..heading })
    }

    /// Reports whether a disc can move straight from one point to another.
    pub fn is_free(&self, from: Vec2, to: Vec2) -> bool {
        let start = self.mesh.nearest(from, SLACK * self.radius);
        start.is_some_and(|(triangle, place)| self.mesh.sees(triangle, place, to))
    }

    /// Returns the radius, in metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

/// Shortest paths of discs to one goal.
#[derive(Debug, Clone)]
pub struct Paths<'n> {
    navigation: &'n Navigation,
    field: DistanceField,
}

impl Paths<'_> {
    /// Finds the first leg of the shortest path from a point; `None` if none leads to the goal. Points less than a
    /// radius off the eroded floor start from the nearest point of it.
    pub fn heading(&self, from: Vec2) -> Option<Heading> {
        self.navigation.heading(&self.field, from)
    }

    /// Lists the bends of the shortest path from a point, and its end; empty if none leads to the goal.
    pub fn path(&self, from: Vec2) -> Vec<Vec2> {
        let (navigation, mut path) = (self.navigation, Vec::new());
        let mut at = from;
        // Each leg is shorter than the rest of the path before it.
        while path.len() < navigation.mesh.points.len() + 2 {
            let Some(heading) = self.heading(at) else { break };
            if heading.distance <= 0.0 || heading.towards == at {
                break;
            }
            path.push(heading.towards);
            at = heading.towards;
        }
        path
    }
}
