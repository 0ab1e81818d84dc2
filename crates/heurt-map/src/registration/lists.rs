//! The lists of each cell: the entities present in it and next to it, and the neighbouring cells.
//!
//! In: entities and the cells that they are in. Out: matching lists. Method: S4 §5.1 to §5.3. A cell's neighbours are
//! walked once, and kept; refinement and coarsening update them. S4 keeps separate lists of particles and of edges.
//! Here they are the two parts of one list, so that one kind can be read without a test of each entry.
//! Guarantees: an entity is in a list once, particles before edges and triangles. Cost: O(1) an entry added, O(list) an
//! entry removed.

use super::EntityId;
use crate::{CombinatorialMap, Dart, Orbit, Walker};

/// An entity, and whether it is a particle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Listed {
    pub entity: EntityId,
    pub is_particle: bool,
}

/// List of entities: particles, then edges and triangles.
#[derive(Debug, Clone, Default)]
pub(super) struct Roll {
    all: Vec<EntityId>,
    particles: usize,
}

impl Roll {
    pub fn all(&self) -> &[EntityId] {
        &self.all
    }

    pub fn particles(&self) -> &[EntityId] {
        &self.all[..self.particles]
    }

    pub fn others(&self) -> &[EntityId] {
        &self.all[self.particles..]
    }

    pub fn push(&mut self, who: Listed) {
        self.all.push(who.entity);
        if who.is_particle {
            let last = self.all.len() - 1;
            self.all.swap(self.particles, last);
            self.particles += 1;
        }
    }

    /// Takes an entity out, if it is in the list.
    pub fn drop(&mut self, who: Listed) {
        let part = if who.is_particle { 0..self.particles } else { self.particles..self.all.len() };
        let Some(place) = self.all[part.clone()].iter().position(|&other| other == who.entity) else { return };
        let mut place = part.start + place;
        if who.is_particle {
            self.particles -= 1;
            self.all.swap(place, self.particles);
            place = self.particles;
        }
        self.all.swap_remove(place);
    }

    /// Takes out the particles that are marked, by number of entity.
    fn drop_marked(&mut self, marks: &[bool]) {
        let mut kept = 0;
        for place in 0..self.particles {
            let entity = self.all[place];
            self.all[kept] = entity;
            kept += usize::from(!marks.get(entity.0 as usize).is_some_and(|&is_marked| is_marked));
        }
        self.all.drain(kept..self.particles);
        self.particles = kept;
    }

    fn clear(&mut self) {
        self.all.clear();
        self.particles = 0;
    }
}

/// Data of a cell.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell {
    pub present: Roll,
    pub neighbours: Roll,
    /// The cells that share a vertex with it, if they are known.
    pub adjacent: Vec<u32>,
    pub is_linked: bool,
    pub level: u8,
    /// The cell is in the list of cells whose present list changed.
    is_changed: bool,
}

/// The lists of all cells, by number.
#[derive(Debug, Clone, Default)]
pub(super) struct Lists {
    pub cells: Vec<Cell>,
    /// Cells whose present list changed since they were last taken.
    pub changed: Vec<u32>,
    stamp: u32,
    /// Marks by cell: not among the lists, so that those of many cells are close in memory.
    stamps: Vec<u32>,
    ring: Vec<u32>,
    /// By number of entity; none is marked between calls.
    marks: Vec<bool>,
}

impl Lists {
    /// Grows the list to cells of numbers below `bound`.
    pub fn grow(&mut self, bound: usize) {
        if self.cells.len() < bound {
            self.cells.resize_with(bound, Cell::default);
            self.stamps.resize(bound, 0);
        }
    }

    pub fn cell(&self, cell: u32) -> &Cell {
        &self.cells[cell as usize]
    }

    pub fn cell_mut(&mut self, cell: u32) -> &mut Cell {
        &mut self.cells[cell as usize]
    }

    /// Notes that the entities present in a cell have changed.
    pub fn note(&mut self, cell: u32) {
        let entry = self.cell_mut(cell);
        if !std::mem::replace(&mut entry.is_changed, true) {
            self.changed.push(cell);
        }
    }

