//! Adding and removing entities.
//!
//! In: positions and elements over them. Out: numbers of entities.
//! Method: S4 §5.1, §5.3, §5.5: an edge has two points, a surface one for each vertex of its triangles. The first point
//! is searched in the map. Each further point is tracked from its predecessor, or searched if that meets a wall.
//! Guarantees: all or nothing. Cost: O(path through the map to the first point) and O(cells met).

use super::environment::{Entity, Environment, Point};
use super::extent::{Ground, corners};
use super::geometry::Geometry;
use super::{EntityId, NONE, RegistrationError};
use crate::track::{MoveEnd, Particle, ProbeHit};
use smallvec::SmallVec;

/// The points of an entity: places among the points given with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// A point.
    Particle(u32),
    /// The segment between two points.
    Edge([u32; 2]),
    /// The triangle of three points.
    Triangle([u32; 3]),
}

impl Element {
    fn points(&self) -> &[u32] {
        match self {
            Self::Particle(point) => std::slice::from_ref(point),
            Self::Edge(points) => points,
            Self::Triangle(points) => points,
        }
    }
}

/// Options of registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegistrationMode {
    /// The finest level: in all cells that one cell of this level became, for entities that are large next to fine
    /// cells (S4 "perspectives", §2.1). They are registered again less often, and seen from further away.
    pub finest: u8,
    /// Triangles count in cells that only their inside meets, too (S4 §5.5 leaves these out, given that no cell of the
    /// map is so small).
    pub is_whole: bool,
}

impl Default for RegistrationMode {
    /// Registers in the finest cells, with the inside.
    fn default() -> Self {
        Self { finest: u8::MAX, is_whole: true }
    }
}

impl<const D: usize, G: Geometry<D>> Environment<D, G> {
    /// Registers a particle.
    ///
    /// # Errors
    /// A position that is not finite, or outside the map.
    pub fn add_particle(&mut self, position: G::Point) -> Result<EntityId, RegistrationError> {
        Ok(self.add(&[position], &[Element::Particle(0)], RegistrationMode::default())?[0])
    }

    /// Registers a particle where straight motion from a point of a cell leads. On a map that lies over itself this
    /// chooses the sheet.
    ///
    /// # Errors
    /// [`RegistrationError::NoCell`], a position that is not finite, `from` outside the cell, or a wall in between.
    pub fn add_particle_from(
        &mut self,
        (cell, from): (u32, G::Point),
        position: G::Point,
    ) -> Result<EntityId, RegistrationError> {
        let walker = self.particle_from((cell, from), position)?;
        let point = self.new_point(walker);
        Ok(self.new_entity(&Element::Particle(0), &[point], RegistrationMode::default()))
    }

    /// Registers an edge.
    ///
    /// # Errors
    /// A position that is not finite, or outside the map.
    pub fn add_edge(&mut self, ends: [G::Point; 2]) -> Result<EntityId, RegistrationError> {
        Ok(self.add(&ends, &[Element::Edge([0, 1])], RegistrationMode::default())?[0])
    }

    /// Registers elements over points that they share: an agent's outline, a surface. Returns their numbers, in order.
    ///
    /// # Errors
    /// A position that is not finite, or outside the map; an element over points that are not given, a point of no
    /// element.
    pub fn add(
        &mut self,
        positions: &[G::Point],
        elements: &[Element],
        manner: RegistrationMode,
    ) -> Result<Vec<EntityId>, RegistrationError> {
        self.check_elements(positions.len(), elements)?;
        self.add_checked(None, positions, elements, manner)
    }

