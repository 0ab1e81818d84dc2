//! Refinement and coarsening of cells, with their entities.
//!
//! In: a cell. Out: the cells that took its place, with lists as if all had been registered again.
//! Method: S4 §6.2 and §6.3, in four phases. (1) The entities present are removed from all lists and kept. (2) The map
//! changes. (3) The new cells compute their neighbours and the entities present there. (4) The kept entities are
//! registered again, after their points have been put into their cells (§6.2.1). Points next to the cell whose dart is
//! gone get the dart that represents it (§6.3.1). Ours differs: the map changes first, since that may be refused, and
//! lists are by numbers that stay valid after it. A point next to the cell that is exactly on an edge (3D: or face) may
//! be on half of it now, and is reported. If cells are not convex ([`Star`](super::Star), [`Surface`](super::Surface)),
//! neighbours may change their shape, so that their points are put into their cells again and their entities are
//! followed again.
//! Guarantees: an error changes nothing. Cost: O(darts of the cell and its neighbours), O(entities present in them) and
//! their registration.

use super::environment::Environment;
use super::extent::corners;
use super::geometry::Geometry;
use super::{EntityId, PointId, RegistrationError};
use crate::multires::Refined;
use crate::track::{CellPlace, MoveEnd, Particle, ProbeHit};
use crate::{CombinatorialMap, Dart, Orbit};

/// The result of refining or coarsening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellChange {
    /// The level of the new cells.
    pub level: u8,
    /// The cells that were, ascending. Their numbers may be used again.
    pub before: Vec<u32>,
    /// The cells that took their place.
    pub after: Vec<u32>,
    /// Their neighbours. Neighbours that share an edge (or face) with them may have got or lost vertices on it: see
    /// [`Environment::t_junctions`] if cells have to conform.
    pub around: Vec<u32>,
    /// Number of entities registered again.
    pub registered: u32,
    /// Points that were found in no cell. If a coarsened cell that had deformed leaves them outside, they are put on
    /// the border. Never in any other case in maps without faults.
    pub strayed: Vec<PointId>,
}

impl<const D: usize, G: Geometry<D>> Environment<D, G> {
    /// Refines a cell by one level.
    ///
    /// # Errors
    /// [`RegistrationError::NoCell`], [`RegistrationError::TooFine`], [`RegistrationError::NotParallel`],
    /// [`RegistrationError::BadCells`] with the cells (as they are) whose pieces could not be tracked in or that could
    /// not themselves, and what [`ImplicitMap`](crate::multires::ImplicitMap)'s `refine` refuses.
    pub fn refine(&mut self, cell: u32) -> Result<CellChange, RegistrationError> {
        let dart = self.check_cell(cell)?;
        self.geometry.check_refine(&mut self.map, cell, dart, &mut self.walker)?;
        self.link(cell);
        let (level, present) = (self.lists.cell(cell).level, self.lists.cell(cell).present.particles());
        let is_within = |entity: &&EntityId| self.entities[entity.0 as usize].manner.finest >= level;
        let particles = present.iter().filter(is_within).count() as u32;
        let lifted = self.lift(&[cell], None);
        let refined = self.map.refine(dart)?;
        self.geometry.place(&self.map, &refined, &mut self.walker);
        self.lower(lifted, Some(refined.level));
        self.keep_obstacles(&refined);
        self.counts.refined += 1;
        self.edits += 1;
        let after: Vec<u32> = refined.cells.iter().map(|&dart| self.cell_at(dart)).collect();
        self.siblings.split(cell, &after, level, particles);
        Ok(self.exchange(vec![cell], after, refined.level, &[]))
    }

