//! Cells are refined and coarsened under their entities.
//!
//! In: a cell. Out: the cells that took its place, with lists as if all had been registered anew.
//! Method: S4 §6.2 and §6.3, in four phases: entities present are taken out of all lists and remembered; the map changes;
//! the new cells find their neighbours and who is present there; what was remembered is registered again, its points put
//! into their cells first (§6.2.1). Points beside the cell whose dart is gone get the one that stands for it (§6.3.1).
//! Ours differs: the map changes first, since that may be refused, and lists are by numbers that outlive it; a point beside
//! the cell that is exactly on an edge (3D: or face) may be on half of it now, and is told.
//! Guarantees: when an error is given nothing has changed. Cost: O(darts of the cell and its neighbours), O(entities
//! present in them) and their registration.

use super::environment::Environment;
use super::extent::corners;
use super::geometry::Geometry;
use super::{EntityId, PointId, RegistrationError};
use crate::multires::Refined;
use crate::track::{End, Found, Particle, Place};
use crate::{CombinatorialMap, Dart, Orbit};

/// What refining or coarsening did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellChange {
    /// The level of the new cells.
    pub level: u8,
    /// The cells that were, ascending. Their numbers may be used again.
    pub before: Vec<u32>,
    /// The cells that took their place.
    pub after: Vec<u32>,
    /// Their neighbours. Those that share an edge (or face) with them may have got or lost vertices on it: ask
    /// [`Environment::t_junctions`] where cells have to conform.
    pub around: Vec<u32>,
    /// How many entities were registered again.
    pub registered: u32,
    /// Points that were found in no cell, and aim at the nearest one known. Never in maps without faults.
    pub strayed: Vec<PointId>,
}

impl<const D: usize, G: Geometry<D>> Environment<D, G> {
    /// Refines a cell by one level.
    ///
    /// # Errors
    /// [`RegistrationError::NoCell`], [`RegistrationError::TooFine`], [`RegistrationError::NotParallel`], and what
    /// [`ImplicitMap`](crate::multires::ImplicitMap)'s `refine` refuses.
    pub fn refine(&mut self, cell: u32) -> Result<CellChange, RegistrationError> {
        let dart = self.check_cell(cell)?;
        self.geometry.check_refine(&mut self.map, cell, dart)?;
        self.link(cell);
        let refined = self.map.refine(dart)?;
        self.geometry.place(&self.map, &refined, &mut self.walker);
        self.keep_obstacles(&refined);
        self.counts.refined += 1;
        let after: Vec<u32> = refined.cells.iter().map(|&dart| self.cell_at(dart)).collect();
        self.families.split(cell, &after);
        Ok(self.exchange(vec![cell], after, refined.level, &[]))
    }

    /// Makes a cell one again with the others that came from the same cell.
    ///
    /// # Errors
    /// [`RegistrationError::NoCell`], a cell of level 0, one of the others refined further.
    pub fn coarsen(&mut self, cell: u32) -> Result<CellChange, RegistrationError> {
        let dart = self.check_cell(cell)?;
        let mut before: Vec<u32> = self.map.family(dart)?.into_iter().map(|dart| self.cell_at(dart)).collect();
        before.sort_unstable();
        for &cell in &before {
            self.link(cell);
        }
        let coarsened = self.map.coarsen(dart)?;
        for &(gone, _) in &coarsened.replaced {
            self.obstacles.remove(gone);
        }
        self.counts.coarsened += 1;
        let after = vec![self.cell_at(coarsened.cell)];
        self.families.join(&before, after[0]);
        Ok(self.exchange(before, after, coarsened.level, &coarsened.replaced))
    }

    /// Where neighbours are finer than a cell: a dart of the cell for each edge that they have cut and, in 3D, each face
    /// that they have split, with the level of its first piece (S4 §9.1.2).
    ///
    /// # Errors
    /// [`RegistrationError::NoCell`].
    pub fn t_junctions(&mut self, cell: u32) -> Result<Vec<(Orbit, Dart, u8)>, RegistrationError> {
        let dart = self.check_cell(cell)?;
        Ok(self.map.hanging(dart))
    }