    /// Registers elements over points that they share, the first where straight motion from a point of a cell leads. On
    /// a map that lies over itself this chooses the sheet.
    ///
    /// ```
    /// use heurt_geometry::Vec2;
    /// use heurt_map::registration::{Element, Environment, Plane};
    /// use heurt_map::{Map2, multires::ImplicitMap};
    /// let corners = (0..6).map(|k| 4.0 * Vec2::new(f64::from(k % 3), f64::from(k / 3))).collect();
    /// let mut env = Environment::new(ImplicitMap::new(Map2::grid(2, 1)?), Plane::new(corners)?)?;
    /// let ends = [Vec2::new(3.0, 1.0), Vec2::new(5.0, 1.0)];
    /// let edges = env.add_from((0, Vec2::ONE), &ends, &[Element::Edge([0, 1])], Default::default())?;
    /// assert_eq!(env.cells_of(edges[0])?, [0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`add`](Self::add); [`RegistrationError::NoCell`], `from` outside the cell, or a wall before the first point.
    pub fn add_from(
        &mut self,
        (cell, from): (u32, G::Point),
        positions: &[G::Point],
        elements: &[Element],
        manner: RegistrationMode,
    ) -> Result<Vec<EntityId>, RegistrationError> {
        self.check_elements(positions.len(), elements)?;
        let first = positions.first().map(|&position| self.particle_from((cell, from), position)).transpose()?;
        self.add_checked(first, positions, elements, manner)
    }

    fn check_elements(&self, count: usize, elements: &[Element]) -> Result<(), RegistrationError> {
        let mut is_used = vec![false; count];
        for (element, over) in elements.iter().enumerate() {
            for &point in over.points() {
                *is_used.get_mut(point as usize).ok_or(RegistrationError::BadElement { element, point, count })? = true;
            }
        }
        if let Some(index) = is_used.iter().position(|is_used| !is_used) {
            return Err(RegistrationError::UnusedPoint { index });
        }
        for (held, more) in [(self.points.len(), count), (self.entities.len(), elements.len())] {
            let (count, max) = (held.saturating_add(more), NONE as usize);
            if count > max {
                return Err(RegistrationError::TooMany { count, max });
            }
        }
        Ok(())
    }

    fn add_checked(
        &mut self,
        first: Option<Particle<G::Point>>,
        positions: &[G::Point],
        elements: &[Element],
        manner: RegistrationMode,
    ) -> Result<Vec<EntityId>, RegistrationError> {
        let mut particles: Vec<Particle<G::Point>> = Vec::with_capacity(positions.len());
        for (index, &position) in positions.iter().enumerate() {
            particles.push(self.locate(index, position, particles.last().or(first.as_ref()))?);
        }
        let points: Vec<u32> = particles.into_iter().map(|particle| self.new_point(particle)).collect();
        Ok(elements.iter().map(|element| self.new_entity(element, &points, manner)).collect())
    }

    /// Tracks a particle from a point of a cell to a position.
    fn particle_from(
        &self,
        (cell, from): (u32, G::Point),
        position: G::Point,
    ) -> Result<Particle<G::Point>, RegistrationError> {
        let dart = self.check_cell(cell)?;
        let map = self.map.map();
        let outside = RegistrationError::Outside { index: 0, distance: f64::INFINITY };
        let Some(mut walker) = self.geometry.particle_in(map, dart, from) else { return Err(outside) };
        let end = self.geometry.move_to(map, None, &mut walker, position, |_, _| ())?;
        if end != MoveEnd::Arrived || walker.position != position {
            return Err(outside);
        }
        Ok(walker)
    }

    /// Finds the cell of a position, near a particle if there is one.
    fn locate(
        &self,
        index: usize,
        position: G::Point,
        near: Option<&Particle<G::Point>>,
    ) -> Result<Particle<G::Point>, RegistrationError> {
        let map = self.map.map();
        if let Some(&near) = near {
            let mut walker = near;
            let end = self.geometry.move_to(map, None, &mut walker, position, |_, _| ());
            if end == Ok(MoveEnd::Arrived) && walker.position == position {
                return Ok(walker);
            }
        }
        match self.geometry.find(map, position)? {
            ProbeHit::Inside(particle) => Ok(particle),
            ProbeHit::Outside(outside) => Err(RegistrationError::Outside { index, distance: outside.distance }),
        }
    }

    fn new_point(&mut self, particle: Particle<G::Point>) -> u32 {
        let point = Point { particle, entities: SmallVec::new() };
        match self.free_points.pop() {
            Some(id) => {
                self.points[id as usize] = point;
                id
            }
            None => {
                self.points.push(point);
                self.points.len() as u32 - 1
            }
        }
    }