    /// Makes a cell one again with its siblings, the cells that came from the same cell.
    ///
    /// # Errors
    /// [`RegistrationError::NoCell`], a cell of level 0, a sibling refined further; [`RegistrationError::BadCells`]
    /// after a mesh has deformed, with the cells (as they are) that could not be tracked in.
    pub fn coarsen(&mut self, cell: u32) -> Result<CellChange, RegistrationError> {
        let dart = self.check_cell(cell)?;
        let family = self.map.family(dart)?;
        let mut before: Vec<u32> = family.iter().map(|&dart| self.cell_at(dart)).collect();
        before.sort_unstable();
        // Otherwise `coarsen` of the map returns the error.
        let level = self.lists.cell(cell).level;
        let is_family = !before.is_empty() && before.iter().all(|&cell| self.lists.cell(cell).level == level);
        if is_family {
            self.geometry.check_coarsen(&mut self.map, &family, &mut self.walker)?;
        }
        for &cell in &before {
            self.link(cell);
        }
        let lifted = if is_family { self.lift(&before, Some(level)) } else { Vec::new() };
        let coarsened = self.map.coarsen(dart)?;
        self.geometry.restore(&self.map, coarsened.cell, &mut self.walker);
        self.lower(lifted, None);
        for &(gone, _) in &coarsened.replaced {
            self.obstacles.remove(gone);
        }
        self.counts.coarsened += 1;
        self.edits += 1;
        let after = vec![self.cell_at(coarsened.cell)];
        self.siblings.join(&before, after[0]);
        Ok(self.exchange(before, after, coarsened.level, &coarsened.replaced))
    }

    /// Returns the places where neighbours are finer than a cell: a dart of the cell for each edge that they have cut
    /// and, in 3D, each face that they have split, with the level of its first piece (S4 §9.1.2).
    ///
    /// # Errors
    /// [`RegistrationError::NoCell`].
    pub fn t_junctions(&mut self, cell: u32) -> Result<Vec<(Orbit, Dart, u8)>, RegistrationError> {
        let dart = self.check_cell(cell)?;
        Ok(self.map.hanging(dart))
    }

    /// Updates the lists after the map has replaced some cells by other cells.
    fn exchange(&mut self, before: Vec<u32>, after: Vec<u32>, level: u8, replaced: &[(Dart, Dart)]) -> CellChange {
        // Phase 1: the entities present are kept and removed from all lists; the lists of the neighbours lose the
        // cells.
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
        // Phase 3: the new cells get their neighbours, and the entities present there.
        let bound = self.map.map().cell_ids(G::CELL).map_or(0, |ids| ids.bound());
        self.lists.grow(bound);
        for &cell in &after {
            self.link(cell);
            self.lists.cell_mut(cell).level = level;
        }
        self.lists.join(&after, |entity| self.entities[entity.0 as usize].cells.len() > 1);
        // Phase 4: points are put into their cells, and the kept entities are registered again.
        let home = self.dart(after[0]).unwrap_or(Dart(0));
        let mut strayed = Vec::new();
        for &cell in &around {
            for place in 0..self.lists.cell(cell).present.all().len() {
                let entity = self.lists.cell(cell).present.all()[place];
                self.aim(entity, &[], replaced, home, &mut strayed);
            }
        }
        // A point inside a piece is inside the whole.
        let pieces: &[u32] = if before.len() == 1 { &after } else { &[] };
        for &entity in particles.iter().chain(&held) {
            self.aim(entity, pieces, replaced, home, &mut strayed);
        }
        let beside = self.beside(&around);
        for &entity in &particles {
            let cell = self.cell_at(self.points[self.entities[entity.0 as usize].points[0] as usize].particle.dart);
            self.link(cell);
            self.entities[entity.0 as usize].cells[0] = cell;
            self.siblings.cross(after[0], cell);
            self.lists.insert_particle(entity, cell);
        }
        for entity in &held {
            self.measure(entity.0);
            self.enter(entity.0);
        }
        let mut registered = (particles.len() + held.len()) as u32;
        registered += beside.into_iter().map(|entity| self.follow_anew(entity)).sum::<u32>();
        self.counts.registrations += particles.len() as u64;
        strayed.sort_unstable();
        strayed.dedup();
        CellChange { level, before, after, around, registered, strayed }
    }

    /// Returns the entities that have to be followed again though they are not in the cells that change: entities in
    /// neighbouring cells, which may change their shape, and edges and triangles in `lost`.
    fn beside(&self, around: &[u32]) -> Vec<EntityId> {
        if G::IS_CONVEX {
            return Vec::new();
        }
        let near = around.iter().flat_map(|&cell| self.lists.cell(cell).present.all());
        let mut beside: Vec<EntityId> = near.copied().chain(self.lost.iter().map(|&entity| EntityId(entity))).collect();
        beside.sort_unstable();
        beside.dedup();
        beside
    }

