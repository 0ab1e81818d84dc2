//! Navigation: shortest paths of discs over a floor.
//!
//! In: ground, a radius, goals. Out: for each place the direction of the shortest path and its length in plan.
//! Method: the floors are eroded by the radius, so that a disc is a point; the rest is triangulated. Distance fields
//! are exact for the eroded floors (`field`). Paths lead over passages from floor to floor.
//! Guarantees: paths never lead through passages narrower than the disc. Cost: a floor O(n log n) for each radius, and
//! for each goal.

mod erode;
mod field;
mod funnel;
mod mesh;
mod time_field;

pub use field::Heading;
pub(crate) use field::{DistanceField, GoalPlace};
pub(crate) use mesh::NavigationMesh;
pub(crate) use time_field::{TimeField, TimeMesh};

use crate::Ground;
use crate::ground::shared_at_height;
use heurt_geometry::{FloorArea, Vec3, ring_edges};

/// Share of the radius by which a disc may be off the eroded floor: polygons around corners miss 3 %.
const SLACK: f64 = 0.05;

/// The largest distance to the areas that paths keep to, in metres: across a large square.
const FARTHEST_WAY: f64 = 100.0;

/// The part of a floor on which discs of one radius move.
#[derive(Debug, Clone)]
pub struct Navigation {
    radius: f64,
    /// How far off the eroded floor a place may be, in metres.
    reach: f64,
    floors: Vec<FloorArea>,
    mesh: NavigationMesh,
}

impl Navigation {
    /// Erodes a floor by a radius, in metres; `None` if a disc fits nowhere.
    pub fn new(ground: &Ground, radius: f64) -> Option<Self> {
        // Rounding may make rings that cross; a slightly different radius has other corners.
        let tried = [1.0, 1.001, 1.003].map(|factor| factor * radius);
        tried.into_iter().find_map(|tried| {
            let floors = erode::erode(ground, tried);
            let mesh = NavigationMesh::new(floors.clone(), None)?;
            Some(Self { radius, reach: radius, floors, mesh })
        })
    }

    /// Erodes the parts of floors that areas cover, as [`Navigation::new`] does; paths keep to them. Places off them
    /// lead to the nearest part first, up to 100 m away.
    pub fn within(ground: &Ground, areas: &[FloorArea], radius: f64) -> Option<Self> {
        let parts =
            ground.floors().iter().flat_map(|floor| areas.iter().flat_map(|area| shared_at_height(floor, area)));
        let ways = Ground::new(parts).ok()?;
        Some(Self { reach: FARTHEST_WAY, ..Self::new(&ways, radius)? })
    }