    /// Brings lists and points up to date when the map has some cells in place of others.
    fn exchange(&mut self, before: Vec<u32>, after: Vec<u32>, level: u8, replaced: &[(Dart, Dart)]) -> CellChange {
        // Phase 1: who is present is remembered and taken out everywhere; who is next to the cells is forgotten there.
        let mut held: Vec<EntityId> =
            before.iter().flat_map(|&cell| self.lists.cell(cell).present.all().iter().copied()).collect();
        held.sort_unstable();
        held.dedup();
        let particles: Vec<EntityId> = held.iter().copied().filter(|entity| self.is_in_one_cell(entity.0)).collect();
        held.retain(|entity| !self.is_in_one_cell(entity.0));
        for entity in &held {
            self.leave(entity.0);
        }
        let around = self.lists.unlink(&before, &particles);
        // Phase 3: the new cells get to know their neighbours, and who is there.
        let bound = self.map.map().cell_ids(G::CELL).map_or(0, |ids| ids.bound());
        self.lists.grow(bound);
        for &cell in &after {
            self.link(cell);
            self.lists.cell_mut(cell).level = level;
        }
        self.lists.join(&after, |entity| self.entities[entity.0 as usize].cells.len() > 1);
        // Phase 4: points find their cells, and those remembered are registered again.
        let home = self.dart(after[0]).unwrap_or(Dart(0));
        let mut strayed = Vec::new();
        for &cell in &around {
            for place in 0..self.lists.cell(cell).present.all().len() {
                let entity = self.lists.cell(cell).present.all()[place];
                self.aim(entity, &[], replaced, home, &mut strayed);
            }
        }
        // What was inside a piece is inside the whole.
        let pieces: &[u32] = if before.len() == 1 { &after } else { &[] };
        for &entity in particles.iter().chain(&held) {
            self.aim(entity, pieces, replaced, home, &mut strayed);
        }
        for &entity in &particles {
            let cell = self.cell_at(self.points[self.entities[entity.0 as usize].points[0] as usize].particle.dart);
            self.link(cell);
            self.entities[entity.0 as usize].cells[0] = cell;
            self.lists.insert_particle(entity, cell);
        }
        for entity in &held {
            self.measure(entity.0);
            self.enter(entity.0);
        }
        let registered = (particles.len() + held.len()) as u32;
        self.counts.registrations += particles.len() as u64;
        strayed.sort_unstable();
        strayed.dedup();
        CellChange { level, before, after, around, registered, strayed }
    }

    /// Makes the points of an entity aim at darts of their cells: those of darts that are gone, those on edges and faces,
    /// and those in `cells`.
    fn aim(
        &mut self,
        entity: EntityId,
        cells: &[u32],
        replaced: &[(Dart, Dart)],
        home: Dart,
        strayed: &mut Vec<PointId>,
    ) {
        let inside = if D == 2 { Place::Face } else { Place::Volume };
        let points = self.entities[entity.0 as usize].points;
        for &point in corners(&points) {
            let particle = &mut self.points[point as usize].particle;
            if let Ok(place) = replaced.binary_search_by_key(&particle.dart, |pair| pair.0) {
                particle.dart = replaced[place].1;
            }
            let particle = *particle;
            if particle.place != inside || cells.contains(&self.cell_at(particle.dart)) {
                match self.settled(&particle) {
                    Some(there) => self.points[point as usize].particle = there,
                    None => {
                        self.points[point as usize].particle.dart = home;
                        strayed.push(PointId(point));
                    }
                }
            }
        }
    }

    /// A particle at the same position, in the cell that it is in.
    fn settled(&self, particle: &Particle<G::Point>) -> Option<Particle<G::Point>> {
        let (map, mut there) = (self.map.map(), *particle);
        if self.geometry.settle(map, &mut there) == Ok(End::Arrived) {
            return Some(there);
        }
        self.geometry.find(map, particle.position).ok().and_then(Found::inside)
    }

    /// Makes the pieces of obstacles obstacles.
    fn keep_obstacles(&mut self, refined: &Refined) {
        if !self.has_obstacles {
            return;
        }
        let map = self.map.map();
        let mut darts: Vec<Dart> = Vec::new();
        for vertex in &refined.vertices {
            if D == 2 && vertex.amid == Orbit::Edge {
                let (dart, other) = (vertex.of, map.phi2(vertex.dart));
                if self.obstacles.contains(dart) || self.obstacles.contains(other) {
                    self.obstacles.insert(dart);
                    self.obstacles.insert(vertex.dart);
                }
            } else if D == 3 {
                darts.extend_from_slice(self.walker.orbit(map, Orbit::Vertex, vertex.dart));
            }
        }
        // Faces that have a dart of an obstacle; then those amid a triangle, which have only new ones.
        for is_amid in [false, true] {
            for &dart in &darts {
                let is_marked = map.face_darts(dart).any(|dart| {
                    let is_inner = is_amid && self.map.is_inner_edge(dart, refined.level);
                    self.obstacles.contains(if is_inner { self.map.across(dart) } else { dart })
                });
                if is_marked {
                    map.face_darts(dart).for_each(|dart| _ = self.obstacles.insert(dart));
                }
            }
        }
    }
}