    /// Registers an entity again if it is in different cells now; returns 1 if it is.
    fn follow_anew(&mut self, entity: EntityId) -> u32 {
        let entry = &self.entities[entity.0 as usize];
        let (from, point) = (entry.cells[0], PointId(entry.points[0]));
        u32::from(self.follow(entity.0, from, point))
    }

    /// Returns points in cells that are to change, and in their neighbours, relative to parts of these that stay.
    fn lift(&self, cells: &[u32], from: Option<u8>) -> Vec<(u32, Particle<G::Point>, bool)> {
        if G::IS_CONVEX {
            return Vec::new();
        }
        let near = cells.iter().flat_map(|&cell| self.lists.cell(cell).adjacent.iter().copied());
        let mut all: Vec<u32> = cells.iter().copied().chain(near).collect();
        all.sort_unstable();
        all.dedup();
        let present = all.iter().flat_map(|&cell| self.lists.cell(cell).present.all());
        let mut points: Vec<u32> =
            present.flat_map(|entity| corners(&self.entities[entity.0 as usize].points)).copied().collect();
        points.sort_unstable();
        points.dedup();
        let lifted = |point: u32| {
            let particle = &self.points[point as usize].particle;
            let cell = self.cell_at(particle.dart);
            let is_inner = cells.contains(&cell);
            all.binary_search(&cell).ok()?;
            Some((point, self.geometry.lift(&self.map, particle, from.filter(|_| is_inner))?, is_inner))
        };
        points.into_iter().filter_map(lifted).collect()
    }

    /// Restores lifted points after the change.
    fn lower(&mut self, lifted: Vec<(u32, Particle<G::Point>, bool)>, to: Option<u8>) {
        for (point, particle, is_inner) in lifted {
            self.points[point as usize].particle = self.geometry.lower(&self.map, particle, to.filter(|_| is_inner));
        }
    }

    /// Gives the points of an entity darts of their cells: points of darts that are gone, points on edges and faces,
    /// and points in `cells`; all points if cells may change their shape.
    fn aim(
        &mut self,
        entity: EntityId,
        cells: &[u32],
        replaced: &[(Dart, Dart)],
        home: Dart,
        strayed: &mut Vec<PointId>,
    ) {
        let inside = if D == 2 { CellPlace::Face } else { CellPlace::Volume };
        let points = self.entities[entity.0 as usize].points;
        for &point in corners(&points) {
            let particle = &mut self.points[point as usize].particle;
            if let Ok(place) = replaced.binary_search_by_key(&particle.dart, |pair| pair.0) {
                particle.dart = replaced[place].1;
            }
            let particle = *particle;
            if !G::IS_CONVEX || particle.place != inside || cells.contains(&self.cell_at(particle.dart)) {
                let (there, is_found) = self.settled(&particle, home);
                self.points[point as usize].particle = there;
                if !is_found {
                    strayed.push(PointId(point));
                }
            }
        }
    }

    /// Returns a particle at the same position in the cell that contains it. Otherwise returns `false` and the particle
    /// at the border that stopped it, or with the dart `home`.
    fn settled(&self, particle: &Particle<G::Point>, home: Dart) -> (Particle<G::Point>, bool) {
        let (map, mut there) = (self.map.map(), *particle);
        let end = self.geometry.settle(map, &mut there);
        if end == Ok(MoveEnd::Arrived) {
            return (there, true);
        }
        match (self.geometry.find(map, particle.position).ok().and_then(ProbeHit::inside), end) {
            (Some(found), _) => (found, true),
            (None, Ok(_)) => (there, false),
            (None, Err(_)) => (Particle { dart: home, ..*particle }, false),
        }
    }

    /// Marks the pieces of obstacles as obstacles.
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
        // First faces that have a dart of an obstacle; then the middle faces of triangles, which have only new darts.
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
