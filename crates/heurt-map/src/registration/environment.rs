//! Environment: a map of many levels, positions, and entities that move in it.
//!
//! In: targets of points. Out: reached positions; updated lists.
//! Method: S4 §5.2, §5.4, §5.6. A particle is registered again when its point changes its cell. An edge or triangle
//! stays if it was in one cell and all its points are still inside it. Otherwise probes run, and their cells are
//! compared with the previous ones.
//! Guarantees and cost: as the module above. The single-cell shortcut is taken where cells are convex (S4 §7.3).

use super::extent::{Extent, corners};
use super::geometry::Geometry;
use super::lists::{Listed, Lists};
use super::siblings::Families;
use super::{EntityId, NONE, PointId, RegistrationError, RegistrationMode};
use crate::multires::ImplicitMap;
use crate::track::{CellPlace, MoveEnd, Particle, TrackError};
use crate::{CombinatorialMap, Dart, DartSet, NO_CELL, Orbit, Walker};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// A tracked point.
#[derive(Debug, Clone)]
pub(super) struct Point<P> {
    pub particle: Particle<P>,
    /// The entities over it; none if the number is free.
    pub entities: SmallVec<[u32; 2]>,
}

/// A particle, edge or triangle.
#[derive(Debug, Clone)]
pub(super) struct Entity {
    /// Numbers of points, filled up with [`NONE`]; all [`NONE`] if the number is free.
    pub points: [u32; 3],
    pub manner: RegistrationMode,
    /// One cell of its level holds all of it.
    pub is_single: bool,
    /// The cells that it is present in, ascending.
    pub cells: SmallVec<[u32; 2]>,
}

/// A map of many levels with entities in its cells.
#[derive(Debug, Clone)]
pub struct Environment<const D: usize, G: Geometry<D>> {
    pub(super) map: ImplicitMap<D>,
    pub(super) geometry: G,
    pub(super) obstacles: DartSet,
    pub(super) has_obstacles: bool,
    pub(super) points: Vec<Point<G::Point>>,
    pub(super) entities: Vec<Entity>,
    pub(super) free_points: Vec<u32>,
    pub(super) free_entities: Vec<u32>,
    pub(super) lists: Lists,
    pub(super) siblings: Families,
    /// Edges and triangles with a side for which no probe or section connects the ends.
    pub(super) lost: BTreeSet<u32>,
    pub(super) walker: Walker,
    pub(super) extent: Extent,
    pub(super) counts: RegistrationCounts,
    /// Changes of cells, entities and obstacles: planned moves from before them are out of date.
    pub(super) edits: u64,
}

/// Counts of operations since the environment was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RegistrationCounts {
    /// Points moved.
    pub moves: u64,
    /// Entities put into lists, at first and again.
    pub registrations: u64,
    /// Probes sent, or found not needed, for edges and triangles after a move.
    pub measures: u64,
    /// Cells refined.
    pub refined: u64,
    /// Cells coarsened.
    pub coarsened: u64,
}

/// The result of a point's move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    /// At the target, or at a wall.
    pub end: MoveEnd,
    /// Number of entities that have other cells now.
    pub registered: u32,
}

/// The results of the moves of several points.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MovedAll {
    /// Points that did not arrive.
    pub stopped: Vec<(PointId, MoveEnd)>,
    /// Points that could not be tracked and did not move.
    pub failed: Vec<(PointId, TrackError)>,
    /// Number of entities that have other cells now.
    pub registered: u32,
}