    /// Clears the note of a cell, so that it can be noted again.
    pub fn unnote(&mut self, cell: u32) {
        self.cell_mut(cell).is_changed = false;
    }

    /// Starts a mark of cells by some numbers that no cell holds: returns the first of them.
    fn begin(&mut self, numbers: u32) -> u32 {
        if self.stamp > u32::MAX - numbers {
            self.stamps.fill(0);
            self.stamp = 0;
        }
        self.stamp += numbers;
        self.stamp + 1 - numbers
    }

    /// Finds the neighbours of a cell, unless they are known.
    pub fn link<M: CombinatorialMap>(&mut self, map: &M, kind: Orbit, dart: Dart, walker: &mut Walker) {
        let cell = self.cell_mut(map.id(kind, dart));
        if !cell.is_linked {
            cell.is_linked = true;
            cell.adjacent.clear();
            cell.adjacent
                .extend(walker.adjacent(map, dart, kind, Orbit::Vertex).iter().map(|&dart| map.id(kind, dart)));
        }
    }

    /// Returns the cells next to the given cells, without the given cells; all have to be linked.
    fn take_ring(&mut self, cells: &[u32]) -> Vec<u32> {
        let stamp = self.begin(1);
        let mut ring = std::mem::take(&mut self.ring);
        ring.clear();
        for &cell in cells {
            self.stamps[cell as usize] = stamp;
        }
        for &cell in cells {
            for &other in &self.cells[cell as usize].adjacent {
                if std::mem::replace(&mut self.stamps[other as usize], stamp) != stamp {
                    ring.push(other);
                }
            }
        }
        ring
    }

    /// Adds a particle to the lists of its cell, which has to be linked, and of its neighbours.
    pub fn insert_particle(&mut self, entity: EntityId, cell: u32) {
        let who = Listed { entity, is_particle: true };
        self.cell_mut(cell).present.push(who);
        self.note(cell);
        for place in 0..self.cell(cell).adjacent.len() {
            let other = self.cell(cell).adjacent[place];
            self.cell_mut(other).neighbours.push(who);
        }
    }

    /// Adds an entity to the lists of its cells and of their neighbours; all have to be linked.
    pub fn insert(&mut self, who: Listed, cells: &[u32]) {
        for &cell in cells {
            self.cell_mut(cell).present.push(who);
            self.note(cell);
        }
        let ring = self.take_ring(cells);
        for &cell in &ring {
            self.cell_mut(cell).neighbours.push(who);
        }
        self.ring = ring;
    }

    /// Removes an entity from the lists of its cells and of their neighbours.
    pub fn remove(&mut self, who: Listed, cells: &[u32]) {
        for &cell in cells {
            self.cell_mut(cell).present.drop(who);
            self.note(cell);
        }
        let ring = self.take_ring(cells);
        for &cell in &ring {
            self.cell_mut(cell).neighbours.drop(who);
        }
        self.ring = ring;
    }

    /// Moves an entity from some cells to others, all linked. Only lists in which it is at first or at last, and not
    /// both, are changed.
    pub fn exchange(&mut self, who: Listed, from: &[u32], to: &[u32]) {
        // Cells next to those before, cells before, cells next to those after, cells after.
        let [beside, before, aside, after] = {
            let first = self.begin(4);
            [first, first + 1, first + 2, first + 3]
        };
        let mut ring = std::mem::take(&mut self.ring);
        ring.clear();
        for &cell in from {
            self.stamps[cell as usize] = before;
        }
        for &cell in from {
            for &other in &self.cells[cell as usize].adjacent {
                let stamp = &mut self.stamps[other as usize];
                if *stamp != before && *stamp != beside {
                    *stamp = beside;
                    ring.push(other);
                }
            }
        }
        for &cell in to {
            let known = std::mem::replace(&mut self.stamps[cell as usize], after);
            if known == before {
                continue;
            }
            let entry = &mut self.cells[cell as usize];
            if known == beside {
                entry.neighbours.drop(who);
            }
            entry.present.push(who);
            self.note(cell);
        }
        for &cell in to {
            for place in 0..self.cell(cell).adjacent.len() {
                let other = self.cell(cell).adjacent[place];
                let known = self.stamps[other as usize];
                if known == after || known == aside {
                    continue;
                }
                self.stamps[other as usize] = aside;
                if known != beside {
                    self.cell_mut(other).neighbours.push(who);
                }
                if known == before {
                    self.cell_mut(other).present.drop(who);
                    self.note(other);
                }
            }
        }
        for &cell in from {
            if self.stamps[cell as usize] == before {
                self.cell_mut(cell).present.drop(who);
                self.note(cell);
            }
        }
        for &cell in &ring {
            if self.stamps[cell as usize] == beside {
                self.cell_mut(cell).neighbours.drop(who);
            }
        }
        self.ring = ring;
    }

