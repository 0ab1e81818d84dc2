//! Points registered in the cells of a placed map: for each point those in its cell, next to it, and within a radius.
//!
//! In: points, obstacles as triangles, and places to query; without places each point queries its own surroundings.
//! Out: lists of points and obstacles by their place in the input, and for each cell the number of points in it and in
//! its neighbours, and of obstacles that meet it.
//! Method: [`Environment`]: each point is a particle, each obstacle a triangle. Two cells are neighbours if they share
//! a vertex. Places are registered, read and removed one after another.
//! Guarantees: points in no cell are listed with their distance, and are in no list. On a surface the nearest point
//! of the surface counts. An obstacle with a corner outside is named and left out. Positions of vertices are rounded to
//! 2⁻⁴⁰ of the largest coordinate's power of two.
//! Cost: O(path to each point) and O(lists); on surfaces O(cells) a point.

use super::error::{check_point, check_radius};
use super::{AnyMap, CellTracking, PlacedMap, PlacedMapError};
use crate::multires::ImplicitMap;
use crate::registration::{
    Convex, Element, EntityId, Environment, Geometry, Plane, RegistrationError, RegistrationMode, Star, Surface,
    SurfacePoint, Visit,
};
use crate::{CombinatorialMap, NO_CELL, Orbit, Walker};
use heurt_geometry::{Triangle, Vec3};

/// Points and places of a query.
#[derive(Debug, Clone, Copy, Default)]
pub struct NearOptions<'a> {
    /// The points to register.
    pub points: &'a [Vec3],
    /// The places to query; each of the points if there is none.
    pub at: &'a [Vec3],
    /// The radius of the query; `None` for lists only.
    pub radius: Option<f64>,
    /// Triangles to register as obstacles.
    pub obstacles: &'a [Triangle],
}

/// The surroundings of one place, as places of points in the input, ascending.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NearPoint {
    /// The place.
    pub at: Vec3,
    /// The cell that contains it; `None` if there is none.
    pub cell: Option<u32>,
    /// The distance from the border, if it is in no cell.
    pub outside: Option<f64>,
    /// Points in the cell, without the point itself.
    pub present: Vec<u32>,
    /// Points in the neighbours of the cell, and not in it.
    pub neighbours: Vec<u32>,
    /// Points within the radius, with their distance, the nearest first.
    pub within: Vec<(u32, f64)>,
    /// Obstacles in the cell and in its neighbours.
    pub obstacles: Vec<u32>,
    /// Obstacles within the radius, with their distance, the nearest first.
    pub obstacles_within: Vec<(u32, f64)>,
}

/// The surroundings of all places, and the counts of all cells.
#[derive(Debug, Clone, PartialEq)]
pub struct NearLists {
    /// How points are followed.
    pub tracking: CellTracking,
    /// By place of the query.
    pub places: Vec<NearPoint>,
    /// Points in no cell, with their distance from the border.
    pub outside: Vec<(u32, f64)>,
    /// For each cell, in the order of [`PlacedMap::cell_numbers`], the number of points in it, and in its neighbours
    /// and not in it.
    pub counts: Vec<[u32; 2]>,
    /// For each cell the number of obstacles that meet it.
    pub obstacle_counts: Vec<u32>,
    /// Obstacles with a corner in no cell: they are in no list.
    pub obstacles_outside: Vec<u32>,
}

