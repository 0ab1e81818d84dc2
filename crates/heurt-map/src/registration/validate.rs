//! Validation of a registration: the four properties (S4 §5.1), tested one by one.
//!
//! In: an environment. Out: every violation. Method: the definitions. The extent of each entity is measured again;
//! neighbours are walked in the map. Cost: O(darts) and O(entities, their cells and these cells' neighbours).

use super::environment::Environment;
use super::extent::{Extent, Ground, corners};
use super::geometry::Geometry;
use super::lists::Roll;
use super::siblings::Siblings;
use super::{EntityId, PointId};
use crate::track::Particle;
use crate::{CombinatorialMap, NO_CELL, Orbit, Walker};
use thiserror::Error;

/// One violated property.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RegistrationFault {
    /// Property 1: an entity is in a cell, and not in its present list.
    #[error("entity {} is in cell {cell} and is not listed there", entity.0)]
    NotPresent {
        /// The entity.
        entity: EntityId,
        /// The cell.
        cell: u32,
    },
    /// Property 2: an entity is in the present list of a cell that it is not in.
    #[error("entity {} is listed in cell {cell} and is not in it", entity.0)]
    WronglyPresent {
        /// The entity.
        entity: EntityId,
        /// The cell.
        cell: u32,
    },
    /// Property 3: an entity is present next to a cell, and not in its neighbour list.
    #[error("entity {} is present beside cell {cell} and is not listed there", entity.0)]
    NotNeighbour {
        /// The entity.
        entity: EntityId,
        /// The cell.
        cell: u32,
    },
    /// Property 3: an entity is in the neighbour list of a cell, and not present next to it, or in it too.
    #[error("entity {} is listed as a neighbour of cell {cell} and is none", entity.0)]
    WronglyNeighbour {
        /// The entity.
        entity: EntityId,
        /// The cell.
        cell: u32,
    },
    /// Property 4: a point is not in the place that its dart and place give.
    #[error("point {} is not in the cell of its dart, or not on the part of it that it says", point.0)]
    Misled {
        /// The point.
        point: PointId,
    },
    /// A list has a particle among edges and triangles, or an edge or triangle among particles.
    #[error("cell {cell} lists an entity in the wrong part of a list")]
    Misplaced {
        /// The cell.
        cell: u32,
    },
    /// A list has an entity twice.
    #[error("cell {cell} lists entity {} twice", entity.0)]
    Twice {
        /// The entity.
        entity: EntityId,
        /// The cell.
        cell: u32,
    },
    /// The stored neighbours, siblings or level of a cell are wrong.
    #[error("what is kept of the neighbours, the siblings or the level of cell {cell} is wrong")]
    Stale {
        /// The cell.
        cell: u32,
    },
    /// The links between a point and its entities do not match.
    #[error("point {} and its entities do not know each other", point.0)]
    Unknown {
        /// The point.
        point: PointId,
    },
}

impl<const D: usize, G: Geometry<D>> Environment<D, G> {
    /// Lists every violation of the properties of a registration. The map has a `validate` of its own.
    pub fn validate(&mut self) -> Vec<RegistrationFault> {
        let mut faults = Vec::new();
        self.validate_points(&mut faults);
        if faults.is_empty() {
            self.validate_extents(&mut faults);
            self.validate_cells(&mut faults);
        }
        faults
    }

    /// Tests property 4, and that the links between points and entities match.
    fn validate_points(&self, faults: &mut Vec<RegistrationFault>) {
        let map = self.map.map();
        for (id, point) in (0..).zip(&self.points) {
            if point.entities.is_empty() {
                continue;
            }
            let knows =
                |&entity: &u32| self.entities.get(entity as usize).is_some_and(|entity| entity.points.contains(&id));
            if !point.entities.iter().all(knows) {
                faults.push(RegistrationFault::Unknown { point: PointId(id) });
            }
            let Particle { position, dart, place } = point.particle;
            let is_live = map.is_live(dart) && map.id(G::CELL, dart) != NO_CELL;
            let there = if is_live { self.geometry.particle_in(map, dart, position) } else { None };
            if there.is_none_or(|there| there.place != place) {
                faults.push(RegistrationFault::Misled { point: PointId(id) });
            }
        }
        for entity in self.entities() {
            for &point in corners(&self.entities[entity.0 as usize].points) {
                if !self.points[point as usize].entities.contains(&entity.0) {
                    faults.push(RegistrationFault::Unknown { point: PointId(point) });
                }
            }
        }
    }