    /// Computes the shortest paths to areas, each path to the nearest of them; `None` if no disc reaches any.
    ///
    /// ```
    /// use heurt_crowd::{Ground, Navigation};
    /// use heurt_geometry::{PlanArea, Vec2, Vec3};
    /// let hall = PlanArea::rectangle(Vec2::ZERO, Vec2::new(10.0, 4.0));
    /// let exit = PlanArea::rectangle(Vec2::new(9.0, 0.0), Vec2::new(10.0, 4.0));
    /// let navigation = Navigation::new(&Ground::new([hall])?, 0.2).ok_or("discs fit")?;
    /// let paths = navigation.paths_to(&[exit.into()]).ok_or("the exit is free")?;
    /// let heading = paths.heading(Vec3::new(2.0, 2.0, 0.0)).ok_or("a path leads there")?;
    /// assert_eq!((heading.towards, heading.distance), (Vec3::new(9.0, 2.0, 0.0), 7.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn paths_to(&self, goal: &[FloorArea]) -> Option<Paths<'_>> {
        Some(Paths { navigation: self, field: self.field_to(goal)? })
    }

    /// Computes the shortest paths to a place; `None` if a disc cannot be there.
    pub fn paths_to_point(&self, goal: Vec3) -> Option<Paths<'_>> {
        Some(Paths { navigation: self, field: self.field_to_point(goal)? })
    }

    pub(crate) fn field_to(&self, goal: &[FloorArea]) -> Option<DistanceField> {
        let goal = self.meet(goal);
        (!goal.is_empty()).then(|| DistanceField::new(&self.mesh, GoalPlace::Areas(goal)))
    }

    /// Returns the parts of the eroded floors that areas of their height cover.
    fn meet(&self, goal: &[FloorArea]) -> Vec<FloorArea> {
        goal.iter().flat_map(|area| self.floors.iter().flat_map(|floor| shared_at_height(floor, area))).collect()
    }

    pub(crate) fn field_to_point(&self, goal: Vec3) -> Option<DistanceField> {
        let (triangle, place) = self.mesh.floor.nearest(goal, SLACK * self.radius)?;
        let goal = place.extend(self.mesh.floor.height(triangle, place));
        Some(DistanceField::new(&self.mesh, GoalPlace::Point(goal)))
    }

    /// Returns the connected part of the ground that a place is in, or nearest to within a radius.
    pub(crate) fn part_of(&self, place: Vec3) -> Option<u32> {
        let (triangle, _) = self.mesh.floor.nearest(place, self.reach.max(1e-6))?;
        Some(self.mesh.part[triangle as usize])
    }

    /// Returns the connected parts of the ground that a goal reaches into.
    pub(crate) fn parts_of(&self, field: &DistanceField) -> Vec<u32> {
        match field.goal() {
            GoalPlace::Point(place) => self.part_of(*place).into_iter().collect(),
            GoalPlace::Areas(areas) => {
                areas.iter().filter_map(|floor| self.part_of(floor.over(floor.area.outline[0]))).collect()
            }
        }
    }

    /// Computes the width of the entry to a goal, in metres: the part of its border that is not along walls.
    pub(crate) fn width_of(&self, ground: &Ground, field: &DistanceField) -> f64 {
        let GoalPlace::Areas(areas) = field.goal() else { return 2.0 * self.radius };
        let mut width = 2.0 * self.radius;
        for floor in areas {
            for [a, b] in floor.area.rings().flat_map(ring_edges) {
                let is_free = ground.is_clear(floor.over(a.midpoint(b)), (1.0 + SLACK) * self.radius);
                width += if is_free { a.distance(b) } else { 0.0 };
            }
        }
        width
    }

    /// Lists the bends of the path from a place to another one, and its end; `None` if there is none.
    pub(crate) fn path_to_point(&self, from: Vec3, to: Vec3) -> Option<Vec<Vec3>> {
        let path = Paths { navigation: self, field: self.field_to_point(to)? }.path(from);
        (!path.is_empty()).then_some(path)
    }

    /// Finds where the path from a place to the goal of a field leads first.
    pub(crate) fn heading(&self, field: &DistanceField, place: Vec3) -> Option<Heading> {
        let (triangle, point) = self.mesh.floor.nearest(place, self.reach)?;
        let heading = field.heading(&self.mesh, triangle, point)?;
        let off = point.distance(place.truncate());
        if off > self.radius {
            let towards = point.extend(self.mesh.floor.height(triangle, point));
            return Some(Heading { towards, distance: heading.distance + off });
        }
        // At a bend the path goes on to the next one.
        let is_at_bend = heading.towards.truncate().distance(place.truncate()) <= SLACK * self.radius;
        let next = if is_at_bend { field.after(&self.mesh, heading.towards.truncate(), triangle) } else { None };
        Some(Heading { towards: next.unwrap_or(heading.towards), ..heading })
    }

    /// Lists the bends of the path from a place to the goal of a field, and its end; empty if none leads there.
    pub(crate) fn path(&self, field: &DistanceField, from: Vec3) -> Vec<Vec3> {
        let (mut at, mut path) = (from, Vec::new());
        // Each leg is shorter than the rest of the path before it.
        while path.len() < self.mesh.floor.points.len() + 2 {
            let Some(heading) = self.heading(field, at) else { break };
            if heading.distance <= 0.0 || heading.towards == at {
                break;
            }
            path.push(heading.towards);
            at = heading.towards;
        }
        path
    }

    /// Reports whether a disc can move straight from one place to another.
    pub fn is_free(&self, from: Vec3, to: Vec3) -> bool {
        let start = self.mesh.floor.nearest(from, SLACK * self.radius);
        start.is_some_and(|(triangle, place)| self.mesh.sees(triangle, place, to))
    }

    /// Divides this part of the floor into triangles that are small enough for densities; `None` if that fails.
    pub(crate) fn time_mesh(&self, ground: &Ground) -> Option<TimeMesh> {
        TimeMesh::new(ground, self.floors.clone(), self.radius)
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
    /// Finds the first leg of the shortest path from a place; `None` if none leads to the goal. Places less than a
    /// radius off the eroded floor start from the nearest point of it.
    pub fn heading(&self, from: Vec3) -> Option<Heading> {
        self.navigation.heading(&self.field, from)
    }

    /// Lists the bends of the shortest path from a point, and its end; empty if none leads to the goal.
    pub fn path(&self, from: Vec3) -> Vec<Vec3> {
        self.navigation.path(&self.field, from)
    }
}