impl PlacedMap {
    /// Registers points and lists those near each place.
    ///
    /// ```
    /// use heurt_geometry::{Triangle, Vec3};
    /// use heurt_map::placed::{NearOptions, PlacedMap};
    /// let map = PlacedMap::flat_grid([3, 3], 1.0)?;
    /// let points = [[0.5, 0.5], [0.75, 0.5], [1.5, 1.5], [2.5, 2.5]].map(|[x, y]| Vec3::new(x, y, 0.0));
    /// let lists = map.near(NearOptions { points: &points, at: &[], radius: Some(0.5), ..NearOptions::default() })?;
    /// let first = &lists.places[0];
    /// assert_eq!((first.cell, &first.present, &first.neighbours), (Some(0), &vec![1], &vec![2]));
    /// assert_eq!(first.within, [(1, 0.25)]);
    /// assert_eq!(lists.counts[4], [1, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PlacedMapError::NotFinite`], [`PlacedMapError::BadRadius`], [`PlacedMapError::Registration`] with the cells in
    /// which points cannot be tracked.
    pub fn near(&self, options: NearOptions<'_>) -> Result<NearLists, PlacedMapError> {
        let corners = options.obstacles.iter().flatten();
        options.points.iter().chain(options.at).chain(corners).try_for_each(|&point| check_point(point))?;
        options.radius.map_or(Ok(()), check_radius)?;
        let cells = self.cell_numbers();
        match &self.map {
            AnyMap::Faces(map) if self.is_plane() => {
                let environment = Environment::new(ImplicitMap::new(map.clone()), Plane::new(self.flat_points())?)?;
                Registered::new(environment, options).lists(CellTracking::Plane, &cells, Vec3::truncate)
            }
            AnyMap::Faces(map) => {
                let surface = Surface::new(self.points.clone())?;
                let environment = Environment::new(ImplicitMap::new(map.clone()), surface)?;
                Registered::new(environment, options).lists(CellTracking::Surface, &cells, SurfacePoint::from)
            }
            AnyMap::Volumes(map) => {
                let levels = || ImplicitMap::new(map.clone());
                match Environment::new(levels(), Convex::new(self.points.clone())?) {
                    Ok(environment) => {
                        Registered::new(environment, options).lists(CellTracking::Convex, &cells, |point| point)
                    }
                    Err(RegistrationError::BadCells { .. }) => {
                        let environment = Environment::new(levels(), Star::new(self.points.clone())?)?;
                        Registered::new(environment, options).lists(CellTracking::Star, &cells, |point| point)
                    }
                    Err(error) => Err(error.into()),
                }
            }
        }
    }

    /// Returns the cells that share a vertex with a cell, ascending; none for a number without a cell.
    ///
    /// ```
    /// use heurt_map::placed::PlacedMap;
    /// let map = PlacedMap::flat_grid([3, 3], 1.0)?;
    /// assert_eq!(map.neighbour_cells(0), [1, 3, 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn neighbour_cells(&self, cell: u32) -> Vec<u32> {
        match &self.map {
            AnyMap::Faces(map) => neighbours(map, Orbit::Face, cell),
            AnyMap::Volumes(map) => neighbours(map, Orbit::Volume, cell),
        }
    }
}

/// Returns the cells that share a vertex with a cell, ascending.
fn neighbours(map: &impl CombinatorialMap, kind: Orbit, cell: u32) -> Vec<u32> {
    let ids = map.cell_ids(kind).filter(|ids| (cell as usize) < ids.bound());
    let Some(dart) = ids.and_then(|ids| ids.dart(cell)) else { return Vec::new() };
    let mut walker = Walker::new();
    let adjacent = walker.adjacent(map, dart, kind, Orbit::Vertex);
    let mut cells: Vec<u32> = adjacent.iter().map(|&dart| map.id(kind, dart)).filter(|&id| id != NO_CELL).collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// An entity by its place in the input.
#[derive(Debug, Clone, Copy)]
enum Registrant {
    Point(u32),
    Obstacle(u32),
    /// A place that is queried.
    Place,
}

impl Registrant {
    fn point(self) -> Option<u32> {
        match self {
            Self::Point(number) => Some(number),
            _ => None,
        }
    }

    fn obstacle(self) -> Option<u32> {
        match self {
            Self::Obstacle(number) => Some(number),
            _ => None,
        }
    }
}

/// An environment and the places in the input of its entities.
struct Registered<'a, const D: usize, G: Geometry<D>> {
    environment: Environment<D, G>,
    options: NearOptions<'a>,
    /// The place in the input by entity.
    number_of: Vec<Registrant>,
    visit: Visit,
}

impl<'a, const D: usize, G: Geometry<D>> Registered<'a, D, G> {
    fn new(environment: Environment<D, G>, options: NearOptions<'a>) -> Self {
        Self { environment, options, number_of: Vec::new(), visit: Visit::new() }
    }