    /// Tests properties 1 and 2 between entities and the cells that they meet.
    fn validate_extents(&self, faults: &mut Vec<RegistrationFault>) {
        let mut extent = Extent::default();
        let ground = Ground { map: &self.map, geometry: &self.geometry };
        for id in self.entities() {
            let entity = &self.entities[id.0 as usize];
            let points: Vec<Particle<G::Point>> =
                corners(&entity.points).iter().map(|&point| self.points[point as usize].particle).collect();
            extent.measure(&ground, &points, entity.manner.finest, entity.manner.is_whole);
            for &cell in extent.cells.iter().filter(|&cell| entity.cells.binary_search(cell).is_err()) {
                faults.push(RegistrationFault::NotPresent { entity: id, cell });
            }
            for &cell in entity.cells.iter().filter(|&cell| extent.cells.binary_search(cell).is_err()) {
                faults.push(RegistrationFault::WronglyPresent { entity: id, cell });
            }
        }
    }

    /// Reports whether particles come first in a list.
    fn is_in_order(&self, roll: &Roll) -> bool {
        let is_particle = |entity: &EntityId| self.is_particle(entity.0);
        roll.particles().iter().all(is_particle) && !roll.others().iter().any(is_particle)
    }

    /// Tests properties 1, 2 and 3 between entities' cells and cells' lists.
    fn validate_cells(&mut self, faults: &mut Vec<RegistrationFault>) {
        let bound = self.lists.cells.len();
        let (mut present, mut neighbours) = (vec![Vec::new(); bound], vec![Vec::new(); bound]);
        let mut walker = Walker::new();
        for id in self.entities() {
            for &cell in &self.entities[id.0 as usize].cells {
                present[cell as usize].push(id);
                let Some(dart) = self.dart(cell) else { continue };
                for &dart in walker.adjacent(self.map.map(), dart, G::CELL, Orbit::Vertex) {
                    neighbours[self.cell_at(dart) as usize].push(id);
                }
            }
        }
        for cell in 0..bound as u32 {
            let (present, near) = (&present[cell as usize], &mut neighbours[cell as usize]);
            near.sort_unstable();
            near.dedup();
            near.retain(|entity| present.binary_search(entity).is_err());
            let entry = self.lists.cell(cell);
            if !self.is_in_order(&entry.present) || !self.is_in_order(&entry.neighbours) {
                faults.push(RegistrationFault::Misplaced { cell });
            }
            compare(present, entry.present.all(), cell, faults, |is_missing, entity| match is_missing {
                true => RegistrationFault::NotPresent { entity, cell },
                false => RegistrationFault::WronglyPresent { entity, cell },
            });
            compare(near, entry.neighbours.all(), cell, faults, |is_missing, entity| match is_missing {
                true => RegistrationFault::NotNeighbour { entity, cell },
                false => RegistrationFault::WronglyNeighbour { entity, cell },
            });
        }
        let cells: Vec<u32> = self.cells().collect();
        for cell in cells {
            let Some(dart) = self.dart(cell) else { continue };
            let map = self.map.map();
            let mut adjacent: Vec<u32> =
                walker.adjacent(map, dart, G::CELL, Orbit::Vertex).iter().map(|&dart| map.id(G::CELL, dart)).collect();
            let entry = self.lists.cell(cell);
            let mut kept = entry.adjacent.clone();
            adjacent.sort_unstable();
            kept.sort_unstable();
            let is_kin = match self.siblings.siblings(cell) {
                Siblings::Unknown => true,
                siblings => {
                    let family = self.map.family(dart).unwrap_or_default();
                    let cells: Vec<u32> = family.into_iter().map(|dart| self.cell_at(dart)).collect();
                    let is_even = cells.iter().all(|&other| self.lists.cell(other).level == entry.level);
                    match siblings {
                        Siblings::All(all) => {
                            is_even && all.len() == cells.len() && cells.iter().all(|cell| all.contains(cell))
                        }
                        _ => !is_even,
                    }
                }
            };
            if entry.is_linked && adjacent != kept || entry.level != self.map.level_of(dart) || !is_kin {
                faults.push(RegistrationFault::Stale { cell });
            }
        }
    }
}

/// Compares a list with the expected list, ascending.
fn compare(
    expected: &[EntityId],
    list: &[EntityId],
    cell: u32,
    faults: &mut Vec<RegistrationFault>,
    fault: impl Fn(bool, EntityId) -> RegistrationFault,
) {
    let mut list = list.to_vec();
    list.sort_unstable();
    faults.extend(
        list.windows(2)
            .filter(|pair| pair[0] == pair[1])
            .map(|pair| RegistrationFault::Twice { entity: pair[0], cell }),
    );
    faults.extend(expected.iter().filter(|&entity| list.binary_search(entity).is_err()).map(|&e| fault(true, e)));
    faults.extend(list.iter().filter(|&entity| expected.binary_search(entity).is_err()).map(|&e| fault(false, e)));
}