impl<const D: usize, G: Geometry<D>> Environment<D, G> {
    /// Takes a map and its geometry. Vertices, cells and, in 3D, faces get numbers.
    ///
    /// # Errors
    /// Fewer positions than vertices; cells that are not convex, all listed.
    pub fn new(mut map: ImplicitMap<D>, mut geometry: G) -> Result<Self, RegistrationError> {
        map.enable_ids(Orbit::Vertex);
        map.enable_ids(G::CELL);
        geometry.begin(&mut map)?;
        let faults = geometry.check(map.map())?;
        if !faults.is_empty() {
            return Err(RegistrationError::BadCells { faults });
        }
        let mut lists = Lists::default();
        if let Some(ids) = map.map().cell_ids(G::CELL) {
            lists.grow(ids.bound());
        }
        let cells: Vec<(u32, Dart)> = map.map().cell_ids(G::CELL).into_iter().flat_map(|ids| ids.cells()).collect();
        for (cell, dart) in cells {
            lists.cell_mut(cell).level = map.level_of(dart);
        }
        Ok(Self {
            map,
            geometry,
            obstacles: DartSet::new(),
            has_obstacles: false,
            points: Vec::new(),
            entities: Vec::new(),
            free_points: Vec::new(),
            free_entities: Vec::new(),
            lists,
            siblings: Families::default(),
            lost: BTreeSet::new(),
            walker: Walker::new(),
            extent: Extent::default(),
            counts: RegistrationCounts::default(),
            edits: 0,
        })
    }

    /// Takes edges (2D) or faces (3D) that points may not cross, by any dart of each. Refinement keeps them.
    ///
    /// # Errors
    /// A dart that is not of a cell.
    pub fn set_obstacles(&mut self, darts: &[Dart]) -> Result<(), RegistrationError> {
        let map = self.map.map();
        for &dart in darts {
            if !map.is_live(dart) || map.is_boundary(dart) {
                return Err(TrackError::BadDart { dart }.into());
            }
        }
        self.edits += 1;
        self.obstacles.clear();
        for &dart in darts {
            match D {
                2 => _ = self.obstacles.insert(dart),
                _ => map.face_darts(dart).for_each(|dart| _ = self.obstacles.insert(dart)),
            }
        }
        self.has_obstacles = !darts.is_empty();
        Ok(())
    }

    /// Returns the map, at all levels.
    pub fn map(&self) -> &ImplicitMap<D> {
        &self.map
    }

    /// Returns the positions.
    pub fn geometry(&self) -> &G {
        &self.geometry
    }

    /// Returns the counts of operations since the environment was made.
    pub fn counts(&self) -> RegistrationCounts {
        self.counts
    }

    /// Returns the bytes on the heap of the cells' lists.
    pub fn list_bytes(&self) -> usize {
        self.lists.heap_bytes()
    }

    /// Returns a dart of a cell.
    pub fn dart(&self, cell: u32) -> Option<Dart> {
        self.map.map().cell_ids(G::CELL)?.dart(cell)
    }

