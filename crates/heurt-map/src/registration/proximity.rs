//! Proximity queries: entities in the same cell and its neighbours, or within a distance.
//!
//! In: an entity, a cell, or a point and a radius. Out: entities, each once.
//! Method: S4 §5.7: a cell's two lists are its surroundings. Queries within a distance traverse cells from neighbour to
//! neighbour if the cells' boxes are within the distance.
//! Guarantees: no allocation once the buffers of [`Visit`] have grown. A query within a distance finds every entity
//! whose nearest point is in a cell that is reached without leaving the distance: all entities in a convex map, in
//! other maps those on this side of a hole. On surfaces, distances are measured in space to straight edges and
//! triangles, not to their sections. Distances are rounded. Cost: O(1) for the lists of a cell; O(lists of its cells)
//! for an entity in several; O(cells near and entities present in them) within a distance.

use super::environment::Environment;
use super::extent::corners;
use super::geometry::Geometry;
use super::{EntityId, PointId, RegistrationError};
use crate::nearest::{distance, on_segment, on_triangle};
use crate::{CombinatorialMap, Dart, Orbit, Walker};
use heurt_geometry::Vec3;

/// Buffers for queries: one for each thread.
#[derive(Debug, Clone, Default)]
pub struct Visit {
    stamp: u32,
    entities: Vec<u32>,
    cells: Vec<u32>,
    queue: Vec<Dart>,
    walker: Walker,
    orbits: Walker,
}

impl Visit {
    /// Makes buffers; they fit any environment, and grow.
    pub fn new() -> Self {
        Self::default()
    }

    fn begin(&mut self, entities: usize, cells: usize) {
        self.entities.resize(self.entities.len().max(entities), 0);
        self.cells.resize(self.cells.len().max(cells), 0);
        if self.stamp == u32::MAX {
            self.entities.fill(0);
            self.cells.fill(0);
            self.stamp = 0;
        }
        self.stamp += 1;
        self.queue.clear();
    }

    fn is_new(&mut self, entity: EntityId) -> bool {
        std::mem::replace(&mut self.entities[entity.0 as usize], self.stamp) != self.stamp
    }
}

/// Entities in a cell, and entities in its neighbours and not in it, in no order.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// Particles: first those in the cell, then those next to it.
    pub particles: [&'a [EntityId]; 2],
    /// Edges and triangles: first those in the cell, then those next to it.
    pub others: [&'a [EntityId]; 2],
}

impl<'a> Surroundings<'a> {
    /// Returns all entities.
    pub fn all(self) -> impl Iterator<Item = EntityId> + 'a {
        self.particles.into_iter().chain(self.others).flatten().copied()
    }
}

impl<const D: usize, G: Geometry<D>> Environment<D, G> {
    /// Returns the cells that an entity is in, ascending.
    ///
    /// # Errors
    /// [`RegistrationError::NoEntity`].
    pub fn cells_of(&self, entity: EntityId) -> Result<&[u32], RegistrationError> {
        Ok(&self.entity(entity)?.cells)
    }

    /// Returns the entities present in a cell: particles first.
    ///
    /// # Errors
    /// [`RegistrationError::NoCell`].
    pub fn present(&self, cell: u32) -> Result<&[EntityId], RegistrationError> {
        self.check_cell(cell)?;
        Ok(self.lists.cell(cell).present.all())
    }

    /// Returns the entities present in the neighbours of a cell and not in it: particles first.
    ///
    /// # Errors
    /// [`RegistrationError::NoCell`].
    pub fn neighbours(&self, cell: u32) -> Result<&[EntityId], RegistrationError> {
        self.check_cell(cell)?;
        Ok(self.lists.cell(cell).neighbours.all())
    }

    /// Returns the neighbours of a cell: the cells that share a vertex with it, without the cell itself. `None` for a
    /// cell whose neighbours are not known yet ([`link_cells`](Self::link_cells)).
    ///
    /// # Errors
    /// [`RegistrationError::NoCell`].
    pub fn adjacent_cells(&self, cell: u32) -> Result<Option<&[u32]>, RegistrationError> {
        self.check_cell(cell)?;
        let cell = self.lists.cell(cell);
        Ok(cell.is_linked.then_some(cell.adjacent.as_slice()))
    }

    /// Finds the neighbours of all cells, so that [`adjacent_cells`](Self::adjacent_cells) knows them. Cells that later
    /// changes bring need another call. Cost: O(cells) the first time.
    pub fn link_cells(&mut self) {
        let cells: Vec<u32> = self.cells().collect();
        cells.into_iter().for_each(|cell| self.link_cell(cell));
    }

    /// Finds the neighbours of a cell, unless they are known or there is no such cell.
    pub fn link_cell(&mut self, cell: u32) {
        if self.dart(cell).is_some() {
            self.link(cell);
        }
    }