    /// Moves an entity from a cell to another, both linked. Cells next to both are not changed.
    pub fn shift(&mut self, who: Listed, from: u32, to: u32) {
        let before = self.begin(2);
        let both = before + 1;
        let mut near = std::mem::take(&mut self.cell_mut(from).adjacent);
        for &cell in &near {
            self.stamps[cell as usize] = before;
        }
        for place in 0..self.cell(to).adjacent.len() {
            let cell = self.cell(to).adjacent[place];
            let stamp = &mut self.stamps[cell as usize];
            if *stamp == before {
                *stamp = both;
            } else {
                self.cell_mut(cell).neighbours.push(who);
            }
        }
        for &cell in &near {
            if self.stamps[cell as usize] == before {
                self.cell_mut(cell).neighbours.drop(who);
            }
        }
        std::mem::swap(&mut self.cell_mut(from).adjacent, &mut near);
        self.cell_mut(from).present.drop(who);
        self.cell_mut(to).present.push(who);
        self.note(from);
        self.note(to);
    }

    /// Unlinks removed cells, and returns their former neighbours. The entities still present in the cells are
    /// particles, all of them in `particles` and in no other cell; they are removed from all lists.
    pub fn unlink(&mut self, cells: &[u32], particles: &[EntityId]) -> Vec<u32> {
        let ring = self.take_ring(cells);
        let bound = particles.iter().map(|entity| entity.0 as usize + 1).max().unwrap_or(0);
        self.marks.resize(self.marks.len().max(bound), false);
        particles.iter().for_each(|entity| self.marks[entity.0 as usize] = true);
        for &cell in &ring {
            let entry = &mut self.cells[cell as usize];
            entry.adjacent.retain(|other| !cells.contains(other));
            entry.neighbours.drop_marked(&self.marks);
        }
        particles.iter().for_each(|entity| self.marks[entity.0 as usize] = false);
        for &cell in cells {
            let entry = self.cell_mut(cell);
            entry.adjacent.clear();
            entry.present.clear();
            entry.neighbours.clear();
            entry.is_linked = false;
        }
        let around = ring.clone();
        self.ring = ring;
        around
    }

    /// Adds new linked cells to the lists of their neighbours, and the entities of these to the cells' neighbour lists.
    /// `is_wide` reports whether an entity is in several cells.
    pub fn join(&mut self, cells: &[u32], is_wide: impl Fn(EntityId) -> bool) {
        for &cell in cells {
            self.note(cell);
            let mut neighbours = std::mem::take(&mut self.cell_mut(cell).neighbours);
            for place in 0..self.cell(cell).adjacent.len() {
                let other = self.cell_mut(self.cells[cell as usize].adjacent[place]);
                if other.is_linked && !other.adjacent.contains(&cell) {
                    other.adjacent.push(cell);
                }
                for (place, &entity) in other.present.all.iter().enumerate() {
                    if !is_wide(entity) || !neighbours.all.contains(&entity) {
                        neighbours.push(Listed { entity, is_particle: place < other.present.particles });
                    }
                }
            }
            self.cell_mut(cell).neighbours = neighbours;
        }
    }

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        let of =
            |cell: &Cell| 4 * (cell.present.all.capacity() + cell.neighbours.all.capacity() + cell.adjacent.capacity());
        self.cells.capacity() * size_of::<Cell>()
            + 4 * self.stamps.capacity()
            + self.cells.iter().map(of).sum::<usize>()
    }
}