    /// Returns the numbers of all cells, ascending.
    pub fn cells(&self) -> impl Iterator<Item = u32> + '_ {
        self.map.map().cell_ids(G::CELL).into_iter().flat_map(|ids| ids.cells().map(|cell| cell.0))
    }

    /// Returns the level of a cell.
    ///
    /// # Errors
    /// [`RegistrationError::NoCell`].
    pub fn level(&self, cell: u32) -> Result<u8, RegistrationError> {
        self.check_cell(cell).map(|_| self.lists.cell(cell).level)
    }

    /// Returns the number of particles in the cell of a level that contains a cell: the particles present at the cell's
    /// own level, and the particles in all pieces of a coarser cell together, each once. `None` for a level that is
    /// finer than the cell, and for a cell that was refined before the environment was made. A particle registered at a
    /// coarser level counts from that level on. Cost: O(levels).
    ///
    /// ```
    /// use heurt_geometry::Vec2;
    /// use heurt_map::registration::{Environment, Plane};
    /// use heurt_map::{Map2, multires::ImplicitMap};
    /// let corners = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [4.0, 4.0]].map(Vec2::from_array).to_vec();
    /// let mut env = Environment::new(ImplicitMap::new(Map2::grid(1, 1)?), Plane::new(corners)?)?;
    /// let pieces = env.refine(0)?.after;
    /// let agent = env.add_particle(Vec2::new(1.0, 1.0))?;
    /// env.add_particle(Vec2::new(3.0, 1.0))?;
    /// let point = env.points(agent)?.next().ok_or("a point")?;
    /// let cell = env.cell_of(point)?;
    /// assert_eq!((env.particles_at(cell, 1)?, env.particles_at(cell, 0)?), (Some(1), Some(2)));
    /// assert!(pieces.contains(&cell));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RegistrationError::NoCell`].
    pub fn particles_at(&self, cell: u32, level: u8) -> Result<Option<usize>, RegistrationError> {
        let own = self.level(cell)?;
        Ok(match level.cmp(&own) {
            Ordering::Greater => None,
            Ordering::Equal => Some(self.lists.cell(cell).present.particles().len()),
            Ordering::Less => self.siblings.particles_above(cell, level).map(|count| count as usize),
        })
    }

    pub(super) fn check_cell(&self, cell: u32) -> Result<Dart, RegistrationError> {
        self.dart(cell).ok_or(RegistrationError::NoCell { cell })
    }

    /// Returns the numbers of all entities, ascending.
    pub fn entities(&self) -> impl Iterator<Item = EntityId> + '_ {
        let is_live = |place: &usize| self.entities[*place].points[0] != NONE;
        (0..self.entities.len()).filter(is_live).map(|place| EntityId(place as u32))
    }

    /// Returns the points of an entity: one of a particle, two of an edge, three of a triangle.
    ///
    /// # Errors
    /// [`RegistrationError::NoEntity`].
    pub fn points(&self, entity: EntityId) -> Result<impl ExactSizeIterator<Item = PointId> + '_, RegistrationError> {
        Ok(corners(&self.entity(entity)?.points).iter().map(|&point| PointId(point)))
    }

    /// Returns the entities over a point, in no order.
    ///
    /// # Errors
    /// [`RegistrationError::NoPoint`].
    pub fn entities_over(
        &self,
        point: PointId,
    ) -> Result<impl ExactSizeIterator<Item = EntityId> + '_, RegistrationError> {
        Ok(self.point(point)?.entities.iter().map(|&entity| EntityId(entity)))
    }

    /// Returns the particle of a point: position, dart and place.
    ///
    /// # Errors
    /// [`RegistrationError::NoPoint`].
    pub fn particle(&self, point: PointId) -> Result<Particle<G::Point>, RegistrationError> {
        Ok(self.point(point)?.particle)
    }

    /// Returns the cell that contains a point.
    ///
    /// # Errors
    /// [`RegistrationError::NoPoint`].
    pub fn cell_of(&self, point: PointId) -> Result<u32, RegistrationError> {
        Ok(self.cell_at(self.point(point)?.particle.dart))
    }

    pub(super) fn cell_at(&self, dart: Dart) -> u32 {
        self.map.map().id(G::CELL, dart)
    }

    pub(super) fn entity(&self, entity: EntityId) -> Result<&Entity, RegistrationError> {
        let found = self.entities.get(entity.0 as usize).filter(|found| found.points[0] != NONE);
        found.ok_or(RegistrationError::NoEntity { entity })
    }

    /// Reports whether an entity is over one point.
    pub(super) fn is_particle(&self, entity: u32) -> bool {
        self.entities[entity as usize].points[1] == NONE
    }

    /// Reports whether an entity is a particle that is in a single cell, the cell of its point.
    pub(super) fn is_in_one_cell(&self, entity: u32) -> bool {
        self.is_particle(entity) && self.entities[entity as usize].manner.finest == u8::MAX
    }

    pub(super) fn listed(&self, entity: u32) -> Listed {
        Listed { entity: EntityId(entity), is_particle: self.is_particle(entity) }
    }

    pub(super) fn point(&self, point: PointId) -> Result<&Point<G::Point>, RegistrationError> {
        let found = self.points.get(point.0 as usize).filter(|found| !found.entities.is_empty());
        found.ok_or(RegistrationError::NoPoint { point })
    }

    /// Moves a point straight towards a target, up to walls, and registers again its entities that are then in
    /// different cells.
    ///
    /// # Errors
    /// [`RegistrationError::NoPoint`], a target that is not finite, [`TrackError::Lost`]; nothing has moved then.
    pub fn move_point(&mut self, point: PointId, target: G::Point) -> Result<Moved, RegistrationError> {
        let plan = self.plan_move(point, target)?;
        Ok(self.make_fresh(&plan))
    }

    /// Registers the entities over a point again if needed, after it has moved from a cell; returns how many have
    /// different cells.
    pub(super) fn follow_all(&mut self, point: PointId, from: u32) -> u32 {
        let mut registered = 0;
        for place in 0..self.points[point.0 as usize].entities.len() {
            let entity = self.points[point.0 as usize].entities[place];
            registered += u32::from(self.follow(entity, from, point));
        }
        registered
    }

    /// Moves several points in order, and then registers again the entities that are in different cells: each once,
    /// even if several of its points have moved.
    ///
    /// # Errors
    /// [`RegistrationError::NoPoint`] for the first unknown point; nothing has moved then. Walls and errors of single
    /// points are reported in the result.
    pub fn move_points(&mut self, moves: &[(PointId, G::Point)]) -> Result<MovedAll, RegistrationError> {
        for &(point, _) in moves {
            self.point(point)?;
        }
        let mut all = MovedAll::default();
        let mut waiting: SmallVec<[u32; 16]> = SmallVec::new();
        for &(point, target) in moves {
            match self.track(point, target) {
                Ok((from, end)) => {
                    if end != MoveEnd::Arrived {
                        all.stopped.push((point, end));
                    }
                    for place in 0..self.points[point.0 as usize].entities.len() {
                        let entity = self.points[point.0 as usize].entities[place];
                        if self.is_particle(entity) {
                            all.registered += u32::from(self.follow(entity, from, point));
                        } else {
                            waiting.push(entity);
                        }
                    }
                }
                Err(error) => all.failed.push((point, error)),
            }
        }
        waiting.sort_unstable();
        waiting.dedup();
        for entity in waiting {
            all.registered += u32::from(self.update(entity));
        }
        Ok(all)
    }

    /// Moves a point, and returns its previous cell and the end of the move.
    fn track(&mut self, point: PointId, target: G::Point) -> Result<(u32, MoveEnd), TrackError> {
        let obstacles = self.has_obstacles.then_some(&self.obstacles);
        let particle = &mut self.points[point.0 as usize].particle;
        let from = particle.dart;
        let end = self.geometry.move_to(self.map.map(), obstacles, particle, target, |_, _| ())?;
        self.counts.moves += 1;
        Ok((self.cell_at(from), end))
    }

    /// Registers an entity again if needed, after one of its points has moved from a cell. Reports whether it has
    /// different cells.
    pub(super) fn follow(&mut self, entity: u32, from: u32, point: PointId) -> bool {
        let entry = &self.entities[entity as usize];
        if entry.points[1] != NONE {
            return self.update(entity);
        }
        let to = self.cell_at(self.points[point.0 as usize].particle.dart);
        if from == to {
            return false;
        }
        if entry.manner.finest < u8::MAX {
            return self.update(entity);
        }
        self.link(to);
        self.lists.shift(self.listed(entity), from, to);
        self.siblings.cross(from, to);
        let entry = &mut self.entities[entity as usize];
        entry.cells.clear();
        entry.cells.push(to);
        self.counts.registrations += 1;
        true
    }

    /// Registers an entity again if it is in other cells than before, and reports whether it is.
    pub(super) fn update(&mut self, entity: u32) -> bool {
        self.counts.measures += 1;
        let entry = &self.entities[entity as usize];
        let inside = if D == 2 { CellPlace::Face } else { CellPlace::Volume };
        let holds = |&point: &u32| {
            let particle = &self.points[point as usize].particle;
            particle.place == inside && entry.cells.binary_search(&self.cell_at(particle.dart)).is_ok()
        };
        if G::IS_CONVEX && entry.is_single && corners(&entry.points).iter().all(holds) {
            return false;
        }
        self.measure(entity);
        let entry = &mut self.entities[entity as usize];
        entry.is_single = self.extent.is_single;
        if *entry.cells == *self.extent.cells {
            return false;
        }
        if self.is_particle(entity) {
            self.leave(entity);
            self.enter(entity);
        } else {
            self.change_cells(entity);
        }
        true
    }
}

/// No cell has this number.
const _: () = assert!(NO_CELL == NONE);