    fn lists(
        mut self,
        tracking: CellTracking,
        cells: &[u32],
        place: impl Fn(Vec3) -> G::Point,
    ) -> Result<NearLists, PlacedMapError> {
        let (mut entities, mut outside) = (Vec::new(), Vec::new());
        for (number, &point) in (0..).zip(self.options.points) {
            match self.environment.add_particle(place(point)) {
                Ok(entity) => {
                    self.note(entity, Registrant::Point(number));
                    entities.push(Ok(entity));
                }
                Err(RegistrationError::Outside { distance, .. }) => {
                    outside.push((number, distance));
                    entities.push(Err(distance));
                }
                Err(error) => return Err(error.into()),
            }
        }
        let obstacles_outside = self.add_obstacles(&place)?;
        let (mut counts, mut obstacle_counts) = (Vec::with_capacity(cells.len()), Vec::with_capacity(cells.len()));
        for &cell in cells {
            let lists = [self.environment.present(cell)?, self.environment.neighbours(cell)?];
            let points = |list: &[EntityId]| list.iter().filter_map(|&entity| self.number(entity).point()).count();
            counts.push(lists.map(|list| points(list) as u32));
            let is_obstacle = |&&entity: &&EntityId| self.number(entity).obstacle().is_some();
            obstacle_counts.push(lists[0].iter().filter(is_obstacle).count() as u32);
        }
        let mut places = Vec::new();
        if self.options.at.is_empty() {
            for (&at, entity) in self.options.points.iter().zip(entities) {
                places.push(match entity {
                    Ok(entity) => self.surroundings(at, entity)?,
                    Err(distance) => NearPoint { at, outside: Some(distance), ..NearPoint::default() },
                });
            }
        }
        for &at in self.options.at {
            places.push(match self.environment.add_particle(place(at)) {
                Ok(entity) => {
                    let found = self.surroundings(at, entity)?;
                    self.environment.remove(entity)?;
                    found
                }
                Err(RegistrationError::Outside { distance, .. }) => {
                    NearPoint { at, outside: Some(distance), ..NearPoint::default() }
                }
                Err(error) => return Err(error.into()),
            });
        }
        Ok(NearLists { tracking, places, outside, counts, obstacle_counts, obstacles_outside })
    }

    /// Registers the obstacles, and returns those with a corner in no cell.
    fn add_obstacles(&mut self, place: &impl Fn(Vec3) -> G::Point) -> Result<Vec<u32>, PlacedMapError> {
        let mut outside = Vec::new();
        for (number, &corners) in (0..).zip(self.options.obstacles) {
            let corners = corners.map(place);
            match self.environment.add(&corners, &[Element::Triangle([0, 1, 2])], RegistrationMode::default()) {
                Ok(entities) => self.note(entities[0], Registrant::Obstacle(number)),
                Err(RegistrationError::Outside { .. }) => outside.push(number),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(outside)
    }

    /// Notes what an entity is.
    fn note(&mut self, entity: EntityId, number: Registrant) {
        let at = entity.0 as usize;
        self.number_of.resize(self.number_of.len().max(at + 1), Registrant::Place);
        self.number_of[at] = number;
    }

    /// Returns what an entity is.
    fn number(&self, entity: EntityId) -> Registrant {
        self.number_of.get(entity.0 as usize).copied().unwrap_or(Registrant::Place)
    }

    /// Lists the entities near an entity, without itself.
    fn surroundings(&mut self, at: Vec3, own: EntityId) -> Result<NearPoint, PlacedMapError> {
        let Some(point) = self.environment.points(own)?.next() else { return Ok(NearPoint::default()) };
        let cell = self.environment.cell_of(point)?;
        let [present, next] = [self.environment.present(cell)?, self.environment.neighbours(cell)?];
        let sorted = |mut numbers: Vec<u32>| {
            numbers.sort_unstable();
            numbers
        };
        let points = |list: &[EntityId]| {
            let others = list.iter().filter(|&&entity| entity != own);
            sorted(others.filter_map(|&entity| self.number(entity).point()).collect())
        };
        let around = present.iter().chain(next);
        let obstacles = sorted(around.filter_map(|&entity| self.number(entity).obstacle()).collect());
        let (present, neighbours) = (points(present), points(next));
        let (mut within, mut obstacles_within) = (Vec::new(), Vec::new());
        if let Some(radius) = self.options.radius {
            let number_of = &self.number_of;
            self.environment.for_each_within(point, radius, &mut self.visit, |entity, distance| {
                match number_of.get(entity.0 as usize) {
                    Some(&Registrant::Point(number)) => within.push((number, distance)),
                    Some(&Registrant::Obstacle(number)) => obstacles_within.push((number, distance)),
                    _ => {}
                }
            })?;
        }
        for list in [&mut within, &mut obstacles_within] {
            list.sort_by(|a: &(u32, f64), b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        }
        let cell = Some(cell);
        Ok(NearPoint { at, cell, outside: None, present, neighbours, within, obstacles, obstacles_within })
    }
}