    /// Returns the entities present in the cell of a point, including the entities over it, and those present in the
    /// neighbours of its cell. O(1).
    ///
    /// # Errors
    /// [`RegistrationError::NoPoint`].
    #[inline]
    pub fn surroundings(&self, point: PointId) -> Result<Surroundings<'_>, RegistrationError> {
        Ok(self.lists_of(self.cell_at(self.point(point)?.particle.dart)))
    }

    /// Returns the entities present in a cell, and those present in its neighbours and not in it. O(1).
    ///
    /// # Errors
    /// [`RegistrationError::NoCell`].
    pub fn surroundings_of(&self, cell: u32) -> Result<Surroundings<'_>, RegistrationError> {
        self.check_cell(cell)?;
        Ok(self.lists_of(cell))
    }

    #[inline]
    fn lists_of(&self, cell: u32) -> Surroundings<'_> {
        let cell = self.lists.cell(cell);
        Surroundings {
            particles: [cell.present.particles(), cell.neighbours.particles()],
            others: [cell.present.others(), cell.neighbours.others()],
        }
    }

    /// Reports every other entity that is present in the cells of an entity or in their neighbours, once.
    ///
    /// # Errors
    /// [`RegistrationError::NoEntity`].
    pub fn for_each_near(
        &self,
        entity: EntityId,
        visit: &mut Visit,
        mut f: impl FnMut(EntityId),
    ) -> Result<(), RegistrationError> {
        let cells = &self.entity(entity)?.cells;
        if let &[cell] = &cells[..] {
            let cell = self.lists.cell(cell);
            cell.present.all().iter().filter(|&&other| other != entity).for_each(|&other| f(other));
            cell.neighbours.all().iter().for_each(|&other| f(other));
            return Ok(());
        }
        visit.begin(self.entities.len(), 0);
        visit.is_new(entity);
        for &cell in cells {
            let cell = self.lists.cell(cell);
            for &other in cell.present.all().iter().chain(cell.neighbours.all()) {
                if visit.is_new(other) {
                    f(other);
                }
            }
        }
        Ok(())
    }

    /// Reports every entity not over a point whose distance from it is at most `radius`, and the distance.
    ///
    /// ```
    /// use heurt_geometry::Vec2;
    /// use heurt_map::Map2;
    /// use heurt_map::multires::ImplicitMap;
    /// use heurt_map::registration::{Environment, Plane, Visit};
    /// let points = (0..9).map(|k| Vec2::new(f64::from(k % 3), f64::from(k / 3))).collect();
    /// let mut env = Environment::new(ImplicitMap::new(Map2::grid(2, 2)?), Plane::new(points)?)?;
    /// let here = env.add_particle(Vec2::new(0.75, 0.5))?;
    /// let there = env.add_particle(Vec2::new(1.25, 0.5))?;
    /// let point = env.points(here)?.next().ok_or("a particle has a point")?;
    /// let mut found = Vec::new();
    /// env.for_each_within(point, 0.6, &mut Visit::new(), |entity, distance| found.push((entity, distance)))?;
    /// assert_eq!(found, [(there, 0.5)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RegistrationError::NoPoint`], [`RegistrationError::BadRadius`].
    pub fn for_each_within(
        &self,
        point: PointId,
        radius: f64,
        visit: &mut Visit,
        mut f: impl FnMut(EntityId, f64),
    ) -> Result<(), RegistrationError> {
        let particle = self.point(point)?.particle;
        if !radius.is_finite() || radius < 0.0 {
            return Err(RegistrationError::BadRadius { radius });
        }
        let (map, centre) = (self.map.map(), G::to_space(particle.position));
        visit.begin(self.entities.len(), self.lists.cells.len());
        for &own in &self.point(point)?.entities {
            visit.is_new(EntityId(own));
        }
        visit.cells[self.cell_at(particle.dart) as usize] = visit.stamp;
        visit.queue.push(particle.dart);
        let mut place = 0;
        while let Some(&dart) = visit.queue.get(place) {
            place += 1;
            for &entity in self.lists.cell(self.cell_at(dart)).present.all() {
                if visit.is_new(entity) {
                    let distance = self.distance(entity, centre);
                    if distance <= radius {
                        f(entity, distance);
                    }
                }
            }
            let mut walker = std::mem::take(&mut visit.walker);
            for &dart in walker.adjacent(map, dart, G::CELL, Orbit::Vertex) {
                let cell = self.cell_at(dart) as usize;
                if visit.cells[cell] != visit.stamp {
                    visit.cells[cell] = visit.stamp;
                    if self.may_be_within(dart, centre, radius, &mut visit.orbits) {
                        visit.queue.push(dart);
                    }
                }
            }
            visit.walker = walker;
        }
        Ok(())
    }

    /// Reports whether the box of a cell may be within a radius; rounded so that no such box is missed.
    fn may_be_within(&self, dart: Dart, centre: Vec3, radius: f64, walker: &mut Walker) -> bool {
        let map = self.map.map();
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for &dart in walker.orbit(map, G::CELL, dart) {
            let corner = self.geometry.position(map.id(Orbit::Vertex, dart));
            (low, high) = (low.min(corner), high.max(corner));
        }
        let gap = (low - centre).max(centre - high).max(Vec3::ZERO);
        distance(gap, Vec3::ZERO) * (1.0 - 8.0 * f64::EPSILON) <= radius
    }

    /// Computes the distance of an entity from a position.
    fn distance(&self, entity: EntityId, from: Vec3) -> f64 {
        let points = &self.entities[entity.0 as usize].points;
        let at = |point: u32| G::to_space(self.points[point as usize].particle.position);
        match *corners(points) {
            [a] => distance(at(a), from),
            [a, b] => distance(on_segment(at(a), at(b), from), from),
            [a, b, c] => distance(on_triangle([at(a), at(b), at(c)], from), from),
            _ => f64::INFINITY,
        }
    }
}