    fn new_entity(&mut self, element: &Element, points: &[u32], manner: RegistrationMode) -> EntityId {
        self.edits += 1;
        let mut entity = Entity { points: [NONE; 3], manner, is_single: false, cells: SmallVec::new() };
        for (place, &point) in element.points().iter().enumerate() {
            entity.points[place] = points[point as usize];
        }
        let id = match self.free_entities.pop() {
            Some(id) => {
                self.entities[id as usize] = entity;
                id
            }
            None => {
                self.entities.push(entity);
                self.entities.len() as u32 - 1
            }
        };
        for &point in corners(&self.entities[id as usize].points) {
            let entities = &mut self.points[point as usize].entities;
            if !entities.contains(&id) {
                entities.push(id);
            }
        }
        self.measure(id);
        self.enter(id);
        EntityId(id)
    }

    /// Removes an entity, and its points that no other entity is over.
    ///
    /// # Errors
    /// [`RegistrationError::NoEntity`].
    pub fn remove(&mut self, entity: EntityId) -> Result<(), RegistrationError> {
        self.entity(entity)?;
        self.edits += 1;
        self.leave(entity.0);
        self.lost.remove(&entity.0);
        let points = self.entities[entity.0 as usize].points;
        self.entities[entity.0 as usize].points = [NONE; 3];
        self.free_entities.push(entity.0);
        for &point in corners(&points) {
            let entry = &mut self.points[point as usize];
            if let Some(place) = entry.entities.iter().position(|&other| other == entity.0) {
                entry.entities.swap_remove(place);
                if entry.entities.is_empty() {
                    self.free_points.push(point);
                }
            }
        }
        Ok(())
    }

    /// Computes the cells of an entity, into the measure.
    pub(super) fn measure(&mut self, id: u32) {
        let entity = &self.entities[id as usize];
        let at = |&point: &u32| self.points[point as usize].particle;
        let points: SmallVec<[Particle<G::Point>; 3]> = corners(&entity.points).iter().map(at).collect();
        let ground = Ground { map: &self.map, geometry: &self.geometry };
        self.extent.measure(&ground, &points, entity.manner.finest, entity.manner.is_whole);
        if self.extent.is_lost {
            self.lost.insert(id)
        } else {
            self.lost.remove(&id)
        };
    }

    /// Registers an entity in the cells of the measure.
    pub(super) fn enter(&mut self, id: u32) {
        for place in 0..self.extent.cells.len() {
            self.link(self.extent.cells[place]);
        }
        let who = self.listed(id);
        let entity = &mut self.entities[id as usize];
        entity.is_single = self.extent.is_single;
        entity.cells.clear();
        entity.cells.extend_from_slice(&self.extent.cells);
        if who.is_particle
            && let Some(&cell) = self.extent.cells.first()
        {
            self.siblings.enter(cell, entity.manner.finest);
        }
        self.lists.insert(who, &self.extent.cells);
        self.counts.registrations += 1;
    }

    /// Registers an edge or a triangle in the cells of the measure instead of its own.
    pub(super) fn change_cells(&mut self, id: u32) {
        for place in 0..self.extent.cells.len() {
            self.link(self.extent.cells[place]);
        }
        let who = self.listed(id);
        let entity = &mut self.entities[id as usize];
        self.lists.exchange(who, &entity.cells, &self.extent.cells);
        entity.cells.clear();
        entity.cells.extend_from_slice(&self.extent.cells);
        self.counts.registrations += 1;
    }

    /// Removes an entity from all lists.
    pub(super) fn leave(&mut self, id: u32) {
        let entity = &self.entities[id as usize];
        if entity.points[1] == NONE
            && let Some(&cell) = entity.cells.first()
        {
            self.siblings.leave(cell, entity.manner.finest);
        }
        self.lists.remove(self.listed(id), &self.entities[id as usize].cells);
        self.entities[id as usize].cells.clear();
    }

    /// Finds the neighbours of a cell, unless they are known.
    pub(super) fn link(&mut self, cell: u32) {
        if !self.lists.cell(cell).is_linked
            && let Some(dart) = self.dart(cell)
        {
            self.lists.link(self.map.map(), G::CELL, dart, &mut self.walker);
        }
    }
}
